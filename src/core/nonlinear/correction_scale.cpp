#include "nonlinear/correction_scale.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {
// Nine units of round-off of a variable: what its residual row and one substitution leave.
constexpr double min_correction = 2e-15;
// Noise may be four times that: several rows add up.
constexpr double roundings = 4.0;
// A correction of a thousandth of what may remain changes no decision.
constexpr double negligible_share = 1e-3;
}  // namespace

CorrectionScale::CorrectionScale(const Layout& layout)
    : layout_(layout),
      magnitude_(Eigen::VectorXd::Zero(layout.tangents())),
      noise_(Eigen::VectorXd::Zero(layout.tangents())) {
  for (const LayoutBlock& b : layout.blocks()) max_index_ = std::max(max_index_, b.index);
}

void CorrectionScale::prepare(const double* x, double alpha) {
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
                                    const Eigen::VectorXd& weight, double kappa) const {
  Correction c;
  c.negligible = c.noise = true;
  const int n = static_cast<int>(magnitude_.size());
  double sum = 0.0, worst = -1.0;
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < n; ++i) {
      const double size = std::abs(corrections[j * n + i]), r = size / weight[i];
      c.negligible = c.negligible &&
                     size <= min_correction * magnitude_[i] + negligible_share * kappa * weight[i];
      c.noise = c.noise && (r <= kappa || size <= roundings * min_correction * noise_[i]);
      sum += r * r;
      if (r > worst) worst = r, c.worst = i;
    }
  c.size = std::sqrt(sum / (static_cast<double>(n) * columns));
  return c;
}

}  // namespace daedalus
