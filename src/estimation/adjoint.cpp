// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/adjoint.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "estimation/gradient_request.hpp"
#include "formulation/lower.hpp"
#include "kernel/at.hpp"
#include "kernel/nearest.hpp"

namespace daedalus {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none" : list;
}

int place(const char* what, std::string_view name, const std::vector<std::string>& names) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return static_cast<int>(it - names.begin());
  throw InvalidArgument(fmt::format("gradient: there is no {} '{}'.{} There are: {}", what, name,
                                    suggestion(name, names), listed(names)));
}

void check_functionals(const std::vector<Functional>& functionals, Interval interval) {
  if (functionals.empty())
    throw InvalidArgument("adjoint: give at least one functional to differentiate");
  std::set<std::string> seen;
  const auto [low, high] = std::minmax(interval.from, interval.to);
  for (const Functional& f : functionals) {
    if (f.name.empty()) throw InvalidArgument("adjoint: a functional has no name");
    if (!seen.insert(f.name).second)
      throw InvalidArgument(fmt::format("adjoint: functional '{}' is given twice", f.name));
    if (!f.at_end && !f.along && !f.at)
      throw InvalidArgument(
          fmt::format("adjoint: functional '{}' has no terms; give at_end, along or at", f.name));
    if (static_cast<bool>(f.at) == f.at_times.empty())
      throw InvalidArgument(fmt::format(
          "adjoint: functional '{}' needs both or none of `at` and `at_times`", f.name));
    for (const double t : f.at_times)
      if (!(t >= low && t <= high))
        throw InvalidArgument(
            fmt::format("adjoint: at_times of '{}' has {}; the run goes from {} "
                        "to {}",
                        f.name, t, interval.from, interval.to));
  }
}

GradientRequest resolved(const Problem& problem, Interval interval,
                         const std::vector<Functional>& functionals, const Options& options,
                         const AdjointOptions& asked) {
  GradientRequest r{.problem = std::make_shared<const Problem>(problem),
                    .interval = interval,
                    .functionals = functionals,
                    .options = options,
                    .memory = asked.memory};
  SensitivityOptions& s = r.options.sensitivities;
  s.parameters = asked.parameters;
  s.start_values = asked.start_values;
  s.directions = {};
  if (s.empty()) throw InvalidArgument("adjoint: name parameters ({\"*\"}: all) or start values");
  if (options.linear_algebra == LinearAlgebra::krylov)
    throw InvalidArgument(
        "adjoint: linear_algebra krylov offers no transposed matrix; use sparse or dense");
  if (options.defect)
    throw InvalidArgument("adjoint: a run with defects has no gradient; leave `defect` away");
  validate(problem, interval.from);
  if (std::holds_alternative<MultibodyProblem>(problem) &&
      fit(problem, "index1", View::residual).possible)
    r.formulation = "index1";
  const auto system = lower(r.problem, r.formulation, View::residual, r.lowering, interval.from);
  r.asked = resolve(problem, s, *system);
  return r;
}

Gradient::Data failed(const GradientRequest& r, bool backwards, const std::string& message) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Gradient::Data data;
  data.way = backwards ? GradientWay::adjoint : GradientWay::forward;
  data.status = Status::not_finite;
  data.message = message;
  data.columns = described(r.asked, true);
  data.values.assign(r.functionals.size(), nan);
  data.derivatives.setConstant(static_cast<int>(r.functionals.size()), r.asked.base(), nan);
  return data;
}

void warn_of_zeros(Gradient::Data& data) {
  if (!Gradient(data).ok()) return;
  for (int j = 0; j < data.derivatives.cols(); ++j)
    if ((data.derivatives.col(j).array() == 0.0).all())
      data.warnings.push_back(fmt::format(
          "No functional depends on '{}': its derivatives are zero.", data.columns[at(j)].name));
}

}  // namespace

std::string_view to_string(GradientWay way) {
  return way == GradientWay::forward   ? "forward"
         : way == GradientWay::adjoint ? "adjoint"
                                       : "automatic";
}

double Gradient::value(std::string_view functional) const {
  return data_.values[at(place("functional", functional, data_.functionals))];
}

double Gradient::operator()(std::string_view functional, std::string_view column) const {
  std::vector<std::string> names;
  for (const SensitivityColumn& c : data_.columns) names.push_back(c.name);
  const int i = place("functional", functional, data_.functionals);
  return data_.derivatives(i, place("column", column, names));
}

Gradient adjoint(const Problem& problem, Interval interval,
                 const std::vector<Functional>& functionals, const Options& options,
                 const AdjointOptions& asked) {
  check_functionals(functionals, interval);
  const GradientRequest r = resolved(problem, interval, functionals, options, asked);
  std::string why = "as asked for";
  bool backwards = asked.way == GradientWay::adjoint;
  if (asked.way != GradientWay::forward) {
    std::string refused = refusal(r);
    if (backwards && !refused.empty()) throw InvalidArgument("adjoint: " + refused);
    if (!backwards) {
      backwards =
          refused.empty() && 0.3 * r.asked.base() >= 4.0 * static_cast<double>(functionals.size());
      why = !refused.empty() ? refused
            : backwards      ? "cheaper for this number of parameters"
                             : "cheaper for so few parameters";
    }
  }
  Gradient::Data data;
  try {
    data = backwards ? gradient_by_adjoint(r) : gradient_by_columns(r);
  } catch (const GradientFailure& failure) {
    if (!backwards || asked.way == GradientWay::adjoint)
      data = failed(r, backwards, failure.what());
    else {
      why = failure.what();
      data = gradient_by_columns(r);
    }
  }
  data.why = why;
  data.functionals.clear();
  for (const Functional& f : functionals) data.functionals.push_back(f.name);
  warn_of_zeros(data);
  return Gradient(std::move(data));
}

}  // namespace daedalus
