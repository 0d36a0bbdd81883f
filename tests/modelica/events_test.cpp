// SPDX-License-Identifier: BSD-3-Clause
// Events as the language demands them, each by a model whose end value is known.
#include <cmath>

#include <gtest/gtest.h>

#include "modelica/run_model.hpp"

namespace daedalus {
namespace {

modelica_test::Result run(const std::string& text) {
  const modelica_test::Result r = modelica_test::run(modelica_test::read_text(text), 1e-9);
  EXPECT_EQ(r.status, Status::success) << r.message;
  return r;
}

TEST(Events, FloorOfAContinuousArgumentIsHeldBetweenEvents) {
  const auto r =
      run("model M Real x(start=0, fixed=true); Real y(start=0, fixed=true); Integer n; equation "
          "der(x) = 1; n = integer(2.5*x); der(y) = floor(2.5*x); end M;");
  EXPECT_EQ(r.values.at("n"), 2.0);
  EXPECT_NEAR(r.values.at("y"), 0.8, 1e-9);
  EXPECT_EQ(r.events.size(), 2u);  // at 0.4 and 0.8
}

TEST(Events, FloorFollowsAFallingArgument) {
  const auto r = run(
      "model M Real x(start=1, fixed=true); Real y(start=0, fixed=true); equation der(x) = -2.5; "
      "der(y) = ceil(x); end M;");
  // ceil: 1 until 0, then 0 until -1 (t = 0.8), then -1.
  EXPECT_NEAR(r.values.at("y"), 0.4 - 0.2, 1e-9);
}

TEST(Events, ModAndRemJumpAtEvents) {
  const auto r =
      run("model M Real x(start=0, fixed=true); Real y(start=0, fixed=true); Real z(start=0, "
          "fixed=true); equation der(x) = 1; der(y) = mod(x, 0.3); der(z) = rem(-x, 0.3); end M;");
  EXPECT_NEAR(r.values.at("y"), 3 * 0.045 + 0.005, 1e-9);
  EXPECT_NEAR(r.values.at("z"), -3 * 0.045 - 0.005, 1e-9);
}

TEST(Events, NoEventTakesFloorAsItStands) {
  EXPECT_TRUE(run("model M Real x(start=0, fixed=true); Real n; equation der(x) = 1; n = "
                  "noEvent(floor(2.5*x)); end M;")
                  .events.empty());
}

TEST(Events, RelationsThatNobodyLooksAtMakeNone) {
  const std::string text =
      "model M Real x(start=1, fixed=true); Boolean b; Boolean hit; equation der(x) = -1; "
      "b = time > LIMIT; hit = b and x < 0.5; end M;";
  const auto with = [&](const std::string& limit) {
    std::string t = text;
    return run(t.replace(t.find("LIMIT"), 5, limit));
  };
  EXPECT_TRUE(with("2").events.empty());
  const auto late = with("0.75");  // x < 0.5 holds by then
  EXPECT_EQ(late.events.size(), 1u);
  EXPECT_EQ(late.values.at("hit"), 1.0);
  EXPECT_EQ(with("0.25").events.size(), 2u);
}

TEST(Events, PositiveFeedbackJumpsToTheOtherSide) {
  // Between the limits y = -2.04 u: the way back is closed at u = 0.49, and y jumps to 1.
  const auto r = run(
      "model M Real x(start=0, fixed=true); Real u; Real y; Real e; equation u = "
      "2*sin(2*3.14159265358979*time); e = u + 0.5*y; y = if 100*e > 1 then 1 elseif 100*e < -1 "
      "then -1 else 100*e; der(x) = y; annotation(experiment(StopTime = 0.9)); end M;");
  EXPECT_EQ(r.values.at("y"), -1.0);
}

TEST(Events, ModesAtTheStartFitTheValuesThatTheEquationsGive) {
  // w is found by differentiating: its guess 0 would choose the other branch.
  const auto r = run(
      "model M Real s(start=0, fixed=true); Real v(start=10, fixed=true); Real w; Real f; equation "
      "v = der(s); w = der(s); der(v) = f; f = if abs(w) < 1 then -100*w else -1; end M;");
  EXPECT_NEAR(r.values.at("v"), 9.0, 1e-7);
}

TEST(Events, ModesAtTheStartFitInitialEquations) {
  const auto r = run(
      "model M Real x; initial equation x = 3; equation der(x) = if x > 2 then -1 else 5; end M;");
  EXPECT_NEAR(r.values.at("x"), 2.0, 1e-7);
}

TEST(Events, AssertionsCountWhereTheyAreReached) {
  const std::string functions =
      "function fail input Real x; output Real y; algorithm assert(false, \"too large\"); y := x; "
      "end fail; function f input Real x; output Real y; algorithm if x > LIMIT then y := fail(x); "
      "else y := x; end if; end f; model M Real x(start=1, fixed=true); equation der(x) = f(x); "
      "end "
      "M;";
  const auto with = [&](const std::string& limit) {
    std::string t = functions;
    return modelica_test::run(modelica_test::read_text(t.replace(t.find("LIMIT"), 5, limit)), 1e-9);
  };
  const auto good = with("100");
  EXPECT_EQ(good.status, Status::success) << good.message;
  EXPECT_NEAR(good.values.at("x"), std::exp(1.0), 1e-7);
  EXPECT_NE(with("2").status, Status::success);
}

TEST(Events, NestedReturnsNeedAllTheirConditions) {
  const auto r =
      run("function f input Real a; input Real b; output Real y; algorithm y := 1; if a > 0 then "
          "if b > "
          "0 then return; end if; end if; y := 2; end f; model M Real x(start=0, fixed=true); Real "
          "z(start=1, fixed=true); equation der(z) = 0; der(x) = f(-z, z) + 10*f(z, z); end M;");
  EXPECT_NEAR(r.values.at("x"), 12.0, 1e-8);
}

TEST(Events, LoopsOverParametersRunWithNumbers) {
  // 2^265.75 = 1e80: more halvings than a loop over variables may have.
  const auto r = run(
      "function g input Real a; output Integer n = 0; protected Real y = a; algorithm while y > 1 "
      "loop y := y/2; n := n + 1; end while; end g; model M parameter Real a = 1e80; Real "
      "x(start=0, fixed=true); equation der(x) = g(a); end M;");
  EXPECT_NEAR(r.values.at("x"), 266.0, 1e-6);
}

}  // namespace
}  // namespace daedalus
