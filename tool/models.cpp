// SPDX-License-Identifier: BSD-3-Clause
#include "tool/models.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>

#include <fmt/format.h>

#include "tool/files.hpp"
#include "tool/names.hpp"
#include "tool/solve_report.hpp"

namespace daedalus::cli {
namespace {

namespace fs = std::filesystem;

// So much of a file is looked at to find its kind.
constexpr std::size_t kind_bytes = 1 << 16;

// "daedalus": "model" may stand anywhere in the object, blanks as one likes.
bool says(const std::string& content, std::string_view word) {
  const std::string_view text = std::string_view(content).substr(0, kind_bytes);
  constexpr std::string_view key = "\"daedalus\"";
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    std::size_t i = text.find_first_not_of(" \t\r\n", at + key.size());
    if (i == std::string_view::npos || text[i] != ':') continue;
    i = text.find_first_not_of(" \t\r\n", i + 1);
    if (i != std::string_view::npos &&
        text.substr(i, word.size() + 2) == fmt::format("\"{}\"", word))
      return true;
  }
  return false;
}

bool is_json_model(const std::string& content) { return says(content, "model"); }

LoadedProblem read_json_model(ModelText text, const ModelSettings& settings) {
  ModelFileOptions options;
  options.allow_files = settings.allow;
  ModelFile file = read_model_text(std::move(text.content), text.name, options, text.folder);
  return {std::move(file.entry), "model", text.name, file.builder, file.model};
}

bool is_netlist(const std::string&) { return true; }  // there are no other files of these names

LoadedProblem read_netlist_file(ModelText text, const ModelSettings&) {
  auto circuit = std::make_shared<const Circuit>(
      read_circuit_text(std::move(text.content), text.name, text.folder));
  return {circuit->entry(), "netlist", text.name, nullptr, nullptr, circuit};
}

bool is_json_mechanism(const std::string& content) { return says(content, "mechanism"); }
bool is_urdf(const std::string&) { return true; }

LoadedProblem loaded_mechanism(MechanismFile file, const char* kind, const std::string& name) {
  LoadedProblem loaded;
  loaded.entry = std::move(file.entry);
  loaded.kind = kind;
  loaded.file = name;
  loaded.mechanism = std::move(file.assembled);
  return loaded;
}
LoadedProblem read_mechanism(ModelText text, const ModelSettings&) {
  return loaded_mechanism(read_mechanism_text(std::move(text.content), text.name, text.folder),
                          "mechanism", text.name);
}
LoadedProblem read_urdf(ModelText text, const ModelSettings&) {
  return loaded_mechanism(read_urdf_text(std::move(text.content), text.name), "urdf", text.name);
}

bool is_modelica(const std::string&) { return true; }

ModelicaOptions modelica_options(const ModelSettings& settings) {
  ModelicaOptions options;
  options.model = settings.model;
  options.libraries = settings.libraries;
  return options;
}

LoadedProblem loaded_modelica(ModelicaFile file, const std::string& name) {
  LoadedProblem loaded;
  loaded.entry = file.entry;
  loaded.kind = "modelica";
  loaded.file = name;
  loaded.builder = file.builder;
  loaded.model = file.model;
  loaded.modelica = std::make_shared<const ModelicaFile>(std::move(file));
  return loaded;
}

LoadedProblem read_modelica(ModelText text, const ModelSettings& settings) {
  return loaded_modelica(read_modelica_text(std::move(text.content), text.name,
                                            modelica_options(settings), text.folder),
                         text.name);
}

// A.B.C that is no file: a class of a library.
bool names_class(const std::string& name) {
  if (name.find('.') == std::string::npos || name.find('/') != std::string::npos) return false;
  std::error_code ignored;
  if (fs::exists(name, ignored)) return false;
  const std::string ending = fs::path(name).extension().string();
  for (const ModelReader& reader : model_readers())
    if (std::find(reader.extensions.begin(), reader.extensions.end(), ending) !=
        reader.extensions.end())
      return false;
  return !problems::find_problem(name);
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

std::string read_all(const std::string& path) {
  std::ostringstream content;
  if (path == "-") {
    content << std::cin.rdbuf();
    return content.str();
  }
  std::error_code ignored;
  std::ifstream stream(path, std::ios::binary);
  if (!stream || fs::is_directory(path, ignored)) throw FileError("'" + path + "' cannot be read");
  if (stream.peek() != std::ifstream::traits_type::eof()) content << stream.rdbuf();
  return content.str();
}

const ModelReader* reader_of(const std::string& path, const std::string& content) {
  const std::string ending = fs::path(path).extension().string();
  for (const ModelReader& reader : model_readers())
    if (std::find(reader.extensions.begin(), reader.extensions.end(), ending) !=
            reader.extensions.end() &&
        reader.recognises(content))
      return &reader;
  return nullptr;
}

std::string known_kinds() {
  std::string list;
  for (const ModelReader& reader : model_readers())
    list += (list.empty() ? "" : ", ") + std::string(reader.kind);
  return list;
}

const ModelReader& required_reader(const std::string& path, const std::string& content,
                                   const std::string& kind) {
  if (!kind.empty()) {
    for (const ModelReader& reader : model_readers())
      if (reader.kind == kind) return reader;
    throw InvalidArgument(fmt::format("--kind has '{}'; allowed are {}", kind, known_kinds()));
  }
  if (path == "-")
    throw InvalidArgument(
        fmt::format("a model from standard input needs --kind; allowed are {}", known_kinds()));
  if (const ModelReader* reader = reader_of(path, content)) return *reader;
  throw InvalidArgument(fmt::format(
      "'{}' is no model that can be read: a .json model says \"daedalus\": \"model\" at its top; "
      "--kind tells what a file is ({})",
      path, known_kinds()));
}

}  // namespace

std::span<const ModelReader> model_readers() {
  static const std::vector<ModelReader> readers{
      {"model", {".json"}, is_json_model, read_json_model},
      {"netlist", {".cir", ".net", ".sp", ".spice", ".ckt"}, is_netlist, read_netlist_file},
      {"mechanism", {".json"}, is_json_mechanism, read_mechanism},
      {"urdf", {".urdf"}, is_urdf, read_urdf},
      {"modelica", {".mo"}, is_modelica, read_modelica},
  };
  return readers;
}

void use_model_settings(const ModelSettings& settings) {
  const std::lock_guard lock(loaded().mutex);
  loaded().settings = settings;
  loaded().problems.clear();
}

bool names_file(const std::string& name) {
  if (problems::find_problem(name)) return false;
  if (name == "-" || name.find('/') != std::string::npos || names_class(name)) return true;
  const std::string ending = fs::path(name).extension().string();
  for (const ModelReader& reader : model_readers())
    if (std::find(reader.extensions.begin(), reader.extensions.end(), ending) !=
        reader.extensions.end())
      return true;
  std::error_code ignored;
  return fs::is_regular_file(name, ignored);
}

bool is_model_file(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  const std::string ending = fs::path(path).extension().string();
  for (const ModelReader& reader : model_readers())
    if (std::find(reader.extensions.begin(), reader.extensions.end(), ending) !=
        reader.extensions.end())
      return reader_of(path, read_all(path)) != nullptr;
  return false;
}

const LoadedProblem& load_problem(const std::string& name) {
  Loaded& all = loaded();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.problems.find(name); found != all.problems.end())
    return *found->second;
  if (names_class(name)) {
    auto problem = std::make_unique<LoadedProblem>(
        loaded_modelica(read_modelica_class(name, modelica_options(all.settings)), name));
    return *all.problems.emplace(name, std::move(problem)).first->second;
  }
  if (!names_file(name))
    throw InvalidArgument(unknown_name("problem", name, problem_names(), "daedalus list problems"));
  ModelText text{name, fs::path(name).parent_path().string(), read_all(name)};
  if (text.folder.empty()) text.folder = ".";
  const ModelReader& reader = required_reader(name, text.content, all.settings.kind);
  auto problem = std::make_unique<LoadedProblem>(reader.read(std::move(text), all.settings));
  return *all.problems.emplace(name, std::move(problem)).first->second;
}

const LoadedProblem* loaded_from_file(const problems::Entry& entry) {
  Loaded& all = loaded();
  const std::lock_guard lock(all.mutex);
  for (const auto& [name, problem] : all.problems)
    if (&problem->entry == &entry) return problem.get();
  return nullptr;
}

double tolerance_of(const problems::Entry& entry) {
  const LoadedProblem* from = loaded_from_file(entry);
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
