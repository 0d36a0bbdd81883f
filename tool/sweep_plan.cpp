// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_plan.hpp"

#include <cmath>

#include <fmt/format.h>

#include <daedalus/types.hpp>

#include "tool/numbers.hpp"

namespace daedalus::cli {
namespace {

constexpr std::size_t max_runs = 10'000'000;

std::vector<double> range(const std::string& text, const std::vector<std::string>& parts) {
  const auto wrong = [&](const std::string& why) {
    return InvalidArgument(fmt::format(
        "--set has '{}': {}; a range is FROM:TO:COUNT or FROM:TO:COUNT:log", text, why));
  };
  if (parts.size() != 3 && parts.size() != 4) throw wrong("it has too few or too many parts");
  const bool logarithmic = parts.size() == 4;
  if (logarithmic && parts[3] != "log")
    throw wrong(fmt::format("'{}' is not understood", parts[3]));
  const double from = parse_number("--set", parts[0]), to = parse_number("--set", parts[1]),
               count = parse_number("--set", parts[2]);
  if (!(count >= 2.0) || count != std::floor(count) || count > static_cast<double>(max_runs))
    throw wrong(fmt::format("COUNT must be a whole number from 2 to {}", max_runs));
  if (logarithmic && !(from > 0.0 && to > 0.0)) throw wrong("with log both ends must be positive");
  const auto n = static_cast<std::size_t>(count);
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(n - 1);
    values[i] = logarithmic ? from * std::pow(to / from, part) : from + part * (to - from);
  }
  values.back() = to;
  return values;
}

}  // namespace

SweptParameter parse_swept(const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
    throw InvalidArgument(fmt::format(
        "--set has '{}'; allowed are name=value, name=a,b,c and name=FROM:TO:COUNT", text));
  SweptParameter p{text.substr(0, sign), {}};
  const std::string values = text.substr(sign + 1);
  const std::vector<std::string> parts = split(values, ':');
  p.values = parts.size() > 1 ? range(text, parts) : parse_list("--set", values);
  return p;
}

SweepPlan::SweepPlan(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    SweptParameter p = parse_swept(text);
    for (const SweptParameter& other : parameters_)
      if (other.name == p.name)
        throw InvalidArgument(fmt::format("--set gives '{}' twice", p.name));
    if (p.values.size() > max_runs / size_)
      throw InvalidArgument(fmt::format("--set asks for more than {} runs", max_runs));
    size_ *= p.values.size();
    parameters_.push_back(std::move(p));
  }
}

std::vector<double> SweepPlan::point(std::size_t run) const {
  std::vector<double> values(parameters_.size());
  for (std::size_t k = parameters_.size(); k-- > 0;) {
    const std::vector<double>& all = parameters_[k].values;
    values[k] = all[run % all.size()];
    run /= all.size();
  }
  return values;
}

std::vector<std::string> SweepPlan::assignments(std::size_t run) const {
  const std::vector<double> values = point(run);
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < values.size(); ++k)
    texts.push_back(fmt::format("{}={:.17g}", parameters_[k].name, values[k]));
  return texts;
}

}  // namespace daedalus::cli
