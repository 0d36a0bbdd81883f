// SPDX-License-Identifier: BSD-3-Clause
// A planar four-bar with spatial joints: three rows are redundant, found and named; then the
// motion, the angle of the rocker, energies.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/mechanism.hpp>

using namespace daedalus;

int main() {
  Mechanism m("four-bar");
  const auto rod = [&m](const char* name, const Triple& middle, double length, double angle) {
    const double J = length * length / 12.0;
    return m.body({.name = name,
                   .mass = 1.0,
                   .inertia = diagonal(1e-3, J, J),
                   .position = middle,
                   .rotation = Rotation::about({0.0, 0.0, 1.0}, angle)});
  };
  const double right = std::acos(0.0);
  const BodyId crank = rod("crank", {0.0, 0.15, 0.0}, 0.3, right);
  const BodyId coupler = rod("coupler", {0.4, 0.45, 0.0}, 1.0, std::atan2(0.3, 0.8));
  const BodyId rocker = rod("rocker", {0.8, 0.3, 0.0}, 0.6, right);
  const Triple axis{0.0, 0.0, 1.0};
  m.gravity({0.0, -9.81, 0.0});
  m.revolute("A", m.ground(), crank, {.at = {0.0, 0.0, 0.0}, .axis = axis, .rate = 4.0});
  m.revolute("B", crank, coupler, {.at = {0.0, 0.3, 0.0}, .axis = axis});
  m.revolute("C", coupler, rocker, {.at = {0.8, 0.6, 0.0}, .axis = axis});
  const JointId D = m.revolute("D", m.ground(), rocker, {.at = {0.8, 0.0, 0.0}, .axis = axis});
  const Assembled a = m.assemble();
  std::cout << a.report.text();

  const Solution s = solve(a.problem, {0.0, 1.0}, {.rtol = 1e-8, .atol = 1e-8});
  const Energies start = a.energies(s.start()), end = a.energies(s.end());
  const double change = end.kinetic + end.potential - start.kinetic - start.potential;
  std::cout << "rocker at " << a.coordinate(s.end(), D) << " rad, energy changed by " << change
            << " J\n";
  return s.ok() && a.report.redundant.size() == 3 && std::abs(change) < 1e-5 ? 0 : 1;
}
