// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/newton.hpp"

namespace daedalus {
namespace {
// What an iterative solver may leave of a correction, in parts of what ends the iteration.
constexpr double negligible_residual = 0.1;
// A first correction of so many tolerances is none of a step that the error test would accept.
constexpr double max_ordinary_correction = 10.0;
// Share of the slowest rate that each further measurement keeps, as in CVODE.
constexpr double kept_rate = 0.3;

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
      iteration_(system.counter, iteration_settings(settings)),
      scale_(system.layout, 1),
      residual_(Eigen::VectorXd::Zero(system.layout.tangents())),
      guess_(Eigen::VectorXd::Zero(system.layout.points())) {}

Newton::Result Newton::solve(double t_new, double alpha, const DifferenceFormula& formula,
                             const Eigen::VectorXd& weight, Eigen::VectorXd& x, Eigen::VectorXd& dd,
                             const double* expected) {
  step_ = {t_new, alpha, &formula, &weight, &x, &dd};
  guess_ = x;
  scale_.prepare(x.data(), alpha, expected);
  if (MatrixFree* products = view_.residual_pencil().matrix_free())
    products->measure_in(weight.data(), negligible_residual * kappa_);
  return iteration_.solve(*this, alpha);
}

Outcome Newton::linearise(bool) {
  if (const Outcome o = finish(); o != Outcome::ok) return o;
  return view_.linearise(step_.t, step_.x->data(), step_.dd->data());
}

Outcome Newton::factorise(double alpha) { return view_.residual_pencil().factorise(alpha, 1.0); }

Outcome Newton::correct() {
  if (const Outcome o = finish(); o != Outcome::ok) return o;
  if (const Outcome o =
          view_.residual(step_.t, step_.x->data(), step_.dd->data(), residual_.data());
      o != Outcome::ok)
    return o;
  const double of_factors = iteration_.reuse().alpha();
  residual_ *= step_.alpha == of_factors ? -1.0 : -2.0 / (1.0 + step_.alpha / of_factors);
  return view_.residual_pencil().solve(residual_.data()) ? Outcome::ok : Outcome::krylov_failed;
}

Correction Newton::measure(bool, bool first) {
  return scale_.measure(residual_.data(), 1, *step_.weight, kappa_, first);
}

void Newton::apply() { system_.layout.plus(step_.x->data(), residual_.data(), step_.x->data()); }

void Newton::archive(Archive& a) {
  iteration_.archive(a);
  view_.residual_pencil().archive(a);
}

}  // namespace daedalus
