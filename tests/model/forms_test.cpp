// SPDX-License-Identifier: BSD-3-Clause
// The form that the equations of a model have: semi-explicit, mass matrix (constant or not),
// implicit; the same solution in each of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/model.hpp>
#include <daedalus/solve.hpp>

#include "linalg/sparse_pattern.hpp"
#include "model/models.hpp"

namespace daedalus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Algebraic variables between differentiated ones, and one row with the derivative on the right.
// x' = -z, y' = z - w, 0 = z - x, 0 = w - 2 y + t.
ModelBuilder chain() {
  ModelBuilder m("chain");
  const Expr z = m.variable("z", {.start = 0.5});
  const Expr x = m.variable("x", {.start = 1.0, .fixed = true});
  const Expr w = m.variable("w"), y = m.variable("y", {.start = 0.0, .fixed = true});
  m.equation(w + m.time(), 2.0 * y);
  m.equation(z - w, der(y));
  m.equation(z * z, x * x);
  m.equation(der(x), -z);
  m.when(w > 0.1).set(m.discrete("seen"), 1.0 + 10.0 * pre(w));
  m.output("sum", x + 10.0 * z + 100.0 * w);
  return m;
}

Solution solved(const Model& model, const std::string& method) {
  Options o;
  o.rtol = 1e-9;
  o.atol = 1e-9;
  o.method = method;
  model.apply(o);
  return solve(model.problem(), {0.0, 1.0}, o);
}

TEST(ModelForms, SemiExplicitWhereItIsWrittenSo) {
  const auto model = chain().model();
  ASSERT_EQ(model->form(), "semi-explicit");
  const auto p = std::get<SemiExplicitProblem>(model->problem());
  EXPECT_THAT(p.y_names, ElementsAre("x", "y"));
  EXPECT_THAT(p.z_names, ElementsAre("z", "w"));
  EXPECT_THAT(p.equations,
              ElementsAre("der(x) = -z", "z - w = der(y)", "w + time = 2*y", "z*z = x*x"));
  EXPECT_EQ(p.index, 1);
  const SparseDerivatives* f = p.f.sparse_derivatives();
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->pattern(0).nonzeros(), 0) << "f depends on z alone";
  EXPECT_EQ(f->pattern(1).nonzeros(), 3);
  EXPECT_EQ(p.g.sparse_derivatives()->pattern(1).nonzeros(), 2);
}

// The same numbers from every form, with events and outputs that read algebraic variables.
TEST(ModelForms, AllFormsHaveTheSameSolution) {
  const ModelBuilder m = chain();
  for (const char* form : {"semi-explicit", "mass-matrix", "implicit"}) {
    const auto model = m.model({.form = form});
    ASSERT_EQ(model->form(), form);
    const Solution s = solved(*model, "radau");
    ASSERT_TRUE(s.ok()) << form << ": " << s.message();
    EXPECT_NEAR(s.end()["x"], std::exp(-1.0), 1e-7) << form;
    // y' = e^-t + t - 2 y, y(0) = 0: y = e^-t + t/2 - 1/4 - 3/4 e^-2t.
    const double y = std::exp(-1.0) + 0.25 - 0.75 * std::exp(-2.0);
    EXPECT_NEAR(s.end()["y"], y, 1e-7) << form;
    EXPECT_NEAR(s.end()["w"], 2.0 * y - 1.0, 1e-6) << form;
    ASSERT_EQ(s.events().size(), 2u) << form << ": w passes 0.1 up and down";
    std::vector<double> out(2);
    const ModelState end = s.end();
    model->evaluate_outputs({}, end, Out(out.data(), 2));
    EXPECT_NEAR(out[0], end["x"] + 10.0 * end["z"] + 100.0 * end["w"], 1e-12) << form;
  }
}

// Methods that take y' = f(t, y, z), 0 = g(t, y, z) apart.
TEST(ModelForms, PartitionedMethodsTakeIt) {
  const Solution s = solved(*chain().model(), "tsit5da");
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end()["x"], std::exp(-1.0), 1e-7);
}

TEST(ModelForms, HessenbergOfIndexTwo) {
  ModelBuilder m("hessenberg");  // Petzold: y1 = cos t is prescribed, z = y2 + sin t is its force
  const Expr z = m.variable("z"), y1 = m.variable("y1", {.start = 1.0});
  const Expr y2 = m.variable("y2", {.start = 2.0, .fixed = true});
  m.equation(der(y1), z - y2);
  m.equation(der(y2), -y2);
  m.equation(0.0, cos(m.time()) - y1 * 1.0);
  const auto model = m.model();
  const auto p = std::get<SemiExplicitProblem>(model->problem());
  EXPECT_THAT(p.hessenberg_blocks, ElementsAre(2));
  EXPECT_EQ(p.index, 2);
  for (const char* method : {"hedop5", "radau"}) {
    const Solution s = solved(*model, method);
    ASSERT_TRUE(s.ok()) << method << ": " << s.message();
    EXPECT_NEAR(s.end()["z"], 2.0 * std::exp(-1.0) - std::sin(1.0), 1e-6) << method;
  }
}

// Coefficients other than one stay in a mass matrix; a map that reads both kinds does as well.
TEST(ModelForms, WhatIsNotSeparableKeepsItsMassMatrix) {
  ModelBuilder m("tank");
  const Expr area = m.parameter("area", 2.0), h = m.variable("h"), flow = m.variable("flow");
  m.equation(area * der(h), -flow);
  m.equation(flow * flow, h);
  EXPECT_EQ(m.model()->form(), "mass-matrix");
  try {
    m.model({.form = "semi-explicit"});
    FAIL() << "accepted";
  } catch (const InvalidArgument& e) {
    EXPECT_THAT(e.what(), HasSubstr("needs equations der(x) = ..."));
  }
  EXPECT_THROW(m.model({.form = "explicit"}), InvalidArgument);
}

// M(t, y) on request: (1 + x^2) x' = -x with an algebraic companion and an event in it.
TEST(ModelForms, ChangingMassMatrixOnRequest) {
  ModelBuilder m("changing");
  const Expr x = m.variable("x", {.start = 1.0, .fixed = true}), z = m.variable("z");
  const Expr seen = m.discrete("seen");
  m.equation((1.0 + x * x) * der(x), -z);
  m.equation(z + 0.1 * sin(z), x + 0.1 * sin(x));  // z = x
  m.when(z < 0.8).set(seen, 1.0);
  EXPECT_EQ(m.model()->form(), "implicit") << "its derivatives stay sparse formulas";
  const auto model = m.model({.form = "mass-matrix"});
  ASSERT_TRUE(std::get<MassMatrixProblem>(model->problem()).mass);
  for (const char* method : {"radau", "rodas5p"}) {
    const Solution s = solved(*model, method);
    ASSERT_TRUE(s.ok()) << method << ": " << s.message();
    // ln x + x^2/2 = 1/2 - t.
    const double end = s.end()["x"];
    EXPECT_NEAR(std::log(end) + 0.5 * end * end, -0.5, 1e-6) << method;
    EXPECT_EQ(s.events().size(), 1u) << method;
  }
}

}  // namespace
}  // namespace daedalus
