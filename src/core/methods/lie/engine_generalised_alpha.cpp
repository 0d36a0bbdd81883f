// SPDX-License-Identifier: BSD-3-Clause
#include "methods/lie/engine_generalised_alpha.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::lie_methods {
namespace {
// Steps on a grid t_0 + n h differ in their last digits.
constexpr double same_step = 1e-8;
// Newton's method with a matrix of a step that was longer or shorter by this share converges fast
// enough; a new matrix is dearer.
constexpr double matrix_range = 0.05;
// What is left in position constraints reaches lambda over h^2; weights of index 2 have a factor h
// of their own.
constexpr double index3_share = 0.1;
// Errors normal to the constraints fall like n^2 rho^n after a change of the step; this share of
// them is taken for nothing.
constexpr double faded = 1e-3;
constexpr int min_hold = 4, max_hold = 60;
}  // namespace

AlphaParameters::AlphaParameters(double r)
    : rho(r),
      alpha_m((2.0 * r - 1.0) / (r + 1.0)),
      alpha_f(r / (r + 1.0)),
      Da(alpha_m - alpha_f),
      gamma(0.5 - Da),
      beta(0.25 * (gamma + 0.5) * (gamma + 0.5)),
      error(1.0 / 6.0 - 0.5 * Da - beta) {}

std::array<double, 4> AlphaParameters::jerk(int approximation, double s) const {
  switch (approximation) {
    case 1:
      return {-s / Da, 0.0, s / Da, 0.0};
    case 2:
      return {0.0, -s / (Da - s), s / (Da - s), 0.0};
    case 3:
      return {0.0, 0.0, -s / (s + (s - 1.0) * Da), s / (s + (s - 1.0) * Da)};
    default:
      return {-1.0, 1.0, 0.0, 0.0};
  }
}

void AlphaRelation::residual(const double* w, const double* v, double* r) {
  for (int i = 0; i < known.size(); ++i) r[i] = factor * w[i] - v[i] + known[i];
  if (is_full)
    Eigen::Map<Eigen::VectorXd>(r, known.size()).noalias() -=
        full * Eigen::Map<const Eigen::VectorXd>(v, known.size());
}

void AlphaRelation::derivatives(const double*, const double*, ElementMatrices& by_w,
                                ElementMatrices& by_v) {
  by_w.set_multiple_of_identity(factor);
  by_v.set_multiple_of_identity(-1.0);
}

GeneralisedAlpha::GeneralisedAlpha(System& system, const AlphaSettings& settings)
    : system_(system),
      bodies_(*system.mechanical_view()),
      space_(bodies_.space()),
      settings_(settings),
      p_(settings.rho),
      nq_(bodies_.sizes().tangents),
      nv_(bodies_.sizes().velocities),
      nr_(nv_ + bodies_.sizes().dynamic),
      positions_(bodies_.sizes().positions),
      index3_(bodies_.sizes().holonomic > 0 &&
              system.layout.find(VariableClass::lambda)->index == 3),
      hold_(std::clamp(
          static_cast<int>(std::ceil(std::log(faded) / std::log(std::max(settings.rho, 1e-3)))),
          min_hold, max_hold)),
      newton_(system,
              {.kappa = (index3_ ? index3_share : 1.0) * settings.newton_tolerance,
               .range = matrix_range},
              index3_ && settings.approximation > 1),
      accelerations_(bodies_, system.counter),
      normal_(system) {
  if (settings.without_bracket) p_.bracket = 0.0;
  const Layout& l = system.layout;
  for (State* s : {&base_, &trial_, &point_}) {
    s->x.setZero(l.points());
    s->xd.setZero(l.tangents());
  }
  before_.setZero(l.points());
  for (Values* v : {&past_, &from_})
    for (Eigen::VectorXd* x : {&v->v, &v->a, &v->rate}) x->setZero(nr_);
  for (Eigen::VectorXd* v : {&rate_before_, &level_v_, &k0_, &h_jerk_, &a_, &known_, &velocity_})
    v->setZero(nr_);
  for (Eigen::VectorXd* v : {&level_w_, &w_, &bracket_, &work_, &relation_.known}) v->setZero(nv_);
  error_.setZero(l.tangents());
  carried_.setZero(l.tangents());
  if (index3_ && settings.approximation > 1)
    for (Eigen::MatrixXd* m : {&C_, &full_rate_, &relation_.full}) m->setZero(nv_, nv_);
}

// v' and c' at s, whose lambda and contact coordinates follow from the rest.
Outcome GeneralisedAlpha::rates_at(State& s, double* rates) {
  const MechanicalSizes& n = bodies_.sizes();
  const MechanicalPoint p = bodies_.point(s.t, s.x.data());
  if (n.contact > 0)
    if (const Outcome o = bodies_.solve_contact(s.t, p.q, s.x.data() + (p.s - p.q));
        o != Outcome::ok)
      return o;
  if (const Outcome o = accelerations_.solve(p); o != Outcome::ok) return o;
  Eigen::Map<Eigen::VectorXd>(rates, nv_) = accelerations_.a();
  s.x.segment(p.lambda - p.q, n.multipliers()) = accelerations_.lambda();
  return n.dynamic > 0 ? bodies_.dynamics(p, rates + nv_) : Outcome::ok;
}

Outcome GeneralisedAlpha::start(const Start& s) {
  newton_.begin(s.prescribed);
  base_.t = s.at.t;
  base_.x = s.at.x;
  before_ = base_.x;
  past_.v = s.at.x.segment(positions_, nr_);
  point_.t = s.at.t;
  point_.x = s.at.x;
  if (const Outcome o = rates_at(point_, past_.rate.data()); o != Outcome::ok) return o;
  rate_before_ = past_.a = past_.rate;
  h_last_ = 0.0;
  since_change_ = 0;
  return Outcome::ok;
}

// v''_0 from accelerations at t_0 + h and t_0 - h, or where the equations cannot be evaluated on
// one side from the other alone, which is enough for the order; left in h_jerk_, times h.
Outcome GeneralisedAlpha::start_values(double h) {
  std::array<Outcome, 2> found{};
  h_jerk_.setZero();
  for (const int side : {0, 1}) {
    const double step = side == 0 ? h : -h;
    work_ = step * past_.v.head(nv_) + (0.5 * h * h) * past_.rate.head(nv_);
    point_.t = base_.t + step;
    point_.x = base_.x;
    space_.plus(base_.x.data(), work_.data(), point_.x.data());
    point_.x.segment(positions_, nr_) += step * past_.rate;
    Outcome& o = found[static_cast<std::size_t>(side)];
    o = rates_at(point_, a_.data());
    if (o == Outcome::callback_failed) return o;
    if (o == Outcome::ok) h_jerk_ += (side == 0 ? 1.0 : -1.0) * (a_ - past_.rate);
  }
  if (found[0] != Outcome::ok && found[1] != Outcome::ok) return found[0];
  if (found[0] == Outcome::ok && found[1] == Outcome::ok) h_jerk_ *= 0.5;
  from_.v = past_.v;
  from_.rate = past_.rate;
  from_.a = past_.rate;
  if (settings_.corrected) from_.a += (settings_.wrong_sign ? -p_.Da : p_.Da) * h_jerk_;
  return index3_ && settings_.corrected ? modify_velocity(h, 1.0) : Outcome::ok;
}

// from_.v += share C l / h, with v'' as it is known so far in h_jerk_.
Outcome GeneralisedAlpha::modify_velocity(double h, double share) {
  if (const Outcome o = normal_.factorise(base_.t, base_.x.data()); o != Outcome::ok) return o;
  space_.bracket(from_.v.data(), from_.rate.data(), bracket_.data());
  work_ = (share * p_.error * h) * h_jerk_.head(nv_) + (share * p_.bracket * h * h) * bracket_;
  normal_.component(work_.data(), work_.data());
  from_.v.head(nv_) += work_;
  return Outcome::ok;
}

void GeneralisedAlpha::lay_projector() {
  for (int j = 0; j < nv_; ++j) {
    C_.col(j).setZero();
    C_(j, j) = 1.0;
    normal_.component(C_.col(j).data(), C_.col(j).data());
  }
}

// out += factor C x, in the places of velocities.
void GeneralisedAlpha::add_normal(double factor, const Eigen::VectorXd& x,
                                  Eigen::VectorXd& out) const {
  out.head(nv_).noalias() += factor * (C_ * x.head(nv_));
}

// All of a step is affine in v'_{n+1}; see the members.
Outcome GeneralisedAlpha::lay_formulas(const StepRequest& r) {
  const double h = r.h;
  double s = first() ? 1.0 : h / h_last_;
  if (std::abs(s - 1.0) <= same_step) s = 1.0;
  const double changed = settings_.modified ? 1.0 - 1.0 / s : 0.0;
  const double changed2 = settings_.modified ? 1.0 - 1.0 / (s * s) : 0.0;
  double s1 = 0.0, e1 = (settings_.wrong_sign ? -p_.Da : p_.Da) * changed;
  if (first()) {
    if (const Outcome o = start_values(h); o != Outcome::ok) return o;
    e1 = 0.0;
    k1_ = (1.0 - p_.alpha_f) / (1.0 - p_.alpha_m);
    k0_ = (p_.alpha_f * from_.rate - p_.alpha_m * from_.a) / (1.0 - p_.alpha_m);
  } else {
    from_ = past_;
    const std::array<double, 4> a = p_.jerk(settings_.approximation, s);
    const double over = 1.0 / (1.0 - p_.alpha_m + p_.alpha_m * e1 * a[3]);
    k1_ = (1.0 - p_.alpha_f - p_.alpha_m * e1 * a[1]) * over;
    k0_ = ((p_.alpha_f - p_.alpha_m * e1 * a[0]) * over) * from_.rate -
          (p_.alpha_m * (1.0 + e1 * a[2]) * over) * from_.a;
    s1 = a[1] + a[3] * k1_;
    h_jerk_ = a[0] * from_.rate + a[2] * from_.a + a[3] * k0_;
    from_.a += e1 * h_jerk_;
  }
  x_ = 0.0;
  if (index3_ && changed2 != 0.0) {
    if (const Outcome o = modify_velocity(h, changed2); o != Outcome::ok) return o;
    x_ = p_.error * changed2 * h * s1;
  }
  y_ = h * ((1.0 - p_.gamma) * e1 * s1 + p_.gamma * k1_);
  z_ = h * ((0.5 - p_.beta) * e1 * s1 + p_.beta * k1_);
  level_v_ = from_.v + h * ((1.0 - p_.gamma) * from_.a + p_.gamma * k0_);
  level_w_ =
      from_.v.head(nv_) + h * ((0.5 - p_.beta) * from_.a.head(nv_) + p_.beta * k0_.head(nv_));
  // v'1 = (I - zeta C) (v1 - level_v) / y, since C is a projector.
  relation_.factor = y_ / (z_ * h);
  relation_.known = level_v_.head(nv_) - (y_ / z_) * level_w_;
  relation_.is_full = x_ != 0.0;
  known_ = level_v_ / -y_;
  if (x_ == 0.0) return Outcome::ok;
  lay_projector();
  const double zeta = x_ / (x_ + y_), psi = zeta * (y_ - z_) / z_;
  relation_.full = psi * C_;
  work_ = level_v_.head(nv_);
  relation_.known.noalias() += relation_.full * work_;
  full_rate_ = (-zeta / y_) * C_;
  known_.head(nv_).noalias() -= full_rate_ * work_;
  return Outcome::ok;
}

void GeneralisedAlpha::predict(const StepRequest& r) {
  const double ratio = first() ? 0.0 : r.h / h_last_;
  a_ = from_.rate;
  if (first())
    a_ += h_jerk_;
  else
    a_ += ratio * (from_.rate - rate_before_);
  velocity_ = level_v_ + y_ * a_;
  w_ = level_w_ + z_ * a_.head(nv_);
  if (x_ != 0.0) {
    add_normal(x_, a_, velocity_);
    add_normal(x_, a_, w_);
  }
  w_ *= r.h;
  trial_.x = base_.x;
  trial_.x.segment(positions_, nr_) = velocity_;
  const auto rest = trial_.x.size() - positions_ - nr_;
  trial_.x.tail(rest) += ratio * (base_.x.tail(rest) - before_.tail(rest));
}

// The local error of q, and over h as an error of v that enters q in every step anew: with it
// errors of the run are proportional to the tolerance. lambda follows from them. Of index 3 the
// part normal to the constraints is gone after the step and counts with the weight of its index.
void GeneralisedAlpha::estimate(const StepRequest& r) {
  space_.bracket(past_.v.data(), past_.rate.data(), bracket_.data());
  auto rates = error_.segment(nq_, nr_);
  rates = (p_.error * r.h) * (trial_.xd.segment(nq_, nr_) - past_.rate);
  rates.head(nv_) += (p_.bracket * r.h * r.h) * bracket_;
  newton_.carry(rates.data(), carried_.data() + nq_);
  error_.head(nq_) = r.h * carried_.segment(nq_, nv_);
  if (system_.layout.find(VariableClass::v)->index == 1)
    rates.head(nv_) = carried_.segment(nq_, nv_);
  const auto n = static_cast<std::size_t>(error_.size());
  estimate_.order = 2;
  estimate_.power = ClassOrders::all(2).with(VariableClass::q, 3);
  estimate_.value = {error_.data(), n};
  estimate_.carried = {carried_.data(), n};
}

// Where v is not held by itself, steps change seldom enough for errors normal to the constraints to
// fade in between (Wieloch 2022, section 6.3.1: ratios up to 2 every 10 steps for rho = 0.4, every
// 30 for rho = 0.8).
Advice GeneralisedAlpha::advice(const StepRequest& r) const {
  Advice a;
  if (!index3_) return a;
  a.keep_up_to = 1.2;
  a.min_ratio = 0.5;
  a.max_ratio = 2.0;
  const bool same = !first() && std::abs(r.h / h_last_ - 1.0) <= same_step;
  if (!first() && (same ? since_change_ + 1 : 1) < hold_) a.min_ratio = a.max_ratio = 1.0;
  return a;
}

Attempt GeneralisedAlpha::attempt(const StepRequest& r) {
  Attempt a;
  if (a.outcome = lay_formulas(r); a.outcome != Outcome::ok) return a;
  predict(r);
  GroupNewton::Step step;
  step.t_new = r.t_new;
  step.h = r.h;
  step.base = base_.x.data();
  step.relation = &relation_;
  step.sigma = 1.0 / y_;
  step.known = known_.data();
  step.full_rate = x_ != 0.0 ? &full_rate_ : nullptr;
  step.weight = &r.weight;
  step.scale = r.scale ? r.scale : &r.weight;
  const GroupNewton::Result n = newton_.solve(step, w_, trial_);
  a.outcome = n.outcome;
  a.newton_iterations = n.iterations;
  a.newton_rate = n.rate;
  a.culprit = n.culprit;
  if (a.outcome != Outcome::ok) return a;
  if (first_not_finite(trial_.x.data(), static_cast<int>(trial_.x.size())) >= 0) {
    a.outcome = Outcome::not_finite;
    return a;
  }
  trial_.t = r.t_new;
  if (settings_.renormalise) space_.renormalise(trial_.x.data());
  velocity_ = trial_.x.segment(positions_, nr_);
  a_ = k0_ + k1_ * trial_.xd.segment(nq_, nr_);
  trial_.xd.head(nq_) = velocity_.head(nv_);
  const auto rest = trial_.x.size() - positions_ - nr_;
  trial_.xd.tail(rest) = (trial_.x.tail(rest) - base_.x.tail(rest)) / r.h;
  estimate(r);
  a.estimates = {&estimate_, 1};
  a.advice = advice(r);
  return a;
}

// w to the q of the trial, which a projection or a renormalisation may have moved.
void GeneralisedAlpha::meet_end(Eigen::VectorXd& w) {
  w = w_;
  for (int i = 0; i < 3; ++i) {
    space_.plus(base_.x.data(), w.data(), point_.x.data());
    space_.minus(point_.x.data(), trial_.x.data(), work_.data());
    if (work_.cwiseAbs().maxCoeff() <= 1e-15) return;
    space_.tangent_inverse(w.data(), work_.data(), bracket_.data());
    w += bracket_;
  }
}

// Cubic in q, v and c, from values and rates at both ends, q in the chart at the beginning of the
// step; the others between their values.
Outcome GeneralisedAlpha::interpolant(Interpolant& out) {
  const double h = trial_.t - base_.t;
  const int both = nq_ + nr_, rest = static_cast<int>(trial_.x.size()) - positions_ - nr_;
  out.t0 = base_.t;
  out.h = h;
  out.base = base_.x;
  out.degree = 3;
  auto first_column = out.c.col(1), second = out.c.col(2), third = out.c.col(3);
  // Differences in the third column, slopes at the beginning in the first, at the end in the
  // second.
  meet_end(level_w_);
  third.head(nq_) = level_w_;
  third.segment(nq_, nr_) = trial_.x.segment(positions_, nr_) - base_.x.segment(positions_, nr_);
  first_column.head(nq_) = h * base_.x.segment(positions_, nv_);
  first_column.segment(nq_, nr_) = h * past_.rate;
  space_.tangent_inverse(level_w_.data(), trial_.x.data() + positions_, work_.data());
  second.head(nq_) = h * work_;
  second.segment(nq_, nr_) = h * trial_.xd.segment(nq_, nr_);
  for (int i = 0; i < both; ++i) {
    const double change = third[i], begin = first_column[i], end = second[i];
    second[i] = 3.0 * change - 2.0 * begin - end;
    third[i] = begin + end - 2.0 * change;
  }
  first_column.tail(rest) = trial_.x.tail(rest) - base_.x.tail(rest);
  second.tail(rest).setZero();
  third.tail(rest).setZero();
  return Outcome::ok;
}

void GeneralisedAlpha::commit(bool amended) {
  const double h = trial_.t - base_.t;
  if (amended) {
    // What a projection did along the constraints counts. The normal part of v is the method's own.
    work_ = trial_.x.segment(positions_, nv_) - velocity_.head(nv_);
    velocity_ = trial_.x.segment(positions_, nr_);
    if (index3_ && normal_.factorise(trial_.t, trial_.x.data()) == Outcome::ok) {
      normal_.component(work_.data(), work_.data());
      velocity_.head(nv_) -= work_;
    }
  }
  since_change_ = !first() && std::abs(h / h_last_ - 1.0) <= same_step ? since_change_ + 1 : 1;
  before_ = base_.x;
  rate_before_ = past_.rate;
  base_.t = trial_.t;
  base_.x = trial_.x;
  past_.v = velocity_;
  past_.a = a_;
  past_.rate = trial_.xd.segment(nq_, nr_);
  h_last_ = h;
}

void GeneralisedAlpha::archive(Archive& a) {
  a(base_.t, base_.x, before_, past_.v, past_.a, past_.rate, rate_before_, h_last_, since_change_);
  newton_.archive(a);
  accelerations_.archive(a);
  normal_.archive(a);
}

}  // namespace daedalus::lie_methods
