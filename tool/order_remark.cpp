// SPDX-License-Identifier: BSD-3-Clause
#include "tool/order_remark.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tool/numbers.hpp"

namespace daedalus::cli {
namespace {

constexpr double missed_by = 0.25;       // below the claim by more than this is worth a word
constexpr double flat_slope = 0.5;       // a slope below this: the step does not decide any more
constexpr double near_round_off = 1e-9;  // errors above this have another reason to stay

std::vector<double> slopes_of(const std::vector<double>& h, const std::vector<double>& e) {
  std::vector<double> slopes;
  for (std::size_t i = 1; i < std::min(h.size(), e.size()); ++i)
    slopes.push_back(std::log(e[i] / e[i - 1]) / std::log(h[i] / h[i - 1]));
  return slopes;
}

// The largest step that does not divide the interval into equal parts; 0: all do.
double uneven_step(const std::vector<double>& steps, const Interval& interval) {
  for (const double h : steps) {
    const double parts = std::abs(interval.to - interval.from) / h;
    if (std::abs(parts - std::round(parts)) > 1e-6 * parts) return h;
  }
  return 0.0;
}

bool multistep(const Method& method) {
  return method.family == "bdf" || method.family == "partitioned-multistep" ||
         method.name.find("bdf") != std::string::npos ||
         method.name.find("adams") != std::string::npos;
}

std::string reason(const std::vector<double>& h, const std::vector<double>& errors,
                   const std::vector<double>& slopes, double claimed, const Method& method,
                   const Interval& interval) {
  if (slopes.empty()) return "one step size shows no order: give several with --h";
  if (*std::max_element(errors.begin(), errors.end()) < 1e-12)
    return "the errors are at round-off from the largest step on: take larger steps with --h";
  const std::size_t last = slopes.size() - 1;
  const auto best =
      static_cast<std::size_t>(std::max_element(slopes.begin(), slopes.end()) - slopes.begin());
  if (slopes[last] < flat_slope && errors.back() < near_round_off)
    return fmt::format(
        "round-off: the errors stop falling near {:.1e}; take larger steps, --h {}:{}",
        *std::min_element(errors.begin(), errors.end()), brief(h.front()),
        brief(h[std::max<std::size_t>(best + 1, 1)]));
  if (slopes[last] < flat_slope)
    return fmt::format(
        "the errors stay near {:.1e} whatever the step: the reference has no more digits, or the "
        "solution is not smooth (--break-times of solve), or the start values are not consistent",
        errors.back());
  if (slopes[last] > claimed - missed_by)
    return fmt::format(
        "the largest steps are too large for it: the last two give {:.2f}; begin with --h {}",
        slopes[last], brief(h[last]));
  if (best < last && slopes[best] > claimed - missed_by)
    return fmt::format(
        "the claim shows between h = {} and {} ({:.2f}) and is lost below: round-off or the "
        "tolerance of Newton's iteration",
        brief(h[best]), brief(h[best + 1]), slopes[best]);
  if (const double uneven = uneven_step(h, interval); uneven > 0.0)
    return fmt::format(
        "h = {} does not divide the interval of {}: the last step is shorter; give steps that do, "
        "or --t-end",
        brief(uneven), brief(std::abs(interval.to - interval.from)));
  if (multistep(method))
    return "start-up: the first values of a multistep method come from steps of lower order, and "
           "their error stays; a longer interval (--t-end) or smaller steps show more";
  if (slopes[last] > slopes.front() + 0.1)
    return fmt::format("the slopes still grow ({:.2f} to {:.2f}): smaller steps show more",
                       slopes.front(), slopes[last]);
  return "claims are for smooth solutions, an index up to the method's and steps that resolve "
         "stiffness; stiff parts, a higher index or a jump lower the order";
}

}  // namespace

double claimed_order(const Method* method, const std::string& cls) {
  if (method == nullptr) return 0.0;
  if (cls == "dense") return method->dense_order;
  if (cls == "embedded") return method->error_order;
  for (int i = 0; i < class_count; ++i)
    if (to_string(static_cast<VariableClass>(i)) == cls)
      return method->orders[static_cast<VariableClass>(i)];
  return 0.0;
}

std::vector<std::string> order_remarks(const testing::OrderStudy& study, const Method* method,
                                       const Interval& interval) {
  std::vector<std::string> remarks;
  for (const auto& [cls, errors] : study.errors) {
    const double claimed = claimed_order(method, cls);
    const auto fit = study.orders.find(cls);
    const double measured = fit == study.orders.end() ? NAN : fit->second;
    if (!(claimed > 0.0) || measured > claimed - missed_by) continue;
    const std::string why =
        reason(study.steps, errors, slopes_of(study.steps, errors), claimed, *method, interval);
    if (std::isnan(measured))
      remarks.push_back(fmt::format("{}: no order can be fitted: {}", cls, why));
    else
      remarks.push_back(
          fmt::format("{}: {:.2f} instead of {}: {}", cls, measured, brief(claimed), why));
  }
  return remarks;
}

}  // namespace daedalus::cli
