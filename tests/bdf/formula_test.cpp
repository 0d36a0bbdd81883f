// SPDX-License-Identifier: BSD-3-Clause
// The formulas on irregular grids: exact for polynomials up to the order and not beyond, constants
// on uniform grids as in the literature, the estimate exact for the next degree.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "methods/bdf/engine_formula.hpp"

namespace daedalus::bdf {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// times[0] = t_n, times[1] = t_{n-1}, ...; neighbouring steps differ by factors in [1/3, 3].
struct Grid {
  std::vector<double> times;
  double t_new = 0.0;
  explicit Grid(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> exponent(-1.0, 1.0);
    double h = 0.1, t = 2.0;
    t_new = t + h;
    for (int j = 0; j < max_values; ++j) {
      times.push_back(t);
      h *= std::pow(3.0, exponent(random));
      h = std::min(h, 0.5);
      t -= h;
    }
  }
};

double power(double t, int degree) { return std::pow(t - 1.7, degree); }
double slope(double t, int degree) { return degree == 0 ? 0.0 : degree * power(t, degree - 1); }

struct Step {
  Formula f;
  std::vector<double> phi;
  Step(const Grid& g, int count, int degree) : f(g.times.data(), count, g.t_new), phi(at(count)) {
    for (int i = 1; i < count; ++i)
      for (int j = 1; j <= i; ++j)
        phi[at(i)] += f.weight[at(i)][at(j)] * (power(g.times[at(j)], degree) - start(g, degree));
  }
  static double start(const Grid& g, int degree) { return power(g.times[0], degree); }
  double prediction(const Grid& g, int degree, int k) const {
    double x = start(g, degree);
    for (int i = 1; i <= k; ++i) x += phi[at(i)];
    return x;
  }
  // d' at the new time if the value there is exact.
  double derivative(const Grid& g, int degree, int k) const {
    double d = f.alpha[at(k)] * (power(g.t_new, degree) - prediction(g, degree, k));
    for (int i = 1; i <= k; ++i) d += f.alpha[at(i)] * phi[at(i)];
    return d / f.h;
  }
};

TEST(BdfFormula, IsExactUpToItsOrderAndNotBeyond) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Grid g(seed);
    for (int k = 1; k <= max_order; ++k)
      for (int degree = 0; degree <= k + 1; ++degree) {
        const Step s(g, k + 2, degree);
        const double error = std::abs(s.derivative(g, degree, k) - slope(g.t_new, degree));
        const double missed = std::abs(s.prediction(g, degree, k) - power(g.t_new, degree));
        if (degree <= k) {
          EXPECT_LT(error, 1e-9) << "order " << k << ", degree " << degree;
          EXPECT_LT(missed, 1e-10) << "order " << k << ", degree " << degree;
        } else {
          EXPECT_GT(error, 1e-9) << "order " << k;
          EXPECT_GT(missed, 1e-10) << "order " << k;
        }
      }
  }
}

// Tischendorf (1992), (4.4): h times the error of the derivative, exact for degree k + 1.
TEST(BdfFormula, EstimatesTheDefectOfTheNextDegreeExactly) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Grid g(seed);
    for (int k = 1; k <= max_order; ++k) {
      const Step s(g, k + 2, k + 1);
      const double e = power(g.t_new, k + 1) - s.prediction(g, k + 1, k);
      const double defect = s.f.h * (slope(g.t_new, k + 1) - s.derivative(g, k + 1, k));
      EXPECT_NEAR(s.f.defect_constant(k) * e, defect, 1e-10 * (1.0 + std::abs(defect)));
      EXPECT_NEAR(s.f.error_constant(k) * s.f.alpha[at(k)], s.f.defect_constant(k), 1e-15);
    }
  }
}

TEST(BdfFormula, HasTheKnownConstantsOnAUniformGrid) {
  std::vector<double> times;
  for (int j = 0; j < max_values; ++j) times.push_back(-0.25 * j);
  const double alpha[] = {0.0, 1.0, 3.0 / 2, 11.0 / 6, 25.0 / 12, 137.0 / 60, 147.0 / 60};
  const double weights[][6] = {{-1},
                               {-2, 1.0 / 2},
                               {-3, 3.0 / 2, -1.0 / 3},
                               {-4, 3, -4.0 / 3, 1.0 / 4},
                               {-5, 5, -10.0 / 3, 5.0 / 4, -1.0 / 5},
                               {-6, 15.0 / 2, -20.0 / 3, 15.0 / 4, -6.0 / 5, 1.0 / 6}};
  for (int k = 1; k <= max_order; ++k) {
    const Formula f(times.data(), k + 2, 0.25);
    EXPECT_NEAR(f.alpha[at(k)], alpha[k], 1e-13);
    EXPECT_NEAR(f.defect_constant(k), 1.0 / (k + 1), 1e-14);
    const Formula::Row d = f.derivative(k);
    for (int j = 0; j < k; ++j) EXPECT_NEAR(d[at(j)], weights[k - 1][j], 1e-11) << k << " " << j;
  }
}

// The interpolant meets the new value, the last one and k - 1 before it, and is exact in degree k.
TEST(BdfFormula, InterpolantIsExactUpToItsDegree) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Grid g(seed);
    for (int k = 1; k <= max_order; ++k) {
      const Formula f(g.times.data(), k, g.t_new);
      const auto c = f.powers(k);
      for (int degree = 1; degree <= k + 1; ++degree) {
        const auto value = [&](double t) {
          const double theta = (t - g.times[0]) / f.h;
          double w = 0.0;
          for (int p = 1; p <= k; ++p)
            for (int j = 0; j < k; ++j)
              w += std::pow(theta, p) * c[at(p)][at(j)] *
                   (power(j == 0 ? g.t_new : g.times[at(j)], degree) - power(g.times[0], degree));
          return power(g.times[0], degree) + w;
        };
        EXPECT_NEAR(value(g.t_new), power(g.t_new, degree), 1e-10);
        EXPECT_EQ(value(g.times[0]), power(g.times[0], degree));
        const double middle = g.times[0] + 0.4 * f.h;
        const double error = std::abs(value(middle) - power(middle, degree));
        if (degree <= k)
          EXPECT_LT(error, 1e-10);
        else
          EXPECT_GT(error, 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace daedalus::bdf
