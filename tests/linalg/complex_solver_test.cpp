// SPDX-License-Identifier: BSD-3-Clause
// Complex systems with a real structure, dense, sparse and by blocks: residuals at round-off,
// pivots kept and chosen anew, rows in different units, singular columns named.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "linalg/complex_solver.hpp"
#include "linalg/multifrontal.hpp"

namespace daedalus::complex_solver_test {
namespace {

using Complex = std::complex<double>;

// Tridiagonal with a full last row and column.
SparsePattern arrow(int n) {
  SparsePattern p;
  p.rows = p.cols = n;
  p.start.push_back(0);
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < n; ++r)
      if (std::abs(r - c) <= 1 || r == n - 1 || c == n - 1) p.row.push_back(r);
    p.start.push_back(static_cast<int>(p.row.size()));
  }
  return p;
}

struct Random {
  std::mt19937 engine{7};
  double operator()() { return std::uniform_real_distribution<double>(-1.0, 1.0)(engine); }
};

// Largest |A x - b| over the largest |A| |x| of its row.
double residual(const SparsePattern& p, const std::vector<double>& a, const std::vector<double>& x,
                const std::vector<double>& b) {
  std::vector<Complex> sum(static_cast<std::size_t>(p.rows));
  std::vector<double> size(sum.size(), 1e-300);
  for (int c = 0; c < p.cols; ++c)
    for (int k = p.start[c]; k < p.start[c + 1]; ++k) {
      const Complex term = Complex(a[2 * k], a[2 * k + 1]) * Complex(x[2 * c], x[2 * c + 1]);
      sum[p.row[k]] += term;
      size[p.row[k]] += std::abs(term);
    }
  double worst = 0.0;
  for (int i = 0; i < p.rows; ++i)
    worst = std::max(worst, std::abs(sum[i] - Complex(b[2 * i], b[2 * i + 1])) / size[i]);
  return worst;
}

struct Kind {
  const char* name;
  std::unique_ptr<ComplexSolver> (*make)(const SparsePattern&);
};
const Kind kinds[] = {
    {"dense", [](const SparsePattern& p) { return make_complex_solver(p, true); }},
    {"sparse", [](const SparsePattern& p) { return make_complex_solver(p, false); }},
    {"multifrontal", make_complex_multifrontal_solver}};

TEST(ComplexSolver, SolvesToRoundOff) {
  Random random;
  for (const int n : {1, 2, 3, 7, 16, 33, 80})
    for (const Kind& kind : kinds) {
      const SparsePattern p = arrow(n);
      const auto solver = kind.make(p);
      for (int trial = 0; trial < 3; ++trial) {
        std::vector<double> a(2 * p.row.size()), b(2 * static_cast<std::size_t>(n));
        for (double& v : a) v = random();
        // Rows of a system of equations differ in their units.
        for (std::size_t k = 0; k < p.row.size(); ++k)
          for (int part = 0; part < 2; ++part)
            a[2 * k + part] *= std::pow(10.0, 6.0 * ((p.row[k] + trial) % 3));
        for (double& v : b) v = random();
        std::vector<double> x = b;
        ASSERT_TRUE(solver->factorise(a)) << n;
        solver->solve(x.data());
        EXPECT_LT(residual(p, a, x, b), 1e-12) << n << kind.name;
        x[0] += 1e-6;
        EXPECT_GT(residual(p, a, x, b), 1e-12) << "a wrong solution must be seen";
      }
    }
}

TEST(ComplexSolver, SaysWhatIsSingular) {
  for (const Kind& kind : kinds) {
    const SparsePattern p = arrow(4);
    const auto solver = kind.make(p);
    std::vector<double> a(2 * p.row.size(), 0.0);
    for (int c = 0; c < 4; ++c)
      for (int k = p.start[c]; k < p.start[c + 1]; ++k)
        if (c != 2 && p.row[k] == c) a[2 * k + 1] = 1.0 + c;
    EXPECT_FALSE(solver->factorise(a));
    EXPECT_EQ(solver->singular_column(), 2) << kind.name;
    a[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(solver->factorise(a));
    for (int c = 0; c < 4; ++c)
      for (int k = p.start[c]; k < p.start[c + 1]; ++k)
        a[2 * k] = 0.1, a[2 * k + 1] = c == p.row[k];
    EXPECT_TRUE(solver->factorise(a)) << "usable again";
  }
}

}  // namespace
}  // namespace daedalus::complex_solver_test
