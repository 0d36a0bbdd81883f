// SPDX-License-Identifier: BSD-3-Clause
#include "hooks.hpp"

#include <fmt/format.h>

#include "call.hpp"

namespace daedalus::python {
namespace {

void take(py::handle result, Out to, const char* what) {
  const std::vector<double> list = numbers_from(result, what);
  if (static_cast<Eigen::Index>(list.size()) != to.size())
    throw py::value_error(
        fmt::format("{}: {} numbers were returned, expected {}", what, list.size(), to.size()));
  to = Eigen::Map<const Eigen::VectorXd>(list.data(), to.size());
}

py::array_t<double> copied(In x) { return py::array_t<double>(x.size(), x.data()); }

}  // namespace

void HookOf<void(const DefectSite&, Out)>::operator()(const DefectSite& site, Out rows) const {
  const py::gil_scoped_acquire lock;
  begin_run();
  const py::object result = (*f)(site.step, site.t, site.h, site.row_names);
  take(result, rows, "defect");
}

bool HookOf<bool(double, Out)>::operator()(double t, Out y) const {
  const py::gil_scoped_acquire lock;
  begin_run();
  const py::object result = (*f)(t);
  if (result.is_none()) return false;
  take(result, y, "known");
  return true;
}

void read_krylov(const py::dict& from, KrylovOptions& o) {
  for (const auto& [key, value] : from) {
    const std::string name = py::str(key);
    if (name == "dimension") {
      o.dimension = value.cast<int>();
    } else if (name == "iterations") {
      o.iterations = value.cast<int>();
    } else if (name == "tolerance") {
      o.tolerance = value.cast<double>();
    } else if (name == "update") {
      o.preconditioner.update = [f = hold(value)](const PreconditionerSite& s) {
        const py::gil_scoped_acquire lock;
        const py::object made = (*f)(s.t, copied(s.x), copied(s.xd), s.alpha);
        return made.is_none() || static_cast<bool>(py::bool_(made));
      };
    } else if (name == "apply") {
      o.preconditioner.apply = [f = hold(value)](In r, Out x) {
        const py::gil_scoped_acquire lock;
        take((*f)(copied(r)), x, "krylov.apply");
      };
    } else {
      throw py::type_error(fmt::format(
          "krylov: there is no '{}'; allowed are dimension, iterations, tolerance, update, apply",
          name));
    }
  }
}

}  // namespace daedalus::python
