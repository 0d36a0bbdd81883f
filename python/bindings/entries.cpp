// SPDX-License-Identifier: BSD-3-Clause
// Problems of the catalogue and of files: what is known about them, and how they are built.
#include "entries.hpp"

#include <dlfcn.h>

#include <catalogue/catalogue.hpp>
#include <daedalus/model_file.hpp>
#include <daedalus/sensitivity.hpp>

#include "bindings.hpp"
#include "files/plugin.hpp"

namespace daedalus::python {
namespace {

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

py::dict described_entry(const NativeEntry& native) {
  const Entry& e = *native.entry;
  py::dict d, parameters, outputs;
  for (const Parameter& p : e.parameters) parameters[py::str(p.name)] = p.value;
  for (const ModelOutput& o : e.outputs) outputs[py::str(o.name)] = o.description;
  d["name"] = e.name;
  d["title"] = e.title;
  d["kind"] = native.file ? native.file->kind : "catalogue";
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
  d["units"] = e.units;
  d["descriptions"] = e.descriptions;
  d["outputs"] = outputs;
  d["notes"] = e.notes;
  return d;
}

// What the model asks for: events, and how its start values are meant.
py::dict standard_options(const NativeEntry& native, const Values& values) {
  Options options;
  native.entry->apply(options, values);
  py::dict d;
  if (!options.events.empty()) d["events"] = options.events;
  if (options.start == StartStrategy::solve) d["start"] = "solve";
  if (options.start == StartStrategy::given) d["start"] = "given";
  if (!options.fixed.empty()) d["fixed"] = options.fixed;
  if (options.sensitivities.family)
    d["sensitivities"] = py::dict(
        py::arg("family") = std::const_pointer_cast<ParameterFamily>(options.sensitivities.family));
  return d;
}

// Outputs at the reported states, one row each.
py::array_t<double> outputs_of(const NativeEntry& native, const Values& overrides,
                               const Solution& s) {
  const Entry& e = *native.entry;
  const Values values = e.all_values(overrides);
  py::array_t<double> all({e.outputs.size(), s.times().size()});
  auto to = all.mutable_unchecked<2>();
  Eigen::VectorXd row(static_cast<Eigen::Index>(e.outputs.size()));
  for (std::size_t k = 0; k < s.times().size(); ++k) {
    if (e.evaluate_outputs) e.evaluate_outputs(values, s.state(k), Out(row.data(), row.size()));
    for (Eigen::Index i = 0; i < row.size(); ++i) to(i, static_cast<py::ssize_t>(k)) = row[i];
  }
  return all;
}

std::vector<std::pair<std::string, double>> exact_at(const NativeEntry& native, double t,
                                                     const Values& values) {
  const Entry& e = *native.entry;
  if (!e.exact) return {};
  return e.exact(t, e.all_values(values));
}

NativeEntry catalogue_entry(const std::string& name) {
  const Entry* e = problems::find_problem(name);
  if (e == nullptr) throw py::key_error(name);
  return {{std::shared_ptr<void>(), e}, nullptr};  // the catalogue lives as long as the process
}

NativeEntry entry_of(ProblemFile read) {
  const auto file = std::make_shared<const ProblemFile>(std::move(read));
  return {{file, &file->entry}, file};
}

// {kind, allow_files, model, libraries}
ProblemFileOptions file_options(const py::dict& given) {
  ProblemFileOptions o;
  o.kind = given["kind"].cast<std::string>();
  o.allow_files = given["allow_files"].cast<bool>();
  o.model = given["model"].cast<std::string>();
  o.libraries = given["libraries"].cast<std::vector<std::string>>();
  return o;
}

}  // namespace

std::filesystem::path module_file() {
  Dl_info here{};
  return dladdr(reinterpret_cast<void*>(&module_file), &here) != 0 ? here.dli_fname : "";
}

void show_library() { dlopen(module_file().c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL); }

namespace {

NativeEntry open_file(const std::string& path, const py::dict& given) {
  const ProblemFileOptions options = file_options(given);
  const py::gil_scoped_release unlocked;
  if (names_plugin(path) && options.kind.empty()) {
    show_library();
    return entry_of(load_plugin(path));
  }
  return entry_of(read_problem_file(path, options));
}

NativeEntry open_text(const std::string& text, const std::string& name, const std::string& folder,
                      const py::dict& given) {
  const ProblemFileOptions options = file_options(given);
  const py::gil_scoped_release unlocked;
  return entry_of(read_problem_text({name, folder, text}, options));
}

py::dict file_kinds() {
  py::dict kinds;
  for (const ProblemReader& r : problem_readers()) {
    py::list extensions;
    for (const std::string_view e : r.extensions) extensions.append(py::str(e.data(), e.size()));
    kinds[py::str(r.kind.data(), r.kind.size())] = extensions;
  }
  return kinds;
}

}  // namespace

void add_entries(py::module_& m) {
  py::class_<ParameterFamily, std::shared_ptr<ParameterFamily>>(m, "ParameterFamily");
  py::class_<Event>(m, "NativeEvent").def_readonly("name", &Event::name);
  py::class_<NativeEntry>(m, "Entry")
      .def("describe", described_entry)
      .def("problem",
           [](const NativeEntry& e, const Values& values) {
             const py::gil_scoped_release unlocked;
             return NativeProblem{e.entry->problem(values)};
           })
      .def("standard_options", standard_options)
      .def("outputs", outputs_of)
      .def("exact", exact_at)
      .def_property_readonly("circuit",
                             [](const NativeEntry& e) -> py::object {
                               if (!e.file || !e.file->circuit) return py::none();
                               return py::cast(std::const_pointer_cast<Circuit>(e.file->circuit));
                             })
      .def("as_cpp",
           [](const NativeEntry& e) -> py::object {
             if (!e.file || !e.file->builder) return py::none();
             return py::cast(model_as_cpp(*e.file->builder(), e.file->file));
           })
      .def("mechanism", [](const NativeEntry& e, const Values& values) -> py::object {
        if (!e.file || !e.file->mechanism) return py::none();
        return py::cast(std::const_pointer_cast<NamedMechanism>(
            e.file->mechanism(e.entry->all_values(values))));
      });
  m.def("catalogue_names", [] {
    std::vector<std::string> names;
    for (const Entry* e : problems::all_problems()) names.push_back(e->name);
    return names;
  });
  m.def("catalogue_entry", catalogue_entry);
  m.def("open_file", open_file);
  m.def("open_text", open_text);
  m.def("file_kinds", file_kinds);
}

}  // namespace daedalus::python
