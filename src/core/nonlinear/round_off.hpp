// SPDX-License-Identifier: BSD-3-Clause
// What rounding errors of the rows of (alpha E + J) x leave in a correction, found with the factors
// at hand instead of a declared index: with an error of a few units in each term of a row,
//   |A^{-1} D s|,  D = epsilon diag((|alpha E| + |J|) |x|),
// for vectors s of signs; the largest of four. Differentiated variables show as those that A^{-1}
// magnifies by alpha. Four substitutions, spent only on iterations and error tests that would fail
// otherwise.
#pragma once

#include <Eigen/Core>
#include <string_view>

#include "system/system.hpp"

namespace daedalus {

// How warnings of it begin.
inline constexpr std::string_view round_off_warning = "Round-off limits the accuracy: ";

class RoundOff {
 public:
  explicit RoundOff(const Layout& layout);
  // columns: corrections of as many stages. True: each entry is at most `units` of that, or
  // `harmless` of its weight.
  bool explains(Pencil& pencil, const double* x, const double* corrections, int columns,
                const Eigen::VectorXd& weight, double harmless, double units);
  // A^{-1} D s for steps near x, one column per vector of signs; nullptr: there are no factors.
  const Eigen::MatrixXd* noise(Pencil& pencil, const double* x);
  // Says once which variable suffers and by which factor the tolerance is out of reach.
  void warn(System& system, double h, const Eigen::VectorXd& weight);
  void archive(Archive& a) { a(warned_); }

 private:
  void estimate(Pencil& pencil, const double* x);

  const Layout& layout_;
  Eigen::VectorXd magnitude_, rows_, noise_;  // noise_: the largest of the probes
  Eigen::MatrixXd probes_;
  bool warned_ = false;
};

}  // namespace daedalus
