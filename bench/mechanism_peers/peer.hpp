// SPDX-License-Identifier: BSD-3-Clause
// A mechanism file in Simbody: joints of a spanning tree become mobilizers, all others constraints.
// Headers of Simbody 3.7 are C++17 (ambiguous operator== in C++20): nothing of ours is included
// here, and bodies come as plain numbers.
#pragma once

#include <Eigen/Core>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace daedalus::mechanism_peers {

struct PeerRun {
  double seconds = 0.0;  // of the processor, stepping alone
  int steps = 0;
  bool success = false;
  std::map<std::string, Eigen::Vector3d> velocities;  // of the bodies' origins at the end
};

// Where a body starts and how it moves, in ground axes, at the origin of its frame.
struct PeerBody {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d position = Eigen::Vector3d::Zero(), velocity = Eigen::Vector3d::Zero(),
                  angular_velocity = Eigen::Vector3d::Zero();
};

class Peer {
 public:
  // The file as text, and its bodies as assembled. Throws std::invalid_argument where it has parts
  // that are not translated.
  Peer(const nlohmann::json& file, const std::map<std::string, PeerBody>& start);
  ~Peer();
  PeerRun run(double accuracy, double t_end) const;

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace daedalus::mechanism_peers
