// Observed orders: the slope of the error over at least four halvings is the declared order, per
// class of variables, for every method on every model it fits, in every formulation it declares.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "methods/models.hpp"

namespace daedalus::methods_test {
namespace {

constexpr double allowed = 0.25;  // pre-asymptotic terms on the coarse end of a ladder
constexpr double floor = 1e-11;   // below it round-off is part of the error

VariableClass class_named(const std::string& name) {
  for (int c = 0; c < class_count; ++c)
    if (to_string(static_cast<VariableClass>(c)) == name) return static_cast<VariableClass>(c);
  ADD_FAILURE() << "no class of variables is called " << name;
  return VariableClass::y;
}

std::string listed(const std::vector<double>& values) {
  std::string text;
  for (double v : values) text += " " + std::to_string(std::log10(v));
  return text;
}

// Slope over the five finest steps (four halvings; half ones above order four) whose error is not
// spoilt by round-off. `size` of the variables makes the floor relative for small ones.
double slope(const std::string& cls, const std::vector<double>& steps,
             const std::vector<double>& errors, double size) {
  std::vector<double> h, e;
  for (std::size_t i = 0; i < errors.size(); ++i)
    if (errors[i] > floor * std::min(1.0, size)) h.push_back(steps[i]), e.push_back(errors[i]);
  const std::size_t wanted = 5;
  EXPECT_GE(e.size(), wanted) << cls
                              << ": too few errors above round-off, log10:" << listed(errors);
  const auto surplus = static_cast<std::ptrdiff_t>(e.size() > wanted ? e.size() - wanted : 0);
  h.erase(h.begin(), h.begin() + surplus);
  e.erase(e.begin(), e.begin() + surplus);
  return testing::observed_order(h, e, 0.0);
}

bool exact_to_round_off(const std::vector<double>& errors) {
  for (double e : errors)
    if (e > floor) return false;
  return true;
}

struct Measured {
  testing::OrderStudy study{};
  std::map<std::string, double> size{};  // of the variables, by class
};

// With `exceeding` an observed order above the declared one is no failure.
void expect_declared_orders(const Measured& m, const Method& method,
                            const std::function<bool(const std::string&)>& exceeding) {
  ASSERT_EQ(m.study.failure, "");
  ASSERT_FALSE(m.study.errors.empty());
  int measured = 0;
  for (const auto& [cls, errors] : m.study.errors) {
    if (exact_to_round_off(errors)) continue;  // a component the method solves exactly
    const double p = slope(cls, m.study.steps, errors, m.size.at(cls));
    const double declared = cls == "dense" ? method.dense_order : method.orders[class_named(cls)];
    EXPECT_GE(p, declared - allowed) << "class " << cls << ", log10 errors:" << listed(errors);
    if (cls != "dense" && !exceeding(cls)) {
      EXPECT_LE(p, declared + allowed) << "class " << cls << ", log10 errors:" << listed(errors);
    }
    ++measured;
  }
  EXPECT_GT(measured, 0) << "everything is exact: the model measures nothing";
}

// Largest errors over the second half of the run rather than at its end, where the error of an
// oscillation may pass through zero; the first half lets start-up effects of multipliers fade.
void add_errors(const Solution& s, const testing::ExactState& exact, Measured& m) {
  const Variables& variables = s.variables();
  std::map<std::string, double> largest;
  Eigen::VectorXd truth(variables.size());
  const auto compare = [&](const ModelState& state, const char* name) {
    if (!exact(state.t(), variables, Out(truth.data(), truth.size()))) return false;
    for (const Variables::Range& r : variables.ranges) {
      const bool differential =
          r.cls == VariableClass::y || r.cls == VariableClass::q || r.cls == VariableClass::v;
      if (name && !differential) continue;
      const std::string cls = name ? name : std::string(to_string(r.cls));
      double &e = largest[cls], &size = m.size[cls];
      for (int i = r.first; i < r.first + r.count; ++i) {
        if (std::isnan(truth[i])) continue;
        e = std::max(e, std::abs(state.y()[i] - truth[i]));
        size = std::max(size, std::abs(truth[i]));
      }
    }
    return true;
  };
  const std::vector<double>& t = s.times();
  const std::size_t stride = std::max<std::size_t>(1, t.size() / 64);
  for (std::size_t k = t.size() / 2; k + 1 < t.size(); k += stride) {
    ASSERT_TRUE(compare(s.state(k), nullptr));
    ASSERT_TRUE(compare(s.at(t[k] + 0.4 * (t[k + 1] - t[k])), "dense"));
  }
  ASSERT_TRUE(compare(s.end(), nullptr));
  for (const auto& [cls, e] : largest) m.study.errors[cls].push_back(e);
}

std::vector<double> no_sequence(Interval, long) { return {}; }

Measured measure(const Case& c, ProjectionWhen projection,
                 std::vector<double> (*sequence)(Interval, long)) {
  const Interval interval = c.model->interval;
  Measured m;
  for (const double h : ladder(c)) {
    Options o = c.options();
    o.output = Output::dense;
    o.projection = projection;
    const long count = std::lround((interval.to - interval.from) / h);
    o.step_sequence = sequence(interval, count);
    if (o.step_sequence.empty()) o.fixed_step = h;
    const Solution s = solve(c.model->problem, interval, o);
    if (!s.ok()) {
      m.study.failure = s.message();
      return m;
    }
    EXPECT_EQ(s.statistics().accepted, count);
    m.study.steps.push_back(h);
    add_errors(s, c.model->exact, m);
  }
  return m;
}

auto special(const Case& c) {
  return [&c](const std::string& cls) { return c.model->may_exceed.count(cls) > 0; };
}

class Order : public ::testing::TestWithParam<Case> {};

TEST_P(Order, FixedSteps) {
  expect_declared_orders(measure(GetParam(), ProjectionWhen::none, no_sequence), *GetParam().method,
                         special(GetParam()));
}

// h_n proportional to 1 + sin(2 pi n / N) / 2: neighbours differ by O(h), largest and smallest step
// by a factor of three.
std::vector<double> smooth_sequence(Interval interval, long count) {
  std::vector<double> steps;
  double sum = 0.0;
  for (long n = 0; n < count; ++n) {
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(count);
    steps.push_back(1.0 + 0.5 * std::sin(angle));
    sum += steps.back();
  }
  for (double& h : steps) h *= (interval.to - interval.from) / sum;
  return steps;
}

TEST_P(Order, SmoothlyVaryingSteps) {
  expect_declared_orders(measure(GetParam(), ProjectionWhen::none, smooth_sequence),
                         *GetParam().method, special(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Methods, Order, ::testing::ValuesIn(fixed_step_cases()), ByLabel{});

std::vector<Case> constrained_cases() {
  std::vector<Case> cases;
  for (const Case& c : fixed_step_cases())
    if (const auto* m = std::get_if<MultibodyProblem>(&c.model->problem); m && m->multipliers() > 0)
      cases.push_back(c);
  return cases;
}

class OrderWithProjection : public ::testing::TestWithParam<Case> {};

// Back onto the constraints after every step: the move is as small as the local error, so no order
// is lost. Some is gained on one-dimensional manifolds, where little is left of the leading term.
TEST_P(OrderWithProjection, FixedSteps) {
  expect_declared_orders(measure(GetParam(), ProjectionWhen::every_step, no_sequence),
                         *GetParam().method, [](const std::string&) { return true; });
}

INSTANTIATE_TEST_SUITE_P(Methods, OrderWithProjection, ::testing::ValuesIn(constrained_cases()),
                         ByLabel{});

}  // namespace
}  // namespace daedalus::methods_test
