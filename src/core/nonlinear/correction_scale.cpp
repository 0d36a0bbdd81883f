// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/correction_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "system/communicator.hpp"

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
constexpr double min_repeated = std::numeric_limits<double>::min();  // above 0, whatever the weight
// Share of an expected correction that says nothing was corrected, and the tolerances from which
// on it is missed: over the steps that one Jacobian serves a thousandth grows to one.
constexpr double max_held = 0.01, min_expected = 1e-3;
}  // namespace

CorrectionScale::CorrectionScale(const Layout& layout, int max_columns)
    : layout_(layout),
      magnitude_(Eigen::VectorXd::Zero(layout.tangents())),
      noise_(Eigen::VectorXd::Zero(layout.tangents())),
      // Of methods that may take more stages than they do: memory that nobody writes to costs
      // nothing.
      before_(layout.tangents() * max_columns) {
  for (const LayoutBlock& b : layout.blocks()) max_index_ = std::max(max_index_, b.index);
}

void CorrectionScale::prepare(const double* x, double alpha, const double* expected) {
  expected_ = expected;
  alpha_ = alpha;
  layout_.magnitude(x, magnitude_.data());
  noise_ = magnitude_;
  if (max_index_ < 2) return;
  max_magnitude_ = magnitude_.size() > 0 ? magnitude_.maxCoeff() : 0.0;
  // Over ranks the largest one is known after the first correction, which needs no noise.
  if (!layout_.communicator().shared()) add_index_noise();
}

void CorrectionScale::add_index_noise() {
  for (const LayoutBlock& b : layout_.blocks())
    if (b.index > 1)
      noise_.segment(b.tangent, b.space.tangents()).array() +=
          max_magnitude_ * std::pow(std::abs(alpha_), b.index - 1);
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
  Sums sums{sum, static_cast<double>(n) * columns, worst, 0.0};
  const bool shared = layout_.communicator().shared();
  const double of_worst = shared ? 0.0 : share_of_worst * worst;
  if (!first)
    sums.repeated =
        repeated(corrections, columns, weight, std::max(harmless_share * kappa, of_worst));
  if (shared) reduce(c, sums, first);
  c.size = std::sqrt(sums.square / sums.count);
  c.repeats = sums.repeated > (shared ? share_of_worst * sums.worst : 0.0);
  std::copy(corrections, corrections + n * columns, before_.data());
  return c;
}

void CorrectionScale::reduce(Correction& c, Sums& s, bool first) {
  double sums[] = {s.square, s.count};
  double maxima[] = {c.negligible ? 0.0 : 1.0, c.noise ? 0.0 : 1.0, c.held ? 1.0 : 0.0, s.repeated,
                     max_magnitude_};
  Communicator& ranks = layout_.communicator();
  if (!ranks.reduce(sums, maxima, &s.worst)) c.worst = -1;
  c.outcome = ranks.settle(Outcome::ok);
  s.square = sums[0];
  s.count = sums[1];
  c.negligible = maxima[0] == 0.0;
  c.noise = maxima[1] == 0.0;
  c.held = maxima[2] != 0.0;
  s.repeated = maxima[3];
  max_magnitude_ = maxima[4];
  if (first && max_index_ > 1) add_index_noise();
}

double CorrectionScale::repeated(const double* corrections, int columns,
                                 const Eigen::VectorXd& weight, double harmless) const {
  const int n = static_cast<int>(magnitude_.size());
  double largest = 0.0;
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < n; ++i) {
      const double move = corrections[j * n + i], before = before_[j * n + i];
      if (std::abs(move) <= std::max(harmless * weight[i], roundings * min_correction * noise_[i]))
        continue;
      if (move * before > 0.0 && move / before >= min_repetition && move / before <= max_repetition)
        largest = std::max({largest, std::abs(move) / weight[i], min_repeated});
    }
  return largest;
}

}  // namespace daedalus
