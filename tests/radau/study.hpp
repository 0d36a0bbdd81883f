// SPDX-License-Identifier: BSD-3-Clause
// Radau IIA in long double with Newton's iteration to round-off: orders up to 13 leave no halving
// above the round-off of double. F(t, x, x') = 0 of at most five unknowns.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernel/radau_table.hpp"

namespace daedalus::radau_test {

using Real = long double;
using Table = kernel::RadauTable<Real>;
constexpr int max_unknowns = 5, max_equations = max_unknowns * Table::max_stages;
using Vector = std::array<Real, max_unknowns>;
using Large = std::array<Real, max_equations>;

struct Study {
  int size;
  void (*residual)(Real t, const Vector& x, const Vector& rate, Vector& r);
  void (*exact)(Real t, Vector& x);
};

// All stages of one step at once; Newton's matrix by differences of the relative length 1e-9, which
// makes it contract by about as much.
class Collocation {
 public:
  Collocation(const Table& table, const Study& study) : table_(table), study_(study) {}

  void step(Real t, Real h, Vector& x) {
    const int n = study_.size, s = table_.stages, total = n * s;
    // From the exact solution: problems of index 2 may have another one next to it.
    Large z{};
    for (int i = 0; i < s; ++i) {
      Vector near{};
      study_.exact(t + table_.c[i] * h, near);
      for (int m = 0; m < n; ++m) z[i * n + m] = near[m] - x[m];
    }
    static std::array<Large, max_equations> matrix, work;
    for (int iteration = 0; iteration < 14; ++iteration) {
      Large r = residuals(t, h, x, z);
      if (iteration < 6)
        for (int j = 0; j < total; ++j) {
          const Real size = 1e-9L;
          Large moved = z;
          moved[j] += size;
          const Large other = residuals(t, h, x, moved);
          for (int i = 0; i < total; ++i) matrix[i][j] = (other[i] - r[i]) / size;
        }
      work = matrix;
      kernel::detail::eliminate_and_solve<Real, Real>(work, r, total);
      for (int i = 0; i < total; ++i) z[i] -= r[i];
    }
    for (int i = 0; i < n; ++i) x[i] += z[(s - 1) * n + i];
    last_ = z;
  }

  // u(t_n + theta h) - x_n of the step before.
  Real polynomial(Real theta, int variable) const {
    Real sum = 0, factor = 1;
    for (int k = 0; k < table_.stages; ++k) {
      factor *= theta;
      for (int j = 0; j < table_.stages; ++j)
        sum += factor * table_.power[k][j] * last_[j * study_.size + variable];
    }
    return sum;
  }

 private:
  Large residuals(Real t, Real h, const Vector& x, const Large& z) const {
    const int n = study_.size, s = table_.stages;
    Large all{};
    for (int i = 0; i < s; ++i) {
      Vector at{}, rate{}, r{};
      for (int m = 0; m < n; ++m) {
        at[m] = x[m] + z[i * n + m];
        for (int j = 0; j < s; ++j) rate[m] += table_.derivative[i][j] * z[j * n + m] / h;
      }
      study_.residual(t + table_.c[i] * h, at, rate, r);
      for (int m = 0; m < n; ++m) all[i * n + m] = r[m];
    }
    return all;
  }

  const Table& table_;
  const Study& study_;
  Large last_{};
};

struct Slopes {
  Vector end{};      // per variable, largest error over the second half of the run
  Real dense = 0.0;  // of the first variable between the nodes
};

// Least squares over runs with the given numbers of steps on [0, length].
inline Slopes slopes(int stages, const Study& study, Real length, const std::vector<int>& counts) {
  const Table table(stages);
  std::vector<Vector> errors;
  std::vector<Real> dense;
  for (const int count : counts) {
    Collocation method(table, study);
    Vector x{}, truth{}, largest{};
    Real between = 0;
    study.exact(0, x);
    const Real h = length / count;
    for (int k = 0; k < count; ++k) {
      const Vector before = x;
      method.step(k * h, h, x);
      if (2 * k < count) continue;
      study.exact((k + 1) * h, truth);
      for (int m = 0; m < study.size; ++m)
        largest[m] = std::max(largest[m], std::abs(x[m] - truth[m]));
      study.exact((k + 0.4L) * h, truth);
      between = std::max(between, std::abs(before[0] + method.polynomial(0.4L, 0) - truth[0]));
    }
    errors.push_back(largest);
    dense.push_back(between);
  }
  const auto slope = [&](auto&& error_of) {
    Real n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const Real a = -std::log(static_cast<Real>(counts[i])), b = std::log(error_of(i));
      n += 1, sx += a, sy += b, sxx += a * a, sxy += a * b;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
  };
  Slopes result;
  for (int m = 0; m < study.size; ++m)
    result.end[m] = slope([&](std::size_t i) { return errors[i][m]; });
  result.dense = slope([&](std::size_t i) { return dense[i]; });
  return result;
}

// y1' = y2 z, y2' = -y1 z, 0 = z^3 + z (y1^2 + y2^2) - w^3 - w, w = 1 + sin(t) / 2;
// y = (sin phi, cos phi), z = w, phi = t + (1 - cos t) / 2.
inline Study index_1() {
  return {3,
          [](Real t, const Vector& x, const Vector& rate, Vector& r) {
            const Real w = 1 + std::sin(t) / 2, z = x[2];
            r[0] = rate[0] - x[1] * z;
            r[1] = rate[1] + x[0] * z;
            r[2] = z * z * z + z * (x[0] * x[0] + x[1] * x[1]) - w * w * w - w;
          },
          [](Real t, Vector& x) {
            const Real phi = t + (1 - std::cos(t)) / 2;
            x = {std::sin(phi), std::cos(phi), 1 + std::sin(t) / 2};
          }};
}

// y1' = y1 y2^2 z^2, y2' = y1^2 y2^2 - 3 y2^2 z, 0 = y1^2 y2 - 1; y = (e^t, e^-2t), z = e^2t
// (Jay 1993).
inline Study index_2() {
  return {3,
          [](Real, const Vector& x, const Vector& rate, Vector& r) {
            const Real y1 = x[0], y2 = x[1], z = x[2];
            r[0] = rate[0] - y1 * y2 * y2 * z * z;
            r[1] = rate[1] - (y1 * y1 * y2 * y2 - 3 * y2 * y2 * z);
            r[2] = y1 * y1 * y2 - 1;
          },
          [](Real t, Vector& x) {
            x = {std::exp(t), std::exp(-2 * t), std::exp(2 * t)};
          }};
}

// y1' = 2 y1 y2 z1 z2, y2' = -y1 y2 z2^2, z1' = (y1 y2 + z1 z2) u, z2' = -y1 y2^2 z2^2 u,
// 0 = y1 y2^2 - 1; y1 = z1 = e^2t, y2 = z2 = e^-t, u = e^t (Jay 1993).
inline Study index_3() {
  return {5,
          [](Real, const Vector& x, const Vector& rate, Vector& r) {
            const Real y1 = x[0], y2 = x[1], z1 = x[2], z2 = x[3], u = x[4];
            r[0] = rate[0] - 2 * y1 * y2 * z1 * z2;
            r[1] = rate[1] + y1 * y2 * z2 * z2;
            r[2] = rate[2] - (y1 * y2 + z1 * z2) * u;
            r[3] = rate[3] + y1 * y2 * y2 * z2 * z2 * u;
            r[4] = y1 * y2 * y2 - 1;
          },
          [](Real t, Vector& x) {
            x = {std::exp(2 * t), std::exp(-t), std::exp(2 * t), std::exp(-t), std::exp(t)};
          }};
}

}  // namespace daedalus::radau_test
