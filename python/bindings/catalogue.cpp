// SPDX-License-Identifier: BSD-3-Clause
// The problems of the catalogue with their references.
#include <catalogue/catalogue.hpp>

#include "bindings.hpp"

namespace daedalus::python {
namespace {

using problems::Entry;

const Entry& entry_of(const std::string& name) {
  const Entry* e = problems::find_problem(name);
  if (e == nullptr) throw py::key_error(name);
  return *e;
}

py::object reference_of(const Entry& e) {
  if (!e.reference) return py::none();
  py::dict d;
  d["t"] = e.reference->t;
  d["values"] = e.reference->values;
  d["counted"] = e.reference->counted;
  d["digits"] = e.reference->digits;
  d["source"] = e.reference->source;
  return d;
}

py::dict described_entry(const std::string& name) {
  const Entry& e = entry_of(name);
  py::dict d, parameters;
  for (const Parameter& p : e.parameters) parameters[py::str(p.name)] = p.value;
  d["name"] = e.name;
  d["title"] = e.title;
  d["form"] = e.form;
  d["index"] = e.index;
  d["t0"] = e.t0;
  d["t_end"] = e.t_end;
  d["stiff"] = e.stiff;
  d["source"] = e.source;
  d["suites"] = e.suites;
  d["expected_status"] = e.expected_status;
  d["equations"] = e.equations;
  d["parameters"] = parameters;
  d["atol_scale"] = e.atol_scale;
  d["reference"] = reference_of(e);
  d["has_exact"] = static_cast<bool>(e.exact);
  d["has_events"] = static_cast<bool>(e.build_events);
  d["has_scene"] = static_cast<bool>(e.scene);
  return d;
}

problems::Values all_values(const Entry& e, const problems::Values& overrides) {
  problems::Values values;
  for (const Parameter& p : e.parameters) values[p.name] = p.value;
  for (const auto& [name, value] : overrides) values[name] = value;
  return values;
}

}  // namespace

void add_catalogue(py::module_& m) {
  m.def("catalogue_names", [] {
    std::vector<std::string> names;
    for (const Entry* e : problems::all_problems()) names.push_back(e->name);
    return names;
  });
  m.def("catalogue_entry", described_entry);
  m.def("catalogue_problem", [](const std::string& name, const problems::Values& values) {
    return NativeProblem{entry_of(name).problem(values)};
  });
  py::class_<Event>(m, "NativeEvent").def_readonly("name", &Event::name);
  m.def("catalogue_events", [](const std::string& name, const problems::Values& values) {
    return entry_of(name).events(values);
  });
  m.def("catalogue_exact", [](const std::string& name, double t, const problems::Values& values) {
    const Entry& e = entry_of(name);
    return e.exact ? e.exact(t, all_values(e, values))
                   : std::vector<std::pair<std::string, double>>{};
  });
}

}  // namespace daedalus::python
