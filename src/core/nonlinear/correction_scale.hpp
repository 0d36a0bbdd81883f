// How large a correction of an iteration is: its root mean square in units of the error scale, and
// whether its entries are rounding errors.
#pragma once

#include <Eigen/Core>

#include "system/layout.hpp"

namespace daedalus {

struct Correction {
  double size = 0.0;        // in units of the error scale
  bool negligible = false;  // every entry is round-off of its variable, or far below the tolerance
  bool noise = false;       // every entry is round-off as the index magnifies it, or met
  int worst = -1;           // tangent coordinate
};

class CorrectionScale {
 public:
  explicit CorrectionScale(const Layout& layout);
  // x: where the iteration starts. |alpha| is that of the matrix alpha E + J: rounding errors of a
  // variable reach those of index k as differences of order k - 1, times alpha^(k-1) (Arnold 1998,
  // section 2.2).
  void prepare(const double* x, double alpha);
  // Columns of corrections one after the other, as many as there are stages; remaining errors up to
  // kappa are allowed.
  Correction measure(const double* corrections, int columns, const Eigen::VectorXd& weight,
                     double kappa) const;
  int max_index() const { return max_index_; }

 private:
  const Layout& layout_;
  int max_index_ = 1;
  Eigen::VectorXd magnitude_, noise_;
};

}  // namespace daedalus
