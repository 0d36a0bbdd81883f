// SPDX-License-Identifier: BSD-3-Clause
// A restart after an event keeps what is differentiated, unless a handler changed it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "loop/support.hpp"

namespace daedalus::loop_test {
namespace {

using ::testing::HasSubstr;

// Index 2: p1' = q - p1, p2' = u - q, 0 = p1 - 2 p2. The hidden constraint 3 q = p1 + 2 u contains
// p1, so that a smallest change would move p1 and p2 as well where the mode u jumps; but p2 obeys
// p2' = (u - 2 p2) / 3 on both sides. u = 1 until t = 1, then 3.
Problem reservoirs(double scale = 1.0) {
  return MassMatrixProblem{.name = "reservoirs",
                           .mass_matrix =
                               [] {
                                 Eigen::Matrix3d M = Eigen::Matrix3d::Zero();
                                 M(0, 0) = M(1, 1) = 1.0;
                                 return SparseMatrix(M.sparseView());
                               }(),
                           .rhs = autodiff([scale](const auto& x, auto& f) {
                             f[0] = scale * x.y[2] - x.y[0];
                             f[1] = x.modes[0] - scale * x.y[2];
                             f[2] = x.y[0] - 2.0 * x.y[1];
                           }),
                           .variable_index = {1, 1, 2},
                           .y0 = vector({0.0, 0.0, 2.0 / 3.0 / scale}),
                           .index = 2,
                           .variables = {"p1", "p2", "q"},
                           .modes = {1.0}};
}

Event at_one(std::function<void(EventContext&)> handler) {
  return {.name = "valve",
          .when = [](const StateView& s) { return s.t() - 1.0; },
          .action = EventAction::handle,
          .handler = std::move(handler)};
}

double after(double t, double u, double p2) {
  return u / 2 + (p2 - u / 2) * std::exp(-2.0 * t / 3.0);
}

TEST(Restart, KeepsWhatIsDifferentiated) {
  for (const char* method : {"auto", "radau5", "bdf"})
    for (const double scale : {1.0, 1e-3, 1e3})
      for (const double tolerance : {1e-4, 1e-8}) {
        Options o{.method = method, .rtol = tolerance, .atol = tolerance};
        o.start = StartStrategy::solve;
        o.events = {at_one([](EventContext& c) { c.modes[0] = 3.0; })};
        const Solution s = solve(reservoirs(scale), {0.0, 2.0}, o);
        ASSERT_TRUE(s.ok()) << method << ": " << s.message();
        const double p2 = after(1.0, 3.0, after(1.0, 1.0, 0.0));
        EXPECT_NEAR(s.end()["p2"], p2, 100.0 * tolerance) << method << " " << scale;
        EXPECT_NEAR(s.end()["p1"], 2.0 * p2, 200.0 * tolerance) << method << " " << scale;
        for (const std::string& w : s.warnings())
          EXPECT_THAT(w, ::testing::Not(HasSubstr("changed"))) << w;
      }
}

TEST(Restart, NamesWhatTheEquationsDoNotAllow) {
  Options o{.method = "radau5", .rtol = 1e-6, .atol = 1e-6};
  o.start = StartStrategy::solve;
  o.events = {at_one([](EventContext& c) { c.y[0] = 5.0; })};  // p1 = 2 p2 is violated
  const Solution s = solve(reservoirs(), {0.0, 2.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_FALSE(s.warnings().empty());
  const std::string& text = s.warnings().front();
  EXPECT_THAT(text, HasSubstr("'valve'"));
  EXPECT_THAT(text, HasSubstr("'p1' from 5 to "));
  EXPECT_THAT(text, HasSubstr("'p2' from 0.2432"));  // (1 - exp(-2/3)) / 2
}

TEST(Restart, KeepsWhatAHandlerChangedConsistently) {
  Options o{.method = "radau5", .rtol = 1e-8, .atol = 1e-8};
  o.start = StartStrategy::solve;
  o.events = {at_one([](EventContext& c) {
    c.y[0] = 4.0;
    c.y[1] = 2.0;
  })};
  const Solution s = solve(reservoirs(), {0.0, 2.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end()["p2"], after(1.0, 1.0, 2.0), 1e-6);
}

// Index 3, a pendulum whose weight is switched off at the bottom: what the run has left of the
// hidden constraints lets nothing be kept to the last digit, and the smallest change of all would
// have moved the speed by a fifth, so that the multiplier, which halves, could stay.
TEST(Restart, KeepsVelocitiesOfIndex3) {
  ImplicitProblem p{.name = "pendulum"};
  p.residual = autodiff([](const auto& x, auto& r) {
    const auto &y = x.y, &yp = x.yp;
    r[0] = yp[0] - y[2];
    r[1] = yp[1] - y[3];
    r[2] = yp[2] + y[0] * y[4];
    r[3] = yp[3] + y[1] * y[4] + 9.81 * x.modes[0];
    r[4] = 0.5 * (y[0] * y[0] + y[1] * y[1] - 1.0);
  });
  p.variable_index = {1, 1, 2, 2, 3};
  p.index = 3;
  p.y0 = Eigen::VectorXd::Unit(5, 0);
  p.yp0 = -9.81 * Eigen::VectorXd::Unit(5, 3);
  p.modes = {1.0};
  const Event off{.name = "off",
                  .when = [](const StateView& s) { return s.y()[0]; },
                  .direction = Crossing::falling,
                  .action = EventAction::handle,
                  .handler =
                      [](EventContext& c) {
                        c.modes[0] = 0.0;
                        c.solve_algebraic = true;
                      }};
  const double speed = std::sqrt(2.0 * 9.81);
  for (const char* method : {"auto", "bdf", "radau", "radau5"})
    for (const double tolerance : {1e-3, 1e-5})
      for (const StartStrategy start : {StartStrategy::automatic, StartStrategy::solve}) {
        Options o{.method = method, .rtol = tolerance, .atol = tolerance};
        o.start = start;
        o.events = {off};
        const Solution s = solve(p, {0.0, 0.9}, o);
        ASSERT_TRUE(s.ok()) << method << ": " << s.message();
        const Eigen::VectorXd end = s.end().y();
        EXPECT_NEAR(end.segment(2, 2).norm(), speed, 300.0 * tolerance) << method << tolerance;
        EXPECT_NEAR(end[4], speed * speed, 0.1 * speed * speed) << method << tolerance;
      }
}

}  // namespace
}  // namespace daedalus::loop_test
