// SPDX-License-Identifier: BSD-3-Clause
// Structure of Jacobians: found as structure and not as values, coloured, and paid for by colour.
#include "derivatives/support.hpp"
#include "system/jacobian.hpp"

namespace daedalus {
namespace {

using namespace derivatives_test;

std::unique_ptr<System> prepared(SemiExplicitProblem p, View view) {
  auto owned = std::make_shared<const Problem>(std::move(p));
  auto system = lower(owned, "", view, {}, 0.0);
  system->prepare(model_start(*system, *owned, 0.0));
  return system;
}
std::unique_ptr<System> linear_system(SemiExplicitProblem p) {
  return prepared(std::move(p), View::linear);
}
JacobianEvaluator& jacobian(System& s) { return dynamic_cast<FirstOrderSystem&>(s).jacobian(); }

// A chain with quadratic coupling, started at zero, where every derivative vanishes.
template <class F>
SemiExplicitProblem chain(int n, F&& wrap) {
  SemiExplicitProblem p;
  p.name = "chain";
  p.f = wrap([n](const auto& t, const auto& y, const auto&, auto& f) {
    for (int i = 0; i < n; ++i) {
      f[i] = -y[i] * y[i] * t;
      if (i > 0) f[i] = f[i] + y[i - 1] * y[i];
      if (i + 1 < n) f[i] = f[i] + y[i + 1] * y[i + 1] * y[i];
    }
  });
  p.y0 = VectorXd::Zero(n);
  return p;
}
const auto differentiable = [](auto f) { return autodiff(f); };
const auto plain = [](auto f) { return [f](double t, In y, In z, Out out) { f(t, y, z, out); }; };

TEST(Sparsity, EntriesThatVanishAtTheStartAreFound) {
  const auto exact = linear_system(chain(50, differentiable));
  EXPECT_EQ(jacobian(*exact).dx.pattern.nonzeros(), 3 * 50 - 2);
  EXPECT_TRUE(jacobian(*exact).exact());
  // A plain callable is probed at a moved point, in t as well: -y^2 t is zero for all y at t = 0.
  const auto differences = linear_system(chain(50, plain));
  EXPECT_EQ(jacobian(*differences).dx.pattern.nonzeros(), 3 * 50 - 2);
  EXPECT_FALSE(jacobian(*differences).exact());
}

TEST(Sparsity, EntriesThatVanishAtTheStartTimeAreFoundForPlainCallables) {
  SemiExplicitProblem p;
  p.name = "growing";
  p.f = [](double t, In y, In, Out f) { f[0] = -2.0 * t * y[0]; };
  p.y0 = vec({1.0});
  const auto system = linear_system(p);
  EXPECT_EQ(jacobian(*system).dx.pattern.nonzeros(), 1);
}

// Shifts whose second differences vanish, such as multiples of the golden section, miss entries
// here.
TEST(Sparsity, SecondDifferencesOfPlainCallablesAreFound) {
  constexpr int n = 1000;
  SemiExplicitProblem p;
  p.name = "heat";
  p.f = [](double, In y, In, Out f) {
    for (int i = 0; i < n; ++i)
      f[i] = 1e6 * ((i > 0 ? y[i - 1] : 0.0) - 2.0 * y[i] + (i + 1 < n ? y[i + 1] : 0.0));
  };
  p.y0 = VectorXd::LinSpaced(n, 0.0, 3.0).array().sin();
  const auto system = linear_system(p);
  EXPECT_EQ(jacobian(*system).dx.pattern.nonzeros(), 3 * n - 2);
}

TEST(Sparsity, ATridiagonalJacobianCostsThreeColoursAndTheTimeDerivative) {
  for (const int n : {10, 1000}) {
    const auto system = linear_system(chain(n, differentiable));
    const VectorXd y = VectorXd::LinSpaced(n, 0.5, 1.5);
    const long before = system->counter.now().jacobian_columns;
    ASSERT_EQ(system->linear_view()->linearise(0.5, y.data()), Outcome::ok);
    EXPECT_EQ(system->counter.now().jacobian_columns - before, 3 + 1) << n;
    EXPECT_EQ(system->counter.now().jacobian_evaluations, 1);
    // d f_i / d y_(i+1) = 2 y_(i+1) y_i
    MatrixXd J;
    if (n > 10) continue;
    system->linear_view()->linear_pencil().dense_j(J);
    for (int i = 0; i + 1 < n; ++i) EXPECT_NEAR(J(i, i + 1), 2.0 * y[i + 1] * y[i], 1e-14);
    EXPECT_EQ(J(0, 5), 0.0);
  }
}

TEST(Sparsity, CompressedDifferencesGiveTheSameMatrix) {
  const auto a = linear_system(chain(30, differentiable)), b = linear_system(chain(30, plain));
  const VectorXd y = VectorXd::LinSpaced(30, 0.5, 1.5);
  ASSERT_EQ(a->linear_view()->linearise(0.5, y.data()), Outcome::ok);
  ASSERT_EQ(b->linear_view()->linearise(0.5, y.data()), Outcome::ok);
  MatrixXd A, B;
  a->linear_view()->linear_pencil().dense_j(A);
  b->linear_view()->linear_pencil().dense_j(B);
  EXPECT_LT((A - B).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((a->linear_view()->time_derivative() - b->linear_view()->time_derivative())
                .cwiseAbs()
                .maxCoeff(),
            1e-6);
}

// Seven separate equations, so that entries are copied and tested both four at a time and singly.
template <class F>
SemiExplicitProblem seven(F f) {
  SemiExplicitProblem p;
  p.name = "seven";
  p.f = autodiff([f](const auto&, const auto& y, const auto&, auto& out) {
    for (int i = 0; i < 7; ++i) out[i] = f(i, y[i]);
  });
  p.y0 = VectorXd::Ones(7);
  return p;
}
Outcome linearise(System& system, const VectorXd& y) {
  if (LinearView* linear = system.linear_view()) return linear->linearise(0.0, y.data());
  const VectorXd rates = VectorXd::Zero(y.size());
  return system.residual_view()->linearise(0.0, y.data(), rates.data());
}

TEST(Entries, AnInfiniteOneIsFoundInEveryRow) {
  for (const View view : {View::linear, View::residual})
    for (int row = 0; row < 7; ++row) {
      const auto system = prepared(seven([row](int i, const auto& y) {
                                     using std::sqrt;
                                     return i == row ? sqrt(y) : 2.0 * y;
                                   }),
                                   view);
      VectorXd y = VectorXd::Ones(7);
      ASSERT_EQ(linearise(*system, y), Outcome::ok);
      y[row] = 0.0;
      EXPECT_EQ(linearise(*system, y), Outcome::not_finite);
      EXPECT_EQ(system->failure.row, row);
      EXPECT_STREQ(system->failure.function, "f");
    }
}

TEST(Entries, FiniteOnesPassThoughTheirSumOverflows) {
  for (const View view : {View::linear, View::residual}) {
    const auto system = prepared(seven([](int, const auto& y) { return 1e308 * y; }), view);
    ASSERT_EQ(linearise(*system, VectorXd::Ones(7)), Outcome::ok);
    const double expected = view == View::linear ? 1e308 : -1e308;
    for (const double entry : jacobian(*system).dx.values) EXPECT_EQ(entry, expected);
  }
}

TEST(Sparsity, ADenseRowNeedsAColourPerColumn) {
  SemiExplicitProblem p;
  p.name = "mean field";
  p.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) {
    f[0] = y[0];
    for (int i = 1; i < 12; ++i) {
      f[0] = f[0] + y[i] * y[i];
      f[i] = -y[i];
    }
  });
  p.y0 = VectorXd::Zero(12);
  const auto system = linear_system(p);
  // Small, and no colours are saved: the structure is full and cannot be wrong.
  EXPECT_EQ(jacobian(*system).dx.pattern.nonzeros(), 12 * 12);
  const long before = system->counter.now().jacobian_columns;
  const VectorXd y = VectorXd::Ones(12);
  ASSERT_EQ(system->linear_view()->linearise(0.0, y.data()), Outcome::ok);
  EXPECT_EQ(system->counter.now().jacobian_columns - before, 12 + 1);
}

// So many rows and colours that the results of all directions are not kept at once.
TEST(Sparsity, ManyColoursAreTakenInBatches) {
  constexpr int n = 600;
  SemiExplicitProblem p;
  p.name = "large mean field";
  p.f = autodiff([](const auto& t, const auto& y, const auto&, auto& f) {
    f[0] = y[0];
    for (int i = 1; i < n; ++i) {
      f[0] = f[0] + y[i] * y[i];
      f[i] = -3.0 * y[i] + static_cast<double>(i) * t;
    }
  });
  p.y0 = VectorXd::LinSpaced(n, 1.0, 2.0);
  const auto system = linear_system(p);
  ASSERT_EQ(system->linear_view()->linearise(0.0, p.y0.data()), Outcome::ok);
  const auto& J = jacobian(*system);
  ASSERT_EQ(J.dx.pattern.nonzeros(), n + n - 1);
  EXPECT_EQ(J.dx.values.front(), 1.0);
  for (int j = 1; j < n; ++j) {
    const auto first = static_cast<std::size_t>(J.dx.pattern.start[static_cast<std::size_t>(j)]);
    EXPECT_EQ(J.dx.values[first], 2.0 * p.y0[j]) << j;
    EXPECT_EQ(J.dx.values[first + 1], -3.0) << j;
    EXPECT_EQ(J.dt[j], j);
  }
}

// Branches on values do not hide what is differentiated where they do not matter.
TEST(Sparsity, ADivisionByZeroAtTheStartDoesNotMakeItDense) {
  SemiExplicitProblem p;
  p.name = "separate";
  p.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) {
    for (int i = 0; i < 8; ++i) f[i] = y[i] * y[(i + 1) % 8];
  });
  p.y0 = VectorXd::Zero(8);
  EXPECT_EQ(jacobian(*linear_system(p)).dx.pattern.nonzeros(), 16);
}

// Counts of a whole run: rodas4 forms one Jacobian per accepted step, each of three colours and
// f_t.
TEST(Counting, ColumnsOfARun) {
  SemiExplicitProblem p = chain(20, differentiable);
  p.y0 = VectorXd::Constant(20, 0.1);
  Options o;
  o.method = "rodas4";
  const Solution s = solve(p, {0.0, 1.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  const Counts& steps = s.statistics().in(Phase::step);
  EXPECT_EQ(steps.jacobian_evaluations, s.statistics().accepted);
  // The structure is compared with a directional derivative at steps 2, 4, 8, ...
  EXPECT_GT(steps.jacobian_columns, 4 * s.statistics().accepted);
  EXPECT_LE(steps.jacobian_columns, 4 * s.statistics().accepted + 3);
}

TEST(Counting, AGivenJacobianIsCalledAndCounted) {
  auto calls = std::make_shared<long>(0);
  MassMatrixProblem p;
  p.name = "given";
  p.rhs = autodiff([](const auto&, const auto& y, auto& f) { f[0] = -y[0] * y[0]; });
  p.y0 = vec({1.0});
  p.jacobian = [calls](double, In y, MatrixOut J) {
    ++*calls;
    J(0, 0) = -2.0 * y[0];
  };
  Options o;
  o.method = "rodas4";
  const Solution s = solve(p, {0.0, 1.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end().y()[0], 0.5, 1e-5);
  // One call by validation and two by the comparison with differences after the run (at the start
  // and beside it), the others are counted; one column per evaluation is f_t.
  const Counts total = s.statistics().total();
  EXPECT_EQ(total.jacobian_evaluations, *calls - 3);
  EXPECT_EQ(total.jacobian_columns, *calls - 3);
}

TEST(Counting, DifferencesOnRequest) {
  auto duals = std::make_shared<long>(0);
  SemiExplicitProblem p;
  p.name = "choice";
  p.f = autodiff([duals](const auto&, const auto& y, const auto&, auto& f) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(f[0])>, double>) ++*duals;
    f[0] = -y[0];
  });
  p.y0 = vec({1.0});
  Options o;
  o.method = "rodas4";
  o.derivatives = DerivativeSource::differences;
  const Solution s = solve(p, {0.0, 1.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  const long structure = *duals;  // structure may be found exactly, values not
  EXPECT_LE(structure, 8);
  EXPECT_NEAR(s.end().y()[0], std::exp(-1.0), 1e-5);
}

}  // namespace
}  // namespace daedalus
