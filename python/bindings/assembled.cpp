// SPDX-License-Identifier: BSD-3-Clause
// Assembled mechanisms: the problem, its events, and results in terms of bodies and joints.
#include <daedalus/analysis.hpp>
#include <daedalus/mechanism_file.hpp>

#include <pybind11/complex.h>

#include "mechanism_keywords.hpp"

namespace daedalus::python {
namespace {

py::list redundant_rows(const std::vector<RedundantRow>& rows) {
  py::list list;
  for (const RedundantRow& r : rows) list.append(py::make_tuple(r.joint, r.row));
  return list;
}

py::dict report_of(const Assembled& a) {
  const AssemblyReport& r = a.report;
  py::list loops;
  for (const RedundantLoop& l : r.loops) {
    py::dict loop;
    loop["joints"] = l.joints;
    loop["rows"] = redundant_rows(l.rows);
    loops.append(loop);
  }
  py::dict d;
  d["bodies"] = r.bodies;
  d["joints"] = r.joints;
  d["rows"] = r.rows;
  d["nonholonomic_rows"] = r.nonholonomic_rows;
  d["grubler"] = r.grubler;
  d["degrees_of_freedom"] = r.degrees_of_freedom;
  d["redundant"] = redundant_rows(r.redundant);
  d["loops"] = loops;
  d["iterations"] = r.iterations;
  d["residual"] = r.residual;
  d["length"] = r.length;
  d["smallest_pivot"] = r.smallest_pivot;
  d["singular_start"] = r.singular_start;
  d["warnings"] = r.warnings;
  d["notes"] = r.notes;
  d["text"] = r.text();
  return d;
}

py::dict state_of(const Assembled& a, const ModelState& s, BodyId body) {
  const BodyState b = a.state_of(s, body);
  py::dict d;
  d["position"] = array_of(Eigen::VectorXd(b.position));
  d["rotation"] = array_of(Eigen::MatrixXd(b.rotation));
  d["velocity"] = array_of(Eigen::VectorXd(b.velocity));
  d["angular_velocity_body"] = array_of(Eigen::VectorXd(b.angular_velocity_body));
  return d;
}

py::dict wrench(const Wrench& w) {
  py::dict d;
  d["force"] = array_of(Eigen::VectorXd(w.force));
  d["moment"] = array_of(Eigen::VectorXd(w.moment));
  d["known"] = w.known;
  d["shared"] = w.shared;
  return d;
}

py::list reactions(const Assembled& a, const ModelState& s) {
  py::list all;
  for (const Wrench& w : a.reactions(s)) all.append(wrench(w));
  return all;
}

py::list dead_positions(const Assembled& a, const Solution& run, int points) {
  py::list all;
  for (const DeadPosition& p : a.dead_positions(run, points)) {
    py::dict d;
    d["t"] = p.t;
    d["pivot"] = p.pivot;
    d["joints"] = p.joints;
    d["text"] = p.text();
    all.append(d);
  }
  return all;
}

// At time t, or at rest without it.
py::list modes(const Assembled& a, double t0, const py::object& t, const py::dict& keywords) {
  const Options o = options_from(keywords);
  const Eigenvalues e = t.is_none() ? eigenvalues(a.problem, steady_state(a.problem, t0, o), o)
                                    : eigenvalues(a.problem, t0, t.cast<double>(), o);
  if (!e.found) throw InvalidArgument(e.message);
  py::list all;
  for (const Mode& mode : a.modes(e)) {
    py::list bodies;
    for (const BodyMode& b : mode.bodies) {
      py::dict one;
      one["x"] = std::vector<std::complex<double>>(b.x.begin(), b.x.end());
      one["rotation"] = std::vector<std::complex<double>>(b.rotation.begin(), b.rotation.end());
      bodies.append(one);
    }
    py::dict d;
    d["value"] = mode.value;
    d["frequency_hz"] = mode.frequency_hz;
    d["damping_ratio"] = mode.damping_ratio;
    d["bodies"] = bodies;
    all.append(d);
  }
  return all;
}

CoordinateOf which(const std::string& word) {
  return choice_from<CoordinateOf>(word, "coordinate");
}

// The part of a file that has this name.
template <class Id>
Id named(const std::map<std::string, Id>& all, const std::string& name, const char* what) {
  const auto found = all.find(name);
  if (found == all.end())
    throw py::key_error("there is no " + std::string(what) + " '" + name + "'");
  return found->second;
}

}  // namespace

void add_assembled(py::module_& m) {
  py::class_<Scene>(m, "Scene", "What moves, for the page of a run.");
  py::class_<Assembled, std::shared_ptr<Assembled>>(m, "Assembled")
      .def_property_readonly("problem", [](const Assembled& a) { return NativeProblem{a.problem}; })
      .def_property_readonly("events", [](const Assembled& a) { return a.events; })
      .def_property_readonly("scene", [](const Assembled& a) { return a.scene; })
      .def_property_readonly("report", report_of)
      .def("state_of", state_of)
      .def("marker", [](const Assembled& a, const ModelState& s,
                        MarkerId marker) { return array_of(Eigen::VectorXd(a.marker(s, marker))); })
      .def("coordinate", [](const Assembled& a, const ModelState& s, JointId j,
                            const std::string& of) { return a.coordinate(s, j, which(of)); })
      .def("rate", [](const Assembled& a, const ModelState& s, JointId j,
                      const std::string& of) { return a.rate(s, j, which(of)); })
      .def("reaction", [](const Assembled& a, const ModelState& s,
                          JointId j) { return wrench(a.reaction(s, j)); })
      .def("reactions", reactions)
      .def("hold",
           [](const Assembled& a, const ModelState& s) {
             const Hold h = a.hold(s);
             return py::make_tuple(h.pivot, h.joints);
           })
      .def("dead_positions", dead_positions)
      .def("modes", modes)
      .def("has_coordinate", &Assembled::has_coordinate)
      .def("effort", [](const Assembled& a, const ModelState& s,
                        DriveId drive) { return a.effort(s, drive); })
      .def("energies", [](const Assembled& a, const ModelState& s) {
        const Energies e = a.energies(s);
        return py::make_tuple(e.kinetic, e.potential);
      });
  py::class_<NamedMechanism, std::shared_ptr<NamedMechanism>>(m, "NamedMechanism")
      .def_property_readonly("assembled",
                             [](const std::shared_ptr<NamedMechanism>& n) {
                               return std::shared_ptr<Assembled>(n, &n->assembled);
                             })
      .def_property_readonly("bodies", [](const NamedMechanism& n) { return n.body_order; })
      .def_property_readonly("joints", [](const NamedMechanism& n) { return n.joint_order; })
      .def("body", [](const NamedMechanism& n,
                      const std::string& name) { return named(n.bodies, name, "body"); })
      .def("joint", [](const NamedMechanism& n,
                       const std::string& name) { return named(n.joints, name, "joint"); })
      .def("drive", [](const NamedMechanism& n, const std::string& name) {
        return named(n.drives, name, "drive");
      });
}

}  // namespace daedalus::python
