// SPDX-License-Identifier: BSD-3-Clause
// The elements of a URDF file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "mechanism_files/urdf.hpp"

namespace daedalus::mechanism_files {
namespace {

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
      if (!inertial.child("mass").attribute("value"))
        diagnostics_.error(span(inertial),
                           fmt::format("the inertial of link '{}' has no mass; give it a 'mass' "
                                       "with a 'value', or leave the inertial away",
                                       l.name));
      const pugi::xml_node i = inertial.child("inertia");
      if (!i)
        diagnostics_.warning(span(inertial),
                             fmt::format("the inertial of link '{}' has no 'inertia'; its mass "
                                         "counts as a point at its origin",
                                         l.name));
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
            span(mesh),
            fmt::format("mesh '{}' is not read; '{}' is {}", mesh.attribute("filename").value(),
                        l.name, l.inertial ? "drawn as a box of its inertia" : "not drawn"));
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

}  // namespace

UrdfModel read_urdf(Diagnostics& diagnostics) { return UrdfReader(diagnostics).read(); }

}  // namespace daedalus::mechanism_files
