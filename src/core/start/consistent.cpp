// SPDX-License-Identifier: BSD-3-Clause
#include "start/consistent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "start/start_rows.hpp"

namespace daedalus {

StartReport failed_start(System& system, double t, Outcome outcome, std::string_view doing,
                         std::string_view variable) {
  StartReport r;
  switch (outcome) {
    case Outcome::callback_failed:
      r.status = Status::callback_failed;
      break;
    case Outcome::not_finite:
      r.status = Status::not_finite;
      break;
    case Outcome::matrix_singular:
      r.status = Status::singular_matrix;
      break;
    case Outcome::newton_failed:
    case Outcome::projection_failed:
      r.status = Status::inconsistent_start;
      break;
    default:
      r.status = Status::inconsistent_start;
      break;
  }
  std::string detail;
  const Failure& f = system.failure;
  if (outcome == Outcome::not_finite && f.function) {
    detail = fmt::format("callable '{}' gave a value that is not finite", f.function);
    const int equation = f.equation >= 0 ? f.equation : f.row;
    if (equation >= 0 && equation < static_cast<int>(system.equations.size()))
      detail += fmt::format(" in equation '{}' (row {})",
                            system.equations[static_cast<std::size_t>(equation)], f.row + 1);
    else if (f.row >= 0)
      detail += fmt::format(" in row {}", f.row + 1);
  } else if ((outcome == Outcome::callback_failed || outcome == Outcome::callback_rejected) &&
             f.function) {
    std::string why = "rejected its arguments";
    if (f.exception) {
      try {
        std::rethrow_exception(f.exception);
      } catch (const std::exception& e) {
        why = fmt::format("threw: {}", e.what());
      } catch (...) {
        why = "threw something that is not a std::exception";
      }
    }
    detail = fmt::format("callable '{}' {}", f.function, why);
  } else if (outcome == Outcome::matrix_singular) {
    detail = fmt::format(
        "the matrix of this system is singular{}: constraints may be redundant, or the problem has "
        "a higher index than its form says",
        variable.empty() ? std::string() : fmt::format(", it does not determine '{}'", variable));
  } else {
    detail = "the iteration did not converge from these values; give better ones";
  }
  r.message = fmt::format("At the start (t = {:g}), while {}: {}.", t, doing, detail);
  return r;
}

void sort_rows(StartReport& report) {
  // A comparison that is not a number must not hide a row.
  for (StartReport::Row& row : report.rows)
    if (!std::isfinite(row.scaled)) row.scaled = std::numeric_limits<double>::max();
  std::stable_sort(report.rows.begin(), report.rows.end(),
                   [](const auto& a, const auto& b) { return a.scaled > b.scaled; });
}

namespace {

std::string worst_rows(const StartReport& report, const char* verb) {
  std::string list;
  int named = 0;
  for (const StartReport::Row& row : report.rows) {
    if (named == 3 || (named > 0 && !(row.scaled > 1.0))) break;
    list += fmt::format("{}'{}' {} residual {:.3g}", named++ ? "; " : "", row.equation, verb,
                        row.value);
  }
  return list;
}

}  // namespace

void refuse(StartReport& report, double t, std::string_view remedy) {
  report.status = Status::inconsistent_start;
  report.message = fmt::format("The start values at t = {:g} are not consistent: {}. {}", t,
                               worst_rows(report, "has"), remedy);
}

void give_up(StartReport& report, double t, std::string_view why) {
  report.status = Status::inconsistent_start;
  report.message = fmt::format("No consistent start values were found at t = {:g}: {}. {}", t,
                               worst_rows(report, "keeps"), why);
}

StartReport make_consistent(System& system, State& state, const StartRequest& request) {
  if (const System* model = system.model_system();
      model && state.x.size() == model->layout.points())
    return start_in_chart(system, state, request);
  const PhaseScope phase(system.counter, Phase::start);
  if (request.own) return request.own(system, state, request);
  if (system.parts && request.strategy == StartStrategy::solve) {
    System& parts = *system.parts;
    *parts.modes = *system.modes;
    const PhaseScope of_parts(parts.counter, Phase::start);
    parts.prepare(state);
    StartReport report = start_hessenberg(parts, state, request);
    system.counter.now() += parts.counter.now();
    parts.counter.now() = {};
    system.failure = parts.failure;
    return report;
  }
  if (system.mechanical_view()) return start_multibody(system, state, request);
  if (system.partitioned_view() && system.layout.blocks().back().index == 2)
    return start_hessenberg(system, state, request);
  if (request.strategy == StartStrategy::solve)
    if (std::optional<StartReport> report = start_array(system, state, request))
      return std::move(*report);
  if (std::optional<StartReport> report = start_sparse(system, state, request))
    return std::move(*report);
  if (system.linear_view()) return start_linear(system, state, request);
  return start_residual(system, state, request);
}

}  // namespace daedalus
