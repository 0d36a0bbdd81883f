// SPDX-License-Identifier: BSD-3-Clause
// The step control of Steinebach (1988), section 7.1, with his forward differences: it takes the
// steps of the tables of that report.
#include <numbers>

#include "control/controller.hpp"
#include "rosenbrock/support.hpp"

namespace daedalus::rosenbrock_test {
namespace {

Options report(const std::string& method, double tolerance) {
  Options o = with_tolerance(method, tolerance);
  o.control = "steinebach";
  o.initial_step = 1e-3;
  o.difference_increment = 1.5e-8;
  return o;
}

struct Row {
  const char* method;
  long accepted, rejected;
  std::vector<double> errors;  // as printed, two digits
};

double relative_to_printed(double error, double printed) {
  // One unit of the second printed digit.
  const double unit = std::pow(10.0, std::floor(std::log10(printed)) - 1.0);
  return std::abs(error - printed) / unit;
}

void expect_rows(const Problem& p, double t_end, double tolerance, const std::vector<Row>& rows,
                 const Eigen::VectorXd& exact, long slack = 0) {
  for (const Row& row : rows) {
    const Solution s = solve(p, {0.0, t_end}, report(row.method, tolerance));
    ASSERT_EQ(s.status(), Status::success) << row.method << ": " << s.message();
    EXPECT_NEAR(static_cast<double>(s.statistics().accepted), static_cast<double>(row.accepted),
                static_cast<double>(slack))
        << row.method;
    EXPECT_EQ(s.statistics().rejected, row.rejected) << row.method;
    const Eigen::VectorXd e = (s.end().y() - exact).cwiseAbs();
    for (std::size_t i = 0; i < row.errors.size(); ++i)
      if (row.errors[i] > 0.0) {
        EXPECT_LE(relative_to_printed(e[static_cast<int>(i)], row.errors[i]), 1.0)
            << row.method << ", component " << i << ": " << e[static_cast<int>(i)];
      }
  }
}

TEST(ReportControl, ExampleOneA) {
  expect_rows(circle(), 1.0, 1e-4,
              {{"dae4sf-1988", 17, 1, {4.6e-5, 3.7e-4}},
               {"dae3s", 28, 0, {9.3e-6, 6.3e-6}},
               {"dae34ns", 17, 0, {7.3e-5, 9.7e-5}},
               {"dae33ns", 19, 0, {1.1e-5, 9.5e-6}},
               {"dae3ns", 22, 0, {6.5e-6, 5.4e-6}}},
              vec({std::sin(1.0), std::cos(1.0)}));
}

TEST(ReportControl, ExampleOneB) {
  expect_rows(circle(), 1.570796327, 1e-4,
              {{"dae4sf-1988", 25, 8, {2.5e-5, 3.6e-3}},
               {"dae3s", 46, 2, {9.9e-6, 1.1e-3}},
               {"dae33ns", 23, 0, {2.6e-6, 7.2e-5}},
               {"dae3ns", 28, 0, {8.6e-7, 3.3e-5}}},
              vec({std::sin(1.570796327), std::cos(1.570796327)}));
}

TEST(ReportControl, ExampleTwoBWithTolerance1e6) {
  // One error of dae34ns depends on the increment of the differences and is not compared.
  expect_rows(decay(), 2.0, 1e-6,
              {{"dae4sf-1988", 187, 0, {1.0e-9, 1.2e-5, 1.6e-3}},
               {"dae3s", 894, 0, {3.0e-10, 2.5e-7, 3.4e-5}},
               {"dae34ns", 179, 0, {2.9e-8, 5.4e-7, 0.0}},
               {"dae33ns", 370, 0, {8.6e-9, 3.3e-9, 2.1e-5}},
               {"dae3ns", 413, 0, {4.8e-9, 4.7e-7, 5.1e-5}}},
              vec({std::exp(-6.0), std::exp(-2.0), -6.0}), 1);
}

TEST(ReportControl, ExampleThreeB) {
  const double T = 1.570796327;
  expect_rows(example_three(), T, 1e-4,
              {{"dae4sf-1988", 26, 3, {3.3e-5, 1.4e-6, 4.0e-3, 1.9e-6}},
               {"dae3s", 44, 4, {1.3e-5, 6.4e-6, 9.8e-4, 2.5e-6}},
               {"dae33ns", 49, 1, {2.8e-7, 3.6e-6, 2.3e-4, 1.4e-6}},
               {"dae3ns", 53, 1, {4.1e-7, 1.6e-6, 1.6e-4, 5.7e-7}}},
              vec({std::sin(T), std::exp(-T / 2.0), std::cos(T), std::exp(-2.0 * T)}));
}

// The recomputed set takes other steps: the tables were made with the printed one.
TEST(ReportControl, RecomputedDae4sfIsNotTheSetOfTheTables) {
  const Solution s = solve(decay(), {0.0, 2.0}, report("dae4sf", 1e-6));
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.statistics().accepted, 159);
}

// At pi/2 g_z is singular: runs that end there do so because the step falls below 2.2e-15 of the
// interval, after many rejections in a row.
TEST(ReportControl, StopsAtASingularityByTheSmallestStep) {
  const std::tuple<const char*, double, long> runs[] = {
      {"dae3s", 1.5720, 46}, {"dae34ns", 1.5713, 35}, {"dae33ns", 1.5653, 23}};
  for (const auto& [name, where, accepted] : runs) {
    const Solution s = solve(circle(), {0.0, 2.0}, report(name, 1e-4));
    EXPECT_EQ(s.status(), Status::step_too_small) << name << ": " << s.message();
    EXPECT_NEAR(s.end_time(), where, 1e-4) << name;
    EXPECT_EQ(s.statistics().accepted, accepted) << name;
    EXPECT_GT(s.statistics().rejected, 40) << name;
  }
  const Solution through = solve(circle(), {0.0, 2.0}, report("dae3ns", 1e-4));
  EXPECT_TRUE(through.ok()) << through.message();
  EXPECT_EQ(through.statistics().accepted, 40);
  EXPECT_EQ(through.statistics().rejected, 6);
}

// The look-ahead: the last two steps are equal halves of what is left.
TEST(ReportControl, EndsWithEqualHalves) {
  std::vector<double> h;
  Options o = report("dae3ns", 1e-4);
  o.trace = [&h](const StepRecord& r) {
    if (r.outcome == "accepted") h.push_back(r.h);
  };
  ASSERT_TRUE(solve(decay(), {0.0, 0.5}, o).ok());
  ASSERT_GE(h.size(), 3u);
  EXPECT_LE(h.back(), h[h.size() - 2] * 1.5 + 1e-12);
  for (std::size_t i = 1; i + 2 < h.size(); ++i) {
    EXPECT_LE(h[i], 1.5 * h[i - 1] * (1.0 + 1e-12));
    EXPECT_GE(h[i], 0.5 * h[i - 1] * (1.0 - 1e-12));
  }
}

// Fast algebraic variables beside slow differential ones: z = sin 50t is resolved though y is not
// even noticed to move. Without the test of z the step would be some ten times longer.
TEST(ErrorControl, CoversAlgebraicVariables) {
  SemiExplicitProblem p;
  p.name = "fast algebraic variable";
  p.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) { f[0] = -0.1 * y[0]; });
  p.g = autodiff([](const auto& t, const auto& y, const auto& z, auto& g) {
    using std::sin;
    g[0] = z[0] * (1.0 + 0.1 * z[0] * z[0]) + y[0] - sin(50.0 * t);
  });
  p.y0 = vec({0.0});
  p.z0 = vec({0.0});
  for (const Method* m : family()) {
    if (m->fixed_step_only) continue;
    for (const char* control : {"auto", "steinebach"}) {
      Options o = with_tolerance(m->name, 1e-5);
      o.control = control;
      o.max_step = 0.5;
      const Solution s = solve(p, {0.0, 2.0}, o);
      ASSERT_TRUE(s.ok()) << m->name << ": " << s.message();
      const double z = s.end().z()[0];
      EXPECT_NEAR(z * (1.0 + 0.1 * z * z), std::sin(100.0), 2e-3) << m->name << " " << control;
      EXPECT_GT(s.statistics().accepted, 60) << m->name << " " << control;
      o.untested = {"z1"};
      EXPECT_LT(2 * solve(p, {0.0, 2.0}, o).statistics().accepted, s.statistics().accepted)
          << m->name << " " << control;
    }
  }
}

TEST(Differences, IncrementIsTheGivenOne) {
  // f = y^3 by (f(y + d) - f(y)) / d with d = increment max(1, |y|): a first step of dae3s differs
  // from the exact one by what 3 y^2 + 3 y d predicts; a large increment makes that visible.
  SemiExplicitProblem p;
  p.name = "cubic";
  p.f = autodiff(
      [](const auto&, const auto& y, const auto&, auto& f) { f[0] = -y[0] * y[0] * y[0]; });
  p.y0 = vec({2.0});
  const auto end = [&](double increment, double rate) {
    SemiExplicitProblem q = p;
    if (rate != 0.0) q.f_y = [rate](double, In, In, MatrixOut J) { J(0, 0) = rate; };
    Options o{.method = "dae3s", .output = Output::end, .fixed_step = 0.1};
    o.difference_increment = increment;
    return solve(q, {0.0, 0.1}, o).end().y()[0];
  };
  const double y = 2.0, d = 0.01 * y;
  const double quotient = -(std::pow(y + d, 3) - std::pow(y, 3)) / d;
  EXPECT_NEAR(end(0.01, 0.0), end(0.0, quotient), 1e-12);
  EXPECT_GT(std::abs(end(0.01, 0.0) - end(0.0, 0.0)), 1e-6);
  Options o = with_tolerance("dae3s", 1e-4);
  o.difference_increment = -1.0;
  EXPECT_THROW(solve(p, {0.0, 0.1}, o), InvalidArgument);
}

}  // namespace
}  // namespace daedalus::rosenbrock_test
