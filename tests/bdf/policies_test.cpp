// SPDX-License-Identifier: BSD-3-Clause
// Error-test policies: each one has a problem on which others fail or cost more than twice as much,
// and the automatic choice avoids all of these.
#include <gtest/gtest.h>

#include "bdf/support.hpp"

namespace daedalus::bdf_test {
namespace {

Result with(const std::string& problem, double tol, ErrorPolicy policy, Options o = {}) {
  o.error_test = policy;
  o.max_steps = 20000;
  return run(problem, tol, std::move(o));
}

// x1 and x2 of the linear example carry an error of the size of the step; only x2 - x1 is governed
// by the equations. Testing x1 and x2, even times h, asks for thousands of steps.
TEST(ErrorPolicies, LinearExampleNeedsTheProjector) {
  const Result differential = with("tischendorf-linear", 1e-6, ErrorPolicy::differential);
  const Result without = with("tischendorf-linear", 1e-6, ErrorPolicy::without_index2);
  const Result automatic = with("tischendorf-linear", 1e-6, ErrorPolicy::automatic);
  const Result weighted = with("tischendorf-linear", 1e-6, ErrorPolicy::index_weighted);
  const Result all = with("tischendorf-linear", 1e-6, ErrorPolicy::all);
  for (const Result* r : {&differential, &without, &automatic}) {
    ASSERT_TRUE(r->solution.ok()) << r->solution.message();
    EXPECT_LT(r->steps(), 40);  // Tischendorf (1992): 38
    EXPECT_GT(r->mescd, 6.0);
  }
  EXPECT_TRUE(!weighted.solution.ok() || weighted.steps() > 2 * differential.steps());
  EXPECT_TRUE(!all.solution.ok() || all.steps() > 2 * differential.steps());
}

// A given P is used as it is; one that is none is refused.
TEST(ErrorPolicies, TakeTheProjectorOfTheUser) {
  Options o;
  o.projector = (Eigen::MatrixXd(2, 2) << 0.0, 0.0, -1.0, 1.0).finished();
  const Result given = with("tischendorf-linear", 1e-6, ErrorPolicy::differential, o);
  ASSERT_TRUE(given.solution.ok()) << given.solution.message();
  EXPECT_LT(given.steps(), 40);
  o.projector(0, 0) = 0.5;
  EXPECT_THROW(with("tischendorf-linear", 1e-6, ErrorPolicy::differential, o), InvalidArgument);
  o.projector = Eigen::MatrixXd::Identity(3, 3);
  EXPECT_THROW(with("tischendorf-linear", 1e-6, ErrorPolicy::differential, o), InvalidArgument);
}

// Variables that P blanks never influence acceptance: rescaling one by 1e6 changes nothing.
TEST(ErrorPolicies, BlankedVariablesDoNotCount) {
  const auto problem = [](double unit) {
    return SemiExplicitProblem{
        .name = "scaled",
        .f = autodiff([unit](const auto&, const auto& y, const auto& z, auto& f) {
          f[0] = -y[0] + z[0] / unit;
        }),
        .g = autodiff([unit](const auto& t, const auto& y, const auto& z, auto& g) {
          using std::sin;
          g[0] = z[0] / unit - sin(t) - 0.1 * y[0] * y[0];
        }),
        .y0 = vector({1.0}),
        .z0 = vector({0.1 * unit})};
  };
  Options o{.method = "bdf", .rtol = 1e-6, .atol = 1e-6, .error_test = ErrorPolicy::differential};
  o.projector = (Eigen::MatrixXd(2, 2) << 1.0, 0.0, 0.0, 0.0).finished();
  // With these tolerances Newton's iteration is the same in both units, too.
  const Solution one = solve(problem(1.0), {0.0, 5.0}, o);
  o.atol = {1e-6, 1.0};
  const Solution million = solve(problem(1e6), {0.0, 5.0}, o);
  ASSERT_TRUE(one.ok() && million.ok());
  ASSERT_EQ(one.times().size(), million.times().size());
  for (std::size_t i = 0; i < one.times().size(); ++i)
    EXPECT_NEAR(one.times()[i], million.times()[i], 1e-7 * (1.0 + one.times()[i]));
}

// Near t = 5.1e-5 the diodes of the ring modulator switch. What is algebraic there belongs to the
// index-1 part: without a test of it U3 jumps about by a tenth of a volt within 1e-7 s, where a
// tight run is flat at 0.066.
TEST(ErrorPolicies, RingModulatorNeedsItsAlgebraicVariables) {
  const problems::Entry& e = *problems::find_problem("ring-modulator-index2");
  const auto wiggle = [&](ErrorPolicy policy) {
    Options o{.method = "bdf", .rtol = 1e-6, .atol = 1e-6, .output = Output::dense};
    o.error_test = policy;
    o.max_steps = 20000;
    const Solution s = solve(e.problem(), {0.0, 5.3e-5}, o);
    EXPECT_TRUE(s.ok()) << s.message();
    double worst = 0.0;
    for (double t = 5.094e-5; t < 5.101e-5; t += 1e-10)
      worst = std::max(worst, std::abs(s.at(t)["U3"] - 0.066));
    return worst;
  };
  EXPECT_LT(wiggle(ErrorPolicy::without_index2), 3e-3);
  EXPECT_LT(wiggle(ErrorPolicy::automatic), 3e-3);
  EXPECT_LT(wiggle(ErrorPolicy::all), 3e-3);
  EXPECT_GT(wiggle(ErrorPolicy::differential), 1e-2);
  EXPECT_GT(wiggle(ErrorPolicy::index_weighted), 1e-2);
}

// Jay's multiplier: tested like the others it asks for more steps, and for more than ten thousand
// where the first ones have order 1.
TEST(ErrorPolicies, MultipliersOfIndexTwoAreNotTestedLikeTheRest) {
  const Result weighted = with("jay", 1e-6, ErrorPolicy::index_weighted);
  const Result automatic = with("jay", 1e-6, ErrorPolicy::automatic);
  const Result all = with("jay", 1e-6, ErrorPolicy::all);
  ASSERT_TRUE(weighted.solution.ok() && automatic.solution.ok());
  EXPECT_LT(weighted.steps(), 100);
  EXPECT_LT(automatic.steps(), 100);
  EXPECT_GT(automatic.mescd, 4.0);
  EXPECT_TRUE(!all.solution.ok() || all.steps() > weighted.steps());
}

// A pulse in a variable that nothing depends on: only tests that look at algebraic variables see
// it.
TEST(ErrorPolicies, DifferentialLeavesAnAlgebraicPulseToTheTestBetweenSteps) {
  const Problem pulse = ImplicitProblem{
      .name = "pulse",
      .residual = autodiff([](const auto& t, const auto& y, const auto& yp, auto& r) {
        using std::exp;
        r[0] = yp[0] + y[0];
        r[1] = y[1] - exp(-400.0 * (t - 5.0) * (t - 5.0));
      }),
      .y0 = vector({1.0, 0.0}),
      .yp0 = vector({-1.0, 0.0})};
  const auto worst = [&](ErrorPolicy policy) {
    Options o{.method = "bdf", .rtol = 1e-5, .atol = 1e-5, .output = Output::dense};
    o.error_test = policy;
    o.max_step = 0.05;
    const Solution s = solve(pulse, {0.0, 10.0}, o);
    EXPECT_TRUE(s.ok()) << s.message();
    double error = 0.0;
    for (double t = 4.8; t < 5.2; t += 1e-3)
      error = std::max(error, std::abs(s.at(t).y()[1] - std::exp(-400.0 * (t - 5.0) * (t - 5.0))));
    return error;
  };
  EXPECT_LT(worst(ErrorPolicy::all), 1e-3);
  EXPECT_LT(worst(ErrorPolicy::automatic), 1e-3);
  // The error test does not look at the pulse; the test of values between steps, which dense output
  // asks for, does.
  EXPECT_LT(worst(ErrorPolicy::differential), 1e-3);
}

// An index that the problem does not state is found at the start, used, and reported.
TEST(ErrorPolicies, FindAnIndexThatIsNotStated) {
  Problem p = GeneralForm::problem();
  std::get<ImplicitProblem>(p).variable_index.clear();
  std::get<ImplicitProblem>(p).index = 1;
  const Solution s = solve(p, {0.0, 1.0}, {.method = "bdf", .rtol = 1e-6, .atol = 1e-6});
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LT(s.statistics().accepted, 100);
  EXPECT_LT((s.end().y() - GeneralForm::exact(1.0)).norm(), 1e-3);
  ASSERT_FALSE(s.warnings().empty());
  EXPECT_NE(s.warnings().front().find("index 2"), std::string::npos);
}

}  // namespace
}  // namespace daedalus::bdf_test
