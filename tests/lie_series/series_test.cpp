// SPDX-License-Identifier: BSD-3-Clause
// Magnus terms, truncated dexp^-1 and Baker-Campbell-Hausdorff series against flows, exponentials
// and logarithms of matrices; misprints of the source as controls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include "lie_series/matrix_series.hpp"

#include <daedalus/types.hpp>

namespace daedalus::series_test {
namespace {

using lie::Matrix;
using lie::Series;
using matrix_series::Power;
using matrix_series::Term;
using matrix_series::Vectors;

double factorial(int r) { return r < 2 ? 1.0 : r * factorial(r - 1); }

std::vector<double> magnus(int r, const Vectors& v) {
  Series series(matrix_series::bracket_view());
  std::vector<double> mu(matrix_series::size);
  series.magnus(r, matrix_series::pointers(v).data(), mu.data());
  return mu;
}

TEST(Magnus, TermsAreThoseOfTheLogarithmOfTheFlow) {
  const Vectors v = matrix_series::random_matrices(7, 1);
  const Power nu = matrix_series::increment(v, 0.0, 1.0);
  const Power other = matrix_series::increment(v, 0.0, 1.0, true);
  for (int r = 1; r <= 7; ++r) {
    std::vector<double> mu = magnus(r, v);
    for (double& x : mu) x /= factorial(r);
    EXPECT_LT(matrix_series::distance(nu, r, mu), 1e-14) << r;
    // Multiplied from the other side, brackets with an even number of letters change their sign.
    if (r >= 3) {
      EXPECT_GT(matrix_series::distance(other, r, mu), 1e-3) << r;
    }
  }
}

TEST(Magnus, PrintedFormOfTheSixthTerm) {
  const Vectors v = matrix_series::random_matrices(6, 2);
  const auto printed = [&](double last) {
    return matrix_series::sum(v, {{{5}, 1.0},
                                  {{0, 4}, 2.0},
                                  {{1, 3}, 5.0 / 2},
                                  {{0, 0, 3}, 1.0 / 2},
                                  {{0, 1, 2}, 2.0},
                                  {{1, 0, 2}, -5.0 / 2},
                                  {{0, 0, 0, 2}, -1.0 / 2},
                                  {{0, 1, 0, 1}, -7.0 / 12},
                                  {{1, 0, 0, 1}, last}});
  };
  const std::vector<double> mu = magnus(6, v), right = printed(-5.0 / 12),
                            wrong = printed(5.0 / 12);
  double of_right = 0.0, of_wrong = 0.0;
  for (std::size_t l = 0; l < mu.size(); ++l) {
    of_right = std::max(of_right, std::abs(mu[l] - right[l]));
    of_wrong = std::max(of_wrong, std::abs(mu[l] - wrong[l]));
  }
  EXPECT_LT(of_right, 1e-12);
  EXPECT_GT(of_wrong, 1e-1);
}

const Space& bodies() {
  static const Space space = product({se3_space(), euclidean(2), so3_space(), s3_space()});
  return space;
}

Vectors random_tangents(int count, unsigned number) {
  Vectors out = matrix_series::random_matrices(count, number);
  for (auto& one : out) one.resize(static_cast<std::size_t>(bodies().tangents()));
  return out;
}

// Two half steps and a whole one reach the same point up to the first term left out.
double step_doubling_defect(int terms, double h) {
  const Space& space = bodies();
  const Vectors v = random_tangents(3, 3);  // v is a quadratic polynomial
  const std::vector<double> zero(v[0].size());
  const auto size = v[0].size();
  std::vector<double> start(static_cast<std::size_t>(space.points()));
  space.identity(start.data());
  Vectors middle = {v[0], v[1], v[2], zero, zero, zero, zero}, first = middle;
  for (std::size_t l = 0; l < size; ++l) {
    middle[0][l] = v[0][l] + 0.5 * h * v[1][l] + 0.125 * h * h * v[2][l];
    middle[1][l] = v[1][l] + 0.5 * h * v[2][l];
  }
  Series series(space);
  std::vector<double> w(size), whole(start.size()), halves(start.size());
  series.increment(terms, h, matrix_series::pointers(first).data(), w.data());
  space.plus(start.data(), w.data(), whole.data());
  series.increment(terms, 0.5 * h, matrix_series::pointers(first).data(), w.data());
  space.plus(start.data(), w.data(), halves.data());
  series.increment(terms, 0.5 * h, matrix_series::pointers(middle).data(), w.data());
  space.plus(halves.data(), w.data(), halves.data());
  space.minus(whole.data(), halves.data(), w.data());
  double out = 0.0;
  for (const double x : w) out = std::max(out, std::abs(x));
  return out;
}

TEST(Magnus, IncrementsOnGroupsHaveTheOrderOfTheFirstMissingTerm) {
  for (int terms = 2; terms <= 7; ++terms) {
    const double h = terms < 5 ? 0.1 : 0.5;
    const double order =
        std::log2(step_doubling_defect(terms, h) / step_doubling_defect(terms, 0.5 * h));
    EXPECT_NEAR(order, terms + 1, 0.35) << terms;
  }
}

TEST(TruncatedDexpinv, OrderAgainstTheTangentOperator) {
  const Space& space = bodies();
  const Vectors v = random_tangents(2, 4);
  const auto defect = [&](int k, double h, double sign) {
    Series series(space);
    std::vector<double> w = v[0], exact(w.size()), out(w.size());
    for (double& x : w) x *= h;
    space.tangent_inverse(w.data(), v[1].data(), exact.data());
    for (double& x : w) x *= sign;
    series.dexpinv(k, w.data(), v[1].data(), out.data());
    double largest = 0.0;
    for (std::size_t l = 0; l < w.size(); ++l)
      largest = std::max(largest, std::abs(out[l] - exact[l]));
    return largest;
  };
  const int order[] = {0, 1, 1, 2, 4, 4, 6};  // the odd Bernoulli numbers vanish
  for (int k = 1; k <= 6; ++k) {
    EXPECT_NEAR(std::log2(defect(k, 0.2, -1.0) / defect(k, 0.1, -1.0)), order[k], 0.1) << k;
    if (k >= 3) {
      EXPECT_NEAR(std::log2(defect(k, 0.02, 1.0) / defect(k, 0.01, 1.0)), 1.0, 0.1) << k;
    }
  }
}

// Central differences that are exact for polynomials of degree 6, at a step of order one.
template <class F>
Matrix differences(int size, const F& f) {
  Matrix out(size, size);
  const double weights[] = {0.75, -0.15, 1.0 / 60};
  for (int j = 0; j < size; ++j) {
    std::vector<double> column(static_cast<std::size_t>(size)), value(column.size());
    for (int i = 1; i <= 3; ++i)
      for (const int sign : {1, -1}) {
        f(j, sign * 0.5 * i, value.data());
        for (int l = 0; l < size; ++l)
          column[static_cast<std::size_t>(l)] +=
              sign * weights[i - 1] / 0.5 * value[static_cast<std::size_t>(l)];
      }
    for (int l = 0; l < size; ++l) out(l, j) = column[static_cast<std::size_t>(l)];
  }
  return out;
}

TEST(TruncatedDexpinv, DerivativesInBothArguments) {
  const std::pair<SpaceKind, Space> kinds[] = {{SpaceKind::so3, so3_space()},
                                               {SpaceKind::s3, s3_space()},
                                               {SpaceKind::se3, se3_space()},
                                               {SpaceKind::s3_semidirect, s3_semidirect_space()}};
  const Vectors v = matrix_series::random_matrices(2, 5);
  for (const auto& [kind, space] : kinds) {
    Series series(space);
    const int size = space.tangents();
    for (int k = 1; k <= 6; ++k) {
      Matrix d[2];
      lie::dexpinv_derivatives(kind, k, v[0].data(), v[1].data(), d[0], d[1]);
      for (const int which : {0, 1}) {
        const Matrix reference = differences(size, [&](int j, double change, double* out) {
          Vectors at = v;
          at[static_cast<std::size_t>(which)][static_cast<std::size_t>(j)] += change;
          series.dexpinv(k, at[0].data(), at[1].data(), out);
        });
        EXPECT_LT((d[which] - reference).cwiseAbs().maxCoeff(), 1e-13) << k << ' ' << which;
      }
      if (k != 6) continue;
      // As printed: A without 1/720, and 1 + A/60.
      Matrix H, of_w2, of_b;
      lie::hat(kind, v[0].data(), H);
      lie::hat(kind, v[1].data(), of_w2);
      const Matrix A = H * H, one = Matrix::Identity(size, size);
      const Eigen::VectorXd b = H * Eigen::Map<const Eigen::VectorXd>(v[1].data(), size);
      lie::hat(kind, b.data(), of_b);
      const Matrix printed_first = d[0] + (1.0 - 1.0 / 720) * A * (H * of_w2 + of_b);
      const Matrix printed_second = one - 0.5 * H * (one - H * (one + A / 60.0) / 6.0);
      const Matrix second = one - 0.5 * H * (one - H * (one - A / 60.0) / 6.0);
      EXPECT_GT((printed_first - d[0]).cwiseAbs().maxCoeff(), 1e-2);
      EXPECT_GT((printed_second - d[1]).cwiseAbs().maxCoeff(), 1e-4);
      EXPECT_LT((second - d[1]).cwiseAbs().maxCoeff(), 1e-14);
    }
  }
}

TEST(TruncatedBch, EveryOrderAddsTheNextHomogeneousPart) {
  const Vectors w = matrix_series::random_matrices(2, 6);
  const Power w1 = matrix_series::velocity({w[0]}, 0.0), w2 = matrix_series::velocity({w[1]}, 0.0);
  const Power exact = matrix_series::logarithm(
      matrix_series::product(matrix_series::exponential(w1), matrix_series::exponential(w2)));
  Series series(matrix_series::bracket_view());
  std::vector<double> before(matrix_series::size), now(before.size());
  for (int k = 2; k <= 6; ++k) {
    series.bch(k, w[0].data(), w[1].data(), now.data());
    std::vector<double> part = now;
    for (std::size_t l = 0; l < part.size(); ++l) part[l] -= before[l];
    before = now;
    if (k == 6) {
      // Of degree 5 one bracket is left out, which is O(h^7) where the arguments are nearly
      // parallel.
      EXPECT_GT(matrix_series::distance(exact, 5, part), 1e-4);
      const std::vector<double> c = matrix_series::sum(w, {{{0, 1}, 1.0}});
      const Vectors letters = {w[0], w[1], c};
      const std::vector<double> missing = matrix_series::sum(letters, {{{2, 1, 2}, -1.0 / 360}});
      for (std::size_t l = 0; l < part.size(); ++l) part[l] += missing[l];
    }
    EXPECT_LT(matrix_series::distance(exact, k - 1, part), 1e-13) << k;
    if (k == 6) {  // the text shows four w2 in this bracket, which makes it one of degree 6
      const std::vector<double> three = matrix_series::sum(w, {{{1, 1, 1, 0, 1}, 1.0 / 720}});
      const std::vector<double> four = matrix_series::sum(w, {{{1, 1, 1, 1, 0, 1}, 1.0 / 720}});
      for (std::size_t l = 0; l < part.size(); ++l) part[l] += four[l] - three[l];
      EXPECT_GT(matrix_series::distance(exact, 5, part), 1e-3);
    }
  }
}

TEST(LieSeries, ResultsMayReplaceArguments) {
  const Vectors v = random_tangents(7, 7);
  Series series(bodies());
  for (int k = 1; k <= 6; ++k) {
    std::vector<double> expected(v[0].size());
    Vectors w = v;
    series.dexpinv(k, v[0].data(), v[1].data(), expected.data());
    series.dexpinv(k, w[0].data(), w[1].data(), w[0].data());
    EXPECT_EQ(w[0], expected);
    series.bch(k, v[0].data(), v[1].data(), expected.data());
    series.bch(k, v[0].data(), w[1].data(), w[1].data());
    EXPECT_EQ(w[1], expected);
    w = v;
    series.magnus(k, matrix_series::pointers(v).data(), expected.data());
    series.magnus(k, matrix_series::pointers(w).data(), w[0].data());
    EXPECT_EQ(w[0], expected);
  }
}

TEST(LieSeries, VectorSpacesHaveNoBrackets) {
  const Space space = euclidean(3);
  Series series(space);
  const double a[] = {1.0, 2.0, 3.0}, b[] = {-1.0, 0.5, 4.0};
  double out[3];
  series.bch(6, a, b, out);
  EXPECT_EQ(out[2], 7.0);
  series.dexpinv(6, a, b, out);
  EXPECT_EQ(out[1], 0.5);
}

TEST(LieSeries, OrdersOutOfRangeAreNamed) {
  Series series{bodies()};
  double x = 0.0;
  const double* v = &x;
  EXPECT_THROW(series.magnus(8, &v, &x), InvalidArgument);
  EXPECT_THROW(series.bch(0, &x, &x, &x), InvalidArgument);
  EXPECT_THROW(series.dexpinv(7, &x, &x, &x), InvalidArgument);
}

}  // namespace
}  // namespace daedalus::series_test
