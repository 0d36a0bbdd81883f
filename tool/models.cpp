// SPDX-License-Identifier: BSD-3-Clause
#include "tool/models.hpp"

#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>

#include "tool/files.hpp"
#include "tool/names.hpp"
#include "tool/solve_report.hpp"

namespace daedalus::cli {
namespace {

namespace fs = std::filesystem;

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

bool names_file(const std::string& name) {
  if (problems::find_problem(name)) return false;
  if (name == "-" || name.find('/') != std::string::npos) return true;
  if (has_problem_extension(name)) return true;
  std::error_code ignored;
  return fs::is_regular_file(name, ignored);
}

const LoadedProblem& load_problem(const std::string& name) {
  Loaded& all = loaded();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.problems.find(name); found != all.problems.end())
    return *found->second;
  if (!names_file(name))
    throw InvalidArgument(unknown_name("problem", name, problem_names(), "daedalus list problems"));
  const ProblemFileOptions options{all.settings.kind, all.settings.allow, "--kind"};
  auto problem = std::make_unique<LoadedProblem>(
      name == "-" ? read_problem_text({name, {}, standard_input()}, options)
                  : read_problem_file(name, options));
  return *all.problems.emplace(name, std::move(problem)).first->second;
}

const LoadedProblem* loaded_from_file(const problems::Entry& entry) {
  Loaded& all = loaded();
  const std::lock_guard lock(all.mutex);
  for (const auto& [name, problem] : all.problems)
    if (&problem->entry == &entry) return problem.get();
  return nullptr;
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
  for (const SourceDiagnostic& d : wrong.diagnostics)
    json["diagnostics"].push_back(Json{{"file", d.file},
                                       {"line", d.line},
                                       {"column", d.column},
                                       {"length", d.length},
                                       {"severity", std::string(to_string(d.severity))},
                                       {"message", d.message},
                                       {"hint", text_or_null(d.hint)}});
  return json;
}

}  // namespace daedalus::cli
