// SPDX-License-Identifier: BSD-3-Clause
// Solutions: views of the library's memory that keep it alive, values and rates between the steps.
#include <fmt/format.h>

#include "bindings.hpp"
#include "integrate/solution_data.hpp"
#include "solution_archive.hpp"

namespace daedalus::python {

py::array_t<double> array_of(const Eigen::VectorXd& v) {
  return py::array_t<double>(v.size(), v.data());
}
py::array_t<double> array_of(const Eigen::MatrixXd& m) {
  py::array_t<double> a({m.rows(), m.cols()});
  Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(a.mutable_data(), m.rows(), m.cols()) =
      m;
  return a;
}

namespace {

// `owner` lives as long as the view; nobody writes into it.
py::array view(const double* first, std::vector<py::ssize_t> shape,
               std::vector<py::ssize_t> strides, const py::handle& owner) {
  py::array a(py::dtype::of<double>(), std::move(shape), std::move(strides), first, owner);
  py::detail::array_proxy(a.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return a;
}

const Solution& solution_in(const py::object& self) { return self.cast<const Solution&>(); }

py::array times_of(const py::object& self) {
  const SolutionData& d = solution_in(self).data();
  return view(d.times.data(), {static_cast<py::ssize_t>(d.times.size())}, {sizeof(double)}, self);
}

py::array states_of(const py::object& self) {
  const SolutionData& d = solution_in(self).data();
  const auto n = static_cast<py::ssize_t>(d.variables->size());
  const auto count = static_cast<py::ssize_t>(d.times.size());
  constexpr auto number = static_cast<py::ssize_t>(sizeof(double));
  return view(d.states.data(), {n, count}, {number, n * number}, self);
}

const Interpolant* piece_at(const SolutionData& d, double t) {
  if (d.interpolants.empty()) return nullptr;
  const double sign = d.end_time >= d.start_time ? 1.0 : -1.0;
  const auto it =
      std::partition_point(d.interpolants.begin(), d.interpolants.end(),
                           [&](const Interpolant& p) { return sign * (p.t0 + p.h - t) < 0.0; });
  return it == d.interpolants.end() ? &d.interpolants.back() : &*it;
}

py::array_t<double> values_at(const Solution& s, const py::array_t<double>& times) {
  const auto t = times.unchecked<1>();
  const auto n = static_cast<py::ssize_t>(s.variables().size());
  py::array_t<double> out({n, t.shape(0)});
  auto x = out.mutable_unchecked<2>();
  for (py::ssize_t k = 0; k < t.shape(0); ++k) {
    const ModelState at = s.at(t(k));
    for (py::ssize_t i = 0; i < n; ++i) x(i, k) = at.all()[i];
  }
  return out;
}

py::array_t<double> rates_at(const Solution& s, const py::array_t<double>& times) {
  const SolutionData& d = s.data();
  const auto t = times.unchecked<1>();
  const auto n = static_cast<py::ssize_t>(d.variables->size());
  py::array_t<double> out({n, t.shape(0)});
  auto x = out.mutable_unchecked<2>();
  Eigen::VectorXd rate(d.layout.tangents());
  for (py::ssize_t k = 0; k < t.shape(0); ++k) {
    const Interpolant* p = piece_at(d, t(k));
    if (p == nullptr || !d.layout.euclidean())
      throw InvalidArgument(
          "derivative: the run needs dense output (output='dense') on a vector space");
    rate_of(*p, t(k), rate);
    for (py::ssize_t i = 0; i < n; ++i) x(i, k) = rate[i];
  }
  return out;
}

py::list events_of(const Solution& s) {
  py::list list;
  for (const EventRecord& e : s.events()) list.append(py::make_tuple(e.name, e.t, array_of(e.y)));
  return list;
}

py::array_t<double> drift_of(const Solution& s) {
  py::array_t<double> out({static_cast<py::ssize_t>(s.drift().size()), py::ssize_t{4}});
  double* to = out.mutable_data();
  for (const DriftSample& d : s.drift())
    for (const double x : {d.t, d.position, d.velocity, d.acceleration}) *to++ = x;
  return out;
}

py::list ranges_of(const Solution& s) {
  py::list list;
  for (const Variables::Range& r : s.variables().ranges)
    list.append(py::make_tuple(std::string(to_string(r.cls)), r.index, r.first, r.count));
  return list;
}

// Stands for an exception that Python has taken over.
struct Taken {
  PyObject* type = PyErr_NewException("daedalus._daedalus.Taken", nullptr, nullptr);
};

// The exception that ended the run, as Python raised it; None where it was none of Python's. The
// run lets go of it: an exception that has the solution as an attribute, while the solution has the
// exception, would never be freed, since the collector does not see through the library.
py::object take_exception(const Solution& s) {
  if (s.status() != Status::callback_failed || !s.exception()) return py::none();
  static const Taken taken;
  try {
    std::rethrow_exception(s.exception());
  } catch (py::error_already_set& error) {
    if (error.matches(taken.type)) return py::none();
    py::object value = error.value();
    if (error.trace()) PyException_SetTraceback(value.ptr(), error.trace().ptr());
    PyErr_SetNone(taken.type);
    error = py::error_already_set();
    return value;
  } catch (...) {
    return py::none();
  }
}

}  // namespace

void rate_of(const Interpolant& p, double t, Eigen::VectorXd& rate) {
  const double theta = (t - p.t0) / p.h;
  rate.setZero(p.c.rows());
  for (int j = p.degree; j >= 1; --j) rate = rate * theta + static_cast<double>(j) * p.c.col(j);
  rate /= p.h;
}

void add_solutions(py::module_& m) {
  py::class_<Solution>(m, "Solution")
      .def_property_readonly("ok", &Solution::ok)
      .def_property_readonly("status",
                             [](const Solution& s) { return std::string(to_string(s.status())); })
      .def_property_readonly("message", [](const Solution& s) { return s.message(); })
      .def_property_readonly("end_time", &Solution::end_time)
      .def_property_readonly("start_time", [](const Solution& s) { return s.data().start_time; })
      .def_property_readonly("names", [](const Solution& s) { return s.variables().names; })
      .def_property_readonly("ranges", ranges_of)
      .def_property_readonly("dense",
                             [](const Solution& s) { return !s.data().interpolants.empty(); })
      .def_property_readonly("t", times_of)
      .def_property_readonly("y", states_of)
      .def_property_readonly("start", [](const Solution& s) { return s.start(); })
      .def_property_readonly("end", [](const Solution& s) { return s.end(); })
      .def_property_readonly("events", events_of)
      .def_property_readonly("drift", drift_of)
      .def_property_readonly("statistics",
                             [](const Solution& s) { return dictionary_of(s.statistics()); })
      .def_property_readonly("choice",
                             [](const Solution& s) {
                               const MethodChoice& c = s.choice();
                               py::dict d;
                               d["method"] = c.method;
                               d["formulation"] = c.formulation;
                               d["linear_solver"] = c.linear_solver;
                               d["reason"] = c.reason;
                               d["tolerance_share"] = c.tolerance_share;
                               return d;
                             })
      .def_property_readonly("warnings", [](const Solution& s) { return s.warnings(); })
      .def("take_exception", take_exception)
      .def("values", values_at)
      .def("rates", rates_at)
      .def("state", &Solution::state)
      .def("at", &Solution::at)
      .def("sensitivity",
           [](const Solution& s, double t) {
             const Eigen::MatrixXd columns = s.sensitivity(t).matrix();
             py::array_t<double> out({columns.rows(), columns.cols()});
             for (Eigen::Index i = 0; i < columns.rows(); ++i)
               for (Eigen::Index j = 0; j < columns.cols(); ++j)
                 out.mutable_at(i, j) = columns(i, j);
             return out;
           })
      .def("sensitivity_columns",
           [](const Solution& s) {
             std::vector<std::string> names;
             for (const SensitivityColumn& c : s.sensitivities().columns) names.push_back(c.name);
             return names;
           })
      .def("sensitivity_variables", [](const Solution& s) { return s.sensitivities().variables; })
      .def(py::pickle([](const Solution& s) { return py::bytes(save_solution(s)); },
                      [](const py::bytes& b) { return load_solution(std::string(b)); }));
}

}  // namespace daedalus::python
