// SPDX-License-Identifier: BSD-3-Clause
// A robot as its URDF file says it, before bodies are made of it.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "mechanism_files/reader.hpp"

namespace daedalus::mechanism_files {

struct UrdfLink {
  std::string name{};
  double mass = 0.0;
  bool inertial = false;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  Eigen::Matrix3d J = Eigen::Matrix3d::Zero();  // about com, axes of the link
  std::vector<BodyShape> shapes{};
  Span span{};
};
struct UrdfJoint {
  std::string name{}, type{}, parent{}, child{}, mimic{};
  Eigen::Vector3d xyz = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitX();
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  bool limited = false;
  double lower = 0.0, upper = 0.0, damping = 0.0, friction = 0.0, multiplier = 1.0, offset = 0.0;
  Span span{};
};
struct UrdfModel {
  std::string name{};
  std::vector<UrdfLink> links{};
  std::vector<UrdfJoint> joints{};
};

// What is wrong is reported.
UrdfModel read_urdf(Diagnostics& diagnostics);

}  // namespace daedalus::mechanism_files
