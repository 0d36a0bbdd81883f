// Consistent start values of index 2 and 3 from guesses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/autodiff.hpp>
#include <daedalus/solve.hpp>
#include <problems/catalogue.hpp>

#include "formulation/recorded_equations.hpp"
#include "index/models.hpp"
#include "start/jet.hpp"

namespace daedalus::index_start_test {
namespace {

using ::testing::HasSubstr;

Options solving(std::vector<std::string> fixed = {}) {
  Options o;
  o.start = StartStrategy::solve;
  o.fixed = std::move(fixed);
  o.rtol = 1e-8;
  o.atol = 1e-8;
  o.method = "bdf";
  return o;
}

Eigen::VectorXd start_of(const Problem& p, double t0, const Options& options) {
  const Solution s = solve(p, {t0, t0 + 1e-9}, options);
  EXPECT_EQ(s.status(), Status::success) << s.message();
  return s.state(0).y();
}

// x = 0.6 is fixed; y is determined up to its sign, u and v by the tangent, lambda by the forces:
// 2 lambda = u^2 + v^2 - 9.81 y on the unit circle.
TEST(ArrayStart, ImplicitPendulumOfIndexThree) {
  Eigen::VectorXd guess(5);
  guess << 0.6, -0.7, 0.5, 0.1, 0.0;
  const Eigen::VectorXd x =
      start_of(index_models::implicit_pendulum(guess), 0.0, solving({"x", "u"}));
  EXPECT_NEAR(x[0], 0.6, 1e-12);
  EXPECT_NEAR(x[1], -0.8, 1e-9);
  EXPECT_NEAR(x[2], 0.5, 1e-12);
  EXPECT_NEAR(x[3], 0.375, 1e-9);  // 0.6 * 0.5 = 0.8 v
  EXPECT_NEAR(x[4], 0.5 * (0.25 + 0.375 * 0.375 + 9.81 * 0.8), 1e-8);
}

// Both coordinates fixed off the circle: the length cannot be met, and is named.
TEST(ArrayStart, ConflictIsNamed) {
  Eigen::VectorXd guess(5);
  guess << 0.6, -0.7, 0.5, 0.1, 0.0;
  const Solution s = solve(index_models::implicit_pendulum(guess), {0.0, 1.0}, solving({"x", "y"}));
  EXPECT_EQ(s.status(), Status::inconsistent_start);
  EXPECT_THAT(s.message(), HasSubstr("'length'"));
  EXPECT_THAT(s.message(), HasSubstr("'x', 'y' fixed"));
}

TEST(ArrayStart, HessenbergChainOfIndexThree) {
  Problem p = index_models::hessenberg_chain(3, true);
  auto& chain = std::get<SemiExplicitProblem>(p);
  chain.y0.array() += 0.05;
  chain.z0.array() -= 0.1;
  const Eigen::VectorXd x = start_of(p, 0.2, solving());
  EXPECT_LT((x - index_models::chain_solution(3, 0.2)).cwiseAbs().maxCoeff(), 1e-8);
}

// Multibody systems given by positions: derivative arrays and the solver of the multibody form
// agree with the published values.
TEST(ArrayStart, AndrewsAndCarAxisFromPositions) {
  for (const char* name : {"andrews", "car-axis"}) {
    const problems::Entry& e = *problems::find_problem(name);
    const Problem reference = e.problem();
    Problem guess = reference;
    auto& m = std::get<MultibodyProblem>(guess);
    m.v0.setZero();
    m.lambda0.resize(0);
    const auto modes = std::make_shared<const std::vector<double>>();
    const auto equations = recorded_equations(std::make_shared<const Problem>(guess), modes);
    const auto& r = std::get<MultibodyProblem>(reference);
    const int nq = m.space.points(), nv = m.velocities(), nl = m.multipliers();
    JetSettings settings;
    settings.fixed.assign(static_cast<std::size_t>(nq + nv + nl), 0);
    for (int i = 0; i < nq; ++i) settings.fixed[static_cast<std::size_t>(i)] = 1;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(nq + nv + nl);
    x.head(nq) = m.q0;
    const Jet jet = solve_jet(*equations, e.t0, x, {}, settings);
    ASSERT_TRUE(jet.converged) << name;
    EXPECT_EQ(jet.reduction.index, 3) << name;
    const double size = 1.0 + r.v0.cwiseAbs().maxCoeff();
    EXPECT_LT((jet.x.col(0).segment(nq, nv) - r.v0).cwiseAbs().maxCoeff(), 1e-10 * size) << name;
    ASSERT_EQ(r.lambda0.size(), nl) << name;
    EXPECT_LT((jet.x.col(0).tail(nl) - r.lambda0).cwiseAbs().maxCoeff(),
              1e-10 * (1.0 + r.lambda0.cwiseAbs().maxCoeff()))
        << name;
  }
}

// Perturbed by 1e-2: initialised, and the run goes on.
TEST(ArrayStart, PerturbedCircuitsAndChemistry) {
  for (const char* name :
       {"transistor-amplifier", "ring-modulator", "ring-modulator-index2", "akzo"}) {
    const problems::Entry& e = *problems::find_problem(name);
    Problem p = e.problem();
    std::visit(
        [](auto& q) {
          if constexpr (requires { q.y0; })
            for (Eigen::Index i = 0; i < q.y0.size(); ++i)
              q.y0[i] +=
                  1e-2 * std::sin(1.0 + static_cast<double>(i)) * std::max(std::abs(q.y0[i]), 0.1);
          if constexpr (requires { q.z0; })
            for (Eigen::Index i = 0; i < q.z0.size(); ++i) q.z0[i] *= 1.01;
        },
        p);
    Options o;
    o.start = StartStrategy::solve;
    const Solution s = solve(p, {e.t0, e.t0 + 0.02 * (e.t_end - e.t0)}, o);
    EXPECT_EQ(s.status(), Status::success) << name << ": " << s.message();
  }
}

}  // namespace
}  // namespace daedalus::index_start_test
