// SPDX-License-Identifier: BSD-3-Clause
// What changes of the step size do: bounds on ratios and random sequences.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include <daedalus/lie/multistep.hpp>
#include <daedalus/types.hpp>
#include "kernel/bracketing.hpp"
#include "lie/multistep_random.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus::lie {

namespace {

// The last point from 1 towards `end` up to which `holds` is true: a walk for the first failure,
// then bisection.
template <class Predicate>
double last_true(double end, const Predicate& holds) {
  constexpr int steps = 2000;  // of the walk; bisection refines the one where the property ends
  double good = 1.0, bad = end;
  for (int i = 1;; ++i) {
    if (i > steps) return end;
    bad = 1.0 + (end - 1.0) * i / steps;
    if (!holds(bad)) break;
    good = bad;
  }
  halve(good, bad, holds, 50);
  return good;
}

void require_rho(double rho, int approximation) {
  if (!(rho >= 0.0 && rho < 1.0))
    throw InvalidArgument("rho: " + std::to_string(rho) + "; allowed is 0 <= rho < 1");
  if (approximation < 1 || approximation > 4)
    throw InvalidArgument("approximation: " + std::to_string(approximation) + "; allowed are 1..4");
}

// Largest modulus of the roots of sum_i alpha_i z^(k-i) without the root 1: those of the
// increments, sum_i gamma_i z^(k-i), i = 1..k.
double parasitic_root(int k, double sigma) {
  double steps[6] = {1.0};
  for (int i = 1; i < k; ++i) steps[i] = steps[i - 1] / sigma;
  const BdfFormula f = bdf_formula(k, steps);
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(k - 1, k - 1);
  for (int i = 0; i < k - 1; ++i) companion(0, i) = -f.gamma[i + 2] / f.gamma[1];
  for (int i = 1; i < k - 1; ++i) companion(i, i - 1) = 1.0;
  const PencilEigenvalues e =
      pencil_eigenvalues(companion, Eigen::MatrixXd::Identity(k - 1, k - 1));
  return (e.alpha.cwiseAbs().array() / e.beta.array().abs()).maxCoeff();
}

void require_sequence(const StepSequence& s) {
  if (!(s.h_min > 0.0 && s.h_max >= s.h_min))
    throw InvalidArgument("h_min, h_max: " + std::to_string(s.h_min) + ", " +
                          std::to_string(s.h_max) + "; allowed is 0 < h_min <= h_max");
  if (!(s.sigma_min > 0.0 && s.sigma_max >= s.sigma_min))
    throw InvalidArgument("sigma_min, sigma_max: " + std::to_string(s.sigma_min) + ", " +
                          std::to_string(s.sigma_max) + "; allowed is 0 < sigma_min <= sigma_max");
  if (s.hold < 1)
    throw InvalidArgument("hold: " + std::to_string(s.hold) + "; allowed is 1 or more");
}

struct StepSource {
  explicit StepSource(const StepSequence& s)
      : sequence(s), random(s.number), h(std::sqrt(s.h_min) * std::sqrt(s.h_max)) {}

  double next() {
    if (i > 0 && i >= sequence.equal_start && (i - 1) % sequence.hold == 0) {
      const double sigma = random.uniform(sequence.sigma_min, sequence.sigma_max);
      h = std::max(sequence.h_min, std::min(sigma * h, sequence.h_max));
    }
    ++i;
    return h;
  }

  const StepSequence& sequence;
  PortableRandom random;
  double h;
  int i = 0;
};

}  // namespace

double transfer_norm(double rho, int approximation, double sigma, double next) {
  require_rho(rho, approximation);
  const double difference = (rho - 1.0) / (rho + 1.0);  // alpha_m - alpha_f
  const double alpha_m = (2.0 * rho - 1.0) / (rho + 1.0), alpha_f = rho / (rho + 1.0);
  const double gamma = 0.5 + alpha_f - alpha_m, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  double a[4] = {-1.0, 1.0, 0.0, 0.0};  // v''_n from v'_n, v'_{n+1}, a_n, a_{n+1}; (4.9)
  if (approximation == 1) {
    a[2] = sigma / difference;
    a[0] = -a[2], a[1] = 0.0;
  } else if (approximation == 2) {
    a[2] = sigma / (difference - sigma);
    a[1] = -a[2], a[0] = 0.0;
  } else if (approximation == 3) {
    a[3] = sigma / (sigma + (sigma - 1.0) * difference);
    a[2] = -a[3], a[0] = a[1] = 0.0;
  }
  const double w = 1.0 - 1.0 / sigma;
  double bc[4], bd[4];
  for (int i = 0; i < 4; ++i) {
    const double b = (1.0 - 1.0 / (sigma * sigma)) * (1.0 / 6 - 0.5 * difference - beta) * a[i];
    bc[i] = b + (0.5 - beta) * w * difference * a[i];
    bd[i] = b + (1.0 - gamma) * w * difference * a[i];
  }
  const double of_new = 1.0 - alpha_m * (1.0 - difference * a[3] * w);
  const double of_old = -alpha_m * (1.0 + difference * a[2] * w);
  Eigen::Matrix3d ahead, behind;
  ahead << 0.0, bc[1], -(bc[3] + beta), next, bd[1], -(bd[3] + gamma), 0.0,
      1.0 - alpha_f - alpha_m * difference * a[1] * w, of_new;
  behind << 1.0, -bc[0], bc[2] + 0.5 - beta, 1.0, -bd[0], bd[2] + 1.0 - gamma, 0.0,
      -alpha_f + alpha_m * difference * a[0] * w, of_old;
  Eigen::Matrix4d transfer = Eigen::Matrix4d::Zero();
  transfer(0, 0) = of_old / of_new;
  transfer.bottomRightCorner<3, 3>() = ahead.inverse() * behind;
  const double plus = 1.0 + rho, minus = rho - 1.0;
  Eigen::Matrix4d
      basis;  // of Jordan's form at sigma = 1, columns scaled by powers of (1 - rho) / 2
  basis << 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5 / (plus * plus),
      0.5 * rho / (minus * plus * plus * plus), 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0 / (plus * minus),
      (2.0 - rho) / (plus * plus * minus * minus);
  double scale = 1.0;
  for (int i = 0; i < 4; ++i) {
    basis.col(i) *= scale;
    scale *= -0.5 * minus;
  }
  return (basis.inverse() * transfer * basis).cwiseAbs().rowwise().sum().maxCoeff();
}

// For fixed sigma_n every entry of the transfer matrix is affine in 1 / sigma_{n+1}, hence the norm
// is largest at an end of the interval of sigma_{n+1}.
SigmaBounds sigma_bounds(double rho, int approximation, bool independent_ratios) {
  require_rho(rho, approximation);
  constexpr double low = 0.05, high = 20.0;  // step ratios that are looked at: more is a restart
  const auto below = [&](double sigma, double next) {
    return transfer_norm(rho, approximation, sigma, next) < 1.0;
  };
  SigmaBounds out;
  out.lower = last_true(low, [&](double s) { return below(s, s); });
  if (!independent_ratios) {
    out.upper = last_true(high, [&](double s) { return below(s, s); });
    return out;
  }
  out.upper = last_true(high, [&](double s) { return below(s, out.lower) && below(s, s); });
  out.lower = std::max(out.lower, last_true(low, [&](double s) { return below(s, out.upper); }));
  return out;
}

double bdf_ratio_bound(int k) {
  if (k < 2 || k > 6) throw InvalidArgument("k: " + std::to_string(k) + "; allowed are 2..6");
  return last_true(4.0, [k](double sigma) { return parasitic_root(k, sigma) <= 1.0; });
}

std::vector<double> random_steps(const StepSequence& sequence, int count) {
  require_sequence(sequence);
  StepSource source(sequence);
  std::vector<double> steps(static_cast<std::size_t>(std::max(count, 0)));
  for (double& h : steps) h = source.next();
  return steps;
}

std::vector<double> random_steps_over(const StepSequence& sequence, double length) {
  require_sequence(sequence);
  if (!(length > 0.0))
    throw InvalidArgument("length: " + std::to_string(length) + "; allowed is a positive number");
  StepSource source(sequence);
  std::vector<double> steps;
  double sum = 0.0;
  while (sum < length * (1.0 - 1e-12)) {
    steps.push_back(source.next());
    sum += steps.back();
  }
  for (double& h : steps) h *= length / sum;
  return steps;
}

}  // namespace daedalus::lie
