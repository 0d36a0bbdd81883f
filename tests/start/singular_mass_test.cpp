// SPDX-License-Identifier: BSD-3-Clause
// Consistent start values of M x' = f with a constant singular M: Steinebach (1988), section 9.2.
// What M sees of x is kept, Newton's method with damping finds the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include <catalogue/catalogue.hpp>
#include <daedalus/daedalus.hpp>

#include "formulation/separated_system.hpp"
#include "start/mass_kernel.hpp"

namespace daedalus::singular_mass_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::HasSubstr;

VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

Solution started(const Problem& p, StartStrategy strategy, const std::string& formulation = "auto",
                 const std::string& method = "rodas4", std::vector<std::string> fixed = {}) {
  Options o;
  o.method = method;
  o.formulation = formulation;
  o.start = strategy;
  o.fixed = std::move(fixed);
  if (method == "implicit-euler") o.fixed_step = 1e-3;
  return solve(p, {0.0, 0.0}, o);
}

// (9.9): [1 1; 1 1] y' = (y1 + y2, 2 y1 + 5). The difference of the rows, y1 - y2 + 5 = 0, is the
// algebraic equation; y1 + y2 is kept.
MassMatrixProblem linear_example(double y1, double y2) {
  MassMatrixProblem p;
  p.name = "linear";
  MatrixXd M(2, 2);
  M << 1, 1, 1, 1;
  p.mass_matrix = M.sparseView();
  p.rhs = autodiff([](const auto&, const auto& y, auto& f) {
    f[0] = y[0] + y[1];
    f[1] = 2.0 * y[0] + 5.0;
  });
  p.equations = {"first", "second"};
  p.y0 = vec({y1, y2});
  return p;
}

TEST(SingularMass, LinearExampleOfTheReport) {
  EXPECT_TRUE(started(linear_example(-1.0, 4.0), StartStrategy::automatic).ok());
  for (const double shift : {0.0, 2.0, -30.0}) {
    const Solution s = started(linear_example(1.0 + shift, 2.0 - shift), StartStrategy::solve);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_LT((s.start().y() - vec({-1.0, 4.0})).norm(), 1e-12) << shift;
  }
  const Solution refused = started(linear_example(1.0, 2.0), StartStrategy::automatic);
  EXPECT_EQ(refused.status(), Status::inconsistent_start);
  // f1 - f2 = 3 - 7 = -4.
  EXPECT_THAT(refused.message(), HasSubstr("'first - second' has residual -4"));
}

// Steady state without signal, from values far away along the null space of C: each pair of nodes
// behind a capacitor is moved by the same voltage, up to 0.5 V = 19 U_F.
TEST(SingularMass, AmplifierFindsItsSteadyState) {
  auto p = std::get<MassMatrixProblem>(problems::find_problem("transistor-amplifier")->problem());
  const VectorXd steady = vec({0.0, 2.9858192034520593, 2.8361593095881432, 3.1922022835077382,
                               2.9858192034520593, 2.8361593095881432, 3.1922022835077382, 0.0});
  p.y0 = steady;
  EXPECT_TRUE(started(p, StartStrategy::automatic).ok());
  const VectorXd moved = vec({0.2, 0.2, 0.0, -0.5, -0.5, 0.0, 0.5, 0.5});
  p.y0 = steady + moved;
  const Solution refused = started(p, StartStrategy::automatic);
  EXPECT_EQ(refused.status(), Status::inconsistent_start);
  const std::vector<std::string> names = p.equations;
  ASSERT_EQ(names.size(), 8u);
  EXPECT_THAT(refused.message(), HasSubstr("'" + names[0] + " + " + names[1] + "'"));
  for (const std::string formulation : {"auto", "separated"}) {
    const Solution s = started(p, StartStrategy::solve, formulation);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_LT((s.start().y() - steady).cwiseAbs().maxCoeff(), 1e-10) << formulation;
  }
}

TEST(SingularMass, RankOfTheAmplifier) {
  const auto p =
      std::get<MassMatrixProblem>(problems::find_problem("transistor-amplifier")->problem());
  const MatrixXd C = p.mass_matrix;
  const MassKernel k = mass_kernel(C, p.equations);
  EXPECT_EQ(k.rank, 5);
  EXPECT_EQ(k.rank, separate(C).rank);
  EXPECT_FALSE(k.unclear());
  EXPECT_LT((C.transpose() * k.basis).cwiseAbs().maxCoeff(), 1e-18);  // entries of C: 1e-6
  // Pairs of nodes, each with coefficients 1.
  EXPECT_EQ(k.basis.cwiseAbs().sum(), 6.0);
}

// Capacitances of 1e-18 beside inertias of 1: small is not zero. An unscaled decomposition says 2.
TEST(SingularMass, UnitsDoNotDecideTheRank) {
  MatrixXd M = MatrixXd::Zero(4, 4);
  M(0, 0) = M(0, 1) = M(1, 0) = 1.0;
  M(2, 2) = 1e-18;
  EXPECT_EQ(mass_kernel(M, {"a", "b", "c", "d"}).rank, 3);
  EXPECT_EQ(mass_kernel(M, {"a", "b", "c", "d"}).names, std::vector<std::string>{"d"});
  EXPECT_EQ(separate(M).rank, 2);
  M.setZero();
  EXPECT_EQ(mass_kernel(M, {"a", "b", "c", "d"}).rank, 0);
  EXPECT_EQ(mass_kernel(MatrixXd::Identity(3, 3), {"a", "b", "c"}).basis.cols(), 0);
}

TEST(SingularMass, AnUnclearRankIsReported) {
  MassMatrixProblem p = linear_example(-1.0, 4.0);
  EXPECT_TRUE(started(p, StartStrategy::automatic).warnings().empty());
  MatrixXd M(2, 2);
  M << 1, 1, 1, 1 + 1e-13;
  p.mass_matrix = M.sparseView();
  const Solution s = started(p, StartStrategy::automatic);
  ASSERT_EQ(s.warnings().size(), 1u) << s.message();
  EXPECT_THAT(s.warnings()[0], HasSubstr("rank 2 of the mass matrix is not clear"));
}

// xi' = f, 0 = g in coordinates turned on both sides: M = Q1 diag(S, 0) Q2^T, x = Q2 (xi; eta).
struct Rotated {
  MassMatrixProblem problem;
  MatrixXd right;
  VectorXd xi, eta;  // kept, and what must be found
};
Rotated rotated(double distance) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  const auto orthogonal = [&] {
    MatrixXd A(5, 5);
    for (double& a : A.reshaped()) a = normal(random);
    return MatrixXd(Eigen::HouseholderQR<MatrixXd>(A).householderQ());
  };
  const MatrixXd left = orthogonal(), right = orthogonal();
  Rotated r;
  r.right = right;
  r.xi = vec({0.4, -0.3, 0.7});
  // eta1 + eta1^3 = xi1 + xi2 + 9.9 and exp(eta2) + eta1 = xi3 + e + 1.3, so that eta = (2, 1).
  r.eta = vec({2.0, 1.0});
  MassMatrixProblem& p = r.problem;
  p.name = "rotated";
  p.mass_matrix = MatrixXd(left * vec({3.0, 1.0, 0.01, 0.0, 0.0}).asDiagonal() * right.transpose())
                      .sparseView();
  p.rhs = autodiff([left, right](const auto&, const auto& x, auto& f) {
    using std::exp;
    using S = std::decay_t<decltype(x[0] + 0.0)>;
    std::array<S, 5> u, v;
    for (int i = 0; i < 5; ++i) {
      u[static_cast<std::size_t>(i)] = S(0.0);
      for (int j = 0; j < 5; ++j)
        u[static_cast<std::size_t>(i)] = u[static_cast<std::size_t>(i)] + right(j, i) * x[j];
    }
    v[0] = u[3], v[1] = u[4], v[2] = -u[2];
    v[3] = u[3] + u[3] * u[3] * u[3] - u[0] - u[1] - 9.9;
    v[4] = exp(u[4]) + u[3] - u[2] - std::exp(1.0) - 1.3;
    for (int i = 0; i < 5; ++i) {
      S sum(0.0);
      for (int j = 0; j < 5; ++j) sum = sum + left(i, j) * v[static_cast<std::size_t>(j)];
      f[i] = sum;
    }
  });
  VectorXd u(5);
  u << r.xi, r.eta + distance * vec({1.0, -1.0});
  p.y0 = right * u;
  return r;
}

TEST(SingularMass, RotatedProblemKeepsWhatTheMassSees) {
  for (const double distance : {0.0, 0.5, 5.0}) {
    const Rotated r = rotated(distance);
    const Solution s = started(r.problem, StartStrategy::solve);
    ASSERT_TRUE(s.ok()) << s.message();
    const VectorXd u = r.right.transpose() * s.start().y();
    // Round-off over the smallest singular value, 0.01.
    EXPECT_LT((u.head(3) - r.xi).cwiseAbs().maxCoeff(), 1e-11) << distance;
    EXPECT_LT((u.tail(2) - r.eta).cwiseAbs().maxCoeff(), 1e-9) << distance;
    // The procedure of the report, with singular values, gives the same start.
    const Solution svd = started(r.problem, StartStrategy::solve, "separated");
    ASSERT_TRUE(svd.ok()) << svd.message();
    EXPECT_LT((svd.start().y() - s.start().y()).cwiseAbs().maxCoeff(), 1e-9) << distance;
    EXPECT_EQ(started(r.problem, StartStrategy::automatic).ok(), distance == 0.0);
  }
}

// One algebraic equation 0 = g(y, z) with y' = 0.
template <class G>
SemiExplicitProblem one_equation(G g, double y, double z) {
  SemiExplicitProblem p;
  p.name = "one equation";
  p.f = autodiff([](const auto&, const auto& v, const auto&, auto& f) { f[0] = 0.0 * v[0]; });
  p.g = autodiff([g](const auto&, const auto& v, const auto& w, auto& r) { r[0] = g(v[0], w[0]); });
  p.equations = {"rest", "balance"};
  p.y0 = vec({y});
  p.z0 = vec({z});
  return p;
}
// Newton's method without damping; the derivative by a small central difference.
template <class G>
double undamped(G g, double y, double z, int iterations) {
  for (int i = 0; i < iterations && std::isfinite(z); ++i)
    z -= g(y, z) * 2e-6 / (g(y, z + 1e-6) - g(y, z - 1e-6));
  return z;
}

TEST(DampedStart, FarAwayWhereNewtonAloneDiverges) {
  const auto arc = [](const auto& y, const auto& z) {
    using std::atan;
    return atan(z) - y;
  };
  EXPECT_FALSE(std::abs(undamped(arc, 0.1, 20.0, 20)) < 1e6);  // negative control
  // A diode in series with a resistor; the first correction overshoots into exp(1e6) = infinity.
  const auto diode = [](const auto& y, const auto& z) {
    using std::exp;
    return 1e-6 * (exp(z / 0.026) - 1.0) + 1e-3 * z - y;
  };
  EXPECT_FALSE(std::isfinite(undamped(diode, 50.0, 0.0, 200)));
  for (const std::string method : {"rodas4", "implicit-euler"}) {
    Solution s = started(one_equation(arc, 0.1, 20.0), StartStrategy::solve, "auto", method);
    ASSERT_TRUE(s.ok()) << method << s.message();
    EXPECT_NEAR(s.start().z()[0], std::tan(0.1), 1e-12);
    EXPECT_EQ(s.start().y()[0], 0.1);
    s = started(one_equation(diode, 50.0, 0.0), StartStrategy::solve, "auto", method);
    ASSERT_TRUE(s.ok()) << method << s.message();
    EXPECT_NEAR(diode(50.0, s.start().z()[0]), 0.0, 1e-9);
    // From far above the iteration descends by U_F at a time: 2 / 0.026 = 77 times and more.
    s = started(one_equation(diode, 1e-3, 2.0), StartStrategy::solve, "auto", method);
    ASSERT_TRUE(s.ok()) << method << s.message();
    EXPECT_NEAR(diode(1e-3, s.start().z()[0]), 0.0, 1e-13);
  }
}

TEST(DampedStart, UnsolvableEquationsAreNamed) {
  const auto circle = [](const auto& y, const auto& z) { return y * y + z * z - 1.0; };
  const auto exponential = [](const auto& y, const auto& z) {
    using std::exp;
    return exp(z) + y * y;
  };
  for (const std::string method : {"rodas4", "implicit-euler"}) {
    for (const Problem& p :
         {Problem(one_equation(circle, 2.0, 0.5)), Problem(one_equation(exponential, 1.0, 0.0))}) {
      const Solution s = started(p, StartStrategy::solve, "auto", method);
      EXPECT_EQ(s.status(), Status::inconsistent_start) << method << s.message();
      EXPECT_THAT(s.message(), HasSubstr("'balance' keeps residual")) << method;
      EXPECT_EQ(s.end().y()[0], std::get<SemiExplicitProblem>(p).y0[0]);
      EXPECT_EQ(s.end().z()[0], std::get<SemiExplicitProblem>(p).z0[0]);  // the given values
    }
  }
  // A derivative that vanishes at the guess: named, with the variable.
  const Solution s = started(one_equation(circle, 0.6, 0.0), StartStrategy::solve);
  EXPECT_EQ(s.status(), Status::inconsistent_start) << s.message();
  EXPECT_THAT(s.message(), HasSubstr("'balance'"));
  EXPECT_THAT(s.message(), HasSubstr("'z1'"));
}

TEST(DampedStart, ContradictoryEquationsAreNamed) {
  SemiExplicitProblem p;
  p.name = "contradiction";
  p.f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) { f[0] = y[0] + z[0]; });
  p.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
    g[0] = z[0] + z[1] - y[0];
    g[1] = z[0] + z[1] - 2.0 * y[0];
  });
  p.equations = {"motion", "sum", "double sum"};
  p.y0 = vec({1.0});
  p.z0 = vec({0.5, 0.5});
  for (const StartStrategy strategy : {StartStrategy::automatic, StartStrategy::solve}) {
    const Solution s = started(p, strategy);
    EXPECT_EQ(s.status(), Status::inconsistent_start) << s.message();
    EXPECT_THAT(s.message(), HasSubstr("'double sum'")) << s.message();
  }
  // Redundant but not contradictory: nothing is violated, the matrix is singular.
  p.y0 = vec({0.0});
  p.z0 = vec({0.5, -0.5});
  const Solution s = started(p, StartStrategy::automatic);
  EXPECT_EQ(s.status(), Status::singular_matrix) << s.message();
  // Everything fixed that could move.
  p = one_equation([](const auto& y, const auto& z) { return y - z * z; }, 1.0, 3.0);
  const Solution stuck = started(p, StartStrategy::solve, "auto", "rodas4", {"y1", "z1"});
  EXPECT_EQ(stuck.status(), Status::inconsistent_start) << stuck.message();
  EXPECT_THAT(stuck.message(), HasSubstr("'balance'"));
}

}  // namespace
}  // namespace daedalus::singular_mass_test
