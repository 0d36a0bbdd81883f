// SPDX-License-Identifier: BSD-3-Clause
// The contract of testing/stepper.hpp over every method on every model it fits, and checks of the
// checks: each one reports a violation when there is one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <daedalus/autodiff.hpp>
#include <daedalus/testing/stepper.hpp>

#include "methods/models.hpp"

namespace daedalus::methods_test {
namespace {

using testing::ContractReport;

Interval first_part(const Case& c, double fraction) {
  const Interval i = c.model->interval;
  return {i.from, i.from + fraction * (i.to - i.from)};
}

Options fixed(const Case& c, ProjectionWhen projection) {
  Options o = c.options();
  o.rtol = 1e-6;
  o.atol = 1e-6;
  o.projection = projection;
  o.fixed_step = ladder(c).front();
  return o;
}

class Contract : public ::testing::TestWithParam<Case> {
 protected:
  const Case& c = GetParam();
  const Problem& problem = c.model->problem;
};

TEST_P(Contract, InterpolantMeetsBothEndsOfTheStep) {
  for (const ProjectionWhen projection : {ProjectionWhen::none, ProjectionWhen::every_step}) {
    const ContractReport r =
        testing::check_interpolant_ends(problem, c.model->interval, fixed(c, projection));
    EXPECT_TRUE(r.ok()) << r.text();
  }
}

TEST_P(Contract, RejectedAttemptsLeaveNoTrace) {
  const ContractReport r =
      testing::check_rejections(problem, first_part(c, 0.5), fixed(c, ProjectionWhen::none));
  EXPECT_TRUE(r.ok()) << r.text();
}

TEST_P(Contract, SameInputGivesSameBits) {
  const ContractReport r =
      testing::check_same_bits(problem, c.model->interval, fixed(c, ProjectionWhen::every_step));
  EXPECT_TRUE(r.ok()) << r.text();
}

TEST_P(Contract, ResumesAfterEveryStep) {
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
    Options o = fixed(c, ProjectionWhen::automatic);
    o.fixed_step = (c.model->interval.to - c.model->interval.from) / 256.0;
    o.linear_algebra = algebra;
    const ContractReport r = testing::check_resume(problem, first_part(c, 0.05), o);
    EXPECT_TRUE(r.ok()) << r.text();
  }
}

// The error made on the way there and back is at most a small multiple of the method's own.
TEST_P(Contract, StepsBackwards) {
  Options o = fixed(c, ProjectionWhen::none);
  o.rtol = 1e-9;
  o.atol = 1e-9;
  o.fixed_step = ladder(c).back();
  const auto& orders = c.method->orders.of;
  const double tolerance = *std::min_element(orders.begin(), orders.end()) <= 2.0 ? 0.1 : 1e-6;
  const ContractReport r = testing::check_backward(problem, first_part(c, 0.25), o, tolerance);
  EXPECT_TRUE(r.ok()) << r.text();
}

INSTANTIATE_TEST_SUITE_P(Methods, Contract, ::testing::ValuesIn(fixed_step_cases()), ByLabel{});

std::vector<Case> controlled_cases() {
  std::vector<Case> cases;
  for (const Case& c : fixed_step_cases())
    if (c.method->error_order > 0 && !c.method->fixed_step_only) cases.push_back(c);
  return cases;
}

class ContractWithControl : public ::testing::TestWithParam<Case> {
 protected:
  Options options() const {
    Options o = GetParam().options();
    o.rtol = GetParam().method->order <= 2 ? 1e-4 : 1e-6;
    o.atol = o.rtol;
    o.projection = ProjectionWhen::automatic;
    // Runs shall not end by an estimate that does not fall with h (see exceptions.hpp).
    if (!std::isnan(standard_of(*GetParam().method, "subtract_inherited")))
      o.method_options["subtract_inherited"] = 1.0;
    return o;
  }
  const Case& c = GetParam();
};

TEST_P(ContractWithControl, InterpolantMeetsBothEndsOfTheStep) {
  const ContractReport r =
      testing::check_interpolant_ends(c.model->problem, c.model->interval, options());
  EXPECT_TRUE(r.ok()) << r.text();
}

TEST_P(ContractWithControl, SameInputGivesSameBits) {
  const ContractReport r = testing::check_same_bits(c.model->problem, c.model->interval, options());
  EXPECT_TRUE(r.ok()) << r.text();
}

TEST_P(ContractWithControl, ResumesAfterEveryStep) {
  const ContractReport r = testing::check_resume(c.model->problem, first_part(c, 0.05), options());
  EXPECT_TRUE(r.ok()) << r.text();
}

INSTANTIATE_TEST_SUITE_P(Methods, ContractWithControl, ::testing::ValuesIn(controlled_cases()),
                         ByLabel{});

// y' = -y and a falling particle, both undefined after t = 0.5.
Problem failing_first_order() {
  return MassMatrixProblem{.name = "undefined",
                           .rhs = autodiff([](const auto& t, const auto& y, auto& f) {
                             f[0] = -y[0];
                             return t > 0.5 ? Eval::reject : Eval::ok;
                           }),
                           .y0 = Eigen::VectorXd::Constant(1, 1.0),
                           .index = 0};
}
Problem failing_particle() {
  return MultibodyProblem{
      .name = "undefined",
      .space = euclidean(1),
      .mass = autodiff([](const auto&, const auto&, auto& M) { M(0, 0) = 1.0; }),
      .force = autodiff([](const auto& t, const auto&, const auto&, auto& f) {
        f[0] = -1.0;
        return t > 0.5 ? Eval::reject : Eval::ok;
      }),
      .q0 = Eigen::VectorXd::Constant(1, 1.0),
      .v0 = Eigen::VectorXd::Constant(1, 0.0)};
}

TEST(ContractOfFixedSteps, FirstFailureEndsTheRun) {
  int checked = 0;
  for (const Method* m : all_methods())
    for (const Problem& p : {failing_first_order(), failing_particle()})
      for (const std::string& f : fitting_formulations(p, *m, {.fixed_step = 0.1})) {
        const Options o{
            .method = m->name, .formulation = f.empty() ? "auto" : f, .fixed_step = 0.1};
        const ContractReport r = testing::check_gives_up(p, {0.0, 1.0}, o);
        EXPECT_TRUE(r.ok()) << m->name << ": " << r.text();
        const Solution s = solve(p, {0.0, 1.0}, o);
        EXPECT_NEAR(s.end_time(), 0.5, 0.1 + 1e-9) << m->name;
        ++checked;
      }
  EXPECT_GE(checked, static_cast<int>(all_methods().size()));
}

// The checks can fail.
TEST(ContractChecks, ReportWhatIsWrong) {
  const Model model = index_one();
  const Options o{.method = "rodas4", .fixed_step = 0.1};
  EXPECT_FALSE(testing::check_gives_up(model.problem, model.interval, o).ok());
  EXPECT_FALSE(testing::check_backward(model.problem, model.interval, o, 1e-14).ok());
  EXPECT_FALSE(testing::check_interpolant_ends(model.problem, model.interval, o, -1.0).ok());
  EXPECT_NE(testing::check_gives_up(model.problem, model.interval, o).text(), "");
}

// A callable that remembers is what "pure" forbids; bits and repeated attempts both show it.
TEST(ContractChecks, NoticeACallableWithMemory) {
  const auto calls = std::make_shared<int>(0);
  const Problem drifting =
      MassMatrixProblem{.name = "memory",
                        .rhs = [calls](double, In y, Out f) { f[0] = -y[0] + 1e-9 * ++*calls; },
                        .y0 = Eigen::VectorXd::Constant(1, 1.0),
                        .index = 0};
  const Options o{.method = "rodas4", .fixed_step = 0.1};
  EXPECT_FALSE(testing::check_same_bits(drifting, {0.0, 1.0}, o).ok());
  EXPECT_FALSE(testing::check_rejections(drifting, {0.0, 1.0}, o).ok());
  EXPECT_FALSE(testing::check_resume(drifting, {0.0, 1.0}, o).ok());
}

}  // namespace
}  // namespace daedalus::methods_test
