// SPDX-License-Identifier: BSD-3-Clause
// alpha E + beta J behind a pencil that has no factors of its own: products without a matrix
// (matrix_free.hpp), or a matrix that is cut over ranks.
#pragma once

#include <Eigen/Core>

#include <daedalus/stepper/archive.hpp>
#include <daedalus/stepper/outcome.hpp>

namespace daedalus {

class IterativeSolver {
 public:
  virtual ~IterativeSolver() = default;
  virtual void move(double t, const double* x, const double* xd) = 0;  // the point of linearisation
  // The matrix is alpha E + beta J from here on, and the preconditioner is made.
  virtual Outcome update(double alpha, double beta) = 0;
  // The norm that solves are judged in, and what of it is negligible; null: plain, relative alone.
  virtual void measure_in(const double* scale, double negligible) = 0;
  virtual bool solve(double* x) = 0;  // in place
  // |J| times the size of a change.
  virtual Outcome sensitivity(const Eigen::VectorXd& size, Eigen::VectorXd& out) = 0;
  // out += factor E x where the pencil does not have all of E; false: it has.
  virtual bool add_e_times(double factor, const double* x, double* out) {
    static_cast<void>(factor), static_cast<void>(x), static_cast<void>(out);
    return false;
  }
  virtual void archive(Archive& a) = 0;
};

}  // namespace daedalus
