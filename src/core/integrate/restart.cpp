// SPDX-License-Identifier: BSD-3-Clause
// Starting again inside a run: after handlers of events and at break times. What is differentiated,
// d(y), does not jump by itself: it is kept as the handler left it, and where the equations do not
// allow that, what was changed is named.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "control/measure_options.hpp"
#include "integrate/loop.hpp"

namespace daedalus {
namespace {
// Matrices are looked at as full ones up to this size; start values of index 2 and higher are
// found from derivative arrays up to it (start/start_array.cpp).
constexpr int max_dense = 60;

// Initial equations hold at the start only. Of index 1 what is differentiated stays anyway; names
// that were fixed there say nothing about the rest.
struct WithoutInitialEquations {
  WithoutInitialEquations(StartRequest& r, bool keeps_fixed)
      : request(r), extra(std::exchange(r.extra_count, 0)), fixed(r.fixed) {
    if (!keeps_fixed && extra > 0) request.fixed.clear();
  }
  ~WithoutInitialEquations() {
    request.extra_count = extra;
    request.fixed = std::move(fixed);
  }
  StartRequest& request;
  int extra;
  std::vector<int> fixed;
};
}  // namespace

StartReport Loop::with_strategy(StartStrategy strategy, const State& given, State& state) {
  const StartStrategy usual = std::exchange(start_request_.strategy, strategy);
  StartReport report = consistent(given, state);
  start_request_.strategy = usual;
  return report;
}

// Model variables whose derivatives the equations contain; empty: not known.
std::vector<int> Loop::differentiated(System& where, const State& s) {
  std::vector<int> result;
  const int n = where.layout.tangents();
  if (where.mechanical_view() || where.partitioned_view()) {
    for (const LayoutBlock& b : where.layout.blocks())
      if (b.cls == VariableClass::q || b.cls == VariableClass::v || b.cls == VariableClass::y)
        for (int i = 0; i < b.space.points(); ++i) result.push_back(b.point + i);
    return result;
  }
  if (n > max_dense || !where.layout.euclidean()) return result;
  const PhaseScope phase(where.counter, Phase::start);
  Eigen::MatrixXd E = Eigen::MatrixXd::Zero(n, n);
  if (LinearView* linear = where.linear_view()) {
    if (linear->linearise(s.t, s.x.data()) != Outcome::ok) return result;
    linear->linear_pencil().dense_e(E);
  } else if (ResidualView* residual = where.residual_view()) {
    Eigen::VectorXd rate = Eigen::VectorXd::Zero(std::max(n, residual->differentiated_count()));
    if (residual->linearise(s.t, s.x.data(), rate.data()) != Outcome::ok) return result;
    E.setZero(static_cast<int>(where.equations.size()), n);
    residual->residual_pencil().dense_e(E);
  }
  for (int i = 0; i < std::min(n, where.variables->size()); ++i)
    if (E.col(i).cwiseAbs().maxCoeff() > 0.0) result.push_back(i);
  return result;
}

// The variables among `kept` whose index is below that of all that a handler changed: an impulse
// moves no position.
static std::vector<int> below_change(const Layout& layout, const std::vector<int>& kept,
                                     const Eigen::VectorXd& left, const Eigen::VectorXd& given) {
  std::vector<int> index(static_cast<std::size_t>(given.size()), 1);
  for (const LayoutBlock& b : layout.blocks())
    std::fill(index.begin() + b.tangent, index.end(), b.index);
  const auto of = [&](int i) { return index[static_cast<std::size_t>(i)]; };
  int lowest = 0;
  if (left.size() == given.size())
    for (const int i : kept)
      if (left[i] != given[i] && (lowest == 0 || of(i) < lowest)) lowest = of(i);
  std::vector<int> below;
  std::copy_if(kept.begin(), kept.end(), std::back_inserter(below),
               [&](int i) { return of(i) < lowest; });
  return below;
}

// What a run leaves of hidden constraints are errors of some tolerances: d(y) has to move by that,
// and by no more for the sake of algebraic variables, which jump. So changes of d(y) count for much
// more; twice, since what the first time did to them was for values that it found.
StartReport Loop::nearly_keeping(const std::vector<int>& kept, const std::vector<int>& firm,
                                 const State& given) {
  StartReport report;
  report.status = Status::inconsistent_start;
  if (kept.empty() || system_->model_system()) return report;
  State from = given;
  kept_ = kept;
  firm_ = firm;
  for (int pass = 0; pass < 2; ++pass) {
    State found;
    report = with_strategy(StartStrategy::solve, from, found);
    if (report.status != Status::success) break;
    if (pass == 1) {
      current_ = std::move(found);
      continue;
    }
    from = std::move(found);
    for (const int i : kept) from.x[i] = given.x[i];
  }
  kept_.clear();
  firm_.clear();
  report.changed = report.status == Status::success;  // name_changes() compares
  return report;
}

// In a formulation that does not hold all constraints the state had drifted before the handler saw
// it. Unless the handler made it worse, start values are then found, not asked for.
StartReport Loop::consistent_after_jump(const State& given, Jump jump) {
  // A handler that changes a velocity or a mode may scale the residual by a few.
  constexpr double worse = 10.0;
  System& where = system_->model_system() ? *system_->model_system() : *system_;
  // At a break time nobody gave values: algebraic variables jump as their equations do.
  const bool may_solve =
      options_.start != StartStrategy::given && options_.linear_algebra != LinearAlgebra::krylov;
  const bool solves =
      options_.start == StartStrategy::solve || (jump != Jump::handler && may_solve);
  int index = 1;
  for (const LayoutBlock& b : where.layout.blocks()) index = std::max(index, b.index);
  const WithoutInitialEquations guard(start_request_, index > 1);
  if (solves && (where.mechanical_view() || where.partitioned_view())) {
    if (StartReport report = with_strategy(StartStrategy::automatic, given, current_);
        report.status == Status::success)
      return report;
  } else if (solves && index > 1 && where.layout.tangents() <= max_dense) {
    const std::vector<int> asked = start_request_.fixed;
    std::vector<int> kept = differentiated(where, given);
    const Eigen::VectorXd left = current_.x;
    start_request_.fixed.insert(start_request_.fixed.end(), kept.begin(), kept.end());
    StartReport report = with_strategy(StartStrategy::solve, given, current_);
    start_request_.fixed = asked;
    if (report.status == Status::success) return report;
    if (report = nearly_keeping(kept, below_change(where.layout, kept, left, given.x), given);
        report.status == Status::success)
      return report;
  }
  if (solves) return with_strategy(StartStrategy::solve, given, current_);
  const State before = current_;
  StartReport report = consistent(given, current_);
  if (report.status != Status::inconsistent_start || system_->model_system() ||
      start_request_.strategy != StartStrategy::automatic)
    return report;
  State drifted;
  const StartReport drift = consistent(before, drifted);
  if (drift.status == Status::inconsistent_start && !drift.rows.empty() && !report.rows.empty() &&
      report.rows.front().scaled <= worse * drift.rows.front().scaled)
    report = with_strategy(StartStrategy::solve, given, current_);
  return report;
}

std::string Loop::changes_of(const Eigen::VectorXd& before, const std::vector<int>& variables) {
  // More names hide the first ones.
  constexpr int max_named = 5;
  system_->to_model(current_, model_.data());
  std::string list;
  int named = 0;
  for (const int i : variables) {
    const double size = std::max(std::abs(before[i]), std::abs(model_[i]));
    const double atol = i < options_.atol.size() || options_.atol.scalar() ? options_.atol[i] : 0.0;
    if (!(std::abs(model_[i] - before[i]) > atol + options_.rtol * size)) continue;
    if (named++ < max_named)
      list +=
          fmt::format("{}'{}' from {:.8g} to {:.8g}", list.empty() ? "" : ", ",
                      system_->variables->names[static_cast<std::size_t>(i)], before[i], model_[i]);
  }
  return named > max_named ? list + " and others" : list;
}

// Switching circuits have thousands of events: the first ones tell what there is to know.
void Loop::name_changes(const std::string& list, const std::string& where) {
  constexpr long max_named = 3;  // of the same kind, in a run
  if (named_changes_++ >= max_named) return;
  warn(fmt::format(
      "{} the equations do not hold with the values that were left: {} was changed.{}", where, list,
      named_changes_ < max_named ? "" : " Further changes like this one are not reported."));
}

// The other side, at the same time; at a break time only where something jumped.
void Loop::report_jump(const Eigen::VectorXd& before, Jump jump) {
  if (jump != Jump::break_time) return recorder_->jump(current_);
  system_->to_model(current_, model_.data());
  if (model_ == before) return;
  State shown = current_;
  shown.t = data_->end_time;
  recorder_->jump(shown);
}

Status Loop::start_again(double t, Jump jump, const std::string& where) {
  System* const model = system_->model_system();
  System& system = model ? *model : *system_;
  State given = model ? State{} : current_;
  const long charts = system_->charts();
  const Eigen::VectorXd left = model_;
  system.from_model(t, model_.data(), given);
  const StartReport report = consistent_after_jump(given, jump);
  if (report.status != Status::success) {
    // Behind a step over a corner rounding errors may be what keeps start values from being found.
    std::string limit = jump == Jump::break_time ? round_off_limit() : std::string();
    impasse_named_ = impasse_named_ || !limit.empty();
    return fail(report.status, std::move(limit) + where + ": " + report.message);
  }
  if (report.changed)
    if (const auto list = changes_of(left, differentiated(system, given)); !list.empty())
      name_changes(list, where);
  if (const Status held = hold_invariants(); held != Status::success) return held;
  if (const Status s = move_columns(t, jump, where); s != Status::success) return s;
  // Of no use in another chart.
  if (system_->charts() != charts) interpolant_.h = 0.0;
  report_jump(left, jump);
  const double h = std::abs(h_);
  // The structure of the equations may have changed with the modes: work arrays are made anew.
  stepper_ = method_.make(*system_, settings_);
  restructured_ = true;
  if (const Status s = restart(StartReason::event); s != Status::success) return s;
  const double fresh = std::abs(first_step(current_.t + direction_ * 1000.0 * h));
  h_ = direction_ * (fixed_ ? h : std::min(h, fresh));
  return Status::success;
}

}  // namespace daedalus
