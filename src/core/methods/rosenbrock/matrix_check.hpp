// SPDX-License-Identifier: BSD-3-Clause
// Whether the matrix of a step, formed at its beginning, still holds at its end. After a fall of
// stiffness it is too large for some rows: stages then follow the old, stiff equations, and so does
// the error estimate, which goes through the same matrix. The residual at the end of the step
// tells: a correction leaves its rows as they were, or larger after a rise. Its evaluation is the
// first of the next step.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "nonlinear/residual_rows.hpp"
#include "system/system.hpp"

namespace daedalus {

// What the error test will find at least: its scale may grow with the trial.
inline double min_error(const Eigen::VectorXd& error, const Eigen::VectorXd& before,
                        const Eigen::VectorXd& after, const Eigen::VectorXd& weight) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < error.size(); ++i) {
    const double from = std::abs(before[i]), to = std::abs(after[i]);
    const double part = error[i] / weight[i] * (to > from ? from / to : 1.0);
    sum += part * part;
  }
  return std::sqrt(sum / static_cast<double>(error.size()));
}

class MatrixCheck {
 public:
  // Methods whose last stage corrects the end have solved algebraic equations there with the matrix
  // at hand; of the others those rows must not blow up: a rise of stiffness in one, which their
  // last stages met, left 1e17 tolerances beside values as large.
  MatrixCheck(System& system, bool corrects_end)
      : system_(system),
        view_(*system.linear_view()),
        rows_(system.layout.tangents(), max_missing,
              corrects_end ? ResidualRows::AlgebraicRows::left_out
                           : ResidualRows::AlgebraicRows::blown_up) {
    for (Eigen::VectorXd* v : {&rate_, &f_, &moved_, &residual_, &correction_, &magnitude_})
      v->setZero(system.layout.tangents());
  }

  Eigen::VectorXd& rate() { return rate_; }  // h x' at the end, as the step has it; used up
  Eigen::VectorXd& at_end() { return f_; }   // the right-hand side there, once verified
  // What the last stage corrects, where it stands at the end of the step.
  void before_last_stage(const double* residual) { rows_.take(residual, true); }

  // corrected: before_last_stage() was called in this step. error: the estimate of the step, which
  // receives what the rows are missing where the matrix is wrong; `merge`: and the first correction
  // where that is larger, for estimates that do not see stiff and algebraic equations.
  Outcome verify(double t, double h, const Eigen::VectorXd& x, const Eigen::VectorXd& weight,
                 bool corrected, bool merge, Eigen::VectorXd& error) {
    Pencil& pencil = view_.linear_pencil();
    system_.layout.magnitude(x.data(), magnitude_.data());
    const ResidualRows::Scale scale{pencil, pencil.alpha(), magnitude_, weight};
    if (const Outcome o = view_.rhs(t, x.data(), f_.data()); o != Outcome::ok) return o;
    residual_ = f_;
    moved_ = x;
    for (bool first = !corrected;; first = false, merge = false) {
      view_.add_mass_times(-1.0 / h, rate_.data(), residual_.data());
      rows_.take(residual_.data(), first);
      const bool matters = rows_.matter(scale);
      if (!matters && !merge) return Outcome::ok;
      const bool wrong = rows_.count() > 1 && rows_.not_smaller(scale);
      // Rows of several components tell nothing before the third residual.
      if (!wrong && rows_.count() > 2) return Outcome::ok;
      correction_ = residual_;
      if (!pencil.solve(correction_.data())) return Outcome::krylov_failed;
      if (wrong) {
        // The correction tells which variables, the rows how much.
        const double size = correction_.cwiseQuotient(weight).norm() /
                            std::sqrt(static_cast<double>(correction_.size()));
        if (size > 0.0) error = (rows_.largest(scale) / size) * correction_;
        return Outcome::ok;
      }
      if (merge)
        error = (correction_.array().abs() > error.array().abs()).select(correction_, error);
      if (!matters) return Outcome::ok;
      moved_ += correction_;
      rate_ += (h * pencil.alpha()) * correction_;
      if (const Outcome o = view_.rhs(t, moved_.data(), residual_.data()); o != Outcome::ok)
        return o;
    }
  }

 private:
  // Tolerances that a wrong matrix may leave in a step; smooth falls of stiffness take several.
  static constexpr double max_missing = 3.0;

  System& system_;
  LinearView& view_;
  ResidualRows rows_;
  Eigen::VectorXd rate_, f_, moved_, residual_, correction_, magnitude_;
};

}  // namespace daedalus
