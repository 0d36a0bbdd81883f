// SPDX-License-Identifier: BSD-3-Clause
// Models of equations: form, start values, parameters, index, exact derivatives, solutions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/model.hpp>
#include <daedalus/solve.hpp>

#include "model/models.hpp"

namespace daedalus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Options options_of(const Model& model, double rtol, const Values& values = {}) {
  Options o;
  o.rtol = rtol;
  o.atol = rtol;
  model.apply(o, values);
  return o;
}

TEST(ModelEquations, OscillatorIsAnOrdinaryDifferentialEquation) {
  ModelBuilder m("oscillator");
  const Expr k = m.parameter("k", 4.0), amplitude = m.parameter("amplitude", 2.0);
  const Expr x = m.variable("x", {.start = amplitude, .fixed = true});
  const Expr v = m.variable("v", {.start = 0.0, .fixed = true});
  // The other way round: rows are sorted by their derivatives.
  m.equation(der(v), -k * x);
  m.equation(der(x), v);
  const auto model = m.model();
  EXPECT_EQ(model->form(), "mass-matrix");
  EXPECT_EQ(model->structure().index, 0);
  const auto problem = std::get<MassMatrixProblem>(model->problem());
  EXPECT_EQ(problem.mass_matrix.size(), 0) << "M = I";
  EXPECT_THAT(problem.variables, ElementsAre("x", "v"));
  EXPECT_THAT(problem.equations, ElementsAre("der(x) = v", "der(v) = -k*x"));
  EXPECT_EQ(problem.y0[0], 2.0);
  const Solution s = solve(problem, {0.0, 1.0}, options_of(*model, 1e-9));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end()["x"], 2.0 * std::cos(2.0), 1e-7);
  // Parameters are inputs: start values and motion follow.
  const Values stiff{{"k", 9.0}, {"amplitude", 1.0}};
  const Solution other = solve(model->problem(stiff), {0.0, 1.0}, options_of(*model, 1e-9, stiff));
  EXPECT_NEAR(other.end()["x"], std::cos(3.0), 1e-7);
  EXPECT_THROW(model->problem({{"mass", 1.0}}), InvalidArgument);
}

TEST(ModelEquations, PendulumOfIndexThree) {
  const auto model = testing_models::pendulum().model();
  const StructureReport& r = model->structure();
  EXPECT_EQ(r.index, 3);
  EXPECT_EQ(r.degrees_of_freedom, 2);
  EXPECT_THAT(r.text, HasSubstr("Differentiating \"x^2 + y^2 = L^2\" twice"));
  const auto problem = std::get<SemiExplicitProblem>(model->problem());
  EXPECT_THAT(problem.z_names, ElementsAre("lambda"));
  EXPECT_THAT(problem.variable_index, ElementsAre(1, 1, 2, 2, 3));
  EXPECT_EQ(problem.index, 3);
  const Solution s = solve(model->problem(), {0.0, 10.0}, options_of(*model, 1e-8));
  ASSERT_TRUE(s.ok()) << s.message();
  // The catalogue's reference; its multiplier counts (x^2 + y^2)/2.
  EXPECT_NEAR(s.end()["x"], 2.7508746257611686e-1, 1e-4);
  EXPECT_NEAR(s.end()["y"], -9.6141920509912506e-1, 1e-4);
  EXPECT_NEAR(s.end()["lambda"], 2.8294567206067250e1, 1e-3);
}

TEST(ModelEquations, AmplifierWithSingularMassMatrix) {
  const auto model = testing_models::amplifier().model();
  EXPECT_EQ(model->form(), "mass-matrix");
  EXPECT_EQ(model->structure().index, 1);
  Options o = options_of(*model, 1e-7);
  o.method = "radau";
  const Solution s = solve(model->problem(), {0.0, 0.2}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end()["U8"], 0.1236995868091548e1, 1e-4);
  EXPECT_NEAR(s.end()["U1"], -0.5562145012262709e-2, 1e-5);
}

// t y^2 y'^3 - y^3 y'^2 + t (t^2 + 1) y' - t^2 y = 0 (Weissinger): y = sqrt(t^2 + 1/2).
TEST(ModelEquations, WhatIsNotLinearInRatesIsImplicit) {
  ModelBuilder m("weissinger");
  m.set_interval({1.0, 10.0});
  const Expr y = m.variable("y", {.start = std::sqrt(1.5), .fixed = true}), t = m.time();
  const Expr w = der(y);
  m.equation(t * y * y * w * w * w - y * y * y * w * w + t * (t * t + 1.0) * w, t * t * y);
  const auto model = m.model();
  EXPECT_EQ(model->form(), "implicit");
  auto problem = std::get<ImplicitProblem>(model->problem());
  problem.yp0[0] = 0.8;  // which of the three branches
  const Solution s = solve(problem, {1.0, 10.0}, options_of(*model, 1e-8));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end()["y"], std::sqrt(100.5), 1e-5);
}

TEST(ModelEquations, DependentParametersAndInitialEquations) {
  ModelBuilder m("tank");
  const Expr area = m.parameter("area", 2.0), width = m.dependent_parameter("width", sqrt(area));
  const Expr h = m.variable("h", {.start = 1.0}), flow = m.variable("flow", {.start = 0.5});
  m.equation(area * der(h), -flow);
  m.equation(flow, width * h);
  m.initial_equation(flow, 3.0);  // not h: it follows
  const auto model = m.model();
  const Solution s =
      solve(model->problem({{"area", 4.0}}), {0.0, 1.0}, options_of(*model, 1e-9, {{"area", 4.0}}));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.start()["h"], 1.5, 1e-8);
  EXPECT_NEAR(s.end()["h"], 1.5 * std::exp(-0.5), 1e-6);
  EXPECT_THROW(model->problem({{"width", 1.0}}), InvalidArgument) << "follows from area";
}

// der(T) = 0 at the start moves T, whose rate follows it.
TEST(ModelEquations, RunsStartAtRest) {
  ModelBuilder m("heater");
  const Expr T = m.variable("T", {.start = 290.0}), q = m.variable("q");
  m.equation(der(T), q - 0.2 * (T - 300.0));
  m.equation(q, 1.0 + m.time());
  m.initial_equation(der(T), 0.0);
  const auto model = m.model();
  const Solution s = solve(model->problem(), {0.0, 1.0}, options_of(*model, 1e-9));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.start()["T"], 305.0, 1e-7);
  // T = 300 + a + b t + c e^(-t/5) with b = 5, a = -20, c = 25.
  EXPECT_NEAR(s.end()["T"], 285.0 + 25.0 * std::exp(-0.2), 1e-6);
}

TEST(ModelEquations, ExactJacobiansWithoutEvaluationsOverDuals) {
  const auto model = testing_models::amplifier().model();
  const auto problem = std::get<MassMatrixProblem>(model->problem());
  const SparseDerivatives* known = problem.rhs.sparse_derivatives();
  ASSERT_NE(known, nullptr);
  Options o = options_of(*model, 1e-6);
  o.method = "radau";
  const Solution s = solve(problem, {0.0, 0.05}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  const Counts all = s.statistics().total();
  EXPECT_GT(all.jacobian_evaluations, 3);
  EXPECT_EQ(all.jacobian_columns, 0) << "no directions: every entry is a formula";
  // The same model with differences needs columns.
  o.derivatives = DerivativeSource::differences;
  const Solution by_differences = solve(problem, {0.0, 0.05}, o);
  EXPECT_GT(by_differences.statistics().total().jacobian_columns, 0);
}

}  // namespace
}  // namespace daedalus
