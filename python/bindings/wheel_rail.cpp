// SPDX-License-Identifier: BSD-3-Clause
// Wheel and rail: profiles, geometry, contact conditions, creep.
#include <daedalus/wheel_rail.hpp>

#include <fmt/format.h>

#include "keyword_record.hpp"

namespace daedalus::python {
namespace {

using Pose = RailPose<double>;

py::dict rail_contact(const RailContact& c) {
  py::dict d;
  d["value"] = c.value;
  d["gradient"] = c.gradient;
  d["hessian"] = c.hessian;
  d["s"] = c.s;
  d["curvature"] = c.curvature;
  d["s_gradient"] = c.s_gradient;
  d["curvature_gradient"] = c.curvature_gradient;
  return d;
}

CreepLaw creep_law(const std::string& word) {
  if (word == "linear") return CreepLaw::linear;
  if (word == "tanh") return CreepLaw::tanh;
  if (word == "fastsim") return CreepLaw::fastsim;
  throw py::value_error(
      fmt::format("law: '{}' is given; allowed are linear, tanh and fastsim", word));
}

void add_profiles_of_wheels(py::module_& m) {
  py::class_<Profile>(m, "RailProfile", "A profile of a wheel or a rail, metres.")
      .def_static("cone", &Profile::cone, py::arg("radius"), py::arg("slope"),
                  py::arg("low") = -0.07, py::arg("high") = 0.07)
      .def_static("circle", &Profile::circle, py::arg("radius"), py::arg("width"))
      .def_static("s1002", &Profile::s1002, py::arg("rolling_radius"))
      .def_static("uic60", &Profile::uic60)
      .def_static("measured", &Profile::measured, py::arg("name"), py::arg("x"), py::arg("y"))
      .def_property_readonly("name", &Profile::name)
      .def_property_readonly("low", &Profile::low)
      .def_property_readonly("high", &Profile::high)
      .def("value", py::vectorize([](const Profile* p, double x) { return p->value(x); }))
      .def("slope", py::vectorize([](const Profile* p, double x) { return p->slope(x); }))
      .def("jet", [](const Profile& p, double x) {
        const ProfileJet j = p.jet(x);
        return py::make_tuple(j.value, j.first, j.second, j.third);
      });
  py::class_<Rail>(m, "Rail", "A rail; it may change along the track.")
      .def(py::init<Profile>())
      .def(py::init<Profile, Profile, double, double>(), py::arg("before"), py::arg("after"),
           py::arg("start"), py::arg("end"))
      .def_property_readonly("constant", &Rail::constant)
      .def_property_readonly("profile", &Rail::profile)
      .def_property_readonly("profile_after", &Rail::profile_after)
      .def_property_readonly("low", &Rail::low)
      .def_property_readonly("high", &Rail::high)
      .def("value", [](const Rail& r, double v, double x) { return r.value(v, x); });
  py::implicitly_convertible<Profile, Rail>();
  py::class_<WheelRail>(m, "WheelRail", "A wheel on a rail; poses are (xi_v, phi, psi, x).")
      .def(py::init<Profile, Rail>(), py::arg("wheel"), py::arg("rail"))
      .def_property_readonly("wheel", &WheelRail::wheel)
      .def_property_readonly("rail", &WheelRail::rail)
      .def("zeta", [](const WheelRail& w, double s, const Pose& p) { return w.zeta(s, p); })
      .def("rail_place",
           [](const WheelRail& w, double s, const Pose& p) { return w.rail_place(s, p); })
      .def("distance", &WheelRail::distance)
      .def(
          "expansion",
          [](const WheelRail& w, double s, const Pose& p, bool second) {
            const WheelRail::Expansion e = w.expansion(s, p, second);
            py::dict d;
            d["zeta"] = e.zeta;
            d["v"] = e.v;
            d["gradient"] = e.gradient;
            d["v_gradient"] = e.v_gradient;
            d["hessian"] = e.hessian;
            d["exists"] = e.exists;
            return d;
          },
          py::arg("s"), py::arg("p"), py::arg("second") = true);
}

void add_conditions(py::module_& m) {
  using Shared = std::shared_ptr<ContactCondition>;
  py::class_<ContactCondition, Shared>(m, "ContactCondition", "How a wheel touches a rail.")
      .def(
          "evaluate",
          [](const ContactCondition& c, const Pose& p, bool derivatives) -> py::object {
            RailContact out;
            if (!c.evaluate(p, derivatives, out)) return py::none();
            return rail_contact(out);
          },
          py::arg("p"), py::arg("derivatives") = true)
      .def_property_readonly("geometry", &ContactCondition::geometry);
  py::class_<QuasiElasticOnline, ContactCondition, std::shared_ptr<QuasiElasticOnline>>(
      m, "QuasiElasticOnline", "smax on a fixed grid in every call.")
      .def(py::init<WheelRail, ContactGrid, double>(), py::arg("geometry"), py::arg("grid"),
           py::arg("nu"))
      .def_property_readonly("nu", &QuasiElasticOnline::nu)
      .def_property_readonly("grid", &QuasiElasticOnline::grid)
      .def("rigid",
           [](const QuasiElasticOnline& c, const Pose& p) { return rigid_contact(c.rigid(p)); });
  py::class_<RigidGlobal, ContactCondition, std::shared_ptr<RigidGlobal>>(
      m, "RigidGlobal", "The rigid condition by a global search.")
      .def(py::init<WheelRail, ContactGrid>(), py::arg("geometry"), py::arg("grid"))
      .def("point", [](const RigidGlobal& c, const Pose& p) { return rigid_contact(c.point(p)); });
  keyword_record<TableRange>(m, "TableRange", "Where the tables of a wheel on a rail are made.")
      .def_readwrite("places", &TableRange::places)
      .def_readwrite("intervals", &TableRange::intervals)
      .def_readwrite("phi_low", &TableRange::phi_low)
      .def_readwrite("phi_high", &TableRange::phi_high)
      .def_readwrite("phi_intervals", &TableRange::phi_intervals)
      .def_readwrite("psi_0", &TableRange::psi_0)
      .def_readwrite("yaw_shift", &TableRange::yaw_shift)
      .def_readwrite("smoothing", &TableRange::smoothing);
  py::class_<QuasiElasticTable, ContactCondition, std::shared_ptr<QuasiElasticTable>>(
      m, "QuasiElasticTable", "smax, point of attack and curvatures from spline tables.")
      .def(py::init<const QuasiElasticOnline&, const TableRange&, std::string>(), py::arg("source"),
           py::arg("range") = TableRange{}, py::arg("directory") = "")
      .def_property_readonly("table", &QuasiElasticTable::table);
  m.def("wear_profile_grid", wear_profile_grid);
}

void add_creep(py::module_& m) {
  keyword_record<ContactMaterial>(m, "ContactMaterial", "Elastic constants of both bodies.")
      .def_readwrite("young", &ContactMaterial::young)
      .def_readwrite("poisson", &ContactMaterial::poisson)
      .def_property_readonly("shear", &ContactMaterial::shear)
      .def_property_readonly("modulus", &ContactMaterial::modulus);
  m.def(
      "hertz",
      [](double a, double b, double n, const ContactMaterial& material) {
        const ContactEllipse<double> e = hertz(a, b, n, material);
        return py::make_tuple(e.a, e.b, e.approach);
      },
      py::arg("A"), py::arg("B"), py::arg("N"), py::arg("material") = ContactMaterial{},
      "Half axes and approach of Hertz' ellipse for d = A x^2 + B y^2 and the normal force N.");
  m.def(
      "kalker_coefficients",
      [](double axes, double poisson) { return KalkerCoefficients(poisson).at(axes); },
      py::arg("axes"), py::arg("poisson") = ContactMaterial{}.poisson, "C11, C22, C23 for a/b.");
  keyword_record<CreepModel>(m, "CreepModel", "Rolling friction on Hertz' ellipse.")
      .def_property(
          "law",
          [](const CreepModel& c) {
            return c.law == CreepLaw::linear ? "linear"
                   : c.law == CreepLaw::tanh ? "tanh"
                                             : "fastsim";
          },
          [](CreepModel& c, const std::string& word) { c.law = creep_law(word); })
      .def_readwrite("friction", &CreepModel::friction)
      .def_readwrite("cells_along", &CreepModel::cells_along)
      .def_readwrite("cells_across", &CreepModel::cells_across)
      .def_property(
          "material", [](const CreepModel& c) { return c.material; },
          [](CreepModel& c, const ContactMaterial& material) {
            c.material = material;
            c.coefficients = KalkerCoefficients(material.poisson);
          })
      .def(
          "force",
          [](const CreepModel& c, double a, double b, double n, double along, double across,
             double spin) {
            return c.force<double>({a, b, 0.0}, n, {along, across, spin});
          },
          py::arg("a"), py::arg("b"), py::arg("N"), py::arg("along") = 0.0, py::arg("across") = 0.0,
          py::arg("spin") = 0.0);
}

}  // namespace

void add_wheel_rail(py::module_& m) {
  add_profiles_of_wheels(m);
  add_conditions(m);
  add_creep(m);
}

}  // namespace daedalus::python
