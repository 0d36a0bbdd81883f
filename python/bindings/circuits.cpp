// SPDX-License-Identifier: BSD-3-Clause
// Circuits: what netlists add to problems.
#include <pybind11/complex.h>

#include <daedalus/circuit.hpp>

#include "bindings.hpp"

namespace daedalus::python {
namespace {

py::dict index_of_circuit(const Circuit& c) {
  const CircuitIndex& i = c.index();
  py::dict d;
  d["topology"] = i.topology;
  d["numerical"] = i.numerical;
  d["by_numbers"] = i.by_numbers;
  d["loops"] = i.loops;
  d["cutsets"] = i.cutsets;
  d["cause"] = i.cause;
  d["variables"] = i.variables;
  d["text"] = i.text;
  return d;
}

py::dict operating_point(const Circuit& c, const std::vector<std::string>& skip,
                         int max_iterations) {
  OperatingPoint op;
  {
    const py::gil_scoped_release unlocked;
    op = c.operating_point({skip, max_iterations});
  }
  py::dict values;
  for (const auto& [name, value] : op.values) values[py::str(name)] = value;
  py::list attempts;
  for (const OperatingPoint::Attempt& a : op.attempts) {
    py::dict attempt;
    attempt["method"] = a.method;
    attempt["iterations"] = a.iterations;
    attempt["reached"] = a.reached;
    attempts.append(attempt);
  }
  py::dict d;
  d["found"] = op.found;
  d["method"] = op.method;
  d["iterations"] = op.iterations;
  d["values"] = values;
  d["attempts"] = attempts;
  d["message"] = op.message;
  return d;
}

// Rows of numbers as an array.
py::array_t<double> table_of(const DirectSweep& s, std::vector<double> DirectSweep::Point::*row,
                             std::size_t columns) {
  py::array_t<double> all({s.points.size(), columns});
  double* to = all.mutable_data();
  for (const DirectSweep::Point& p : s.points) to = std::copy((p.*row).begin(), (p.*row).end(), to);
  return all;
}

py::dict direct_sweep(const Circuit& c) {
  DirectSweep s;
  {
    const py::gil_scoped_release unlocked;
    s = c.direct_sweep();
  }
  py::dict d;
  d["swept_names"] = s.swept_names;
  d["names"] = s.names;
  d["swept"] = table_of(s, &DirectSweep::Point::swept, s.swept_names.size());
  d["values"] = table_of(s, &DirectSweep::Point::values, s.names.size());
  d["jumps"] = s.jumps;
  d["complete"] = s.complete;
  d["message"] = s.message;
  return d;
}

py::dict small_signals(const Circuit& c) {
  std::vector<SmallSignal> all;
  {
    const py::gil_scoped_release unlocked;
    all = c.small_signals();
  }
  const std::size_t names = c.names().size();
  py::array_t<double> f(static_cast<py::ssize_t>(all.size()));
  py::array_t<std::complex<double>> values({all.size(), names});
  std::complex<double>* to = values.mutable_data();
  for (std::size_t k = 0; k < all.size(); ++k) {
    f.mutable_data()[k] = all[k].f;
    to = std::copy(all[k].values.begin(), all[k].values.end(), to);
  }
  py::dict d;
  d["f"] = f;
  d["names"] = c.names();
  d["values"] = values;
  return d;
}

py::list warnings_of(const Circuit& c) {
  py::list list;
  for (const SourceDiagnostic& w : c.warnings()) list.append(text(w));
  return list;
}

}  // namespace

void add_circuits(py::module_& m) {
  py::class_<Circuit, std::shared_ptr<Circuit>>(m, "Circuit")
      .def_property_readonly("title", &Circuit::title)
      .def_property_readonly("file", &Circuit::file)
      .def_property_readonly("elements",
                             [](const Circuit& c) {
                               py::dict d;
                               for (const auto& [kind, count] : c.elements())
                                 d[py::str(std::string(1, kind))] = count;
                               return d;
                             })
      .def_property_readonly("nodes", &Circuit::nodes)
      .def_property_readonly("analyses", &Circuit::analyses)
      .def_property_readonly("printed", &Circuit::printed)
      .def_property_readonly("warnings", warnings_of)
      .def_property_readonly("names", &Circuit::names)
      .def_property_readonly("corner_count", &Circuit::corner_count)
      .def("index", index_of_circuit)
      .def("operating_point", operating_point)
      .def("direct_sweep", direct_sweep)
      .def("small_signals", small_signals)
      .def("poles", [](const Circuit& c) {
        const std::vector<std::complex<double>> poles = c.poles();
        return py::array_t<std::complex<double>>(static_cast<py::ssize_t>(poles.size()),
                                                 poles.data());
      });
}

}  // namespace daedalus::python
