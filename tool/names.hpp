// SPDX-License-Identifier: BSD-3-Clause
// Names people type: lookup with a suggestion of the nearest one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <catalogue/catalogue.hpp>
#include <daedalus/method.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::cli {

// "there is no problem 'pendulun'; did you mean pendulum?": the nearest name, else up to three that
// contain what was given, else where the names are listed.
std::string unknown_name(std::string_view kind, std::string_view given,
                         const std::vector<std::string>& candidates, std::string_view where);

std::vector<std::string> problem_names();
std::vector<std::string> method_names();
std::vector<std::string> formulation_names();

// These throw InvalidArgument with a suggestion. "auto" is a method and a formulation. A problem
// may be a model file (tool/models.hpp).
const problems::Entry& require_problem(const std::string& name);  // models.cpp: or a model file
// The name as it is written; people may write it in other cases.
std::string require_method(const std::string& given);
std::string require_formulation(const std::string& given);
std::string lower(std::string text);  // of ASCII letters

}  // namespace daedalus::cli
