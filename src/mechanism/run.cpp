// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/mechanism/run.hpp>
#include <daedalus/method.hpp>

#include "mechanism/plan.hpp"

namespace daedalus {

double step_error_share(const std::string& method, const std::string& formulation) {
  const Method* m = find_method(method);
  if (!m || m->order < 2) return 1.0;
  // Velocities lose orders there: radau with 1e-6 has 2.9 digits of the slider crank, 3.9 with it.
  constexpr double index3_share = 0.1;
  if (formulation == "index3" && (m->family == "bdf" || m->family == "radau"))
    return index3_share * step_error_share(method);
  // Order 2 takes ten times as many steps as order 5 at 1e-6, and adds up as many errors.
  constexpr double second_order_share = 0.005;
  if (m->order == 2) return second_order_share;
  // `bdf` takes a tenth by itself; both take some five times as many steps as a one-step method.
  constexpr double multistep_share = 0.3;
  if (m->family == "bdf" || m->family == "lie") return multistep_share;
  // Ten times the accuracy for half as many steps again, as in the automatic choice.
  constexpr double explicit_share = 0.1;
  const bool is_explicit = m->family == "half-explicit" || m->family == "runge-kutta" ||
                           m->family == "partitioned-multistep";
  return is_explicit ? explicit_share : 1.0;
}

Options run_options(const Assembled& mechanism, double tolerance, const std::string& method) {
  Options o;
  o.method = method;
  o.rtol = step_error_share(method) * tolerance;
  o.atol = o.rtol * std::min(1.0, mechanism.report.length);  // lengths in parts of the largest
  o.events = mechanism.events;
  return o;
}

std::vector<std::string> run_warnings(const Assembled& mechanism, double t_end) {
  const mechanism::Plan& plan = mechanism.plan();
  std::vector<std::string> all;
  for (const mechanism::Row& row : plan.rows) {
    if (row.profile < 0 || row.kind == mechanism::RowKind::surface) continue;
    const TimeFunction& f = plan.profiles[static_cast<std::size_t>(row.profile)];
    if (f.break_times().empty()) continue;
    const double end = f.break_times().back();  // just behind the last point
    const double before = f.rate(std::nextafter(end, 0.0));
    if (end < t_end && std::abs(before - f.rate(end)) > 1e-9 * (1.0 + std::abs(before)))
      all.push_back(fmt::format(
          "drive '{}': its table ends at t = {:.6g} with the rate {:.4g} and is held from there: "
          "the velocity jumps. Let it end flat, or be periodic",
          plan.joints[static_cast<std::size_t>(row.joint)].name, end, before));
  }
  return all;
}

}  // namespace daedalus
