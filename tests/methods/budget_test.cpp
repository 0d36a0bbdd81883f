// What a linearly implicit step may cost, digits per tolerance on the test set's problems, and the
// orders on the transistor amplifier.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <problems/catalogue.hpp>

#include "kernel/rosenbrock_table.hpp"
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

// One factorisation per attempt, one Jacobian per accepted step; f at the beginning of a step is
// kept over a rejection, so at most s evaluations for the first attempt and s - 1 for each further
// one; exactly as many when no two stages share their argument, as in rodas4.
TEST(Budget, OfRosenbrockStepsIsExact) {
  int rejected = 0, checked = 0;
  for (const Method* m : with_view(View::linear)) {
    if (m->family != "rosenbrock") continue;
    const long stages = static_cast<const RosenbrockCoefficients*>(m->table)->stages;
    for (const char* name : {"transistor-amplifier", "akzo", "hires", "van-der-pol"})
      for (const double tolerance : {1e-4, 1e-6}) {
        const Solution s = run(*m, *problems::find_problem(name), tolerance);
        ASSERT_TRUE(s.ok()) << name << ": " << s.message();
        const Statistics& all = s.statistics();
        const Counts& step = all.in(Phase::step);
        EXPECT_EQ(step.factorisations, all.steps()) << name;
        const long most = stages * all.accepted + (stages - 1) * all.rejected;
        EXPECT_LE(step.function_evaluations, most) << name;
        if (m->name == "rodas4") {
          EXPECT_EQ(stages, 6);
          EXPECT_EQ(step.function_evaluations, most) << name;
        }
        EXPECT_EQ(step.jacobian_evaluations, all.accepted) << name;
        EXPECT_EQ(step.solves, stages * all.steps()) << name;
        EXPECT_EQ(step.residual_evaluations, 0) << name;
        rejected += static_cast<int>(all.rejected);
        ++checked;
      }
  }
  EXPECT_GT(checked, 0);
  EXPECT_GT(rejected, 0) << "the budget of rejected steps was not seen";
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

// 8000, 16000 and 32000 steps over [0, 0.2]: coarser ones do not resolve the diodes.
TEST(TransistorAmplifier, OrderOfMethodsOnTheLinearView) {
  const problems::Entry& e = *problems::find_problem("transistor-amplifier");
  const auto exact = [&e](double t, const Variables& variables, Out y) {
    if (t != e.t_end) return false;
    for (const auto& [name, value] : e.reference->values) y[variables.find(name)] = value;
    return true;
  };
  for (const Method* m : with_view(View::linear)) {
    const double T = e.t_end - e.t0;
    const testing::OrderStudy study = testing::measure_order(
        e.problem(), {e.t0, e.t_end}, {.method = m->name}, {T / 8000, T / 16000, T / 32000}, exact);
    ASSERT_EQ(study.failure, "");
    const std::vector<double>& errors = study.errors.at("y");
    if (errors[2] < 1e-10) continue;  // at the digits of the reference
    EXPECT_NEAR(study.orders.at("y"), m->orders[VariableClass::y], 0.25)
        << m->name << ": " << errors[0] << " " << errors[1] << " " << errors[2];
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
