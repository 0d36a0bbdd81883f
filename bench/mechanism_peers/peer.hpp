// SPDX-License-Identifier: BSD-3-Clause
// A mechanism file in Simbody: joints of a spanning tree become mobilizers, all others constraints.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <daedalus/mechanism_file.hpp>

#include <nlohmann/json.hpp>

namespace daedalus::mechanism_peers {

struct PeerRun {
  double seconds = 0.0;  // of the processor, stepping alone
  int steps = 0;
  bool success = false;
  std::map<std::string, Eigen::Vector3d> velocities;  // of the bodies' origins at the end
};

class Peer {
 public:
  // The same file twice: as text, and assembled, which gives start velocities. Throws
  // InvalidArgument where it has parts that are not translated.
  Peer(const nlohmann::json& file, const NamedMechanism& mechanism);
  ~Peer();
  PeerRun run(double accuracy, double t_end) const;

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace daedalus::mechanism_peers
