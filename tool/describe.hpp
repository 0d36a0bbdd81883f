// SPDX-License-Identifier: BSD-3-Clause
// Problems, methods and formulations as the lists and `show` print them.
#pragma once

#include <string>
#include <vector>

#include <catalogue/catalogue.hpp>
#include <daedalus/event.hpp>
#include <daedalus/formulation.hpp>
#include <daedalus/method.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solve.hpp>

#include "tool/json.hpp"

namespace daedalus::cli {

// A variable of the model as the problem states it: `index` is its differentiation index there.
struct VariableFacts {
  std::string name;
  VariableClass cls;
  int index;
  double start;  // NaN: computed by the start-value solver
};
std::vector<VariableFacts> model_variables(const Problem& problem);

// Problem forms a method can solve, by the view it needs.
std::vector<std::string> problem_forms(const Method& method);
// Of multibody problems, the preferred ones first.
std::vector<std::string> accepted_formulations(const Method& method);

Json describe(const Method& method);
Json describe(const problems::Entry& entry, const Problem& problem);
Json describe(const Formulation& formulation);

// What `show` adds to the entry of the list.
Json details(const Method& method);
Json details(const problems::Entry& entry, const Problem& problem);

}  // namespace daedalus::cli
