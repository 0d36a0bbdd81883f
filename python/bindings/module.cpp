// SPDX-License-Identifier: BSD-3-Clause
// The module daedalus._daedalus.
#include <daedalus/trajectory_file.hpp>
#include <daedalus/version.hpp>

#include "bindings.hpp"

namespace daedalus::python {

void add_errors(py::module_& m) {
  py::register_exception<InvalidArgument>(m, "InvalidArgument", PyExc_ValueError);
  py::register_exception<FileError>(m, "FileError", PyExc_OSError);
  // Raised by a callback: outside of its domain, a smaller step is tried.
  py::register_exception<Reject>(m, "Reject", PyExc_Exception);
}

}  // namespace daedalus::python

PYBIND11_MODULE(_daedalus, m) {
  using namespace daedalus::python;
  m.doc() = "The compiled half of the package daedalus.";
  m.attr("version") = std::string(daedalus::version);
  add_errors(m);
  add_spaces(m);
  add_problems(m);
  add_states(m);
  add_options(m);
  add_solutions(m);
  add_runs(m);
  add_methods(m);
  add_catalogue(m);
  add_analysis(m);
  add_laboratory(m);
  add_files(m);
}
