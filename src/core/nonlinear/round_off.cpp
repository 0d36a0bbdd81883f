// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/round_off.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "nonlinear/row_sums.hpp"

namespace daedalus {
namespace {
constexpr double unit_of_rows = std::numeric_limits<double>::epsilon();
// Noise of so many tolerances is news to the user.
constexpr double min_reported = 1.0;
// Vectors of signs that the noise is probed with.
constexpr int patterns = 4;
// Rounding errors that leave nothing of a variable, nor of so many tolerances where it is zero, are
// none: the matrix was formed at values where an exponential has run away.
constexpr double max_believed = 1e12;
}  // namespace

// Few runs ask: of large systems memory that nobody writes to costs nothing, zeros would.
RoundOff::RoundOff(const Layout& layout) : layout_(layout) {
  for (Eigen::VectorXd* v : {&magnitude_, &rows_, &noise_}) v->resize(layout.tangents());
  probes_.resize(layout.tangents(), patterns);
}

void RoundOff::estimate(Pencil& pencil, const double* x) {
  layout_.magnitude(x, magnitude_.data());
  rows_.setZero();
  add_row_sums(pencil.pattern_e(), pencil.e(), unit_of_rows * std::abs(pencil.alpha()), magnitude_,
               rows_);
  add_row_sums(pencil.pattern_j(), pencil.j(), unit_of_rows, magnitude_, rows_);
  noise_.setZero();
  for (int pattern = 0; pattern < patterns; ++pattern) {
    for (Eigen::Index i = 0; i < rows_.size(); ++i) {
      const bool negative = pattern < 3 ? (i >> pattern) % 2 == 1 : (i * i / 2 + i) % 3 == 1;
      probes_(i, pattern) = negative ? -rows_[i] : rows_[i];
    }
    pencil.solve(probes_.col(pattern).data());
    noise_ = noise_.cwiseMax(probes_.col(pattern).cwiseAbs());
  }
}

const Eigen::MatrixXd* RoundOff::noise(Pencil& pencil, const double* x) {
  if (pencil.matrix_free() || !pencil.factorised()) return nullptr;
  estimate(pencil, x);
  return noise_.allFinite() ? &probes_ : nullptr;
}

bool RoundOff::explains(Pencil& pencil, const double* x, const double* corrections, int columns,
                        const Eigen::VectorXd& weight, double harmless, double units) {
  if (!noise(pencil, x)) return false;
  const int n = static_cast<int>(noise_.size());
  for (int i = 0; i < n; ++i)
    if (!(noise_[i] <= std::max(magnitude_[i], max_believed * weight[i]))) return false;
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < n; ++i) {
      const double size = std::abs(corrections[j * n + i]);
      if (!(size <= std::max(harmless * weight[i], units * noise_[i]))) return false;
    }
  return true;
}

void RoundOff::warn(System& system, double h, const Eigen::VectorXd& weight) {
  if (warned_) return;
  Eigen::Index worst = 0;
  const double size = noise_.cwiseQuotient(weight).maxCoeff(&worst);
  if (!(size > min_reported)) return;
  warned_ = true;
  system.warnings.push_back(fmt::format(
      "{}in steps of {:.1e} rounding errors leave about {:.1e} in '{}', {:.1e} times what the "
      "tolerance allows. Such steps are accepted with that; loosen the tolerance by this factor, "
      "or "
      "lower the index of the equations.",
      round_off_warning, std::abs(h), noise_[worst], system.layout.name(static_cast<int>(worst)),
      size));
}

}  // namespace daedalus
