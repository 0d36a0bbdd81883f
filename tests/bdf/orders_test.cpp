// SPDX-License-Identifier: BSD-3-Clause
// Observed orders 1 to 5 with constant and with smoothly varying steps, from exact start values,
// errors taken from step 2 k + 1 on: full order in all components for index 1 and 2 (Tischendorf
// 1992, section 1.3; Gear, Gupta, Leimkuhler 1985).
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numbers>

#include <daedalus/testing/order.hpp>

#include "bdf/support.hpp"

namespace daedalus::bdf_test::orders_test {
namespace {

using Exact = std::function<void(double t, Out y)>;

struct Subject {
  std::string name;
  Problem problem;
  Interval interval;
  Exact exact;
  int coarsest;
  double floor;  // remainders of Newton's iteration, which index 2 magnifies by 1/h
};

Exact from_catalogue(const std::string& name) {
  const problems::Entry* e = problems::find_problem(name);
  return [e](double t, Out y) {
    int i = 0;
    for (const auto& [variable, value] : e->exact(t, {})) y[i++] = value;
  };
}

// y1' = y2 z, y2' = -y1 z, z^3 + z (y1^2 + y2^2) = w^3 + w with w = 1 + sin(t) / 2:
// y = (sin phi, cos phi), z = w, phi = t + (1 - cos t) / 2.
Problem index_one() {
  return SemiExplicitProblem{
      .name = "index-one",
      .f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
        f[0] = y[1] * z[0];
        f[1] = -y[0] * z[0];
      }),
      .g = autodiff([](const auto& t, const auto& y, const auto& z, auto& g) {
        using std::sin;
        const auto w = 1.0 + 0.5 * sin(t);
        g[0] = z[0] * z[0] * z[0] + z[0] * (y[0] * y[0] + y[1] * y[1]) - w * w * w - w;
      }),
      .y0 = vector({0.0, 1.0}),
      .z0 = vector({1.0})};
}
void exact_index_one(double t, Out y) {
  const double phi = t + 0.5 * (1.0 - std::cos(t));
  y[0] = std::sin(phi), y[1] = std::cos(phi), y[2] = 1.0 + 0.5 * std::sin(t);
}

std::vector<Subject> subjects() {
  return {{"index 1", index_one(), {0.0, 2.0}, exact_index_one, 64, 1e-11},
          {"index 2 Hessenberg, jay",
           problems::find_problem("jay")->problem(),
           {0.0, 1.0},
           from_catalogue("jay"),
           40,
           1e-9},
          {"index 2 general form",
           GeneralForm::problem(),
           {0.0, 1.0},
           [](double t, Out y) { y = GeneralForm::exact(t); },
           40,
           1e-9}};
}

std::vector<double> smooth_steps(Interval i, int count) {
  std::vector<double> steps;
  double sum = 0.0;
  for (int n = 0; n < count; ++n) {
    steps.push_back(1.0 + 0.3 * std::sin(2.0 * std::numbers::pi * n / count));
    sum += steps.back();
  }
  for (double& h : steps) h *= (i.to - i.from) / sum;
  return steps;
}

// Largest error per variable over the states from number 2 k + 1 on.
Eigen::VectorXd errors(const Subject& s, int k, int count, bool varying, bool exact_start = true) {
  Options o{.method = "bdf", .rtol = 1e-11, .atol = 1e-11, .output = Output::steps};
  o.start = StartStrategy::given;
  o.method_options["order"] = k;
  o.method_options["newton_tolerance"] = 1e-2;
  if (exact_start)
    o.known = [&s](double t, Out y) {
      s.exact(t, y);
      return true;
    };
  if (varying)
    o.step_sequence = smooth_steps(s.interval, count);
  else
    o.fixed_step = (s.interval.to - s.interval.from) / count;
  const Solution solution = solve(s.problem, s.interval, o);
  EXPECT_TRUE(solution.ok()) << s.name << ": " << solution.message();
  Eigen::VectorXd truth(solution.variables().size());
  Eigen::VectorXd worst = Eigen::VectorXd::Zero(truth.size());
  for (std::size_t n = static_cast<std::size_t>(2 * k + 1); n < solution.times().size(); ++n) {
    s.exact(solution.times()[n], Out(truth.data(), truth.size()));
    worst = worst.cwiseMax((solution.state(n).y() - truth).cwiseAbs());
  }
  return worst;
}

void expect_orders(bool varying) {
  for (const Subject& s : subjects())
    for (int k = 1; k <= 5; ++k) {
      std::vector<double> h;
      std::vector<std::vector<double>> e;
      for (int level = 0; level < 4; ++level) {
        const int count = s.coarsest << level;
        const Eigen::VectorXd now = errors(s, k, count, varying);
        h.push_back(1.0 / count);
        e.resize(static_cast<std::size_t>(now.size()));
        for (int i = 0; i < now.size(); ++i) e[static_cast<std::size_t>(i)].push_back(now[i]);
      }
      for (std::size_t i = 0; i < e.size(); ++i) {
        if (e[i].front() < s.floor) continue;  // solved exactly
        const double p = testing::observed_order(h, e[i], s.floor);
        EXPECT_NEAR(p, k, 0.3) << s.name << ", order " << k << ", variable " << i + 1 << ", errors "
                               << e[i].front() << " to " << e[i].back();
      }
    }
}

TEST(BdfOrders, ConstantSteps) { expect_orders(false); }
TEST(BdfOrders, SmoothlyVaryingSteps) { expect_orders(true); }

// What the measurement above rests on: the extrapolated double step leaves an error of order 3.
TEST(BdfOrders, StartValuesMatter) {
  const Subject s = subjects()[1];
  const double coarse = errors(s, 5, 40, false, false)[0], fine = errors(s, 5, 80, false, false)[0];
  EXPECT_LT(std::log2(coarse / fine), 4.0);
}

struct Result {
  bool ok;
  double error;
};
Result gear_petzold(double eta, double stated, int k) {
  const problems::Entry& e = *problems::find_problem("gear-petzold");
  const problems::Values values{{"eta", eta}, {"stated", stated}};
  Options o{.method = "bdf", .rtol = 1e-10, .atol = 1e-10, .fixed_step = 0.02};
  o.method_options["order"] = k;
  o.method_options["newton_tolerance"] = 1e-3;
  const Solution s = solve(e.problem(values), {e.t0, e.t0 + 1.0}, o);
  double worst = 0.0;
  for (const auto& [name, value] : e.exact(s.end_time(), values))
    worst = std::max(worst, std::abs(s.end()[name] - value));
  return {s.ok(), worst};
}

// Properly stated leading term: (x1 + eta t x2)' + x2 = q2, x1 + eta t x2 = q1 is solved to
// round-off by every order for q = t and all eta; differentiating x instead diverges at eta = -2
// (Gear, Petzold 1984; Tischendorf 1992, section 1.3).
TEST(BdfOrders, StatedLeadingTermCuresGearPetzold) {
  for (const double eta : {-2.0, -1.0, -0.6, 1.0})
    for (const int k : {1, 2, 3, 5}) {
      const Result r = gear_petzold(eta, 1.0, k);
      ASSERT_TRUE(r.ok) << "eta " << eta << ", order " << k;
      EXPECT_LT(r.error, 1e-9) << "eta " << eta << ", order " << k;
    }
  const Result plain = gear_petzold(-2.0, 0.0, 2);
  EXPECT_TRUE(!plain.ok || !(plain.error < 1.0)) << "the unstable form should show";
}

}  // namespace
}  // namespace daedalus::bdf_test::orders_test
