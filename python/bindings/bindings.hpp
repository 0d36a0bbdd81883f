// SPDX-License-Identifier: BSD-3-Clause
// The compiled half of the Python package: what the files of this folder share. Python files on top
// give names, defaults and documentation; here are memory, threads and exceptions.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solution.hpp>

namespace daedalus {
struct RigidContact;
}

namespace daedalus::python {

namespace py = pybind11;

// A problem as Python holds it: immutable, shared by runs.
struct NativeProblem {
  Problem problem;
};

void add_errors(py::module_& module);
void add_spaces(py::module_& module);
void add_problems(py::module_& module);
void add_options(py::module_& module);
void add_solutions(py::module_& module);
void add_states(py::module_& module);
void add_runs(py::module_& module);
void add_methods(py::module_& module);
void add_entries(py::module_& module);
void add_circuits(py::module_& module);
void add_mechanisms(py::module_& module);
void add_assembled(py::module_& module);
void add_contacts(py::module_& module);
void add_contact_tables(py::module_& module);
void add_wheel_rail(py::module_& module);
void add_wheelsets(py::module_& module);
void add_analysis(py::module_& module);
void add_laboratory(py::module_& module);
void add_gradients(py::module_& module);
void add_fits(py::module_& module);
void add_files(py::module_& module);
void add_ranks(py::module_& module);
void add_expressions(py::module_& module);

// A run or a step begins, or other code of the user has run: what functions returned before counts
// no more, since they may read what has changed.
void begin_run();

// Options from keywords; with a check for signals so that an interrupt ends a run.
Options options_from(const py::dict& keywords);
Event event_from(const py::handle& description);

// A vector as an array of its own.
py::array_t<double> array_of(const Eigen::VectorXd& v);
py::array_t<double> array_of(const Eigen::MatrixXd& m);
py::dict dictionary_of(const Statistics& statistics);
py::dict rigid_contact(const RigidContact& contact);

}  // namespace daedalus::python
