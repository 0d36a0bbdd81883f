// SPDX-License-Identifier: BSD-3-Clause
// Problems in files of any kind: models as JSON, Modelica, netlists, mechanisms, URDF. What a file
// is, its extension and its content tell; every kind is one line of a table.
//
//   const ProblemFile file = read_problem_file("amplifier.cir");
//   solve(file.entry.problem(), {file.entry.t0, file.entry.t_end});
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/circuit.hpp>
#include <daedalus/mechanism_file.hpp>
#include <daedalus/model_file.hpp>
#include <daedalus/modelica.hpp>

namespace daedalus {

struct ProblemFileOptions {
  std::string kind{};                    // empty: by extension and content
  bool allow_files = false;              // a model may read files outside its folder
  std::string option_name = "kind";      // what messages call the option `kind`
  std::string model{};                   // class of a Modelica file; empty: the one that is meant
  std::vector<std::string> libraries{};  // folders of Modelica libraries
};

// A problem of a file, and what its language knows besides.
struct ProblemFile {
  Entry entry{};
  std::string kind{};  // of its reader
  std::string file{};
  // Of models as data, as ModelFile has it; else empty.
  std::function<std::shared_ptr<const ModelBuilder>()> builder{};
  std::shared_ptr<const Model> model{};
  std::shared_ptr<const Circuit> circuit{};  // of netlists; else null
  // Of mechanisms: assembled with these parameters; else empty.
  std::function<std::shared_ptr<const NamedMechanism>(const Values&)> mechanism{};
  std::shared_ptr<const ModelicaFile> modelica{};  // of Modelica models; else null
};

struct ProblemText {
  std::string name{};     // of the file, for messages; "-" stands for standard input
  std::string folder{};   // where files that it names are looked for
  std::string content{};  // all of it
};

struct ProblemReader {
  std::string_view kind;
  std::vector<std::string_view> extensions;  // ".json"
  // Whether the text of a file with such an extension is of this kind.
  bool (*recognises)(const std::string& content);
  ProblemFile (*read)(ProblemText text, const ProblemFileOptions& options);
};
std::span<const ProblemReader> problem_readers();

// Throw InvalidModel with all that is wrong in the text, InvalidArgument where no reader takes it,
// FileError where the file cannot be read.
ProblemFile read_problem_file(const std::string& path, const ProblemFileOptions& options = {});
ProblemFile read_problem_text(ProblemText text, const ProblemFileOptions& options = {});
// A class of a Modelica library, by its full name.
ProblemFile read_problem_class(const std::string& name, const ProblemFileOptions& options = {});

// Whether a reader takes files that are called so.
bool has_problem_extension(const std::string& path);
// Whether the file exists and a reader takes it for its own: a .json may be a run as well.
bool is_problem_file(const std::string& path);

}  // namespace daedalus
