// SPDX-License-Identifier: BSD-3-Clause
// Modelica models, solved as they are written: docs/from-modelica.md.
//
//   const ModelicaFile file = read_modelica_file("Pendulum.mo");
//   Options options{.rtol = file.tolerance};
//   file.entry.apply(options);
//   solve(file.entry.problem({{"L", 2.0}}), {file.entry.t0, file.entry.t_end}, options);
//
// Equations of any index are handed over as they stand; nothing is differentiated and no states are
// selected. What is wrong in a text is found with its place: InvalidModelica.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <daedalus/model_file.hpp>

namespace daedalus {

struct ModelicaOptions {
  std::string model{};                   // full name of the class; empty: the one that is meant
  std::vector<std::string> libraries{};  // folders that hold libraries
  ModelOptions compiled{};
  bool rolled = true;  // loops of many passes stay one kernel
};

// What is wrong, with the phase that found it: parse, lookup, types, balance, ...
struct InvalidModelica : InvalidModel {
  InvalidModelica(std::vector<SourceDiagnostic> list, std::vector<std::string> phases_of);
  std::vector<std::string> phases;  // by diagnostic
};

// The flat model in pieces.
struct ModelicaFlat {
  struct Variable {
    std::string name, kind, unit, start;
  };
  struct Equation {
    std::string text, from;
  };
  std::vector<Variable> variables;
  std::vector<Equation> equations;
  std::vector<std::string> whens, starts;
};

struct ModelicaFile {
  std::string class_name;
  std::shared_ptr<const ModelBuilder> builder;
  std::shared_ptr<const Model> model;  // with the values of the text
  // Parameters that decide what the model looks like (sizes, conditions) can be set as well; the
  // model is compiled again then, once for each of their values.
  Entry entry;
  // The entry of the structure that these values give: its variables, outputs and parameters. Other
  // values count as if they were not there. Lives as long as this function.
  std::function<const Entry&(const Values&)> entry_for;
  double tolerance = 1e-6;          // of the experiment annotation
  bool has_tolerance = false;       // whether it says so
  double interval = 0.0;            // 0: not given
  std::vector<std::string> hidden;  // names of protected variables
  std::vector<SourceDiagnostic> warnings;
  std::vector<std::string> phases;                // by warning
  int equations = 0, unknowns = 0, discrete = 0;  // before anything is taken out
  int files_read = 0;
  std::function<int()> compilations;  // so far, for all values
  std::function<std::string()> flat;  // the flat model as text
  std::function<ModelicaFlat()> flat_parts;
};

// Throw InvalidModelica, or FileError where a file cannot be read. `name` stands for the text in
// messages; `folder` is searched for libraries before those of the options and MODELICAPATH.
ModelicaFile read_modelica_file(const std::string& path, const ModelicaOptions& options = {});
ModelicaFile read_modelica_text(std::string text, const std::string& name,
                                const ModelicaOptions& options = {},
                                const std::string& folder = ".");
// A class of the libraries: Modelica.Electrical.Analog.Examples.ChuaCircuit.
ModelicaFile read_modelica_class(const std::string& name, const ModelicaOptions& options = {});

}  // namespace daedalus
