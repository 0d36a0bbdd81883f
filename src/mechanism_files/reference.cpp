// SPDX-License-Identifier: BSD-3-Clause
// The `reference` block of a file as values of the problem's variables.
#include <Eigen/Geometry>
#include <cmath>

#include "mechanism/plan.hpp"
#include "mechanism_files/reader.hpp"

namespace daedalus::mechanism_files {
namespace {

using Value = JsonValue;

std::optional<Eigen::VectorXd> listed(const Value* value, std::size_t count) {
  if (!value || value->items.size() != count) return std::nullopt;
  Eigen::VectorXd v(static_cast<Eigen::Index>(count));
  for (std::size_t k = 0; k < count; ++k) v[static_cast<Eigen::Index>(k)] = value->items[k].number;
  return v;
}

// Where a body of the reference is; only what the reference says is compared.
class BodyReference {
 public:
  BodyReference(const mechanism::PlanBody& body, Reference& reference)
      : body_(body), reference_(reference) {}

  void read(const Value& value) {
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    if (!body_.point) {
      const auto given = rotation(value);
      if (!given) return;
      R = *given;
    }
    const Eigen::Vector3d arm = R * body_.com;
    if (const auto x = listed(value.find("position"), 3))
      add({"x", "y", "z"}, Eigen::Vector3d(*x) + arm);
    constexpr std::array<const char*, 9> entries{"R11", "R21", "R31", "R12", "R22",
                                                 "R32", "R13", "R23", "R33"};
    for (int k = 0; !body_.point && k < 9; ++k)
      one(entries[static_cast<std::size_t>(k)], R(k % 3, k / 3));
    const auto w = listed(value.find("angular_velocity_body"), 3);
    if (!body_.point && w) add({"omega_1", "omega_2", "omega_3"}, Eigen::Vector3d(*w));
    const auto u = listed(value.find("velocity"), 3);
    if (!u || (!w && !body_.point)) return;
    const Eigen::Vector3d spin = w ? Eigen::Vector3d(R * *w) : Eigen::Vector3d::Zero().eval();
    add({"u_x", "u_y", "u_z"}, Eigen::Vector3d(*u) + spin.cross(arm));
  }

 private:
  // As a quaternion, as rows, or as an angle about the third axis.
  static std::optional<Eigen::Matrix3d> rotation(const Value& value) {
    if (const auto p = listed(value.find("quaternion"), 4))
      return Rotation::quaternion((*p)[0], (*p)[1], (*p)[2], (*p)[3]).matrix();
    if (const Value* angle = value.find("angle_mod_2pi"))
      return Rotation::planar(angle->number).matrix();
    const Value* rows = value.find("rotation_rows");
    if (!rows || rows->items.size() != 3) return std::nullopt;
    Eigen::Matrix3d R;
    for (int k = 0; k < 3; ++k) {
      const auto row = listed(&rows->items[static_cast<std::size_t>(k)], 3);
      if (!row) return std::nullopt;
      R.row(k) = row->transpose();
    }
    return R;
  }
  void one(const char* part, double value) {
    reference_.values.emplace_back(body_.name + "." + part, value);
  }
  void add(const std::array<const char*, 3>& parts, const Eigen::Vector3d& v) {
    for (int k = 0; k < 3; ++k) one(parts[static_cast<std::size_t>(k)], v[k]);
  }

  const mechanism::PlanBody& body_;
  Reference& reference_;
};

}  // namespace

std::optional<Reference> read_reference(const JsonValue& document, const NamedMechanism& m) {
  const Value* block = document.find("reference");
  const Value* t = block ? block->find("t") : nullptr;
  const Value* bodies = block ? block->find("bodies") : nullptr;
  const mechanism::Plan& plan = m.assembled.plan();
  if (!t || !bodies || plan.space != MechanismSpace::r3xso3) return std::nullopt;
  Reference reference;
  reference.t = t->number;
  reference.source = "reference block of the file";
  if (const Value* digits = block->find("digits"))
    reference.digits = static_cast<int>(digits->number);
  for (const Value& value : bodies->items) {
    const Value* name = value.find("body");
    const auto it = name ? m.bodies.find(name->string) : m.bodies.end();
    if (it != m.bodies.end()) BodyReference(plan.body(it->second.number), reference).read(value);
  }
  // Digits of what is zero but for rounding mean nothing.
  constexpr double rounding = 1e-9;
  for (const auto& [name, value] : reference.values)
    if (std::abs(value) > rounding) reference.counted.push_back(name);
  if (reference.counted.empty()) return std::nullopt;
  return reference;
}

}  // namespace daedalus::mechanism_files
