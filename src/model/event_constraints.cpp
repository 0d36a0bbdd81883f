// SPDX-License-Identifier: BSD-3-Clause
// Algebraic variables and rates that belong to the present modes where the index is above 1: stage
// by stage of the derivative array, each by Newton's method. The constraints of the early stages
// hold already for what is differentiated, so that its values stay; what else they contain follows.
#include <cmath>

#include "kernel/at.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/sparse_factors.hpp"
#include "model/event_run.hpp"

namespace daedalus {
namespace {

using Eigen::VectorXd;

// From the values before the event; damped steps are many.
constexpr int max_stage_iterations = 50;
constexpr double min_stage_damping = 1e-3;  // ten halvings
constexpr double stage_converged = 1e-13;   // correction relative to the unknown
constexpr double nearly_there = 1e-8;       // a correction so small need not lower the residual
// Constraints move a differentiated variable so much less than what has no value of its own.
constexpr double share_of_kept = 1e-4;

class ArrayEquations {
 public:
  ArrayEquations(const DerivativeArray& array, Arguments<double> a)
      : array_(array), a_(a), r_(array.rows->count()), x_(VectorXd::Zero(size())) {}

  int size() const { return static_cast<int>(array_.unknowns.size()); }
  VectorXd& x() { return x_; }

  // Rows of the stage.
  VectorXd residual(const DerivativeArray::Stage& stage) {
    a_.x = {x_.data(), nullptr, nullptr, nullptr, nullptr};
    array_.rows->call(a_, r_.data(), array_.rows->count(), 1);
    return r_(stage.rows);
  }

  // By the unknowns of the stage.
  SparseMatrix jacobian(const DerivativeArray::Stage& stage) {
    row_.assign(at(array_.rows->count()), -1);
    for (std::size_t i = 0; i < stage.rows.size(); ++i)
      row_[at(stage.rows[i])] = static_cast<int>(i);
    const SparsePattern& p = array_.rows->pattern(slot::State::y);
    entries_.resize(at(p.nonzeros()));
    array_.rows->by_vector(slot::State::y, a_, entries_.data());
    std::vector<Eigen::Triplet<double>> list;
    for (std::size_t j = 0; j < stage.unknowns.size(); ++j) {
      const int column = stage.unknowns[j];
      for (int k = p.start[at(column)]; k < p.start[at(column) + 1]; ++k)
        if (const int i = row_[at(p.row[at(k)])]; i >= 0)
          list.emplace_back(i, static_cast<int>(j), entries_[at(k)]);
    }
    SparseMatrix J(static_cast<int>(stage.rows.size()), static_cast<int>(stage.unknowns.size()));
    J.setFromTriplets(list.begin(), list.end());
    return J;
  }

  // Rate of the rows of the stage while its unknowns rest; all others move with their derivatives.
  VectorXd known_slope(const DerivativeArray::Stage& stage) {
    VectorXd sum(array_.rows->count());
    array_.rows->by_time(a_, sum.data());
    const SparsePattern& p = array_.rows->pattern(slot::State::y);
    for (int j = 0; j < p.cols; ++j)
      for (int k = p.start[at(j)]; array_.next[at(j)] >= 0 && k < p.start[at(j) + 1]; ++k)
        sum[p.row[at(k)]] += entries_[at(k)] * x_[array_.next[at(j)]];
    return sum(stage.rows);
  }

 private:
  const DerivativeArray& array_;
  Arguments<double> a_;
  VectorXd r_, x_;
  std::vector<int> row_;
  std::vector<double> entries_;
};

// The shortest correction of an early stage, in which what is kept counts more.
VectorXd shortest(const SparseMatrix& J, const VectorXd& r, const VectorXd& scale) {
  Eigen::MatrixXd A = Eigen::MatrixXd(J) * scale.asDiagonal();
  VectorXd b = r;
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    const double size = A.row(i).norm();
    if (size == 0.0) continue;
    A.row(i) /= size;
    b[i] /= size;
  }
  return scale.cwiseProduct(least_squares(A, b));
}

}  // namespace

// One stage; `scale` is empty for the square one, whose factors `lu` are those of the last
// iterate.
static bool newton_stage(ArrayEquations& f, const DerivativeArray::Stage& stage,
                         const VectorXd& scale, SparseFactors& lu) {
  VectorXd r = f.residual(stage);
  double before = 0.0;
  for (int k = 0; k < max_stage_iterations; ++k) {
    const SparseMatrix J = f.jacobian(stage);
    VectorXd dx;
    if (scale.size() > 0) {
      dx = shortest(J, r, scale);
    } else {
      if (!lu.compute(J)) return false;
      dx = lu.solve(r);
    }
    if (!dx.allFinite()) return false;
    const VectorXd here = f.x()(stage.unknowns);
    const double largest =
        dx.size() == 0 ? 0.0 : (dx.array().abs() / (1.0 + here.array().abs())).maxCoeff();
    for (double damping = 1.0;; damping *= 0.5) {
      f.x()(stage.unknowns) = here - damping * dx;
      const VectorXd trial = f.residual(stage);
      if (damping <= min_stage_damping || trial.norm() <= (1.0 - 0.1 * damping) * r.norm() ||
          largest <= nearly_there) {
        r = trial;
        break;
      }
    }
    // Rounding errors of parts with large factors (1e5 of a closed switch) keep the last digits
    // moving.
    if (largest <= stage_converged || (largest <= nearly_there && k > 0 && largest > 0.1 * before))
      return true;
    before = largest;
  }
  return false;
}

bool EventRun::newton_of_array() {
  const DerivativeArray& array = *d_.array;
  const int n = static_cast<int>(d_.names.size());
  ArrayEquations f(array, arguments());
  for (int u = 0; u < f.size(); ++u) {
    const auto& unknown = array.unknowns[at(u)];
    f.x()[u] = unknown.order == 0   ? y_[unknown.variable]
               : unknown.order == 1 ? yp_[unknown.variable]
                                    : 0.0;
  }
  try {
    SparseFactors lu;
    for (const DerivativeArray::Stage& stage : array.stages) {
      VectorXd scale;
      if (&stage != &array.stages.back()) {
        scale.resize(static_cast<Eigen::Index>(stage.unknowns.size()));
        for (std::size_t k = 0; k < stage.unknowns.size(); ++k) {
          const auto& u = array.unknowns[at(stage.unknowns[k])];
          const bool kept = u.order == 0 && d_.differentiated[at(u.variable)] != 0;
          scale[static_cast<Eigen::Index>(k)] = kept ? share_of_kept : 1.0;
        }
      }
      if (!newton_stage(f, stage, scale, lu)) return false;
    }
    const DerivativeArray::Stage& last = array.stages.back();
    (void)f.jacobian(last);
    const VectorXd slope = lu.solve(f.known_slope(last));
    if (!slope.allFinite()) return false;
    for (int j = 0; j < n; ++j) {
      if (d_.differentiated[at(j)] == 0) y_[j] = f.x()[j];
      if (array.next[at(j)] >= 0) yp_[j] = f.x()[array.next[at(j)]];
    }
    for (std::size_t k = 0; k < last.unknowns.size(); ++k)
      if (const auto& u = array.unknowns[at(last.unknowns[k])]; u.order == 0)
        yp_[u.variable] = -slope[static_cast<Eigen::Index>(k)];
  } catch (const Reject&) {
    return false;
  }
  return true;
}

}  // namespace daedalus
