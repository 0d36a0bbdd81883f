// SPDX-License-Identifier: BSD-3-Clause
// Free quantities: as people write them, and as the search sees them.
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "estimation/fit_task.hpp"
#include "estimation/model_values.hpp"

namespace daedalus {
namespace {

double number_in(const std::string& text, const std::string& whole) {
  double value = 0.0;
  const char *begin = text.data(), *end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value))
    throw InvalidArgument(
        fmt::format("free has '{}': '{}' is no number; write name, name=START, name=FROM..TO, "
                    "name=FROM..TO@START, with :log or :linear behind",
                    whole, text));
  return value;
}

}  // namespace

FreeQuantity parse_free(const std::string& text) {
  FreeQuantity q;
  const std::size_t sign = text.find('=');
  q.name = text.substr(0, sign);
  std::string rest = sign == std::string::npos ? "" : text.substr(sign + 1);
  for (const auto& [ending, log] : {std::pair{":log", true}, std::pair{":linear", false}}) {
    std::string& holder = sign == std::string::npos ? q.name : rest;
    if (!holder.ends_with(ending)) continue;
    holder.resize(holder.size() - std::string_view(ending).size());
    q.log = log;
  }
  if (q.name.empty() || (sign != std::string::npos && rest.empty()))
    throw InvalidArgument(
        fmt::format("free has '{}'; write name, name=START or name=FROM..TO", text));
  if (rest.empty()) return q;
  const std::size_t dots = rest.find("..");
  if (dots == std::string::npos) {
    q.start = number_in(rest, text);
    return q;
  }
  const std::size_t at = rest.find('@', dots);
  const std::size_t upper = dots + 2;
  if (at != std::string::npos) q.start = number_in(rest.substr(at + 1), text);
  q.lower = number_in(rest.substr(0, dots), text);
  q.upper = number_in(rest.substr(upper, at == std::string::npos ? at : at - upper), text);
  return q;
}

namespace estimation {

namespace {

// Both bounds positive and so many times apart: the logarithm is searched.
constexpr double log_ratio = 100.0;

struct Name {
  int experiment = -1;
  bool start_value = false;
  std::string target{};
};

bool has_parameter(const Entry& model, const std::string& name) {
  return std::any_of(model.parameters.begin(), model.parameters.end(),
                     [&](const Parameter& p) { return p.name == name; });
}

// "k1", "start:x", "run2.k1", "run2.start:x"; names of parameters may have dots of their own.
Name name_of(const std::string& given, const Fit& fit) {
  constexpr std::string_view start_key = "start:";
  Name name;
  std::string rest = given;
  for (std::size_t e = 0; e < fit.experiments.size() && !has_parameter(fit.model, given); ++e) {
    const std::string prefix = fit.experiments[e].name + ".";
    if (!given.starts_with(prefix)) continue;
    name.experiment = static_cast<int>(e);
    rest = given.substr(prefix.size());
  }
  name.start_value = rest.starts_with(start_key) && !has_parameter(fit.model, rest);
  name.target = name.start_value ? rest.substr(start_key.size()) : rest;
  return name;
}

}  // namespace

double Quantity::to_u(double p) const { return log ? std::log(p) : p / scale; }
double Quantity::to_p(double u) const {
  // The bounds themselves, without the round-off of a logarithm.
  return std::min(std::max(log ? std::exp(u) : u * scale, lower), upper);
}
double Quantity::slope(double u) const { return log ? std::exp(u) : scale; }
bool Quantity::bounded() const { return std::isfinite(lower) && std::isfinite(upper); }

void FitTask::check_bounds(Quantity& q, const FreeQuantity& given) {
  if (!std::isnan(given.lower)) q.lower = given.lower;
  if (!std::isnan(given.upper)) q.upper = given.upper;
  if (!(q.lower < q.upper))
    throw InvalidArgument(fmt::format("free has '{}' from {} to {}; the first must be smaller",
                                      q.name, q.lower, q.upper));
  const bool positive = q.lower > 0.0;
  q.log = given.log.value_or(positive && q.bounded() && q.upper / q.lower > log_ratio);
  if (!std::isnan(given.start)) {
    q.start = given.start;
    if (q.start < q.lower || q.start > q.upper)
      throw InvalidArgument(fmt::format("free has '{}' that starts at {}, outside of {} .. {}",
                                        q.name, q.start, q.lower, q.upper));
  } else if (!(q.start >= q.lower && q.start <= q.upper)) {
    q.start = q.log ? std::sqrt(q.lower * q.upper) : 0.5 * (q.lower + q.upper);
  }
  if (!std::isfinite(q.start))
    throw InvalidArgument(fmt::format("free has '{}' without a value to start from", q.name));
  if (q.log && !(q.start > 0.0))
    throw InvalidArgument(
        fmt::format("free has '{}' by its logarithm, and it starts at {}", q.name, q.start));
}

void FitTask::resolve_free(const Problem& problem) {
  if (fit.free.empty()) throw InvalidArgument("free: nothing is free; name a parameter");
  std::vector<std::string> parameters;
  for (const Parameter& p : fit.model.parameters) parameters.push_back(p.name);
  for (const FreeQuantity& given : fit.free) {
    const Name name = name_of(given.name, fit);
    Quantity q{.name = given.name,
               .target = name.target,
               .experiment = name.experiment,
               .start_value = name.start_value,
               .lower = -std::numeric_limits<double>::infinity(),
               .upper = std::numeric_limits<double>::infinity()};
    if (q.start_value) {
      q.start = start_value(problem, q.target);
      if (std::isnan(q.start))
        throw InvalidArgument("free: " + no_such("start value", q.target, variable_names(problem)));
    } else {
      const std::size_t k = static_cast<std::size_t>(
          std::find(parameters.begin(), parameters.end(), q.target) - parameters.begin());
      if (k == parameters.size())
        throw InvalidArgument("free: " + no_such("parameter", q.target, parameters));
      q.start = fit.model.parameters[k].value;
      q.lower = fit.model.parameters[k].lower;
      q.upper = fit.model.parameters[k].upper;
      if (const auto set = fit.set.find(q.target); set != fit.set.end()) q.start = set->second;
    }
    check_bounds(q, given);
    q.scale = q.start != 0.0 ? std::abs(q.start) : 1.0;
    for (const Quantity& other : free)
      if (other.target == q.target && other.start_value == q.start_value &&
          (other.experiment == q.experiment || other.experiment < 0 || q.experiment < 0))
        throw InvalidArgument(fmt::format("free names '{}' and '{}', which are the same quantity",
                                          other.name, q.name));
    free.push_back(q);
  }
}

Eigen::VectorXd FitTask::start() const {
  Eigen::VectorXd u(static_cast<Eigen::Index>(free.size()));
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    const Quantity& q = free[static_cast<std::size_t>(i)];
    u[i] = q.to_u(q.start);
  }
  return u;
}

}  // namespace estimation
}  // namespace daedalus
