// SPDX-License-Identifier: BSD-3-Clause
// URDF: links become bodies, the root is ground, coordinates are zero at the start unless
// parameters named like joints say otherwise.
#include "mechanism_files/urdf.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <cmath>
#include <set>

#include "mechanism_files/entry.hpp"

namespace daedalus {
namespace mechanism_files {
namespace {

// Where every link is, and which body carries it: links on fixed joints are merged into the parent.
class UrdfTree {
 public:
  UrdfTree(const UrdfModel& model, const Values& values, Diagnostics& d)
      : model_(model), values_(values), diagnostics_(d) {}

  NamedMechanism build(const std::string& name) {
    NamedMechanism m;
    m.mechanism = Mechanism(name.empty() ? "robot" : name);
    m.mechanism.gravity({0.0, 0.0, value("gravity_z", -9.81)});
    if (!check()) return m;
    place(value("free_root", 0.0) != 0.0 ? root_ : "");
    if (diagnostics_.errors() > 0) return m;
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
                                       "tree: close the loop in a JSON with include",
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
  // From the root outwards; not by a call for each link, for they may be many.
  void place(const std::string& carrier_of_root) {
    std::map<std::string, std::vector<const UrdfJoint*>> joints_of;
    for (const UrdfJoint& j : model_.joints) joints_of[j.parent].push_back(&j);
    at_[root_] = {Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity(), carrier_of_root};
    std::vector<std::string> next{root_};
    while (!next.empty()) {
      const std::string link = std::move(next.back());
      next.pop_back();
      const At from = at_[link];
      for (const UrdfJoint* j : joints_of[link]) {
        at_[j->child] = behind(*j, from);
        next.push_back(j->child);
      }
    }
    for (const UrdfLink& l : model_.links)
      if (!at_.count(l.name))
        diagnostics_.error(
            l.span,
            fmt::format("link '{}' does not hang on the root '{}': the joints above it form "
                        "a circle",
                        l.name, root_));
  }
  At behind(const UrdfJoint& j, const At& from) {
    At to{from.x + from.R * j.xyz, from.R * j.rotation, j.type == "fixed" ? from.carrier : j.child};
    joint_at_[j.name] = {to.x, to.R, ""};
    const double q = value(j.name, 0.0);
    if (j.type == "prismatic") to.x += to.R * (q * j.axis.normalized());
    if (j.type == "revolute" || j.type == "continuous") to.R *= Rotation::about(j.axis, q).matrix();
    return to;
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
    // A link that could not be made has been named already.
    if ((!carrier.empty() && m.bodies.count(carrier) == 0) || m.bodies.count(j.child) == 0) return;
    const BodyId a = carrier.empty() ? BodyId{} : m.bodies.at(carrier), b = m.bodies.at(j.child);
    const At& at = joint_at_[j.name];
    JointOptions o;
    o.at = at.x;
    o.axis = Eigen::Vector3d(at.R * j.axis.normalized());
    if (values_.count(j.name + ".rate") && j.type != "planar" && j.mimic.empty())
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
    const auto on_parent = frame(first, at.R, at.x);
    const auto on_child = frame(second, second.R, second.x);
    guarded(j.span, [&] {
      o.marker =
          m.mechanism.marker(j.name + ".parent", a, on_parent.first, Rotation(on_parent.second));
      o.marker2 =
          m.mechanism.marker(j.name + ".child", b, on_child.first, Rotation(on_child.second));
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

// Gravity, and where joints start and how fast.
void add_parameters(const UrdfModel& urdf, std::vector<Parameter>& parameters) {
  parameters.push_back({"gravity_z", -9.81});
  parameters.push_back({"free_root", 0.0});  // else the root link is ground
  for (const UrdfJoint& j : urdf.joints)
    if (j.type == "revolute" || j.type == "continuous" || j.type == "prismatic") {
      parameters.push_back({j.name, 0.0});
      parameters.push_back({j.name + ".rate", 0.0});
    }
}

}  // namespace

UrdfPart urdf_part(std::string content, const std::string& file, const std::string& name,
                   const Values& values) {
  Diagnostics diagnostics(std::make_shared<const model::Source>(file, std::move(content)));
  const UrdfModel urdf = read_urdf(diagnostics);
  diagnostics.throw_if_any();
  UrdfPart part;
  add_parameters(urdf, part.parameters);
  for (const UrdfJoint& j : urdf.joints)
    part.joint_types[j.name] = j.type == "continuous" ? "revolute" : j.type;
  part.mechanism = UrdfTree(urdf, values, diagnostics).build(name);
  diagnostics.throw_if_any();
  return part;
}

}  // namespace mechanism_files

bool urdf_is_available() { return true; }

MechanismFile read_urdf_text(std::string content, const std::string& name) {
  using namespace mechanism_files;
  const auto source = std::make_shared<const model::Source>(name, std::move(content));
  Diagnostics diagnostics(source);
  const auto urdf = std::make_shared<const UrdfModel>(read_urdf(diagnostics));
  diagnostics.throw_if_any();
  MechanismFile file;
  file.entry.name = urdf->name;
  file.entry.source = name;
  add_parameters(*urdf, file.entry.parameters);
  file.warnings = diagnostics.sorted();
  for (const SourceDiagnostic& w : file.warnings) file.entry.notes.push_back(text(w));
  complete(file, name, [urdf, source](const Values& values) {
    Diagnostics own(source);
    NamedMechanism m = UrdfTree(*urdf, values, own).build(urdf->name);
    own.throw_if_any();
    return m;
  });
  return file;
}

}  // namespace daedalus
