// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/model_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "formulation/default_names.hpp"
#include "io/problem_arguments.hpp"
#include "kernel/nearest.hpp"

namespace daedalus::estimation {
namespace {

// A range of variables, and where their start values stand; null: they follow from the others.
template <class Vector>
struct Part {
  std::vector<std::string> names;
  Vector* start;
};

template <class P>
using VectorOf = std::conditional_t<std::is_const_v<P>, const Eigen::VectorXd, Eigen::VectorXd>;

template <class P>
std::vector<Part<VectorOf<P>>> parts_of(P& p) {
  using Plain = std::remove_const_t<P>;
  const auto count = [](const Eigen::VectorXd& v) { return static_cast<int>(v.size()); };
  if constexpr (std::is_same_v<Plain, SemiExplicitProblem>)
    return {{default_names(p.y_names, "y", count(p.y0)), &p.y0},
            {default_names(p.z_names, "z", count(p.z0)), &p.z0}};
  else if constexpr (std::is_same_v<Plain, MultibodyProblem>)
    return {{default_names(p.q_names, "q", p.space.points()), &p.q0},
            {default_names(p.v_names, "v", p.velocities()), &p.v0},
            {default_names(p.lambda_names, "lambda", p.multipliers()), nullptr},
            {default_names(p.c_names, "c", p.dynamic_count), &p.c0},
            {default_names(p.s_names, "s", p.contact_count), &p.s0}};
  else
    return {{default_names(p.variables, "y", count(p.y0)), &p.y0}};
}

template <class P>
auto* place_of(P& problem, const std::string& name) {
  return std::visit(
      [&](auto& p) {
        using Problem = std::remove_reference_t<decltype(p)>;
        using Value = std::conditional_t<std::is_const_v<Problem>, const double, double>;
        Value* found = nullptr;
        for (const auto& part : parts_of(p))
          for (std::size_t i = 0; i < part.names.size(); ++i)
            if (part.names[i] == name && part.start &&
                static_cast<Eigen::Index>(i) < part.start->size())
              found = part.start->data() + i;
        return found;
      },
      problem);
}

}  // namespace

std::vector<std::string> variable_names(const Problem& problem) {
  std::vector<std::string> names;
  std::visit(
      [&](const auto& p) {
        for (const auto& part : parts_of(p))
          names.insert(names.end(), part.names.begin(), part.names.end());
      },
      problem);
  return names;
}

std::vector<std::string> invariant_names(const Problem& problem) {
  std::vector<std::string> names;
  std::visit(
      [&](const auto& p) {
        for (const auto& i : p.invariants) names.push_back(i.name);
      },
      problem);
  return names;
}

void set_start_value(Problem& problem, const std::string& name, double value) {
  if (auto* place = place_of(problem, name)) {
    *place = value;
    return;
  }
  throw InvalidArgument(
      fmt::format("'{}' has no start value of its own: it follows from others", name));
}

double start_value(const Problem& problem, const std::string& name) {
  const auto* place = place_of(problem, name);
  return place ? *place : std::nan("");
}

double invariant(const Problem& problem, std::size_t which, const StateView& state) {
  return std::visit(
      [&](const auto& p) {
        std::vector<double> parameters;
        for (const Parameter& parameter : p.parameters) parameters.push_back(parameter.value);
        Arguments<double> a;
        a.t = state.t();
        fill_arguments(a, p, state);
        a.p = parameters.data();
        a.parameter_count = static_cast<int>(parameters.size());
        a.modes = p.modes.data();
        a.mode_count = static_cast<int>(p.modes.size());
        double value = 0.0;
        return p.invariants[which].value(a, &value, 1) == Eval::ok ? value : std::nan("");
      },
      problem);
}

std::string no_such(std::string_view kind, std::string_view given,
                    const std::vector<std::string>& known) {
  constexpr std::size_t few = 12;  // names that fit into a sentence
  const std::string near = nearest_name(given, known);
  if (!near.empty()) return fmt::format("there is no {} '{}'; did you mean {}?", kind, given, near);
  if (known.empty()) return fmt::format("there is no {} '{}'; the model has none", kind, given);
  if (known.size() <= few)
    return fmt::format("there is no {} '{}'; there are {}", kind, given, fmt::join(known, ", "));
  return fmt::format("there is no {} '{}' among {}", kind, given, known.size());
}

}  // namespace daedalus::estimation
