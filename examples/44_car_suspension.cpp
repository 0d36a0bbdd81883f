// SPDX-License-Identifier: BSD-3-Clause
// A double wishbone with tie rod, strut and a wheel load that oscillates; the motion against a
// reference with thirteen digits. Then its rest under the mean load and the frequency about it.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/mechanism.hpp>

using namespace daedalus;

int main() {
  Mechanism m("double-wishbone");
  const BodyId lower = m.body({.name = "lower-arm",
                               .mass = 4.0,
                               .inertia = diagonal(0.04, 0.03, 0.06),
                               .position = {0.0, 0.5375, 0.1925}});
  const BodyId upper = m.body({.name = "upper-arm",
                               .mass = 2.5,
                               .inertia = diagonal(0.02, 0.015, 0.03),
                               .position = {-0.01, 0.5525, 0.4675}});
  const BodyId upright = m.body({.name = "upright",
                                 .mass = 30.0,
                                 .inertia = diagonal(0.9, 1.1, 0.9),
                                 .position = {0.0, 0.74, 0.31}});
  m.revolute("lower-bush", m.ground(), lower,
             {.at = {0.0, 0.355, 0.205}, .axis = {0.3, -0.01, -0.01}, .rate = 0.2});
  m.revolute("upper-bush", m.ground(), upper,
             {.at = {0.0, 0.425, 0.455}, .axis = {0.24, -0.01, 0.01}});
  const JointId ball = m.spherical("lower-ball", lower, upright, {.at = {0.0, 0.72, 0.18}});
  m.spherical("upper-ball", upper, upright, {.at = {-0.02, 0.68, 0.48}});
  m.distance("tie-rod", m.ground(), upright, {.at = {0.13, 0.38, 0.26}, .at2 = {0.13, 0.7, 0.25}});
  m.spring_damper("strut", m.ground(), lower,
                  {.at = {0.0, 0.45, 0.62},
                   .at2 = {0.0, 0.6, 0.2},
                   .stiffness = 40000,
                   .damping = 2500,
                   .rest_length = 0.55});
  Mechanism still = m;
  const auto load = [&](Mechanism& on, const TimeFunction& up) {
    on.force("tyre", {.body = upright, .at = {0.0, 0.76, 0.3}, .value = {0.0, 0.0, up}});
  };
  load(m, harmonic(3000.0, 1500.0, 12.0));
  load(still, 3000.0);

  const Assembled a = m.assemble();
  const Solution s = solve(a.problem, {0, 1}, {.rtol = 1e-9, .atol = 1e-9});
  const Eigen::Vector3d arm = a.state_of(s.end(), lower).position,
                        exact(-0.0017085680877686, 0.5292836969915468, 0.1494592603753950);
  std::cout << a.report.text() << "lower arm at " << arm.transpose() << ", off by "
            << (arm - exact).norm() << " m\nforce in the lower ball joint "
            << a.reaction(s.end(), ball).force.norm() << " N\n";

  const Assembled rest = still.assemble();
  const SteadyState at = steady_state(rest.problem, 0.0);
  const std::vector<Mode> modes = rest.modes(eigenvalues(rest.problem, at));
  for (const Mode& mode : modes)
    std::cout << "about the rest: " << mode.frequency_hz << " Hz, damping " << mode.damping_ratio
              << "\n";
  return s.ok() && (arm - exact).norm() < 1e-8 && modes.size() == 2 ? 0 : 1;
}
