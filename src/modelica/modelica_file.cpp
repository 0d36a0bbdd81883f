// SPDX-License-Identifier: BSD-3-Clause
// The door: texts and classes become entries that every command takes.
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include <daedalus/modelica.hpp>

#include "io/trajectory_formats.hpp"
#include "modelica/compile.hpp"

namespace daedalus {

using modelica::FlatModel;
using modelica::FlatParameter;
using modelica::FlatVariable;
using modelica::Program;

InvalidModelica::InvalidModelica(std::vector<SourceDiagnostic> list,
                                 std::vector<std::string> phases_of)
    : InvalidModel(std::move(list)), phases(std::move(phases_of)) {}

namespace {

namespace fs = std::filesystem;

std::vector<std::string> library_folders(const std::vector<std::string>& given,
                                         const std::string& folder) {
  std::vector<std::string> all;
  if (!folder.empty()) all.push_back(folder);
  all.insert(all.end(), given.begin(), given.end());
  if (const char* path = std::getenv("MODELICAPATH")) {
    std::istringstream list(path);
    for (std::string one; std::getline(list, one, ':');)
      if (!one.empty()) all.push_back(one);
  }
  return all;
}

// One structure of the model: compiled once, for all values of the other parameters.
struct Compiled {
  std::shared_ptr<const ModelBuilder> builder;
  std::shared_ptr<const Model> model;
  Entry entry;
  std::vector<Parameter> parameters;  // in the order of the text, structural ones among them
  std::set<std::string> names;        // of those that the compiled model has
};

std::vector<Parameter> parameters_of(const FlatModel& flat) {
  std::vector<Parameter> list;
  for (const FlatParameter& p : flat.parameters)
    if (p.settable) list.push_back({p.name, p.value.is_number() ? p.value.number() : p.number});
  return list;
}

// All of them; shared by threads.
class Family {
 public:
  Family(std::shared_ptr<Program> program, ModelOptions options)
      : program_(std::move(program)), options_(std::move(options)) {}

  std::shared_ptr<const Compiled> first(FlatModel flat) {
    for (const FlatParameter& p : flat.parameters)
      if (p.structural && p.settable) structural_[p.name] = p.number;
    for (const Parameter& p : parameters_of(flat)) defaults_[p.name] = p.value;
    return keep(std::move(flat), {});
  }

  // Values of structural parameters that are not those of the text.
  std::map<std::string, double> changed(const Values& values) const {
    std::map<std::string, double> list;
    for (const auto& [name, value] : values)
      if (const auto known = structural_.find(name);
          known != structural_.end() && known->second != value)
        list[name] = value;
    return list;
  }

  std::shared_ptr<const Compiled> of(const Values& values) {
    const std::map<std::string, double> changed = this->changed(values);
    const std::lock_guard lock(mutex_);
    if (const auto known = compiled_.find(changed); known != compiled_.end()) return known->second;
    return keep(program_->flat(changed), changed);
  }

  // Without those that decide the structure: the compiled model does not have them. Nor has it the
  // elements of arrays that became shorter; values of the text for these mean nothing.
  Values remaining(Values values, const Compiled& compiled) const {
    for (const auto& s : structural_) values.erase(s.first);
    if (values.size() == compiled.entry.parameters.size()) return values;
    for (auto v = values.begin(); v != values.end();) {
      const auto usual = defaults_.find(v->first);
      const bool gone =
          usual != defaults_.end() && usual->second == v->second && !compiled.names.count(v->first);
      v = gone ? values.erase(v) : std::next(v);
    }
    return values;
  }
  const std::map<std::string, double>& structural() const { return structural_; }
  int compilations() const { return program_->compilations(); }
  Program& program() { return *program_; }

 private:
  std::shared_ptr<const Compiled> keep(FlatModel flat, const std::map<std::string, double>& key) {
    auto c = std::make_shared<Compiled>();
    modelica::use_rates_of_sums(flat);
    c->builder = modelica::lower(flat, program_->files(), program_->mistakes());
    program_->fail_if_wrong();
    c->model = compile(*c->builder);
    c->entry = c->model->entry();
    c->parameters = parameters_of(flat);
    for (const Parameter& p : c->entry.parameters) c->names.insert(p.name);
    compiled_[key] = c;
    return c;
  }

  // What the structure of the compiled model shows is told at the place of the text.
  std::shared_ptr<const Model> compile(const ModelBuilder& builder) {
    try {
      return builder.model(options_);
    } catch (const ModelError& e) {
      std::vector<SourceDiagnostic> list;
      for (const Diagnostic& d : e.diagnostics) {
        SourceDiagnostic s;
        s.severity = d.severity;
        s.message = d.message;
        if (!d.places.empty()) {
          s.file = d.places.front().file;
          s.line = d.places.front().line;
          s.column = d.places.front().column;
        }
        if (s.file.empty()) {
          const modelica::Place p = program_->chosen()->place;
          s.file = program_->files().diagnostic(p).file;
          s.line = program_->files().line(p);
          s.column = program_->files().column(p);
        }
        list.push_back(std::move(s));
      }
      throw InvalidModelica(list, std::vector<std::string>(list.size(), "structure"));
    }
  }

  std::shared_ptr<Program> program_;
  ModelOptions options_;
  std::map<std::string, double> structural_, defaults_;  // values of the text
  std::mutex mutex_;
  std::map<std::map<std::string, double>, std::shared_ptr<const Compiled>> compiled_;
};

Entry entry_of(const std::shared_ptr<Family>& family, const Compiled& compiled,
               const std::string& source) {
  Entry e = compiled.entry;
  e.source = source;
  e.parameters = compiled.parameters;
  e.build = [family](const Values& v) {
    const auto c = family->of(v);
    return c->model->problem(family->remaining(v, *c));
  };
  if (e.build_events || !family->structural().empty())
    e.build_events = [family](const Values& v) {
      const auto c = family->of(v);
      return c->model->events(family->remaining(v, *c));
    };
  e.evaluate_outputs = [family](const Values& v, const StateView& s, Out out) {
    const auto c = family->of(v);
    c->model->evaluate_outputs(family->remaining(v, *c), s, out);
  };
  return e;
}

// Entries of structures other than that of the text, as they are asked for.
class Structures {
 public:
  Structures(std::shared_ptr<Family> family, Entry first)
      : family_(std::move(family)), first_(std::move(first)) {}

  const Entry& of(const Values& values) {
    const std::map<std::string, double> key = family_->changed(values);
    if (key.empty()) return first_;
    const std::shared_ptr<const Compiled> compiled = family_->of(values);
    const std::lock_guard lock(mutex_);
    const auto known = entries_.find(key);
    if (known != entries_.end()) return known->second;
    Entry e = entry_of(family_, *compiled, first_.source);
    for (Parameter& p : e.parameters)
      if (const auto given = key.find(p.name); given != key.end()) p.value = given->second;
    return entries_.emplace(key, std::move(e)).first->second;
  }

 private:
  std::shared_ptr<Family> family_;
  Entry first_;
  std::mutex mutex_;
  std::map<std::map<std::string, double>, Entry> entries_;
};

ModelicaFile finished(const std::shared_ptr<Program>& program, const ModelicaOptions& options,
                      const std::string& source) {
  program->choose(options.model);
  FlatModel flat = program->flat({});
  auto family = std::make_shared<Family>(program, options.compiled);
  ModelicaFile file;
  file.class_name = modelica::Library::full_name(program->chosen());
  file.tolerance = flat.tolerance;
  file.has_tolerance = flat.has_tolerance;
  file.interval = flat.interval;
  file.unknowns = static_cast<int>(flat.variables.size());
  file.discrete = static_cast<int>(flat.discretes.size());
  for (const modelica::FlatEquation& e : flat.equations) file.equations += !e.discrete;
  for (const modelica::FlatFamily& f : flat.families) file.equations += f.count;
  for (const auto* list : {&flat.variables, &flat.discretes})
    for (const FlatVariable& v : *list) {
      if (v.protected_) file.hidden.push_back(v.name);
      file.equations += v.unknown_parameter;
    }
  for (const modelica::FlatDelay& d : flat.delays)
    file.hidden.emplace_back(flat.graph->name(d.history.node()));
  file.flat = [program] { return modelica::text_of(program->flat({}), program->files()); };
  file.flat_parts = [program] { return modelica::parts_of(program->flat({}), program->files()); };
  const std::shared_ptr<const Compiled> first = family->first(std::move(flat));
  file.builder = first->builder;
  file.model = first->model;
  file.entry = entry_of(family, *first, source);
  const auto structures = std::make_shared<Structures>(family, file.entry);
  file.entry_for = [structures](const Values& v) -> const Entry& { return structures->of(v); };
  file.compilations = [family] { return family->compilations(); };
  file.warnings = program->mistakes().sorted();
  file.phases = program->mistakes().phases();
  file.files_read = program->files().count();
  return file;
}

}  // namespace

ModelicaFile read_modelica_text(std::string text, const std::string& name,
                                const ModelicaOptions& options, const std::string& folder) {
  auto program =
      std::make_shared<Program>(library_folders(options.libraries, folder), options.rolled);
  program->add_text(name, std::move(text));
  return finished(program, options, name);
}

ModelicaFile read_modelica_file(const std::string& path, const ModelicaOptions& options) {
  const std::string folder = fs::path(path).parent_path().string();
  return read_modelica_text(files::contents(path), path, options, folder.empty() ? "." : folder);
}

ModelicaFile read_modelica_class(const std::string& name, const ModelicaOptions& options) {
  auto program = std::make_shared<Program>(library_folders(options.libraries, ""), options.rolled);
  ModelicaOptions one = options;
  one.model = name;
  return finished(program, one, name);
}

}  // namespace daedalus
