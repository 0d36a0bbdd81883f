// SPDX-License-Identifier: BSD-3-Clause
// What a checkpoint holds of a run: the state of the loop, of method and system, and the results so
// far. Work arrays come from the start at t0 that every resumed run makes, and from the structure
// that the last handler of an event left.
#include "integrate/loop.hpp"
#include "system/invariants.hpp"

namespace daedalus {
namespace {

void archive_text(Archive& a, std::string& text) {
  std::vector<char> bytes(text.begin(), text.end());
  a.grows(bytes);
  if (!a.saving()) text.assign(bytes.begin(), bytes.end());
}

template <class Item, class Each>
void archive_list(Archive& a, std::vector<Item>& list, Each each) {
  const long n = a.length(static_cast<long>(list.size()), sizeof(double));
  if (!a.saving()) list.assign(static_cast<std::size_t>(n), Item{});
  for (Item& item : list) each(item);
}

void archive_interpolant(Archive& a, Interpolant& p, const Layout& layout) {
  if (a.saving()) p.clear_unused();
  a(p.t0, p.h, p.degree, p.base, p.c);
  a.require(p.c.size() == 0
                ? p.degree == 0 && p.base.size() == 0
                : p.degree >= 0 && p.degree < p.c.cols() && p.c.rows() == layout.tangents() &&
                      p.base.size() == layout.points(),
            "an interpolant has another size");
}

// Numbers one after another: item by item is slow for long trajectories.
void archive_numbers(Archive& a, std::vector<double>& list) {
  Eigen::VectorXd all;
  if (a.saving())
    all = Eigen::Map<const Eigen::VectorXd>(list.data(), static_cast<long>(list.size()));
  a(all);
  if (!a.saving()) list.assign(all.data(), all.data() + all.size());
}

void archive_statistics(Archive& a, Statistics& s) {
  a(s.accepted, s.rejected, s.projections, s.chart_changes, s.restarts, s.events);
  a.grows(s.order_histogram);  // with a change of method
  a(s.h_min, s.h_max, s.proposed_step, s.last_step, s.last_error, s.error_test_failures,
    s.projection_failures, s.seconds, s.position_residual, s.velocity_residual,
    s.acceleration_residual, s.position_growth, s.velocity_growth, s.acceleration_growth);
}

void archive_columns(Archive& a, SolutionData& d) {
  SensitivityData& s = d.sensitivities;
  archive_numbers(a, s.values);
  const auto size = static_cast<std::size_t>(s.start.size());
  a.require(s.values.size() == size * d.times.size(), "the columns are not as many as the times");
  archive_list(a, s.pieces, [&](ColumnPiece& p) {
    a(p.t0, p.h, p.c);
    a.require(p.c.cols() > 0 && p.c.rows() == s.start.size(), "a piece has another size");
  });
  a(s.start, s.end, s.story.error_estimate, s.story.steps, s.story.factorisations, s.story.solves,
    s.story.directional_evaluations, s.story.seconds);
}

void archive_results(Archive& a, SolutionData& d) {
  archive_numbers(a, d.times);
  archive_numbers(a, d.states);
  const auto variables = static_cast<std::size_t>(d.variables->size());
  a.require(d.states.empty() ? d.times.empty() || variables == 0
                             : variables > 0 && d.states.size() / variables == d.times.size() &&
                                   d.states.size() % variables == 0,
            "the states are not as many as the times");
  archive_list(a, d.interpolants, [&](Interpolant& p) { archive_interpolant(a, p, d.layout); });
  archive_list(a, d.events, [&](EventRecord& e) {
    archive_text(a, e.name);
    a(e.t, e.y, e.time_derivative, e.total);
    a.require(static_cast<std::size_t>(e.y.size()) == variables, "an event has another state");
  });
  a.grows(d.drift);
  a(d.start_time, d.end_time, d.start, d.end);
  if (d.sensitivities.names) archive_columns(a, d);
  archive_list(a, d.warnings, [&](std::string& w) { archive_text(a, w); });
  a(d.said);
  archive_statistics(a, d.statistics);
}

}  // namespace

void Recorder::archive(Archive& a) {
  a(next_, direction_);
  drift_.archive(a);
}

void Loop::archive_run(Archive& a) {
  if (!a.saving()) own_data();
  a(*system_->modes, restructured_, given_.t, given_.x, given_.xd, given_strategy_);
  if (!a.saving() && restructured_) {
    // The same structure and work arrays as after the handler or the change of method.
    const State given = given_;
    const StartStrategy usual = start_request_.strategy;
    start_request_.strategy = given_strategy_;
    consistent(given, current_);
    start_request_.strategy = usual;
    given_ = given;
    stepper_ = method_.make(*system_, settings_);
    stepper_->start({StartReason::event, current_, known_ ? &known_ : nullptr, fixed_});
  }
  archive(a);
  if (columns_) columns_->archive(a);
  events_->archive(a);
  accumulation_.archive(a);
  recorder_->archive(a);
  archive_interpolant(a, interpolant_, system_->layout);
  a(length_, t_start_, repairs_, last_tried_, paused_, pause_at_, asked_inside_, jumped_,
    error_sum_, named_changes_, shortened_by_, shortened_for_);
  stability_.archive(a);
  rejections_.archive(a);
  stays_.archive(a);
  corners_.archive(a);
  archive_results(a, *data_);
  // Last: what resuming itself evaluated is no part of the run.
  a(system_->counter.phases());
  if (System* model = system_->model_system()) a(model->counter.phases());
  if (a.saving()) return;
  data_->status = Status::success;
  data_->message.clear();
}

}  // namespace daedalus
