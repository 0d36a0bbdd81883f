// SPDX-License-Identifier: BSD-3-Clause
// Start values and elimination orders of large sparse systems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <catalogue/catalogue.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/solve.hpp>

#include "formulation/lower.hpp"
#include "linalg/paired_ordering.hpp"
#include "start/consistent.hpp"
#include "start/rate_range.hpp"

namespace daedalus::sparse_start_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Pairs of capacitors without ground, [1 -1; -1 1], whose sums are algebraic equations, a chain of
// mass entries, and rows without derivatives.
MassMatrixProblem circuit(int cells) {
  const int n = 4 * cells;
  MassMatrixProblem p;
  p.name = "circuit";
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < cells; ++k) {
    const int i = 4 * k;
    entries.insert(entries.end(), {{i, i, 1.0},
                                   {i, i + 1, -1.0},
                                   {i + 1, i, -1.0},
                                   {i + 1, i + 1, 1.0},
                                   {i + 2, i + 2, 2.0 + k % 3}});
  }
  p.mass_matrix.resize(n, n);
  p.mass_matrix.setFromTriplets(entries.begin(), entries.end());
  p.rhs = autodiff([cells](const auto& t, const auto& y, auto& f) {
    using std::sin;
    for (int k = 0; k < cells; ++k) {
      const int i = 4 * k;
      f[i] = -y[i] + 0.1 * sin(t + k);
      f[i + 1] = -y[i + 1] - 0.2 * y[i + 2] + (k > 0 ? 0.1 * y[i - 1] : 0.0 * y[i]);
      f[i + 2] = y[i + 3] - y[i + 2];
      f[i + 3] = y[i + 3] + y[i + 3] * y[i + 3] * y[i + 3] - y[i + 2] - 0.5;
    }
  });
  p.y0 = VectorXd::Zero(n);
  for (int k = 0; k < cells; ++k) p.y0[4 * k + 3] = 0.4;
  return p;
}

struct Started {
  StartReport report;
  State state;
};
Started start(const Problem& problem, View view, LinearSolverKind kind, StartStrategy strategy) {
  LoweringOptions lowering;
  lowering.linear_algebra = kind;
  const auto shared = std::make_shared<const Problem>(problem);
  const auto system = lower(shared, "", view, lowering, 0.3);
  Started s;
  s.state = model_start(*system, problem, 0.3);
  StartRequest request;
  request.strategy = strategy;
  request.weight = VectorXd::Constant(system->layout.tangents(), 1e-6);
  system->prepare(s.state);
  s.report = make_consistent(*system, s.state, request);
  return s;
}

// Both ways meet the same equations and keep what the mass matrix sees; the sparse one finds the
// hidden sums of rows, too.
TEST(SparseStart, AgreesWithFullMatrices) {
  const Problem problem = circuit(120);
  for (const View view : {View::residual, View::linear}) {
    const Started full = start(problem, view, LinearSolverKind::dense, StartStrategy::solve);
    const Started sparse = start(problem, view, LinearSolverKind::sparse, StartStrategy::solve);
    ASSERT_EQ(full.report.status, Status::success) << full.report.message;
    ASSERT_EQ(sparse.report.status, Status::success) << sparse.report.message;
    EXPECT_LT((full.state.x - sparse.state.x).cwiseAbs().maxCoeff(), 1e-9) << to_string(view);
    // x' of variables without derivatives is not determined in the residual view.
    const VectorXd change = full.state.xd - sparse.state.xd;
    EXPECT_LT((std::get<MassMatrixProblem>(problem).mass_matrix * change).cwiseAbs().maxCoeff(),
              1e-9)
        << to_string(view);
    EXPECT_TRUE(sparse.report.changed);
    EXPECT_GT((sparse.state.x - std::get<MassMatrixProblem>(problem).y0).norm(), 0.1);
  }
}

TEST(SparseStart, NamesTheEquationsThatAreNotMet) {
  MassMatrixProblem p = circuit(120);
  const Started asked = start(p, View::linear, LinearSolverKind::sparse, StartStrategy::solve);
  p.y0 = asked.state.x;
  EXPECT_EQ(
      start(p, View::residual, LinearSolverKind::sparse, StartStrategy::automatic).report.status,
      Status::success);
  p.y0[403] += 0.01;
  const Started refused =
      start(p, View::residual, LinearSolverKind::sparse, StartStrategy::automatic);
  EXPECT_EQ(refused.report.status, Status::inconsistent_start);
  EXPECT_THAT(refused.report.message, ::testing::HasSubstr("'equation 404' has residual"));
}

TEST(SparseStart, RangesAreThoseOfTheWholeMatrix) {
  const MassMatrixProblem p = circuit(30);
  const MatrixXd M = p.mass_matrix;
  SparseMatrix m = p.mass_matrix;
  m.makeCompressed();
  const SparsePattern pattern{120,
                              120,
                              {m.outerIndexPtr(), m.outerIndexPtr() + 121},
                              {m.innerIndexPtr(), m.innerIndexPtr() + m.nonZeros()}};
  const auto range =
      RateRange::find(pattern, {m.valuePtr(), static_cast<std::size_t>(m.nonZeros())});
  ASSERT_TRUE(range);
  const MatrixXd W = range->kernel();
  EXPECT_EQ(W.cols(), 60);  // one sum and one row without derivatives per cell
  EXPECT_LT((W.transpose() * M).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((W.transpose() * W - MatrixXd::Identity(60, 60)).cwiseAbs().maxCoeff(), 1e-14);
  const VectorXd r = VectorXd::Random(120), x = range->least_squares(r);
  EXPECT_LT((M * x - (r - W * (W.transpose() * r))).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((x - daedalus::least_squares(M, r)).cwiseAbs().maxCoeff(), 1e-12);
}

// Each unknown without a diagonal entry comes directly after a neighbour that has one.
TEST(PairedOrdering, ZerosOfTheDiagonalFollowTheirPartners) {
  LoweringOptions lowering;
  lowering.linear_algebra = LinearSolverKind::sparse;
  const Problem problem = problems::find_problem("pde-2d")->problem({{"n", 12.0}});
  const auto system =
      lower(std::make_shared<const Problem>(problem), "", View::residual, lowering, 0.0);
  system->prepare(model_start(*system, problem, 0.0));
  const Pencil& pencil = system->residual_view()->residual_pencil();
  const SparsePattern p = unite(pencil.pattern_e(), pencil.pattern_j());
  const PairedOrdering found = paired_ordering(p);
  EXPECT_EQ(found.pairs, 12 * 12 - 1);
  ASSERT_EQ(static_cast<int>(found.order.size()), p.cols);
  std::vector<int> seen(found.order.size(), 0);
  for (std::size_t k = 0; k < found.order.size(); ++k) {
    const int c = found.order[k];
    ++seen[static_cast<std::size_t>(c)];
    if (p.find(c, c) >= 0) continue;
    ASSERT_GT(k, 0u);
    EXPECT_GE(p.find(found.order[k - 1], c), 0);
    EXPECT_GE(p.find(found.order[k - 1], found.order[k - 1]), 0);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), p.cols);
  EXPECT_EQ(paired_ordering(SparsePattern::identity(5)).pairs, 0);
}

}  // namespace
}  // namespace daedalus::sparse_start_test
