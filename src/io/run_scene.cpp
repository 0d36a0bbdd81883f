// SPDX-License-Identifier: BSD-3-Clause
// The scene of a run file: where the bodies are in every frame.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "io/run_file.hpp"

namespace daedalus {
namespace {

using json::Json;

// Seven digits are finer than any screen.
Json screen_number(double x) {
  if (!std::isfinite(x)) return nullptr;
  return std::strtod(fmt::format("{:.7g}", x).c_str(), nullptr);
}

Json described(const Body& body, const Variables& variables, const Samples& frames) {
  const auto count = static_cast<std::size_t>(body.motion_count);
  std::vector<double> motion(count * frames.t.size());
  bool moves = false;
  for (std::size_t k = 0; k < frames.t.size(); ++k) {
    double* const row = motion.data() + k * count;
    body.motion(StateView(variables, frames.t[k], frames.y[k].data()), row);
    moves = moves || !std::equal(row, row + count, motion.data());
  }
  if (!moves) motion.resize(count);
  Json places = Json::array();
  for (const double x : motion) places.push_back(screen_number(x));
  return {{"name", body.name},
          {"shape", to_string(body.shape)},
          {"size", json::numbers({body.size.begin(), body.size.end()})},
          {"colour", json::text_or_null(body.colour)},
          {"trail", body.trail},
          {"motion_count", body.motion_count},
          {"motion", std::move(places)}};
}

}  // namespace

Json scene_along(const Scene& scene, const Variables& variables, const Samples& frames) {
  if (scene.bodies.empty() || frames.t.empty()) return nullptr;
  Json bodies = Json::array();
  for (const Body& body : scene.bodies) bodies.push_back(described(body, variables, frames));
  return {{"up", json::numbers({scene.up.begin(), scene.up.end()})},
          {"view", json::numbers({scene.view.begin(), scene.view.end()})},
          {"ground", scene.ground ? json::number(*scene.ground) : Json(nullptr)},
          {"t", json::numbers(frames.t)},
          {"bodies", std::move(bodies)}};
}

}  // namespace daedalus
