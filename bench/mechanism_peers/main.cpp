// SPDX-License-Identifier: BSD-3-Clause
// daedalus_mechanism_peers FILE.json...   processor time against Simbody at equal errors of the
//                                         velocities at the end, in turns; the ratio per file
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>

#include <daedalus/mechanism_file.hpp>
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

// Velocities of bodies at the end of a run.
struct Target {
  double t = 0.0;
  std::map<std::string, Eigen::Vector3d> velocities{};

  template <class VelocityOf>
  double error(VelocityOf&& of) const {
    double worst = 0.0;
    for (const auto& [name, v] : velocities)
      worst = std::max(worst, (of(name) - v).norm() / std::max(1.0, v.norm()));
    return worst;
  }
};

Point own(const NamedMechanism& m, const Target& target, const char* method, double tolerance) {
  Options o;
  o.method = method;
  o.rtol = tolerance;
  o.atol = tolerance;
  o.output = Output::end;
  const std::clock_t begin = std::clock();
  const Solution s = solve(m.assembled.problem, {0.0, target.t}, o);
  Point point{static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 0.0,
              fmt::format("{} {:.0e}", s.choice().method, tolerance)};
  point.error = s.ok() ? target.error([&](const std::string& name) {
    return m.assembled.state_of(s.end(), m.bodies.at(name)).velocity;
  })
                       : std::nan("");
  return point;
}

Point theirs(const Peer& peer, const Target& target, double accuracy) {
  const PeerRun run = peer.run(accuracy, target.t);
  Point point{run.seconds, std::nan(""), fmt::format("peer {:.0e}", accuracy)};
  if (run.success)
    point.error = target.error([&](const std::string& name) { return run.velocities.at(name); });
  return point;
}

// The reference block of the file; without bodies in it, our own run at 1e-12 up to `until`.
Target target_of(const json& file, const NamedMechanism& m, double until) {
  Target target;
  const json& reference = file["reference"];
  if (reference.contains("bodies")) {
    target.t = reference["t"].get<double>();
    for (const json& b : reference["bodies"])
      for (int k = 0; k < 3; ++k)
        target.velocities[b["body"]][k] = b["velocity"][static_cast<std::size_t>(k)].get<double>();
    return target;
  }
  Options o;
  o.method = "adams-index2";
  o.rtol = 1e-12;
  o.atol = 1e-12;
  o.output = Output::end;
  target.t = until;
  const Solution s = solve(m.assembled.problem, {0.0, until}, o);
  for (const auto& [name, id] : m.bodies)
    target.velocities[name] = m.assembled.state_of(s.end(), id).velocity;
  return target;
}

std::map<std::string, PeerBody> start_of(const NamedMechanism& m) {
  Options o;
  o.output = Output::end;
  const Solution s = solve(m.assembled.problem, {0.0, 1e-9}, o);
  std::map<std::string, PeerBody> start;
  for (const auto& [name, id] : m.bodies) {
    const BodyState b = m.assembled.state_of(s.start(), id);
    start[name] = {b.rotation, b.position, b.velocity, b.rotation * b.angular_velocity_body};
  }
  return start;
}

void compare(const std::string& path) {
  std::ifstream stream(path);
  const json file = json::parse(stream);
  const auto m = read_mechanism_file(path).assembled({});
  const Target target = target_of(file, *m, 0.5);
  const Peer peer(file, start_of(*m));
  const std::vector<double> accuracies{1e-4, 1e-6, 1e-8},
      tolerances{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
  std::vector<Point> ours, peers;
  // In turns, so that both see the same machine; the fastest of the repetitions counts.
  for (int k = 0; k < repetitions; ++k) {
    std::size_t i = 0;
    const auto note = [&](std::vector<Point>& list, const Point& p) {
      if (k == 0) list.push_back(p);
      list[i].seconds = std::min(list[i].seconds, p.seconds);
      ++i;
    };
    for (const double accuracy : accuracies) note(peers, theirs(peer, target, accuracy));
    i = 0;
    for (const char* method : {"auto", "hedop5"})
      for (const double tolerance : tolerances) note(ours, own(*m, target, method, tolerance));
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
