// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/correction_scale.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {
// Nine units of round-off of a variable: what its residual row and one substitution leave.
constexpr double min_correction = 2e-15;
// Noise may be four times that: several rows add up.
constexpr double roundings = 4.0;
// A correction of a thousandth of what may remain changes no decision; the first one only if it is
// so small that nothing is missing even where the matrix is too large by the factor of a hard jump
// of stiffness.
constexpr double negligible_share = 1e-3, negligible_first_share = 1e-7;
// Ratio of an entry to that before it that no contraction explains: the matrix is too large for it
// by 20 and more. It does no harm below this share of what may remain, and is chance where it is
// small beside the worst entry.
constexpr double min_repetition = 0.95, max_repetition = 1.005, harmless_share = 1e-3,
                 share_of_worst = 0.1;
// Share of an expected correction that says nothing was corrected, and the tolerances from which
// on it is missed: over the steps that one Jacobian serves a thousandth grows to one.
constexpr double max_held = 0.01, min_expected = 1e-3;
}  // namespace

CorrectionScale::CorrectionScale(const Layout& layout, int max_columns)
    : layout_(layout),
      magnitude_(Eigen::VectorXd::Zero(layout.tangents())),
      noise_(Eigen::VectorXd::Zero(layout.tangents())),
      before_(Eigen::VectorXd::Zero(layout.tangents() * max_columns)) {
  for (const LayoutBlock& b : layout.blocks()) max_index_ = std::max(max_index_, b.index);
}

void CorrectionScale::prepare(const double* x, double alpha, const double* expected) {
  expected_ = expected;
  layout_.magnitude(x, magnitude_.data());
  noise_ = magnitude_;
  if (max_index_ < 2) return;
  const double max_magnitude = magnitude_.maxCoeff();
  for (const LayoutBlock& b : layout_.blocks())
    if (b.index > 1)
      noise_.segment(b.tangent, b.space.tangents()).array() +=
          max_magnitude * std::pow(std::abs(alpha), b.index - 1);
}

Correction CorrectionScale::measure(const double* corrections, int columns,
                                    const Eigen::VectorXd& weight, double kappa, bool first) {
  Correction c;
  c.negligible = c.noise = true;
  const int n = static_cast<int>(magnitude_.size());
  const double harmless = (first ? negligible_first_share : negligible_share) * kappa;
  double sum = 0.0, worst = -1.0;
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < n; ++i) {
      const double size = std::abs(corrections[j * n + i]), r = size / weight[i];
      c.negligible = c.negligible && size <= min_correction * magnitude_[i] + harmless * weight[i];
      c.noise = c.noise && (r <= kappa || size <= roundings * min_correction * noise_[i]);
      if (first && expected_ && size < max_held * std::abs(expected_[i]) &&
          std::abs(expected_[i]) > min_expected * weight[i])
        c.held = true;
      sum += r * r;
      if (r > worst) worst = r, c.worst = i;
    }
  c.size = std::sqrt(sum / (static_cast<double>(n) * columns));
  c.repeats = !first && repeats(corrections, columns, weight,
                                std::max(harmless_share * kappa, share_of_worst * worst));
  std::copy(corrections, corrections + n * columns, before_.data());
  return c;
}

bool CorrectionScale::repeats(const double* corrections, int columns, const Eigen::VectorXd& weight,
                              double harmless) const {
  const int n = static_cast<int>(magnitude_.size());
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < n; ++i) {
      const double move = corrections[j * n + i], before = before_[j * n + i];
      if (std::abs(move) <= std::max(harmless * weight[i], roundings * min_correction * noise_[i]))
        continue;
      if (move * before > 0.0 && move / before >= min_repetition && move / before <= max_repetition)
        return true;
    }
  return false;
}

}  // namespace daedalus
