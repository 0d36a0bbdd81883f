// SPDX-License-Identifier: BSD-3-Clause
// A project that only knows the installed package: the header has the version asked for, the
// registry came through the linker with all its methods, and a pendulum of index 3 can be solved.
#include <cmath>
#include <iostream>
#include <set>
#include <string>

#include <daedalus/daedalus.hpp>
#include <daedalus/version.hpp>

using daedalus::In, daedalus::MatrixOut, daedalus::Out;

namespace {

bool version_is(const std::string& wanted) {
  if (daedalus::version == wanted) return true;
  std::cerr << "the installed header says " << daedalus::version << '\n';
  return false;
}

bool registry_is_complete() {
  std::set<std::string> names;
  for (const daedalus::Method* method : daedalus::all_methods()) names.insert(method->name);
  const std::size_t count = daedalus::all_methods().size();
  if (count > 0 && names.size() == count) return true;
  std::cerr << names.size() << " distinct names of " << count << " methods\n";
  return false;
}

// Released at rest from the horizontal, the unit pendulum is back at height -v^2 / (2 g).
bool pendulum_keeps_its_energy() {
  const double g = 9.81;
  const daedalus::MultibodyProblem pendulum{
      .name = "pendulum",
      .space = daedalus::euclidean(2),
      .constraint_count = 1,
      .mass = [](double, In, MatrixOut M) { M.setIdentity(); },
      .force = [=](double, In, In, Out f) { f << 0.0, -g; },
      .constraint = [](double, In q, Out c) { c[0] = 0.5 * (q.squaredNorm() - 1.0); },
      .q0 = Eigen::Vector2d(1.0, 0.0),
      .v0 = Eigen::Vector2d::Zero()};
  const auto solution = daedalus::solve(pendulum, {0.0, 1.0}, {.rtol = 1e-6, .atol = 1e-6});
  if (!solution.ok()) {
    std::cerr << solution.message() << '\n';
    return false;
  }
  const auto end = solution.end();
  const double energy = 0.5 * end.v().squaredNorm() + g * end.q()[1];
  // 1000 rtol; a broken library would miss by the order of g.
  if (std::abs(energy) < 1e-3) return true;
  std::cerr << "energy " << energy << " at the end, 0 at the start\n";
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const bool good =
      argc == 2 && version_is(argv[1]) && registry_is_complete() && pendulum_keeps_its_energy();
  return good ? 0 : 1;
}
