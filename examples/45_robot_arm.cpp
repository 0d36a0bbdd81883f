// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics: a six-axis arm follows given angles; the multipliers of the drives are the
// moments that its motors have to give. Recursive Newton-Euler equations give the same numbers.
#include <array>
#include <cmath>
#include <iostream>
#include <string>

#include <daedalus/daedalus.hpp>
#include <daedalus/mechanism.hpp>

using namespace daedalus;

namespace {

struct Link {
  double mass;
  Inertia inertia;
  Triple com, from_parent;  // joint in the frame of the link before
  Triple rpy;               // axes of the joint there; it turns about its third axis
  double amplitude, omega;
};
const double right = std::acos(0.0);
const std::array<Link, 6> links{{
    {6.0,
     {0.03, 0.028, 0.02, 0.001, 0.0, 0.002},
     {0, 0.03, 0.05},
     {0, 0, 0.2},
     {0, 0, 0},
     0.6,
     2.0},
    {5.0,
     {0.02, 0.09, 0.085, 0.0, 0.003, 0.0},
     {0.2, 0, 0.02},
     {0, 0.1, 0.15},
     {-right, 0, 0},
     0.5,
     2.5},
    {3.5,
     {0.008, 0.045, 0.044, 0.001, 0.0, 0.0},
     {0.15, 0.01, 0},
     {0.4, 0, -0.05},
     {0, 0, 0},
     0.7,
     3.0},
    {1.5,
     {0.002, 0.0018, 0.0015, 0.0, 0.0, 0.0001},
     {0, -0.02, 0.01},
     {0.35, 0, 0},
     {0, 0, 0.3},
     0.9,
     1.5},
    {1.2,
     {0.0015, 0.0014, 0.0009, 0.0, 0.0001, 0.0},
     {0.01, 0, 0.04},
     {0, -0.1, 0.02},
     {right, 0, 0},
     0.8,
     3.5},
    {0.4,
     {0.0003, 0.0003, 0.0002, 0.0, 0.0, 0.0},
     {0, 0, 0.03},
     {0, 0, 0.12},
     {-right, 0, 0},
     1.2,
     4.0},
}};

}  // namespace

int main() {
  Mechanism m("arm");
  Eigen::Vector3d x = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  BodyId parent = m.ground();
  std::array<DriveId, 6> drives;
  for (std::size_t k = 0; k < links.size(); ++k) {
    const Link& link = links[k];
    const Eigen::Vector3d& turn = link.rpy.vector();
    x += R * link.from_parent.vector();
    R *= Rotation::rpy(turn[0], turn[1], turn[2]).matrix();
    const std::string number = std::to_string(k + 1);
    const BodyId body = m.body({.name = "link" + number,
                                .mass = link.mass,
                                .inertia = link.inertia,
                                .com = link.com,
                                .position = x,
                                .rotation = Rotation(R)});
    const JointId joint =
        m.revolute("joint" + number, parent, body, {.at = x, .axis = Eigen::Vector3d(R.col(2))});
    drives[k] = m.drive("drive" + number, joint, harmonic(0.0, link.amplitude, link.omega));
    parent = body;
  }
  const Assembled a = m.assemble();
  std::cout << a.report.text();
  const Solution s = solve(a.problem, {0, 1}, {.rtol = 1e-9, .atol = 1e-9});
  constexpr std::array<double, 6> newton_euler{-8.374327666258, -60.496179400998, -20.969218921781,
                                               -3.839902837043, 0.082595906817,   0.002795666512};
  double worst = 0.0;
  for (std::size_t k = 0; k < drives.size(); ++k) {
    const double moment = a.effort(s.end(), drives[k]);
    std::cout << "drive " << k + 1 << ": " << moment << " N m\n";
    worst = std::max(worst, std::abs(moment - newton_euler[k]));
  }
  std::cout << "largest difference from Newton-Euler " << worst << " N m\n";
  return s.ok() && worst < 1e-6 ? 0 : 1;
}
