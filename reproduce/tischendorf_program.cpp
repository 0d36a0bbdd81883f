// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/tischendorf_program.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace daedalus::experiments::tischendorf {

std::vector<Setting> readings(int mode, long max_steps) {
  std::vector<Setting> all;
  for (const char* control : {"dae2sol-fitted", "dae2sol-a", "dae2sol"})
    for (const bool all_variables : {true, false})
      for (const double first_step : {1.0, 0.2, 0.02, 0.0})
        all.push_back({control, mode, all_variables, first_step, max_steps, {}});
  return all;
}

Options program_options(double tolerance, double length, const Setting& setting) {
  Options o;
  o.method = "dae2sol";
  o.control = setting.control;
  o.rtol = tolerance;
  o.atol = tolerance;
  o.norm = ErrorNorm::maximum;
  o.error_test = setting.mode == 1 ? ErrorPolicy::differential : ErrorPolicy::all;
  o.method_options["first_test"] = setting.first_test_of_all ? 1.0 : 0.0;
  o.initial_step = setting.first_step * length / 20.0;
  o.max_steps = setting.max_steps;
  o.sink = setting.sink;
  o.output = setting.sink ? Output::steps : Output::end;
  return o;
}

Run run(const std::string& problem, double t_end, double tolerance, const Setting& setting) {
  const problems::Entry& e = entry(problem);
  const Solution s =
      solve(e.problem(), {e.t0, t_end}, program_options(tolerance, t_end - e.t0, setting));
  const Statistics& n = s.statistics();
  return {s.status(), s.end_time(), n.accepted, n.rejected, n.h_min, n.h_max, s.end().y()};
}

std::string spread(const std::string& problem, double t_end, double tolerance, int mode) {
  long least = 0, most = 0, ended = 0, count = 0;
  for (const Setting& setting : readings(mode, max_attempts)) {
    const Run r = run(problem, t_end, tolerance, setting);
    ++count;
    if (r.status != Status::success) continue;
    least = ended == 0 ? r.accepted : std::min(least, r.accepted);
    most = std::max(most, r.accepted);
    ++ended;
  }
  if (ended == 0)
    return fmt::format("none of {} readings of what is not stated reaches the end", count);
  return fmt::format(
      "{} of {} readings of what is not stated reach the end, with {} to {} accepted steps", ended,
      count, least, most);
}

}  // namespace daedalus::experiments::tischendorf
