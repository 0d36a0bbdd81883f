// SPDX-License-Identifier: BSD-3-Clause
// Models in files: `.json` documents with "daedalus": "model" at the top (docs/model-json.md).
//
//   const ModelFile file = read_model_file("pendulum.json");
//   const Entry entry = file.model->entry();
//   solve(entry.problem({{"length", 2.0}}), {entry.t0, entry.t_end});
//
// What is wrong in a file is found with its place, several mistakes at a time:
//
//   try { read_model_file("mine.json"); }
//   catch (const InvalidModel& wrong) { for (const SourceDiagnostic& d : wrong.diagnostics) ... }
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/model.hpp>

namespace daedalus {

std::string_view to_string(Diagnostic::Severity severity);

// What is wrong in a text, and where.
struct SourceDiagnostic {
  std::string file{};
  int line = 0, column = 0;  // from 1; columns count characters, a tab is one. 0: the whole file
  int length = 1;            // characters concerned, from the column on
  Diagnostic::Severity severity = Diagnostic::Severity::error;
  std::string message{};
  std::string hint{};     // what to try; may be empty
  std::string excerpt{};  // the line, without its end; may be empty
};

// mine.json:7:39: error: there is no variable 'velosity'
//    7 |   "der(velocity) = -position - damping*velosity",
//      |                                        ^~~~~~~~
// hint: did you mean 'velocity'?
std::string text(const SourceDiagnostic& diagnostic);
std::string text(const std::vector<SourceDiagnostic>& diagnostics);

// A model that cannot be built; what() is the text of all diagnostics.
struct InvalidModel : InvalidArgument {
  explicit InvalidModel(std::vector<SourceDiagnostic> list);
  std::vector<SourceDiagnostic> diagnostics;
};

struct ModelFileOptions {
  ModelOptions model{};
  bool allow_files = false;  // a model may read files outside its folder
};

struct ModelFile {
  // As it was written: read again, since a large model takes as much memory once more.
  std::function<std::shared_ptr<const ModelBuilder>()> builder;
  std::shared_ptr<const Model> model;  // as it is solved
  Entry entry;                         // as tools see it
  std::vector<SourceDiagnostic> warnings;
};

// Throw InvalidModel, or FileError where the file cannot be read. `name` stands for the file in
// messages; files that the text names are looked for in `folder`.
ModelFile read_model_file(const std::string& path, const ModelFileOptions& options = {});
ModelFile read_model_text(std::string text, const std::string& name,
                          const ModelFileOptions& options = {}, const std::string& folder = ".");

// C++ source of the model: a function that builds it, and a program that solves it and prints the
// end values with all digits. It compiles against this library and solves to the same digits.
// `source` is named in its first line. Models that call compiled functions: InvalidArgument.
std::string model_as_cpp(const ModelBuilder& model, std::string_view source = {});

}  // namespace daedalus
