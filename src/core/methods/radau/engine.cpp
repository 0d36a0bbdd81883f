// SPDX-License-Identifier: BSD-3-Clause
#include "methods/radau/engine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "kernel/at.hpp"

namespace daedalus::radau {
namespace {
// Accepted steps after a failed iteration before the step may grow.
constexpr int calm_steps = 3;
// Of the step after a failed iteration: towards the rate aimed at, within these bounds.
constexpr double min_reduction = 0.2, max_reduction = 0.6, usual_reduction = 0.5;

// Each when it is first needed: many runs never leave order 5.
template <int Stages>
const Table& computed() {
  static const Table table = kernel::RadauTable<long double>(Stages).as<double>();
  return table;
}
}  // namespace

const Table& table_of(int stages) {
  return stages == 3 ? computed<3>() : stages == 5 ? computed<5>() : computed<7>();
}

RadauStepper::RadauStepper(System& system, const Configuration& configuration)
    : system_(system),
      view_(*system.residual_view()),
      configuration_(configuration),
      carried_error_(system),
      iteration_(system.counter, iteration_settings(configuration)),
      scale_(system.layout, stages_of(configuration.max_order)),
      rows_(system.layout.tangents(), max_missing, ResidualRows::AlgebraicRows::looked_at),
      round_off_(system.layout),
      stated_(view_.states_leading_term()),
      grouped_(!system.layout.euclidean()) {
  const int n = system.layout.tangents(), points = system.layout.points();
  const int nd = view_.differentiated_count(), most = stages_of(configuration.max_order);
  for (int k = 0; k < (most - 1) / 2; ++k)
    pairs_.push_back(std::make_unique<ComplexPencil>(view_.residual_pencil(), system.counter));
  // Few runs take more than three stages: memory that nobody writes to costs nothing.
  for (Eigen::MatrixXd* m : {&last_z_, &z_, &f_, &g_}) m->resize(n, most);
  if (stated_) {
    leading_.resize(nd, most);
    d_start_.setZero(nd);
  }
  for (Eigen::VectorXd* v : {&x_, &last_base_, &end_}) v->setZero(points);
  for (Eigen::VectorXd* v : {&error_, &second_}) v->setZero(n);
  if (carried_error_.needed()) carried_.setZero(n);
  const SparsePattern& e = view_.residual_pencil().pattern_e();
  for (const LayoutBlock& b : system.layout.blocks())
    for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i)
      smooth_.push_back(b.index == 1 && e.start[at(i)] < e.start[at(i + 1)]);
  slope_.setZero(std::max(n, nd));
  dd_.setZero(std::max(n, nd));
  pair_rhs_.setZero(2 * n);
  for (State* s : {&current_, &trial_}) {
    s->x.setZero(points);
    s->xd.setZero(n);
  }
}

Outcome RadauStepper::start(const Start& s) {
  current_ = s.at;
  prescribed_ = s.prescribed;
  last_stages_ = 0;
  behind_corner_ = s.reason == StartReason::event;
  iteration_.reuse().forget();
  factor_h_ = 0.0;
  slowest_ = 1.0;
  since_order_ = calm_ = 0;
  lower_order_ = attempted_ = astray_ = false;
  return stated_ ? view_.leading(s.at.t, s.at.x.data(), d_start_.data()) : Outcome::ok;
}

// With given steps nothing would lead away from an order that does not suit the problem.
int RadauStepper::stages_for(int order) const {
  if (configuration_.order > 0) return stages_of(configuration_.order);
  return prescribed_ ? stages_of(5) : stages_of(std::min(order, configuration_.max_order));
}

// The polynomial of the last step, continued; in the first step x_n + c_i h x'_n. Algebraic
// variables and those of index 2 and 3 are less accurate than the others and have at t_n an error
// of another size than at the stages, which s = 7 would magnify by 1e4: theirs leaves t_n out.
void RadauStepper::predict(const Table& t) {
  for (int i = 0; i < t.stages; ++i) {
    if (last_stages_ == 0 || astray_) {
      z_.col(i) = (t.c[at(i)] * h_) * current_.xd;
      continue;
    }
    const Table& last = table_of(last_stages_);
    const double theta = 1.0 + t.c[at(i)] * h_ / last_h_;
    const int m = last.stages;
    // Lagrange's polynomials on 0, c_1, ..., c_m or on c_1, ..., c_m; the value at 1 is taken off.
    Table::Row factor, with_start;
    for (int j = 0; j < m; ++j) {
      factor[at(j)] = 1.0;
      for (int k = 0; k < m; ++k)
        if (k != j) factor[at(j)] *= (theta - last.c[at(k)]) / (last.c[at(j)] - last.c[at(k)]);
      with_start[at(j)] = factor[at(j)] * theta / last.c[at(j)];
    }
    for (Eigen::Index v = 0; v < z_.rows(); ++v) {
      const Table::Row& weight = smooth_[at(static_cast<int>(v))] ? with_start : factor;
      double sum = -last_z_(v, m - 1);
      for (int j = 0; j < m; ++j) sum += weight[at(j)] * last_z_(v, j);
      z_(v, i) = sum;
    }
    if (!grouped_) continue;
    // From the chart at the last point into that at this one.
    slope_.head(z_.rows()) = z_.col(i) + last_z_.col(m - 1);
    system_.layout.plus(last_base_.data(), slope_.data(), x_.data());
    for (const LayoutBlock& b : system_.layout.blocks())
      if (!b.space.is_euclidean())
        b.space.minus(current_.x.data() + b.point, x_.data() + b.point,
                      z_.col(i).data() + b.tangent);
  }
}

// In the middle of the prediction, where the contraction is about twice as fast as with matrices at
// t_n (Hairer and Wanner's place); there in the first step and after a failure.
Outcome RadauStepper::linearise(bool on_the_way) {
  const Table& t = table_of(stages_);
  const bool ahead =
      on_the_way || (last_stages_ > 0 && !attempted_ && h_ / last_h_ <= longest_prediction);
  double when = current_.t;
  x_ = current_.x;
  dd_.head(current_.xd.size()) = current_.xd;
  linearised_at_start_ = !ahead;
  factor_h_ = 0.0;
  if (stated_ || ahead) {
    // d' of a stated leading term is not known at t_n.
    const int stage = ahead ? t.stages / 2 : t.stages - 1;
    if (stated_)
      if (const Outcome o = leading_values(t); o != Outcome::ok) return o;
    stage_rate(t, stage);
    system_.layout.plus(current_.x.data(), z_.col(stage).data(), x_.data());
    when = t_ + t.c[at(stage)] * h_;
  }
  return view_.linearise(when, x_.data(), dd_.data());
}

Outcome RadauStepper::factorise_pairs(const Table& t, double h) {
  for (int k = 0; k < t.pairs(); ++k)
    if (const Outcome o = pairs_[at(k)]->factorise(std::conj(t.pair[at(k)]) / h, pair_values_);
        o != Outcome::ok)
      return o;
  return Outcome::ok;
}

Outcome RadauStepper::factorise(double alpha) {
  const Table& t = table_of(stages_);
  factor_h_ = 0.0;
  factor_stages_ = stages_;
  if (const Outcome o = view_.residual_pencil().factorise(alpha, 1.0); o != Outcome::ok) return o;
  if (const Outcome o = factorise_pairs(t, h_); o != Outcome::ok) return o;
  factor_h_ = h_;
  return Outcome::ok;
}

Attempt RadauStepper::failed(const StepIteration::Result& n, Attempt a) {
  a.outcome = n.outcome;
  a.culprit = n.culprit;
  a.newton_iterations += n.iterations;
  a.newton_rate = n.rate;
  const bool measured =
      n.reason == ConvergenceReason::diverges || n.reason == ConvergenceReason::too_slow;
  a.advice.after_failure =
      measured ? std::clamp(target_rate / n.rate, min_reduction, max_reduction) : usual_reduction;
  // Twice in a row, or where the iteration diverges: higher orders need more of it.
  if (stages_ > 3 && configuration_.order == 0 && attempted_)
    a.advice.order = order_of(stages_ - 2);
  lower_order_ = true;
  calm_ = calm_steps;
  attempted_ = true;
  astray_ = n.outcome != Outcome::newton_failed;
  return a;
}

// The last stage, and the derivative of the collocation polynomial there.
void RadauStepper::set_trial(const Table& t, double t_new) {
  const int end = stages_ - 1;
  trial_.t = t_new;
  system_.layout.plus(current_.x.data(), z_.col(end).data(), trial_.x.data());
  end_ = trial_.x;
  dd_.setZero();
  for (int j = 0; j < stages_; ++j)
    dd_.head(z_.rows()) += (t.derivative[at(end)][at(j)] / h_) * z_.col(j);
  trial_.xd = dd_.head(z_.rows());
  if (!grouped_) return;
  for (const LayoutBlock& b : system_.layout.blocks())
    if (!b.space.is_euclidean())
      b.space.tangent(z_.col(end).data() + b.tangent, dd_.data() + b.tangent,
                      trial_.xd.data() + b.tangent);
}

Attempt RadauStepper::attempt(const StepRequest& r) {
  Attempt a;
  t_ = r.t;
  h_ = r.h;
  weight_ = &r.weight;
  stages_ = stages_for(r.order);
  const Table& t = table_of(stages_);
  a.order = order_of(stages_);
  scale_.prepare(current_.x.data(), t.gamma / h_);
  set_iteration(t);
  // After a failed attempt the matrix is made anew anyhow, so it is made where the solution is.
  if (attempted_ && !iteration_.reuse().here()) iteration_.reuse().refresh();
  predict(t);
  const StepIteration::Result n = iteration_.solve(*this, t.gamma / h_);
  if (n.outcome != Outcome::ok) return failed(n, a);
  last_ = n;
  a.newton_iterations = n.iterations;
  a.newton_rate = n.rate;
  set_trial(t, r.t_new);
  estimate(t, r.weight);
  a.estimates = {&estimate_, 1};
  advise(t, last_, a);
  attempted_ = true;
  return a;
}

Outcome RadauStepper::interpolant(Interpolant& out) {
  const Table& t = table_of(stages_);
  out.t0 = current_.t;
  out.h = trial_.t - current_.t;
  out.base = current_.x;
  out.degree = stages_;
  // Through the trial as the loop left it.
  system_.layout.minus(current_.x.data(), trial_.x.data(), second_.data());
  for (int p = 0; p + 1 < stages_; ++p) {
    out.c.col(p + 1) = t.power[at(p)][at(stages_ - 1)] * second_;
    for (int j = 0; j + 1 < stages_; ++j) out.c.col(p + 1) += t.power[at(p)][at(j)] * z_.col(j);
  }
  // The last coefficient from the end, which rounding errors of the others would miss by 1e-12.
  out.c.col(stages_) = second_;
  for (int p = 1; p < stages_; ++p) out.c.col(stages_) -= out.c.col(p);
  if (last_stages_ == 0 && behind_corner_ && !grouped_) leave_start_out(t, out);
  return Outcome::ok;
}

// Variables of index 2 and 3 are derivatives of others and jump where these have corners: in the
// first step their value at t_n may be that of before. Theirs is the polynomial through the stages
// alone: what is left after the part of degree s that vanishes at all of them.
void RadauStepper::leave_start_out(const Table& t, Interpolant& out) const {
  std::array<double, std::tuple_size_v<Table::Row> + 1> vanishing{1.0};  // the constant first
  for (int j = 0; j < stages_; ++j) {
    for (int p = j + 1; p > 0; --p)
      vanishing[at(p)] = vanishing[at(p - 1)] - t.c[at(j)] * vanishing[at(p)];
    vanishing[0] *= -t.c[at(j)];
  }
  for (const LayoutBlock& b : system_.layout.blocks())
    for (int i = b.tangent; b.index > 1 && i < b.tangent + b.space.tangents(); ++i) {
      const double leading = out.c(i, stages_);
      for (int p = 1; p <= stages_; ++p) out.c(i, p) -= leading * vanishing[at(p)];
      out.base[i] -= leading * vanishing[0];
    }
}

void RadauStepper::commit(bool) {
  since_order_ = last_stages_ == stages_ ? since_order_ + 1 : 1;
  if (last_.iterations > 1 && !is_noise(last_, system_.layout))
    slowest_ = std::min(10.0, std::max(last_.rate, 0.5 * slowest_));
  iteration_.reuse().accepted();
  last_z_.swap(z_);
  last_base_ = current_.x;
  last_h_ = h_;
  last_stages_ = stages_;
  current_.t = trial_.t;
  current_.x = trial_.x;
  current_.xd = trial_.xd;
  lower_order_ = attempted_ = astray_ = false;
  calm_ = std::max(0, calm_ - 1);
  if (stated_) (void)view_.leading(current_.t, current_.x.data(), d_start_.data());
}

void RadauStepper::archive(Archive& a) {
  if (a.saving()) last_z_.rightCols(last_z_.cols() - last_stages_).setZero();  // of no step
  a(current_.t, current_.x, current_.xd, last_z_, last_h_, last_stages_, last_base_, prescribed_,
    linearised_at_start_, factor_h_, factor_stages_, slowest_, since_order_, lower_order_,
    attempted_, astray_, calm_, behind_corner_);
  const auto known = [&](int stages) {
    return stages == 0 || ((stages == 3 || stages == 5 || stages == 7) && stages <= last_z_.cols());
  };
  a.require(known(last_stages_) && known(factor_stages_), "there is no method of so many stages");
  iteration_.archive(a);
  round_off_.archive(a);
  if (stated_) a(d_start_);
  view_.residual_pencil().archive(a);
  for (const auto& pair : pairs_) pair->archive(a);
  if (!a.saving() && factor_h_ != 0.0 && factor_stages_ > 0)
    (void)factorise_pairs(table_of(factor_stages_), factor_h_);
}

}  // namespace daedalus::radau
