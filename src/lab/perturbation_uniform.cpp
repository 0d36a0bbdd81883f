// SPDX-License-Identifier: BSD-3-Clause
// How the constants of perturbation bounds grow over a class of problems: Arnold (1998), section
// 2.4.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/perturbation.hpp>

namespace daedalus {
namespace {

// One beyond the largest index of the forms that the library solves.
constexpr int max_index = 4;
// Constants that grow more slowly than this power are taken for bounded.
constexpr double bounded_exponent = 0.25;
constexpr double steepest_power = 8.0;  // a steeper growth that still steepens is no power

// Largest constants of the larger and of the smaller values: single ones scatter with random
// residuals.
void judge_growth(UniformIndex::Growth& g, const std::vector<double>& values) {
  const auto& c = g.constants;
  const std::size_t last = values.size() - 1, middle = last / 2;
  double small = 0.0, large = 0.0;
  for (std::size_t i = 0; i <= last; ++i)
    if (!std::isfinite(c[i]))
      large = c[i];
    else if (i <= middle)
      small = std::max(small, c[i]);
    else
      large = std::max(large, c[i]);
  g.exponent = std::log(large / small) / std::log(values[last] / values[middle]);
  const double before =
      middle > 0 ? std::log(c[middle] / c[0]) / std::log(values[middle] / values[0]) : g.exponent;
  if (!std::isfinite(g.exponent))
    g.text = "not known";
  else if (g.exponent > steepest_power && g.exponent > 1.5 * before)
    g.text = "exponential";
  else if (g.exponent <= bounded_exponent)
    g.text = "bounded";
  else
    g.text = fmt::format("value^{:.1f}", g.exponent);
}

}  // namespace

UniformIndex uniform_index(const PerturbationStudy& study, const std::string& parameter,
                           const std::vector<double>& values, const ParameterSetting& set) {
  if (values.size() < 3)
    throw InvalidArgument(fmt::format("values: {} of '{}' are not enough; give at least 3, rising",
                                      values.size(), parameter));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > (i ? values[i - 1] : 0.0)))
      throw InvalidArgument(
          fmt::format("values: {} of '{}' is not allowed; give rising positive "
                      "numbers",
                      values[i], parameter));
  UniformIndex u;
  u.parameter = parameter;
  u.values = values;
  for (int m = 1; m <= max_index; ++m) u.growth.push_back({m, {}, 0.0, {}});
  int max_member = 0;
  for (const double value : values) {
    PerturbationStudy member = study;
    set(value, member);
    const PerturbationReport report = perturb(member);
    if (!report.failure.empty()) {
      u.warnings.push_back(fmt::format("{} = {:g}: {}", parameter, value, report.failure));
      for (UniformIndex::Growth& g : u.growth) g.constants.push_back(std::nan(""));
      continue;
    }
    max_member = std::max(max_member, report.index);
    bool failed = false;
    for (UniformIndex::Growth& g : u.growth) {
      double largest = 0.0;
      for (const PerturbedComponent& c : report.components)
        for (int i = 0; i < c.errors.rows(); ++i)
          for (int j = 0; j < c.errors.cols(); ++j) {
            const double amplified = c.errors(i, j) *
                                     std::pow(member.steps[static_cast<std::size_t>(j)], g.m - 1) /
                                     member.thetas[static_cast<std::size_t>(i)];
            failed = failed || !std::isfinite(amplified);
            if (!(amplified > largest)) continue;
            largest = amplified;
            if (g.m == 1) u.worst = c.name;
          }
      g.constants.push_back(largest);
    }
    if (failed)
      u.warnings.push_back(fmt::format("{} = {:g}: some perturbed runs failed", parameter, value));
  }
  // Growth with the parameter is one thing, with 1/h another: no class is better than a member.
  for (UniformIndex::Growth& g : u.growth) {
    judge_growth(g, values);
    if (u.index == 0 && g.text == "bounded" && g.m >= max_member) u.index = g.m;
  }
  return u;
}

}  // namespace daedalus
