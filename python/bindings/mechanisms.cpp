// SPDX-License-Identifier: BSD-3-Clause
// The builder of mechanisms. Options arrive as dictionaries with the names of the C++ structs;
// tests/test_mechanism.py compares the lists with the public header.
#include <fmt/format.h>

#include "expressions.hpp"
#include "force_law.hpp"
#include "mechanism_keywords.hpp"

namespace daedalus::python {
namespace {

JointType joint_type(const std::string& word) {
  std::vector<std::string> names;
  for (int k = 0; k <= static_cast<int>(JointType::wheel); ++k)
    names.emplace_back(to_string(static_cast<JointType>(k)));
  std::vector<const char*> allowed;
  for (const std::string& n : names) allowed.push_back(n.c_str());
  return static_cast<JointType>(word_number(word, allowed, "type"));
}

RigidBody body_from(const py::dict& given) {
  const MechanismKeywords k{given};
  RigidBody b;
  k("name", b.name), k("mass", b.mass), k("inertia", b.inertia), k("com", b.com);
  k("position", b.position), k("rotation", b.rotation), k("velocity", b.velocity);
  k("angular_velocity", b.angular_velocity), k("point", b.point), k("weight", b.weight);
  k("hold", b.hold), k("shapes", b.shapes);
  return b;
}

JointOptions joint_from(const py::dict& given) {
  const MechanismKeywords k{given};
  JointOptions o;
  k("at", o.at), k("at2", o.at2), k("axis", o.axis), k("axis2", o.axis2), k("marker", o.marker);
  k("marker2", o.marker2), k("length", o.length), k("pitch", o.pitch), k("radius", o.radius);
  k("normal", o.normal), k("centre", o.centre), k("across", o.across), k("surface", o.surface);
  k("rate", o.rate), k("turns", o.turns), k("curve", o.curve), k("closed", o.closed);
  return o;
}

ForceOptions force_from(const py::dict& given) {
  const MechanismKeywords k{given};
  ForceOptions o;
  k("body", o.body), k("reaction_body", o.reaction_body), k("at", o.at), k("marker", o.marker);
  k("value", o.value), k("axis", o.axis), k("frame", o.frame);
  return o;
}

SpringOptions spring_from(const py::dict& given) {
  const MechanismKeywords k{given};
  SpringOptions o;
  k("at", o.at), k("at2", o.at2), k("marker", o.marker), k("marker2", o.marker2);
  k("stiffness", o.stiffness), k("damping", o.damping), k("rest_length", o.rest_length);
  k("force_length", o.force_length), k("force_rate", o.force_rate);
  return o;
}

JointSpringOptions joint_spring_from(const py::dict& given) {
  const MechanismKeywords k{given};
  JointSpringOptions o;
  k("stiffness", o.stiffness), k("damping", o.damping), k("rest", o.rest);
  k("coordinate", o.coordinate);
  return o;
}

BushingOptions bushing_from(const py::dict& given) {
  const MechanismKeywords k{given};
  BushingOptions o;
  k("at", o.at), k("marker", o.marker), k("marker2", o.marker2), k("stiffness", o.stiffness);
  k("damping", o.damping), k("preload", o.preload);
  return o;
}

DragOptions drag_from(const py::dict& given) {
  const MechanismKeywords k{given};
  DragOptions o;
  k("body", o.body), k("at", o.at), k("coefficient", o.coefficient), k("rotational", o.rotational);
  k("wind", o.wind);
  return o;
}

FrictionOptions friction_from(const py::dict& given) {
  const MechanismKeywords k{given};
  FrictionOptions o;
  k("coefficient", o.coefficient), k("normal", o.normal), k("from_reaction", o.from_reaction);
  k("radius", o.radius), k("slip", o.slip), k("coordinate", o.coordinate);
  return o;
}

LimitOptions limit_from(const py::dict& given) {
  const MechanismKeywords k{given};
  LimitOptions o;
  k("lower", o.lower), k("upper", o.upper), k("action", o.action), k("restitution", o.restitution);
  k("coordinate", o.coordinate);
  return o;
}

CallbackOptions callback_from(const py::dict& given) {
  const MechanismKeywords k{given};
  CallbackOptions o;
  k("at", o.at), k("at2", o.at2), k("marker", o.marker), k("marker2", o.marker2);
  return o;
}

AssemblyOptions assembly_from(const py::dict& given) {
  const MechanismKeywords k{given};
  AssemblyOptions o;
  k("t0", o.t0), k("redundant", o.redundant), k("singular_start", o.singular_start);
  k("rank_tolerance", o.rank_tolerance), k("shared_reactions", o.shared_reactions);
  k("max_iterations", o.max_iterations);
  return o;
}

// A formula in time and in the coordinates that the force names.
TimeFunction traced_profile(const py::function& f, int arguments) {
  const auto owner = std::make_shared<ModelBuilder>("profile");
  py::list given;
  given.append(Formula{owner->graph().time(), owner});
  for (int k = 0; k < arguments; ++k)
    given.append(Formula{
        owner->graph().input(graph::InputKind::argument, k, fmt::format("a{}", k + 1)), owner});
  return profile_from(f(*given), "profile");
}

template <class Id>
void add_id(py::module_& m, const char* name) {
  py::class_<Id>(m, name)
      .def_readonly("number", &Id::number)
      .def("__eq__", [](const Id& a, const Id& b) { return a.number == b.number; })
      .def("__hash__", [](const Id& a) { return a.number; });
}

void add_profiles(py::module_& m) {
  py::class_<TimeFunction>(m, "Profile", "A function of time for drives and forces.")
      .def("__call__", &TimeFunction::operator())
      .def("rate", &TimeFunction::rate)
      .def("acceleration", &TimeFunction::acceleration)
      .def_property_readonly("constant", &TimeFunction::constant)
      .def_property_readonly("smooth", &TimeFunction::smooth)
      .def_property_readonly("break_times", [](const TimeFunction& p) { return p.break_times(); });
  m.def("constant_profile", [](double x) { return TimeFunction(x); });
  m.def("polynomial", polynomial, py::arg("coefficients"), "c[0] + c[1] t + c[2] t^2 + ...");
  m.def("harmonic", harmonic, py::arg("offset"), py::arg("amplitude"), py::arg("omega"),
        py::arg("phase") = 0.0, "offset + amplitude sin(omega t + phase)");
  m.def("smooth_step", smooth_step, py::arg("t0"), py::arg("t1"), py::arg("y0"), py::arg("y1"),
        "From y0 at t0 to y1 at t1 with continuous second derivative.");
  m.def("table_profile", [](const std::vector<double>& t, const std::vector<double>& y,
                            const std::string& kind, const std::string& end) {
    return table(t, y, choice_from<TableKind>(kind, "kind"), choice_from<TableEnd>(end, "end"));
  });
  m.def("traced_profile", traced_profile);
}

CoordinateOf coordinate(const std::string& word) {
  return choice_from<CoordinateOf>(word, "coordinate");
}

// Couplers, drives and forces.
void add_forces(py::class_<Mechanism>& c) {
  c.def("gear", &Mechanism::gear)
      .def("rack", &Mechanism::rack)
      .def("linear", &Mechanism::linear)
      .def("drive", [](Mechanism& m, const std::string& n, JointId j, const TimeFunction& p,
                       const std::string& of) { return m.drive(n, j, p, coordinate(of)); })
      .def("drive_rate",
           [](Mechanism& m, const std::string& n, JointId j, const TimeFunction& p,
              const std::string& of) { return m.drive_rate(n, j, p, coordinate(of)); })
      .def("force",
           [](Mechanism& m, const std::string& n, const py::dict& o) { m.force(n, force_from(o)); })
      .def("torque", [](Mechanism& m, const std::string& n,
                        const py::dict& o) { m.torque(n, force_from(o)); })
      .def("spring_damper", [](Mechanism& m, const std::string& n, BodyId a, BodyId b,
                               const py::dict& o) { m.spring_damper(n, a, b, spring_from(o)); })
      .def("joint_spring", [](Mechanism& m, const std::string& n, JointId j,
                              const py::dict& o) { m.joint_spring(n, j, joint_spring_from(o)); })
      .def("bushing", [](Mechanism& m, const std::string& n, BodyId a, BodyId b,
                         const py::dict& o) { m.bushing(n, a, b, bushing_from(o)); })
      .def("drag",
           [](Mechanism& m, const std::string& n, const py::dict& o) { m.drag(n, drag_from(o)); })
      .def("friction", [](Mechanism& m, const std::string& n, JointId j,
                          const py::dict& o) { m.friction(n, j, friction_from(o)); })
      .def("force_law",
           [](Mechanism& m, const std::string& n, BodyId a, BodyId b, const py::dict& o,
              const py::function& law) { m.force_law(n, a, b, callback_from(o), force_law(law)); })
      .def("argument", [](Mechanism& m, int k, JointId j, bool rate,
                          const std::string& of) { m.argument(k, j, rate, coordinate(of)); })
      .def("limit", [](Mechanism& m, const std::string& n, JointId j, const py::dict& o) {
        m.limit(n, j, limit_from(o));
      });
}

}  // namespace

void add_mechanisms(py::module_& m) {
  add_id<BodyId>(m, "BodyId");
  add_id<MarkerId>(m, "MarkerId");
  add_id<JointId>(m, "JointId");
  add_id<DriveId>(m, "DriveId");
  add_profiles(m);
  py::class_<Mechanism> c(m, "Mechanism");
  c.def(py::init([](const std::string& name, const std::string& space) {
     return Mechanism(name, choice_from<MechanismSpace>(space, "space"));
   }))
      .def("gravity",
           [](Mechanism& x, const py::object& g) { x.gravity(triple_from(g, "gravity")); })
      .def("ground", &Mechanism::ground)
      .def("body", [](Mechanism& x, const py::dict& o) { return x.body(body_from(o)); })
      .def("marker",
           [](Mechanism& x, const std::string& n, BodyId b, const py::object& position,
              const py::object& rotation) {
             return x.marker(n, b, triple_from(position, "position"),
                             rotation.is_none() ? Rotation() : rotation_from(rotation, "rotation"));
           })
      .def("joint",
           [](Mechanism& x, const std::string& type, const std::string& n, BodyId a, BodyId b,
              const py::dict& o) { return x.joint(joint_type(type), n, a, b, joint_from(o)); })
      .def("assemble", [](const Mechanism& x, const py::dict& o) {
        return std::make_shared<Assembled>(x.assemble(assembly_from(o)));
      });
  add_forces(c);
  m.def("joint_types", [] {
    std::vector<std::string> names;
    for (int k = 0; k <= static_cast<int>(JointType::wheel); ++k)
      names.emplace_back(to_string(static_cast<JointType>(k)));
    return names;
  });
}

}  // namespace daedalus::python
