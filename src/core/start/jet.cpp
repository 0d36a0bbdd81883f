// SPDX-License-Identifier: BSD-3-Clause
#include "start/jet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/at.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Damping may halve the way some twenty times before the quadratic phase.
constexpr int max_jet_iterations = 60;
// Linear derivative arrays settle in one; Newton doubles the digits with each.
constexpr int max_settlings = 8;
// Derivatives of this accuracy do not change the decision on the index.
constexpr double settled_rate = 1e-6;
// Shorter corrections are below the accuracy of the matrices.
constexpr double min_jet_damping = 1e-6;
// One more correction is made after one of this size, and squares it.
constexpr double negligible_change = 1e-9;
constexpr double negligible_rate = 1e-6;
constexpr double at_rest_below = 1e-8;
constexpr double unmet = 1e-9;  // in parts of the weights

class JetSolver {
 public:
  JetSolver(EquationSeries& equations, double t, const JetSettings& settings)
      : equations_(equations), t_(t), settings_(settings), n_(equations.size()) {}

  Jet run(const VectorXd& x0, const VectorXd& rate) {
    order_ = 3 + settings_.min_known;
    jet_ = MatrixXd::Zero(n_, order_ + 2);
    jet_.col(0) = x0;
    if (rate.size() == n_) jet_.col(1) = rate;
    weight_ = settings_.weight;
    if (weight_.size() != n_) {
      weight_ = x0.cwiseAbs();
      const double most = n_ > 0 ? weight_.maxCoeff() : 0.0;
      for (double& w : weight_)
        if (w == 0.0) w = most > 0.0 ? std::min(most, 1.0) : 1.0;
    }
    iterate();
    // Once more with the origins of the constraints.
    if (!result_.reduction.ranks.empty()) {
      trace_ = true;
      IndexReduction traced;
      if (evaluate(singular_jet_.size() > 0 ? singular_jet_ : jet_, traced) == Outcome::ok)
        result_.reduction = std::move(traced);
    }
    return std::move(result_);
  }

 private:
  // Evaluation and reduction at jet_; more derivatives are taken until the index is found with some
  // to spare: the coefficients at the end of the jet are not determined by as many equations.
  Outcome evaluate(const MatrixXd& jet, IndexReduction& reduction) {
    MatrixXd curve = jet;
    while (true) {
      extend(curve);
      if (const Outcome o = equations_.evaluate(t_, curve, order_, series_); o != Outcome::ok)
        return o;
      reduction = reduce_index({series_.A, series_.B, series_.r}, settings_.max_rounds,
                               settings_.rank, trace_);
      const int wanted = reduction.index < 0 ? std::min(order_ + 2, 2 * settings_.max_rounds + 1)
                                             : 2 * reduction.index + 1 + settings_.min_known;
      const bool enough = reduction.singular || order_ >= wanted;
      if (enough) return Outcome::ok;
      order_ = wanted;
    }
  }

  // Hidden constraints contain rates: x_1 and what follows are brought in line with x_0 first, so
  // that the constraints, and the corrections of x_0 for them, depend on x_0 alone.
  Outcome settle(MatrixXd& jet, IndexReduction& reduction) {
    double before = std::numeric_limits<double>::max();
    for (int i = 0; i < max_settlings && reduction.index >= 0; ++i) {
      const MatrixXd change = reduction.solution(VectorXd::Zero(n_));
      if (!change.allFinite()) return Outcome::not_finite;
      extend(jet);
      const Index known = std::min(change.cols(), jet.cols());
      const double most = jet.col(1).cwiseAbs().maxCoeff();
      const double size = change.col(1).cwiseAbs().maxCoeff();
      const bool small = size <= settled_rate * most || size > 0.5 * before;
      before = size;
      MatrixXd moved = jet;
      moved.leftCols(known) += change.leftCols(known);
      IndexReduction next;
      if (const Outcome o = evaluate(moved, next); o != Outcome::ok) return o;
      jet = std::move(moved);
      reduction = std::move(next);
      if (small) break;
    }
    return Outcome::ok;
  }
  void extend(MatrixXd& jet) const {
    const Index had = jet.cols();
    if (had >= order_ + 2) return;
    jet.conservativeResize(n_, order_ + 2);
    jet.rightCols(order_ + 2 - had).setZero();
  }

  VectorXd correction(const IndexReduction& reduction, const MatrixXd& jet) {
    const MatrixXd C = reduction.gradients();
    const VectorXd c = reduction.values();
    const Index m = c.size() + settings_.extra_count;
    if (m == 0) return VectorXd::Zero(n_);
    MatrixXd rows(m, n_);
    VectorXd left(m);
    if (c.size() > 0) {
      rows.topRows(c.size()) = C;
      left.head(c.size()) = c;
    }
    if (settings_.extra_count > 0) extra_rows(reduction, jet, rows, left);
    // Rows of equal length: which of two contradicting rows is met better, is no matter of units.
    MatrixXd scaled = rows * weight_.asDiagonal();
    for (int j = 0; j < n_; ++j)
      if (!settings_.fixed.empty() && settings_.fixed[at(j)]) scaled.col(j).setZero();
    VectorXd unit(m);
    for (Index i = 0; i < m; ++i) {
      const double size = scaled.row(i).norm();
      unit[i] =
          size > 1e-12 * (rows.row(i) * weight_.asDiagonal()).norm() && size > 0.0 ? size : 1.0;
      scaled.row(i) /= unit[i];
      left[i] /= unit[i];
    }
    const VectorXd y = least_squares(scaled, -left);
    unmet_ = scaled * y + left;
    unit_ = unit;
    return weight_.cwiseProduct(y);
  }

  // e(x_0, x_1) by differences, x_1 following x_0 by the reduced equations.
  void extra_rows(const IndexReduction& reduction, const MatrixXd& jet, MatrixXd& rows,
                  VectorXd& left) {
    const Index first = left.size() - settings_.extra_count;
    const MatrixXd shift = reduction.solution(VectorXd::Zero(n_));
    const VectorXd base_rate = jet.col(1) + shift.col(1);
    VectorXd plus(settings_.extra_count), minus(settings_.extra_count);
    extra_outcome_ = settings_.extra(jet.col(0), base_rate, plus.data());
    left.tail(settings_.extra_count) = plus;
    for (int j = 0; j < n_ && extra_outcome_ == Outcome::ok; ++j) {
      const double eps = 6e-6 * std::max(std::abs(jet(j, 0)), 1e-3);
      VectorXd step = VectorXd::Zero(n_);
      step[j] = eps;
      const VectorXd turn = reduction.solution(step).col(1) - shift.col(1);
      extra_outcome_ = settings_.extra(jet.col(0) + step, base_rate + turn, plus.data());
      if (extra_outcome_ == Outcome::ok)
        extra_outcome_ = settings_.extra(jet.col(0) - step, base_rate - turn, minus.data());
      rows.block(first, j, settings_.extra_count, 1) = (plus - minus) / (2.0 * eps);
    }
  }

  // In parts of the values, or of the weights where these are larger.
  double length(const VectorXd& dx) const {
    return dx.cwiseQuotient(jet_.col(0).cwiseAbs().cwiseMax(weight_)).norm();
  }

  bool failed(Outcome o) {
    result_.outcome = o;
    return true;
  }

  void iterate() {
    IndexReduction& reduction = result_.reduction;
    if (const Outcome o = evaluate(jet_, reduction); o != Outcome::ok) {
      result_.outcome = o;
      return;
    }
    if (reduction.index < 0) {
      result_.outcome = Outcome::matrix_singular;
      return;
    }
    extend(jet_);
    if (const Outcome o = settle(jet_, reduction); o != Outcome::ok || reduction.index < 0) {
      result_.outcome = o != Outcome::ok ? o : Outcome::matrix_singular;
      return;
    }
    VectorXd dx = correction(reduction, jet_);
    for (int i = 0; i < max_jet_iterations; ++i) {
      result_.iterations = i + 1;
      if (extra_outcome_ != Outcome::ok || !dx.allFinite()) {
        result_.outcome = extra_outcome_ != Outcome::ok ? extra_outcome_ : Outcome::not_finite;
        return;
      }
      const MatrixXd change = reduction.solution(dx);
      if (!change.allFinite()) {
        result_.outcome = Outcome::not_finite;
        return;
      }
      const bool small = negligible(change);
      const double before = length(dx);
      if (!advance(change, dx, small)) return;
      // Round-off may keep the last digits moving.
      const bool at_rest = i > 2 && before < at_rest_below && length(dx) > 0.1 * before;
      if (small || at_rest) return finish();
    }
    result_.outcome = Outcome::newton_failed;
    judge_conflict();
  }

  bool negligible(const MatrixXd& change) const {
    const double most = jet_.col(1).cwiseAbs().maxCoeff();
    for (int j = 0; j < n_; ++j)
      if (std::abs(change(j, 0)) > negligible_change * std::max(std::abs(jet_(j, 0)), weight_[j]) ||
          std::abs(change(j, 1)) > negligible_rate * std::max(std::abs(jet_(j, 1)), 1e-3 * most))
        return false;
    return true;
  }

  // Halved until the next correction is shorter; near the end it need not be.
  bool advance(const MatrixXd& change, VectorXd& dx, bool small) {
    const double before = length(dx);
    const Index known = std::min(change.cols(), jet_.cols());
    for (double damping = 1.0; damping > min_jet_damping; damping *= 0.5) {
      MatrixXd trial = jet_;
      trial.leftCols(known) += damping * change.leftCols(known);
      IndexReduction next;
      Outcome o = evaluate(trial, next);
      if (o == Outcome::ok && !small) o = settle(trial, next);
      if (o == Outcome::callback_failed) return !failed(o);
      if (o != Outcome::ok || next.index < 0) {
        last_ = o;
        if (o == Outcome::ok) {
          singular_ = next;
          trial_ = trial;
        }
        continue;
      }
      extend(trial);
      VectorXd next_dx = correction(next, trial);
      const double after = length(next_dx);
      if (!small && !(after <= (1.0 - 0.25 * damping) * before) && after > 1e-7) continue;
      jet_ = std::move(trial);
      result_.reduction = std::move(next);
      dx = std::move(next_dx);
      return true;
    }
    result_.outcome = Outcome::newton_failed;
    if (last_ == Outcome::ok && singular_.singular) singular_jet_ = trial_;
    judge_conflict();
    return false;
  }

  // Rows that the free variables cannot meet, at the smallest sum of squares.
  void judge_conflict() {
    const double most = unmet_.size() > 0 ? unmet_.cwiseAbs().maxCoeff() : 0.0;
    if (!(most > unmet)) return;
    for (Index i = 0; i < unmet_.size(); ++i)
      if (std::abs(unmet_[i]) > 1e-6 * most) result_.conflict.push_back(static_cast<int>(i));
  }

  void finish() {
    const IndexReduction& r = result_.reduction;
    const int known = std::max(2, order_ + 2 - r.index);
    result_.x = jet_.leftCols(std::min<Index>(known, jet_.cols()));
    for (const auto& c : r.constraints) {
      const double size = c.gradient.cwiseAbs().dot(jet_.col(0).cwiseAbs().cwiseMax(weight_));
      if (size > 0.0) result_.residual = std::max(result_.residual, std::abs(c.value) / size);
    }
    judge_conflict();
    result_.converged = result_.conflict.empty();
    if (!result_.converged) result_.outcome = Outcome::newton_failed;
  }

  EquationSeries& equations_;
  double t_;
  const JetSettings& settings_;
  int n_, order_ = 3;
  bool trace_ = false;
  MatrixXd jet_, trial_, singular_jet_;
  VectorXd weight_, unmet_, unit_;
  LinearSeries series_;
  IndexReduction singular_;
  Outcome last_ = Outcome::ok, extra_outcome_ = Outcome::ok;
  Jet result_;
};

}  // namespace

Jet solve_jet(EquationSeries& equations, double t, const VectorXd& x0, const VectorXd& rate,
              const JetSettings& settings) {
  return JetSolver(equations, t, settings).run(x0, rate);
}

}  // namespace daedalus
