// SPDX-License-Identifier: BSD-3-Clause
// The catalogue: published test problems with parameters, sources and reference values. Used by
// tests, benchmarks, examples and the tool.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <daedalus/event.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/scene.hpp>

namespace daedalus::problems {

using Values = std::map<std::string, double>;  // parameter values, each with a default

struct Reference {
  double t = 0.0;
  std::vector<std::pair<std::string, double>> values;  // by variable name
  std::vector<std::string> counted;                    // empty: all values count
  int digits = 0;                                      // how many digits are good
  std::string source;
};

struct Entry {
  std::string name;
  std::string title;
  std::string form;  // implicit, mass-matrix, semi-explicit, multibody
  int index = 1;
  double t0 = 0.0, t_end = 1.0;
  bool stiff = false;
  std::string source;               // literature
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

  Problem problem(const Values& overrides = {}) const;  // checks the names in `overrides`
  std::vector<Event> events(const Values& overrides = {}) const;
  bool in_suite(const std::string& suite) const;
};

std::span<const Entry* const> all_problems();
// nullptr when there is no such entry.
const Entry* find_problem(const std::string& name);

}  // namespace daedalus::problems
