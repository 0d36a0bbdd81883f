#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/at.hpp"
#include "methods/radau/engine.hpp"

namespace daedalus::radau {
namespace {
constexpr double epsilon = std::numeric_limits<double>::epsilon();
// Corrections below this share of a variable are rounding errors of the residual.
constexpr double round_off = 2e-15;
// Corrections that stop falling are rounding errors, which index 2 magnifies by 1/h: good enough
// below this part of the tolerance even if kappa asks for more.
constexpr double stagnation = 0.01, stagnated = 1e-3;
constexpr int most_for_given_steps = 40;
// One correction of some tolerances may be enough, a longer one never is.
constexpr double least_assumed = 3e-3;

// out.col(i) = factor sum_j matrix_ij in.col(j), four rows at a time so that -O2 keeps the sums in
// vector registers.
template <int Stages>
void combine_stages(const Table::Square& matrix, double factor, const Eigen::MatrixXd& in,
                    Eigen::MatrixXd& out) {
  const Eigen::Index n = in.rows();
  for (int i = 0; i < Stages; ++i) {
    double c[Stages];
    const double* from[Stages];
    for (int j = 0; j < Stages; ++j) {
      c[j] = factor * matrix[at(i)][at(j)];
      from[j] = in.col(j).data();
    }
    double* to = out.col(i).data();
    Eigen::Index m = 0;
    for (; m + 4 <= n; m += 4) {
      double sum[4];
      for (int lane = 0; lane < 4; ++lane) sum[lane] = c[0] * from[0][m + lane];
      for (int j = 1; j < Stages; ++j)
        for (int lane = 0; lane < 4; ++lane) sum[lane] += c[j] * from[j][m + lane];
      for (int lane = 0; lane < 4; ++lane) to[m + lane] = sum[lane];
    }
    for (; m < n; ++m) {
      double sum = c[0] * from[0][m];
      for (int j = 1; j < Stages; ++j) sum += c[j] * from[j][m];
      to[m] = sum;
    }
  }
}

void combine_stages(const Table& t, const Table::Square& matrix, double factor,
                    const Eigen::MatrixXd& in, Eigen::MatrixXd& out) {
  if (t.stages == 3) combine_stages<3>(matrix, factor, in, out);
  if (t.stages == 5) combine_stages<5>(matrix, factor, in, out);
  if (t.stages == 7) combine_stages<7>(matrix, factor, in, out);
}
}  // namespace

// Rounding errors of a variable reach those of higher index as differences of index - 1 fold: times
// alpha^(index - 1) (Arnold 1998, section 2.2).
void RadauStepper::find_noise(double alpha) {
  noise_ = magnitude_;
  if (largest_index_ < 2) return;
  const double largest = magnitude_.maxCoeff();
  for (const LayoutBlock& b : system_.layout.blocks())
    if (b.index > 1)
      noise_.segment(b.tangent, b.space.tangents()).array() +=
          largest * std::pow(alpha, b.index - 1);
}

// d(t, x) at the stages, relative to that at x_n.
Outcome RadauStepper::leading_values(const Table& t) {
  for (int i = 0; i < t.stages; ++i) {
    system_.layout.plus(current_.x.data(), z_.col(i).data(), x_.data());
    if (const Outcome o = view_.leading(t_ + t.c[at(i)] * h_, x_.data(), leading_.col(i).data());
        o != Outcome::ok)
      return o;
    leading_.col(i) -= d_start_;
  }
  return Outcome::ok;
}

// d' at a stage into dd_.
void RadauStepper::stage_rate(const Table& t, int stage) {
  const Eigen::MatrixXd& values = stated_ ? leading_ : z_;
  const Eigen::Index count = values.rows();
  dd_.setZero();
  for (int j = 0; j < t.stages; ++j)
    dd_.head(count) += (t.derivative[at(stage)][at(j)] / h_) * values.col(j);
  to_tangent(stage, dd_.data());
}

void RadauStepper::to_tangent(int stage, double* rate) const {
  if (!grouped_) return;
  for (const LayoutBlock& b : system_.layout.blocks())
    if (!b.space.is_euclidean())
      b.space.tangent(z_.col(stage).data() + b.tangent, rate + b.tangent, rate + b.tangent);
}

Outcome RadauStepper::residuals(const Table& t) {
  if (stated_)
    if (const Outcome o = leading_values(t); o != Outcome::ok) return o;
  // The corrections are used up, so that their place takes the rates.
  Eigen::MatrixXd& rates = g_;
  if (!stated_) combine_stages(t, t.derivative, 1.0 / h_, z_, rates);
  for (int i = 0; i < t.stages; ++i) {
    if (stated_)
      stage_rate(t, i);
    else
      to_tangent(i, rates.col(i).data());
    system_.layout.plus(current_.x.data(), z_.col(i).data(), x_.data());
    const double* const rate = stated_ ? dd_.data() : rates.col(i).data();
    if (const Outcome o = view_.residual(t_ + t.c[at(i)] * h_, x_.data(), rate, f_.col(i).data());
        o != Outcome::ok)
      return o;
  }
  return Outcome::ok;
}

// f_ holds the residuals and receives the corrections of the stages.
void RadauStepper::solve_blocks(const Table& t) {
  const Eigen::Index n = f_.rows();
  combine_stages(t, t.T_inverse, -1.0, f_, g_);
  view_.residual_pencil().solve(g_.col(0).data());
  for (int k = 0; k < t.pairs(); ++k) {
    double *re = g_.col(2 * k + 1).data(), *im = g_.col(2 * k + 2).data();
    for (Eigen::Index i = 0; i < n; ++i) {
      pair_rhs_[2 * i] = re[i];
      pair_rhs_[2 * i + 1] = im[i];
    }
    pairs_[at(k)]->solve(pair_rhs_.data());
    for (Eigen::Index i = 0; i < n; ++i) {
      re[i] = pair_rhs_[2 * i];
      im[i] = pair_rhs_[2 * i + 1];
    }
  }
  combine_stages(t, t.T, 1.0, g_, f_);
}

RadauStepper::Iteration RadauStepper::iterate(const Table& t, const Eigen::VectorXd& weight) {
  Iteration result;
  // Given steps cannot become smaller, and nothing but the method is to be seen in their results.
  const double kappa = prescribed_ ? 0.002 * configuration_.kappa : configuration_.kappa;
  const int most = prescribed_ ? most_for_given_steps : most_iterations(t.stages);
  const Eigen::Index n = f_.rows();
  double last = 0.0, first = 0.0, rate_before = 0.0;
  // A rate that is not measured again grows: matrices age with t even where they fit one step.
  ahead_ = std::pow(std::max(ahead_, least_assumed), 0.8);
  for (int k = 0; k < most; ++k) {
    if (result.outcome = residuals(t); result.outcome != Outcome::ok) return result;
    solve_blocks(t);
    system_.counter.now().newton_iterations += 1;
    result.count = k + 1;
    double sum = 0.0, worst = -1.0;
    bool negligible = true, noise = true;
    for (int i = 0; i < t.stages; ++i)
      for (Eigen::Index m = 0; m < n; ++m) {
        const double size = std::abs(f_(m, i)), r = size / weight[m];
        negligible = negligible && size <= round_off * magnitude_[m] + 1e-3 * kappa * weight[m];
        noise = noise && (r <= kappa || size <= 4.0 * round_off * noise_[m]);
        sum += r * r;
        if (r > worst) worst = r, result.culprit = {Culprit::Kind::variable, static_cast<int>(m)};
      }
    const double size = std::sqrt(sum / static_cast<double>(n * t.stages));
    if (!std::isfinite(size)) {
      result.outcome = Outcome::newton_failed;
      return result;
    }
    z_.leftCols(t.stages) += f_.leftCols(t.stages);
    if (k > 0) {
      // The first correction removes the error of the prediction and says little about the rest.
      const double rate = size / last;
      result.rate = k < 2 ? rate : std::sqrt(rate * rate_before);
      rate_before = rate;
      const bool low = size <= (prescribed_ ? 0.01 * stagnation : stagnation);
      if (rate >= 0.3 && (noise || (low && size <= stagnated * first))) negligible = true;
      if (rate >= 0.9 && low) negligible = true;
      const bool diverges = result.rate >= (k == 1 || prescribed_ ? 2.0 : 0.99);
      if (result.rate < 0.99) {
        ahead_ = result.rate / (1.0 - result.rate);
      } else {
        ahead_ = 100.0;
      }
      // What the iterations that are left would reach (Hairer, Wanner, (IV.8.11)).
      const double expected =
          ahead_ * size * std::pow(result.rate, most - 1 - result.count) / kappa;
      if (!negligible && (diverges || (k > 1 && !prescribed_ && expected >= 1.0))) {
        result.reduction = std::clamp(target_rate / result.rate, 0.2, 0.6);
        result.outcome = Outcome::newton_failed;
        return result;
      }
    } else {
      first = size;
    }
    // A rate from two corrections is too good where the first one removed most of the error.
    const double assumed = prescribed_ && k == 1 ? std::max(ahead_, 0.1) : ahead_;
    if (negligible || assumed * size <= kappa) return result;
    last = std::max(size, epsilon);
  }
  if (last > stagnation) result.outcome = Outcome::newton_failed;
  return result;
}

}  // namespace daedalus::radau
