// SPDX-License-Identifier: BSD-3-Clause
// The module daedalus._daedalus.
#include <daedalus/trajectory_file.hpp>
#include <daedalus/version.hpp>

#include "bindings.hpp"

namespace daedalus::python {

void add_errors(py::module_& m) {
  py::register_exception<InvalidArgument>(m, "InvalidArgument", PyExc_ValueError).attr("__doc__") =
      "Misuse, found before the first step; names the field and what is allowed.";
  py::register_exception<FileError>(m, "FileError", PyExc_OSError).attr("__doc__") =
      "A file could not be read or written; names it and the place in it.";
  py::register_exception<Reject>(m, "Reject", PyExc_Exception).attr("__doc__") =
      "Raised by a callback that is asked outside of its domain: a smaller step is tried.";
}

}  // namespace daedalus::python

PYBIND11_MODULE(_daedalus, m) {
  using namespace daedalus::python;
  m.doc() = "The compiled half of the package daedalus.";
  m.attr("version") = std::string(daedalus::version);
  add_errors(m);
  add_expressions(m);  // before what takes functions made of them
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
