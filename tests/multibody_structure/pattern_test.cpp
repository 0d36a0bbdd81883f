// SPDX-License-Identifier: BSD-3-Clause
// G over its pattern: the same numbers as the dense one with a handful of evaluations, nothing
// quadratic in the size, branches that appear later, and the matrix that a stage lends to the
// projection.
#include <gmock/gmock.h>

#include <catalogue/catalogue.hpp>

#include "formulation/lower.hpp"
#include "multibody_structure/plates.hpp"
#include "nonlinear/accelerations.hpp"
#include "system/mechanical_view.hpp"
#include "system/system.hpp"

namespace daedalus::structure_test {
namespace {

struct Lowered {
  std::shared_ptr<const Problem> problem;
  std::unique_ptr<System> system;
  State at;
  MechanicalView* view;

  explicit Lowered(Problem p, LinearAlgebra way = LinearAlgebra::automatic)
      : problem(std::make_shared<const Problem>(std::move(p))) {
    LoweringOptions options;
    options.saddle_point = way;
    system = lower(problem, "index2", View::mechanical, options, 0.0);
    at = model_start(*system, *problem, 0.0);
    system->prepare(at);
    view = system->mechanical_view();
  }
  PieceMatrix constraint_matrix() {
    PieceMatrix G = view->make_constraint_matrix();
    EXPECT_EQ(view->constraint_matrix(view->point(0.0, at.x.data()), G), Outcome::ok);
    return G;
  }
};

MultibodyProblem chain(int n) {
  return std::get<MultibodyProblem>(
      problems::find_problem("chain-planar")->problem({{"n", static_cast<double>(n)}}));
}

// Blocks of a constant matrix are found; what is not block diagonal stays sparse.
TEST(MassPattern, BlocksOfAConstantMatrixAreFound) {
  const auto structure = [](const std::vector<std::pair<int, int>>& couplings) {
    MultibodyProblem p = plates(2);
    p.mass = {};
    p.mass_blocks.clear();
    p.mass_matrix.resize(6, 6);
    for (int i = 0; i < 6; ++i) p.mass_matrix.insert(i, i) = 1.0 + i;
    for (const auto& [r, c] : couplings) {
      p.mass_matrix.insert(r, c) = 0.1;
      p.mass_matrix.insert(c, r) = 0.1;
    }
    Lowered l(p);
    PieceMatrix M = l.view->make_mass();
    EXPECT_EQ(l.view->mass(l.view->point(0.0, l.at.x.data()), M), Outcome::ok);
    Eigen::MatrixXd full(6, 6);
    M.copy_to(full);
    EXPECT_TRUE(full == Eigen::MatrixXd(p.mass_matrix));
    return M;
  };
  EXPECT_EQ(structure({}).block_sizes(), std::vector<int>(6, 1));
  EXPECT_EQ(structure({{0, 1}, {3, 4}, {4, 5}, {3, 5}}).block_sizes(), (std::vector<int>{2, 1, 3}));
  EXPECT_EQ(structure({{0, 5}}).kind(), PieceMatrix::Kind::sparse);
}

TEST(ConstraintPattern, SparseAndDenseAgree) {
  for (const auto& [problem, entries] :
       {std::pair{Problem(chain(40)), 2 + 4 * 39}, {Problem(plates(30)), 2 + 29 * 6}}) {
    const PieceMatrix sparse = Lowered(problem).constraint_matrix();
    ASSERT_EQ(sparse.kind(), PieceMatrix::Kind::sparse);
    // Joint 1: x, y of its plate. Others: both points and the angle in between.
    EXPECT_EQ(static_cast<int>(sparse.values().size()), entries);
    MultibodyProblem plain = std::get<MultibodyProblem>(problem);
    // Differences along single velocities know nothing of patterns.
    const Function<slot::Position> g = plain.constraint;
    plain.constraint = [g](double t, In q, Out out) {
      Arguments<double> a;
      a.t = t;
      a.x[0] = q.data();
      a.n[0] = static_cast<int>(q.size());
      return g(a, out.data(), static_cast<int>(out.size()));
    };
    const PieceMatrix dense = Lowered(plain).constraint_matrix();
    ASSERT_EQ(dense.kind(), PieceMatrix::Kind::dense);
    Eigen::MatrixXd a(sparse.rows(), sparse.cols()), b = a;
    sparse.copy_to(a), dense.copy_to(b);
    EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 1e-8);
    // Negative control: a single entry left out would be seen.
    a(sparse.pattern().row[7], 3) = 0.0;
    EXPECT_GT((a - b).cwiseAbs().maxCoeff(), 1e-2);
  }
}

// Four columns meet in a row of the chain: one evaluation over dual numbers gives all of G.
TEST(ConstraintPattern, AHandfulOfEvaluations) {
  auto calls = std::make_shared<long>(0);
  MultibodyProblem p = chain(300);
  p.constraint = autodiff([calls](const auto&, const auto& q, auto& g) {
    ++*calls;
    using S = std::decay_t<decltype(g[0])>;
    for (int i = 0; i < 300; ++i) {
      S x = S(q[2 * i]), y = S(q[2 * i + 1]);
      if (i > 0) x = x - q[2 * i - 2], y = y - q[2 * i - 1];
      g[i] = 0.5 * 300.0 * (x * x + y * y) - 0.5 / 300.0;
    }
  });
  Lowered l(p);
  // 600 columns by groups: logarithmic, not one by one.
  EXPECT_LE(*calls, 60);
  *calls = 0;
  l.constraint_matrix();
  EXPECT_EQ(*calls, 1);
}

// A full matrix given by the user: used while small, not asked for when large.
TEST(ConstraintPattern, GivenMatrixOfALargeSystemIsNotEvaluated) {
  const auto with_matrix = [](int n, std::shared_ptr<long> calls) {
    MultibodyProblem p = chain(n);
    p.constraint_jacobian = [calls, n](double, In q, MatrixOut G) {
      ++*calls;
      G.setZero();
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < 2; ++k) {
          const double d = n * (q[2 * i + k] - (i > 0 ? q[2 * i - 2 + k] : 0.0));
          G(i, 2 * i + k) = d;
          if (i > 0) G(i, 2 * i - 2 + k) = -d;
        }
    };
    return p;
  };
  auto calls = std::make_shared<long>(0);
  EXPECT_EQ(Lowered(with_matrix(20, calls)).constraint_matrix().kind(), PieceMatrix::Kind::dense);
  EXPECT_GT(*calls, 0);
  *calls = 0;
  EXPECT_EQ(Lowered(with_matrix(250, calls)).constraint_matrix().kind(), PieceMatrix::Kind::sparse);
  EXPECT_EQ(*calls, 0);
}

// From t = 0.1 on the first link depends on the last mass: a velocity that the pattern of the start
// does not have.
MultibodyProblem late_coupling(double strength) {
  MultibodyProblem p = chain(12);
  p.acceleration_term = {};
  p.constraint_time_derivative = {};
  p.constraint = autodiff([strength](const auto& t, const auto& q, auto& g) {
    using S = std::decay_t<decltype(g[0])>;
    for (int i = 0; i < 12; ++i) {
      S x = S(q[2 * i]), y = S(q[2 * i + 1]);
      if (i > 0) x = x - q[2 * i - 2], y = y - q[2 * i - 1];
      g[i] = 6.0 * (x * x + y * y) - 0.5 / 12.0;
    }
    const S late = t - S(0.1);
    if (late > 0.0) g[0] = g[0] + strength * late * late * late * q[22];
  });
  return p;
}

TEST(ConstraintPattern, VelocityThatAppearsLaterIsCaught) {
  Options o{.method = "rk4", .rtol = 1e-7, .atol = 1e-7, .output = Output::end};
  o.max_step = 2e-3;
  o.projection = ProjectionWhen::every_step;
  const auto end = [&](double strength, LinearAlgebra way) {
    Options with = o;
    with.linear_algebra = way;
    const Solution s = solve(late_coupling(strength), {0.0, 0.3}, with);
    EXPECT_TRUE(s.ok()) << s.message();
    return std::pair{Eigen::VectorXd(s.end().y().head(48)), s.statistics()};
  };
  const auto [sparse, statistics] = end(1.0, LinearAlgebra::sparse);
  const auto [dense, of_dense] = end(1.0, LinearAlgebra::dense);  // so small: without a pattern
  // The step in which it appears is taken again with the right pattern.
  EXPECT_EQ(of_dense.projection_failures, 0);
  EXPECT_EQ(statistics.projection_failures, 1);
  EXPECT_LE(difference(sparse, dense), 1e-5);
  EXPECT_GT(difference(end(0.0, LinearAlgebra::dense).first, dense), 1e-4) << "no coupling to miss";
}

// The last stage stands at the trial (rk4) or near it: every projection takes its matrix.
TEST(StageMatrix, IsLentToTheProjection) {
  for (const char* method : {"rk4", "hedop5"}) {
    const Solution s = solve(plates(4), {0.0, 0.05},
                             {.method = method,
                              .projection = ProjectionWhen::every_step,
                              .output = Output::end,
                              .fixed_step = 1e-3});
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(s.statistics().projections, 50);
    EXPECT_EQ(s.statistics().in(Phase::projection).factorisations, 0) << method;
    EXPECT_LE(s.statistics().position_residual, 1e-11);
    EXPECT_LE(s.statistics().velocity_residual, 1e-10);
  }
}

TEST(StageMatrix, IsForgottenWithTheAttemptAndWithItsOwner) {
  Lowered l(plates(4));
  const Eigen::VectorXd weight = Eigen::VectorXd::Constant(l.system->layout.tangents(), 1e-6);
  const auto factorisations = [&](double off) {
    State trial = l.at;
    trial.x[2] += off;
    const long before = l.system->counter.now().factorisations;
    EXPECT_EQ(l.system->project(trial, weight, 0.0).outcome, Outcome::ok);
    return l.system->counter.now().factorisations - before;
  };
  EXPECT_EQ(factorisations(1e-5), 1);  // nothing lent yet
  {
    Accelerations stage(*l.view, l.system->counter);
    l.system->at_step(0, 0.0, 0.1);
    ASSERT_EQ(stage.solve(l.view->point(0.0, l.at.x.data())), Outcome::ok);
    EXPECT_EQ(factorisations(1e-5), 0);
    EXPECT_EQ(factorisations(0.2), 1);  // too far for the lent matrix: its own comes next
    l.system->at_step(1, 0.1, 0.1);
    EXPECT_EQ(factorisations(1e-5), 1);  // of an earlier attempt
    ASSERT_EQ(stage.solve(l.view->point(0.0, l.at.x.data())), Outcome::ok);
    EXPECT_EQ(factorisations(1e-5), 0);
  }
  EXPECT_EQ(factorisations(1e-5), 1);  // its owner is gone
}

// What is decided about a trial does not depend on what was projected before.
TEST(StageMatrix, DecisionsDoNotDependOnThePast) {
  const Eigen::VectorXd weight =
      Eigen::VectorXd::Constant(Lowered(plates(4)).system->layout.tangents(), 1e-4);
  const auto projected = [&](bool after_another) {
    Lowered l(plates(4));
    if (after_another) {
      State far = l.at;
      far.x[2] += 0.05;
      EXPECT_EQ(l.system->project(far, weight, 0.0).outcome, Outcome::ok);
    }
    State trial = l.at;
    trial.x[5] += 3e-5;
    l.system->project(trial, weight, 0.1);
    return trial.x;
  };
  EXPECT_TRUE(projected(false) == projected(true));
}

}  // namespace
}  // namespace daedalus::structure_test
