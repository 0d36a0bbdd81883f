// SPDX-License-Identifier: BSD-3-Clause
#include "methods/bdf/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/at.hpp"

namespace daedalus::bdf {
int order_setting(const MethodSettings& settings, std::string_view key, int least) {
  const double value = settings(key);
  const int order = static_cast<int>(value);
  if (order != value || order < least || order > max_order)
    throw InvalidArgument(fmt::format("{}: {} is not allowed; give an order between {} and {}", key,
                                      value, least, max_order));
  return order;
}

void warn_of_index_3(System& system) {
  for (const LayoutBlock& b : system.layout.blocks())
    if (b.index > 2) {
      system.warnings.push_back(
          "The equations have index 3: errors of index-3 variables count with h^2 only, and "
          "rounding "
          "errors reach them as h^-2. A formulation of lower index (index2, or differentiated "
          "constraints) is more accurate and cheaper.");
      return;
    }
}

BdfStepper::BdfStepper(System& system, const Configuration& configuration)
    : system_(system),
      view_(*system.residual_view()),
      configuration_(configuration),
      newton_(system, configuration.newton),
      carried_error_(system),
      stability_(system.layout.tangents(),
                 configuration.watch_stability && configuration.order == 0),
      stated_(view_.states_leading_term()),
      grouped_(!system.layout.euclidean()) {
  const int n = system.layout.tangents(), points = system.layout.points();
  const int nd = view_.differentiated_count();
  for (const LayoutBlock& b : system.layout.blocks()) max_index_ = std::max(max_index_, b.index);
  for (int j = 0; j <= max_values; ++j) ring_[at(j)] = j;
  points_.setZero(points, max_values + 1);
  relative_.setZero(n, max_values);
  phi_.setZero(n, max_values);
  if (stated_) {
    leading_.setZero(nd, max_values + 1);
    relative_d_.setZero(nd, max_values);
    phi_d_.setZero(nd, max_values);
    for (Eigen::VectorXd* v : {&d_prediction_, &d_new_, &d_middle_}) v->setZero(nd);
  }
  for (Eigen::VectorXd* v : {&prediction_, &middle_, &whole_}) v->setZero(points);
  for (Eigen::VectorXd* v :
       {&rate_, &move_, &slope_x_, &change_, &error_, &error_below_, &error_above_})
    v->setZero(n);
  if (carried_error_.needed())
    for (Eigen::VectorXd& v : carried_) v.setZero(n);
  slope_.setZero(std::max(n, nd));
  dd_.setZero(std::max(n, nd));
  for (State* s : {&trial_, &scratch_}) {
    s->x.setZero(points);
    s->xd.setZero(n);
  }
  formula_ = [this](const double* x, double* dd) { return difference(x, dd); };
}

Outcome BdfStepper::start(const Start& s) {
  known_ = s.known;
  rate_ = s.at.xd;
  count_ = 0;
  stability_.start(s.prescribed);
  newton_.forget();
  newton_.accept_round_off(!s.prescribed);
  started_by_double_step_ = extrapolated_ = false;
  if (stated_) {
    const int column = slot(max_values);
    if (const Outcome o = view_.leading(s.at.t, s.at.x.data(), leading_.col(column).data());
        o != Outcome::ok)
      return o;
    d_new_ = leading_.col(column);
  }
  remember(s.at.t, s.at.x);
  since_refresh_ = 0;
  return configuration_.coupling_steps > 0 ? system_.refresh(s.at) : Outcome::ok;
}

// The oldest column receives the newest value; d of it is expected in d_new_.
void BdfStepper::remember(double t, const Eigen::VectorXd& x) {
  std::rotate(ring_.begin(), ring_.end() - 1, ring_.end());
  std::rotate(times_.begin(), times_.end() - 1, times_.end());
  points_.col(slot(0)) = x;
  if (stated_) leading_.col(slot(0)) = d_new_;
  times_[0] = t;
  count_ = std::min(count_ + 1, max_values);
}

int BdfStepper::usable_order(int wanted) const {
  const int k = configuration_.order > 0
                    ? configuration_.order
                    : std::min(wanted, stability_.limit(configuration_.max_order));
  return std::max(1, k);
}

Attempt BdfStepper::attempt(const StepRequest& r) {
  const int wanted = usable_order(r.order);
  if (known_ && count_ <= wanted) {
    scratch_.t = r.t_new;
    if ((*known_)(r.t_new, scratch_)) return known_step(r);
  }
  if (count_ == 1) return double_step(r);
  // What two steps left is of second order; of variables that index 2 differentiates order 1 would
  // leave h times their rate.
  const int least = count_ == 3 && extrapolated_ ? 2 : 1;
  return multistep(r, std::min(usable_order(std::max(wanted, least)), count_ - 1));
}

// Exact values as long as the order needs more of them: what order studies start from.
Attempt BdfStepper::known_step(const StepRequest& r) {
  Attempt a;
  a.order = std::min(count_, max_order);
  started_by_double_step_ = false;
  trial_.t = r.t_new;
  trial_.x = scratch_.x;
  const Formula f(times_.data(), count_, r.t_new);
  step_.order = a.order;
  predict(f, a.order);
  system_.layout.minus(prediction_.data(), trial_.x.data(), change_.data());
  trial_.xd = slope_x_ + step_.alpha * change_;
  return a;
}

// One step h and two of h / 2 by implicit Euler; the second result is kept. Twice the difference
// estimates the error of the whole step (Tischendorf 1992, section 4.4).
Attempt BdfStepper::double_step(const StepRequest& r) {
  Attempt a;
  a.order = 1;
  const double half = 0.5 * r.h;
  started_by_double_step_ = true;
  t_middle_ = r.t + half;
  const Eigen::VectorXd& base = scratch_.x = points_.col(slot(0));
  if (stated_) d_middle_ = leading_.col(slot(0));
  const auto failed = [&](const Newton::Result& n) {
    a.newton_iterations += n.iterations;
    a.newton_rate = std::max(a.newton_rate, n.rate);
    a.culprit = n.culprit;
    a.outcome = n.outcome;
    return n.outcome != Outcome::ok;
  };
  const auto astray = [&](const Eigen::VectorXd& from, const Eigen::VectorXd& to, double h) {
    if (!on_wrong_branch(from, to, h, a.culprit)) return false;
    a.outcome = Outcome::wrong_branch;
    return true;
  };
  if (failed(euler(base, d_middle_, r.t_new, r.h, r.weight, whole_))) return a;
  if (astray(base, whole_, r.h)) return a;
  if (failed(euler(base, d_middle_, t_middle_, half, r.weight, middle_))) return a;
  if (astray(base, middle_, half)) return a;
  if (stated_) {
    if (a.outcome = view_.leading(t_middle_, middle_.data(), d_middle_.data());
        a.outcome != Outcome::ok)
      return a;
  }
  scratch_.x = middle_;
  if (failed(euler(scratch_.x, d_middle_, r.t_new, half, r.weight, trial_.x))) return a;
  trial_.t = r.t_new;
  if (astray(middle_, trial_.x, half)) return a;
  system_.layout.minus(whole_.data(), trial_.x.data(), error_.data());
  // With index 3 the differences of such values magnify what the iterations leave.
  const bool second = configuration_.start_of_order_2 && max_index_ < 3;
  extrapolated_ = usable_order(second ? 2 : r.order) > 1;
  if (extrapolated_) {
    // Without an error test the start would decide the accuracy of the run: both values without
    // their leading error c h^2, of which the half step has a quarter and the second value a half.
    move_ = 0.5 * error_;
    system_.layout.plus(middle_.data(), move_.data(), middle_.data());
    system_.layout.plus(trial_.x.data(), error_.data(), trial_.x.data());
  }
  system_.layout.minus(middle_.data(), trial_.x.data(), trial_.xd.data());
  trial_.xd /= half;
  error_ *= 2.0;
  estimate_count_ = 0;
  add_estimate(1, error_);
  estimates_[0].untested_too = configuration_.double_step_all;
  a.estimates = {estimates_.data(), 1};
  return a;
}

Newton::Result BdfStepper::euler(const Eigen::VectorXd& from, const Eigen::VectorXd& d_from,
                                 double t_new, double h, const Eigen::VectorXd& weight,
                                 Eigen::VectorXd& x) {
  step_ = {t_new, 1.0 / h, h, 1, {}, {}};
  step_.derivative[0] = -1.0;
  step_.past[0] = from.data();
  move_ = h * rate_;
  system_.layout.plus(from.data(), move_.data(), prediction_.data());
  if (stated_) {
    d_prediction_ = d_from;
    slope_.setZero();
  } else {
    slope_.head(rate_.size()) = rate_;
  }
  x = prediction_;
  return newton_.solve(t_new, step_.alpha, formula_, weight, x, dd_);
}

// phi_i, the prediction of degree k (or as far as values go), and the slope at that prediction.
void BdfStepper::predict(const Formula& f, int k) {
  const Layout& layout = system_.layout;
  const double* newest = points_.col(slot(0)).data();
  for (int j = 1; j < f.count; ++j) {
    if (layout.euclidean())
      relative_.col(j) = points_.col(slot(j)) - points_.col(slot(0));
    else
      layout.minus(newest, points_.col(slot(j)).data(), relative_.col(j).data());
  }
  const int degree = std::min(k, f.count - 1);
  move_.setZero();
  slope_x_.setZero();
  newton_form(f, degree, relative_, phi_, move_.data(), slope_x_.data());
  layout.plus(newest, move_.data(), prediction_.data());
  step_.alpha = f.alpha[at(k)] / f.h;
  step_.h = f.h;
  step_.order = k;
  if (grouped_) {
    step_.derivative = f.derivative(k);
    for (int j = 0; j < k; ++j) step_.past[at(j)] = points_.col(slot(j)).data();
  }
  if (!stated_) {
    slope_.head(slope_x_.size()) = slope_x_;
    return;
  }
  for (int j = 1; j < f.count; ++j)
    relative_d_.col(j) = leading_.col(slot(j)) - leading_.col(slot(0));
  d_prediction_ = leading_.col(slot(0));
  slope_.setZero();
  newton_form(f, degree, relative_d_, phi_d_, d_prediction_.data(), slope_.data());
}

Outcome BdfStepper::difference(const double* x, double* dd) {
  if (stated_) {
    if (const Outcome o = view_.leading(step_.t_new, x, d_new_.data()); o != Outcome::ok) return o;
    const int nd = static_cast<int>(d_new_.size());
    for (int i = 0; i < nd; ++i) dd[i] = step_.alpha * (d_new_[i] - d_prediction_[i]) + slope_[i];
    for (int i = nd; i < dd_.size(); ++i) dd[i] = 0.0;
    return Outcome::ok;
  }
  for (const LayoutBlock& b : system_.layout.blocks()) {
    const int count = b.space.tangents();
    if (b.space.is_euclidean()) {
      for (int i = 0; i < count; ++i)
        dd[b.tangent + i] =
            step_.alpha * (x[b.point + i] - prediction_[b.point + i]) + slope_[b.tangent + i];
      continue;
    }
    for (int i = 0; i < count; ++i) dd[b.tangent + i] = 0.0;
    for (int j = 0; j < step_.order; ++j) {
      b.space.minus(x + b.point, step_.past[at(j)] + b.point, change_.data() + b.tangent);
      const double weight = step_.derivative[at(j)] / step_.h;
      for (int i = 0; i < count; ++i) dd[b.tangent + i] += weight * change_[b.tangent + i];
    }
  }
  return Outcome::ok;
}

Attempt BdfStepper::multistep(const StepRequest& r, int k) {
  Attempt a;
  a.order = k;
  started_by_double_step_ = false;
  const Formula f(times_.data(), std::min(count_, k + 2), r.t_new);
  predict(f, k);
  step_.t_new = r.t_new;
  trial_.x = prediction_;
  // The correction is the difference of order k + 1, which changes little from step to step.
  const double* expected = f.count > k + 1 ? phi_.col(k + 1).data() : nullptr;
  const Newton::Result n =
      newton_.solve(r.t_new, step_.alpha, formula_, r.weight, trial_.x, dd_, expected);
  a.newton_iterations = n.iterations;
  a.newton_rate = n.rate;
  a.culprit = n.culprit;
  a.outcome = n.outcome;
  if (n.outcome != Outcome::ok) return a;
  trial_.t = r.t_new;
  system_.layout.minus(prediction_.data(), trial_.x.data(), change_.data());
  trial_.xd = slope_x_ + step_.alpha * change_;
  if (on_wrong_branch(prediction_, trial_.x, r.h, a.culprit)) {
    a.outcome = Outcome::wrong_branch;
    return a;
  }
  stability_.observe(k, r.h, change_, r.weight);
  estimate(f, k);
  a.estimates = {estimates_.data(), at(estimate_count_)};
  a.advice.hold_order = configuration_.hold_order >= 0 ? configuration_.hold_order : k + 1;
  return a;
}

Outcome BdfStepper::interpolant(Interpolant& out) {
  const Layout& layout = system_.layout;
  const double* base = points_.col(slot(0)).data();
  out.t0 = times_[0];
  out.h = trial_.t - times_[0];
  out.base = points_.col(slot(0));
  layout.minus(base, trial_.x.data(), relative_.col(0).data());
  if (started_by_double_step_) {
    // Through both ends and the middle: w(1/2) = m, w(1) = w.
    layout.minus(base, middle_.data(), relative_.col(1).data());
    out.degree = 2;
    out.c.col(1) = 4.0 * relative_.col(1) - relative_.col(0);
    out.c.col(2) = 2.0 * relative_.col(0) - 4.0 * relative_.col(1);
    return Outcome::ok;
  }
  const int k = std::min(step_.order, count_);
  const Formula f(times_.data(), k, trial_.t);
  const auto power = f.powers(k);
  out.degree = k;
  for (int j = 1; j < k; ++j)
    layout.minus(base, points_.col(slot(j)).data(), relative_.col(j).data());
  for (int p = 1; p <= k; ++p) {
    out.c.col(p) = power[at(p)][0] * relative_.col(0);
    for (int j = 1; j < k; ++j) out.c.col(p) += power[at(p)][at(j)] * relative_.col(j);
  }
  return Outcome::ok;
}

int BdfStepper::interpolant_degree() const {
  return std::max({2, configuration_.max_order, configuration_.order});
}

void BdfStepper::commit(bool) {
  if (started_by_double_step_) {
    if (stated_) (void)view_.leading(t_middle_, middle_.data(), d_new_.data());
    remember(t_middle_, middle_);
  }
  // The trial may have been moved by a projection; the history takes it as it is.
  if (stated_) (void)view_.leading(trial_.t, trial_.x.data(), d_new_.data());
  remember(trial_.t, trial_.x);
  if (!started_by_double_step_) stability_.accepted();
  started_by_double_step_ = false;
  // By accepted steps alone, so that rejected attempts leave no trace. Where it cannot be evaluated
  // the old coupling stays.
  if (configuration_.coupling_steps > 0 && ++since_refresh_ >= configuration_.coupling_steps) {
    since_refresh_ = 0;
    (void)system_.refresh(trial_);
  }
}

void BdfStepper::archive(Archive& a) {
  for (int& column : ring_) a.within(column, 0, max_values);
  a(times_);
  a.within(count_, 0, max_values);
  a(since_refresh_, points_, rate_, extrapolated_);
  if (stated_) a(leading_);
  stability_.archive(a);
  newton_.archive(a);
}

}  // namespace daedalus::bdf
