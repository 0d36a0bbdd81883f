// SPDX-License-Identifier: BSD-3-Clause
// MassMatrixProblem: M constant and singular, M(t), M(t, y); given Jacobians; plain callables.
#include "forms/support.hpp"

namespace daedalus {
namespace {

using namespace forms_test;

SparseMatrix sparse(const Eigen::MatrixXd& M) { return M.sparseView(); }

// y1 = cos t, y2 = sin t. M = [1 1; 1 1] has no zero row; the difference of the rows is the
// algebraic equation y1 = cos t.
MassMatrixProblem no_zero_rows() {
  MassMatrixProblem p;
  p.name = "no-zero-rows";
  p.mass_matrix = sparse(Eigen::MatrixXd::Ones(2, 2));
  p.rhs = autodiff([](const auto& t, const auto& y, auto& f) {
    using std::cos;
    f[0] = y[0] - y[1];
    f[1] = y[0] - y[1] + (y[0] - cos(t));
  });
  p.y0 = vec({1.0, 0.0});
  return p;
}

TEST(ConstantMass, SingularWithoutZeroRows) {
  const VectorXd exact = vec({std::cos(2.0), std::sin(2.0)});
  EXPECT_LT(distance(end_of(no_zero_rows(), {0.0, 2.0}, tight("rodas4")), exact), 1e-7);
  EXPECT_NEAR(ratio(no_zero_rows(), {0.0, 2.0}, fixed("implicit-euler", 0.01), exact, 1, 1), 2.0,
              0.1);
  EXPECT_NEAR(ratio(no_zero_rows(), {0.0, 2.0}, fixed("rodas4", 0.1), exact, 0, 2), 16.0, 4.0);
}

// The same M as a callable is recognised as constant.
TEST(ConstantMass, GivenAsACallable) {
  MassMatrixProblem p = no_zero_rows();
  p.mass_matrix = SparseMatrix();
  p.mass = autodiff([](const auto&, const auto&, auto& M) {
    for (int i = 0; i < 4; ++i) M(i % 2, i / 2) = 1.0;
  });
  EXPECT_LT(distance(end_of(p, {0.0, 2.0}, tight("rodas4")),
                     end_of(no_zero_rows(), {0.0, 2.0}, tight("rodas4"))),
            1e-13);
  p.mass = [](double, In, MatrixOut M) { M.setOnes(); };
  EXPECT_LT(distance(end_of(p, {0.0, 2.0}, tight("rodas4")),
                     end_of(no_zero_rows(), {0.0, 2.0}, tight("rodas4"))),
            1e-13);
}

TEST(ConstantMass, WithoutOneItIsTheIdentity) {
  MassMatrixProblem p;
  p.name = "oscillator";
  p.rhs = [](double, In y, Out f) { f << y[1], -y[0]; };
  p.y0 = vec({1.0, 0.0});
  EXPECT_EQ(index_of(p), 0);
  EXPECT_LT(distance(end_of(p, {0.0, 3.0}, tight("rodas4")), vec({std::cos(3.0), -std::sin(3.0)})),
            1e-7);
}

// Van der Pol with a small regular M: a stiff problem whose Jacobian is given.
MassMatrixProblem van_der_pol(int jacobian) {
  MassMatrixProblem p;
  p.name = "van der Pol";
  p.index = 0;
  p.mass_matrix = sparse(Eigen::Vector2d(1.0, 1e-3).asDiagonal().toDenseMatrix());
  p.rhs = autodiff([](const auto&, const auto& y, auto& f) {
    f[0] = y[1];
    f[1] = (1.0 - y[0] * y[0]) * y[1] - y[0];
  });
  if (jacobian == 1)
    p.jacobian = [](double, In y, MatrixOut J) {
      J << 0.0, 1.0, -2.0 * y[0] * y[1] - 1.0, 1.0 - y[0] * y[0];
    };
  p.y0 = vec({2.0, -0.66});
  return p;
}

void same_steps(const std::string& method) {
  Options o = tight(method, method == "rodas4" ? 1e-7 : 1e-4);
  o.output = Output::steps;
  const Solution a = solve(van_der_pol(0), {0.0, 1.0}, o);
  const Solution b = solve(van_der_pol(1), {0.0, 1.0}, o);
  ASSERT_TRUE(a.ok() && b.ok()) << a.message() << b.message();
  ASSERT_EQ(a.times().size(), b.times().size());
  for (std::size_t i = 0; i < a.times().size(); ++i) ASSERT_NEAR(a.times()[i], b.times()[i], 1e-10);
  EXPECT_LT(distance(a.end().y(), b.end().y()), 1e-9);
}

TEST(GivenJacobian, LeadsToTheSameStepsInRodas4) { same_steps("rodas4"); }
TEST(GivenJacobian, LeadsToTheSameStepsInImplicitEuler) { same_steps("implicit-euler"); }

// A field of the problem is used by every method, not only by those of the linear view.
TEST(GivenJacobian, IsCalledByEveryMethod) {
  for (const std::string method : {"rodas4", "implicit-euler"}) {
    MassMatrixProblem p = van_der_pol(0);
    auto calls = std::make_shared<int>(0);
    p.jacobian = [calls](double, In y, MatrixOut J) {
      ++*calls;
      J << 0.0, 1.0, -2.0 * y[0] * y[1] - 1.0, 1.0 - y[0] * y[0];
    };
    solve(p, {0.0, 0.01}, fixed(method, 0.001));
    EXPECT_GT(*calls, 1) << method;  // validation alone calls it once
  }
}

// (1 + t) y1' = y1, 0 = y2 - y1^2: y1 = 1 + t.
MassMatrixProblem mass_of_time() {
  MassMatrixProblem p;
  p.name = "M(t)";
  p.mass = autodiff([](const auto& t, const auto&, auto& M) {
    M(0, 0) = 1.0 + t;
    M(0, 1) = M(1, 0) = M(1, 1) = 0.0;
  });
  p.rhs = autodiff([](const auto&, const auto& y, auto& f) {
    f[0] = y[0];
    f[1] = y[1] - y[0] * y[0];
  });
  p.y0 = vec({1.0, 1.0});
  return p;
}

TEST(ChangingMass, OfTime) {
  const VectorXd exact = vec({3.0, 9.0});
  EXPECT_LT(distance(end_of(mass_of_time(), {0.0, 2.0}, tight("rodas4")), exact), 1e-7);
  // y1 is linear, so implicit Euler is exact but for y' (1 + t) evaluated at the end: exact too.
  EXPECT_LT(distance(end_of(mass_of_time(), {0.0, 2.0}, fixed("implicit-euler", 0.1)), exact),
            1e-9);
}

// (2 + y1 y2) y1' + y2' = -(2 + y1 y2) y1 - 2 y1^2, 0 = y2 - 1 - y1^2: y1 = exp(-t).
MassMatrixProblem mass_of_state() {
  MassMatrixProblem p;
  p.name = "M(t, y)";
  p.mass = autodiff([](const auto&, const auto& y, auto& M) {
    M(0, 0) = 2.0 + y[0] * y[1];
    M(0, 1) = 1.0;
    M(1, 0) = M(1, 1) = 0.0;
  });
  p.rhs = autodiff([](const auto&, const auto& y, auto& f) {
    f[0] = -(2.0 + y[0] * y[1]) * y[0] - 2.0 * y[0] * y[0];
    f[1] = y[1] - 1.0 - y[0] * y[0];
  });
  p.y0 = vec({1.0, 2.0});
  return p;
}

TEST(ChangingMass, OfTheState) {
  const VectorXd exact = vec({std::exp(-1.5), 1.0 + std::exp(-3.0)});
  EXPECT_LT(distance(end_of(mass_of_state(), {0.0, 1.5}, tight("rodas4")), exact), 1e-7);
  EXPECT_NEAR(ratio(mass_of_state(), {0.0, 1.5}, fixed("implicit-euler", 0.01), exact, 0, 2), 2.0,
              0.1);
  Options plain = fixed("rodas4", 0.1);  // projection would hide the order of the method itself
  plain.projection = ProjectionWhen::none;
  EXPECT_NEAR(ratio(mass_of_state(), {0.0, 1.5}, plain, exact, 0, 2), 16.0, 5.0);
}

TEST(ChangingMass, AlgebraicRowsHoldAtTheEnd) {
  const VectorXd end = end_of(mass_of_state(), {0.0, 1.5}, tight("rodas4", 1e-6));
  EXPECT_LT(std::abs(end[1] - 1.0 - end[0] * end[0]), 1e-6);
}

TEST(ChangingMass, PlainAndRegularByEveryMethod) {
  MassMatrixProblem p;
  p.name = "plain M(t, y)";
  p.index = 0;
  p.mass = [](double t, In y, MatrixOut M) { M << 1.0 + t, 0.0, 0.0, 1.0 + y[0] * y[0]; };
  p.rhs = [](double, In y, Out f) { f << y[0], -(1.0 + y[0] * y[0]) * y[1]; };
  p.y0 = vec({1.0, 1.0});
  const VectorXd exact = vec({2.0, std::exp(-1.0)});
  EXPECT_LT(distance(end_of(p, {0.0, 1.0}, fixed("implicit-euler", 1e-3)), exact), 1e-3);
  EXPECT_LT(distance(end_of(p, {0.0, 1.0}, tight("rodas4", 1e-7)), exact), 1e-5);
}

TEST(ChangingMass, DependentRowsAreRefusedByTheLinearViewAndSolvedByTheResidualView) {
  MassMatrixProblem p = no_zero_rows();
  p.mass_matrix = SparseMatrix();
  p.mass = autodiff([](const auto& t, const auto&, auto& M) {
    for (int i = 0; i < 4; ++i) M(i % 2, i / 2) = 1.0 + 0.0 * t;
  });
  try {
    solve(p, {0.0, 1.0}, tight("rodas4"));
    FAIL() << "linearly dependent rows were accepted";
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("mass"), std::string::npos) << e.what();
  }
  EXPECT_LT(distance(end_of(p, {0.0, 1.0}, fixed("implicit-euler", 1e-3)),
                     vec({std::cos(1.0), std::sin(1.0)})),
            2e-3);
}

}  // namespace
}  // namespace daedalus
