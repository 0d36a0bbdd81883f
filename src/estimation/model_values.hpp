// SPDX-License-Identifier: BSD-3-Clause
// Variables, start values and quantities of a problem by their names.
#pragma once

#include <string>
#include <vector>

#include <daedalus/event.hpp>
#include <daedalus/problem.hpp>

namespace daedalus::estimation {

std::vector<std::string> variable_names(const Problem& problem);
std::vector<std::string> invariant_names(const Problem& problem);
// Throws InvalidArgument where the variable has no start value of its own.
void set_start_value(Problem& problem, const std::string& name, double value);
double start_value(const Problem& problem, const std::string& name);
double invariant(const Problem& problem, std::size_t which, const StateView& state);

// "there is no parameter 'lenght'; did you mean length?", or all names where they are few.
std::string no_such(std::string_view kind, std::string_view given,
                    const std::vector<std::string>& known);

}  // namespace daedalus::estimation
