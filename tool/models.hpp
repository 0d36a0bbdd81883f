// SPDX-License-Identifier: BSD-3-Clause
// Problems by name: of the catalogue, or in a model file (<daedalus/problem_file.hpp>).
#pragma once

#include <iosfwd>
#include <set>
#include <string>
#include <vector>

#include <catalogue/catalogue.hpp>
#include <daedalus/problem_file.hpp>

#include "tool/json.hpp"

namespace daedalus::cli {

// What the command line says about model files.
struct ModelSettings {
  std::string kind;                      // empty: by extension and content
  bool allow = false;                    // a model may read files outside its folder
  std::string model{};                   // class of a Modelica file
  std::vector<std::string> libraries{};  // folders of Modelica libraries
  std::string diagnostics = "text";      // or json: one object per line
  bool show_protected = false;           // variables that a Modelica class keeps to itself
};

using LoadedProblem = ProblemFile;

// Settings of this call of the tool; forgets what was loaded before.
void use_model_settings(const ModelSettings& settings);

// A model file, or "-" for standard input. Throws InvalidArgument with the nearest name of the
// catalogue, FileError, or InvalidModel. A file is read once per call of the tool.
const LoadedProblem& load_problem(const std::string& name);
// Whether load_problem would take the name for a file.
bool names_file(const std::string& name);

// What may stand where a problem is asked for, in one sentence.
std::string kinds_of_input();

// "kind" and "file" of a result, behind "problem".
void add_origin(Json& json, const problems::Entry& entry);
// Of parameters that decide about sizes and conditions other values give other variables: the entry
// that belongs to these assignments. Its own, where they decide nothing.
const problems::Entry& structured_entry(const problems::Entry& entry,
                                        const std::vector<std::string>& assignments);
const LoadedProblem* loaded_from_file(const problems::Entry& entry);  // null: the catalogue

// Names that results leave out: protected variables of Modelica models, unless they are asked for.
std::set<std::string> hidden_names(const problems::Entry& entry);

// The relative tolerance that the model asks for; 0: it says nothing about it.
double tolerance_of(const problems::Entry& entry);
// What the readers want to tell about the models of this call: warnings.
void print_model_warnings(std::ostream& out);
// One line of text or JSON for each.
void print_diagnostics(const InvalidModel& wrong, std::ostream& out);

// The document of a model that could not be built: status, message and diagnostics.
Json invalid_model_document(const std::string& command, const InvalidModel& wrong);

}  // namespace daedalus::cli
