// SPDX-License-Identifier: BSD-3-Clause
// What sensitivities and ensembles stand on: parameters stay inputs of the compiled model, start
// values, mass matrices and events follow them, and every number type can carry their derivatives.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/dual.hpp>
#include <daedalus/model.hpp>
#include <daedalus/solve.hpp>

namespace daedalus {
namespace {

// c x' = -k x + z, 0 = z - k^2 sin(x); x(0) = sqrt(k); a bell rings where x falls below level*k.
std::shared_ptr<const Model> plant(bool machine_code) {
  ModelBuilder m("plant");
  const Expr k = m.parameter("k", 2.0), c = m.parameter("c", 3.0);
  const Expr level = m.parameter("level", 0.25);
  const Expr x = m.variable("x", {.start = sqrt(k), .fixed = true});
  const Expr z = m.variable("z");
  const Expr rings = m.discrete("rings");
  m.equation(c * der(x), -4.0 * k * x + z);
  m.equation(z, pow(k, 2) * sin(x));
  m.when(x < level * k).set(rings, pre(rings) + 1.0);
  return m.model({.machine_code = machine_code});
}

template <class S>
std::vector<S> right_hand_side(const MassMatrixProblem& problem, const std::vector<S>& y,
                               const std::vector<S>& p) {
  Arguments<S> a;
  a.t = S(0.0);
  a.x[0] = y.data();
  a.n[0] = static_cast<int>(y.size());
  a.p = p.data();
  a.parameter_count = static_cast<int>(p.size());
  a.modes = problem.modes.data();
  a.mode_count = static_cast<int>(problem.modes.size());
  std::vector<S> f(y.size());
  EXPECT_EQ(problem.rhs(a, f.data(), static_cast<int>(f.size()), 1), Eval::ok);
  return f;
}

TEST(ModelParameters, DerivativesByThemInEveryNumberType) {
  for (const bool machine_code : {false, true}) {
    const auto problem = std::get<MassMatrixProblem>(plant(machine_code)->problem());
    const double k = 1.7, x = 0.6, z = 0.9;
    // d f / d k with everything else held: a direction of the parameter k.
    const auto f = right_hand_side<Dual4>(problem, {Dual4(x), Dual4(z)},
                                          {Dual4::variable(k, 0), Dual4(3.0), Dual4(0.25)});
    EXPECT_NEAR(f[0].v, -4.0 * k * x + z, 1e-14);
    EXPECT_NEAR(f[0].d[0], -4.0 * x, 1e-14);
    EXPECT_NEAR(std::abs(f[1].d[0]), 2.0 * k * std::sin(x), 1e-14);
    // The second coefficient of a series along k + s.
    Taylor2 along(k);
    along.c[1] = 1.0;
    const auto series = right_hand_side<Taylor2>(problem, {Taylor2(x), Taylor2(z)},
                                                 {along, Taylor2(3.0), Taylor2(0.25)});
    EXPECT_NEAR(std::abs(series[1].c[2]), std::sin(x), 1e-14);
    // Plain numbers follow other values without a new model.
    const auto plain = right_hand_side<double>(problem, {x, z}, {5.0, 3.0, 0.25});
    EXPECT_NEAR(plain[0], -20.0 * x + z, 1e-14);
  }
}

TEST(ModelParameters, StartValuesMassMatrixAndEventsFollowThem) {
  const auto model = plant(true);
  double last = 0.0;
  for (const double k : {2.0, 2.0 + 1e-6}) {
    const Values values{{"k", k}, {"c", 5.0}};
    const auto problem = std::get<MassMatrixProblem>(model->problem(values));
    EXPECT_EQ(problem.y0[0], std::sqrt(k));
    EXPECT_EQ(problem.mass_matrix.coeff(0, 0), 5.0);
    Options o{.method = "radau", .rtol = 1e-11, .atol = 1e-11};
    model->apply(o, values);
    const Solution s = solve(problem, {0.0, 3.0}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    ASSERT_EQ(s.events().size(), 1u);
    EXPECT_NEAR(s.events()[0].y[0], 0.25 * k, 1e-9);
    // The time moves with the parameter, smoothly: dt/dk is of order one.
    if (last > 0.0) {
      EXPECT_GT(std::abs(s.events()[0].t - last), 1e-8);
      EXPECT_LT(std::abs(s.events()[0].t - last), 1e-5);
    }
    last = s.events()[0].t;
  }
}

}  // namespace
}  // namespace daedalus
