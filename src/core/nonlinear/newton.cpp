// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/newton.hpp"

#include "nonlinear/iteration_weights.hpp"

namespace daedalus {
namespace {
// What an iterative solver may leave of a correction, in parts of what ends the iteration.
constexpr double negligible_residual = 0.1;
// A first correction of so many tolerances is none of a step that the error test would accept.
constexpr double max_ordinary_correction = 10.0;
// Share of the slowest rate that each further measurement keeps, as in CVODE.
constexpr double kept_rate = 0.3;
// Tolerances that a doubtful matrix must not leave behind in a step.
constexpr double max_missing = 1.0;
// Steps in a row that may end with one correction where a wrong matrix could hide much: nothing
// but a second residual tells a stiff row from one that has ceased to be stiff.
constexpr int max_single = 2;
// Iterations that are solved further than this (dae2sol) end with one correction where it is tiny.
constexpr double min_verified_kappa = 1e-6;
// Rounding errors of an evaluated row, in units of its terms.
constexpr double roundings_of_rows = 256.0;

StepIterationSettings iteration_settings(const NewtonSettings& s) {
  StepIterationSettings i;
  i.convergence.kappa = s.kappa;
  i.convergence.max_iterations = s.max_iterations;
  i.convergence.floor = i.convergence.max_stuck = s.floor;
  i.convergence.trusts_first = s.trust_rate;
  if (s.trust_rate) {
    i.convergence.kept_rate = kept_rate;
    i.convergence.beyond = max_ordinary_correction;
  }
  i.reuse.slow_rate = s.slow_rate;
  i.reuse.alpha_range = s.alpha_range;
  return i;
}
}  // namespace

Newton::Newton(System& system, NewtonSettings settings)
    : system_(system),
      view_(*system.residual_view()),
      kappa_(settings.kappa),
      // Constraints of higher index have rows that change by powers of h.
      trusting_(settings.trust_rate && !view_.residual_pencil().matrix_free() &&
                IterationWeights(system.layout).max_index() < 2),
      iteration_(system.counter, iteration_settings(settings)),
      scale_(system.layout, 1),
      rows_(system.layout.tangents(), max_missing, ResidualRows::AlgebraicRows::looked_at),
      round_off_(system.layout),
      residual_(Eigen::VectorXd::Zero(system.layout.tangents())),
      guess_(Eigen::VectorXd::Zero(system.layout.points())) {}

Newton::Result Newton::solve(double t_new, double alpha, const DifferenceFormula& formula,
                             const Eigen::VectorXd& weight, Eigen::VectorXd& x, Eigen::VectorXd& dd,
                             const double* expected) {
  step_ = {t_new, alpha, &formula, &weight, &x, &dd};
  guess_ = x;
  scale_.prepare(x.data(), alpha, expected);
  if (IterativeSolver* products = view_.residual_pencil().matrix_free())
    products->measure_in(weight.data(), negligible_residual * kappa_);
  return iteration_.solve(*this, alpha);
}

void Newton::forget() {
  iteration_.reuse().forget();
  rows_.forget();
  single_ = 0;
}

Outcome Newton::linearise(bool) {
  if (const Outcome o = differentiate(); o != Outcome::ok) return o;
  rows_.forget();
  return view_.linearise(step_.t, step_.x->data(), step_.dd->data());
}

Outcome Newton::factorise(double alpha) { return view_.residual_pencil().factorise(alpha, 1.0); }

Outcome Newton::finish() {
  if (trusting_) rows_.remember(step_.alpha);
  single_ = iteration_.monitor().count() > 1 ? 0 : single_ + 1;
  return differentiate();
}

Outcome Newton::correct() {
  if (const Outcome o = differentiate(); o != Outcome::ok) return o;
  if (const Outcome o =
          view_.residual(step_.t, step_.x->data(), step_.dd->data(), residual_.data());
      o != Outcome::ok)
    return o;
  if (trusting_) rows_.take(residual_.data(), iteration_.monitor().count() == 0);
  const double of_factors = iteration_.reuse().alpha();
  residual_ *= step_.alpha == of_factors ? -1.0 : -2.0 / (1.0 + step_.alpha / of_factors);
  return view_.residual_pencil().try_solve(residual_.data(), system_.layout.communicator());
}

ResidualRows::Scale Newton::row_scale() const {
  return {view_.residual_pencil(), step_.alpha, scale_.magnitude(), *step_.weight};
}

Correction Newton::measure(bool, bool first) {
  Correction c = scale_.measure(residual_.data(), 1, *step_.weight, kappa_, first);
  if (!trusting_) return c;
  if (first) {
    // What is missing may be too little yet to be seen: the next step has a new matrix anyhow.
    verifying_ = rows_.fallen(row_scale());
    if (verifying_) iteration_.reuse().refresh();
    verifying_ = verifying_ || (kappa_ >= min_verified_kappa && single_ >= max_single &&
                                rows_.matter(row_scale()));
    c.held = c.held || verifying_;
  } else if (verifying_) {
    // Rows of several components tell nothing before the third residual.
    const bool doubtful = rows_.count() > 2 ? rows_.kept(row_scale()) : rows_.matter(row_scale());
    c.repeats = c.repeats || doubtful;
  }
  return c;
}

void Newton::apply() { system_.layout.plus(step_.x->data(), residual_.data(), step_.x->data()); }

bool Newton::at_round_off() {
  if (!accepts_round_off_ ||
      !round_off_.explains(view_.residual_pencil(), guess_.data(), residual_.data(), 1,
                           *step_.weight, kappa_, roundings_of_rows))
    return false;
  round_off_.warn(system_, 1.0 / step_.alpha, *step_.weight);
  return true;
}

void Newton::archive(Archive& a) {
  iteration_.archive(a);
  rows_.archive(a);
  a(single_);
  round_off_.archive(a);
  view_.residual_pencil().archive(a);
}

}  // namespace daedalus
