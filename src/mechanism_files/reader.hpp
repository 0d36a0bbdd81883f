// SPDX-License-Identifier: BSD-3-Clause
// The reader of mechanism.json: its parts share the mechanism, the names known so far, parameter
// values, and what is wrong. Each part is one file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <daedalus/mechanism_file.hpp>

#include "model/json/fields.hpp"
#include "model/text/lower.hpp"
#include "model/text/named_file.hpp"

namespace daedalus::mechanism_files {

using model::Diagnostics;
using model::Fields;
using model::JsonValue;
using model::Span;

// Names in formulas: parameters as numbers, time, joint coordinates where forces may name them.
class FormulaScope : public model::Scope {
 public:
  graph::Graph graph{};
  std::map<std::string, double> numbers{};
  bool time = false;
  std::map<std::string, int> arguments{};  // numbers of `hinge` and `hinge.rate`; -1: not yet
  std::function<int(const std::string&)> claim{};  // gives an argument its number
  std::map<std::string, int> variables{};          // x, y of surfaces
  std::optional<Expr> name(const model::Written& written, int node,
                           std::span<const Expr> values) override;
};

class Reader {
 public:
  using Kind = JsonValue::Kind;
  // `chain`: files that include each other, the outermost first.
  Reader(Diagnostics& diagnostics, const Values& values, model::NamedFiles files,
         std::string folder, std::vector<std::string> chain = {})
      : diagnostics_(diagnostics),
        given_(values),
        files_(std::move(files)),
        folder_(std::move(folder)),
        chain_(std::move(chain)) {}

  NamedMechanism read(const JsonValue& document);
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const JsonValue* run() const { return run_; }

 private:
  // ---- functions.cpp ----
  double number(const JsonValue& value, std::string_view what);
  double number(const Fields& fields, std::string_view key, double standard);
  double angle(const JsonValue& value, std::string_view what) {
    return unit_ * number(value, what);
  }
  std::vector<double> numbers(const JsonValue& value, std::string_view what, std::size_t count = 0);
  Triple triple(const Fields& fields, std::string_view key);
  Rotation rotation(const JsonValue& value);
  std::optional<Expr> expression(const JsonValue& value, FormulaScope& scope);
  // A number, or an object with polynomial, harmonic, expression, table or step.
  TimeFunction profile(const JsonValue& value, bool force, double unit = 1.0);
  TimeFunction table(const JsonValue& value, double unit);
  TimeFunction written(const JsonValue& value, bool force, double unit);
  TimeFunction of_variable(const JsonValue& value);  // of x in force_length and force_rate
  // Runs `make` and reports what the mechanism refuses at `where`.
  void guarded(Span where, const std::function<void()>& make);

  // ---- parts.cpp, joints.cpp, forces.cpp ----
  void read_parameters(const JsonValue& section);
  void body(const JsonValue& value);
  BodyShape shape(const JsonValue& value);
  void marker(const JsonValue& value);
  void joint(const JsonValue& value);
  void coupler(const JsonValue& value);
  void drive(const JsonValue& value);
  void limit(const JsonValue& value);
  void force(const JsonValue& value);
  void given_force(const JsonValue& value, const Fields& fields, const std::string& type);
  void joint_force(const JsonValue& value, const Fields& fields, const std::string& type);
  Eigen::Matrix<double, 6, 6> matrix6(const JsonValue& value);
  void list_coordinates();  // what forces may name
  int claim_argument(const std::string& name);
  CoordinateOf which(const Fields& fields);
  double unit_of_coordinate(const std::string& joint, CoordinateOf coordinate) const;
  void warn_of_joint_keys(const Fields& fields, JointType type);
  void warn_of_force_keys(const JsonValue& value, const std::string& type);
  bool is_new(const char* kind, const JsonValue& name);  // else reported with both places

  BodyId body_named(const JsonValue& value);
  MarkerId marker_named(const JsonValue& value);
  JointId joint_named(const JsonValue& value);
  void two_places(const Fields& fields, const JsonValue& value, BodyId& a, BodyId& b, MarkerId& m,
                  MarkerId& m2);

  // ---- reader.cpp ----
  bool header(const JsonValue& document);
  void settings(const Fields& fields);
  void include(const JsonValue& path);
  void each(const Fields& fields, std::string_view key, void (Reader::*one)(const JsonValue&));

  Diagnostics& diagnostics_;
  Values given_;  // a copy: it may be made of none
  model::NamedFiles files_;
  std::string folder_;
  std::vector<std::string> chain_;
  NamedMechanism made_;
  bool planar_ = false;
  double unit_ = 1.0;  // of angles in the file
  std::map<std::string, double> values_{};
  std::vector<Parameter> parameters_{};
  std::map<std::string, MarkerId> markers_{};
  std::map<std::string, Span> places_{};  // of names, with their kind
  std::map<std::string, int> arguments_{};
  int argument_count_ = 0;
  std::map<std::string, std::string> joint_types_{};
  const JsonValue* run_ = nullptr;
};

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& entry : map) keys.push_back(entry.first);
  return keys;
}

// A URDF file as a mechanism. Throws InvalidModel.
struct UrdfPart {
  NamedMechanism mechanism;
  std::vector<Parameter> parameters;
  std::map<std::string, std::string> joint_types;
};
UrdfPart urdf_part(std::string content, const std::string& file, const std::string& name,
                   const Values& values);

// Values of the problem's variables; nothing where the file has none that can be compared.
std::optional<Reference> read_reference(const JsonValue& document, const NamedMechanism& m);

// The document without members that begin with '_'.
void drop_comments(JsonValue& value);

}  // namespace daedalus::mechanism_files
