// SPDX-License-Identifier: BSD-3-Clause
// The door: texts and classes become entries that every command takes.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>

#include <fmt/format.h>

#include <daedalus/modelica.hpp>
#include <daedalus/trajectory_file.hpp>

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
};

// All of them; shared by threads.
class Family {
 public:
  Family(std::shared_ptr<Program> program, ModelOptions options)
      : program_(std::move(program)), options_(std::move(options)) {}

  std::shared_ptr<const Compiled> first(FlatModel flat) {
    for (const FlatParameter& p : flat.parameters)
      if (p.structural && p.settable) structural_[p.name] = p.number;
    return keep(std::move(flat), {});
  }

  std::shared_ptr<const Compiled> of(const Values& values) {
    std::map<std::string, double> changed;
    for (const auto& [name, value] : values)
      if (const auto known = structural_.find(name);
          known != structural_.end() && known->second != value)
        changed[name] = value;
    const std::lock_guard lock(mutex_);
    if (const auto known = compiled_.find(changed); known != compiled_.end()) return known->second;
    return keep(program_->flat(changed), changed);
  }

  // Without those that decide the structure: the compiled model does not have them.
  Values remaining(Values values) const {
    for (const auto& s : structural_) values.erase(s.first);
    return values;
  }
  const std::map<std::string, double>& structural() const { return structural_; }
  int compilations() const { return program_->compilations(); }
  Program& program() { return *program_; }

 private:
  std::shared_ptr<const Compiled> keep(FlatModel flat, const std::map<std::string, double>& key) {
    auto c = std::make_shared<Compiled>();
    c->builder = modelica::lower(flat, program_->files(), program_->mistakes());
    program_->fail_if_wrong();
    c->model = compile(*c->builder);
    c->entry = c->model->entry();
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
  std::map<std::string, double> structural_;  // values of the text
  std::mutex mutex_;
  std::map<std::map<std::string, double>, std::shared_ptr<const Compiled>> compiled_;
};

// Parameters in the order of the text, structural ones among them.
std::vector<Parameter> parameters_of(const FlatModel& flat) {
  std::vector<Parameter> list;
  for (const FlatParameter& p : flat.parameters)
    if (p.settable)
      list.push_back({p.name, p.value.is_number() ? p.value.number() : p.number});
  return list;
}

Entry entry_of(const std::shared_ptr<Family>& family, const Compiled& first,
               std::vector<Parameter> parameters) {
  Entry e = first.entry;
  for (Parameter& p : parameters)
    for (const Parameter& own : e.parameters)
      if (own.name == p.name) p.value = own.value;
  e.parameters = std::move(parameters);
  e.build = [family](const Values& v) {
    return family->of(v)->model->problem(family->remaining(v));
  };
  if (e.build_events || !family->structural().empty())
    e.build_events = [family](const Values& v) {
      return family->of(v)->model->events(family->remaining(v));
    };
  e.evaluate_outputs = [family](const Values& v, const StateView& s, Out out) {
    family->of(v)->model->evaluate_outputs(family->remaining(v), s, out);
  };
  return e;
}

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
  std::vector<Parameter> parameters = parameters_of(flat);
  file.flat = [program] { return modelica::text_of(program->flat({}), program->files()); };
  file.flat_parts = [program] {
    return modelica::parts_of(program->flat({}), program->files());
  };
  const std::shared_ptr<const Compiled> first = family->first(std::move(flat));
  file.builder = first->builder;
  file.model = first->model;
  file.entry = entry_of(family, *first, std::move(parameters));
  file.entry.source = source;
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
  std::ifstream stream(path, std::ios::binary);
  std::error_code ignored;
  if (!stream || fs::is_directory(path, ignored)) throw FileError("'" + path + "' cannot be read");
  std::ostringstream content;
  content << stream.rdbuf();
  const std::string folder = fs::path(path).parent_path().string();
  return read_modelica_text(content.str(), path, options, folder.empty() ? "." : folder);
}

ModelicaFile read_modelica_class(const std::string& name, const ModelicaOptions& options) {
  auto program = std::make_shared<Program>(library_folders(options.libraries, ""), options.rolled);
  ModelicaOptions one = options;
  one.model = name;
  return finished(program, one, name);
}

}  // namespace daedalus
