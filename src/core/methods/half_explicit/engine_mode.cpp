// SPDX-License-Identifier: BSD-3-Clause
#include "methods/half_explicit/engine_mode.hpp"

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <utility>

#include "kernel/bracketing.hpp"

namespace daedalus::half_explicit {

std::complex<double> Mode::eigenvalue() const {
  const std::complex<double> root =
      std::sqrt(std::complex<double>(0.25 * damping * damping + spring));
  return damping > 0.0 ? 0.5 * damping + root : 0.5 * damping - root;
}

TestEquation::TestEquation(const HerkNumbers<double>& n, const std::vector<double>& embedded,
                           std::vector<double> carried, const std::vector<double>& coarse)
    : numbers_(n), carried_(std::move(carried)) {
  const auto s = static_cast<std::size_t>(n.stages);
  // K_i = z k_i(z), k_i = 1 + z sum_j a_ij k_j
  std::vector<std::vector<double>> k(s, std::vector<double>(s + 1, 0.0));
  for (std::size_t i = 0; i < s; ++i) {
    k[i][0] = 1.0;
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t d = 0; d <= j; ++d) k[i][d + 1] += n.a[i][j] * k[j][d];
  }
  estimate_.assign(s + 1, 0.0);
  if (!coarse.empty()) coarse_.assign(s + 1, 0.0);
  for (std::size_t j = 0; j < s; ++j) {
    const double weight = embedded[j] - (j < n.b.size() ? n.b[j] : 0.0);
    for (std::size_t d = 0; d <= j; ++d) {
      estimate_[d + 1] += weight * k[j][d];
      if (!coarse.empty()) coarse_[d + 1] += coarse[j] * k[j][d];
    }
  }
}

double TestEquation::estimate(std::complex<double> z) const {
  const auto value = [z](const std::vector<double>& polynomial) {
    std::complex<double> sum = 0.0;
    for (std::size_t d = polynomial.size(); d-- > 0;) sum = sum * z + polynomial[d];
    return std::abs(sum);
  };
  const double fine = value(estimate_);
  if (coarse_.empty() || fine == 0.0) return fine;
  return fine * fine / std::hypot(fine, 0.1 * value(coarse_));
}

double TestEquation::growth(Mode m) const {
  const HerkNumbers<double>& n = numbers_;
  const auto force = [&](double q, double v) { return m.spring * q + m.damping * v; };
  Eigen::Matrix3d step;
  // Room for every half-explicit table.
  constexpr int max_stages = 16;
  for (int column = 0; column < 3; ++column) {
    std::array<double, max_stages> rate{}, turn{};  // q' and v' of the stages
    const Eigen::Vector3d x = Eigen::Vector3d::Unit(column);
    const double defect = x[2] - force(x[0], x[1]);
    const auto sum = [&](const std::vector<double>& weights, std::size_t count) {
      Eigen::Vector3d y = x;
      for (std::size_t j = 0; j < count; ++j) {
        y[0] += weights[j] * rate[j];
        y[1] += weights[j] * turn[j];
      }
      return y;
    };
    Eigen::Vector3d y = x;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n.stages); ++i) {
      y = sum(n.a[i], i);
      rate[i] = y[1];
      turn[i] = i == 0 && n.explicit_first
                    ? x[2]
                    : force(y[0], y[1]) + (carried_.empty() ? 0.0 : carried_[i] * defect);
    }
    if (!n.first_same_as_last) y = sum(n.b, static_cast<std::size_t>(n.weights));
    y[2] = 0.0;
    for (std::size_t j = 0; j < n.d.size(); ++j) y[2] += n.d[j] * turn[j];
    step.col(column) = y;
  }
  // The spectral radius from the norm of a high power.
  constexpr int squarings = 16;
  double logarithm = 0.0, power = 1.0;
  for (int i = 0; i <= squarings; ++i) {
    const double norm = step.norm();
    if (!(norm > 0.0)) return 0.0;
    logarithm += std::log(norm) / power;
    step /= norm;
    step = (step * step).eval();
    power *= 2.0;
  }
  return std::exp(logarithm);
}

double TestEquation::boundary(Mode m) const {
  // Growth of 1e-4 a step doubles an error in 7000 steps; the boundary is wanted to three digits.
  constexpr double noticeable = 1e-4, finest = 1e-3;
  const double size = std::abs(m.eigenvalue());
  const auto grows = [&](double r) { return growth(m.in_units_of(r / size)) > 1.0 + noticeable; };
  double inside = 0.0, outside = 0.05;
  // Boundaries of explicit methods of these orders lie between 1 and 10.
  constexpr double ratio = 1.05, end = 20.0;
  while (outside < end && !grows(outside)) inside = outside, outside *= ratio;
  halve(
      inside, outside, [&](double r) { return !grows(r); }, 100, finest);
  return outside;
}

}  // namespace daedalus::half_explicit
