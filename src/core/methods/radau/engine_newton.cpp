// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "kernel/at.hpp"
#include "methods/radau/engine.hpp"

namespace daedalus::radau {
namespace {
// Corrections below this part of the tolerance that stop falling are rounding errors, which index 2
// magnifies by 1/h; with given steps nothing but the method is to be seen in the results.
constexpr double floor = 0.01;
// Given steps cannot become smaller: more iterations, solved further, and new matrices on the way.
constexpr double share_for_given_steps = 0.002;
constexpr int max_for_given_steps = 40, max_renewed_for_given_steps = 5;
// The first rate tells of the prediction as well: growth up to this is no divergence.
constexpr double max_early_rate = 2.0, max_rate = 0.99;
// Matrices that nobody has measured: as if half of an error were left.
constexpr double unknown_rate = 0.5;
// Rates below are not remembered: odds of 3e-3 become 1e-2 in the next step.
constexpr double min_remembered_rate = 3e-3;
// Hairer and Wanner's power for odds that are not measured again.
constexpr double ageing_power = 0.8;
// Rounding errors of an evaluated row in units of its terms, times what the transformation of
// three to seven stages does to them.
constexpr double roundings_of_stages = 256.0;
// A rate from two corrections is too good where the first one removed most of the error, as that of
// a prediction over many lengths of the step before does in linear equations.
constexpr double min_second_rate = 1.0 / 11.0;
// Tolerances of a first correction d that tell so: two corrections that pass leave sqrt(kappa d)
// times the true rate at most, some 10 tolerances.
constexpr double too_good_beyond = 1e5;

// out.col(i) = factor sum_j matrix_ij in.col(j), four rows at a time so that -O2 keeps the sums in
// vector registers.
template <int Stages>
void combine_stages(const Table::Square& matrix, double factor, const Eigen::MatrixXd& in,
                    Eigen::MatrixXd& out) {
  const Eigen::Index n = in.rows();
  for (int i = 0; i < Stages; ++i) {
    double c[Stages];
    const double* from[Stages];
    for (int j = 0; j < Stages; ++j) {
      c[j] = factor * matrix[at(i)][at(j)];
      from[j] = in.col(j).data();
    }
    double* to = out.col(i).data();
    Eigen::Index m = 0;
    for (; m + 4 <= n; m += 4) {
      double sum[4];
      for (int lane = 0; lane < 4; ++lane) sum[lane] = c[0] * from[0][m + lane];
      for (int j = 1; j < Stages; ++j)
        for (int lane = 0; lane < 4; ++lane) sum[lane] += c[j] * from[j][m + lane];
      for (int lane = 0; lane < 4; ++lane) to[m + lane] = sum[lane];
    }
    for (; m < n; ++m) {
      double sum = c[0] * from[0][m];
      for (int j = 1; j < Stages; ++j) sum += c[j] * from[j][m];
      to[m] = sum;
    }
  }
}

void combine_stages(const Table& t, const Table::Square& matrix, double factor,
                    const Eigen::MatrixXd& in, Eigen::MatrixXd& out) {
  if (t.stages == 3) combine_stages<3>(matrix, factor, in, out);
  if (t.stages == 5) combine_stages<5>(matrix, factor, in, out);
  if (t.stages == 7) combine_stages<7>(matrix, factor, in, out);
}
}  // namespace

// d(t, x) at the stages, relative to that at x_n.
Outcome RadauStepper::leading_values(const Table& t) {
  for (int i = 0; i < t.stages; ++i) {
    system_.layout.plus(current_.x.data(), z_.col(i).data(), x_.data());
    if (const Outcome o = view_.leading(t_ + t.c[at(i)] * h_, x_.data(), leading_.col(i).data());
        o != Outcome::ok)
      return o;
    leading_.col(i) -= d_start_;
  }
  return Outcome::ok;
}

// d' at a stage into dd_.
void RadauStepper::stage_rate(const Table& t, int stage) {
  const Eigen::MatrixXd& values = stated_ ? leading_ : z_;
  const Eigen::Index count = values.rows();
  dd_.setZero();
  for (int j = 0; j < t.stages; ++j)
    dd_.head(count) += (t.derivative[at(stage)][at(j)] / h_) * values.col(j);
  to_tangent(stage, dd_.data());
}

void RadauStepper::to_tangent(int stage, double* rate) const {
  if (!grouped_) return;
  for (const LayoutBlock& b : system_.layout.blocks())
    if (!b.space.is_euclidean())
      b.space.tangent(z_.col(stage).data() + b.tangent, rate + b.tangent, rate + b.tangent);
}

Outcome RadauStepper::residuals(const Table& t) {
  if (stated_)
    if (const Outcome o = leading_values(t); o != Outcome::ok) return o;
  // The corrections are used up, so that their place takes the rates.
  Eigen::MatrixXd& rates = g_;
  if (!stated_) combine_stages(t, t.derivative, 1.0 / h_, z_, rates);
  for (int i = 0; i < t.stages; ++i) {
    if (stated_)
      stage_rate(t, i);
    else
      to_tangent(i, rates.col(i).data());
    system_.layout.plus(current_.x.data(), z_.col(i).data(), x_.data());
    const double* const rate = stated_ ? dd_.data() : rates.col(i).data();
    if (const Outcome o = view_.residual(t_ + t.c[at(i)] * h_, x_.data(), rate, f_.col(i).data());
        o != Outcome::ok)
      return o;
  }
  return Outcome::ok;
}

// f_ holds the residuals and receives the corrections of the stages.
void RadauStepper::solve_blocks(const Table& t) {
  const Eigen::Index n = f_.rows();
  combine_stages(t, t.T_inverse, -1.0, f_, g_);
  view_.residual_pencil().solve(g_.col(0).data());
  for (int k = 0; k < t.pairs(); ++k) {
    double *re = g_.col(2 * k + 1).data(), *im = g_.col(2 * k + 2).data();
    for (Eigen::Index i = 0; i < n; ++i) {
      pair_rhs_[2 * i] = re[i];
      pair_rhs_[2 * i + 1] = im[i];
    }
    pairs_[at(k)]->solve(pair_rhs_.data());
    for (Eigen::Index i = 0; i < n; ++i) {
      re[i] = pair_rhs_[2 * i];
      im[i] = pair_rhs_[2 * i + 1];
    }
  }
  combine_stages(t, t.T, 1.0, g_, f_);
}

StepIterationSettings iteration_settings(const Configuration& c) {
  StepIterationSettings s;
  s.convergence.max_early_rate = max_early_rate;
  s.convergence.early = 1;
  s.convergence.mean_rate = true;
  s.convergence.kept_rate = 0.0;
  s.convergence.remembers_fresh = true;
  s.convergence.unknown_rate = unknown_rate;
  s.convergence.min_remembered_rate = min_remembered_rate;
  s.convergence.ageing = 1.0;
  s.convergence.ageing_power = ageing_power;
  s.convergence.by_distance = false;
  s.convergence.doubts_fresh = false;
  s.reuse.slow_rate = c.slow_rate;
  // Steps that differ by rounding share a factorisation.
  s.reuse.alpha_range = 1e-10;
  return s;
}

// What depends on the number of stages and on whether steps are given.
void RadauStepper::set_iteration(const Table& t) {
  ConvergenceSettings& c = iteration_.monitor().settings();
  c.kappa = prescribed_ ? share_for_given_steps * configuration_.kappa : configuration_.kappa;
  c.max_iterations = prescribed_ ? max_for_given_steps : max_iterations(t.stages);
  c.floor = c.max_stuck = floor;
  c.max_rate = prescribed_ ? max_early_rate : max_rate;
  c.predicts = !prescribed_;
  c.min_second_rate = min_second_rate;
  c.beyond = prescribed_ ? 0.0 : too_good_beyond;
  iteration_.settings().renew_diverging = prescribed_;
  iteration_.settings().max_renewed = prescribed_ ? max_renewed_for_given_steps : 1;
}

Outcome RadauStepper::correct() {
  const Table& t = table_of(stages_);
  if (const Outcome o = residuals(t); o != Outcome::ok) return o;
  rows_.take(f_.col(stages_ - 1).data(), iteration_.monitor().count() == 0);
  solve_blocks(t);
  return Outcome::ok;
}

// Two corrections say little about rows of stages behind a jump of stiffness, which the matrix of
// the step is too large for: those of the last stage are evaluated once more where they matter.
Outcome RadauStepper::finish() {
  const Table& t = table_of(stages_);
  const int end = stages_ - 1;
  if (prescribed_ || rows_.count() < 2 || view_.residual_pencil().matrix_free()) return Outcome::ok;
  const ResidualRows::Scale scale{view_.residual_pencil(), t.gamma / h_, scale_.magnitude(),
                                  *weight_};
  if (!(rows_.count() > 2 ? rows_.kept(scale) : rows_.matter(scale))) return Outcome::ok;
  if (stated_)
    if (const Outcome o = leading_values(t); o != Outcome::ok) return o;
  stage_rate(t, end);
  system_.layout.plus(current_.x.data(), z_.col(end).data(), x_.data());
  if (const Outcome o = view_.residual(t_ + h_, x_.data(), dd_.data(), second_.data());
      o != Outcome::ok)
    return o;
  rows_.take(second_.data(), false);
  return rows_.kept(scale) ? Outcome::newton_failed : Outcome::ok;
}

bool RadauStepper::at_round_off() {
  if (prescribed_ ||
      !round_off_.explains(view_.residual_pencil(), current_.x.data(), f_.data(), stages_, *weight_,
                           configuration_.kappa, roundings_of_stages))
    return false;
  round_off_.warn(system_, h_, *weight_);
  return true;
}

Correction RadauStepper::measure(bool, bool first) {
  return scale_.measure(f_.data(), stages_, *weight_, iteration_.monitor().settings().kappa, first);
}

}  // namespace daedalus::radau
