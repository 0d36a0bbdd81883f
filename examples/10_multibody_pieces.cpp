// SPDX-License-Identifier: BSD-3-Clause
// 10: the optional pieces of a multibody problem, in three small models.
//
// Model 1  a sled with a driven knife edge: q = (x, y, angle), body-fixed v = (along, across,
// turn),
//          q' = T(q) v; the edge does not slip sideways, 0 = across (nonholonomic, one multiplier);
//          the drive c' = (1 - c)/tau is a dynamic variable. Along the edge m along' = m across
//          turn
//          + c. Exact with m = tau = 1: along = t - 1 + e^(-t), the turn rate is constant.
// Model 2  a pendulum whose pivot moves as p(t) = a sin(w t): 0 = (x^2 + (y - p)^2 - 1)/2, once
// with
//          G, g_t and the second derivative given by hand, once left to the library.
// Model 3  a bead on the curve y = s^2/2 with the contact coordinate s: 0 = h = s - x, 0 = g =
//          y - s^2/2. The start is found from an initial equation: the speed along x is 2.
//
// Builds on 01 and 04. New: kinematics, nonholonomic rows, dynamic variables, contact coordinates,
// given constraint derivatives, initial equations, Reject.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>

using daedalus::autodiff, daedalus::In, daedalus::MatrixOut, daedalus::Out;

namespace {

constexpr double gravity = 9.81, swing = 0.1, frequency = 10.0;

// [sled]
daedalus::MultibodyProblem sled() {
  return {.name = "sled",
          .space = daedalus::euclidean(3),
          .velocity_count = 3,
          .nonholonomic_count = 1,
          .dynamic_count = 1,
          .mass = [](double, In, MatrixOut M) { M.setIdentity(); },
          .force = autodiff([](const auto& x, auto& f) {
            f[0] = x.v[1] * x.v[2] + x.c[0];
            f[1] = -x.v[0] * x.v[2];
            f[2] = 0.0;
          }),
          .kinematics = autodiff([](auto, const auto& q, auto& T) {
            using std::cos, std::sin;
            T.setZero();
            T(0, 0) = cos(q[2]);
            T(0, 1) = -sin(q[2]);
            T(1, 0) = sin(q[2]);
            T(1, 1) = cos(q[2]);
            T(2, 2) = 1.0;
          }),
          .nonholonomic_matrix = autodiff([](auto, const auto&, auto& A) {
            A.setZero();
            A(0, 1) = 1.0;
          }),
          .nonholonomic_offset = autodiff([](auto, const auto&, auto& a) { a[0] = 0.0; }),
          .dynamics = autodiff(
              [](auto, const auto&, const auto&, const auto& c, auto& d) { d[0] = 1.0 - c[0]; }),
          .q0 = Eigen::Vector3d::Zero(),
          .v0 = Eigen::Vector3d(0.0, 0.0, 0.5),
          .c0 = Eigen::VectorXd::Zero(1),
          .q_names = {"x", "y", "angle"},
          .v_names = {"along", "across", "turn"},
          .lambda_names = {"side force"},
          .c_names = {"drive"}};
}
// [/sled]

daedalus::MultibodyProblem moving_pivot() {
  return {.name = "moving pivot",
          .space = daedalus::euclidean(2),
          .constraint_count = 1,
          .mass = [](double, In, MatrixOut M) { M.setIdentity(); },
          .force = [](double, In, In, Out f) { f << 0.0, -gravity; },
          .constraint = autodiff([](const auto& t, const auto& q, auto& g) {
            using std::sin;
            const auto y = q[1] - swing * sin(frequency * t);
            g[0] = 0.5 * (q[0] * q[0] + y * y - 1.0);
          }),
          .q0 = Eigen::Vector2d(1.0, 0.0),
          .v0 = Eigen::Vector2d::Zero(),
          .lambda0 = Eigen::VectorXd::Zero(1)};
}

daedalus::MultibodyProblem moving_pivot_by_hand() {
  daedalus::MultibodyProblem problem = moving_pivot();
  // [given]
  const auto pivot = [](double t) { return swing * std::sin(frequency * t); };
  const auto speed = [](double t) { return swing * frequency * std::cos(frequency * t); };
  problem.constraint_jacobian = [=](double t, In q, MatrixOut G) { G << q[0], q[1] - pivot(t); };
  problem.constraint_time_derivative = [=](double t, In q, Out g_t) {
    g_t[0] = -(q[1] - pivot(t)) * speed(t);
  };
  problem.acceleration_term = [=](double t, In q, In v, Out k) {
    const double w = v[1] - speed(t);
    k[0] = v[0] * v[0] + w * w + (q[1] - pivot(t)) * frequency * frequency * pivot(t);
  };
  // [/given]
  return problem;
}

// [bead]
daedalus::MultibodyProblem bead() {
  return {
      .name = "bead",
      .space = daedalus::euclidean(2),
      .constraint_count = 1,
      .contact_count = 1,
      .mass = [](double, In, MatrixOut M) { M.setIdentity(); },
      .force =
          [](double, In q, In, Out f) {
            if (q[1] > 1e3) throw daedalus::Reject("the curve ends at height 1000");
            f << 0.0, -gravity;
          },
      .constraint = autodiff(
          [](auto, const auto& q, const auto& s, auto& g) { g[0] = q[1] - 0.5 * s[0] * s[0]; }),
      .contact = autodiff([](auto, const auto& q, const auto& s, auto& h) { h[0] = s[0] - q[0]; }),
      .q0 = Eigen::Vector2d(1.0, 0.4),  // not on the curve
      .v0 = Eigen::Vector2d::Zero(),    // not the speed asked for
      .s0 = Eigen::VectorXd::Zero(1),
      .initial_equation_count = 1,
      .initial_equations = [](double, In, In v, Out r) { r[0] = v[0] - 2.0; },
      .q_names = {"x", "y"},
      .s_names = {"s"}};
}
// [/bead]

bool report(const daedalus::Solution& s) {
  if (s.ok())
    std::cout << s.choice().method << ": " << s.statistics() << '\n';
  else
    std::cerr << s.status() << ": " << s.message() << '\n';
  return s.ok();
}

}  // namespace

int main() {
  const daedalus::Interval interval{.from = 0.0, .to = 2.0};
  const daedalus::Options options{.rtol = 1e-8, .atol = 1e-8};

  const daedalus::Solution sled_run = daedalus::solve(sled(), interval, options);
  if (!report(sled_run)) return 1;
  const double along = 1.0 + std::exp(-2.0), off = sled_run.end()["along"] - along;
  std::cout << "sled: speed off by " << off << ", side force " << sled_run.end()["side force"]
            << ", expected " << -0.5 * along << '\n';

  const daedalus::Solution found = daedalus::solve(moving_pivot(), interval, options);
  const daedalus::Solution given = daedalus::solve(moving_pivot_by_hand(), interval, options);
  if (!report(found) || !report(given)) return 1;
  const double apart = (found.end().y() - given.end().y()).cwiseAbs().maxCoeff();
  std::cout << "moving pivot: by hand and by the library differ by " << apart << '\n';

  // [start]
  daedalus::Options solving = options;
  solving.start = daedalus::StartStrategy::solve;
  solving.fixed = {"x"};  // the bead may be moved up or down only
  const daedalus::Solution bead_run = daedalus::solve(bead(), interval, solving);
  // [/start]
  if (!report(bead_run)) return 1;
  const auto energy = [](const daedalus::ModelState& s) {
    return 0.5 * s.v().squaredNorm() + gravity * s.q()[1];
  };
  const daedalus::ModelState start = bead_run.start();
  const double drift = energy(bead_run.end()) - energy(start);
  std::cout << "bead: starts at q = " << start.q().transpose() << ", v = " << start.v().transpose()
            << ", s = " << start.s() << "; energy changed by " << drift << '\n';
  return std::abs(off) < 1e-6 && std::abs(sled_run.end()["side force"] + 0.5 * along) < 1e-6 &&
                 apart < 1e-4 && std::abs(drift) < 1e-5 && std::abs(start.v()[0] - 2.0) < 1e-6
             ? 0
             : 1;
}
