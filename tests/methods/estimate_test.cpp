// SPDX-License-Identifier: BSD-3-Clause
// The error estimate of a step falls as the method says: like h^power per class of variables, where
// an index-k variable counts with h^(k-1), and like h^(error_order + 1) in differential ones. It is
// taken from the second step (multistep methods: the first one of their order from exact values):
// the first one has no past, and what the start values do not tell
// about it (the derivative of an algebraic variable) would be measured instead.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <daedalus/stepper.hpp>
#include "control/measure.hpp"
#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "methods/models.hpp"
#include "start/consistent.hpp"

namespace daedalus::methods_test::estimate_test {
namespace {

// Few halvings lie between visible estimates and round-off when the power is high.
double allowed(double power) { return power > 5.0 ? 0.4 : 0.25; }
// The steps of multistep methods span a factor of four only: see floor_of.
// One of two estimates, e^2 / |(e, e_coarse / 10)|, falls with h^6 until the coarser one is larger.
double allowed(const Method& m, double power) {
  return multistep(m) ? 0.7 : m.order > 7 ? 1.0 : allowed(power);
}
// Of an estimate that is a difference of numbers near one; multistep methods take differences of
// start values that are good to 1e-12 and magnify their errors by 2^6.
// Radau methods see remainders of Newton's iteration, 6e-5 of the tolerance 1e-9, times 12.
double floor_of(const Method& m) {
  return multistep(m) ? 1e-11 : m.family == "radau" ? 1e-12 : 1e-14;
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const Case& c : fixed_step_cases())
    if (c.method->error_order > 0) list.push_back(c);
  return list;
}

// Halvings of h leave too few estimates above round-off where these fall with h^8.
double ratio(const Method& m) { return multistep(m) || m.order > 7 ? std::sqrt(0.5) : 0.5; }

struct ClassEstimate {
  double value = 0.0, power = 0.0;
  int index = 1;
};

// The first of nine halvings: coarser than the ladder of the orders, but for high orders, whose
// ladder begins where errors are barely smaller than the solution.
double first_step(const Case& c) {
  const int p = c.method->order;
  // The first step of its order is the last of p + 2.
  if (multistep(*c.method))
    return std::min(2.0 * ladder(c).front(),
                    (c.model->interval.to - c.model->interval.from) / (p + 3));
  if (p > 7) return ladder(c)[2];
  return p > 5 ? ladder(c)[2] : (p > 4 ? 1.0 : 2.0) * ladder(c).front();
}

// Largest entry per class of the estimate of the second of two steps of length h.
std::map<std::string, ClassEstimate> estimates(const Case& c, double h) {
  std::map<std::string, ClassEstimate> result;
  const auto problem = std::make_shared<const Problem>(c.model->problem);
  const double t0 = c.model->interval.from;
  const auto system =
      lower(problem, c.formulation,
            c.method->view_of(std::holds_alternative<MultibodyProblem>(*problem)), {}, t0);
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
  const auto stepper = m.make(*system, [&](std::string_view key) {
    const Options options = c.options();
    if (const auto given = options.method_options.find(std::string(key));
        given != options.method_options.end())
      return given->second;
    for (const MethodOption& o : m.options)
      if (o.key == key) return o.standard;
    return 0.0;
  });
  const auto values = start_values(*c.model, c.options());
  Eigen::VectorXd model(system->variables->size());
  const Trajectory known = [&](double t, State& s) {
    if (!values(t, Out(model.data(), model.size()))) return false;
    system->from_model(t, model.data(), s);
    return true;
  };
  const Start begin{StartReason::begin, state, multistep(m) ? &known : nullptr, true};
  EXPECT_EQ(stepper->start(begin), Outcome::ok);
  EXPECT_EQ(stepper->attempt({0, t0, h, t0 + h, m.order, weight}).outcome, Outcome::ok);
  // A multistep method has an estimate once it has the values of its order.
  Attempt second;
  for (long n = 1; n <= m.order + 1 && second.estimates.empty(); ++n) {
    stepper->commit(false);
    const double t = t0 + static_cast<double>(n) * h;
    second = stepper->attempt({n, t, h, t + h, m.order, weight});
    EXPECT_EQ(second.outcome, Outcome::ok);
  }
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
  double h = first_step(c);
  for (int k = 0; k < 9; ++k, h *= ratio(*c.method)) {
    last = estimates(c, h);
    ASSERT_FALSE(last.empty()) << "no estimate";
    for (const auto& [cls, e] : last)
      if (e.value > floor_of(*c.method) * std::pow(h, 1 - e.index))
        steps[cls].push_back(h), values[cls].push_back(e.value);
  }
  int measured = 0;
  for (auto& [cls, h_list] : steps) {
    if (h_list.size() < 5) continue;
    const auto surplus = static_cast<std::ptrdiff_t>(h_list.size()) - 5;
    h_list.erase(h_list.begin(), h_list.begin() + surplus);
    values[cls].erase(values[cls].begin(), values[cls].begin() + surplus);
    const double p = testing::observed_order(h_list, values[cls], 0.0);
    EXPECT_GE(p, last[cls].power - (last[cls].index - 1) - allowed(*c.method, last[cls].power))
        << "class " << cls << " from " << values[cls].front() << " to " << values[cls].back();
    ++measured;
  }
  EXPECT_GT(measured, 0);
}

INSTANTIATE_TEST_SUITE_P(Methods, Estimates, ::testing::ValuesIn(cases()), ByLabel{});

// Two-sided: an estimate whose power is higher than declared on every problem would be wrong too,
// since the step control divides by it.
class EstimatesOfAMethod : public ::testing::TestWithParam<std::string> {};

TEST_P(EstimatesOfAMethod, HaveTheDeclaredOrder) {
  const Method* m = find_method(GetParam());
  double least = 1e9, declared = 0.0;
  for (const Case& c : cases()) {
    if (c.method != m) continue;
    std::map<std::string, std::vector<double>> steps, values;
    double h = first_step(c);
    for (int k = 0; k<9; ++k, h *= m->order> 7 ? ratio(*m) : 0.5)
      for (const auto& [cls, e] : estimates(c, h))
        if ((cls == "y" || cls == "q" || cls == "v") && e.index == 1 && e.value > floor_of(*m)) {
          steps[cls].push_back(h), values[cls].push_back(e.value);
          declared = e.power;
        }
    for (auto& [cls, list] : steps) {
      if (list.size() < 4) continue;
      const auto surplus = static_cast<std::ptrdiff_t>(list.size()) - 4;
      list.erase(list.begin(), list.begin() + surplus);
      values[cls].erase(values[cls].begin(), values[cls].begin() + surplus);
      least = std::min(least, testing::observed_order(list, values[cls], 0.0));
    }
  }
  EXPECT_NEAR(least, declared, allowed(*m, declared)) << m->name;
  // dae34ns and grk4t declare their own powers, the others follow from the embedded order.
  const bool own = m->name == "dae34ns" || m->name == "grk4t";
  if (m->family == "rosenbrock") {
    EXPECT_EQ(declared != m->error_order + 1, own) << m->name;
  }
}

std::vector<std::string> estimating_methods() {
  std::vector<std::string> names;
  for (const Method* m : all_methods())
    if (m->error_order > 0) names.push_back(m->name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Methods, EstimatesOfAMethod, ::testing::ValuesIn(estimating_methods()),
                         [](const auto& test) { return label(test.param); });

}  // namespace
}  // namespace daedalus::methods_test::estimate_test
