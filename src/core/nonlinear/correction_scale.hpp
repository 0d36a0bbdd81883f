// SPDX-License-Identifier: BSD-3-Clause
// How large a correction of an iteration is: its root mean square in units of the error scale, and
// whether its entries are rounding errors.
#pragma once

#include <Eigen/Core>

#include <daedalus/stepper/layout.hpp>
#include <daedalus/stepper/outcome.hpp>

namespace daedalus {

struct Correction {
  double size = 0.0;        // in units of the error scale
  bool negligible = false;  // every entry is round-off of its variable, or far below the tolerance
  bool noise = false;       // every entry is round-off as the index magnifies it, or met
  // An entry of some size repeats itself: with a matrix that is too large for it, by 1e3 or 1e6
  // after a jump of stiffness, each correction takes the same small part of what is missing.
  bool repeats = false;
  // Of a first correction: an entry is far smaller than the past lets expect. Either the prediction
  // was lucky, or the matrix holds the variable at it.
  bool held = false;
  int worst = -1;                 // tangent coordinate; over ranks: -1 where it is another rank's
  Outcome outcome = Outcome::ok;  // of the evaluations that the correction comes from, on any rank
};

class CorrectionScale {
 public:
  CorrectionScale(const Layout& layout, int max_columns);
  // x: where the iteration starts. |alpha| is that of the matrix alpha E + J: rounding errors of a
  // variable reach those of index k as differences of order k - 1, times alpha^(k-1) (Arnold 1998,
  // section 2.2).
  // expected: first corrections as the past lets expect them; nullptr: not known.
  void prepare(const double* x, double alpha, const double* expected = nullptr);
  // Columns of corrections one after the other, as many as there are stages; remaining errors up to
  // kappa are allowed. The first correction of an iteration has none before it.
  Correction measure(const double* corrections, int columns, const Eigen::VectorXd& weight,
                     double kappa, bool first);
  int max_index() const { return max_index_; }
  const Eigen::VectorXd& magnitude() const { return magnitude_; }

 private:
  // Largest entry over its weight that repeats itself, beyond `harmless` and rounding errors; 0:
  // none.
  double repeated(const double* corrections, int columns, const Eigen::VectorXd& weight,
                  double harmless) const;
  void add_index_noise();
  struct Sums {
    double square, count, worst, repeated;
  };
  void reduce(Correction& c, Sums& sums, bool first);

  const Layout& layout_;
  int max_index_ = 1;
  double alpha_ = 0.0, max_magnitude_ = 0.0;
  const double* expected_ = nullptr;
  Eigen::VectorXd magnitude_, noise_, before_;  // before_: the last corrections
};

}  // namespace daedalus
