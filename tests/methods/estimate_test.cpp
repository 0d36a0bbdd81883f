// The error estimate of a step falls as the method says: like h^power per class of variables, where
// an index-k variable counts with h^(k-1), and like h^(error_order + 1) in differential ones. It is
// taken from the second step: the first one has no past, and what the start values do not tell
// about it (the derivative of an algebraic variable) would be measured instead.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "control/measure.hpp"
#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "methods/models.hpp"
#include "start/consistent.hpp"
#include "system/stepper.hpp"

namespace daedalus::methods_test {
namespace {

constexpr double allowed = 0.25;
constexpr double floor = 1e-14;  // of an estimate that is a difference of numbers near one

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const Case& c : fixed_step_cases())
    if (c.method->error_order > 0) list.push_back(c);
  return list;
}

struct ClassEstimate {
  double value = 0.0, power = 0.0;
  int index = 1;
};

// Largest entry per class of the estimate of the second of two steps of length h.
std::map<std::string, ClassEstimate> estimates(const Case& c, double h) {
  std::map<std::string, ClassEstimate> result;
  const auto problem = std::make_shared<const Problem>(c.model->problem);
  const double t0 = c.model->interval.from;
  const auto system = lower(problem, c.formulation, c.method->view, {}, t0);
  State state = model_start(*system, *problem, t0);
  MeasureOptions tolerances;
  tolerances.rtol = 1e-9;
  tolerances.atol = Eigen::VectorXd::Constant(system->layout.tangents(), 1e-9);
  Measure measure(tolerances, system->layout);
  const Eigen::VectorXd weight = measure.begin(state, h);
  system->prepare(state);
  StartRequest start = initial_equations(problem, *system);
  start.weight = measure.scale();
  EXPECT_EQ(make_consistent(*system, state, start).status, Status::success);
  const Method& m = *c.method;
  const auto stepper = m.make(*system, [&m](std::string_view key) {
    for (const MethodOption& o : m.options)
      if (o.key == key) return o.standard;
    return 0.0;
  });
  EXPECT_EQ(stepper->start({StartReason::begin, state, nullptr}), Outcome::ok);
  EXPECT_EQ(stepper->attempt({0, t0, h, t0 + h, m.order, weight}).outcome, Outcome::ok);
  stepper->commit(false);
  const Attempt second = stepper->attempt({1, t0 + h, h, t0 + 2.0 * h, m.order, weight});
  EXPECT_EQ(second.outcome, Outcome::ok);
  if (second.estimates.empty()) return result;
  const auto& e = second.estimates.front();
  for (const LayoutBlock& b : system->layout.blocks()) {
    if (!b.tested) continue;
    ClassEstimate& of = result[std::string(to_string(b.cls))];
    of.power = e.power[b.cls];
    of.index = std::max(of.index, b.index);
    for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i)
      of.value = std::max(of.value, std::abs(e.value[static_cast<std::size_t>(i)]));
  }
  return result;
}

class Estimates : public ::testing::TestWithParam<Case> {};

TEST_P(Estimates, FallWithTheirOrder) {
  const Case& c = GetParam();
  std::map<std::string, std::vector<double>> steps, values;
  std::map<std::string, ClassEstimate> last;
  double h = 2.0 * ladder(c).front();
  for (int k = 0; k < 9; ++k, h *= 0.5) {
    last = estimates(c, h);
    ASSERT_FALSE(last.empty()) << "no estimate";
    for (const auto& [cls, e] : last)
      if (e.value > floor) steps[cls].push_back(h), values[cls].push_back(e.value);
  }
  int measured = 0;
  for (auto& [cls, h_list] : steps) {
    if (h_list.size() < 5) continue;
    const auto surplus = static_cast<std::ptrdiff_t>(h_list.size()) - 5;
    h_list.erase(h_list.begin(), h_list.begin() + surplus);
    values[cls].erase(values[cls].begin(), values[cls].begin() + surplus);
    const double p = testing::observed_order(h_list, values[cls], 0.0);
    EXPECT_GE(p, last[cls].power - (last[cls].index - 1) - allowed)
        << "class " << cls << " from " << values[cls].front() << " to " << values[cls].back();
    ++measured;
  }
  EXPECT_GT(measured, 0);
}

INSTANTIATE_TEST_SUITE_P(Methods, Estimates, ::testing::ValuesIn(cases()), ByLabel{});

// Two-sided on the problems without structure: an estimate of higher order would be wrong too.
TEST(EstimatesOfEveryMethod, HaveTheDeclaredOrder) {
  for (const Method* m : all_methods()) {
    if (m->error_order == 0) continue;
    double least = 1e9;
    for (const Case& c : cases()) {
      if (c.method != m || (c.model->name != "index-one" && c.model->name != "guided-body"))
        continue;
      std::map<std::string, std::vector<double>> steps, values;
      double h = 2.0 * ladder(c).front();
      for (int k = 0; k < 6; ++k, h *= 0.5)
        for (const auto& [cls, e] : estimates(c, h))
          if ((cls == "y" || cls == "q" || cls == "v") && e.index == 1 && e.value > floor)
            steps[cls].push_back(h), values[cls].push_back(e.value);
      for (const auto& [cls, list] : steps)
        least = std::min(least, testing::observed_order(list, values[cls], 0.0));
    }
    EXPECT_NEAR(least, m->error_order + 1, allowed) << m->name;
  }
}

}  // namespace
}  // namespace daedalus::methods_test
