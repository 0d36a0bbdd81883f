// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_engine.hpp"

#include <fmt/format.h>

#include <daedalus/types.hpp>

namespace daedalus::cli {

Engine parse_engine(const std::string& text) {
  for (const Engine e : {Engine::automatic, Engine::threads, Engine::lanes, Engine::gpu})
    if (to_string(e) == text) return e;
  throw InvalidArgument("--engine has '" + text + "'; allowed are auto, threads, lanes, gpu");
}

std::vector<std::vector<std::string>> sweep_probes(const SweepPlan& plan, const Entry& entry) {
  std::vector<Parameter> base = plan.parameters(0);
  std::vector<std::size_t> varied;
  for (std::size_t k = 0; k < base.size(); ++k) {
    bool varies = false;
    for (std::size_t run = 1; run < plan.size() && !varies; ++run)
      varies = plan.points.point(run)[k] != base[k].value;
    if (!varies) continue;
    varied.push_back(k);
    for (const Parameter& p : entry.parameters)
      if (p.name == base[k].name) base[k].value = p.value;
  }
  const auto texts = [](const std::vector<Parameter>& values) {
    std::vector<std::string> list;
    for (const Parameter& p : values) list.push_back(fmt::format("{}={}", p.name, p.value));
    return list;
  };
  std::vector<std::vector<std::string>> probes{texts(base)};
  // A percent tells what depends on a parameter, and is no other model.
  constexpr double share = 0.01;
  for (const std::size_t k : varied) {
    std::vector<Parameter> moved = base;
    moved[k].value = moved[k].value == 0.0 ? share : (1.0 + share) * moved[k].value;
    probes.push_back(texts(moved));
  }
  return probes;
}

std::string engine_line(const Sweep& sweep) {
  std::string text = fmt::format("engine {}: {}", to_string(sweep.engine), sweep.engine_reason);
  if (sweep.handed_over > 0)
    text += fmt::format("; {} runs were left to the library's loop", sweep.handed_over);
  return text;
}

}  // namespace daedalus::cli
