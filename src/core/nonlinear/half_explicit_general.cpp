// SPDX-License-Identifier: BSD-3-Clause
// Newton's method for z in 0 = g(t_next, base + known + factor f(t, x_y, z) [, z]) with the matrix
// factor g_y f_z (+ g_z), evaluated at the first guess and again when convergence is slow. A defect
// theta in g is a defect theta / factor in z (Arnold 1998, (3.26)), so the iteration goes on until
// g is as small as its own round-off.
//
// Rows that depend on z determine it at the point they are evaluated at: at the constraint point
// for methods where z belongs to that time, else at the stage. With omega' = g_i(y, z), 0 = omega
// as in (3.82) the latter is the same method for such rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/dense_lu.hpp"
#include "nonlinear/half_explicit_forms.hpp"

namespace daedalus {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
// A rate of 0.25 gains 15 digits in as many.
constexpr int max_iterations = 25;
// Slower than this a new matrix pays.
constexpr double slow = 0.2;
// Corrections that no longer shrink are round-off if g is below this many units of it.
constexpr double stalled = 1e4;

class GeneralStages final : public HalfExplicit {
 public:
  explicit GeneralStages(System& system)
      : view_(*system.partitioned_view()),
        counter_(system.counter),
        ny_(view_.differential_count()),
        nz_(system.layout.tangents() - ny_),
        lu_(nz_) {
    values_.setZero(ny_ + nz_);
    next_.setZero(ny_ + nz_);
    g_.setZero(nz_);
    move_.setZero(nz_);
    size_.setZero(nz_);
    correction_.setZero(ny_);
    product_.setZero(nz_, nz_);
    g_z_.setZero(nz_, nz_);
    at_stage_.setZero(nz_);
    if (nz_ == 0) return;
    mixed_ = view_.rows_with_algebraic();
    any_mixed_ = std::find(mixed_.begin(), mixed_.end(), char(1)) != mixed_.end();
  }

  int differential() const override { return ny_; }

  void begin(const State& base) override {
    base_ = &base;
    iterations_ = 0;
  }

  Outcome place(double, const double* increment, double* x) override {
    for (int i = 0; i < ny_; ++i) x[i] = base_->x[i] + increment[i];
    return Outcome::ok;
  }

  Outcome solve(const Stage& stage) override {
    double* z = stage.x + ny_;
    double last = 0.0;
    bool fresh = false;
    for (int iteration = 0;; ++iteration) {
      if (const Outcome o = view_.evaluate(stage.t, stage.x, values_.data()); o != Outcome::ok)
        return o;
      if (nz_ == 0) break;
      for (int i = 0; i < ny_; ++i)
        next_[i] = base_->x[i] + stage.known[i] + stage.factor * values_[i];
      for (int i = 0; i < nz_; ++i) next_[ny_ + i] = z[i];
      if (const Outcome o = view_.constraints(stage.t_next, next_.data(), g_.data());
          o != Outcome::ok)
        return o;
      if (stage.algebraic_at_stage && any_mixed_)
        if (const Outcome o = replace_mixed(stage); o != Outcome::ok) return o;
      if (iteration == 0) {
        if (const Outcome o = linearise(stage); o != Outcome::ok) return o;
        fresh = true;
      }
      if (within(2.0, stage)) break;
      if (iteration == max_iterations) return failed();
      move_ = g_;
      counter_.now().solves += 1;
      lu_.solve(move_.data());
      const double move = move_.cwiseAbs().maxCoeff();
      if (!std::isfinite(move)) return failed();
      counter_.now().newton_iterations += 1;
      ++iterations_;
      if (iteration > 0 && move > slow * last) {
        if (fresh && move > 0.5 * last) {
          if (within(stalled, stage)) break;
          if (iteration > 3 && move > 2.0 * last) return failed();
        }
        if (const Outcome o = linearise(stage); o != Outcome::ok) return o;
        fresh = true;
        move_ = g_;
        counter_.now().solves += 1;
        lu_.solve(move_.data());
      } else {
        fresh = false;
      }
      last = move_.cwiseAbs().maxCoeff();
      for (int i = 0; i < nz_; ++i) z[i] -= move_[i];
    }
    for (int i = 0; i < ny_; ++i) stage.rate[i] = values_[i];
    return Outcome::ok;
  }

  Outcome rates(double t, double* x, const double*, bool hidden_constraint, double* rate) override {
    if (hidden_constraint && nz_ > 0 && !any_mixed_)
      if (const Outcome o = solve_hidden(t, x); o != Outcome::ok) return o;
    if (const Outcome o = view_.evaluate(t, x, values_.data()); o != Outcome::ok) return o;
    for (int i = 0; i < ny_; ++i) rate[i] = values_[i];
    return Outcome::ok;
  }

  Outcome correct(double t, double* increment) override {
    if (nz_ == 0) return Outcome::ok;
    for (int i = 0; i < ny_; ++i) next_[i] = base_->x[i] + increment[i];
    if (const Outcome o = view_.constraints(t, next_.data(), move_.data()); o != Outcome::ok)
      return o;
    // z is not corrected: rows that determine it have nothing to say about y.
    for (int i = 0; i < nz_ && any_mixed_; ++i)
      if (mixed_[static_cast<std::size_t>(i)]) move_[i] = 0.0;
    counter_.now().solves += 1;
    lu_.solve(move_.data());
    correction_.noalias() = f_z_ * move_;
    for (int i = 0; i < ny_; ++i) increment[i] -= factor_ * correction_[i];
    return Outcome::ok;
  }

  bool has_hidden_constraint() const override { return !any_mixed_; }

  Outcome rebase(const State&, bool) override { return Outcome::ok; }
  int balance_count() const override { return any_mixed_ ? nz_ : 0; }
  Outcome balance(const State& base, const double*, double* defect) override {
    if (!any_mixed_) return Outcome::ok;
    if (const Outcome o = view_.constraints(base.t, base.x.data(), defect); o != Outcome::ok)
      return o;
    for (int i = 0; i < nz_; ++i)
      if (!mixed_[static_cast<std::size_t>(i)]) defect[i] = 0.0;
    return Outcome::ok;
  }

  int singular_variable() const override {
    const int column = lu_.singular_column();
    return column >= 0 ? ny_ + column : -1;
  }
  int newton_iterations() const override { return iterations_; }

 private:
  // g at most `units` of the round-off it is computed with: that of the sum base + known + factor
  // f, of f itself as far as it comes from z, and of z where g depends on it.
  bool within(double units, const Stage& stage) {
    for (int i = 0; i < ny_; ++i)
      correction_[i] =
          std::abs(base_->x[i]) + std::abs(stage.known[i]) + std::abs(stage.factor * values_[i]);
    size_.setZero();
    view_.add_g_y_magnitude(correction_.data(), size_.data());
    for (int j = 0; j < nz_; ++j)
      for (int i = 0; i < nz_; ++i)
        size_[i] += (std::abs(product_(i, j)) + std::abs(g_z_(i, j))) * std::abs(next_[ny_ + j]);
    for (int i = 0; i < nz_; ++i)
      if (!(std::abs(g_[i]) <= units * epsilon * size_[i])) return false;
    return true;
  }

  Outcome failed() {
    counter_.now().newton_failures += 1;
    return Outcome::newton_failed;
  }

  Outcome replace_mixed(const Stage& stage) {
    if (const Outcome o = view_.constraints(stage.t, stage.x, at_stage_.data()); o != Outcome::ok)
      return o;
    for (int i = 0; i < nz_; ++i)
      if (mixed_[static_cast<std::size_t>(i)])
        g_[i] = at_stage_[i] - (stage.load ? stage.load[i] : 0.0);
    return Outcome::ok;
  }

  Outcome linearise(const Stage& stage) {
    const bool split = stage.algebraic_at_stage && any_mixed_;
    if (split) {
      if (const Outcome o = view_.linearise_constraints(stage.t, stage.x); o != Outcome::ok)
        return o;
      view_.constraint_pencil().dense_j(g_z_);
    }
    if (const Outcome o = view_.linearise_constraints(stage.t_next, next_.data()); o != Outcome::ok)
      return o;
    if (!split) view_.constraint_pencil().dense_j(g_z_);
    if (const Outcome o = view_.linearise_rates(stage.t, stage.x); o != Outcome::ok) return o;
    multiply(stage.factor);
    for (int i = 0; i < nz_ && split; ++i)
      if (mixed_[static_cast<std::size_t>(i)]) product_.row(i).setZero();
    return factorise();
  }

  void multiply(double factor) {
    f_z_ = view_.rates_by_algebraic();
    factor_ = factor;
    product_.setZero();
    for (int j = 0; j < nz_; ++j)
      view_.add_g_y_times(factor, f_z_.col(j).data(), product_.col(j).data());
  }

  Outcome factorise() {
    Eigen::Map<Eigen::MatrixXd>(lu_.data(), nz_, nz_) = product_ + g_z_;
    counter_.now().factorisations += 1;
    return lu_.factorise() ? Outcome::ok : Outcome::matrix_singular;
  }

  // g_y f + g_t = 0 for z, where g does not depend on z.
  Outcome solve_hidden(double t, double* x) {
    double* z = x + ny_;
    double last = std::numeric_limits<double>::infinity();
    if (const Outcome o = view_.linearise_constraints(t, x); o != Outcome::ok) return o;
    for (int iteration = 0; iteration < max_iterations; ++iteration) {
      if (const Outcome o = view_.linearise_rates(t, x); o != Outcome::ok) return o;
      multiply(1.0);
      g_z_.setZero();
      if (const Outcome o = factorise(); o != Outcome::ok) return o;
      if (const Outcome o = view_.evaluate(t, x, values_.data()); o != Outcome::ok) return o;
      move_ = view_.constraint_time_derivative();
      view_.add_g_y_times(1.0, values_.data(), move_.data());
      counter_.now().solves += 1;
      counter_.now().newton_iterations += 1;
      ++iterations_;
      lu_.solve(move_.data());
      const double move = move_.cwiseAbs().maxCoeff();
      if (!std::isfinite(move)) return failed();
      for (int i = 0; i < nz_; ++i) z[i] -= move_[i];
      const double size = Eigen::Map<const Eigen::VectorXd>(z, nz_).cwiseAbs().maxCoeff();
      if (move <= 4.0 * epsilon * size || (move >= 0.5 * last && move <= 1e-10 * (1.0 + size)))
        return Outcome::ok;
      last = move;
    }
    return failed();
  }

  PartitionedView& view_;
  Counter& counter_;
  int ny_, nz_;
  DenseLu lu_;
  const State* base_ = nullptr;
  int iterations_ = 0;
  double factor_ = 1.0;      // of the matrix factorised last
  std::vector<char> mixed_;  // rows of g that depend on z
  bool any_mixed_ = false;
  Eigen::VectorXd values_, next_, g_, move_, size_, correction_, at_stage_;
  Eigen::MatrixXd f_z_, product_, g_z_;
};

}  // namespace

std::unique_ptr<HalfExplicit> make_general_stages(System& system) {
  return std::make_unique<GeneralStages>(system);
}

}  // namespace daedalus
