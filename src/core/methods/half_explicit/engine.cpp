// SPDX-License-Identifier: BSD-3-Clause
#include "methods/half_explicit/engine.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::half_explicit {
namespace {

// First column of the inverse of gamma with gamma_11 = 1: W'_i = w_i1 W'_1 solves
// sum_{j<=i} gamma_ij W'_j = 0, i >= 2.
std::vector<double> first_column(const HerkNumbers<double>& n) {
  std::vector<double> w(static_cast<std::size_t>(n.stages), 0.0);
  w[0] = 1.0;
  for (std::size_t i = 1; i < w.size(); ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < i; ++j) sum += n.gamma[i][j] * w[j];
    w[i] = -sum / n.gamma[i][i];
  }
  return w;
}

int rate_count(const System& system) {
  const LayoutBlock* q = system.layout.find(VariableClass::q);
  return q ? q->space.tangents() : 0;
}

}  // namespace

HalfExplicitStepper::HalfExplicitStepper(System& system,
                                         std::shared_ptr<const Configuration> configuration)
    : system_(system),
      shared_(std::move(configuration)),
      configuration_(*shared_),
      numbers_(configuration_.numbers),
      equations_(HalfExplicit::make(system)),
      differential_(equations_->differential()),
      algebraic_(system.layout.tangents() - differential_),
      rate_count_(rate_count(system)),
      general_(system.mechanical_view() == nullptr),
      combines_(!numbers_.first_same_as_last && !configuration_.index1),
      watch_(TestEquation(numbers_, configuration_.embedded,
                          combines_ && numbers_.explicit_first ? first_column(numbers_)
                                                               : std::vector<double>{},
                          configuration_.coarse),
             configuration_.error_order + 1, differential_, rate_count_) {
  const Layout& l = system.layout;
  const int n = numbers_.stages + configuration_.continuation.stages();
  trial_.x.setZero(l.points());
  trial_.xd.setZero(l.tangents());
  rates_.setZero(differential_, n);
  increments_.setZero(differential_, n);
  points_.setZero(l.points(), n);
  for (Eigen::VectorXd* v : {&first_rate_, &end_rate_, &known_, &step_, &scale_, &watched_})
    v->setZero(differential_);
  probe_.setZero(differential_, 4);
  error_.setZero(l.tangents());
  balance_.setZero(equations_->balance_count());
  load_.setZero(equations_->balance_count());
  if (numbers_.explicit_first) first_column_ = first_column(numbers_);
  // z is not controlled: its error may be larger than that of y without harm to y.
  for (LayoutBlock& b : system.layout.blocks())
    if (b.tangent >= differential_) b.tested = false;
}

Outcome HalfExplicitStepper::start(const Start& s) {
  current_ = s.at;
  first_rate_ = s.at.xd.head(differential_);
  first_rate_known_ = !general_;
  balance_known_ = false;
  watch_.start();
  failed_step_ = 0.0;
  base_known_ = combines_ && equations_->rebase(current_, false) == Outcome::ok;
  return Outcome::ok;
}

Outcome HalfExplicitStepper::solve(const HerkStage<double>& stage) {
  const auto i = static_cast<std::size_t>(stage.i);
  // Rows of coefficients add up to 1 but for round-off; the end of the step is exact.
  const auto snap = [&](double t) {
    return std::abs(t - t_new_) <= 1e-12 * std::abs(h_) ? t_new_ : t;
  };
  if (configuration_.index1) return explicit_stage(stage.i, snap(stage.t));
  double* x = stage_point(stage.i);
  // Algebraic variables of the stage before are the first guess.
  if (stage.i > 0)
    points_.col(stage.i) = points_.col(stage.i - 1);
  else
    points_.col(0) = current_.x;
  if (const Outcome o = equations_->place(snap(stage.t), increment(stage.i), x); o != Outcome::ok)
    return o;
  HalfExplicit::Stage s;
  s.t = snap(stage.t);
  s.x = x;
  s.increment = increment(stage.i);
  s.t_next = snap(stage.t_next);
  s.known = known_.data();
  s.factor = stage.factor;
  s.rate = rate(stage.i);
  s.at_base = stage.i == 0;
  s.algebraic_at_stage = true;
  const std::size_t first = numbers_.explicit_first ? 1 : 0;
  s.at_last_constraint =
      i > first && numbers_.gamma[i - 1] == numbers_.a[i] &&
      (numbers_.next_point || (numbers_.first_same_as_last && stage.i == numbers_.stages - 1));
  if (balance_known_) {
    load_ = first_column_[i] * balance_;
    s.load = load_.data();
  }
  return equations_->solve(s);
}

Outcome HalfExplicitStepper::explicit_stage(int i, double t) {
  double* x = stage_point(i);
  points_.col(i) = points_.col(i - 1);
  if (const Outcome o = equations_->place(t, increment(i), x); o != Outcome::ok) return o;
  return equations_->rates(t, x, increment(i), true, rate(i));
}

Outcome HalfExplicitStepper::advance(const StepRequest& r) {
  h_ = r.h;
  t_new_ = r.t_new;
  equations_->begin(current_);
  if (combines_ && !base_known_) {
    if (const Outcome o = equations_->rebase(current_, false); o != Outcome::ok) return o;
    base_known_ = true;
  }
  if (numbers_.explicit_first) {
    points_.col(0) = current_.x;
    if (const Outcome o = first_rates(); o != Outcome::ok) return o;
    rates_.col(0) = first_rate_;
    if (combines_ && !balance_known_ && balance_.size() > 0) {
      if (const Outcome o = equations_->balance(current_, first_rate_.data(), balance_.data());
          o != Outcome::ok)
        return o;
      balance_known_ = true;
    }
  }
  if (const Outcome o = herk_stages(numbers_, r.t, r.h, *this, !configuration_.index1);
      o != Outcome::ok)
    return o;
  return finish();
}

Outcome HalfExplicitStepper::first_rates() {
  if (first_rate_known_) return Outcome::ok;
  const Outcome o =
      equations_->rates(current_.t, current_.x.data(), nullptr, false, first_rate_.data());
  first_rate_known_ = o == Outcome::ok;
  return o;
}

Outcome HalfExplicitStepper::finish() {
  const int last = numbers_.stages - 1;
  trial_.t = t_new_;
  trial_.x = points_.col(last);
  end_rate_ = rates_.col(last);
  end_rate_known_ = !combines_;
  if (combines_) {
    combine_rates(numbers_.b, numbers_.weights, h_, *this, step_.data());
    auto z = trial_.x.tail(algebraic_);
    z.setZero();
    end_rate_.setZero();
    for (int j = 0; j < numbers_.stages; ++j) {
      const double d = numbers_.d[static_cast<std::size_t>(j)];
      if (d == 0.0) continue;
      z += d * points_.col(j).tail(algebraic_);
      end_rate_ += d * rates_.col(j);
    }
    if (const Outcome o = equations_->place(t_new_, step_.data(), trial_.x.data());
        o != Outcome::ok)
      return o;
    // v' is algebraic; the rest of y' costs no force.
    if (!general_)
      if (const Outcome o = end_rates(); o != Outcome::ok) return o;
  } else {
    step_ = increments_.col(last);
  }
  trial_.xd.head(differential_) = end_rate_;
  if (!system_.layout.euclidean())
    if (const Outcome o =
            equations_->rates(t_new_, trial_.x.data(), nullptr, false, trial_.xd.data());
        o != Outcome::ok)
      return o;
  return first_not_finite(trial_.x.data(), static_cast<int>(trial_.x.size())) < 0
             ? Outcome::ok
             : Outcome::not_finite;
}

Outcome HalfExplicitStepper::end_rates() {
  if (end_rate_known_) return Outcome::ok;
  const Outcome o =
      equations_->rates(t_new_, trial_.x.data(), step_.data(), false, end_rate_.data());
  end_rate_known_ = o == Outcome::ok;
  if (system_.layout.euclidean()) trial_.xd.head(differential_) = end_rate_;
  return o;
}

Outcome HalfExplicitStepper::estimate(const Eigen::VectorXd& weight) {
  auto e = error_.head(differential_);
  combine_rates(configuration_.embedded, numbers_.stages, h_, *this, error_.data());
  if (configuration_.project_estimate)
    if (const Outcome o = equations_->correct(t_new_, error_.data()); o != Outcome::ok) return o;
  e -= step_;
  if (configuration_.coarse.empty()) return Outcome::ok;
  combine_rates(configuration_.coarse, numbers_.stages, h_, *this, known_.data());
  const auto scale = weight.head(differential_);
  const double fine = e.cwiseQuotient(scale).squaredNorm(),
               coarse = known_.cwiseQuotient(scale).squaredNorm();
  if (const double sum = fine + 0.01 * coarse; sum > 0.0) e *= std::sqrt(fine / sum);
  return Outcome::ok;
}

// Within a step increments may turn a body by any angle; from the point at its end none above half
// a turn is found again, and values between both would turn the wrong way.
bool HalfExplicitStepper::turns_too_far() {
  // Of an increment: a whole turn is missing in one of three coordinates at least.
  constexpr double missing = 1.0;
  if (system_.layout.euclidean()) return false;
  system_.layout.minus(current_.x.data(), trial_.x.data(), error_.data());
  return (error_.head(rate_count_) - step_.head(rate_count_)).lpNorm<Eigen::Infinity>() > missing;
}

Attempt HalfExplicitStepper::attempt(const StepRequest& r) {
  Attempt a;
  a.outcome = advance(r);
  if (a.outcome == Outcome::ok && turns_too_far()) a.outcome = Outcome::wrong_branch;
  if (a.outcome == Outcome::ok) a.outcome = estimate(r.weight);
  a.newton_iterations = equations_->newton_iterations();
  if (a.outcome == Outcome::matrix_singular)
    a.culprit = {Culprit::Kind::variable, equations_->singular_variable()};
  if (a.outcome != Outcome::ok) {
    failed_step_ = std::abs(r.h);
    since_failure_ = 0;
    return a;
  }
  // The error test knows nothing of failed iterations: without a limit it leads back to the step
  // that failed, again and again.
  if (failed_step_ > 0.0) a.advice.max_ratio = std::max(1.0, 0.5 * failed_step_ / std::abs(r.h));
  estimate_ = {configuration_.error_order + 1,
               ClassOrders::all(configuration_.error_order + 1.0),
               {error_.data(), static_cast<std::size_t>(error_.size())},
               false};
  a.order = r.order;
  estimate_.order = r.order;
  a.estimates = {&estimate_, 1};
  scaled_error_ = scaled_error(r.weight);
  a.stiffness = watch_.limited() ? 2.0 : 0.0;
  return a;
}

void HalfExplicitStepper::commit(bool amended) {
  // The constraint point of the last stage is y_{n+1} unless that stage serves z alone.
  if (combines_) {
    const PhaseScope phase(system_.counter, amended ? Phase::projection : Phase::step);
    base_known_ = equations_->rebase(trial_, !amended) == Outcome::ok;
  }
  // After so many good steps the length at which the iteration failed is out of date.
  constexpr int cautious_steps = 10;
  if (++since_failure_ >= cautious_steps) failed_step_ = 0.0;
  current_.t = trial_.t;
  current_.x = trial_.x;
  balance_known_ = false;
  first_rate_known_ = end_rate_known_;
  first_rate_ = trial_.xd.head(differential_);
  // A projection leaves v' and lambda as they are (their error is larger than its move).
  if (amended)
    first_rate_known_ = equations_->rates(current_.t, current_.x.data(), nullptr, false,
                                          first_rate_.data()) == Outcome::ok;
  if (amended) trial_.xd.head(differential_) = first_rate_;
  watch_stiffness();
}

void HalfExplicitStepper::archive(Archive& a) {
  a(current_.t, current_.x, first_rate_, first_rate_known_, balance_, balance_known_, base_known_,
    failed_step_, since_failure_);
  watch_.archive(a);
  equations_->archive(a);
}

}  // namespace daedalus::half_explicit
