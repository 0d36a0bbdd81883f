// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a model, or worth knowing about its structure, in the user's names and texts.
#pragma once

#include <string>
#include <vector>

#include <daedalus/graph.hpp>
#include <daedalus/types.hpp>

namespace daedalus {

struct Diagnostic {
  enum class Severity { note, warning, error };
  struct Place {
    std::string file;  // empty: built in memory
    int line = 0, column = 0;
    std::string text;  // the equation or name that is meant
  };
  Severity severity = Severity::error;
  std::string message;             // one or more sentences
  std::vector<Place> places;       // the first one is where to look
  std::vector<std::string> names;  // variables, parameters or equations concerned
};

// Thrown when a model cannot be built; what() is the first error and the number of the others.
struct ModelError : InvalidArgument {
  explicit ModelError(std::vector<Diagnostic> diagnostics);
  std::vector<Diagnostic> diagnostics;
};

// Structure of the model that is solved.
struct StructureReport {
  struct AliasEntry {
    std::string variable, by;  // by: another variable, its negative, or a number
  };
  // Equations that have to be differentiated to find what is hidden.
  struct HiddenConstraint {
    std::string equation;  // the user's text
    int times = 0;         // how often it is differentiated
    std::string mode;      // in which mode, where the structure depends on it; else empty
  };
  int variables = 0, equations = 0;  // after elimination
  std::vector<AliasEntry> aliases;
  int index = 1;  // structural
  int degrees_of_freedom = 0;
  std::vector<HiddenConstraint> hidden;
  std::string text;  // all of it in sentences
};

}  // namespace daedalus
