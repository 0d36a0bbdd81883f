// SPDX-License-Identifier: BSD-3-Clause
// A mechanism as the document that the reader reads; numbers with all their digits.
#include <fmt/format.h>

#include <cmath>
#include <regex>

#include <daedalus/mechanism_file.hpp>

#include "mechanism/description.hpp"

namespace daedalus {
namespace {

using namespace mechanism;

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}
std::string listed(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

// One object, member by member.
class Object {
 public:
  Object& add(std::string_view key, const std::string& json) {
    members_.push_back(in_quotes(key) + ": " + json);
    return *this;
  }
  Object& text(std::string_view key, std::string_view value) { return add(key, in_quotes(value)); }
  Object& number(std::string_view key, double value) { return add(key, fmt::format("{}", value)); }
  Object& unless(std::string_view key, double value, double standard) {
    return value == standard ? *this : number(key, value);
  }
  Object& truth(std::string_view key, bool value) { return value ? add(key, "true") : *this; }
  std::string str() const { return fmt::format("{{{}}}", fmt::join(members_, ", ")); }

 private:
  std::vector<std::string> members_{};
};

class Writer {
 public:
  explicit Writer(const NamedMechanism& m) : m_(m), d_(m.mechanism.description()) {}
  std::string document(double t_end) const;

 private:
  std::string vector(const Eigen::Vector3d& v) const {
    return d_.planar() ? fmt::format("[{}, {}]", v[0], v[1])
                       : fmt::format("[{}, {}, {}]", v[0], v[1], v[2]);
  }
  void triple(Object& o, const char* key, const Triple& t) const {
    if (t.given()) o.add(key, vector(t.vector()));
  }
  void rotation(Object& o, const Rotation& R) const {
    const Eigen::Matrix3d& m = R.matrix();
    if (m.isIdentity(0.0)) return;
    std::vector<std::string> rows;
    for (int i = 0; i < 3; ++i)
      rows.push_back(fmt::format("[{}, {}, {}]", m(i, 0), m(i, 1), m(i, 2)));
    o.add("rotation", fmt::format("{{\"matrix\": {}}}", listed(rows)));
  }
  std::string marker_name(MarkerId id) const {
    return in_quotes(d_.markers[static_cast<std::size_t>(id.number)].name);
  }
  std::string joint_name(JointId id) const { return in_quotes(d_.joint(id).name); }
  std::string bodies(BodyId a, BodyId b) const {
    return listed({in_quotes(d_.body_name(a)), in_quotes(d_.body_name(b))});
  }
  static void which(Object& o, CoordinateOf c) {
    if (c != CoordinateOf::automatic)
      o.text("coordinate", c == CoordinateOf::length ? "z" : "angle");
  }
  static const std::string& written(const TimeFunction& f) { return f.data().written; }
  // Laws of x have it where functions of time have t.
  static std::string law(const TimeFunction& f) {
    return std::regex_replace(written(f), std::regex("\\btime\\b"), "x");
  }

  std::string body(const RigidBody& b) const;
  std::string shape(const BodyShape& s) const;
  std::string marker(const MarkerDescription& m) const;
  std::string joint(const JointDescription& j) const;
  std::string coupler(const JointDescription& j) const;
  std::string drive(const DriveDescription& d) const;
  std::string force(const ForceDescription& f) const;
  void spring(const ForceDescription& f, Object& o) const;
  void bushing(const ForceDescription& f, Object& o) const;
  void given(const ForceDescription& f, Object& o) const;
  void friction(const ForceDescription& f, Object& o) const;
  std::string limit(const LimitDescription& l) const;

  const NamedMechanism& m_;
  const Description& d_;
};

std::string Writer::shape(const BodyShape& s) const {
  Object o;
  const auto n = [&](std::size_t k) { return k < s.size.size() ? s.size[k] : 0.0; };
  const auto pairs = [&](std::size_t from) {
    std::vector<std::string> list;
    for (std::size_t k = from; k + 1 < s.size.size(); k += 2)
      list.push_back(fmt::format("[{}, {}]", s.size[k], s.size[k + 1]));
    return listed(list);
  };
  o.text("type", to_string(s.shape));
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
      o.add("size", fmt::format("[{}, {}, {}]", n(0), n(1), n(2)));
  }
  triple(o, "from", s.from);
  triple(o, "to", s.to);
  triple(o, "position", s.position);
  rotation(o, s.rotation);
  if (!s.colour.empty()) o.text("colour", s.colour);
  return o.str();
}

std::string Writer::body(const RigidBody& b) const {
  Object o;
  o.text("name", b.name).number("mass", b.mass);
  const Inertia& J = b.inertia;
  if (b.point)
    o.truth("point", true);
  else if (d_.planar())
    o.number("inertia", J.zz);
  else
    o.add("inertia", fmt::format("[{}, {}, {}, {}, {}, {}]", J.xx, J.yy, J.zz, J.xy, J.xz, J.yz));
  triple(o, "com", b.com);
  triple(o, "position", b.position);
  rotation(o, b.rotation);
  triple(o, "velocity", b.velocity);
  if (d_.planar())
    o.unless("angular_velocity", b.angular_velocity.vector()[2], 0.0);
  else
    triple(o, "angular_velocity", b.angular_velocity);
  o.unless("weight", b.weight, 1.0).truth("hold", b.hold);
  std::vector<std::string> shapes;
  for (const BodyShape& s : b.shapes) shapes.push_back(shape(s));
  if (!shapes.empty()) o.add("shapes", listed(shapes));
  return o.str();
}

std::string Writer::marker(const MarkerDescription& m) const {
  Object o;
  o.text("name", m.name).text("body", d_.body_name(m.body));
  triple(o, "position", m.position);
  rotation(o, m.rotation);
  return o.str();
}

std::string Writer::joint(const JointDescription& j) const {
  const JointOptions& given = j.options;
  Object o;
  o.text("name", j.name).text("type", to_string(j.type));
  if (given.marker.number >= 0)
    o.add("markers", listed({marker_name(given.marker), marker_name(given.marker2)}));
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
    std::vector<std::string> points;
    for (const Triple& p : given.curve) points.push_back(vector(p.vector()));
    Object curve;
    o.add("curve", curve.add("points", listed(points)).truth("closed", given.closed).str());
  }
  return o.str();
}

// Every coupler is a linear one.
std::string Writer::coupler(const JointDescription& j) const {
  std::vector<std::string> joints, factors;
  for (const auto& [id, factor] : j.terms) {
    joints.push_back(joint_name(id));
    factors.push_back(fmt::format("{}", factor));
  }
  Object o;
  o.text("name", j.name).text("type", "linear").add("joints", listed(joints));
  return o.add("coefficients", listed(factors)).unless("offset", j.constant, 0.0).str();
}

std::string Writer::drive(const DriveDescription& d) const {
  Object o;
  o.text("name", d.name).add("joint", joint_name(d.joint));
  which(o, d.coordinate);
  return o.add(d.rate ? "rate" : "value", written(d.value)).str();
}

void Writer::given(const ForceDescription& f, Object& o) const {
  const ForceOptions& g = f.given;
  if (g.reaction_body.number >= 0)
    o.add("bodies", bodies(g.reaction_body, g.body));
  else
    o.text("body", d_.body_name(g.body));
  triple(o, "at", g.at);
  triple(o, "axis", g.axis);
  if (g.marker.number >= 0) o.add("marker", marker_name(g.marker));
  if (g.frame == ForceFrame::body) o.text("frame", "body");
  std::vector<std::string> values;
  for (const TimeFunction& value : g.value) values.push_back(written(value));
  o.add("value", values.size() == 1 ? values[0] : listed(values));
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
    o.add("markers", listed({marker_name(b.marker), marker_name(b.marker2)}));
  else
    o.add("bodies", bodies(f.first, f.second));
  triple(o, "at", b.at);
  const auto matrix = [](const Eigen::Matrix<double, 6, 6>& m) {
    std::vector<std::string> rows;
    for (int i = 0; i < 6; ++i)
      rows.push_back(fmt::format("[{}, {}, {}, {}, {}, {}]", m(i, 0), m(i, 1), m(i, 2), m(i, 3),
                                 m(i, 4), m(i, 5)));
    return listed(rows);
  };
  o.add("stiffness", matrix(b.stiffness)).add("damping", matrix(b.damping));
  const auto& p = b.preload;
  o.add("preload", fmt::format("[{}, {}, {}, {}, {}, {}]", p[0], p[1], p[2], p[3], p[4], p[5]));
}

void Writer::friction(const ForceDescription& f, Object& o) const {
  const FrictionOptions& r = f.friction;
  o.add("joint", joint_name(f.joint)).number("coefficient", r.coefficient);
  if (r.from_reaction)
    o.text("normal", "reaction");
  else
    o.number("normal", r.normal);
  o.unless("radius", r.radius, 1.0).unless("slip", r.slip, 0.0);
  which(o, r.coordinate);
}

std::string Writer::force(const ForceDescription& f) const {
  using Kind = PlanForce::Kind;
  Object o;
  o.text("name", f.name);
  switch (f.kind) {
    case Kind::force:
    case Kind::torque:
      o.text("type", f.kind == Kind::force ? "force" : "torque");
      given(f, o);
      break;
    case Kind::spring:
      o.text("type", "spring-damper");
      spring(f, o);
      break;
    case Kind::coordinate_spring:
      o.text("type", "joint-spring").add("joint", joint_name(f.joint));
      o.unless("stiffness", f.joint_spring.stiffness, 0.0);
      o.unless("damping", f.joint_spring.damping, 0.0).unless("rest", f.joint_spring.rest, 0.0);
      which(o, f.joint_spring.coordinate);
      break;
    case Kind::bushing:
      o.text("type", "bushing");
      bushing(f, o);
      break;
    case Kind::drag:
      o.text("type", "drag").text("body", d_.body_name(f.drag.body));
      o.number("coefficient", f.drag.coefficient).truth("rotational", f.drag.rotational);
      triple(o, "at", f.drag.at);
      triple(o, "wind", f.drag.wind);
      break;
    case Kind::friction:
      o.text("type", "friction");
      friction(f, o);
      break;
    case Kind::callback:
      throw InvalidArgument(
          fmt::format("force '{}' is a law in C++ and cannot be written to a file", f.name));
  }
  return o.str();
}

std::string Writer::limit(const LimitDescription& l) const {
  Object o;
  o.text("name", l.name).add("joint", joint_name(l.joint));
  which(o, l.options.coordinate);
  if (std::isfinite(l.options.lower)) o.number("lower", l.options.lower);
  if (std::isfinite(l.options.upper)) o.number("upper", l.options.upper);
  o.text("action", l.options.action == LimitAction::record ? "record"
                   : l.options.action == LimitAction::stop ? "stop"
                                                           : "bounce");
  return o.unless("restitution", l.options.restitution, 0.0).str();
}

std::string Writer::document(double t_end) const {
  const AssemblyOptions standard;
  Object o;
  o.text("daedalus", "mechanism").number("version", 1).text("name", d_.name);
  constexpr std::array<const char*, 4> spaces{"r3xso3", "se3", "r3xs3", "s3-semidirect"};
  if (d_.planar())
    o.truth("planar", true);
  else
    o.text("coordinates", spaces[static_cast<std::size_t>(d_.space)]);
  o.add("gravity", vector(d_.gravity));
  const auto list = [&](const char* key, const auto& parts, auto&& one) {
    std::vector<std::string> items;
    for (const auto& part : parts)
      if (const std::string text = one(part); !text.empty()) items.push_back(text);
    if (!items.empty()) o.add(key, fmt::format("[\n  {}]", fmt::join(items, ",\n  ")));
  };
  list("bodies", d_.bodies, [&](const auto& b) { return body(b); });
  list("markers", d_.markers, [&](const auto& b) { return marker(b); });
  list("joints", d_.joints,
       [&](const auto& j) { return j.coupler == CouplerType::none ? joint(j) : std::string(); });
  list("couplers", d_.joints,
       [&](const auto& j) { return j.coupler == CouplerType::none ? std::string() : coupler(j); });
  list("drives", d_.drives, [&](const auto& b) { return drive(b); });
  list("forces", d_.forces, [&](const auto& f) { return force(f); });
  list("limits", d_.limits, [&](const auto& b) { return limit(b); });
  if (m_.options.redundant == Redundant::refuse) o.text("redundant", "refuse");
  if (m_.options.singular_start == SingularStart::allow) o.text("singular_start", "allow");
  if (m_.options.shared_reactions) o.text("reactions", "least-squares");
  o.unless("rank_tolerance", m_.options.rank_tolerance, standard.rank_tolerance);
  Object scene;
  const SceneStandards& picture = m_.scene;
  const auto direction = [&](const char* key, const std::optional<Eigen::Vector3d>& v) {
    if (v) scene.add(key, fmt::format("[{}, {}, {}]", (*v)[0], (*v)[1], (*v)[2]));
  };
  direction("up", picture.up), direction("view", picture.view);
  if (picture.ground) scene.number("ground", *picture.ground);
  if (picture.up || picture.view || picture.ground) o.add("scene", scene.str());
  Object run;
  run.number("t_end", t_end).unless("rtol", m_.run.rtol, 0.0).unless("atol", m_.run.atol, 0.0);
  if (!m_.run.method.empty()) run.text("method", m_.run.method);
  if (!m_.run.formulation.empty()) run.text("formulation", m_.run.formulation);
  return o.add("run", run.str()).str() + "\n";
}

}  // namespace

std::string mechanism_text(const NamedMechanism& mechanism, double t_end) {
  return Writer(mechanism).document(t_end);
}

}  // namespace daedalus
