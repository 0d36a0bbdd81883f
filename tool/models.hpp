// SPDX-License-Identifier: BSD-3-Clause
// Problems by name: of the catalogue, or in a model file. Every kind of file is one line of a
// table; a language joins by adding its line.
#pragma once

#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <catalogue/catalogue.hpp>
#include <daedalus/circuit.hpp>
#include <daedalus/mechanism_file.hpp>
#include <daedalus/model_file.hpp>
#include <daedalus/modelica.hpp>

#include "tool/json.hpp"

namespace daedalus::cli {

// What the command line says about model files.
struct ModelSettings {
  std::string kind;                      // empty: by extension and content
  bool allow = false;                    // a model may read files outside its folder
  std::string model{};                   // class of a Modelica file
  std::vector<std::string> libraries{};  // folders of Modelica libraries
  std::string diagnostics = "text";      // or json: one object per line
};

// A problem of a model file.
struct LoadedProblem {
  problems::Entry entry;
  std::string kind;  // of its reader
  std::string file;
  std::shared_ptr<const ModelBuilder> builder;  // of models as data; else null
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Circuit> circuit{};  // of netlists; else null
  // Of mechanisms: assembled with these parameters; else empty.
  std::function<std::shared_ptr<const NamedMechanism>(const Values&)> mechanism{};
  std::shared_ptr<const ModelicaFile> modelica{};  // of Modelica models; else null
};

struct ModelText {
  std::string name;     // of the file, for messages; "-" is standard input
  std::string folder;   // where files that it names are looked for
  std::string content;  // all of it
};

struct ModelReader {
  std::string_view kind;
  std::vector<std::string_view> extensions;  // ".json"
  // Whether the text of a file with such an extension is of this kind.
  bool (*recognises)(const std::string& content);
  LoadedProblem (*read)(ModelText text, const ModelSettings& settings);
};
std::span<const ModelReader> model_readers();

// Settings of this call of the tool; forgets what was loaded before.
void use_model_settings(const ModelSettings& settings);

// A model file, or "-" for standard input. Throws InvalidArgument with the nearest name of the
// catalogue, FileError, or InvalidModel. A file is read once per call of the tool.
const LoadedProblem& load_problem(const std::string& name);
// Whether load_problem would take the name for a file.
bool names_file(const std::string& name);
// Whether the file exists and a reader takes it for its own: a .json may be a run as well.
bool is_model_file(const std::string& path);

// "kind" and "file" of a result, behind "problem".
void add_origin(Json& json, const problems::Entry& entry);
const LoadedProblem* loaded_from_file(const problems::Entry& entry);  // null: the catalogue

// The relative tolerance that the model asks for; 0: it says nothing about it.
double tolerance_of(const problems::Entry& entry);
// What the readers want to tell about the models of this call: warnings.
void print_model_warnings(std::ostream& out);
// One line of text or JSON for each.
void print_diagnostics(const InvalidModel& wrong, std::ostream& out);

// The document of a model that could not be built: status, message and diagnostics.
Json invalid_model_document(const std::string& command, const InvalidModel& wrong);

}  // namespace daedalus::cli
