// SPDX-License-Identifier: BSD-3-Clause
// What a linearly implicit step may cost, digits per tolerance on the test set's problems, and the
// orders on the transistor amplifier.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <catalogue/catalogue.hpp>

#include "kernel/rosenbrock_table.hpp"
#include "methods/exceptions.hpp"
#include "methods/models.hpp"

namespace daedalus::methods_test {
namespace {

std::vector<const Method*> with_view(View view) {
  std::vector<const Method*> list;
  for (const Method* m : all_methods())
    if (m->view == view) list.push_back(m);
  return list;
}

double mixed_error(const Solution& s, const problems::Entry& e) {
  double worst = 0.0;
  const problems::Reference& r = *e.reference;
  for (const auto& [name, value] : r.values)
    if (r.counted.empty() || std::count(r.counted.begin(), r.counted.end(), name) > 0)
      worst = std::max(worst, std::abs(s.end()[name] - value) / (1.0 + std::abs(value)));
  return worst;
}

Solution run(const Method& m, const problems::Entry& e, double tolerance) {
  return solve(e.problem(), {e.t0, e.t_end},
               {.method = m.name, .rtol = tolerance, .atol = tolerance, .output = Output::end});
}

// One factorisation and one solve per stage in every attempt, one Jacobian per accepted step; f at
// the beginning of a step is kept over a rejection, so s evaluations for the first attempt and s -
// 1 for each further one, where s counts stages that evaluate at a point of their own. A check of
// the constraints at the end of the step adds one evaluation and one solve to each attempt, where
// there are constraints; an estimate without inherited errors one solve per attempt. A look at the
// end of the step is left out: MatrixChecks tells what it costs.
TEST(Budget, OfRosenbrockStepsIsExact) {
  long rejected = 0;
  std::set<std::string> exact;
  for (const Method* m : with_view(View::linear)) {
    if (m->family != "rosenbrock" || m->fixed_step_only) continue;
    const auto& table = *static_cast<const RosenbrockCoefficients*>(m->table);
    const bool subtracts = standard_of(*m, "subtract_inherited") == 1.0;
    for (const char* name : {"transistor-amplifier", "akzo", "hires", "van-der-pol"}) {
      if (excepted("ReferenceProblems", m->name, name)) continue;
      const problems::Entry& e = *problems::find_problem(name);
      // An attempt that leaves the domain of the problem ends early and costs less.
      long broken = 0;
      Options o{.method = m->name, .rtol = 1e-4, .atol = 1e-4, .output = Output::end};
      o.method_options["verify_matrix"] = 0.0;
      o.trace = [&broken](const StepRecord& r) {
        broken += r.outcome != "accepted" && r.outcome != "error_test";
      };
      const Solution s = solve(e.problem(), {e.t0, e.t_end}, o);
      ASSERT_TRUE(s.ok()) << m->name << " " << name << ": " << s.message();
      const Statistics& all = s.statistics();
      const Counts& step = all.in(Phase::step);
      // Only akzo has equations without derivatives in sight; the amplifier hides them.
      const long checks = table.constraint_check && e.name == "akzo" ? all.steps() : 0;
      const long own = table.evaluations();
      const long evaluations = own * all.accepted + (own - 1) * all.rejected + checks;
      const bool algebraic = e.name == "akzo" || e.name == "transistor-amplifier";
      const long solves =
          (table.step_stages() + (subtracts && algebraic ? 1 : 0)) * all.steps() + checks;
      EXPECT_EQ(step.factorisations, all.steps()) << m->name << " " << name;
      EXPECT_EQ(step.jacobian_evaluations, all.accepted) << m->name << " " << name;
      EXPECT_EQ(step.residual_evaluations, 0) << m->name << " " << name;
      EXPECT_LE(step.function_evaluations, evaluations) << m->name << " " << name;
      EXPECT_LE(step.solves, solves) << m->name << " " << name;
      if (broken > 0) continue;
      EXPECT_EQ(step.function_evaluations, evaluations) << m->name << " " << name;
      EXPECT_EQ(step.solves, solves) << m->name << " " << name;
      rejected += all.rejected;
      exact.insert(m->name);
    }
    EXPECT_TRUE(exact.count(m->name)) << m->name << ": no run without broken attempts";
  }
  EXPECT_FALSE(exact.empty());
  EXPECT_GT(rejected, 0) << "the budget of rejected steps was not seen";
}

// The evaluation at the end of a step is the first of the next one: what is left is one per run and
// per rejected step, and a correction where the matrix is doubtful.
TEST(Budget, OfMatrixChecksIsSmall) {
  for (const char* method : {"rodas3", "rodas4", "rodas5p", "rodas6p", "ros34pw2"})
    for (const char* name : {"transistor-amplifier", "hires", "van-der-pol"}) {
      const problems::Entry& e = *problems::find_problem(name);
      const auto count = [&](double verify) {
        Options o{.method = method, .rtol = 1e-6, .atol = 1e-6, .output = Output::end};
        o.method_options["verify_matrix"] = verify;
        return solve(e.problem(), {e.t0, e.t_end}, o).statistics();
      };
      const Statistics without = count(0.0), with = count(1.0);
      EXPECT_LE(with.steps(), 1.25 * without.steps()) << method << ' ' << name;
      const double evaluations = with.in(Phase::step).function_evaluations;
      EXPECT_LE(evaluations, 1.25 * without.in(Phase::step).function_evaluations + with.rejected)
          << method << ' ' << name;
    }
}

// The long last steps of hires: estimates went through matrices that no longer held, and at 1e-4
// the error of rodas5p was 0.015.
TEST(Budget, OfMatrixChecksIsWellSpent) {
  const problems::Entry& e = *problems::find_problem("hires");
  for (const char* method : {"rodas4", "rodas5p", "rodas6p"})
    EXPECT_LT(mixed_error(run(*find_method(method), e, 1e-4), e), 1e-3) << method;
}

// Evaluations per step as published: 6 stages of rodas4 and none shared; of 16 of rodas6p none; of
// 5 of DAE4SF two at the beginning of the step.
TEST(Budget, CountsSharedEvaluations) {
  const auto evaluations = [](const char* name) {
    return static_cast<const RosenbrockCoefficients*>(find_method(name)->table)->evaluations();
  };
  EXPECT_EQ(evaluations("rodas4"), 6);
  EXPECT_EQ(evaluations("rodas6p"), 16);
  EXPECT_EQ(evaluations("dae4sf"), 4);
  EXPECT_EQ(evaluations("dae3s"), 2);
  EXPECT_EQ(evaluations("rodas3"), 3);
}

TEST(Digits, OfRodas4AreAtLeastTheTolerance) {
  const Method& m = *find_method("rodas4");
  for (const char* name : {"transistor-amplifier", "akzo"}) {
    const problems::Entry& e = *problems::find_problem(name);
    for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
      const Solution s = run(m, e, tolerance);
      EXPECT_EQ(s.status(), Status::success) << s.message();
      EXPECT_GE(-std::log10(mixed_error(s, e)), -std::log10(tolerance)) << name;
    }
  }
}

// 8000, 11000 and 16000 steps over [0, 0.2]: coarser ones do not resolve the diodes. All variables
// are of one class here, differential and algebraic ones mixed. Not a number: at the digits of the
// reference.
double order_on_the_amplifier(const Method& m) {
  const problems::Entry& e = *problems::find_problem("transistor-amplifier");
  const auto exact = [&e](double t, const Variables& variables, Out y) {
    if (t != e.t_end) return false;
    for (const auto& [name, value] : e.reference->values) y[variables.find(name)] = value;
    return true;
  };
  const double T = e.t_end - e.t0;
  const testing::OrderStudy study = testing::measure_order(
      e.problem(), {e.t0, e.t_end}, {.method = m.name}, {T / 8000, T / 11000, T / 16000}, exact);
  EXPECT_EQ(study.failure, "") << m.name;
  if (!study.failure.empty()) return 0.0;
  return study.errors.at("y")[2] < 1e-10 ? std::nan("") : study.orders.at("y");
}

TEST(TransistorAmplifier, OrderOfRodas4) {
  EXPECT_NEAR(order_on_the_amplifier(*find_method("rodas4")), 4.0, 0.25);
}

// The others may be faster than declared: dae4sf-1988 shows 3.4, since one of the two conditions of
// order 4 that it violates is off by 0.03 only.
TEST(SlowTransistorAmplifier, OrdersAreAtLeastTheDeclaredOnes) {
  for (const Method* m : with_view(View::linear)) {
    const double p = order_on_the_amplifier(*m);
    if (std::isnan(p)) continue;
    EXPECT_GE(p, m->order - 0.25) << m->name;
  }
}

// The models without a formula are compared with one method; here with another, and with what the
// motion conserves: energy, and the angular momentum R J w of the free body.
TEST(Models, ReferencesAgreeWithAnotherMethod) {
  for (const Model& model : {pendulum(), car_axis()}) {
    const double h = (model.interval.to - model.interval.from) / 8192.0;
    const Solution s = solve(model.problem, model.interval,
                             {.method = "rodas4",
                              .projection = ProjectionWhen::none,
                              .output = Output::end,
                              .fixed_step = h});
    ASSERT_TRUE(s.ok()) << s.message();
    Eigen::VectorXd other(s.variables().size());
    ASSERT_TRUE(model.exact(model.interval.to, s.variables(), Out(other.data(), other.size())));
    for (int i = 0; i < other.size(); ++i)
      EXPECT_NEAR(s.end().y()[i], other[i], 1e-10 * (1.0 + std::abs(other[i])))
          << model.name << " " << s.variables().names[static_cast<std::size_t>(i)];
  }
}

TEST(Models, ReferenceOfTheFreeBodyConservesItsMomentum) {
  const Model model = rigid_body();
  const Solution s = solve(model.problem, model.interval, {.method = "rk4", .fixed_step = 0.5});
  const auto momentum = [&](double t) {
    Eigen::VectorXd x(s.variables().size());
    EXPECT_TRUE(model.exact(t, s.variables(), Out(x.data(), x.size())));
    const Eigen::Map<const Eigen::Matrix3d> R(x.data());
    const Eigen::Vector3d w = x.segment(9, 3);
    return Eigen::Vector3d(R * Eigen::Vector3d(1.0 * w[0], 1.5 * w[1], 2.0 * w[2]));
  };
  EXPECT_LT((momentum(model.interval.from) - momentum(model.interval.to)).norm(), 1e-12);
}

}  // namespace
}  // namespace daedalus::methods_test
