// SPDX-License-Identifier: BSD-3-Clause
// A model as tools see it: what it is called, its parameters, how its problem is built, and what is
// known about it. The catalogue consists of entries, and a model file becomes one
// (<daedalus/model.hpp>).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <daedalus/event.hpp>
#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/scene.hpp>

namespace daedalus {

using Values = std::map<std::string, double>;  // parameter values, each with a default

struct Reference {
  double t = 0.0;
  std::vector<std::pair<std::string, double>> values;  // by variable name
  std::vector<std::string> counted;                    // empty: all values count
  int digits = 0;                                      // how many digits are good
  std::string source;
};

// A quantity that is computed from the state wherever it is shown: outputs of the model, variables
// that were eliminated, discrete variables.
struct ModelOutput {
  std::string name;
  std::string unit, description;
  bool eliminated = false;  // a variable of the model that another one stands for
};

struct Entry {
  std::string name;
  std::string title;
  std::string form;  // implicit, mass-matrix, semi-explicit, multibody
  int index = 1;
  double t0 = 0.0, t_end = 1.0;
  bool stiff = false;
  std::string source;               // literature, or the file it was read from
  std::vector<std::string> suites;  // "core", ...
  std::string expected_status = "success";
  std::string equations;  // a few lines of text for `daedalus show`
  std::vector<Parameter> parameters;
  std::map<std::string, double> atol_scale;  // factor on a scalar atol, by variable; absent: 1
  // Builds the problem; values override the defaults in `parameters`.
  std::function<Problem(const Values&)> build;
  // Events that belong to the model (jumps of contact points); absent: none. Gets all values.
  std::function<std::vector<Event>(const Values&)> build_events;
  // Reference at t_end for the default parameters; absent when none is known.
  std::optional<Reference> reference;
  // Exact solution in model variables (all of them, by name) where one is known in closed form.
  std::function<std::vector<std::pair<std::string, double>>(double t, const Values&)> exact;
  // Bodies for the animation in reports of mechanical problems; absent: none.
  std::function<Scene(const Values&)> scene;

  // ---- of models as data; empty for the rest ----
  std::map<std::string, std::string> units, descriptions;  // by variable, parameter or output
  std::vector<ModelOutput> outputs;
  // Values of `outputs` at a state, in their order. Gets all parameter values.
  std::function<void(const Values&, const StateView&, Out)> evaluate_outputs;
  // How start values are meant: solve where some of them are guesses; names that must not change.
  StartStrategy start = StartStrategy::automatic;
  std::vector<std::string> fixed;
  std::vector<std::string> notes;  // what the reader of the model wants to tell

  Problem problem(const Values& overrides = {}) const;  // checks the names in `overrides`
  std::vector<Event> events(const Values& overrides = {}) const;
  Values all_values(const Values& overrides = {}) const;  // defaults and overrides, checked
  // Sets what the model asks for: events, start strategy and fixed variables (unless the user chose
  // a strategy).
  void apply(Options& options, const Values& overrides = {}) const;
  bool in_suite(const std::string& suite) const;
};

}  // namespace daedalus
