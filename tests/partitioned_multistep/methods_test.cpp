// SPDX-License-Identifier: BSD-3-Clause
// The methods with constant k: the truck of Arnold (1998), section 3.3.3, cost per step, start
// values, special cases of multibody systems, settings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <catalogue/catalogue.hpp>

#include <daedalus/stepper.hpp>
#include "formulation/lower.hpp"
#include "partitioned_multistep/models.hpp"

namespace daedalus::partitioned_multistep_test {
namespace {

using Settings = std::map<std::string, double>;

// Values at t = 1: two half-explicit methods of order 5 with 3200 steps agree to 7e-13.
constexpr std::array<double, 20> truck_end{
    0.5867861392528207,     2.092954231737375,      -0.0003461760120743681, 0.5912211100450591,
    2.991477527780668,      -0.0021402206192094792, -1.4601490100673835,    2.9944485704406087,
    0.00026808342309051555, -0.026078370006822733,  -0.12034510809658114,   0.06805262512507014,
    0.010761364788436902,   0.08358877229611401,    0.08500666751329496,    -0.05620791589203713,
    -0.23074067096295905,   0.06120171362462742,    -710.2877114144,        -67868.14963934};

struct Errors {
  double y, lambda;
};

Solution truck(const std::string& method, int steps, const Settings& settings, bool past) {
  const Problem problem = problems::find_problem("truck9")->problem();
  const auto& body = std::get<MultibodyProblem>(problem);
  Options o{.method = method,
            .projection = ProjectionWhen::none,
            .output = Output::end,
            .fixed_step = 1.0 / steps,
            .method_options = settings};
  if (past)
    o.known = [&body](double t, Out y) {  // at rest before the rise
      if (t > 0.0) return false;
      y << body.q0, body.v0, body.lambda0;
      return true;
    };
  return solve(problem, {0.0, 1.0}, o);
}

// Arnold (1998), (3.80): root mean squares of e_i / (1e-8 + |y_i|).
Errors truck_errors(const std::string& method, int steps, const Settings& settings = {},
                    bool past = true) {
  const Solution s = truck(method, steps, settings, past);
  EXPECT_TRUE(s.ok()) << method << ": " << s.message();
  const ModelState end = s.end();
  double sums[2] = {0.0, 0.0};
  for (int i = 0; i < 20; ++i) {
    const double exact = truck_end[static_cast<std::size_t>(i)];
    const double e = (end.y()[i] - exact) / (1e-8 + std::abs(exact));
    sums[i < 18 ? 0 : 1] += e * e;
  }
  return {std::sqrt(sums[0] / 18.0), std::sqrt(sums[1] / 2.0)};
}

struct Row {
  const char* method;
  int steps;
  double y, lambda;  // 0: at the level of rounding errors
  Settings settings{};
};

void expect_rows(const std::vector<Row>& rows) {
  for (const Row& r : rows) {
    const Errors e = truck_errors(r.method, r.steps, r.settings);
    if (r.y > 0.0) {
      EXPECT_NEAR(e.y, r.y, 0.2 * r.y) << r.method << " " << r.steps;
    }
    if (r.lambda > 0.0) {
      EXPECT_NEAR(e.lambda, r.lambda, 0.2 * r.lambda) << r.method << " " << r.steps;
    }
  }
}

// Two correctors, the equilibrium as past.
TEST(Truck, ErrorsOfAdamsType) {
  expect_rows({{"adams-type-2", 400, 8.2e-5, 5.1e-5},
               {"adams-type-2", 800, 1.2e-5, 1.2e-5},
               {"adams-type-2", 1600, 1.5e-6, 2.5e-6},
               {"adams-type-3", 400, 9.3e-6, 7.7e-6},
               {"adams-type-3", 800, 4.5e-7, 4.2e-7},
               {"adams-type-3", 1600, 2.4e-8, 2.3e-8},
               {"adams-type-4", 400, 8.7e-7, 2.5e-7},
               {"adams-type-4", 800, 3.2e-8, 1.4e-8},
               {"adams-type-4", 1600, 1.1e-9, 6.1e-10},
               {"adams-type-6", 400, 1.2e-8, 3.0e-9},
               {"adams-type-6", 800, 1.2e-10, 2.3e-11},
               {"adams-type-8", 400, 2.0e-10, 8.1e-11}});
  EXPECT_LT(truck_errors("adams-type-8", 800).y, 1e-11);
}

TEST(Truck, ErrorsOfBlockedAdamsMoulton) {
  const Settings published{{"gamma", -0.1}};
  expect_rows({{"adams-blocked-3", 400, 9.3e-6, 1.7e-5, published},
               {"adams-blocked-3", 800, 4.5e-7, 1.5e-6, published},
               {"adams-blocked-3", 1600, 2.4e-8, 1.6e-7, published}});
}

// Blocking v' like lambda costs an order: 3 instead of 4.
TEST(Truck, OnlyLambdaMayBeBlocked) {
  const Settings wrong{{"gamma", -0.1}, {"block_accelerations", 1.0}};
  expect_rows({{"adams-blocked-3", 400, 1.7e-4, 3.3e-5, wrong},
               {"adams-blocked-3", 800, 2.4e-5, 7.1e-6, wrong},
               {"adams-blocked-3", 1600, 3.2e-6, 1.1e-6, wrong}});
}

// With the hidden constraint y is the same and lambda as accurate as y.
TEST(Truck, ErrorsWithTheHiddenConstraint) {
  const Errors e = truck_errors("adams-type-3", 800, {{"constraint", 1.0}});
  EXPECT_NEAR(e.y, 4.5e-7, 0.1e-7);
  EXPECT_NEAR(e.lambda, 4.35e-7, 0.2e-7);
}

// More correctors than two change little, one is less accurate but of the same order.
TEST(Truck, Correctors) {
  const double two = truck_errors("adams-type-4", 800).y;
  EXPECT_NEAR(truck_errors("adams-type-4", 800, {{"correctors", 5.0}}).y, two, 0.2 * two);
  const double coarse = truck_errors("adams-type-4", 800, {{"correctors", 1.0}}).y;
  const double fine = truck_errors("adams-type-4", 1600, {{"correctors", 1.0}}).y;
  EXPECT_GT(std::log2(coarse / fine), 4.7);
}

// 3 f and 3 systems in each step for every k; M + 1 with M correctors. The first step is the
// difference of the start procedures and is left out by comparing two lengths.
TEST(Cost, IsThreeEvaluationsAndSystemsForEveryK) {
  const auto counts = [](const std::string& method, int steps, const Settings& settings) {
    return truck(method, steps, settings, false).statistics().in(Phase::step);
  };
  int checked = 0;
  for (const Method* m : all_methods()) {
    if (m->family != "partitioned-multistep" || !m->fixed_step_only) continue;
    for (const int correctors : {1, 2, 4}) {
      // Large k are not stable with few steps; their cost is the same there.
      const Settings settings{{"correctors", static_cast<double>(correctors)}};
      const Counts a = counts(m->name, 400, settings), b = counts(m->name, 500, settings);
      EXPECT_EQ(b.function_evaluations - a.function_evaluations, 100 * (correctors + 1)) << m->name;
      EXPECT_EQ(b.factorisations - a.factorisations, 100 * (correctors + 1)) << m->name;
      EXPECT_EQ(b.solves - a.solves, 100 * (correctors + 1)) << m->name;
      EXPECT_EQ(b.curvature_evaluations, a.curvature_evaluations) << m->name;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 17 * 3);
}

// Start values: k (k + 1) evaluations for the collocation step, one per known value.
TEST(Start, Costs) {
  for (const int k : {1, 4, 8}) {
    const std::string method = "adams-type-" + std::to_string(k);
    const auto evaluations = [&](bool past) {
      return truck(method, 500, {}, past).statistics().in(Phase::step).function_evaluations;
    };
    EXPECT_EQ(evaluations(false), 3 * 499 + k * (k + 1));
    EXPECT_EQ(evaluations(true), k == 1 ? 3 * 499 + 2 : 3 * 500 + k - 1);
  }
}

std::vector<Errors> everything_errors(const std::string& method, std::vector<int> counts,
                                      const Settings& settings, bool known) {
  std::vector<Errors> list;
  for (const int n : counts) {
    Options o{.method = method,
              .projection = ProjectionWhen::none,
              .output = Output::end,
              .fixed_step = 1.0 / n,
              .method_options = settings};
    if (known)
      o.known = [](double t, Out y) {
        y = exact_everything(t);
        return true;
      };
    const Solution s = solve(everything(), {0.0, 1.0}, o);
    EXPECT_TRUE(s.ok()) << method << ": " << s.message();
    const Eigen::VectorXd e = (Eigen::VectorXd(s.end().y()) - exact_everything(1.0)).cwiseAbs();
    list.push_back({e.head(6).maxCoeff(), e[6]});  // q, v, c and s
  }
  return list;
}

// c, s, g_t, T, M(q) and friction at once: order k + 1 in q, v, c and s, k in lambda, with exact
// start values and with the method's own.
TEST(Everything, HasTheOrders) {
  struct Entry {
    const char* method;
    int k, coarse;
  };
  for (const Entry& e : {Entry{"adams-type-1", 1, 80},
                         {"adams-type-3", 3, 40},
                         {"adams-type-4", 4, 40},
                         {"adams-type-6", 6, 40},
                         {"adams-blocked-1", 1, 80},
                         {"adams-blocked-2", 2, 40},
                         {"adams-blocked-3", 3, 80},
                         {"dcbdf-blocked-2", 2, 40},
                         {"dcbdf-blocked-4", 4, 40}})
    for (const bool known : {true, false}) {
      const auto errors = everything_errors(e.method, {e.coarse, 2 * e.coarse}, {}, known);
      EXPECT_GT(std::log2(errors[0].y / errors[1].y), e.k + 0.75) << e.method << " " << known;
      EXPECT_GT(std::log2(errors[0].lambda / errors[1].lambda), e.k - 0.25)
          << e.method << " " << known;
      EXPECT_LT(errors[1].y, 1e-3) << e.method;
    }
  // The hidden constraint makes lambda as accurate as y.
  const auto hidden = everything_errors("adams-type-3", {40, 80}, {{"constraint", 1.0}}, true);
  EXPECT_GT(std::log2(hidden[0].lambda / hidden[1].lambda), 3.75);
}

// The method on its own: Hessenberg form, start values of its own or exact ones.
Errors hessenberg_errors(const std::string& name, int steps, bool exact) {
  const problems::Entry& entry = *problems::find_problem("index2-p3");
  const auto problem = std::make_shared<const Problem>(entry.problem());
  const auto system = lower(problem, "", View::partitioned, {}, 0.0);
  State state = model_start(*system, *problem, 0.0);
  system->prepare(state);
  const Method& m = *find_method(name);
  const auto stepper = m.make(*system, [&](std::string_view key) {
    for (const MethodOption& o : m.options)
      if (o.key == key) return o.standard;
    ADD_FAILURE() << "no option " << key;
    return 0.0;
  });
  const auto values = [&](double t, Eigen::VectorXd& x) {
    for (const auto& [variable, value] : entry.exact(t, {}))
      x[system->variables->find(variable)] = value;
  };
  const Trajectory known = [&](double t, State& s) {
    values(t, s.x);
    return true;
  };
  EXPECT_EQ(stepper->start({StartReason::begin, state, exact ? &known : nullptr}), Outcome::ok);
  const Eigen::VectorXd weight = Eigen::VectorXd::Constant(3, 1e-9);
  const double h = 1.0 / steps;
  for (int n = 0; n < steps; ++n) {
    const Attempt a = stepper->attempt({n, n * h, h, (n + 1) * h, m.order, weight});
    EXPECT_EQ(a.outcome, Outcome::ok) << name;
    stepper->commit(false);
  }
  Eigen::VectorXd truth(3);
  values(1.0, truth);
  const Eigen::VectorXd e = (stepper->trial().x - truth).cwiseAbs();
  return {e.head(2).maxCoeff(), e[2]};
}

TEST(Hessenberg, HasTheOrders) {
  struct Entry {
    const char* method;
    int k, steps;
  };
  for (const Entry& e : {Entry{"adams-type-1", 1, 80},
                         {"adams-type-3", 3, 80},
                         {"adams-type-4", 4, 40},
                         {"adams-blocked-1", 1, 80},
                         {"adams-blocked-3", 3, 80},
                         {"dcbdf-blocked-1", 1, 80},
                         {"dcbdf-blocked-3", 3, 80}})
    for (const bool exact : {true, false}) {
      const Errors coarse = hessenberg_errors(e.method, e.steps, exact);
      const Errors fine = hessenberg_errors(e.method, 2 * e.steps, exact);
      EXPECT_GT(std::log2(coarse.y / fine.y), e.k + 0.75) << e.method << " " << exact;
      EXPECT_GT(std::log2(coarse.lambda / fine.lambda), e.k - 0.25) << e.method << " " << exact;
    }
}

// The engine on an equidistant grid is the formula with constant coefficients: errors as in the
// order study (study_test.cpp).
TEST(Hessenberg, AgreesWithTheStudy) {
  const Errors e = hessenberg_errors("adams-type-4", 80, true);
  EXPECT_NEAR(e.y, 1.465e-11, 0.02e-11);
  EXPECT_NEAR(e.lambda, 1.451e-9, 0.005e-9);
}

void expect_refused(const std::string& method, const Settings& settings, const char* says) {
  try {
    (void)truck(method, 100, settings, false);
    ADD_FAILURE() << method << " accepts what it should not: " << says;
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
  }
}

TEST(Settings, OutsideTheirRangeAreRefused) {
  expect_refused("adams-type-4", {{"correctors", 0.0}}, "correctors: 0 is not allowed");
  expect_refused("adams-type-4", {{"correctors", 1.5}}, "correctors: 1.5 is not allowed");
  expect_refused("adams-type-4", {{"constraint", 4.0}}, "constraint: 4 is not allowed");
  expect_refused("adams-type-4", {{"constraint", 2.0}}, "no blocking");
  expect_refused("adams-blocked-3", {{"gamma", -0.3}}, "between -1/4 and -1/12");
  expect_refused("adams-blocked-2", {{"gamma", 0.1}}, "below -1/12");
  expect_refused("adams-blocked-1", {{"gamma", 0.5}}, "below 0");
}

TEST(Settings, MethodsAreDescribed) {
  for (int k = 1; k <= 8; ++k)
    for (const char* stem : {"adams-type-", "adams-blocked-", "dcbdf-blocked-"}) {
      const Method* m = find_method(stem + std::to_string(k));
      const bool expected = stem[0] == 'd' ? k <= 6 : stem[6] == 'b' ? k <= 3 : true;
      ASSERT_EQ(m != nullptr, expected) << stem << k;
      if (!m) continue;
      EXPECT_EQ(m->order, k + 1);
      EXPECT_EQ(m->orders[VariableClass::q], k + 1);
      EXPECT_EQ(m->orders[VariableClass::lambda], k);
      EXPECT_TRUE(m->hessenberg_only && m->fixed_step_only);
    }
}

}  // namespace
}  // namespace daedalus::partitioned_multistep_test
