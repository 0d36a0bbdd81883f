// SPDX-License-Identifier: BSD-3-Clause
#include "tool/names.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/nearest.hpp"

#include <daedalus/formulation.hpp>

namespace daedalus::cli {

namespace {

// Two letters are part of too many names.
constexpr std::size_t shortest_part = 3;
constexpr std::size_t max_suggestions = 3;  // more are no help

std::vector<std::string> suggestions(std::string_view given,
                                     const std::vector<std::string>& candidates) {
  if (const std::string near = nearest_name(given, candidates); !near.empty()) return {near};
  std::vector<std::string> names;
  for (const std::string& candidate : candidates)
    if (given.size() >= shortest_part && names.size() < max_suggestions &&
        candidate.find(given) != std::string::npos)
      names.push_back(candidate);
  return names;
}

}  // namespace

std::string unknown_name(std::string_view kind, std::string_view given,
                         const std::vector<std::string>& candidates, std::string_view where) {
  const std::vector<std::string> near = suggestions(given, candidates);
  if (near.empty())
    return fmt::format("there is no {} '{}'; '{}' shows what there is", kind, given, where);
  return fmt::format("there is no {} '{}'; did you mean {}?", kind, given, fmt::join(near, " or "));
}

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const problems::Entry* entry : problems::all_problems()) names.push_back(entry->name);
  return names;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method* method : all_methods()) names.push_back(method->name);
  return names;
}

std::vector<std::string> formulation_names() {
  std::vector<std::string> names;
  for (const Formulation& formulation : all_formulations()) names.push_back(formulation.name);
  return names;
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// All names are in lower case.
std::string require_method(const std::string& given) {
  const std::string name = lower(given);
  if (name == "auto" || find_method(name) != nullptr) return name;
  throw InvalidArgument(unknown_name("method", name, method_names(), "daedalus list methods"));
}

std::string require_formulation(const std::string& given) {
  const std::string name = lower(given);
  const std::vector<std::string> names = formulation_names();
  if (name == "auto" || std::find(names.begin(), names.end(), name) != names.end()) return name;
  throw InvalidArgument(unknown_name("formulation", name, names, "daedalus list formulations"));
}

}  // namespace daedalus::cli
