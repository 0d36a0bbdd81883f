// SPDX-License-Identifier: BSD-3-Clause
// daedalus_mechanism_peers FILE.json...   processor time against Simbody at equal errors of the
//                                         velocities at the end, in turns; the ratio per file
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>

#include <daedalus/solve.hpp>

#include "peer.hpp"

namespace {

using namespace daedalus;
using namespace daedalus::mechanism_peers;
using nlohmann::json;

constexpr int repetitions = 3;

struct Point {
  double seconds = 0.0, error = 0.0;
  std::string solver{};
};

Eigen::Vector3d velocity(const json& body) {
  return {body["velocity"][0].get<double>(), body["velocity"][1].get<double>(),
          body["velocity"][2].get<double>()};
}

Point own(const NamedMechanism& m, const json& reference, const char* method, double tolerance) {
  Options o;
  o.method = method;
  o.rtol = tolerance;
  o.atol = tolerance;
  o.output = Output::end;
  const std::clock_t begin = std::clock();
  const Solution s = solve(m.assembled.problem, {0.0, reference["t"].get<double>()}, o);
  Point point{static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 0.0,
              fmt::format("{} {:.0e}", s.choice().method, tolerance)};
  if (!s.ok()) point.error = std::nan("");
  for (const json& b : reference["bodies"]) {
    const Eigen::Vector3d v = velocity(b);
    const BodyState at = m.assembled.state_of(s.end(), m.bodies.at(b["body"]));
    point.error = std::max(point.error, (at.velocity - v).norm() / std::max(1.0, v.norm()));
  }
  return point;
}

Point theirs(const Peer& peer, const json& reference, double accuracy) {
  const PeerRun run = peer.run(accuracy, reference["t"].get<double>());
  Point point{run.seconds, run.success ? 0.0 : std::nan(""), fmt::format("peer {:.0e}", accuracy)};
  for (const json& b : reference["bodies"]) {
    const Eigen::Vector3d v = velocity(b);
    if (!run.success) break;
    point.error =
        std::max(point.error, (run.velocities.at(b["body"]) - v).norm() / std::max(1.0, v.norm()));
  }
  return point;
}

void compare(const std::string& path) {
  std::ifstream stream(path);
  const json file = json::parse(stream);
  const json& reference = file["reference"];
  const auto m = read_mechanism_file(path).assembled({});
  const Peer peer(file, *m);
  const std::vector<double> accuracies{1e-4, 1e-6, 1e-8},
      tolerances{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  std::vector<Point> ours, peers;
  // In turns, so that both see the same machine; the fastest of the repetitions counts.
  for (int k = 0; k < repetitions; ++k) {
    std::size_t i = 0;
    const auto note = [&](std::vector<Point>& list, const Point& p) {
      if (k == 0) list.push_back(p);
      list[i].seconds = std::min(list[i].seconds, p.seconds);
      ++i;
    };
    for (const double accuracy : accuracies) note(peers, theirs(peer, reference, accuracy));
    i = 0;
    for (const char* method : {"auto", "hedop5"})
      for (const double tolerance : tolerances) note(ours, own(*m, reference, method, tolerance));
  }
  for (const Point& p : peers) {
    const Point* best = nullptr;
    for (const Point& o : ours)
      if (o.error <= p.error && (!best || o.seconds < best->seconds)) best = &o;
    fmt::print("| {} | {} | {:.1e} | {:.4f} | ", file["name"].get<std::string>(), p.solver, p.error,
               p.seconds);
    if (best)
      fmt::print("{} | {:.1e} | {:.4f} | {:.2f} |\n", best->solver, best->error, best->seconds,
                 best->seconds / p.seconds);
    else
      fmt::print("none | | | |\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print(
      "| mechanism | peer | its error | s | own | error | s | ratio "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (int k = 1; k < argc; ++k) try {
      compare(argv[k]);
    } catch (const std::exception& wrong) {
      fmt::print("| {} | {} |\n", argv[k], wrong.what());
    }
  return 0;
}
