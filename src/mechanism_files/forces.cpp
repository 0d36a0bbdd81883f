// SPDX-License-Identifier: BSD-3-Clause
// Force elements.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "mechanism_files/reader.hpp"

namespace daedalus::mechanism_files {

namespace {

// Keys beside name and type that a type of force reads.
struct ForceKeys {
  const char* type;
  std::initializer_list<std::string_view> keys;
};
const std::initializer_list<ForceKeys> keys_of_forces{
    {"force", {"bodies", "body", "at", "marker", "frame", "value"}},
    {"torque", {"bodies", "body", "at", "marker", "frame", "value", "axis"}},
    {"spring-damper",
     {"bodies", "markers", "marker", "marker2", "at", "at2", "stiffness", "damping", "rest_length",
      "force_length", "force_rate"}},
    {"torsion-spring", {"joint", "stiffness", "damping", "rest", "rest_length"}},
    {"joint-spring", {"joint", "stiffness", "damping", "rest", "rest_length"}},
    {"bushing",
     {"bodies", "markers", "marker", "marker2", "at", "stiffness", "damping", "preload"}},
    {"drag", {"body", "at", "coefficient", "wind", "rotational"}},
    {"friction", {"joint", "coordinate", "coefficient", "normal", "radius", "slip"}}};

}  // namespace

void Reader::warn_of_force_keys(const JsonValue& value, const std::string& type) {
  for (const ForceKeys& known : keys_of_forces) {
    if (known.type != type) continue;
    for (const JsonValue::Member& m : value.members) {
      const bool read = m.name == "name" || m.name == "type" ||
                        std::find(known.keys.begin(), known.keys.end(), m.name) != known.keys.end();
      if (!read)
        diagnostics_.warning(
            m.value.span,
            fmt::format("'{}' means nothing for a force of type {} and is ignored", m.name, type));
    }
  }
}

// Coordinates and rates that an expression names become arguments of the mechanism.
void Reader::list_coordinates() {
  for (const auto& [name, type] : joint_types_) {
    const bool has = type == "revolute" || type == "prismatic" || type == "screw" ||
                     type == "point-on-line" || type == "distance" || type == "point-on-curve";
    if (!has) continue;
    arguments_[name] = -1;
    arguments_[name + ".rate"] = -1;
  }
}

int Reader::claim_argument(const std::string& name) {
  constexpr std::string_view ending = ".rate";
  const bool rate =
      name.size() > ending.size() && name.ends_with(ending) && !made_.joints.count(name);
  const std::string joint = rate ? name.substr(0, name.size() - ending.size()) : name;
  made_.mechanism.argument(argument_count_, made_.joints.at(joint), rate);
  return arguments_[name] = argument_count_++;
}

Eigen::Matrix<double, 6, 6> Reader::matrix6(const JsonValue& value) {
  Eigen::Matrix<double, 6, 6> m = Eigen::Matrix<double, 6, 6>::Zero();
  if (value.items.size() != 6) {
    diagnostics_.error(value.span, "a matrix of a bushing has six rows of six numbers");
    return m;
  }
  for (int i = 0; i < 6; ++i) {
    const auto row = numbers(value.items[static_cast<std::size_t>(i)], "a row", 6);
    for (int j = 0; j < 6; ++j) m(i, j) = row[static_cast<std::size_t>(j)];
  }
  return m;
}

void Reader::given_force(const JsonValue& value, const Fields& fields, const std::string& type) {
  ForceOptions o;
  if (const JsonValue* list = fields.of("bodies", Kind::array)) {
    if (list->items.size() == 2) {
      o.reaction_body = body_named(list->items[0]);
      o.body = body_named(list->items[1]);
    } else {
      diagnostics_.error(list->span, "'bodies' names two bodies, the second takes the force");
    }
  } else if (const JsonValue* on = fields.find("body")) {
    o.body = body_named(*on);
  } else if (!fields.find("marker")) {
    diagnostics_.error(value.span, fmt::format("a {} needs 'body', 'bodies' or 'marker'", type));
  }
  o.at = triple(fields, "at");
  o.axis = triple(fields, "axis");
  if (const JsonValue* m = fields.find("marker")) o.marker = marker_named(*m);
  const std::string frame = fields.text("frame", "ground");
  o.frame = frame == "body" ? ForceFrame::body : ForceFrame::ground;
  if (frame != "body" && frame != "ground")
    diagnostics_.error(value.span, fmt::format("'frame' is '{}'; allowed: ground, body", frame));
  const JsonValue* given = fields.find("value");
  if (!given) {
    diagnostics_.error(value.span, "a force needs 'value'");
    return;
  }
  if (given->is(Kind::array))
    for (const JsonValue& item : given->items) o.value.push_back(profile(item, true));
  else
    o.value.push_back(profile(*given, true));
  const std::string name = fields.text("name");
  guarded(value.span, [&] {
    type == "force" ? made_.mechanism.force(name, o) : made_.mechanism.torque(name, o);
  });
}

void Reader::joint_force(const JsonValue& value, const Fields& fields, const std::string& type) {
  const JsonValue* on = fields.need("joint", Kind::string);
  if (!on) return;
  const int errors = diagnostics_.errors();
  const JointId joint = joint_named(*on);
  const std::string name = fields.text("name");
  const CoordinateOf coordinate = type == "torsion-spring" ? CoordinateOf::angle
                                  : type == "joint-spring" ? CoordinateOf::length
                                                           : which(fields);
  if (diagnostics_.errors() > errors) return;
  guarded(value.span, [&] {
    if (type == "friction") {
      FrictionOptions o;
      o.coefficient = number(fields, "coefficient", 0.0);
      const JsonValue* normal = fields.find("normal");
      if (normal && normal->is(Kind::string) && normal->string == "reaction")
        o.from_reaction = true;
      else if (normal)
        o.normal = number(*normal, "'normal'");
      o.radius = number(fields, "radius", 1.0);
      o.slip = number(fields, "slip", 0.0);
      o.coordinate = coordinate;
      made_.mechanism.friction(name, joint, o);
      return;
    }
    JointSpringOptions o;
    o.stiffness = number(fields, "stiffness", 0.0);
    o.damping = number(fields, "damping", 0.0);
    const char* rest = fields.find("rest") ? "rest" : "rest_length";
    o.rest = (type == "torsion-spring" ? unit_ : 1.0) * number(fields, rest, 0.0);
    o.coordinate = coordinate;
    made_.mechanism.joint_spring(name, joint, o);
  });
}

void Reader::force(const JsonValue& value) {
  const Fields fields(
      value, "a force",
      {"name",       "type",      "bodies",      "body",        "joint",  "coordinate",
       "at",         "at2",       "marker",      "marker2",     "axis",   "frame",
       "value",      "stiffness", "damping",     "rest_length", "rest",   "force_length",
       "force_rate", "preload",   "coefficient", "normal",      "radius", "slip",
       "wind",       "rotational"},
      diagnostics_);
  const JsonValue *name = fields.need("name", Kind::string),
                  *kind = fields.need("type", Kind::string);
  if (!name || !kind) return;
  const std::string& type = kind->string;
  const int errors = diagnostics_.errors();
  warn_of_force_keys(value, type);
  if (type == "force" || type == "torque") return given_force(value, fields, type);
  if (type == "friction" || type == "torsion-spring" || type == "joint-spring")
    return joint_force(value, fields, type);
  if (type == "drag") {
    DragOptions o;
    if (const JsonValue* on = fields.need("body", Kind::string)) o.body = body_named(*on);
    o.at = triple(fields, "at");
    o.wind = triple(fields, "wind");
    o.coefficient = number(fields, "coefficient", 0.0);
    o.rotational = fields.truth("rotational", false);
    if (diagnostics_.errors() > errors) return;
    return guarded(value.span, [&] { made_.mechanism.drag(name->string, o); });
  }
  BodyId a, b;
  MarkerId m, m2;
  two_places(fields, value, a, b, m, m2);
  if (diagnostics_.errors() > errors) return;
  if (type == "spring-damper") {
    SpringOptions o;
    o.at = triple(fields, "at");
    o.at2 = triple(fields, "at2");
    o.marker = m;
    o.marker2 = m2;
    o.stiffness = number(fields, "stiffness", 0.0);
    o.damping = number(fields, "damping", 0.0);
    o.rest_length = number(fields, "rest_length", 0.0);
    if (const JsonValue* law = fields.find("force_length")) o.force_length = of_variable(*law);
    if (const JsonValue* law = fields.find("force_rate")) o.force_rate = of_variable(*law);
    return guarded(value.span, [&] { made_.mechanism.spring_damper(name->string, a, b, o); });
  }
  if (type != "bushing") {
    diagnostics_.error(kind->span, fmt::format("there is no type of force '{}'", type),
                       model::name_hint(type, {"force", "torque", "spring-damper", "torsion-spring",
                                               "joint-spring", "bushing", "drag", "friction"}));
    return;
  }
  BushingOptions o;
  o.at = triple(fields, "at");
  o.marker = m;
  o.marker2 = m2;
  if (const JsonValue* K = fields.find("stiffness")) o.stiffness = matrix6(*K);
  if (const JsonValue* C = fields.find("damping")) o.damping = matrix6(*C);
  if (const JsonValue* p = fields.find("preload")) {
    const auto n = numbers(*p, "'preload'", 6);
    for (int k = 0; k < 6; ++k) o.preload[k] = n[static_cast<std::size_t>(k)];
  }
  guarded(value.span, [&] { made_.mechanism.bushing(name->string, a, b, o); });
}

}  // namespace daedalus::mechanism_files
