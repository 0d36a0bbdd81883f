// SPDX-License-Identifier: BSD-3-Clause
// Contacts of multibody problems: grids, families, and what they make of a problem.
#include <fmt/format.h>

#include <variant>

#include "contact_family.hpp"

namespace daedalus::python {
namespace {

using AnyFamily = std::variant<FormulaFamily<1>, FormulaFamily<2>, FormulaFamily<3>>;

struct Family {
  AnyFamily any;
  std::size_t dimension;
};

// A contact as Python gives it; D is the family's.
struct NativeContact {
  std::string name;
  std::shared_ptr<Family> family;
  TracedLaw place;
};

ContactSide side_of(const std::string& word) {
  if (word == "any") return ContactSide::any;
  if (word == "left") return ContactSide::left;
  if (word == "right") return ContactSide::right;
  throw py::value_error(fmt::format("side: '{}' is given; allowed are any, left and right", word));
}

template <std::size_t D>
Family make_family(const ContactGrid& grid, double nu, const py::function& zeta) {
  const int dimension = static_cast<int>(D);
  auto nodes = std::make_shared<std::vector<TracedLaw>>();
  for (int i = 0; i < grid.size(); ++i)
    nodes->push_back(TracedLaw::at(zeta, grid.point(i), dimension, 1));
  const FormulaZeta<D> law{TracedLaw(zeta, dimension, 1), std::move(nodes)};
  return {FormulaFamily<D>(grid, nu, law), D};
}

Family make_any_family(const ContactGrid& grid, double nu, const py::function& zeta,
                       int dimension) {
  switch (dimension) {
    case 1:
      return make_family<1>(grid, nu, zeta);
    case 2:
      return make_family<2>(grid, nu, zeta);
    case 3:
      return make_family<3>(grid, nu, zeta);
    default:
      throw py::value_error(fmt::format("dimension: {} is given, allowed are 1 to 3", dimension));
  }
}

// Calls run(family, p) with p as an array of the family's size.
template <class Run>
auto with_pose(const Family& f, const std::vector<double>& p, Run&& run) {
  if (p.size() != f.dimension)
    throw py::value_error(
        fmt::format("p: {} numbers are given, the family has {}", p.size(), f.dimension));
  return std::visit(
      [&]<std::size_t D>(const FormulaFamily<D>& family) {
        std::array<double, D> at{};
        std::copy_n(p.begin(), D, at.begin());
        return run(family, at);
      },
      f.any);
}

py::dict family_expansion(const Family& f, const std::vector<double>& p) {
  return with_pose(f, p, [](const auto& family, const auto& at) {
    const auto e = family.expansion(at);
    py::dict d;
    d["value"] = e.value;
    d["gradient"] = e.gradient;
    d["hessian"] = e.hessian;
    return d;
  });
}

// The contacts of one list have one dimension: they become one C++ set.
template <class Run>
auto with_contacts(const std::vector<NativeContact>& list, Run&& run) {
  if (list.empty()) throw py::value_error("contacts: none is given");
  return std::visit(
      [&]<std::size_t D>(const FormulaFamily<D>&) {
        std::vector<FormulaContact<D>> set;
        for (const NativeContact& c : list) {
          const auto* family = std::get_if<FormulaFamily<D>>(&c.family->any);
          if (!family)
            throw py::value_error("contacts: their families take different numbers of coordinates");
          set.push_back({c.name, *family, c.place});
        }
        return run(set);
      },
      list.front().family->any);
}

const MultibodyProblem& contact_problem(const NativeProblem& p) {
  if (const auto* m = std::get_if<MultibodyProblem>(&p.problem)) return *m;
  throw py::type_error("contacts need a multibody problem");
}

template <class Change>
NativeProblem changed(const NativeProblem& p, Change&& change) {
  MultibodyProblem problem = contact_problem(p);
  change(problem);
  return {std::move(problem)};
}

NativeProblem rigid_problem(const NativeProblem& p, const std::vector<NativeContact>& all,
                            double t0) {
  return with_contacts(all, [&](const auto& set) {
    return changed(p, [&](MultibodyProblem& m) { rigid_contacts(m, set, t0); });
  });
}

NativeProblem quasi_elastic(const NativeProblem& p, const std::vector<NativeContact>& all) {
  return with_contacts(all, [&](const auto& set) {
    return changed(p, [&](MultibodyProblem& m) { quasi_elastic_contacts(m, set); });
  });
}

NativeProblem by_tables(const NativeProblem& p, const std::vector<NativeContact>& all,
                        const std::vector<ContactTable>& tables) {
  return with_contacts(all, [&](const auto& set) {
    return changed(p, [&](MultibodyProblem& m) { table_contacts(m, set, tables); });
  });
}

std::vector<Event> jumps(const NativeProblem& p, const std::vector<NativeContact>& all,
                         double hysteresis, double t0) {
  return with_contacts(
      all, [&](const auto& set) { return jump_events(contact_problem(p), set, hysteresis, t0); });
}

// smax and the weighted means of `quantities`(s, p).
ContactTable family_table(const Family& f, const TableRequest& request,
                          const py::object& quantities, const std::string& directory) {
  return std::visit(
      [&]<std::size_t D>(const FormulaFamily<D>& family) {
        const TableRequest ready = with_family(request, family);
        const auto means = quantities.is_none()
                               ? std::nullopt
                               : std::optional<TracedLaw>(TracedLaw(quantities.cast<py::function>(),
                                                                    static_cast<int>(D), 0));
        if (request.axes.size() != D)
          throw py::value_error(fmt::format("axes: {} are given, the family has {} coordinates",
                                            request.axes.size(), D));
        constexpr std::size_t most = 8;
        if (means && means->count() > static_cast<int>(most))
          throw py::value_error(fmt::format("means: at most {} are allowed", most));
        const ContactTable::Sample sample = [&](const std::array<double, 3>& p, double* values) {
          std::array<double, D> at{};
          std::copy_n(p.begin(), D, at.begin());
          const auto smooth = family.smooth(at, [&](double s, const auto& pose) {
            std::array<double, most> k{};
            if (means) (*means)(s, pose.data(), k.data());
            return k;
          });
          *values++ = smooth.value;
          for (int j = 0; means && j < means->count(); ++j)
            *values++ = smooth.mean[static_cast<std::size_t>(j)];
        };
        return directory.empty() ? ContactTable::build(ready, sample)
                                 : ContactTable::stored(directory, ready, sample);
      },
      f.any);
}

py::tuple evaluate_table(const ContactTable& t, const std::vector<double>& p) {
  if (static_cast<int>(p.size()) != t.dimension())
    throw py::value_error(
        fmt::format("p: {} numbers are given, the table has {}", p.size(), t.dimension()));
  py::array_t<double> values(t.quantities()), gradient(t.dimension());
  t.evaluate(p.data(), values.mutable_data(), gradient.mutable_data());
  return py::make_tuple(values, gradient);
}

void add_grid(py::module_& m) {
  py::class_<ContactGrid>(m, "ContactGrid",
                          "Points and weights of the fixed quadrature over contact coordinates.")
      .def(py::init<std::vector<double>>(), py::arg("points"))
      .def(py::init<double, double, std::vector<double>, std::vector<double>>(), py::arg("low"),
           py::arg("high"), py::arg("points"), py::arg("weights"))
      .def_static("uniform", &ContactGrid::uniform, py::arg("low"), py::arg("high"),
                  py::arg("intervals"))
      .def_static("graded", &ContactGrid::graded, py::arg("breaks"), py::arg("intervals"))
      .def_static("gauss", &ContactGrid::gauss, py::arg("breaks"), py::arg("points_per_panel"))
      .def_property_readonly("low", &ContactGrid::low)
      .def_property_readonly("high", &ContactGrid::high)
      .def_property_readonly("points",
                             [](const ContactGrid& g) {
                               Eigen::VectorXd x(g.size());
                               for (int i = 0; i < g.size(); ++i) x[i] = g.point(i);
                               return array_of(x);
                             })
      .def_property_readonly("weights",
                             [](const ContactGrid& g) {
                               Eigen::VectorXd x(g.size());
                               for (int i = 0; i < g.size(); ++i) x[i] = g.weight(i);
                               return array_of(x);
                             })
      .def("__len__", &ContactGrid::size)
      .def("__hash__", [](const ContactGrid& g) { return g.hash(); });
}

void add_families(py::module_& m) {
  using Numbers = std::vector<double>;
  py::class_<Family, std::shared_ptr<Family>>(m, "ContactFamily")
      .def(py::init(&make_any_family))
      .def("value",
           [](const Family& f, double s, const Numbers& p) {
             return with_pose(f, p, [&](const auto& c, const auto& at) { return c.zeta(s, at); });
           })
      .def("slope",
           [](const Family& f, double s, const Numbers& p) {
             return with_pose(f, p, [&](const auto& c, const auto& at) { return c.slope(s, at); });
           })
      .def("rigid",
           [](const Family& f, const Numbers& p) {
             return with_pose(
                 f, p, [](const auto& c, const auto& at) { return rigid_contact(c.rigid(at)); });
           })
      .def("rival",
           [](const Family& f, double s, const Numbers& p, const std::string& side) {
             return with_pose(f, p, [&](const auto& c, const auto& at) {
               return rigid_contact(c.rival(s, at, side_of(side)));
             });
           })
      .def("lead",
           [](const Family& f, double s, const Numbers& p, const std::string& side) {
             return with_pose(
                 f, p, [&](const auto& c, const auto& at) { return c.lead(s, at, side_of(side)); });
           })
      .def("settle",
           [](const Family& f, double s, const Numbers& p) {
             return with_pose(f, p, [&](const auto& c, const auto& at) { return c.settle(s, at); });
           })
      .def("spread",
           [](const Family& f, const Numbers& p) {
             return with_pose(f, p, [](const auto& c, const auto& at) { return c.spread(at); });
           })
      .def("smax",
           [](const Family& f, const Numbers& p) {
             return with_pose(f, p, [](const auto& c, const auto& at) { return c.smax(at); });
           })
      .def("attack",
           [](const Family& f, const Numbers& p) {
             return with_pose(f, p, [](const auto& c, const auto& at) { return c.attack(at); });
           })
      .def("approach",
           [](const Family& f, const Numbers& p) {
             return with_pose(f, p, [](const auto& c, const auto& at) { return c.approach(at); });
           })
      .def("expansion", family_expansion);
  py::class_<NativeContact>(m, "NativeContact")
      .def(py::init([](const std::string& name, const std::shared_ptr<Family>& family,
                       const py::function& place, int coordinates) {
        return NativeContact{
            name, family, TracedLaw(place, coordinates, static_cast<int>(family->dimension) + 1)};
      }));
}

}  // namespace

py::dict rigid_contact(const RigidContact& c) {
  py::dict d;
  d["s"] = c.s;
  d["value"] = c.value;
  d["curvature"] = c.curvature;
  d["interior"] = c.interior;
  return d;
}

void add_contacts(py::module_& m) {
  add_grid(m);
  add_contact_tables(m);
  add_families(m);
  m.def("rigid_contacts", rigid_problem);
  m.def("quasi_elastic_contacts", quasi_elastic);
  m.def("table_contacts", by_tables);
  m.def("jump_events", jumps);
  m.def("contact_table", family_table);
  m.def("table_values", evaluate_table);
  m.def("lift_off", [](const std::string& name, int multiplier, const std::string& action) {
    if (action != "stop" && action != "record")
      throw py::value_error(
          fmt::format("action: '{}' is given; allowed are stop and record", action));
    return lift_off(name, multiplier, action == "stop" ? EventAction::stop : EventAction::record);
  });
  m.def("plastic_impact", [](const NativeProblem& p, double t, const std::vector<double>& q,
                             const std::vector<double>& v, const std::vector<double>& s) {
    const auto vector = [](const std::vector<double>& x) -> Eigen::VectorXd {
      return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
    };
    return array_of(plastic_impact(contact_problem(p), t, vector(q), vector(v), vector(s)));
  });
}

}  // namespace daedalus::python
