// SPDX-License-Identifier: BSD-3-Clause
#include "methods/lie/engine_adaptive.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/at.hpp"

namespace daedalus::lie_methods {
namespace {
// Ratios of steps are powers of 2^(1/4): trajectories do not depend on the round-off in estimates.
constexpr double step_grid = 1.189207115002721;
// Steps that differ by the rounding of their ends are equal, and their formula is kept.
constexpr double equal_steps = 1e-9;
}  // namespace

Common AdaptiveBliedf::needs(const AdaptiveSettings& s, Common common) {
  const int most = s.order > 0 ? s.order : s.max_order;
  // One more than the formula: the local error is predicted from differences.
  common.values = (s.order > 0 ? s.order : std::min(s.start_order, s.max_order)) + 1;
  common.kept = most + 2;
  common.interpolated = most;
  return common;
}

AdaptiveBliedf::AdaptiveBliedf(System& system, const AdaptiveSettings& settings, Common common)
    : Engine(system, needs(settings, common)), settings_(settings), relation_(nv_) {
  levels_.reserve(at(max_steps + 1));
  for (int k = 0; k <= max_steps; ++k) levels_.emplace_back(space_);
  derivatives_.assign(at(max_steps + 2), Eigen::VectorXd::Zero(nv_));
  for (std::size_t j = 0; j < derivatives_.size(); ++j) pointers_[j] = derivatives_[j].data();
  for (Eigen::VectorXd* v : {&correction_, &offset_, &local_}) v->setZero(nv_);
  for (Eigen::VectorXd& e : errors_) e.setZero(system.layout.tangents());
}

Outcome AdaptiveBliedf::normal_at(double t, const double* x) {
  if (normal_known_ && normal_time_ == t) return Outcome::ok;
  normal_known_ = false;
  const Outcome o = normal_.factorise(t, x);
  normal_known_ = o == Outcome::ok;
  normal_time_ = t;
  return o;
}

AdaptiveBliedf::Level& AdaptiveBliedf::level(int k) {
  Level& l = levels_[at(k)];
  bool same = l.laid;
  for (int j = 0; j < k; ++j) same = same && l.ratio[at(j)] == ratio_[at(j)];
  if (same) return l;
  l.ratio = ratio_;
  l.formula = lie::bdf_formula(k, ratio_.data());
  l.series.set(l.formula);
  l.laid = true;
  return l;
}

void AdaptiveBliedf::differentiate(int points, double h) {
  weights_ = lie::difference_weights(0, points, node_.data());
  double power = 1.0;
  for (int j = 0; j < points; ++j, power *= h) {
    derivatives_[at(j)].setZero();
    for (int i = 0; i < points; ++i)
      derivatives_[at(j)] += (weights_.weight[j][i] / power) *
                             Eigen::Map<const Eigen::VectorXd>(values_[at(i)].v, nv_);
  }
}

Attempt AdaptiveBliedf::attempt(const StepRequest& r) {
  estimate_count_ = 0;
  if (count() == 1) normal_known_ = false;  // an event may have changed the point at this time
  Attempt a = Engine::attempt(r);
  if (a.outcome != Outcome::ok) return a;
  if (starting_) {
    a.advice = {};
    estimate_start(r, a);
  }
  a.estimates = {estimates_.data(), at(estimate_count_)};
  a.advice.hold_order = a.order + 1;
  a.advice.keep_up_to = step_grid;
  return a;
}

// Without an error test nothing raises the order: a run with fixed steps, which asks for more than
// there is, starts at the highest one.
int AdaptiveBliedf::values_needed(const StepRequest& r) const {
  return settings_.order == 0 && r.order > settings_.max_order ? settings_.max_order + 1
                                                               : common_.values;
}

Outcome AdaptiveBliedf::step(const StepRequest& r, Attempt& a) {
  const int most = settings_.order > 0 ? settings_.order : settings_.max_order;
  const int k =
      settings_.order > 0 ? settings_.order : std::clamp(r.order, 1, std::min(most, count() - 1));
  a.order = k;
  for (int j = 1; j < std::min<int>(max_steps + 1, count()); ++j) {
    const double ratio = (past(j - 1).t - past(j).t) / r.h;
    ratio_[at(j)] = std::abs(ratio - 1.0) <= equal_steps ? 1.0 : ratio;
  }
  Level& here = level(k);
  const lie::BdfFormula& f = here.formula;
  std::array<const double*, max_steps + 2> v{};
  for (int i = 1; i <= k; ++i) v[at(i)] = past(i - 1).velocity.data();
  correction_.setZero();
  if (k > 2) here.series.correction_of_values(r.h, v.data(), correction_.data());
  offset_.setZero();
  if (index3()) {
    for (int i = 0; i <= k; ++i) {
      values_[at(i)] = {past(i).velocity.data(), &past(i).x};
      node_[at(i)] = (past(i).t - r.t) / r.h;
    }
    differentiate(k + 1, r.h);
    here.series.leading_error(r.h, pointers_.data(), offset_.data());
    if (const Outcome o = normal_at(past(0).t, past(0).x.data()); o != Outcome::ok) return o;
    normal_.component(offset_.data(), offset_.data());
  }
  predict(r, k + 1);
  relation_.factor = f.gamma[1] / r.h;
  relation_.known = -correction_;
  // In differences to v_n: rounded alpha_i do not add up to zero.
  const Eigen::VectorXd& now = past(0).velocity;
  known_rate_.head(nv_) = (-f.alpha[0] / r.h) * (now + offset_);
  known_rate_.tail(nr_ - nv_) = (-f.alpha[0] / r.h) * dynamic(past(0).x);
  for (int i = 2; i <= k; ++i) {
    relation_.known += (f.gamma[i] / r.h) * past(i - 2).increment;
    known_rate_.head(nv_) += (f.alpha[i] / r.h) * (past(i - 1).velocity - now);
    known_rate_.tail(nr_ - nv_) +=
        (f.alpha[i] / r.h) * (dynamic(past(i - 1).x) - dynamic(past(0).x));
  }
  const GroupNewton::Result result = solve(r, relation_, past(0).x.data(), f.alpha[0] / r.h);
  a.newton_iterations = result.iterations;
  a.newton_rate = result.rate;
  a.culprit = result.culprit;
  if (result.outcome != Outcome::ok) return result.outcome;
  if (index3()) {
    normal_known_ = false;
    if (const Outcome o = normal_at(r.t_new, trial_.x.data()); o != Outcome::ok) return o;
    if (const Outcome o = normal_.project(r.t_new, trial_.x.data()); o != Outcome::ok) return o;
    velocity_ = trial_.x.segment(positions_, nv_);
    if (!bodies_.force_depends_on_lambda())
      if (const Outcome o = normal_.multipliers(r.t_new, trial_.x.data(), trial_.xd.data() + nq_);
          o != Outcome::ok)
        return o;
  }
  estimate(r, k, std::min({k + 2, count() + 1, max_steps + 1}), a);
  return Outcome::ok;
}

void AdaptiveBliedf::add_estimate(int order, double h) {
  Eigen::VectorXd& e = errors_[at(estimate_count_)];
  e.setZero();
  level(order).series.leading_error(h, pointers_.data(), local_.data());
  e.head(nq_) = h * local_;
  e.segment(nq_, nv_) = local_;
  // Dynamic variables: the last difference that the order resolves, which bounds the first that it
  // does not.
  const double share = lie::error_constant(level(order).formula);
  for (int i = 0; i < weights_.points && nr_ > nv_; ++i)
    e.segment(nq_ + nv_, nr_ - nv_) +=
        (share * weights_.weight[order][i]) * dynamic(*values_[at(i)].x);
  Estimate& out = estimates_[at(estimate_count_++)];
  out = {};
  out.order = order;
  out.power = ClassOrders::all(order);
  out.value = {e.data(), static_cast<std::size_t>(e.size())};
  out.carried = out.value;
}

void AdaptiveBliedf::estimate(const StepRequest& r, int k, int points, Attempt&) {
  if (settings_.order > 0 && points < k + 1) return;
  values_[0] = {velocity_.data(), &trial_.x};
  node_[0] = 1.0;
  for (int i = 1; i < points; ++i) {
    values_[at(i)] = {past(i - 1).velocity.data(), &past(i - 1).x};
    node_[at(i)] = (past(i - 1).t - r.t) / r.h;
  }
  differentiate(points, r.h);
  add_estimate(k, r.h);
  if (settings_.order > 0) return;
  if (k > 1) add_estimate(k - 1, r.h);
  if (k < settings_.max_order && points > k + 1 && count() > k + 1) add_estimate(k + 1, r.h);
}

// Of the formula that the values being laid are for.
void AdaptiveBliedf::estimate_start(const StepRequest& r, Attempt& a) {
  const int k = values_needed(r) - 1;
  a.order = k;
  if (block_count_ - block_at_ < k) return;
  for (int i = 0; i <= k; ++i) {
    const State& s = block_[at(block_at_ + k - i)];
    values_[at(i)] = {s.x.data() + positions_, &s.x};
    node_[at(i)] = -i;
  }
  ratio_.fill(1.0);
  differentiate(k + 1, r.h);
  add_estimate(k, r.h);
}

}  // namespace daedalus::lie_methods
