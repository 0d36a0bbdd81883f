// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/mechanism.hpp>

#include <fmt/format.h>

#include <cmath>

#include "mechanism/description.hpp"

namespace daedalus {

using namespace mechanism;

namespace {

std::string key_of(const char* what, const std::string& name) {
  return std::string(what) + " " + name;
}
// Throws where there is a part of this kind and name.
template <class Parts>
void check_new(const Description& d, const char* what, const std::string& name,
               const Parts& parts) {
  check_name(what, name);
  if (d.names.count(key_of(what, name)) == 0) return;
  for (const auto& part : parts)
    if (part.name == name)
      throw InvalidArgument(fmt::format("{} '{}': there is a {} of this name already, number {}",
                                        what, name, what, &part - parts.data()));
}
template <class Id, class Parts>
Id last(const Parts& parts) {
  return {static_cast<int>(parts.size()) - 1};
}

}  // namespace

Mechanism::Mechanism(std::string name, MechanismSpace space)
    : data_(std::make_unique<Description>()) {
  data_->name = std::move(name);
  data_->space = space;
  if (space == MechanismSpace::planar) data_->gravity = {0.0, -9.81, 0.0};
}
Mechanism::Mechanism(const Mechanism& o) : data_(std::make_unique<Description>(*o.data_)) {}
Mechanism& Mechanism::operator=(const Mechanism& o) {
  if (this != &o) *data_ = *o.data_;
  return *this;
}
Mechanism::Mechanism(Mechanism&&) noexcept = default;
Mechanism& Mechanism::operator=(Mechanism&&) noexcept = default;
Mechanism::~Mechanism() = default;

const std::string& Mechanism::name() const { return data_->name; }

void Mechanism::gravity(const Triple& acceleration) { data_->gravity = acceleration.vector(); }

BodyId Mechanism::body(const RigidBody& body) {
  check_new(*data_, "body", body.name, data_->bodies);
  check_body(*data_, body);
  data_->bodies.push_back(body);
  data_->names.insert(key_of("body", body.name));
  return last<BodyId>(data_->bodies);
}

MarkerId Mechanism::marker(const std::string& name, BodyId body, const Triple& position,
                           const Rotation& rotation) {
  check_new(*data_, "marker", name, data_->markers);
  check_body_id(*data_, "marker '" + name + "'", body);
  data_->markers.push_back({name, body, position, rotation});
  data_->names.insert(key_of("marker", name));
  return last<MarkerId>(data_->markers);
}

JointId Mechanism::joint(JointType type, const std::string& name, BodyId first, BodyId second,
                         const JointOptions& options) {
  check_new(*data_, "joint", name, data_->joints);
  JointDescription joint;
  joint.type = type;
  joint.name = name;
  joint.first = first;
  joint.second = second;
  joint.options = options;
  if (options.marker.number >= 0)
    joint.first = data_->markers.at(static_cast<std::size_t>(options.marker.number)).body;
  if (options.marker2.number >= 0)
    joint.second = data_->markers.at(static_cast<std::size_t>(options.marker2.number)).body;
  check_joint(*data_, joint);
  data_->joints.push_back(std::move(joint));
  data_->names.insert(key_of("joint", name));
  return last<JointId>(data_->joints);
}

JointId Mechanism::linear(const std::string& name,
                          const std::vector<std::pair<JointId, double>>& terms, double constant) {
  check_new(*data_, "joint", name, data_->joints);
  for (const auto& term : terms) check_joint_id(*data_, "coupler '" + name + "'", term.first);
  if (terms.empty())
    throw InvalidArgument(fmt::format("coupler '{}' joins nothing; give it joints", name));
  JointDescription joint;
  joint.name = name;
  joint.coupler = CouplerType::linear;
  joint.terms = terms;
  joint.constant = constant;
  data_->joints.push_back(std::move(joint));
  data_->names.insert(key_of("joint", name));
  return last<JointId>(data_->joints);
}
namespace {

// What would hold a joint of its own in place of coupling two.
void check_pair(const std::string& name, JointId first, JointId second, const char* factor,
                double value) {
  if (first.number == second.number)
    throw InvalidArgument(fmt::format("coupler '{}' joins a joint to itself; give it two", name));
  if (!(std::abs(value) > 0.0) || !std::isfinite(value))
    throw InvalidArgument(fmt::format("coupler '{}': {} is {}; allowed: any other finite number",
                                      name, factor, value));
}

}  // namespace

JointId Mechanism::gear(const std::string& name, JointId first, JointId second, double ratio,
                        double offset) {
  check_pair(name, first, second, "ratio", ratio);
  const JointId id = linear(name, {{second, 1.0}, {first, -ratio}}, offset);
  data_->joints.back().coupler = CouplerType::gear;
  return id;
}
JointId Mechanism::rack(const std::string& name, JointId pinion, JointId rail, double radius,
                        double offset) {
  check_pair(name, pinion, rail, "radius", radius);
  const JointId id = linear(name, {{rail, 1.0}, {pinion, -radius}}, offset);
  data_->joints.back().coupler = CouplerType::rack;
  return id;
}

DriveId Mechanism::drive(const std::string& name, JointId joint, const TimeFunction& value,
                         CoordinateOf coordinate) {
  check_new(*data_, "drive", name, data_->drives);
  check_joint_id(*data_, "drive '" + name + "'", joint);
  for (const DriveDescription& other : data_->drives)
    if (other.joint.number == joint.number && other.coordinate == coordinate)
      throw InvalidArgument(fmt::format(
          "joint '{}' is over-determined by '{}': drive '{}' already fixes its coordinate",
          data_->joint(joint).name, name, other.name));
  if (!value.smooth() && value.data().kind == ProfileData::Kind::pieces)
    throw InvalidArgument(fmt::format(
        "drive '{}' follows a linear table; a drive must be twice differentiable: use a spline",
        name));
  data_->drives.push_back({name, joint, value, false, coordinate});
  data_->names.insert(key_of("drive", name));
  return last<DriveId>(data_->drives);
}
DriveId Mechanism::drive_rate(const std::string& name, JointId joint, const TimeFunction& rate,
                              CoordinateOf coordinate) {
  const DriveId id = drive(name, joint, rate, coordinate);
  data_->drives.back().rate = true;
  return id;
}

namespace {

ForceDescription& add(Description& d, PlanForce::Kind kind, const std::string& name) {
  check_new(d, "force", name, d.forces);
  d.names.insert(key_of("force", name));
  d.forces.emplace_back();
  d.forces.back().kind = kind;
  d.forces.back().name = name;
  return d.forces.back();
}

void add_given(Description& d, PlanForce::Kind kind, const std::string& name,
               const ForceOptions& options) {
  const std::size_t whole = d.planar() ? (kind == PlanForce::Kind::force ? 2 : 1) : 3;
  const bool about = kind == PlanForce::Kind::torque && options.axis.given();
  check_body_id(d, "force '" + name + "'", options.body);
  if (options.value.size() != (about ? 1 : whole))
    throw InvalidArgument(fmt::format("force '{}' has {} values, allowed: {}", name,
                                      options.value.size(), about ? 1 : whole));
  ForceDescription& force = add(d, kind, name);
  force.given = options;
  force.second = options.body;
  force.first = options.reaction_body;
}

}  // namespace

void Mechanism::force(const std::string& name, const ForceOptions& options) {
  add_given(*data_, PlanForce::Kind::force, name, options);
}
void Mechanism::torque(const std::string& name, const ForceOptions& options) {
  add_given(*data_, PlanForce::Kind::torque, name, options);
}
void Mechanism::spring_damper(const std::string& name, BodyId first, BodyId second,
                              const SpringOptions& options) {
  ForceDescription& force = add(*data_, PlanForce::Kind::spring, name);
  force.spring = options;
  force.first = first;
  force.second = second;
}
void Mechanism::joint_spring(const std::string& name, JointId joint,
                             const JointSpringOptions& options) {
  check_joint_id(*data_, "force '" + name + "'", joint);
  ForceDescription& force = add(*data_, PlanForce::Kind::coordinate_spring, name);
  force.joint_spring = options;
  force.joint = joint;
}
void Mechanism::bushing(const std::string& name, BodyId first, BodyId second,
                        const BushingOptions& options) {
  ForceDescription& force = add(*data_, PlanForce::Kind::bushing, name);
  force.bushing = options;
  force.first = first;
  force.second = second;
}
void Mechanism::drag(const std::string& name, const DragOptions& options) {
  check_body_id(*data_, "force '" + name + "'", options.body);
  ForceDescription& force = add(*data_, PlanForce::Kind::drag, name);
  force.drag = options;
  force.second = options.body;
}
void Mechanism::friction(const std::string& name, JointId joint, const FrictionOptions& options) {
  check_joint_id(*data_, "force '" + name + "'", joint);
  ForceDescription& force = add(*data_, PlanForce::Kind::friction, name);
  force.friction = options;
  force.joint = joint;
}
void Mechanism::force_law(const std::string& name, BodyId first, BodyId second,
                          const CallbackOptions& options, std::shared_ptr<const ForceLaw> law) {
  check_body_id(*data_, "force '" + name + "'", first);
  check_body_id(*data_, "force '" + name + "'", second);
  ForceDescription& force = add(*data_, PlanForce::Kind::callback, name);
  force.callback = options;
  force.first = first;
  force.second = second;
  force.law = std::move(law);
}
void Mechanism::argument(int k, JointId joint, bool rate, CoordinateOf coordinate) {
  if (k != static_cast<int>(data_->arguments.size()) || k >= max_arguments)
    throw InvalidArgument(fmt::format("argument {}: the next one is {}, at most {} are allowed", k,
                                      data_->arguments.size(), max_arguments));
  check_joint_id(*data_, fmt::format("argument {}", k), joint);
  data_->arguments.push_back({joint, rate, coordinate});
}
void Mechanism::limit(const std::string& name, JointId joint, const LimitOptions& options) {
  check_joint_id(*data_, "limit '" + name + "'", joint);
  if (!(options.lower < options.upper))
    throw InvalidArgument(fmt::format("limit '{}': lower = {} does not lie below upper = {}", name,
                                      options.lower, options.upper));
  data_->limits.push_back({name, joint, options});
}

}  // namespace daedalus
