// SPDX-License-Identifier: BSD-3-Clause
// The system of a chart by itself: its derivatives, the way to model variables and back, and what a
// change of the chart keeps.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include <catalogue/catalogue.hpp>

#include "formulation/lower.hpp"
#include "start/consistent.hpp"
#include "state_space/models.hpp"
#include "system/mechanical_view.hpp"

namespace daedalus::state_space_test {
namespace {

struct InChart {
  std::shared_ptr<const Problem> problem;
  std::unique_ptr<System> system;
  State state;

  InChart(const Problem& p, View view, double t0 = 0.0)
      : problem(std::make_shared<const Problem>(p)),
        system(lower(problem, "state-space", view, {}, t0)) {
    System& model = *system->model_system();
    State given = model_start(*system, p, t0);
    model.prepare(given);
    StartRequest request;
    request.weight = Eigen::VectorXd::Constant(model.layout.tangents(), 1e-9);
    const StartReport report = make_consistent(model, given, request);
    EXPECT_EQ(report.status, Status::success) << report.message;
    EXPECT_EQ(system->enter(given, state), Outcome::ok);
    system->prepare(state);
  }
  Eigen::VectorXd model_at(const State& s) const {
    Eigen::VectorXd y(system->variables->size());
    system->to_model(s, y.data());
    return y;
  }
};

State moved(const State& s, double distance) {
  State m = s;
  for (int i = 0; i < m.x.size(); ++i) m.x[i] += distance * std::cos(1.0 + i) * (1.0 + 0.3 * i);
  return m;
}

// f_x and f_t against central differences, away from the centre of the chart.
void check_derivatives(const Problem& p, double distance, double t, double tolerance) {
  InChart c(p, View::linear, t);
  LinearView& view = *c.system->linear_view();
  const State at = moved(c.state, distance);
  const int n = c.system->layout.tangents();
  ASSERT_EQ(view.linearise(at.t, at.x.data()), Outcome::ok);
  Eigen::MatrixXd J(n, n), differences(n, n);
  view.linear_pencil().dense_j(J);
  const Eigen::VectorXd f_t = view.time_derivative();
  const auto f = [&](double shift_t, int shifted, double shift_x) {
    Eigen::VectorXd x = at.x, r(n);
    if (shifted >= 0) x[shifted] += shift_x;
    EXPECT_EQ(view.rhs(at.t + shift_t, x.data(), r.data()), Outcome::ok);
    return r;
  };
  const double step = 1e-5;
  for (int j = 0; j < n; ++j)
    differences.col(j) = (f(0.0, j, step) - f(0.0, j, -step)) / (2.0 * step);
  const Eigen::VectorXd in_time = (f(step, -1, 0.0) - f(-step, -1, 0.0)) / (2.0 * step);
  const double size = 1.0 + differences.cwiseAbs().maxCoeff();
  EXPECT_LE((J - differences).cwiseAbs().maxCoeff(), tolerance * size) << J << "\n\n"
                                                                       << differences;
  EXPECT_LE((f_t - in_time).cwiseAbs().maxCoeff(), tolerance * (size + in_time.norm()));
  // The comparison sees a matrix of the centre of the chart.
  ASSERT_EQ(view.linearise(c.state.t, c.state.x.data()), Outcome::ok);
  Eigen::MatrixXd centre(n, n);
  view.linear_pencil().dense_j(centre);
  EXPECT_GT((centre - differences).cwiseAbs().maxCoeff(), 20.0 * tolerance * size);
}

TEST(Chart, ExactDerivatives) {
  check_derivatives(pendulum(), 0.2, 0.0, 1e-8);
  check_derivatives(bead(false), 0.2, 0.0, 1e-8);
  check_derivatives(problems::find_problem("car-axis")->problem(), 0.02, 0.0, 1e-7);
}

TEST(Chart, ExactDerivativesWithContactCoordinateFrictionAndDynamicVariable) {
  check_derivatives(bead(true), 0.2, 0.0, 1e-8);
}

TEST(Chart, ExactDerivativesWithNonholonomicRow) {
  check_derivatives(particle_with_nonholonomic_row(), 0.1, 0.0, 1e-8);
}

// xi' = V^T v, u' = V^T a with the a and lambda of the model: the rates belong to the motion of q
// and v, seen by differences along a short arc.
TEST(Chart, RatesAreThoseOfTheModel) {
  for (const Problem& p : {pendulum(), bead(true), particle_with_nonholonomic_row()}) {
    InChart c(p, View::residual);
    const State at = moved(c.state, 0.15);
    const int n = c.system->layout.tangents();
    Eigen::VectorXd none = Eigen::VectorXd::Zero(n), f(n);
    ResidualView& view = *c.system->residual_view();
    ASSERT_EQ(view.residual(at.t, at.x.data(), none.data(), f.data()), Outcome::ok);
    f = -f;
    // Along x + e f, t + e the velocity of q is v, and the acceleration of v meets M a + G^T lambda
    // = f.
    const double e = 1e-5;
    const auto model_along = [&](double length) {
      State s = at;
      s.t += length;
      s.x += length * f;
      return c.model_at(s);
    };
    const Eigen::VectorXd here = c.model_at(at);
    const Eigen::VectorXd rate = (model_along(e) - model_along(-e)) / (2.0 * e);
    const System& bodies = *c.system->model_system();
    const int nq = bodies.layout.blocks()[0].space.points();
    const int nv = bodies.layout.blocks()[1].space.points();
    EXPECT_LE((rate.head(nq) - here.segment(nq, nv)).cwiseAbs().maxCoeff(), 1e-8);
    MechanicalView& pieces = *c.system->model_system()->mechanical_view();
    const MechanicalPoint q = pieces.point(at.t, here.data());
    PieceMatrix M = pieces.make_mass(), G = pieces.make_constraint_matrix();
    Eigen::VectorXd balance(nv);
    ASSERT_EQ(pieces.mass(q, M), Outcome::ok);
    ASSERT_EQ(pieces.constraint_matrix(q, G), Outcome::ok);
    ASSERT_EQ(pieces.force(q, balance.data()), Outcome::ok);
    const Eigen::VectorXd acceleration = rate.segment(nq, nv);
    M.add_times(-1.0, acceleration.data(), balance.data());
    G.add_transposed_times(-1.0, q.lambda, balance.data());
    EXPECT_LE(balance.cwiseAbs().maxCoeff(), 1e-6) << name_of(p);
  }
}

TEST(Chart, ChangeKeepsTheModelStateOfPresentAndPast) {
  for (const Problem& p : {pendulum(), bead(true), particle_with_nonholonomic_row(),
                           problems::find_problem("car-axis")->problem()}) {
    InChart c(p, View::mechanical);
    State now = moved(c.state, 0.02), before = moved(c.state, 0.01);
    before.t = now.t - 0.01;
    std::vector<State> past{before, c.state};
    const Eigen::VectorXd model = c.model_at(now);
    const std::array<Eigen::VectorXd, 2> models{c.model_at(past[0]), c.model_at(past[1])};
    const State in_old = now;
    int kept = 0;
    ASSERT_EQ(c.system->change_chart(now, past, kept), Outcome::ok);
    EXPECT_EQ(kept, 2);
    const double round_off = 1e-12 * (1.0 + model.cwiseAbs().maxCoeff());
    EXPECT_LE((c.model_at(now) - model).cwiseAbs().maxCoeff(), round_off) << name_of(p);
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_LE((c.model_at(past[k]) - models[k]).cwiseAbs().maxCoeff(), round_off) << name_of(p);
    // A change that keeps the old u, or the old xi, would be seen.
    const int d = c.system->layout.blocks()[1].tangent;
    State wrong = now;
    wrong.x.tail(now.x.size() - d) = in_old.x.tail(now.x.size() - d);
    EXPECT_GT((c.model_at(wrong) - model).cwiseAbs().maxCoeff(), 1e4 * round_off) << name_of(p);
    // The rates are those of the new coordinates.
    MechanicalView& view = *c.system->mechanical_view();
    Eigen::VectorXd xi_rate(view.sizes().tangents);
    ASSERT_EQ(view.rate(view.point(now.t, now.x.data()), xi_rate.data()), Outcome::ok);
    EXPECT_EQ((xi_rate - now.xd.head(xi_rate.size())).norm(), 0.0);
  }
}

// The chart is given up at an angle of arctan 1/2, and a new one is good at its centre.
TEST(Chart, DegradesWithTheAngle) {
  InChart c(pendulum(), View::mechanical);
  State s = c.state;
  // On the circle xi is the sine of the angle, arctan 1/2 = 0.4636.
  s.x[0] = std::sin(0.46);
  EXPECT_FALSE(c.system->chart_degraded(s));
  s.x[0] = std::sin(0.47);
  EXPECT_TRUE(c.system->chart_degraded(s));
  int none = 0;
  ASSERT_EQ(c.system->change_chart(s, {}, none), Outcome::ok);
  EXPECT_FALSE(c.system->chart_degraded(s));
  EXPECT_EQ(c.system->charts(), 2);
}

TEST(Chart, ConstraintsHoldToRoundOff) {
  InChart c(bead(true), View::linear);
  const System::ConstraintResidual r = c.system->constraint_residual(moved(c.state, 0.3));
  EXPECT_LE(r.position, 1e-15);
  EXPECT_LE(r.velocity, 1e-14);
}

}  // namespace
}  // namespace daedalus::state_space_test
