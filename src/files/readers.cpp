// SPDX-License-Identifier: BSD-3-Clause
// The table of readers: a language joins by adding its line.
#include <daedalus/problem_file.hpp>

#include <fmt/format.h>

namespace daedalus {
namespace {

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

bool by_extension(const std::string&) { return true; }  // there are no other files of these names
bool is_json_model(const std::string& content) { return says(content, "model"); }
bool is_json_mechanism(const std::string& content) { return says(content, "mechanism"); }

ProblemFile named(const char* kind, const ProblemText& text, Entry entry) {
  ProblemFile file;
  file.entry = std::move(entry);
  file.kind = kind;
  file.file = text.name;
  return file;
}

ProblemFile read_json_model(ProblemText text, const ProblemFileOptions& options) {
  ModelFileOptions model_options;
  model_options.allow_files = options.allow_files;
  ModelFile model = read_model_text(std::move(text.content), text.name, model_options, text.folder);
  ProblemFile file = named("model", text, std::move(model.entry));
  file.builder = std::move(model.builder);
  file.model = std::move(model.model);
  return file;
}

ProblemFile read_netlist(ProblemText text, const ProblemFileOptions& options) {
  auto circuit = std::make_shared<const Circuit>(
      read_circuit_text(std::move(text.content), text.name, text.folder, options.allow_files));
  ProblemFile file = named("netlist", text, circuit->entry());
  file.circuit = std::move(circuit);
  return file;
}

ProblemFile of_mechanism(const char* kind, const ProblemText& text, MechanismFile mechanism) {
  ProblemFile file = named(kind, text, std::move(mechanism.entry));
  file.mechanism = std::move(mechanism.assembled);
  return file;
}
ProblemFile read_mechanism(ProblemText text, const ProblemFileOptions& options) {
  MechanismFile file =
      read_mechanism_text(std::move(text.content), text.name, text.folder, options.allow_files);
  return of_mechanism("mechanism", text, std::move(file));
}
ProblemFile read_urdf(ProblemText text, const ProblemFileOptions&) {
  MechanismFile file = read_urdf_text(std::move(text.content), text.name);
  return of_mechanism("urdf", text, std::move(file));
}

ModelicaOptions modelica_options(const ProblemFileOptions& options) {
  ModelicaOptions modelica;
  modelica.model = options.model;
  modelica.libraries = options.libraries;
  return modelica;
}

ProblemFile of_modelica(const std::string& name, ModelicaFile modelica) {
  ProblemFile file = named("modelica", {.name = name}, modelica.entry);
  file.builder = [built = modelica.builder] { return built; };
  file.model = modelica.model;
  file.modelica = std::make_shared<const ModelicaFile>(std::move(modelica));
  return file;
}
ProblemFile read_modelica(ProblemText text, const ProblemFileOptions& options) {
  ModelicaFile file = read_modelica_text(std::move(text.content), text.name,
                                         modelica_options(options), text.folder);
  return of_modelica(text.name, std::move(file));
}

}  // namespace

ProblemFile read_problem_class(const std::string& name, const ProblemFileOptions& options) {
  return of_modelica(name, read_modelica_class(name, modelica_options(options)));
}

std::span<const ProblemReader> problem_readers() {
  static const std::vector<ProblemReader> readers{
      {"model", {".json"}, is_json_model, read_json_model},
      {"netlist", {".cir", ".net", ".sp", ".spice", ".ckt"}, by_extension, read_netlist},
      {"mechanism", {".json"}, is_json_mechanism, read_mechanism},
      {"urdf", {".urdf"}, by_extension, read_urdf},
      {"modelica", {".mo"}, by_extension, read_modelica},
  };
  return readers;
}

}  // namespace daedalus
