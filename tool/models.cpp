// SPDX-License-Identifier: BSD-3-Clause
#include "tool/models.hpp"

#include <cctype>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>

#include "files/plugin.hpp"
#include "tool/files.hpp"
#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/solve_report.hpp"

namespace daedalus::cli {
namespace {

namespace fs = std::filesystem;

// A.B.C that is no file: a class of a library.
bool names_class(const std::string& name) {
  if (name.find('.') == std::string::npos || name.find('/') != std::string::npos) return false;
  std::error_code ignored;
  return !fs::exists(name, ignored) && !has_problem_extension(name) && !names_plugin(name) &&
         !problems::find_problem(name);
}

// mine.xyz is a file with a wrong ending rather than a class: classes begin with capitals.
bool looks_like_file(const std::string& name) {
  const std::size_t point = name.rfind('.');
  return point + 1 >= name.size() ||
         (std::islower(static_cast<unsigned char>(name[0])) != 0 &&
          std::islower(static_cast<unsigned char>(name[point + 1])) != 0);
}

struct Loaded {
  std::mutex mutex;  // sweeps prepare their runs in several threads
  ModelSettings settings;
  std::map<std::string, std::unique_ptr<LoadedProblem>> problems;
};

Loaded& loaded() {
  static Loaded all;
  return all;
}

std::string standard_input() {
  std::ostringstream content;
  content << std::cin.rdbuf();
  return content.str();
}

}  // namespace

void use_model_settings(const ModelSettings& settings) {
  const std::lock_guard lock(loaded().mutex);
  loaded().settings = settings;
  loaded().problems.clear();
}

std::string kinds_of_input() {
  std::string text =
      "a problem is a name of the catalogue ('daedalus list problems'), a Modelica class A.B.C or "
      "a "
      "file:";
  for (const ProblemReader& reader : problem_readers()) {
    text += " " + std::string(reader.kind) + " (";
    for (const std::string_view extension : reader.extensions)
      text += (text.back() == '(' ? "" : " ") + std::string(extension);
    text += "),";
  }
  text += " a compiled plug-in (.so)";
  return text + "; 'daedalus new NAME' writes one to begin with";
}

bool names_file(const std::string& name) {
  if (problems::find_problem(name)) return false;
  if (name == "-" || name.find('/') != std::string::npos || names_class(name)) return true;
  if (has_problem_extension(name) || names_plugin(name)) return true;
  std::error_code ignored;
  return fs::is_regular_file(name, ignored);
}

const LoadedProblem& load_problem(const std::string& name) {
  Loaded& all = loaded();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.problems.find(name); found != all.problems.end())
    return *found->second;
  const ProblemFileOptions options{.kind = all.settings.kind,
                                   .allow_files = all.settings.allow,
                                   .option_name = "--kind",
                                   .model = all.settings.model,
                                   .libraries = all.settings.libraries};
  if (names_class(name) && looks_like_file(name))
    throw FileError("there is no file '" + name + "', and its ending is none of ours; " +
                    kinds_of_input());
  if (names_class(name)) {
    auto problem = std::make_unique<LoadedProblem>(read_problem_class(name, options));
    return *all.problems.emplace(name, std::move(problem)).first->second;
  }
  std::error_code ignored;
  if (fs::is_directory(name, ignored))
    throw FileError("'" + name + "' is a folder; " + kinds_of_input());
  if (!names_file(name))
    throw InvalidArgument(unknown_name("problem", name, problem_names(), "daedalus list problems"));
  if (name != "-" && !fs::exists(name, ignored))
    throw FileError("there is no file '" + name + "'; " + kinds_of_input());
  auto problem = std::make_unique<LoadedProblem>(
      names_plugin(name) ? load_plugin(name)
      : name == "-"      ? read_problem_text({name, {}, standard_input()}, options)
                         : read_problem_file(name, options));
  return *all.problems.emplace(name, std::move(problem)).first->second;
}

const LoadedProblem* loaded_from_file(const problems::Entry& entry) {
  Loaded& all = loaded();
  const std::lock_guard lock(all.mutex);
  // Entries of other structures have the name and the source of their file.
  for (const auto& [name, problem] : all.problems)
    if (&problem->entry == &entry || (problem->modelica && problem->entry.name == entry.name &&
                                      problem->entry.source == entry.source))
      return problem.get();
  return nullptr;
}

const problems::Entry& structured_entry(const problems::Entry& entry,
                                        const std::vector<std::string>& assignments) {
  const LoadedProblem* problem = loaded_from_file(entry);
  if (!problem || !problem->modelica || assignments.empty()) return entry;
  problems::Values values;
  for (const std::string& text : assignments) values.insert(parse_assignment("--set", text));
  return problem->modelica->entry_for(values);
}

std::set<std::string> hidden_names(const problems::Entry& entry) {
  const LoadedProblem* from = loaded_from_file(entry);
  if (!from || !from->modelica || loaded().settings.show_protected) return {};
  return {from->modelica->hidden.begin(), from->modelica->hidden.end()};
}

double tolerance_of(const problems::Entry& entry) {
  const LoadedProblem* from = loaded_from_file(entry);
  if (from && from->mechanism) return from->mechanism(entry.all_values())->run.rtol;
  return from && from->modelica && from->modelica->has_tolerance ? from->modelica->tolerance : 0.0;
}

namespace {

Json diagnostic_object(const SourceDiagnostic& d, const std::string& phase) {
  Json json{{"file", d.file},
            {"line", d.line},
            {"column", d.column},
            {"length", d.length},
            {"severity", std::string(to_string(d.severity))},
            {"message", d.message},
            {"hint", text_or_null(d.hint)}};
  if (!phase.empty()) json["phase"] = phase;
  return json;
}

void print_diagnostics(const std::vector<SourceDiagnostic>& list,
                       const std::vector<std::string>& phases, std::ostream& out) {
  const bool as_json = loaded().settings.diagnostics == "json";
  for (std::size_t k = 0; k < list.size(); ++k)
    if (as_json)
      out << diagnostic_object(list[k], k < phases.size() ? phases[k] : std::string()).dump()
          << '\n';
    else
      out << text(list[k]);
}

std::vector<std::string> phases_of(const InvalidModel& wrong) {
  const auto* modelica = dynamic_cast<const InvalidModelica*>(&wrong);
  return modelica ? modelica->phases : std::vector<std::string>();
}

}  // namespace

void print_model_warnings(std::ostream& out) {
  for (const auto& [name, problem] : loaded().problems)
    if (problem->modelica)
      print_diagnostics(problem->modelica->warnings, problem->modelica->phases, out);
}

void print_diagnostics(const InvalidModel& wrong, std::ostream& out) {
  print_diagnostics(wrong.diagnostics, phases_of(wrong), out);
}

const problems::Entry& require_problem(const std::string& name) {
  if (const problems::Entry* entry = problems::find_problem(name)) return *entry;
  return load_problem(name).entry;
}

void add_origin(Json& json, const problems::Entry& entry) {
  const LoadedProblem* problem = loaded_from_file(entry);
  json["kind"] = problem ? problem->kind : "catalogue";
  json["file"] = problem ? Json(problem->file) : Json(nullptr);
}

Json invalid_model_document(const std::string& command, const InvalidModel& wrong) {
  const std::string file = wrong.diagnostics.empty() ? "" : wrong.diagnostics.front().file;
  Json json = command == "solve" ? empty_solve_document(file) : document();
  json["problem"] = text_or_null(file);
  json["file"] = text_or_null(file);
  json["status"] = "invalid_model";
  json["message"] = wrong.diagnostics.empty() ? wrong.what() : wrong.diagnostics.front().message;
  json["diagnostics"] = Json::array();
  const std::vector<std::string> phases = phases_of(wrong);
  for (std::size_t k = 0; k < wrong.diagnostics.size(); ++k)
    json["diagnostics"].push_back(
        diagnostic_object(wrong.diagnostics[k], k < phases.size() ? phases[k] : std::string()));
  return json;
}

}  // namespace daedalus::cli
