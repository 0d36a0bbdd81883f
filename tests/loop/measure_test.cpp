// SPDX-License-Identifier: BSD-3-Clause
// The error measure against values computed by hand.
#include "control/measure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "loop/support.hpp"

namespace daedalus::loop_test {
namespace {

State at(const Eigen::VectorXd& x) {
  State s;
  s.x = x;
  return s;
}

Layout two_and_one(int index, VariableClass cls = VariableClass::lambda, bool tested = true) {
  Layout l;
  l.add(VariableClass::y, 1, euclidean(2), {"a", "b"});
  l.add(cls, index, euclidean(1), {"c"}, tested);
  return l;
}

struct Setting {
  Layout layout = two_and_one(1);
  MeasureOptions options = [] {
    MeasureOptions o;
    o.rtol = 0.1;
    o.atol = vector({1.0, 2.0, 4.0});
    return o;
  }();
  Eigen::VectorXd before = vector({10.0, 0.0, 0.0}), after = vector({5.0, -3.0, 0.0});
  double h = 0.1;
  ErrorTest test(std::initializer_list<double> estimate, bool untested_too = false) const {
    Measure m(options, layout);
    m.begin(at(before), h);
    const Eigen::VectorXd e = vector(estimate);
    const Estimate list[1] = {{3,
                               ClassOrders::all(4).with(VariableClass::lambda, 3),
                               {e.data(), static_cast<std::size_t>(e.size())},
                               untested_too}};
    const auto tests = m.measure(list, at(after), h);
    EXPECT_EQ(tests.size(), 1u);
    return tests.front();
  }
};

// Scales 1 + 0.1 max(10, 5) = 2, 2 + 0.1 max(0, 3) = 2.3, 4.
TEST(Measure, RootMeanSquareOverTheLargerEnd) {
  const Setting s;
  const ErrorTest t = s.test({2.0, 2.3, 4.0});
  EXPECT_NEAR(t.value, 1.0, 1e-15);
  EXPECT_EQ(t.order, 3);
  EXPECT_DOUBLE_EQ(t.power, 3.0) << "the slowest class of the test";
  EXPECT_NEAR(s.test({4.0, 0.0, 0.0}).value, 2.0 / std::sqrt(3.0), 1e-15);
  EXPECT_EQ(s.test({4.0, 0.1, 0.0}).worst, 0);
  EXPECT_EQ(s.test({0.1, -4.0, 0.0}).worst, 1);
}

TEST(Measure, MaximumNorm) {
  Setting s;
  s.options.norm = ErrorNorm::maximum;
  EXPECT_NEAR(s.test({4.0, -4.6, 4.0}).value, 2.0, 1e-15);
}

TEST(Measure, OtherScales) {
  Setting s;
  s.options.norm = ErrorNorm::maximum;
  s.options.scale = ScaleRule::new_end;  // 1 + 0.5
  EXPECT_NEAR(s.test({3.0, 0.0, 0.0}).value, 2.0, 1e-15);
  s.options.scale = ScaleRule::running_maximum;
  Measure m(s.options, s.layout);
  m.begin(at(vector({30.0, 0.0, 0.0})), s.h);
  m.begin(at(s.before), s.h);
  const Eigen::VectorXd e = vector({8.0, 0.0, 0.0});  // scale 1 + 0.1 * 30
  const Estimate list[1] = {{3, ClassOrders::all(4), {e.data(), 3}, false}};
  EXPECT_NEAR(m.measure(list, at(s.after), s.h).front().value, 2.0, 1e-15);
}

// The third variable counts with h^(index - 1).
TEST(Measure, IndexWeights) {
  Setting s;
  s.options.norm = ErrorNorm::maximum;
  s.layout = two_and_one(3);
  EXPECT_NEAR(s.test({0.0, 0.0, 800.0}).value, 2.0, 1e-13);
  s.layout = two_and_one(2);
  EXPECT_NEAR(s.test({0.0, 0.0, 80.0}).value, 2.0, 1e-14);
  s.h = -0.1;
  EXPECT_NEAR(s.test({0.0, 0.0, 80.0}).value, 2.0, 1e-14) << "backward";
  s.options.index_weights = false;
  EXPECT_NEAR(s.test({0.0, 0.0, 8.0}).value, 2.0, 1e-15);
}

// What the equations carry on counts besides, as an error of index 1 does; 3 h + 1 over scale 4.
TEST(Measure, CarriedErrorsCountWithoutIndexWeight) {
  Setting s;
  s.options.norm = ErrorNorm::maximum;
  s.layout = two_and_one(2);
  const Eigen::VectorXd e = vector({0.0, 0.0, 30.0}), carried = vector({50.0, 0.0, 1.0});
  const Estimate list[1] = {{3, ClassOrders::all(4), {e.data(), 3}, false, {carried.data(), 3}}};
  const auto value = [&] {
    Measure m(s.options, s.layout);
    m.begin(at(s.before), s.h);
    return m.measure(list, at(s.after), s.h).front().value;
  };
  EXPECT_NEAR(value(), 1.0, 1e-15) << "index-1 variables are tested in full already";
  s.options.index_weights = false;
  EXPECT_NEAR(value(), 7.5, 1e-15) << "nothing to add to 30 / 4";
}

TEST(Measure, LeavesOutWhatIsNotTested) {
  Setting s;
  s.layout = two_and_one(1, VariableClass::a, false);
  EXPECT_NEAR(s.test({2.0, 2.3, 1e6}).value, 1.0, 1e-15);
  EXPECT_GT(s.test({2.0, 2.3, 1e6}, true).value, 1e4);
}

TEST(Measure, SplitsDifferentialAndAlgebraicVariables) {
  Setting s;
  s.options.split = true;
  s.options.norm = ErrorNorm::maximum;
  Measure m(s.options, s.layout);
  m.begin(at(s.before), s.h);
  const Eigen::VectorXd e = vector({1.0, 0.0, 8.0});
  const Estimate list[1] = {
      {3, ClassOrders::all(4).with(VariableClass::lambda, 3), {e.data(), 3}, false}};
  const auto tests = m.measure(list, at(s.after), s.h);
  ASSERT_EQ(tests.size(), 2u);
  EXPECT_NEAR(tests[0].value, 0.5, 1e-15);
  EXPECT_DOUBLE_EQ(tests[0].power, 4.0);
  EXPECT_NEAR(tests[1].value, 2.0, 1e-15);
  EXPECT_DOUBLE_EQ(tests[1].power, 3.0);
}

TEST(Measure, NotANumberFailsTheTest) {
  for (const ErrorNorm norm : {ErrorNorm::rms, ErrorNorm::maximum}) {
    Setting s;
    s.options.norm = norm;
    EXPECT_GT(s.test({0.0, std::numeric_limits<double>::quiet_NaN(), 0.0}).value, 1e100);
    EXPECT_GT(s.test({0.0, std::numeric_limits<double>::infinity(), 0.0}).value, 1e100);
  }
}

TEST(Measure, ScaleForTheNewtonIterationOfIndexOne) {
  const Setting s;
  Measure m(s.options, s.layout);
  const Eigen::VectorXd weight = m.begin(at(s.before), s.h);
  EXPECT_TRUE(weight.isApprox(vector({2.0, 2.0, 4.0}), 1e-15));
}

// One tolerance per variable reaches the right one: only the loose one may be wrong.
TEST(Tolerances, PerComponent) {
  const auto steps = [](Tolerance atol) {
    const Solution s =
        solve(oscillator(), {0.0, 5.0}, {.method = "rodas4", .rtol = 0.0, .atol = std::move(atol)});
    EXPECT_TRUE(s.ok()) << s.message();
    return s.statistics().accepted;
  };
  const long loose = steps(1e-3), tight = steps(1e-9);
  EXPECT_GT(tight, 5 * loose);
  EXPECT_GT(steps({1e-9, 1e3}), 4 * loose);
  EXPECT_GT(steps({1e3, 1e-9}), 4 * loose);
  EXPECT_LT(4 * steps({1e-3, 1e3}), tight);
  EXPECT_THROW(steps({1e-3, 1e-3, 1e-3}), InvalidArgument);
}

TEST(Tolerances, UntestedVariablesDoNotLimitTheStep) {
  Options o{.method = "rodas4", .rtol = 0.0, .atol = {1e-3, 1e-9}};
  const long both = solve(oscillator(), {0.0, 5.0}, o).statistics().accepted;
  o.untested = {"cosine"};
  EXPECT_LT(4 * solve(oscillator(), {0.0, 5.0}, o).statistics().accepted, both);
  o.untested = {"tangent"};
  EXPECT_THROW(solve(oscillator(), {0.0, 5.0}, o), InvalidArgument);
}

}  // namespace
}  // namespace daedalus::loop_test
