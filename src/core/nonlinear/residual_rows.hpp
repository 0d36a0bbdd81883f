// SPDX-License-Identifier: BSD-3-Clause
// What the rows of a residual tell about the matrix. One that is too large for a row, as after a
// jump of stiffness, makes corrections that are as much too small: they look converged beside those
// of other variables, and an error estimate that goes through the same matrix looks small. Only the
// rows tell, where a correction leaves them as they were. They are compared with what matters: what
// would be a correction of some tolerances if alpha E were all of the matrix. Rows without
// derivatives are compared with their entries for algebraic variables: those for differential ones
// may be the ones that have fallen.
#pragma once

#include <Eigen/Core>

#include <daedalus/stepper/archive.hpp>
#include "system/pencil.hpp"

namespace daedalus {

class ResidualRows {
 public:
  // Rows without derivatives: methods that do not solve them in every step leave errors there that
  // say nothing about the matrix, unless they are `blown_up`.
  enum class AlgebraicRows { left_out, looked_at, blown_up };
  ResidualRows(int rows, double tolerances, AlgebraicRows algebraic = AlgebraicRows::left_out);
  struct Scale {
    const Pencil& pencil;
    double alpha;
    const Eigen::VectorXd& magnitude;  // of the variables
    const Eigen::VectorXd& weight;
  };

  // The residual that the next correction comes from.
  void take(const double* residual, bool first);
  // Of a first residual: a row is far smaller than in some steps before, and was so in the last.
  // Either the prediction was lucky, or its entries in the matrix are no longer true.
  bool fallen(const Scale& scale);
  bool matter(const Scale& scale);  // rows of the last residual
  bool kept(const Scale& scale);    // ... which the correction before it left much as they were
  bool not_smaller(const Scale& scale);  // ... or larger, whatever the sign
  double largest(const Scale& scale);    // of the last residual, in tolerances of a correction
  int count() const { return count_; }
  void remember(double alpha);  // the first residual of a step, once its iteration has converged
  void forget();                // a new matrix
  void archive(Archive& a) { a(usual_, fallen_, alpha_); }

 private:
  bool exceeds_units(const Scale& scale);  // any row of the last residual that of alpha E alone
  void set_units(const Scale& scale);
  void set_units_of_algebraic_rows(const Scale& scale);
  bool matters(Eigen::Index i) const;
  bool kept(Eigen::Index i) const;

  double tolerances_;
  AlgebraicRows algebraic_;
  int count_ = 0;
  bool units_ = false, complete_ = false;  // of this step: those of alpha E; all
  double alpha_ = 0.0;
  Eigen::VectorXd first_, before_, now_, unit_, whole_, noise_, part_, second_;
  // Size of first residuals, and for how many steps they have been far below it.
  Eigen::VectorXd usual_, fallen_;
};

}  // namespace daedalus
