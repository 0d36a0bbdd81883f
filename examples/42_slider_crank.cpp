// SPDX-License-Identifier: BSD-3-Clause
// A press: a driven crank moves a ram against a return spring. Where the ram is, and what the motor
// gives, are known in closed form.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/mechanism.hpp>

using namespace daedalus;

int main() {
  Mechanism m("press");
  m.gravity({0, 0, -9.81});
  const BodyId crank = m.body({.name = "crank",
                               .mass = 1.0,
                               .inertia = diagonal(1e-3, 9e-3, 9e-3),
                               .position = {0.15, 0, 0}});
  const BodyId rod = m.body({.name = "rod",
                             .mass = 0.8,
                             .inertia = diagonal(5e-4, 0.024, 0.024),
                             .position = {0.6, 0, 0}});
  const BodyId ram = m.body(
      {.name = "ram", .mass = 3.0, .inertia = diagonal(1e-2, 1e-2, 1e-2), .position = {0.9, 0, 0}});
  const JointId bearing =
      m.revolute("bearing", m.ground(), crank, {.at = {0, 0, 0}, .axis = {0, 1, 0}});
  m.spherical("big-end", crank, rod, {.at = {0.3, 0, 0}});
  m.universal("small-end", ram, rod, {.at = {0.9, 0, 0}, .axis = {0, 0, 1}, .axis2 = {0, 1, 0}});
  const JointId guide =
      m.prismatic("guide", m.ground(), ram, {.at = {0.9, 0, 0}, .axis = {1, 0, 0}});
  m.spring_damper("return", m.ground(), ram,
                  {.at = {1.5, 0, 0},
                   .at2 = {0.95, 0, 0},
                   .stiffness = 800,
                   .damping = 20,
                   .rest_length = 0.5});
  const DriveId motor = m.drive("motor", bearing, harmonic(0.0, 1.2, 5.0));
  const Assembled a = m.assemble();
  std::cout << a.report.text();

  const Solution s = solve(a.problem, {0, 1}, {.rtol = 1e-9, .atol = 1e-9, .events = a.events});
  const double theta = 1.2 * std::sin(5.0), sine = std::sin(theta);
  const double x = 0.3 * std::cos(theta) + std::sqrt(0.36 - 0.09 * sine * sine);
  const double moment = a.effort(s.end(), motor);
  std::cout << "ram at " << 0.9 + a.coordinate(s.end(), guide) << " m, exactly " << x
            << "\nmotor moment " << moment << " N m\nreaction in the guide "
            << a.reaction(s.end(), guide).force.transpose() << " N\n";
  return s.ok() && std::abs(0.9 + a.coordinate(s.end(), guide) - x) < 1e-8 &&
                 std::abs(moment + 63.47970040784569) < 1e-5
             ? 0
             : 1;
}
