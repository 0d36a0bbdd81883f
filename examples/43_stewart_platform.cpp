// SPDX-License-Identifier: BSD-3-Clause
// A platform on six legs whose lengths are driven: they determine its pose. The legs ask for a
// heave of 0.1 m; what they have to push follows from the mass of the platform.
#include <cmath>
#include <iostream>
#include <vector>

#include <daedalus/daedalus.hpp>
#include <daedalus/graph.hpp>
#include <daedalus/mechanism.hpp>

using namespace daedalus;

int main() {
  constexpr double height = 1.0, heave = 0.1, omega = 2.0, mass = 20.0;
  Mechanism m("hexapod");
  const BodyId platform = m.body({.name = "platform",
                                  .mass = mass,
                                  .inertia = diagonal(0.8, 0.8, 1.5),
                                  .position = {0, 0, height}});
  // Legs from pairs of points of the base to pairs of points of the platform, turned by 60 degrees.
  constexpr double pi = 3.14159265358979;
  std::vector<DriveId> legs;
  std::vector<JointId> joints;
  double shadow = 0.0;
  for (int k = 0; k < 6; ++k) {
    const double side = k % 2 == 0 ? -1.0 : 1.0, third = 2.0 * pi / 3.0 * std::floor(k / 2.0);
    const double below = third + side * 0.25, above = third + side * (pi / 3.0 - 0.25);
    const Triple foot(0.8 * std::cos(below), 0.8 * std::sin(below), 0.0),
        top(0.5 * std::cos(above), 0.5 * std::sin(above), height);
    Eigen::Vector3d flat = top.vector() - foot.vector();
    flat[2] = 0.0;
    shadow = flat.norm();
    const std::string number = std::to_string(k + 1);
    joints.push_back(m.distance("leg" + number, m.ground(), platform, {.at = foot, .at2 = top}));
    // The length at every height of the platform, as a formula of time.
    graph::Graph g;
    const Expr z = height + heave * sin(omega * g.time());
    legs.push_back(m.drive("push" + number, joints.back(), formula(sqrt(shadow * shadow + z * z))));
  }
  const Assembled a = m.assemble();
  std::cout << a.report.text();

  const Solution s = solve(a.problem, {0, 3}, {.rtol = 1e-9, .atol = 1e-9});
  const double z = height + heave * std::sin(3.0 * omega),
               up = mass * (9.81 - heave * omega * omega * std::sin(3.0 * omega));
  const double reached = a.state_of(s.end(), platform).position[2];
  double pushed = 0.0;
  for (std::size_t k = 0; k < legs.size(); ++k) pushed += a.reaction(s.end(), joints[k]).force[2];
  std::cout << "platform at " << reached << " m, asked for " << z << "\nlegs push " << pushed
            << " N upwards, needed " << up << "\nleg 1 pushes " << a.effort(s.end(), legs[0])
            << " N\n";
  return s.ok() && std::abs(reached - z) < 1e-7 && std::abs(pushed - up) < 1e-4 * up ? 0 : 1;
}
