// SPDX-License-Identifier: BSD-3-Clause
// Directions of index 2 and 3 of pencils in Weierstrass form with known ones: E = P diag(I, N) Q,
// J = -P diag(W, I) Q, W down to -1e6. Q x are the components.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <random>

#include "linalg/index_directions.hpp"

namespace daedalus {
namespace {

struct Pencil {
  Eigen::MatrixXd E, J, Q;
  std::vector<int> index;  // of the components
};

Eigen::MatrixXd mixing(std::mt19937& random, int n) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Eigen::MatrixXd M(n, n);
  for (double& v : M.reshaped()) v = uniform(random);
  const Eigen::MatrixXd U = Eigen::HouseholderQR<Eigen::MatrixXd>(M).householderQ();
  Eigen::VectorXd scale(n);
  for (double& s : scale) s = std::pow(10.0, uniform(random) / 2.0);  // condition 10 at most
  return U * scale.asDiagonal();
}

Pencil draw(unsigned seed, int index) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<int> blocks{index};
  while (blocks.size() < 3 && uniform(random) < 0.5)
    blocks.push_back(1 + static_cast<int>(uniform(random) * index));
  const int differential = 1 + static_cast<int>(uniform(random) * 4.0);
  int n = differential;
  for (const int b : blocks) n += b;
  Eigen::MatrixXd D = Eigen::MatrixXd::Identity(n, n), C = D;
  for (int i = 0; i < differential; ++i) C(i, i) = -std::pow(10.0, 6.0 * uniform(random));
  Pencil p;
  p.index.assign(static_cast<std::size_t>(n), 1);
  int at = differential;
  for (const int b : blocks)
    for (int i = 0; i < b; ++i, ++at) {
      D(at, at) = 0.0;
      if (i + 1 < b) D(at, at + 1) = 1.0;
      p.index[static_cast<std::size_t>(at)] = b - i;
    }
  const Eigen::MatrixXd P = mixing(random, n);
  p.Q = mixing(random, n).transpose();
  p.E = P * D * p.Q;
  p.J = -P * C * p.Q;
  return p;
}

// The largest part of a column in components below an index.
double leak(const Pencil& p, const Eigen::MatrixXd& columns, int min_index) {
  double worst = 0.0;
  const Eigen::MatrixXd parts = p.Q * columns;
  for (Eigen::Index j = 0; j < parts.cols(); ++j)
    for (Eigen::Index i = 0; i < parts.rows(); ++i)
      if (p.index[static_cast<std::size_t>(i)] < min_index)
        worst = std::max(worst, std::abs(parts(i, j)) / parts.col(j).norm());
  return worst;
}

long components_from(const Pencil& p, int min_index) {
  return std::count_if(p.index.begin(), p.index.end(), [&](int k) { return k >= min_index; });
}

TEST(IndexDirections, AreThoseOfTheWeierstrassForm) {
  // Round-off of rows with rates of 1e6 beside entries of size 1.
  constexpr double max_leak = 1e-8;
  for (int index = 1; index <= 3; ++index)
    for (unsigned seed = 1; seed <= 200; ++seed) {
      const Pencil p = draw(seed, index);
      const IndexDirections d = index_directions(p.E, p.J);
      ASSERT_EQ(d.index, index) << "seed " << seed;
      EXPECT_EQ(d.differentiated.cols(), components_from(p, 2)) << "seed " << seed;
      EXPECT_EQ(d.twice.cols(), components_from(p, 3)) << "seed " << seed;
      EXPECT_LT(leak(p, d.differentiated, 2), max_leak) << "seed " << seed;
      EXPECT_LT(leak(p, d.twice, 3), max_leak) << "seed " << seed;
      if (index == 3) {  // the test of the test: those of index 2 are no directions of index 3
        EXPECT_GT(leak(p, d.differentiated, 3), 0.01) << "seed " << seed;
      }
    }
}

TEST(IndexDirections, ARegularLeadingMatrixHasNone) {
  const IndexDirections d =
      index_directions(Eigen::MatrixXd::Identity(3, 3), Eigen::MatrixXd::Ones(3, 3));
  EXPECT_EQ(d.index, 0);
  EXPECT_EQ(d.differentiated.cols(), 0);
}

TEST(IndexDirections, LongerChainsAreTold) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const Pencil p = draw(seed, 4);
    EXPECT_EQ(index_directions(p.E, p.J).index, 4) << "seed " << seed;
  }
}

TEST(IndexDirections, ProjectorsAreOrthogonal) {
  const Pencil p = draw(7, 3);
  const Eigen::MatrixXd columns = index_directions(p.E, p.J).differentiated;
  const Eigen::MatrixXd T = projector_on_columns(columns);
  EXPECT_LT((T * T - T).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((T - T.transpose()).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((T * columns - columns).cwiseAbs().maxCoeff(), 1e-13 * columns.norm());
}

}  // namespace
}  // namespace daedalus
