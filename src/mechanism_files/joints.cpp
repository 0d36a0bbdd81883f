// SPDX-License-Identifier: BSD-3-Clause
// Joints, couplers, drives, limits.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "mechanism_files/reader.hpp"

namespace daedalus::mechanism_files {
namespace {

// The wheel is the last of the list.
constexpr int joint_types = static_cast<int>(JointType::wheel) + 1;

std::optional<JointType> type_named(const std::string& name) {
  for (int k = 0; k < joint_types; ++k)
    if (to_string(static_cast<JointType>(k)) == name) return static_cast<JointType>(k);
  return std::nullopt;
}
std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (int k = 0; k < joint_types; ++k) names.emplace_back(to_string(static_cast<JointType>(k)));
  return names;
}

// Keys that mean something for some types of joints only.
struct KeyOf {
  const char* key;
  std::initializer_list<JointType> types;
};
const std::initializer_list<KeyOf> keys_of_types{
    {"pitch", {JointType::screw}},
    {"length", {JointType::distance}},
    {"radius", {JointType::rolling_disc, JointType::wheel}},
    {"centre", {JointType::rolling_disc, JointType::wheel}},
    {"normal",
     {JointType::rolling_disc, JointType::wheel, JointType::planar, JointType::point_on_plane,
      JointType::point_on_surface}},
    {"across", {JointType::knife_edge}},
    {"surface", {JointType::point_on_surface}},
    {"curve", {JointType::point_on_curve}},
    {"axis2", {JointType::universal}},
    {"turns",
     {JointType::revolute, JointType::cylindrical, JointType::screw, JointType::point_on_curve}}};

}  // namespace

void Reader::warn_of_joint_keys(const Fields& fields, JointType type) {
  for (const KeyOf& k : keys_of_types) {
    const JsonValue* value = fields.find(k.key);
    if (value && std::find(k.types.begin(), k.types.end(), type) == k.types.end())
      diagnostics_.warning(value->span,
                           fmt::format("'{}' means nothing for a joint of type {} and is ignored",
                                       k.key, to_string(type)));
  }
}

CoordinateOf Reader::which(const Fields& fields) {
  const std::string word = fields.text("coordinate");
  if (word.empty()) return CoordinateOf::automatic;
  if (word == "z" || word == "length") return CoordinateOf::length;
  if (word != "angle")
    diagnostics_.error(fields.find("coordinate")->span,
                       fmt::format("'coordinate' is '{}'; allowed: z, angle", word));
  return CoordinateOf::angle;
}

void Reader::two_places(const Fields& fields, const JsonValue& value, BodyId& a, BodyId& b,
                        MarkerId& m, MarkerId& m2) {
  if (const JsonValue* list = fields.of("markers", Kind::array)) {
    if (list->items.size() == 2) {
      m = marker_named(list->items[0]);
      m2 = marker_named(list->items[1]);
    } else {
      diagnostics_.error(list->span, "'markers' names two markers");
    }
    return;
  }
  if (const JsonValue* list = fields.of("bodies", Kind::array)) {
    if (list->items.size() == 2) {
      a = body_named(list->items[0]);
      b = body_named(list->items[1]);
    } else {
      diagnostics_.error(list->span, "'bodies' names two bodies");
    }
  } else if (!fields.find("marker2")) {
    diagnostics_.error(value.span, "'bodies' or 'markers' are needed");
  }
  if (const JsonValue* one = fields.find("marker")) m = marker_named(*one);
  if (const JsonValue* two = fields.find("marker2")) m2 = marker_named(*two);
}

void Reader::joint(const JsonValue& value) {
  const Fields fields(
      value, "a joint",
      {"name", "type", "bodies", "markers", "at", "at2", "axis", "axis2", "length", "pitch",
       "radius", "normal", "centre", "across", "surface", "curve", "rate", "turns"},
      diagnostics_);
  const JsonValue *name = fields.need("name", Kind::string),
                  *type = fields.need("type", Kind::string);
  if (!name || !type) return;
  const auto kind = type_named(type->string);
  if (!kind) {
    diagnostics_.error(type->span, fmt::format("there is no type of joint '{}'", type->string),
                       model::name_hint(type->string, type_names()));
    return;
  }
  JointOptions o;
  BodyId a, b;
  const int errors = diagnostics_.errors();
  two_places(fields, value, a, b, o.marker, o.marker2);
  if (diagnostics_.errors() > errors) return;
  warn_of_joint_keys(fields, *kind);
  const bool axes_only = *kind == JointType::parallel || *kind == JointType::orientation ||
                         *kind == JointType::perpendicular;
  if (!axes_only && o.marker.number < 0 && !fields.find("at"))
    diagnostics_.warning(
        value.span,
        fmt::format("joint '{}' has no 'at': the origin of ground is taken", name->string));
  o.at = triple(fields, "at");
  o.at2 = triple(fields, "at2");
  o.axis = triple(fields, "axis");
  o.axis2 = triple(fields, "axis2");
  o.normal = triple(fields, "normal");
  const bool on_plane = *kind == JointType::planar || *kind == JointType::point_on_plane ||
                        *kind == JointType::point_on_surface;
  if (on_plane && !o.axis.given()) o.axis = o.normal;  // another word for the same
  o.centre = triple(fields, "centre");
  o.across = triple(fields, "across");
  o.pitch = number(fields, "pitch", 0.0);
  o.radius = number(fields, "radius", 0.0);
  o.turns = number(fields, "turns", 0.0);
  if (fields.find("length")) o.length = number(fields, "length", 0.0);
  if (fields.find("rate")) o.rate = number(fields, "rate", 0.0);
  if (const JsonValue* s = fields.find("surface")) {
    const JsonValue* text = s->is(Kind::string) ? s : s->find("expression");
    FormulaScope scope;
    scope.variables = {{"x", 0}, {"y", 1}};
    if (text)
      if (const auto height = expression(*text, scope)) o.surface = formula(*height);
  }
  if (*kind == JointType::point_on_surface && !fields.find("surface"))
    diagnostics_.error(value.span,
                       "a point-on-surface joint needs 'surface', a formula in x and y");
  if (const JsonValue* c = fields.find("curve")) {
    const Fields of(*c, "a curve", {"points", "closed"}, diagnostics_);
    o.closed = of.truth("closed", false);
    if (const JsonValue* list = of.need("points", Kind::array))
      for (const JsonValue& item : list->items) {
        const auto n = numbers(item, "a point of a curve", planar_ ? 2 : 3);
        o.curve.emplace_back(n[0], n[1], planar_ ? 0.0 : n[2]);
      }
    if (diagnostics_.errors() > errors) return;
  }
  if (!is_new("joints", *name)) return;
  guarded(value.span, [&] {
    made_.joints[name->string] = made_.mechanism.joint(*kind, name->string, a, b, o);
    made_.joint_order.push_back(name->string);
    joint_types_[name->string] = type->string;
  });
}

void Reader::coupler(const JsonValue& value) {
  const Fields fields(value, "a coupler",
                      {"name", "type", "joints", "ratio", "radius", "coefficients", "offset"},
                      diagnostics_);
  const JsonValue *name = fields.need("name", Kind::string),
                  *type = fields.need("type", Kind::string),
                  *list = fields.need("joints", Kind::array);
  if (!name || !type || !list) return;
  std::vector<JointId> joints;
  const int errors = diagnostics_.errors();
  for (const JsonValue& item : list->items) joints.push_back(joint_named(item));
  if (diagnostics_.errors() > errors) return;
  const double offset = number(fields, "offset", 0.0);
  const bool pair = type->string == "gear" || type->string == "rack";
  if (pair && joints.size() != 2) {
    diagnostics_.error(list->span, fmt::format("a {} couples two joints", type->string));
    return;
  }
  const char* needed = type->string == "gear" ? "ratio" : "radius";
  if (pair && !fields.find(needed)) {
    diagnostics_.error(value.span, fmt::format("a {} needs '{}'", type->string, needed));
    return;
  }
  guarded(value.span, [&] {
    JointId id;
    if (type->string == "gear") {
      id = made_.mechanism.gear(name->string, joints[0], joints[1], number(fields, "ratio", 1.0),
                                offset);
    } else if (type->string == "rack") {
      id = made_.mechanism.rack(name->string, joints[0], joints[1], number(fields, "radius", 0.0),
                                offset);
    } else if (type->string == "linear") {
      const JsonValue* c = fields.need("coefficients", Kind::array);
      const auto factors = c ? numbers(*c, "'coefficients'", joints.size()) : std::vector<double>{};
      std::vector<std::pair<JointId, double>> terms;
      for (std::size_t k = 0; k < factors.size(); ++k) terms.emplace_back(joints[k], factors[k]);
      id = made_.mechanism.linear(name->string, terms, offset);
    } else {
      throw InvalidArgument(fmt::format(
          "there is no type of coupler '{}'; allowed: gear, rack, linear", type->string));
    }
    made_.joints[name->string] = id;
    made_.joint_order.push_back(name->string);
  });
}

// The coordinate of a screw is its angle; of a cylindrical joint the file says which one is meant.
double Reader::unit_of_coordinate(const std::string& joint, CoordinateOf coordinate) const {
  const auto it = joint_types_.find(joint);
  const std::string type = it == joint_types_.end() ? "" : it->second;
  const bool turns = type == "revolute" || type == "screw" || type == "cylindrical";
  return turns && coordinate != CoordinateOf::length ? unit_ : 1.0;
}

void Reader::drive(const JsonValue& value) {
  const Fields fields(value, "a drive", {"name", "joint", "coordinate", "value", "rate"},
                      diagnostics_);
  const JsonValue *name = fields.need("name", Kind::string),
                  *on = fields.need("joint", Kind::string);
  const JsonValue *place = fields.find("value"), *speed = fields.find("rate");
  if (!name || !on) return;
  if (!place == !speed) {
    diagnostics_.error(value.span, "a drive needs either 'value' or 'rate'");
    return;
  }
  const int errors = diagnostics_.errors();
  const JointId joint = joint_named(*on);
  const CoordinateOf coordinate = which(fields);
  const TimeFunction f =
      profile(place ? *place : *speed, false, unit_of_coordinate(on->string, coordinate));
  if (diagnostics_.errors() > errors) return;
  if (!f.smooth())
    diagnostics_.warning(value.span,
                         fmt::format("drive '{}' uses abs, min, max or a choice: it must be twice "
                                     "differentiable",
                                     name->string));
  guarded(value.span, [&] {
    made_.drives[name->string] =
        place ? made_.mechanism.drive(name->string, joint, f, coordinate)
              : made_.mechanism.drive_rate(name->string, joint, f, coordinate);
  });
}

void Reader::limit(const JsonValue& value) {
  const Fields fields(value, "a limit",
                      {"name", "joint", "coordinate", "lower", "upper", "action", "restitution"},
                      diagnostics_);
  const JsonValue *name = fields.need("name", Kind::string),
                  *on = fields.need("joint", Kind::string);
  if (!name || !on) return;
  const int errors = diagnostics_.errors();
  LimitOptions o;
  const JointId joint = joint_named(*on);
  o.coordinate = which(fields);
  const double unit = unit_of_coordinate(on->string, o.coordinate);
  if (fields.find("lower")) o.lower = unit * number(fields, "lower", 0.0);
  if (fields.find("upper")) o.upper = unit * number(fields, "upper", 0.0);
  o.restitution = number(fields, "restitution", 0.0);
  if (!(o.restitution >= 0.0 && o.restitution <= 1.0))
    diagnostics_.error(fields.find("restitution")->span,
                       fmt::format("'restitution' is {}; allowed: 0 to 1", o.restitution));
  if (!fields.find("lower") && !fields.find("upper"))
    diagnostics_.error(value.span, "a limit needs 'lower' or 'upper' or both");
  const std::string action = fields.text("action", "record");
  if (action == "stop")
    o.action = LimitAction::stop;
  else if (action == "bounce")
    o.action = LimitAction::bounce;
  else if (action != "record")
    diagnostics_.error(value.span,
                       fmt::format("'action' is '{}'; allowed: record, stop, bounce", action));
  if (diagnostics_.errors() > errors) return;
  guarded(value.span, [&] { made_.mechanism.limit(name->string, joint, o); });
}

}  // namespace daedalus::mechanism_files
