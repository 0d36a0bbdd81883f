// SPDX-License-Identifier: BSD-3-Clause
#include "solve/check_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/policy.hpp"
#include "kernel/nearest.hpp"
#include "system/model_size.hpp"

namespace daedalus {

namespace {

template <class Value>
[[noreturn]] void bad(const char* field, const Value& value, std::string_view allowed) {
  throw InvalidArgument(fmt::format("{}: {} is not allowed; {}", field, value, allowed));
}

void check_tolerances(const Options& o, const Variables& variables) {
  if (!(o.rtol >= 0.0) || !std::isfinite(o.rtol)) bad("rtol", o.rtol, "give a number >= 0");
  const int of_model = model_size(variables);
  if (!o.atol.scalar() && o.atol.size() != of_model)
    bad("atol", fmt::format("a list of {}", o.atol.size()),
        fmt::format("give one value or {}, one per variable", of_model));
  for (int i = 0; i < o.atol.size(); ++i) {
    if (!(o.atol.values()[i] >= 0.0) || !std::isfinite(o.atol.values()[i]))
      bad("atol", o.atol.values()[i], "give numbers >= 0");
    if (o.rtol == 0.0 && o.atol.values()[i] == 0.0)
      bad("atol", 0.0, "rtol and atol cannot both be zero");
  }
}

void check_linear_algebra(const Options& o) {
  if (o.krylov.dimension < 1) bad("krylov.dimension", o.krylov.dimension, "give a number >= 1");
  if (o.krylov.iterations < 1) bad("krylov.iterations", o.krylov.iterations, "give a number >= 1");
  if (!(o.krylov.tolerance >= 0.0 && o.krylov.tolerance < 1.0))
    bad("krylov.tolerance", o.krylov.tolerance, "give a number in (0, 1), or 0");
  if (o.krylov.preconditioner.update && !o.krylov.preconditioner.apply)
    throw InvalidArgument("krylov.preconditioner: it has 'update' but no 'apply'");
  if (o.linear_algebra == LinearAlgebra::krylov && o.start == StartStrategy::solve)
    throw InvalidArgument(
        "start: 'solve' needs a matrix, which linear_algebra krylov does not make; give consistent "
        "values and 'automatic', or linear_algebra sparse");
}

void check_steps(const Options& o, const Method& method) {
  const auto length = [&](const char* field, double value) {
    if (!(value >= 0.0) || !std::isfinite(value)) bad(field, value, "give a number >= 0");
  };
  length("initial_step", o.initial_step);
  length("max_step", o.max_step);
  length("min_step", o.min_step);
  length("fixed_step", o.fixed_step);
  length("difference_increment", o.difference_increment);
  if (!o.break_times.empty() && (!o.step_sequence.empty() || method.equal_steps_only))
    throw InvalidArgument(
        "break_times: steps of one size or of a given sequence cannot end there; give a method "
        "with "
        "variable steps");
  for (double h : o.step_sequence)
    if (h == 0.0 || !std::isfinite(h)) bad("step_sequence", h, "steps are finite and not zero");
  if (o.max_steps <= 0) bad("max_steps", o.max_steps, "give a number > 0");
  if (o.max_step > 0.0 && o.min_step > o.max_step)
    bad("min_step", o.min_step, "it must not exceed max_step");
}

void check_control(const Options& o) {
  if (!(o.safety >= 0.0 && o.safety < 1.0))
    bad("safety", o.safety, "give a number in (0, 1), or 0");
  if (!(o.min_ratio >= 0.0 && o.min_ratio < 1.0))
    bad("least_ratio", o.min_ratio, "give a number in (0, 1), or 0");
  if (!(o.max_ratio == 0.0 || (o.max_ratio > 1.0 && std::isfinite(o.max_ratio))))
    bad("largest_ratio", o.max_ratio, "give a number above 1, or 0");
  if (o.project_output && o.output != Output::times)
    throw InvalidArgument(
        "project_output: only states at output_times are projected; set output to Output::times");
  if (!(o.stabilisation >= 0.0 && o.stabilisation <= 0.2))
    bad("stabilisation", o.stabilisation, "give a number between 0 and 0.2");
  if (o.control != "auto" && !find_control(o.control)) {
    std::vector<std::string> names{"auto"};
    for (const ControlPolicy* c : all_controls()) names.emplace_back(c->name);
    throw InvalidArgument(fmt::format("control: there is no controller '{}'.{}", o.control,
                                      suggestion(o.control, names)));
  }
}

void check_names(const Options& o, const Variables& variables) {
  const auto known_variables = [&](const char* field, const std::vector<std::string>& list) {
    for (const std::string& name : list)
      if (variables.find(name) < 0)
        throw InvalidArgument(fmt::format("{}: there is no variable '{}'.{}", field, name,
                                          suggestion(name, variables.names)));
  };
  known_variables("untested", o.untested);
  known_variables("fixed", o.fixed);
  for (const Event& e : o.events) {
    if (!e.when) throw InvalidArgument(fmt::format("events: '{}' has no function 'when'", e.name));
    if (e.action == EventAction::handle && !e.handler)
      throw InvalidArgument(fmt::format("events: '{}' has action 'handle' but no handler", e.name));
  }
}

void check_method_options(const Options& o, const Method& method) {
  for (const auto& [key, value] : o.method_options) {
    std::vector<std::string> keys;
    for (const MethodOption& m : method.options) keys.push_back(m.key);
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw InvalidArgument(fmt::format("method_options: '{}' has no option '{}'.{}", method.name,
                                        key, suggestion(key, keys)));
    if (!std::isfinite(value)) bad(key.c_str(), value, "give a finite number");
  }
}

}  // namespace

void check_options(const Options& o, const Variables& variables, const Method& method) {
  check_tolerances(o, variables);
  check_steps(o, method);
  check_linear_algebra(o);
  check_control(o);
  check_names(o, variables);
  check_method_options(o, method);
}

}  // namespace daedalus
