// SPDX-License-Identifier: BSD-3-Clause
// The ways of solving [M G^T; G 0] along whole runs: equal trajectories, what is reported, and what
// happens with requests that do not suit the problem.
#include <gmock/gmock.h>

#include <catalogue/catalogue.hpp>

#include "multibody_structure/plates.hpp"

namespace daedalus::structure_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr LinearAlgebra every_way[] = {LinearAlgebra::dense, LinearAlgebra::sparse,
                                       LinearAlgebra::range_space, LinearAlgebra::null_space};
constexpr const char* names[] = {"dense", "sparse", "range-space", "null-space"};

Problem chain(const std::string& name, int n, double closed = 0.0) {
  return problems::find_problem(name)->problem({{"n", static_cast<double>(n)}, {"closed", closed}});
}

void expect_equal(const Problem& problem, const std::string& method, double h, int steps) {
  const Eigen::VectorXd automatic = end_of(run(problem, method, h, steps));
  for (std::size_t k = 0; k < 4; ++k) {
    const Solution s = run(problem, method, h, steps, every_way[k]);
    EXPECT_EQ(s.choice().linear_solver, names[k]);
    EXPECT_TRUE(s.warnings().empty()) << s.warnings().front();
    EXPECT_LE(difference(end_of(s), automatic), 1e-10) << method << ", " << names[k];
  }
  // Half the step is another trajectory: the comparison can fail.
  EXPECT_GT(difference(end_of(run(problem, method, 0.5 * h, 2 * steps)), automatic), 1e-10);
}

TEST(LinearAlgebraVariants, EqualTrajectoriesOfAndrews) {
  const Problem andrews = problems::find_problem("andrews")->problem();
  expect_equal(andrews, "rk4", 1e-4, 50);
  expect_equal(andrews, "half-explicit-euler", 1e-5, 200);
}

TEST(LinearAlgebraVariants, EqualTrajectoriesOfChains) {
  expect_equal(chain("chain-planar", 12), "rk4", 1e-3, 50);
  expect_equal(chain("chain-planar", 12, 1.0), "half-explicit-euler", 1e-3, 50);
  expect_equal(chain("chain-spatial", 12), "rk4", 1e-3, 50);
  expect_equal(plates(8), "rk4", 1e-3, 50);
  expect_equal(plates(8), "half-explicit-euler", 1e-3, 50);
}

// Unsymmetric systems in every stage, and corrections with the matrix of the last one.
TEST(LinearAlgebraVariants, EqualTrajectoriesOfHedop5) {
  expect_equal(problems::find_problem("andrews")->problem(), "hedop5", 2e-4, 30);
  expect_equal(chain("chain-planar", 12), "hedop5", 5e-3, 20);
}

// lambda follows from v through 0 = G v_{n+1}: round-off of v enters it as eps |v| / (h gamma),
// gamma the last coefficient of the constraint (index 2; Arnold 1998, section 2.2). No way of
// solving the linear systems changes that, and the number of links hardly counts: on the index-1
// form, with the same matrices, all ways agree up to round-off.
TEST(LinearAlgebraVariants, MultipliersFeelRoundOffOverTheStep) {
  const Problem links = chain("chain-planar", 100);
  const auto compared = [&](const char* method, double h, double bound) {
    const Solution s = run(links, method, h, 4, LinearAlgebra::sparse);
    const Eigen::VectorXd y = end_of(s), lambda = s.end().of(VariableClass::lambda);
    const double size = lambda.cwiseAbs().maxCoeff();
    double largest = 0.0;
    for (const LinearAlgebra way :
         {LinearAlgebra::dense, LinearAlgebra::range_space, LinearAlgebra::null_space}) {
      const Solution other = run(links, method, h, 4, way);
      const Eigen::VectorXd multipliers = other.end().of(VariableClass::lambda);
      const Eigen::Index differential = y.size() - lambda.size();
      EXPECT_LE(difference(end_of(other).head(differential), y.head(differential)), 1e-13)
          << method << " " << h;
      largest = std::max(largest, (multipliers - lambda).cwiseAbs().maxCoeff() / size);
    }
    EXPECT_LE(largest, bound) << method << " " << h;
    return largest;
  };
  constexpr double eps = 2.2e-16, v = 1.24, gamma = 3280.0 / 75413.0, lambda = 3.9;
  const auto expected = [](double h) { return eps * v / (h * gamma * lambda); };
  const double coarse = compared("hedop5", 1e-3, std::min(10.0 * expected(1e-3), 1e-10));
  const double fine = compared("hedop5", 1e-4, std::min(10.0 * expected(1e-4), 1e-10));
  EXPECT_GT(fine, 3.0 * coarse);
  compared("mdop5", 1e-4, 2e-13);
}

// Steps and orders that follow the tolerance are the same whatever solves the systems. The first
// steps of adams-index2 raise the order on estimates that are round-off (errors of 1e-4
// tolerances): were the ratios of its steps not powers of one factor, positions would differ by
// 1e-8.
TEST(LinearAlgebraVariants, EqualTrajectoriesWithErrorControl) {
  const Problem andrews = problems::find_problem("andrews")->problem();
  expect_equal(andrews, "adams-index2", 1e-4, 100);
  const auto positions = [&](const char* method, double tol, LinearAlgebra way) -> Eigen::VectorXd {
    const Solution s = solve(
        andrews, {0.0, 0.03},
        {.method = method, .rtol = tol, .atol = tol, .output = Output::end, .linear_algebra = way});
    EXPECT_TRUE(s.ok()) << s.message();
    return s.end().of(VariableClass::q);
  };
  for (const char* method : {"hedop5", "adams-index2"}) {
    const Eigen::VectorXd automatic = positions(method, 1e-8, LinearAlgebra::automatic);
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_LE(difference(positions(method, 1e-8, every_way[k]), automatic), 1e-10)
          << method << ", " << names[k];
    EXPECT_GT(difference(positions(method, 0.9e-8, LinearAlgebra::automatic), automatic), 1e-10);
  }
}

// Automatic: small systems as before, large sparse ones by sparse elimination. 2000 links run in
// the time that a dense matrix of this size would take to fill.
TEST(LinearAlgebraVariants, AutomaticTakesLargeChainsSparse) {
  EXPECT_EQ(run(chain("chain-planar", 5), "rk4", 1e-3, 1).choice().linear_solver, "range-space");
  const Solution s = run(chain("chain-planar", 2000), "rk4", 1e-5, 3);
  EXPECT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.choice().linear_solver, "sparse");
  EXPECT_LE(s.statistics().position_residual, 1e-12);
  EXPECT_LE(s.statistics().velocity_residual, 1e-11);
}

// M = diag(1, 1, 0) with a constraint that gives the third velocity a place.
MultibodyProblem massless() {
  MultibodyProblem p;
  p.name = "massless";
  p.space = euclidean(3);
  p.constraint_count = 1;
  p.mass = autodiff([](const auto&, const auto&, auto& M) {
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) M(r, c) = r == c && r < 2 ? 1.0 : 0.0;
  });
  p.force = autodiff([](const auto&, const auto& q, const auto&, auto& f) {
    f[0] = -q[0];
    f[1] = -2.0 * q[1];
    f[2] = 0.3;
  });
  p.constraint =
      autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[2] - q[0] * q[1] + 0.1; });
  p.q0 = Eigen::Vector3d(0.5, 0.2, 0.0);
  p.v0 = Eigen::Vector3d::Zero();
  return p;
}

TEST(LinearAlgebraVariants, SingularMass) {
  const Eigen::VectorXd expected = end_of(run(massless(), "rk4", 1e-2, 50, LinearAlgebra::dense));
  for (std::size_t k = 0; k < 4; ++k) {
    const Solution s = run(massless(), "rk4", 1e-2, 50, every_way[k]);
    EXPECT_LE(difference(end_of(s), expected), 1e-12) << names[k];
    if (every_way[k] == LinearAlgebra::range_space)
      EXPECT_THAT(s.warnings(),
                  Contains(AllOf(HasSubstr("linear_algebra"), HasSubstr("range-space"),
                                 HasSubstr("positive definite"))));
    else
      EXPECT_TRUE(s.warnings().empty()) << s.warnings().front();
  }
}

// The fourth joint is stated twice, once times three: its multiplier is not determined.
TEST(LinearAlgebraVariants, RedundantConstraintIsNamed) {
  MultibodyProblem p = plates(3);
  const auto g = p.constraint;
  p.constraint_count = 7;
  p.constraint = autodiff([](const auto&, const auto& q, auto& out) {
    using std::cos, std::sin;
    out[0] = q[0];
    out[1] = q[1];
    for (int i = 1; i < 3; ++i) {
      out[2 * i] = q[3 * i] - q[3 * i - 3] - length * cos(q[3 * i - 1]);
      out[2 * i + 1] = q[3 * i + 1] - q[3 * i - 2] - length * sin(q[3 * i - 1]);
    }
    out[6] = 0.3 * out[5] + 0.7 * out[2];
  });
  p.lambda_names = {"n1", "n2", "n3", "n4", "n5", "n6", "n7"};
  for (std::size_t k = 0; k < 4; ++k) {
    const Solution s = run(p, "rk4", 1e-3, 5, every_way[k]);
    EXPECT_EQ(s.status(), Status::singular_matrix) << names[k] << ": " << s.message();
    // Any of the three that depend on each other.
    EXPECT_THAT(s.message(), ::testing::ContainsRegex("does not determine 'n[367]'")) << names[k];
  }
  p.constraint_count = 6;
  p.constraint = g;
  p.lambda_names.pop_back();
  EXPECT_TRUE(run(p, "rk4", 1e-3, 5).ok());
}

TEST(LinearAlgebraVariants, UnsuitableRequests) {
  for (const LinearAlgebra way : {LinearAlgebra::range_space, LinearAlgebra::null_space}) {
    const std::string text = refusal([&] { run(plates(2), "bdf", 1e-3, 2, way); });
    EXPECT_THAT(text, AllOf(HasSubstr("linear_algebra"), HasSubstr("automatic")));
  }
  EXPECT_THAT(
      refusal([] { run(chain("chain-planar", 3000), "rk4", 1e-5, 1, LinearAlgebra::null_space); }),
      AllOf(HasSubstr("linear_algebra"), HasSubstr("null-space"), HasSubstr("3000")));
}

// Coulomb friction in a guide: f depends on lambda, the pattern of the matrix is full.
TEST(LinearAlgebraVariants, FrictionSaysThatItIsNotSparse) {
  MultibodyProblem p;
  p.name = "guide";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.force = autodiff([](const auto&, const auto&, const auto& v, const auto& lambda, auto& f) {
    f[0] = 1.0 - 0.2 * lambda[0] - 0.1 * v[0];
    f[1] = -1.0 - 0.1 * v[1];
  });
  p.constraint = autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[1] - 0.1 * q[0]; });
  p.q0 = p.v0 = Eigen::Vector2d::Zero();
  const Eigen::VectorXd expected = end_of(run(p, "rk4", 1e-2, 20, LinearAlgebra::dense));
  for (std::size_t k = 0; k < 4; ++k) {
    const Solution s = run(p, "rk4", 1e-2, 20, every_way[k]);
    EXPECT_LE(difference(end_of(s), expected), 1e-11) << names[k];
    EXPECT_EQ(s.warnings().empty(), every_way[k] != LinearAlgebra::sparse) << names[k];
  }
}

}  // namespace
}  // namespace daedalus::structure_test
