// SPDX-License-Identifier: BSD-3-Clause
// URDF: links become bodies, the root is ground, coordinates are zero at the start unless
// parameters named like joints say otherwise.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "mechanism_files/entry.hpp"
#include "mechanism_files/reader.hpp"

namespace daedalus {
namespace mechanism_files {
namespace {

struct UrdfLink {
  std::string name{};
  double mass = 0.0;
  bool inertial = false;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  Eigen::Matrix3d J = Eigen::Matrix3d::Zero();  // about com, axes of the link
  std::vector<BodyShape> shapes{};
  Span span{};
};
struct UrdfJoint {
  std::string name{}, type{}, parent{}, child{}, mimic{};
  Eigen::Vector3d xyz = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitX();
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  bool limited = false;
  double lower = 0.0, upper = 0.0, damping = 0.0, friction = 0.0, multiplier = 1.0, offset = 0.0;
  Span span{};
};
struct UrdfModel {
  std::string name{};
  std::vector<UrdfLink> links{};
  std::vector<UrdfJoint> joints{};
};

class UrdfReader {
 public:
  explicit UrdfReader(Diagnostics& d) : diagnostics_(d) {}

  UrdfModel read() {
    UrdfModel model;
    const std::string& text = diagnostics_.source().content();
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_string(text.c_str());
    if (!parsed) {
      diagnostics_.error({static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, parsed.offset)), 1},
                         fmt::format("not XML: {}", parsed.description()));
      return model;
    }
    const pugi::xml_node robot = document.child("robot");
    if (!robot) {
      diagnostics_.error({0, 1}, "a URDF file has an element 'robot'");
      return model;
    }
    if (text.find("<xacro:") != std::string::npos || text.find("${") != std::string::npos) {
      const std::string& name = diagnostics_.source().name();
      diagnostics_.error(span(robot),
                         fmt::format("{} is a xacro macro file; expand it first (xacro "
                                     "{}.xacro > {})",
                                     name, name, name));
      return model;
    }
    model.name = robot.attribute("name").value();
    for (const pugi::xml_node node : robot.children()) {
      const std::string kind = node.name();
      if (kind == "link")
        model.links.push_back(link(node));
      else if (kind == "joint")
        model.joints.push_back(joint(node));
      else if (kind != "material" && !kind.empty() && ignored_.insert(kind).second)
        diagnostics_.warning(span(node), fmt::format("'{}' is ignored", kind));
    }
    return model;
  }

 private:
  static Span span(const pugi::xml_node& node) {
    return {static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, node.offset_debug())),
            std::string_view(node.name()).size()};
  }
  double number(const pugi::xml_node& node, const char* key, double standard) {
    const pugi::xml_attribute a = node.attribute(key);
    if (!a) return standard;
    char* end = nullptr;
    const double value = std::strtod(a.value(), &end);
    if (end == a.value() || *end != '\0')
      diagnostics_.error(span(node),
                         fmt::format("'{}' is '{}', which is no number", key, a.value()));
    return value;
  }
  Eigen::Vector3d triple(const pugi::xml_node& node, const char* key,
                         const Eigen::Vector3d& standard) {
    const pugi::xml_attribute a = node.attribute(key);
    if (!a) return standard;
    std::istringstream in(a.value());
    Eigen::Vector3d v = standard;
    if (!(in >> v[0] >> v[1] >> v[2]))
      diagnostics_.error(span(node),
                         fmt::format("'{}' is '{}'; allowed: three numbers", key, a.value()));
    return v;
  }
  void origin(const pugi::xml_node& node, Eigen::Vector3d& xyz, Eigen::Matrix3d& R) {
    const pugi::xml_node o = node.child("origin");
    xyz = triple(o, "xyz", Eigen::Vector3d::Zero());
    const Eigen::Vector3d rpy = triple(o, "rpy", Eigen::Vector3d::Zero());
    R = Rotation::rpy(rpy[0], rpy[1], rpy[2]).matrix();
  }
  UrdfLink link(const pugi::xml_node& node) {
    UrdfLink l;
    l.name = node.attribute("name").value();
    l.span = span(node);
    if (const pugi::xml_node inertial = node.child("inertial")) {
      l.inertial = true;
      Eigen::Matrix3d R;
      origin(inertial, l.com, R);
      l.mass = number(inertial.child("mass"), "value", 0.0);
      const pugi::xml_node i = inertial.child("inertia");
      const double xy = number(i, "ixy", 0.0), xz = number(i, "ixz", 0.0),
                   yz = number(i, "iyz", 0.0);
      Eigen::Matrix3d J;
      J << number(i, "ixx", 0.0), xy, xz, xy, number(i, "iyy", 0.0), yz, xz, yz,
          number(i, "izz", 0.0);
      l.J = R * J * R.transpose();
    }
    const char* drawn = node.child("visual") ? "visual" : "collision";
    for (const pugi::xml_node visual : node.children(drawn)) shape(visual, l);
    return l;
  }
  void shape(const pugi::xml_node& visual, UrdfLink& l) {
    BodyShape s;
    Eigen::Vector3d xyz;
    Eigen::Matrix3d R;
    origin(visual, xyz, R);
    s.position = xyz;
    s.rotation = Rotation(R);
    const pugi::xml_node g = visual.child("geometry");
    if (const pugi::xml_node box = g.child("box")) {
      const Eigen::Vector3d size = triple(box, "size", Eigen::Vector3d::Zero());
      s.size = {size[0], size[1], size[2]};
    } else if (const pugi::xml_node c = g.child("cylinder")) {
      s.shape = Shape::cylinder;
      s.size = {number(c, "radius", 0.0), number(c, "length", 0.0)};
    } else if (const pugi::xml_node ball = g.child("sphere")) {
      s.shape = Shape::sphere;
      s.size = {number(ball, "radius", 0.0)};
    } else {
      if (const pugi::xml_node mesh = g.child("mesh");
          mesh && ignored_.insert(mesh.attribute("filename").value()).second)
        diagnostics_.warning(
            span(mesh), fmt::format("mesh '{}' is not read; '{}' is drawn as a box of its inertia",
                                    mesh.attribute("filename").value(), l.name));
      return;
    }
    l.shapes.push_back(s);
  }
  UrdfJoint joint(const pugi::xml_node& node) {
    UrdfJoint j;
    j.name = node.attribute("name").value();
    j.type = node.attribute("type").value();
    j.span = span(node);
    j.parent = node.child("parent").attribute("link").value();
    j.child = node.child("child").attribute("link").value();
    origin(node, j.xyz, j.rotation);
    if (const pugi::xml_node axis = node.child("axis")) j.axis = triple(axis, "xyz", j.axis);
    if (!(j.axis.norm() > 0.0))
      diagnostics_.error(j.span, fmt::format("joint '{}': axis is zero", j.name));
    else if (std::abs(j.axis.norm() - 1.0) > 1e-3)
      diagnostics_.warning(
          j.span, fmt::format("joint '{}': axis has length {:.4g}; it is normalised", j.name,
                              j.axis.norm()));
    if (const pugi::xml_node limit = node.child("limit"); limit && limit.attribute("lower")) {
      j.limited = j.type == "revolute" || j.type == "prismatic";
      j.lower = number(limit, "lower", 0.0);
      j.upper = number(limit, "upper", 0.0);
    }
    if (const pugi::xml_node d = node.child("dynamics")) {
      j.damping = number(d, "damping", 0.0);
      j.friction = number(d, "friction", 0.0);
    }
    if (const pugi::xml_node mimic = node.child("mimic")) {
      j.mimic = mimic.attribute("joint").value();
      j.multiplier = number(mimic, "multiplier", 1.0);
      j.offset = number(mimic, "offset", 0.0);
    }
    for (const pugi::xml_node part : node.children()) {
      static const std::vector<std::string> known{"parent", "child",       "origin",
                                                  "axis",   "limit",       "dynamics",
                                                  "mimic",  "calibration", "safety_controller"};
      const std::string kind = part.name();
      if (part.type() == pugi::node_element &&
          std::find(known.begin(), known.end(), kind) == known.end())
        diagnostics_.warning(span(part), fmt::format("'{}' of joint '{}' is ignored", kind, j.name),
                             model::name_hint(kind, known));
    }
    return j;
  }

  Diagnostics& diagnostics_;
  std::set<std::string> ignored_{};
};

// Where every link is, and which body carries it: links on fixed joints are merged into the parent.
class UrdfTree {
 public:
  UrdfTree(const UrdfModel& model, const Values& values, Diagnostics& d)
      : model_(model), values_(values), diagnostics_(d) {}

  NamedMechanism build() {
    NamedMechanism m;
    m.mechanism = Mechanism(model_.name.empty() ? "robot" : model_.name);
    m.mechanism.gravity({0.0, 0.0, value("gravity_z", -9.81)});
    if (!check()) return m;
    place(root_, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity(), "");
    merge();
    for (const UrdfLink& l : model_.links) body(l, m);
    if (diagnostics_.errors() == 0)
      for (const UrdfJoint& j : model_.joints) joint(j, m);
    if (diagnostics_.errors() == 0)
      for (const UrdfJoint& j : model_.joints) extras(j, m);
    return m;
  }

 private:
  struct At {
    Eigen::Vector3d x = Eigen::Vector3d::Zero();
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    std::string carrier{};  // empty: ground
  };
  double value(const std::string& name, double standard) const {
    const auto it = values_.find(name);
    return it == values_.end() ? standard : it->second;
  }
  bool check() {
    std::map<std::string, std::string> parent;
    std::set<std::string> names;
    for (const UrdfLink& l : model_.links) names.insert(l.name);
    const std::vector<std::string> known(names.begin(), names.end());
    for (const UrdfJoint& j : model_.joints) {
      for (const std::string& link : {j.parent, j.child})
        if (!names.count(link))
          diagnostics_.error(j.span, fmt::format("joint '{}': there is no link '{}'", j.name, link),
                             model::name_hint(link, known));
      if (const auto [it, fresh] = parent.emplace(j.child, j.parent); !fresh)
        diagnostics_.error(j.span,
                           fmt::format("link '{}' has two parents, '{}' and '{}'; URDF is a "
                                       "tree: close the loop in a mechanism.json",
                                       j.child, it->second, j.parent));
    }
    std::string roots;
    int count = 0;
    for (const std::string& name : names)
      if (!parent.count(name)) root_ = name, roots += (count++ ? ", " : "") + name;
    if (count != 1)
      diagnostics_.error({0, 1}, count == 0
                                     ? std::string("no link is the root: the joints form a circle")
                                     : fmt::format("{} links could be the root: {}", count, roots));
    return diagnostics_.errors() == 0;
  }
  void place(const std::string& link, const Eigen::Vector3d& x, const Eigen::Matrix3d& R,
             const std::string& carrier) {
    at_[link] = {x, R, carrier};
    for (const UrdfJoint& j : model_.joints) {
      if (j.parent != link) continue;
      Eigen::Vector3d there = x + R * j.xyz;
      Eigen::Matrix3d turned = R * j.rotation;
      joint_at_[j.name] = {there, turned, ""};
      const double q = value(j.name, 0.0);
      if (j.type == "prismatic") there += turned * (q * j.axis.normalized());
      if (j.type == "revolute" || j.type == "continuous")
        turned *= Rotation::about(j.axis, q).matrix();
      place(j.child, there, turned, j.type == "fixed" ? carrier : j.child);
    }
  }
  // Masses, centres and inertia of links on fixed joints go to the body that carries them.
  void merge() {
    for (const UrdfLink& l : model_.links)
      if (at_[l.name].carrier == l.name) bodies_[l.name] = l;
    for (const UrdfLink& l : model_.links) {
      const At& at = at_[l.name];
      if (at.carrier == l.name || at.carrier.empty()) continue;
      UrdfLink& b = bodies_[at.carrier];
      const At& base = at_[at.carrier];
      const Eigen::Matrix3d R = base.R.transpose() * at.R;
      const Eigen::Vector3d shift = base.R.transpose() * (at.x - base.x);
      for (BodyShape s : l.shapes) {
        s.position = Eigen::Vector3d(shift + R * s.position.vector());
        s.rotation = Rotation(R * s.rotation.matrix());
        b.shapes.push_back(s);
      }
      if (!l.inertial) continue;
      const Eigen::Vector3d com = shift + R * l.com;
      const double mass = b.mass + l.mass;
      const Eigen::Vector3d whole = (b.mass * b.com + l.mass * com) / mass;
      const auto steiner = [](double m, const Eigen::Vector3d& r) -> Eigen::Matrix3d {
        return m * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
      };
      b.J +=
          steiner(b.mass, b.com - whole) + R * l.J * R.transpose() + steiner(l.mass, com - whole);
      b.mass = mass;
      b.com = whole;
      b.inertial = true;
    }
  }
  void body(const UrdfLink& l, NamedMechanism& m) {
    const auto it = bodies_.find(l.name);
    if (it == bodies_.end()) return;
    const UrdfLink& b = it->second;
    if (!b.inertial) {
      diagnostics_.error(
          l.span, fmt::format("link '{}' moves and is massless; give it an 'inertial'", l.name));
      return;
    }
    RigidBody r{.name = b.name, .mass = b.mass};
    r.inertia = {b.J(0, 0), b.J(1, 1), b.J(2, 2), b.J(0, 1), b.J(0, 2), b.J(1, 2)};
    r.com = b.com;
    r.position = at_[l.name].x;
    r.rotation = Rotation(at_[l.name].R);
    r.shapes = b.shapes;
    guarded(l.span, [&] {
      m.bodies[l.name] = m.mechanism.body(r);
      m.body_order.push_back(l.name);
    });
  }
  template <class MakeIt>
  void guarded(Span where, MakeIt&& make) {
    try {
      make();
    } catch (const InvalidArgument& wrong) {
      diagnostics_.error(where, wrong.what());
    }
  }
  void joint(const UrdfJoint& j, NamedMechanism& m) {
    if (j.type == "fixed" || j.type == "floating") return;
    const std::string& carrier = at_[j.parent].carrier;
    const BodyId a = carrier.empty() ? BodyId{} : m.bodies.at(carrier), b = m.bodies.at(j.child);
    const At& at = joint_at_[j.name];
    JointOptions o;
    o.at = at.x;
    o.axis = Eigen::Vector3d(at.R * j.axis.normalized());
    if (values_.count(j.name + ".rate") && j.type != "planar")
      o.rate = value(j.name + ".rate", 0.0);
    // Coordinates count from the zero position: markers with the frame of the joint on both sides.
    const auto frame = [&](const At& base, const Eigen::Matrix3d& turned,
                           const Eigen::Vector3d& x) {
      const Eigen::Vector3d z = turned * j.axis.normalized();
      int least = 0;
      for (int k = 1; k < 3; ++k)
        if (std::abs(j.axis[k]) < std::abs(j.axis[least])) least = k;
      const Eigen::Vector3d e1 = (turned * Eigen::Vector3d::Unit(least).cross(j.axis)).normalized();
      Eigen::Matrix3d F;
      F << e1, z.cross(e1), z;
      return std::pair(Eigen::Vector3d(base.R.transpose() * (x - base.x)),
                       Eigen::Matrix3d(base.R.transpose() * F));
    };
    const At &first = carrier.empty() ? At{} : at_[carrier], &second = at_[j.child];
    const auto [sa, fa] = frame(first, at.R, at.x);
    const auto [sb, fb] = frame(second, second.R, second.x);
    guarded(j.span, [&] {
      o.marker = m.mechanism.marker(j.name + ".parent", a, sa, Rotation(fa));
      o.marker2 = m.mechanism.marker(j.name + ".child", b, sb, Rotation(fb));
      const JointType type = j.type == "prismatic" ? JointType::prismatic
                             : j.type == "planar"  ? JointType::planar
                                                   : JointType::revolute;
      if (j.type != "revolute" && j.type != "continuous" && j.type != "prismatic" &&
          j.type != "planar")
        throw InvalidArgument(
            fmt::format("joint '{}' has the type '{}'; allowed: revolute, continuous, "
                        "prismatic, fixed, floating, planar",
                        j.name, j.type));
      m.joints[j.name] = m.mechanism.joint(type, j.name, a, b, o);
      m.joint_order.push_back(j.name);
    });
  }
  void extras(const UrdfJoint& j, NamedMechanism& m) {
    const auto it = m.joints.find(j.name);
    if (it == m.joints.end()) return;
    guarded(j.span, [&] {
      if (j.limited) m.mechanism.limit(j.name, it->second, {.lower = j.lower, .upper = j.upper});
      if (j.damping != 0.0)
        m.mechanism.joint_spring(j.name + ".damping", it->second, {.damping = j.damping});
      if (j.friction != 0.0)
        m.mechanism.friction(j.name + ".friction", it->second,
                             {.coefficient = 1.0, .normal = j.friction});
      if (j.mimic.empty()) return;
      const auto other = m.joints.find(j.mimic);
      if (other == m.joints.end())
        throw InvalidArgument(
            fmt::format("joint '{}' mimics '{}', which there is not", j.name, j.mimic));
      m.mechanism.linear(j.name + ".mimic", {{it->second, 1.0}, {other->second, -j.multiplier}},
                         j.offset);
    });
  }

  const UrdfModel& model_;
  const Values& values_;
  Diagnostics& diagnostics_;
  std::string root_{};
  std::map<std::string, At> at_{}, joint_at_{};
  std::map<std::string, UrdfLink> bodies_{};
};

}  // namespace
}  // namespace mechanism_files

bool urdf_is_available() { return true; }

MechanismFile read_urdf_text(std::string content, const std::string& name) {
  using namespace mechanism_files;
  const auto source = std::make_shared<const model::Source>(name, std::move(content));
  Diagnostics diagnostics(source);
  const auto urdf = std::make_shared<const UrdfModel>(UrdfReader(diagnostics).read());
  diagnostics.throw_if_any();
  MechanismFile file;
  file.entry.name = urdf->name;
  file.entry.source = name;
  file.entry.parameters.push_back({"gravity_z", -9.81});
  for (const UrdfJoint& j : urdf->joints)
    if (j.type == "revolute" || j.type == "continuous" || j.type == "prismatic") {
      file.entry.parameters.push_back({j.name, 0.0});
      file.entry.parameters.push_back({j.name + ".rate", 0.0});
    }
  file.warnings = diagnostics.sorted();
  for (const SourceDiagnostic& w : file.warnings) file.entry.notes.push_back(text(w));
  complete(file, name, [urdf, source](const Values& values) {
    Diagnostics own(source);
    NamedMechanism m = UrdfTree(*urdf, values, own).build();
    own.throw_if_any();
    return m;
  });
  return file;
}

}  // namespace daedalus
