// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/recorder.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {

Recorder::Recorder(const Options& options, System& system, SolutionData& data)
    : options_(options), system_(system), data_(&data) {
  // Of large systems memory that nobody writes to costs nothing.
  scratch_.x.resize(system.layout.points());
  model_.setZero(system.variables->size());
  tangent_.resize(system.layout.tangents());
}

void Recorder::report(const State& s, bool between) {
  const PhaseScope phase(system_.counter, Phase::output);
  system_.to_model(s, model_.data());
  if (keep_) {
    data_->times.push_back(s.t);
    data_->states.insert(data_->states.end(), model_.data(), model_.data() + model_.size());
    if (columns_) columns_->report(s.t, data_->sensitivities);
  }
  call_sink(s.t);
  if (between) return;  // the residuals of interpolated states are no property of the steps
  const System::ConstraintResidual r = system_.constraint_residual(s);
  const auto larger = [](double& largest, double value) {
    if (std::isnan(largest) || value > largest) largest = value;
  };
  larger(data_->statistics.position_residual, r.position);
  larger(data_->statistics.velocity_residual, r.velocity);
}

void Recorder::call_sink(double t) {
  if (!options_.sink || muted_) return;
  try {
    options_.sink(
        StateView(*system_.variables, t, model_.data(), *system_.modes, system_.parameters.get()));
  } catch (...) {
    thrown_ = std::current_exception();
    muted_ = true;
  }
}

void Recorder::begin(const State& s, double direction) {
  direction_ = direction;
  data_->start_time = data_->end_time = s.t;
  data_->start.resize(system_.variables->size());
  system_.to_model(s, data_->start.data());
  data_->end = data_->start;
  if (columns_) columns_->begin(data_->sensitivities);
  next_ = 0;
  const bool only_times = options_.output == Output::times;
  while (next_ < times().size() && direction_ * (times()[next_] - s.t) <= 0.0) {
    if (only_times && times()[next_] == s.t) report(s);
    ++next_;
  }
  if (options_.output == Output::steps || options_.output == Output::dense) report(s);
}

void Recorder::resume(const Recorder& before) {
  between_ = before.between_;
  keep_ = before.keep_;
  muted_ = before.muted_;
  next_ = before.next_;
  direction_ = before.direction_;
  drift_ = before.drift_;
}

bool Recorder::wants_interpolant(double t_new) const {
  if (options_.output == Output::dense) return true;
  if (next_ >= times().size()) return false;
  const double ahead = direction_ * (t_new - times()[next_]);
  return options_.output == Output::times ? ahead >= 0.0
                                          : options_.output == Output::steps && ahead > 0.0;
}

void Recorder::inside(const Interpolant& p, double t_new) {
  if (options_.output == Output::dense) {
    data_->interpolants.emplace_back();
    system_.to_model(p, data_->interpolants.back());
    if (columns_) columns_->piece(data_->sensitivities);
    return;
  }
  const bool only_times = options_.output == Output::times;
  for (; next_ < times().size() && direction_ * (t_new - times()[next_]) >= 0.0; ++next_) {
    scratch_.t = times()[next_];
    if (!only_times && scratch_.t == t_new) continue;  // the end of the step is reported itself
    p.evaluate(system_.layout, scratch_.t, tangent_, scratch_.x.data());
    project(scratch_);
    report(scratch_, !only_times);
  }
}

void Recorder::project(State& s) {
  if (!options_.project_output || !system_.has_projection()) return;
  const PhaseScope phase(system_.counter, Phase::output);
  // Far below the tolerance, so that the state reported is as close as the interpolant is accurate.
  weight_.setConstant(system_.layout.tangents(), 1e-3 * options_.rtol);
  projected_ = s;
  if (system_.project(projected_, weight_, 0.0).outcome == Outcome::ok) s.x = projected_.x;
}

void Recorder::watch(const State& s) {
  if (!options_.watch_drift) return;
  const PhaseScope phase(system_.counter, Phase::output);
  drift_.add(s.t, system_.drift(s), data_->drift);
}

void Recorder::accepted(const State& s) {
  data_->end_time = s.t;
  system_.to_model(s, data_->end.data());
  if (columns_) columns_->end(data_->sensitivities);
  watch(s);
  if (options_.output == Output::steps)
    while (next_ < between_.size() && direction_ * (s.t - between_[next_]) >= 0.0) ++next_;
  if (options_.output == Output::steps || options_.output == Output::dense) report(s);
}

void Recorder::jump(const State& after) {
  system_.to_model(after, data_->end.data());
  if (columns_) columns_->end(data_->sensitivities);
  if (options_.output == Output::steps || options_.output == Output::dense) report(after);
}

void Recorder::end(const State& s) {
  if (options_.watch_drift) drift_.conclude(data_->start_time, data_->drift, data_->statistics);
  if (options_.output == Output::end || options_.output == Output::none)
    if (data_->times.empty() || data_->times.back() != s.t) {
      if (options_.output == Output::none) {
        const PhaseScope phase(system_.counter, Phase::output);
        const System::ConstraintResidual r = system_.constraint_residual(s);
        data_->statistics.position_residual = r.position;
        data_->statistics.velocity_residual = r.velocity;
      } else {
        report(s);
      }
    }
}

}  // namespace daedalus
