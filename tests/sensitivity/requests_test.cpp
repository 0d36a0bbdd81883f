// SPDX-License-Identifier: BSD-3-Clause
// What can be asked for, where derivatives come from, and runs that are resumed.
#include <gtest/gtest.h>

#include "sensitivity/problems.hpp"

namespace daedalus::sensitivity_test {
namespace {

TEST(Requests, BadRequestsNameWhatIsWrong) {
  const auto message = [](const Problem& p, const Options& o) -> std::string {
    try {
      solve(p, {0.0, 1.0}, o);
    } catch (const InvalidArgument& e) {
      return e.what();
    }
    return "accepted";
  };
  Options o = asking("bdf", 1e-6);
  o.sensitivities.parameters = {"k3"};
  EXPECT_NE(message(abc(), o).find("k1, k2, A0"), std::string::npos) << message(abc(), o);
  o.sensitivities.parameters = {"k1", "k1"};
  EXPECT_NE(message(abc(), o).find("given twice"), std::string::npos);
  o.sensitivities.parameters = {"k1"};
  o.sensitivities.start_values = {"D"};
  EXPECT_NE(message(abc(), o).find("no variable 'D'"), std::string::npos) << message(abc(), o);
  o.sensitivities.start_values = {};
  o.sensitivities.directions = Eigen::MatrixXd::Identity(2, 2);
  EXPECT_NE(message(abc(), o).find("2 rows; give 1"), std::string::npos) << message(abc(), o);
  const Solution plain = solve(abc(), {0.0, 1.0}, {});
  EXPECT_THROW(plain.sensitivity(1.0), InvalidArgument);
}

TEST(Requests, PlainCallablesAreDifferenced) {
  Problem p = abc();
  std::get<MassMatrixProblem>(p).rhs = [](const StatePoint<double>& x, Out& f) {
    f[0] = -x.p[0] * x.y[0];
    f[1] = x.p[0] * x.y[0] - x.p[1] * x.y[1];
    f[2] = x.p[1] * x.y[1];
  };
  const Solution s = solve(p, {0.0, 3.0}, asking("bdf", 1e-8));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.sensitivities().columns[0].derivative, DerivativeKind::differences);
  EXPECT_NEAR(s.sensitivity(3.0)("B", "k1"), 0.1732328323896884, 1e-6);
}

// Constants inside the callables: problems built for values nearby.
TEST(Requests, RebuiltProblemsGiveTheSameColumns) {
  const auto build = [](const std::vector<double>& v) -> Problem {
    MassMatrixProblem p;
    const double k1 = v[0], k2 = v[1];
    p.rhs = autodiff([k1, k2](auto, const auto& y, auto& f) {
      f[0] = -k1 * y[0];
      f[1] = k1 * y[0] - k2 * y[1];
      f[2] = k2 * y[1];
    });
    p.y0 = Eigen::Vector3d(v[2], 0.0, 0.0);
    p.variables = {"A", "B", "C"};
    return p;
  };
  ParameterFamily family{{{"k1", 0.7}, {"k2", 0.2}, {"A0", 1.0}}, build, {}};
  Options o = asking("bdf", 1e-8);
  o.sensitivities.family = std::make_shared<const ParameterFamily>(family);
  const Solution s = solve(build({0.7, 0.2, 1.0}), {0.0, 3.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.sensitivities().columns[0].derivative, DerivativeKind::rebuilt);
  EXPECT_NEAR(s.sensitivity(3.0)("B", "k1"), 0.1732328323896884, 1e-6);
  EXPECT_NEAR(s.sensitivity(3.0)("B", "k2"), -1.111214289639986, 1e-6);
  EXPECT_NEAR(s.sensitivity(3.0)("B", "A0"), 0.5968972909774623, 1e-6);
}

TEST(Requests, AResumedRunHasTheSameColumns) {
  Options o = asking("bdf", 1e-8);
  o.events = {impact()};
  Integrator whole(ball(), o), first(ball(), o), second(ball(), o);
  whole.initialize(0.0, 2.0);
  whole.run(2.0);
  first.initialize(0.0, 2.0);
  while (first.t() < 0.6) first.step(2.0);
  second.resume(first.checkpoint());
  second.run(2.0);
  EXPECT_EQ(whole.sensitivity().matrix(), second.sensitivity().matrix());
}

}  // namespace
}  // namespace daedalus::sensitivity_test
