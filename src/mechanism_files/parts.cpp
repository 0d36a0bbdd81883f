// SPDX-License-Identifier: BSD-3-Clause
// Parameters, bodies, markers.
#include <fmt/format.h>

#include "mechanism_files/reader.hpp"

namespace daedalus::mechanism_files {

void Reader::read_parameters(const JsonValue& section) {
  if (!is_kind(section, Kind::object, "'parameters'", diagnostics_)) return;
  for (const JsonValue::Member& member : section.members) {
    const double standard = number(member.value, fmt::format("parameter '{}'", member.name));
    const auto it = given_.find(member.name);
    parameters_.push_back({member.name, standard});
    values_[member.name] = it == given_.end() ? standard : it->second;
  }
}

bool Reader::is_new(const char* kind, const JsonValue& name) {
  const auto [it, fresh] =
      places_.try_emplace(fmt::format("{} '{}'", kind, name.string), name.span);
  if (!fresh)
    diagnostics_.error(name.span,
                       fmt::format("there are two {}; the first is in line {}", it->first,
                                   diagnostics_.source().place(it->second.begin).line));
  return fresh;
}

BodyId Reader::body_named(const JsonValue& value) {
  if (!is_kind(value, Kind::string, "the name of a body", diagnostics_)) return {};
  if (value.string == "ground") return {};
  if (const auto it = made_.bodies.find(value.string); it != made_.bodies.end()) return it->second;
  diagnostics_.error(value.span, fmt::format("there is no body '{}'", value.string),
                     model::name_hint(value.string, made_.body_order));
  return {};
}
MarkerId Reader::marker_named(const JsonValue& value) {
  if (!is_kind(value, Kind::string, "the name of a marker", diagnostics_)) return {};
  if (const auto it = markers_.find(value.string); it != markers_.end()) return it->second;
  diagnostics_.error(value.span, fmt::format("there is no marker '{}'", value.string),
                     model::name_hint(value.string, keys_of(markers_)));
  return {};
}
JointId Reader::joint_named(const JsonValue& value) {
  if (!is_kind(value, Kind::string, "the name of a joint", diagnostics_)) return {};
  if (const auto it = made_.joints.find(value.string); it != made_.joints.end()) return it->second;
  diagnostics_.error(value.span, fmt::format("there is no joint '{}'", value.string),
                     model::name_hint(value.string, made_.joint_order));
  return {};
}

BodyShape Reader::shape(const JsonValue& value) {
  const Fields fields(value, "a shape",
                      {"type", "size", "radius", "length", "from", "to", "position", "rotation",
                       "colour", "thickness", "outline", "profile"},
                      diagnostics_);
  BodyShape s;
  const std::string type = fields.text("type");
  const auto pairs = [&](std::string_view key) {
    if (const JsonValue* list = fields.of(key, Kind::array))
      for (const JsonValue& item : list->items)
        for (const double n : numbers(item, "a point", 2)) s.size.push_back(n);
  };
  if (type == "box") {
    if (const JsonValue* size = fields.find("size")) s.size = numbers(*size, "'size'", 3);
  } else if (type == "sphere") {
    s.shape = Shape::sphere;
    s.size = {number(fields, "radius", 0.0)};
  } else if (type == "cylinder") {
    s.shape = Shape::cylinder;
    s.size = {number(fields, "radius", 0.0), number(fields, "length", 0.0)};
  } else if (type == "rod") {
    s.shape = Shape::rod;
    s.size = {number(fields, "radius", 0.0)};
    s.from = triple(fields, "from");
    s.to = triple(fields, "to");
  } else if (type == "plate") {
    s.shape = Shape::plate;
    s.size = {number(fields, "thickness", 0.0)};
    pairs("outline");
  } else if (type == "revolved") {
    s.shape = Shape::revolved;
    pairs("profile");
  } else {
    diagnostics_.error(
        value.span, fmt::format("a shape of type '{}'; allowed: box, sphere, cylinder, rod, plate, "
                                "revolved",
                                type));
  }
  s.position = triple(fields, "position");
  if (const JsonValue* r = fields.find("rotation")) s.rotation = rotation(*r);
  s.colour = fields.text("colour");
  return s;
}

void Reader::body(const JsonValue& value) {
  const Fields fields(value, "a body",
                      {"name", "mass", "inertia", "com", "position", "rotation", "angle",
                       "velocity", "angular_velocity", "point", "weight", "hold", "shapes"},
                      diagnostics_);
  RigidBody b;
  const int before = diagnostics_.errors();
  const JsonValue* name = fields.need("name", Kind::string);
  if (!name) return;
  b.name = name->string;
  b.point = fields.truth("point", false);
  b.hold = fields.truth("hold", false);
  b.weight = number(fields, "weight", 1.0);
  b.mass = number(fields, "mass", 0.0);
  if (!fields.find("mass")) diagnostics_.error(value.span, "a body needs 'mass'");
  if (const JsonValue* J = fields.find("inertia")) {
    if (planar_) {
      b.inertia = planar_inertia(number(*J, "'inertia'"));
    } else {
      const auto n = numbers(*J, "'inertia'", 6);
      b.inertia = {n[0], n[1], n[2], n[3], n[4], n[5]};
    }
  } else if (!b.point) {
    diagnostics_.error(value.span, "a body needs 'inertia', or 'point': true");
  }
  b.com = triple(fields, "com");
  b.position = triple(fields, "position");
  b.velocity = triple(fields, "velocity");
  if (const JsonValue* w = fields.find("angular_velocity")) {
    if (planar_)
      b.angular_velocity = {0.0, 0.0, number(*w, "'angular_velocity'")};
    else
      b.angular_velocity = triple(fields, "angular_velocity");
  }
  if (const JsonValue* r = fields.find("rotation")) b.rotation = rotation(*r);
  if (const JsonValue* a = fields.find("angle"))
    b.rotation = Rotation::planar(angle(*a, "'angle'"));
  if (const JsonValue* list = fields.of("shapes", Kind::array))
    for (const JsonValue& item : list->items) b.shapes.push_back(shape(item));
  if (!is_new("bodies", *name)) return;
  made_.body_order.push_back(b.name);
  // Numbers that could not be read are reported already.
  if (diagnostics_.errors() == before)
    guarded(value.span, [&] { made_.bodies[b.name] = made_.mechanism.body(b); });
  if (diagnostics_.errors() == before) return;
  // Another one of its name, so that joints are not blamed for what is wrong with it.
  try {
    made_.bodies[b.name] = made_.mechanism.body(
        {.name = b.name, .mass = 1.0, .inertia = diagonal(1.0, 1.0, 1.0), .position = b.position});
  } catch (const InvalidArgument&) {  // the name itself
  }
}

void Reader::marker(const JsonValue& value) {
  const Fields fields(value, "a marker", {"name", "body", "position", "rotation", "axis", "angle"},
                      diagnostics_);
  const JsonValue *name = fields.need("name", Kind::string),
                  *on = fields.need("body", Kind::string);
  if (!name || !on) return;
  Rotation turned;
  if (const JsonValue* r = fields.find("rotation")) turned = rotation(*r);
  if (const JsonValue* a = fields.find("angle"); a && planar_)
    turned = Rotation::planar(angle(*a, "'angle'"));
  if (const JsonValue* a = fields.find("axis")) {
    const auto n = numbers(*a, "'axis'", planar_ ? 2 : 3);
    const Eigen::Vector3d axis(n[0], n[1], planar_ ? 0.0 : n[2]);
    if (planar_) {
      turned = Rotation::planar(std::atan2(axis[1], axis[0]));
    } else if (axis.norm() > 0.0) {
      // The shortest turn from the third axis.
      const Eigen::Vector3d z = Eigen::Vector3d::UnitZ(), to = axis.normalized(),
                            cross = z.cross(to);
      const double sine = cross.norm();
      const Eigen::Vector3d by = sine > 0.0 ? cross : Eigen::Vector3d(1.0, 0.0, 0.0);
      turned = Rotation::about(by, std::atan2(sine, z.dot(to)));
    }
  }
  const BodyId body = body_named(*on);
  guarded(value.span, [&] {
    markers_[name->string] =
        made_.mechanism.marker(name->string, body, triple(fields, "position"), turned);
  });
}

}  // namespace daedalus::mechanism_files
