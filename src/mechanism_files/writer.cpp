// SPDX-License-Identifier: BSD-3-Clause
// A mechanism as the document that the reader reads; numbers with all their digits.
#include <fmt/format.h>

#include <cmath>
#include <regex>

#include <daedalus/mechanism_file.hpp>

#include "io/json.hpp"
#include "mechanism/description.hpp"

namespace daedalus {
namespace {

using namespace mechanism;
using json::Json;

// One object, member by member.
class Object {
 public:
  Object& add(const char* key, Json value) {
    json_[key] = std::move(value);
    return *this;
  }
  Object& number(const char* key, double value) { return add(key, json::number(value)); }
  Object& unless(const char* key, double value, double standard) {
    return value == standard ? *this : number(key, value);
  }
  Object& truth(const char* key, bool value) { return value ? add(key, true) : *this; }
  Json json() const { return json_; }

 private:
  Json json_ = Json::object();
};

template <class Values>
Json listed(const Values& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(value);
  return list;
}
template <class Matrix>
Json rows_of(const Matrix& m) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) rows.push_back(listed(m.row(i)));
  return rows;
}

class Writer {
 public:
  explicit Writer(const NamedMechanism& m) : m_(m), d_(m.mechanism.description()) {}
  std::string document(double t_end) const;

 private:
  Json vector(const Eigen::Vector3d& v) const { return listed(v.head(d_.planar() ? 2 : 3)); }
  void triple(Object& o, const char* key, const Triple& t) const {
    if (t.given()) o.add(key, vector(t.vector()));
  }
  void rotation(Object& o, const Rotation& R) const {
    const Eigen::Matrix3d& m = R.matrix();
    if (m.isIdentity(0.0)) return;
    o.add("rotation", {{"matrix", rows_of(m)}});
  }
  Json marker_name(MarkerId id) const {
    return d_.markers[static_cast<std::size_t>(id.number)].name;
  }
  Json joint_name(JointId id) const { return d_.joint(id).name; }
  Json bodies(BodyId a, BodyId b) const { return Json::array({d_.body_name(a), d_.body_name(b)}); }
  static void which(Object& o, CoordinateOf c) {
    if (c != CoordinateOf::automatic)
      o.add("coordinate", c == CoordinateOf::length ? "z" : "angle");
  }
  static Json written(const TimeFunction& f) { return Json::parse(f.data().written); }
  // Laws of x have it where functions of time have t.
  static Json law(const TimeFunction& f) {
    return Json::parse(std::regex_replace(f.data().written, std::regex("\\btime\\b"), "x"));
  }

  Json body(const RigidBody& b) const;
  Json shape(const BodyShape& s) const;
  Json marker(const MarkerDescription& m) const;
  Json joint(const JointDescription& j) const;
  Json coupler(const JointDescription& j) const;
  Json drive(const DriveDescription& d) const;
  Json force(const ForceDescription& f) const;
  void spring(const ForceDescription& f, Object& o) const;
  void bushing(const ForceDescription& f, Object& o) const;
  void given(const ForceDescription& f, Object& o) const;
  void friction(const ForceDescription& f, Object& o) const;
  Json limit(const LimitDescription& l) const;

  const NamedMechanism& m_;
  const Description& d_;
};

Json Writer::shape(const BodyShape& s) const {
  Object o;
  const auto n = [&](std::size_t k) { return k < s.size.size() ? s.size[k] : 0.0; };
  const auto pairs = [&](std::size_t from) {
    Json list = Json::array();
    for (std::size_t k = from; k + 1 < s.size.size(); k += 2)
      list.push_back(Json::array({s.size[k], s.size[k + 1]}));
    return list;
  };
  o.add("type", to_string(s.shape));
  switch (s.shape) {
    case Shape::sphere:
    case Shape::rod:
      o.number("radius", n(0));
      break;
    case Shape::cylinder:
      o.number("radius", n(0)).number("length", n(1));
      break;
    case Shape::plate:
      o.number("thickness", n(0)).add("outline", pairs(1));
      break;
    case Shape::revolved:
      o.add("profile", pairs(0));
      break;
    default:
      o.add("size", Json::array({n(0), n(1), n(2)}));
  }
  triple(o, "from", s.from);
  triple(o, "to", s.to);
  triple(o, "position", s.position);
  rotation(o, s.rotation);
  if (!s.colour.empty()) o.add("colour", s.colour);
  return o.json();
}

Json Writer::body(const RigidBody& b) const {
  Object o;
  o.add("name", b.name).number("mass", b.mass);
  const Inertia& J = b.inertia;
  if (b.point)
    o.truth("point", true);
  else if (d_.planar())
    o.number("inertia", J.zz);
  else
    o.add("inertia", Json::array({J.xx, J.yy, J.zz, J.xy, J.xz, J.yz}));
  triple(o, "com", b.com);
  triple(o, "position", b.position);
  rotation(o, b.rotation);
  triple(o, "velocity", b.velocity);
  if (d_.planar())
    o.unless("angular_velocity", b.angular_velocity.vector()[2], 0.0);
  else
    triple(o, "angular_velocity", b.angular_velocity);
  o.unless("weight", b.weight, 1.0).truth("hold", b.hold);
  Json shapes = Json::array();
  for (const BodyShape& s : b.shapes) shapes.push_back(shape(s));
  if (!shapes.empty()) o.add("shapes", std::move(shapes));
  return o.json();
}

Json Writer::marker(const MarkerDescription& m) const {
  Object o;
  o.add("name", m.name).add("body", d_.body_name(m.body));
  triple(o, "position", m.position);
  rotation(o, m.rotation);
  return o.json();
}

Json Writer::joint(const JointDescription& j) const {
  const JointOptions& given = j.options;
  Object o;
  o.add("name", j.name).add("type", to_string(j.type));
  if (given.marker.number >= 0)
    o.add("markers", Json::array({marker_name(given.marker), marker_name(given.marker2)}));
  else
    o.add("bodies", bodies(j.first, j.second));
  triple(o, "at", given.at);
  triple(o, "at2", given.at2);
  triple(o, "axis", given.axis);
  triple(o, "axis2", given.axis2);
  triple(o, "normal", given.normal);
  triple(o, "centre", given.centre);
  triple(o, "across", given.across);
  if (given.length) o.number("length", *given.length);
  if (given.rate) o.number("rate", *given.rate);
  o.unless("pitch", given.pitch, 0.0).unless("radius", given.radius, 0.0);
  o.unless("turns", given.turns, 0.0);
  if (j.type == JointType::point_on_surface) o.add("surface", written(given.surface));
  if (!given.curve.empty()) {
    Json points = Json::array();
    for (const Triple& p : given.curve) points.push_back(vector(p.vector()));
    Object curve;
    o.add("curve", curve.add("points", std::move(points)).truth("closed", given.closed).json());
  }
  return o.json();
}

// Every coupler is a linear one.
Json Writer::coupler(const JointDescription& j) const {
  Json joints = Json::array(), factors = Json::array();
  for (const auto& [id, factor] : j.terms) {
    joints.push_back(joint_name(id));
    factors.push_back(factor);
  }
  Object o;
  o.add("name", j.name).add("type", "linear").add("joints", std::move(joints));
  return o.add("coefficients", std::move(factors)).unless("offset", j.constant, 0.0).json();
}

Json Writer::drive(const DriveDescription& d) const {
  Object o;
  o.add("name", d.name).add("joint", joint_name(d.joint));
  which(o, d.coordinate);
  return o.add(d.rate ? "rate" : "value", written(d.value)).json();
}

void Writer::given(const ForceDescription& f, Object& o) const {
  const ForceOptions& g = f.given;
  if (g.reaction_body.number >= 0)
    o.add("bodies", bodies(g.reaction_body, g.body));
  else
    o.add("body", d_.body_name(g.body));
  triple(o, "at", g.at);
  triple(o, "axis", g.axis);
  if (g.marker.number >= 0) o.add("marker", marker_name(g.marker));
  if (g.frame == ForceFrame::body) o.add("frame", "body");
  Json values = Json::array();
  for (const TimeFunction& value : g.value) values.push_back(written(value));
  o.add("value", values.size() == 1 ? Json(values[0]) : values);
}

void Writer::spring(const ForceDescription& f, Object& o) const {
  const SpringOptions& s = f.spring;
  o.add("bodies", bodies(f.first, f.second));
  triple(o, "at", s.at);
  triple(o, "at2", s.at2);
  if (s.marker.number >= 0) o.add("marker", marker_name(s.marker));
  if (s.marker2.number >= 0) o.add("marker2", marker_name(s.marker2));
  o.unless("stiffness", s.stiffness, 0.0).unless("damping", s.damping, 0.0);
  o.unless("rest_length", s.rest_length, 0.0);
  if (s.force_length) o.add("force_length", law(*s.force_length));
  if (s.force_rate) o.add("force_rate", law(*s.force_rate));
}

void Writer::bushing(const ForceDescription& f, Object& o) const {
  const BushingOptions& b = f.bushing;
  if (b.marker.number >= 0)
    o.add("markers", Json::array({marker_name(b.marker), marker_name(b.marker2)}));
  else
    o.add("bodies", bodies(f.first, f.second));
  triple(o, "at", b.at);
  o.add("stiffness", rows_of(b.stiffness)).add("damping", rows_of(b.damping));
  o.add("preload", listed(b.preload));
}

void Writer::friction(const ForceDescription& f, Object& o) const {
  const FrictionOptions& r = f.friction;
  o.add("joint", joint_name(f.joint)).number("coefficient", r.coefficient);
  if (r.from_reaction)
    o.add("normal", "reaction");
  else
    o.number("normal", r.normal);
  o.unless("radius", r.radius, 1.0).unless("slip", r.slip, 0.0);
  which(o, r.coordinate);
}

Json Writer::force(const ForceDescription& f) const {
  using Kind = PlanForce::Kind;
  Object o;
  o.add("name", f.name);
  switch (f.kind) {
    case Kind::force:
    case Kind::torque:
      o.add("type", f.kind == Kind::force ? "force" : "torque");
      given(f, o);
      break;
    case Kind::spring:
      o.add("type", "spring-damper");
      spring(f, o);
      break;
    case Kind::coordinate_spring:
      o.add("type", "joint-spring").add("joint", joint_name(f.joint));
      o.unless("stiffness", f.joint_spring.stiffness, 0.0);
      o.unless("damping", f.joint_spring.damping, 0.0).unless("rest", f.joint_spring.rest, 0.0);
      which(o, f.joint_spring.coordinate);
      break;
    case Kind::bushing:
      o.add("type", "bushing");
      bushing(f, o);
      break;
    case Kind::drag:
      o.add("type", "drag").add("body", d_.body_name(f.drag.body));
      o.number("coefficient", f.drag.coefficient).truth("rotational", f.drag.rotational);
      triple(o, "at", f.drag.at);
      triple(o, "wind", f.drag.wind);
      break;
    case Kind::friction:
      o.add("type", "friction");
      friction(f, o);
      break;
    case Kind::callback:
      throw InvalidArgument(
          fmt::format("force '{}' is a law in C++ and cannot be written to a file", f.name));
  }
  return o.json();
}

Json Writer::limit(const LimitDescription& l) const {
  Object o;
  o.add("name", l.name).add("joint", joint_name(l.joint));
  which(o, l.options.coordinate);
  if (std::isfinite(l.options.lower)) o.number("lower", l.options.lower);
  if (std::isfinite(l.options.upper)) o.number("upper", l.options.upper);
  o.add("action", l.options.action == LimitAction::record ? "record"
                  : l.options.action == LimitAction::stop ? "stop"
                                                          : "bounce");
  return o.unless("restitution", l.options.restitution, 0.0).json();
}

std::string Writer::document(double t_end) const {
  const AssemblyOptions standard;
  Object o;
  o.add("daedalus", "mechanism").add("version", 1).add("name", d_.name);
  constexpr std::array<const char*, 4> spaces{"r3xso3", "se3", "r3xs3", "s3-semidirect"};
  if (d_.planar())
    o.truth("planar", true);
  else
    o.add("coordinates", spaces[static_cast<std::size_t>(d_.space)]);
  o.add("gravity", vector(d_.gravity));
  const auto list = [&](const char* key, const auto& parts, auto&& one) {
    Json items = Json::array();
    for (const auto& part : parts)
      if (Json item = one(part); !item.is_null()) items.push_back(std::move(item));
    if (!items.empty()) o.add(key, std::move(items));
  };
  list("bodies", d_.bodies, [&](const auto& b) { return body(b); });
  list("markers", d_.markers, [&](const auto& b) { return marker(b); });
  list("joints", d_.joints,
       [&](const auto& j) { return j.coupler == CouplerType::none ? joint(j) : Json(); });
  list("couplers", d_.joints,
       [&](const auto& j) { return j.coupler == CouplerType::none ? Json() : coupler(j); });
  list("drives", d_.drives, [&](const auto& b) { return drive(b); });
  list("forces", d_.forces, [&](const auto& f) { return force(f); });
  list("limits", d_.limits, [&](const auto& b) { return limit(b); });
  if (m_.options.redundant == Redundant::refuse) o.add("redundant", "refuse");
  if (m_.options.singular_start == SingularStart::allow) o.add("singular_start", "allow");
  if (m_.options.shared_reactions) o.add("reactions", "least-squares");
  o.unless("rank_tolerance", m_.options.rank_tolerance, standard.rank_tolerance);
  Object scene;
  const SceneStandards& picture = m_.scene;
  const auto direction = [&](const char* key, const std::optional<Eigen::Vector3d>& v) {
    if (v) scene.add(key, listed(*v));
  };
  direction("up", picture.up), direction("view", picture.view);
  if (picture.ground) scene.number("ground", *picture.ground);
  if (picture.up || picture.view || picture.ground) o.add("scene", scene.json());
  Object run;
  run.number("t_end", t_end).unless("rtol", m_.run.rtol, 0.0).unless("atol", m_.run.atol, 0.0);
  if (!m_.run.method.empty()) run.add("method", m_.run.method);
  if (!m_.run.formulation.empty()) run.add("formulation", m_.run.formulation);
  return o.add("run", run.json()).json().dump(2) + "\n";
}

}  // namespace

std::string mechanism_text(const NamedMechanism& mechanism, double t_end) {
  return Writer(mechanism).document(t_end);
}

}  // namespace daedalus
