// SPDX-License-Identifier: BSD-3-Clause
// The module daedalus._daedalus.
#include <daedalus/hdf5.hpp>
#include <daedalus/model_file.hpp>
#include <daedalus/trajectory_file.hpp>
#include <daedalus/version.hpp>

#include "bindings.hpp"

namespace daedalus::python {

namespace {

// A dictionary per mistake of a model's text.
py::list diagnostics_of(const InvalidModel& wrong) {
  py::list list;
  for (const SourceDiagnostic& d : wrong.diagnostics) {
    py::dict one;
    one["file"] = d.file;
    one["line"] = d.line;
    one["column"] = d.column;
    one["length"] = d.length;
    one["severity"] = std::string(to_string(d.severity));
    one["message"] = d.message;
    one["hint"] = d.hint;
    list.append(one);
  }
  return list;
}

// The type is made once; its objects carry the list.
PyObject* invalid_model_type = nullptr;

void translate_invalid_model(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InvalidModel& wrong) {
    const py::object error = py::reinterpret_borrow<py::object>(invalid_model_type)(wrong.what());
    error.attr("diagnostics") = diagnostics_of(wrong);
    PyErr_SetObject(invalid_model_type, error.ptr());
  }
}

}  // namespace

void add_errors(py::module_& m) {
  py::register_exception<InvalidArgument>(m, "InvalidArgument", PyExc_ValueError).attr("__doc__") =
      "Misuse, found before the first step; names the field and what is allowed.";
  invalid_model_type = PyErr_NewExceptionWithDoc(
      "daedalus._daedalus.InvalidModel",
      "A model that cannot be built; diagnostics are the mistakes with their places.",
      m.attr("InvalidArgument").ptr(), nullptr);
  m.attr("InvalidModel") = py::reinterpret_borrow<py::object>(invalid_model_type);
  py::register_exception_translator(translate_invalid_model);
  py::register_exception<FileError>(m, "FileError", PyExc_OSError).attr("__doc__") =
      "A file could not be read or written; names it and the place in it.";
  py::register_exception<Reject>(m, "Reject", PyExc_Exception).attr("__doc__") =
      "Raised by a callback that is asked outside of its domain: a smaller step is tried.";
}

}  // namespace daedalus::python

PYBIND11_MODULE(_daedalus, m) {
  using namespace daedalus::python;
  m.doc() = "The compiled half of the package daedalus.";
#ifdef DAEDALUS_PYTHON_HAS_HDF5
  daedalus::enable_hdf5();
#endif
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
  add_circuits(m);
  add_mechanisms(m);
  add_assembled(m);
  add_entries(m);
  add_contacts(m);
  add_wheel_rail(m);
  add_wheelsets(m);
  add_analysis(m);
  add_laboratory(m);
  add_gradients(m);
  add_fits(m);
  add_files(m);
  add_ranks(m);
}
