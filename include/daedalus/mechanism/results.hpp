// SPDX-License-Identifier: BSD-3-Clause
// What an assembled mechanism tells: its report, reactions, coordinates, energies.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <string>
#include <vector>

#include <daedalus/event.hpp>
#include <daedalus/mechanism/parts.hpp>

namespace daedalus {

// Force and moment in ground axes; the moment is about the joint's point on the second body.
struct Wrench {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  bool known = true;    // false: the joint is in a redundant loop, its share cannot be known
  bool shared = false;  // least-squares share of a redundant loop
};

struct Energies {
  double kinetic = 0.0, potential = 0.0;
};

// Where a body's frame is and how it moves; velocities of its origin in ground axes.
struct BodyState {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
  Eigen::Vector3d angular_velocity_body = Eigen::Vector3d::Zero();
};

// How well the joints hold each other at a state.
struct Hold {
  double pivot = 1.0;               // the smallest of the constraint rows, scaled to norm 1
  std::vector<std::string> joints;  // that the weakest row ties together
};
// Where rows that are independent at the start lose their hold: the motion may branch there.
struct DeadPosition {
  double t = 0.0;
  double pivot = 0.0;  // in parts of that at the start
  std::vector<std::string> joints{};
  std::string text() const;
};

// How a body moves in a mode: its frame's origin and a small turn, ground axes. The largest entry
// of a mode is 1, turns taken times the characteristic length.
struct BodyMode {
  Eigen::Vector3cd x = Eigen::Vector3cd::Zero(), rotation = Eigen::Vector3cd::Zero();
};
struct Mode {
  std::complex<double> value;  // exp(value t)
  double frequency_hz = 0.0;
  double damping_ratio = 0.0;  // -re/|value|
  Eigen::VectorXcd tangent;    // of the positions of the problem, scaled like the bodies
  std::vector<BodyMode> bodies{};
};

struct RedundantRow {
  std::string joint, row;
};
struct RedundantLoop {
  std::vector<std::string> joints;
  std::vector<RedundantRow> rows;
};

struct AssemblyReport {
  int bodies = 0, joints = 0;
  int rows = 0;  // holonomic rows of all joints, couplers and drives
  int nonholonomic_rows = 0;
  int grubler = 0;             // degrees of freedom by counting
  int degrees_of_freedom = 0;  // by rank
  std::vector<RedundantRow> redundant{};
  std::vector<RedundantLoop> loops{};
  int iterations = 0;     // of the assembly
  double residual = 0.0;  // largest row afterwards, in metres
  double length = 0.0;    // characteristic length L_c
  double smallest_pivot = 1.0;
  bool singular_start = false;
  std::vector<std::string> warnings{}, notes{};
  std::string text() const;
};

}  // namespace daedalus
