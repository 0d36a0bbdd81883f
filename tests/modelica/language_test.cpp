// SPDX-License-Identifier: BSD-3-Clause
// Pieces of the language, each by a model whose end value is known.
#include <cmath>

#include <gtest/gtest.h>
#include <daedalus/solve.hpp>

#include "modelica/run_model.hpp"

namespace daedalus {
namespace {

double end_value(const std::string& text, const std::string& name, const Values& set = {}) {
  const modelica_test::Result r =
      modelica_test::run(modelica_test::read_text(text), 1e-9, "auto", set);
  EXPECT_EQ(r.status, Status::success) << r.message;
  return r.values.at(name);
}

TEST(Language, MatricesMultiplyAsRowsAndColumns) {
  // [1 2; 3 4]*{1, 1} = {3, 7}; {1, 1}*[1 2; 3 4] = {4, 6}
  EXPECT_NEAR(
      end_value("model M parameter Real A[2,2] = [1, 2; 3, 4]; Real x(start=0, fixed=true); "
                "equation der(x) = A[1,:]*{1, 1} + ({1, 1}*A)*{1, 0}; end M;",
                "x"),
      7.0, 1e-9);
}

TEST(Language, ReturnAndBreakInNestedBranches) {
  const std::string f =
      "function f input Real x; input Real z; output Real y; algorithm y := 0; "
      "if z > 0 then if x > 1 then y := 2; return; end if; else if x > 5 then y := 3; return; "
      "end if; end if; y := y + 1; end f; "
      "function g input Real x; input Real z; output Real y; algorithm y := 0; "
      "for i in 1:4 loop if z > 0 then if x > i then break; end if; end if; y := y + 1; end for; "
      "end g; ";
  const auto of = [&](const std::string& call) {
    return end_value(f + "model M Real t(start=0, fixed=true); Real y; equation der(t) = 1; y = " +
                         call + "; end M;",
                     "y");
  };
  // t grows to 1: the conditions are not known before the run.
  EXPECT_EQ(of("f(2 + t, 1 + t)"), 2.0);
  EXPECT_EQ(of("f(2 + t, -1 - t)"), 1.0);
  EXPECT_EQ(of("f(-t, 1 + t)"), 1.0);
  EXPECT_EQ(of("f(7 + t, -1 - t)"), 3.0);
  EXPECT_EQ(of("g(2 + t, 1 + t)"), 0.0);
  EXPECT_EQ(of("g(2 + t, -1 - t)"), 4.0);
  EXPECT_EQ(of("g(-t, 1 + t)"), 4.0);
}

TEST(Language, ReductionsAndComprehensionsNest) {
  EXPECT_NEAR(end_value("model M Real x(start=0, fixed=true); equation der(x) = "
                        "sum(i*j for i in 1:3, j in 1:2) + product({2, 3}) + max({1, 5, 2}) - "
                        "size([1, 2; 3, 4], 2); end M;",
                        "x"),
              18.0 + 6.0 + 5.0 - 2.0, 1e-9);
}

TEST(Language, ModifiersOfOuterScopesWin) {
  EXPECT_NEAR(
      end_value("model M model A parameter Real k = 1; end A; model B A a(k = 2); end B; "
                "B b(a(k = 3)); Real x(start=0, fixed=true); equation der(x) = b.a.k; end M;",
                "x"),
      3.0, 1e-9);
}

TEST(Language, RecordsAreBoundAsAWhole) {
  EXPECT_NEAR(end_value("model M record R Real a = 1; Real b = 2; end R; parameter R r = R(b = 5); "
                        "Real x(start=0, fixed=true); equation der(x) = r.a + r.b; end M;",
                        "x"),
              6.0, 1e-9);
}

TEST(Language, ElsewhenActsOnlyIfTheFirstDoesNot) {
  EXPECT_EQ(
      end_value("model M Real x(start=0, fixed=true); Integer n(start=0); equation der(x) = 1; "
                "when x > 0.5 then n = 1; elsewhen x > 0.2 then n = 2; end when; end M;",
                "n"),
      1.0);
}

TEST(Language, ChainsOfEventsSeeEachOtherInOnePass) {
  // b follows a, c counts changes of b: both edges of one pulse.
  EXPECT_EQ(
      end_value("model M Real x(start=0, fixed=true); Boolean a; Boolean b; Integer c(start=0); "
                "equation der(x) = 1; a = x > 0.25 and x < 0.75; b = a; "
                "when change(b) then c = pre(c) + 1; end when; end M;",
                "c"),
      2.0);
}

// x is driven to zero from both sides: no side goes on, and following one of them would be wrong.
TEST(Language, ChatteringIsReported) {
  const ModelicaFile file = modelica_test::read_text(
      "model Relay Real x(start = 1, fixed = true); equation der(x) = if x > 0 then -1 else 1; "
      "annotation(experiment(StopTime = 2)); end Relay;");
  const modelica_test::Result r = modelica_test::run(file, 1e-6);
  EXPECT_NE(r.status, Status::success);
  EXPECT_NE(r.message.find("do not settle at t = 1"), std::string::npos) << r.message;
}

TEST(Language, SampledSystemsCount) {
  EXPECT_EQ(
      end_value("model M Integer n(start=0); Real x(start=0, fixed=true); equation der(x) = 1; "
                "when sample(0.1, 0.2) then n = pre(n) + 1; end when; end M;",
                "n"),
      5.0);
}

TEST(Language, LoopsOfFunctionsEndByVariables) {
  // Halvings until below one: 1 + floor(log2(5)) = 3
  EXPECT_EQ(end_value("function halvings input Real a; output Integer n = 0; protected Real y = a; "
                      "algorithm while y >= 1 loop y := y/2; n := n + 1; end while; end halvings; "
                      "model M Real x(start=5, fixed=true); Real n; equation der(x) = 0; "
                      "n = halvings(x); end M;",
                      "n"),
            3.0);
}

TEST(Language, StructuralParametersCompileAgainOthersDoNot) {
  const ModelicaFile file = modelica_test::read("HeatRod.mo");
  const int before = file.compilations();
  EXPECT_EQ(std::get<MassMatrixProblem>(file.entry.problem({{"a", 0.2}})).y0.size(), 100);
  EXPECT_EQ(file.compilations(), before);
  EXPECT_EQ(std::get<MassMatrixProblem>(file.entry.problem({{"n", 7.0}})).y0.size(), 7);
  EXPECT_EQ(file.compilations(), before + 1);
  EXPECT_EQ(std::get<MassMatrixProblem>(file.entry.problem({{"n", 7.0}})).y0.size(), 7);
  EXPECT_EQ(file.compilations(), before + 1);
}

TEST(Language, FortyParametersSweptAThousandTimesCompileOnce) {
  std::string text = "model M Real x(start = 0, fixed = true);";
  for (int k = 1; k <= 40; ++k) text += " parameter Real p" + std::to_string(k) + " = 1;";
  text += " equation der(x) = 0";
  for (int k = 1; k <= 40; ++k) text += " + p" + std::to_string(k);
  const ModelicaFile file = modelica_test::read_text(text + "; end M;");
  const int before = file.compilations();
  double seen = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const Problem p = file.entry.problem({{"p" + std::to_string(k % 40 + 1), 1.0 + k}});
    seen += std::get<MassMatrixProblem>(p).y0.size();
  }
  EXPECT_EQ(seen, 1000.0);
  EXPECT_EQ(file.compilations(), before);
}

TEST(Language, DependentAndFinalParametersAreNotSet) {
  const std::string text =
      "model M parameter Real a = 1; parameter Real b = 2*a; Real x(start=0, fixed=true); "
      "equation der(x) = b; end M;";
  EXPECT_NEAR(end_value(text, "x", {{"a", 3.0}}), 6.0, 1e-9);
  const ModelicaFile file = modelica_test::read_text(text);
  EXPECT_THROW(file.entry.problem({{"b", 3.0}}), InvalidArgument);
}

TEST(Language, RolledLoopsGiveTheValuesOfUnrolledOnes) {
  ModelicaOptions unrolled;
  unrolled.rolled = false;
  const std::string path = modelica_test::spec_folder() + "/HeatRod.mo";
  const Problem a = read_modelica_file(path).entry.problem(),
                b = read_modelica_file(path, unrolled).entry.problem();
  const auto &p = std::get<MassMatrixProblem>(a), &q = std::get<MassMatrixProblem>(b);
  ASSERT_EQ(p.y0.size(), q.y0.size());
  Eigen::VectorXd f(p.y0.size()), g(p.y0.size());
  const auto value = [&](const MassMatrixProblem& m, Eigen::VectorXd& out) {
    const Solution s = solve(m, {0.0, 1e-3}, {.rtol = 1e-6, .fixed_step = 1e-3});
    out = s.end().y();
  };
  value(p, f);
  value(q, g);
  // The matrices have their rows in another order: pivots and round-off differ.
  EXPECT_LE((f - g).norm(), 1e-13);
}

}  // namespace
}  // namespace daedalus
