// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms in files: `.json` documents with "daedalus": "mechanism" at the top, and URDF
// (docs/mechanisms.md).
//
//   const MechanismFile file = read_mechanism_file("press.json");
//   const std::shared_ptr<const NamedMechanism> press = file.assembled({{"k", 500.0}});
//   solve(press->assembled.problem, {0.0, file.entry.t_end});
//
// Throw InvalidModel with all mistakes and their places, or FileError where a file cannot be read.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <daedalus/entry.hpp>
#include <daedalus/mechanism.hpp>
#include <daedalus/model_file.hpp>

namespace daedalus {

// What a file says about runs; zero and empty: nothing.
struct RunStandards {
  double rtol = 0.0, atol = 0.0;
  std::string method{}, formulation{};
  double t_end = 0.0;
};

// What a file says about its picture; nothing: as the mechanism draws itself.
struct SceneStandards {
  std::optional<Eigen::Vector3d> up{}, view{};
  std::optional<double> ground{};
};

// A mechanism whose parts are known by the names of its file.
struct NamedMechanism {
  Mechanism mechanism{"mechanism"};
  AssemblyOptions options{};
  RunStandards run{};
  SceneStandards scene{};
  std::map<std::string, BodyId> bodies{};
  std::map<std::string, JointId> joints{};  // couplers too
  std::map<std::string, DriveId> drives{};
  std::vector<std::string> body_order{}, joint_order{};
  Assembled assembled{};
};

struct MechanismFile {
  Entry entry{};
  // Assembled with these parameters; the last one is kept.
  std::function<std::shared_ptr<const NamedMechanism>(const Values&)> assembled{};
  std::vector<SourceDiagnostic> warnings{};
};

// `allow_files`: it may include files outside its folder.
MechanismFile read_mechanism_file(const std::string& path, bool allow_files = false);
// `name` stands for the file in messages; files that the text names are looked for in `folder`.
MechanismFile read_mechanism_text(std::string text, const std::string& name,
                                  const std::string& folder = ".", bool allow_files = false);
// The mechanism as a document that reads to the same problem; force laws in C++ are refused by
// name.
std::string mechanism_text(const NamedMechanism& mechanism, double t_end);
// The same of URDF.
MechanismFile read_urdf_text(std::string text, const std::string& name);
bool urdf_is_available();  // false: built without pugixml

}  // namespace daedalus
