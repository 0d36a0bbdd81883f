// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_plan.hpp"

#include <cmath>

#include <fmt/format.h>

#include <daedalus/types.hpp>

#include "tool/numbers.hpp"

namespace daedalus::cli {
namespace {

std::vector<double> range(const std::string& text, const std::vector<std::string>& parts) {
  const auto wrong = [&](const std::string& why) {
    return InvalidArgument(fmt::format(
        "--set has '{}': {}; a range is FROM:TO:COUNT or FROM:TO:COUNT:log", text, why));
  };
  if (parts.size() != 3 && parts.size() != 4) throw wrong("it has too few or too many parts");
  const bool with_log = parts.size() == 4;
  if (with_log && parts[3] != "log") throw wrong(fmt::format("'{}' is not understood", parts[3]));
  const double from = parse_number("--set", parts[0]), to = parse_number("--set", parts[1]),
               count = parse_number("--set", parts[2]);
  if (!(count >= 2.0) || count != std::floor(count) ||
      count > static_cast<double>(ParameterGrid::max_runs))
    throw wrong(fmt::format("COUNT must be a whole number from 2 to {}",
                            brief_whole(static_cast<long>(ParameterGrid::max_runs))));
  if (with_log && !(from > 0.0 && to > 0.0)) throw wrong("with log both ends must be positive");
  const auto n = static_cast<std::size_t>(count);
  return with_log ? logarithmic(from, to, n) : equidistant(from, to, n);
}

}  // namespace

ParameterGrid::Axis parse_swept(const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
    throw InvalidArgument(fmt::format(
        "--set has '{}'; allowed are name=value, name=a,b,c, name=FROM:TO:COUNT and laws "
        "such as name=normal(1,0.1)",
        text));
  ParameterGrid::Axis p{text.substr(0, sign), {}};
  const std::string values = text.substr(sign + 1);
  const std::vector<std::string> parts = split(values, ':');
  p.values = parts.size() > 1 ? range(text, parts) : parse_list("--set", values);
  return p;
}

SweepPlan::SweepPlan(const std::vector<std::string>& texts, const SampleSettings& how) {
  std::vector<UncertainParameter> uncertain;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    const bool law = sign != std::string::npos && text.find('(', sign) != std::string::npos;
    try {
      if (law)
        uncertain.push_back({text.substr(0, sign), value_law(text.substr(sign + 1))});
      else
        grid_.add(parse_swept(text));
    } catch (const InvalidArgument& error) {
      const std::string what = error.what();
      throw InvalidArgument(
          what.starts_with("--set") ? what : fmt::format("--set has '{}': {}", text, what));
    }
  }
  sampled_ = !uncertain.empty();
  points = ParameterPlan(grid_);
  if (!sampled_) return;
  try {
    points = combinations(points, sample(uncertain, how));
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(std::string("--set: ") + error.what());
  }
}

std::vector<double> SweepPlan::point(std::size_t run) const {
  const std::span<const double> values = points.point(run);
  return {values.begin(), values.end()};
}

std::vector<std::string> SweepPlan::assignments(std::size_t run) const {
  std::vector<std::string> texts;
  for (const Parameter& p : parameters(run))
    texts.push_back(fmt::format("{}={}", p.name, p.value));  // the fewest digits that tell it
  return texts;
}

}  // namespace daedalus::cli
