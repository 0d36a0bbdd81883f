// SPDX-License-Identifier: BSD-3-Clause
// Problems with known derivatives; parameters are inputs, start values functions of them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <daedalus/daedalus.hpp>

namespace daedalus::sensitivity_test {

inline Options asking(const std::string& method, double rtol,
                      const std::string& formulation = "auto") {
  Options o;
  o.method = method;
  o.formulation = formulation;
  o.rtol = rtol;
  o.atol = 1e-3 * rtol;
  o.sensitivities.parameters = {"*"};
  return o;
}

struct KnownColumn {
  const char *variable, *column;
  double value;
};

// Largest |p (s - reference)| / (|p reference| + atol / rtol).
inline double column_error(const Solution& s, double t, const std::vector<KnownColumn>& known) {
  const Sensitivity d = s.sensitivity(t);
  double worst = 0.0;
  for (const KnownColumn& e : known) {
    double p = 1.0;
    for (const SensitivityColumn& c : d.columns())
      if (c.name == e.column) p = c.value != 0.0 ? c.value : c.typical;
    const double difference = p * (d(e.variable, e.column) - e.value);
    worst = std::max(worst, std::abs(difference) / (std::abs(p * e.value) + 1e-3));
  }
  return worst;
}

// A -> B -> C: y = (A, B, C), p = (k1, k2, A0).
inline Problem abc() {
  MassMatrixProblem p;
  p.name = "abc";
  p.rhs = autodiff([](const auto& x, auto& f) {
    f[0] = -x.p[0] * x.y[0];
    f[1] = x.p[0] * x.y[0] - x.p[1] * x.y[1];
    f[2] = x.p[1] * x.y[1];
  });
  p.y0 = Eigen::Vector3d(1.0, 0.0, 0.0);
  p.variables = {"A", "B", "C"};
  p.parameters = {{"k1", 0.7}, {"k2", 0.2}, {"A0", 1.0}};
  p.start = autodiff([](const auto& x, auto& y) {
    y[0] = x.p[2];
    y[1] = 0.0;
    y[2] = 0.0;
  });
  return p;
}

// y1 decays at the rate p0 until t = 1 and at p1 behind it: a branch brings p1 into an equation in
// which it did not stand. y2' = p2 y1.
inline Problem late_parameter() {
  MassMatrixProblem p;
  p.name = "late parameter";
  p.rhs = autodiff([](const auto& x, auto& f) {
    if (x.t < 1.0)
      f[0] = -x.p[0] * x.y[0];
    else
      f[0] = -x.p[1] * x.y[0];
    f[1] = x.p[2] * x.y[0];
  });
  p.y0 = Eigen::Vector2d(1.0, 0.0);
  p.index = 0;
  p.variables = {"y1", "y2"};
  p.parameters = {{"early", 0.7}, {"late", 0.4}, {"other", 0.5}};
  p.break_times = {1.0};
  return p;
}

// S' = kr C - kf E S, C' = kf E S - (kr + kcat) C, 0 = E + C - E0, 0 = S + C + P - S0.
inline Problem enzyme() {
  SemiExplicitProblem p;
  p.name = "enzyme";
  p.f = autodiff([](const auto& x, auto& f) {
    const auto binding = x.p[0] * x.z[0] * x.y[0];
    f[0] = x.p[1] * x.y[1] - binding;
    f[1] = binding - (x.p[1] + x.p[2]) * x.y[1];
  });
  p.g = autodiff([](const auto& x, auto& g) {
    g[0] = x.z[0] + x.y[1] - x.p[3];
    g[1] = x.y[0] + x.y[1] + x.z[1] - x.p[4];
  });
  p.y0 = Eigen::Vector2d(1.0, 0.0);
  p.z0 = Eigen::Vector2d(0.5, 0.0);
  p.y_names = {"S", "C"};
  p.z_names = {"E", "P"};
  p.parameters = {{"kf", 10.0}, {"kr", 1.0}, {"kcat", 2.0}, {"E0", 0.5}, {"S0", 1.0}};
  p.start = autodiff([](const auto& x, auto& y) {
    y[0] = x.p[4];
    y[1] = 0.0;
    y[2] = x.p[3];
    y[3] = 0.0;
  });
  return p;
}

// y1' = -a y1 + z, y2' = b y1 - y2, 0 = y1 - p cos(w t): index 2.
inline Problem index2() {
  SemiExplicitProblem p;
  p.name = "index2";
  p.f = autodiff([](const auto& x, auto& f) {
    f[0] = -x.p[0] * x.y[0] + x.z[0];
    f[1] = x.p[1] * x.y[0] - x.y[1];
  });
  p.g = autodiff([](const auto& x, auto& g) {
    using std::cos;
    g[0] = x.y[0] - x.p[2] * cos(x.p[3] * x.t);
  });
  p.hessenberg_blocks = {2};
  p.y0 = Eigen::Vector2d(0.5, 0.0);
  p.z0 = Eigen::VectorXd::Constant(1, 1.0);
  p.y_names = {"y1", "y2"};
  p.z_names = {"z"};
  p.parameters = {{"a", 2.0}, {"b", 3.0}, {"p", 0.5}, {"w", 4.0}};
  p.start = autodiff([](const auto& x, auto& y) {
    y[0] = x.p[2];
    y[1] = 0.0;
    y[2] = x.p[0] * x.p[2];
  });
  return p;
}

// C u' = i - u/R, 0 = u - p sin(w t): a loop of a capacitor and a source, index 2.
inline Problem capacitor_loop() {
  SemiExplicitProblem p;
  p.name = "capacitor-loop";
  p.f = autodiff([](const auto& x, auto& f) { f[0] = (x.z[0] - x.y[0] / x.p[1]) / x.p[0]; });
  p.g = autodiff([](const auto& x, auto& g) {
    using std::sin;
    g[0] = x.y[0] - x.p[2] * sin(x.p[3] * x.t);
  });
  p.hessenberg_blocks = {1};
  p.y0 = Eigen::VectorXd::Zero(1);
  p.z0 = Eigen::VectorXd::Constant(1, 0.25);
  p.y_names = {"u"};
  p.z_names = {"i"};
  p.parameters = {{"C", 1e-3}, {"R", 100.0}, {"p", 5.0}, {"w", 50.0}};
  p.start = autodiff([](const auto& x, auto& y) {
    y[0] = 0.0;
    y[1] = x.p[0] * x.p[2] * x.p[3];
  });
  return p;
}

// F(t, y, y') = 0 with a mass that depends on the state and a parameter: implicit form of
// y1' = y2, (1 + m y1^2) y2' = -k y1.
inline Problem implicit_oscillator() {
  ImplicitProblem p;
  p.name = "implicit-oscillator";
  p.residual = autodiff([](const auto& x, auto& r) {
    r[0] = x.yp[0] - x.y[1];
    r[1] = (1.0 + x.p[0] * x.y[0] * x.y[0]) * x.yp[1] + x.p[1] * x.y[0];
  });
  p.y0 = Eigen::Vector2d(1.0, 0.0);
  p.yp0 = Eigen::Vector2d(0.0, -2.0);
  p.index = 0;
  p.parameters = {{"m", 0.5}, {"k", 3.0}};
  return p;
}

inline Problem robertson() {
  MassMatrixProblem p;
  p.name = "robertson";
  p.rhs = autodiff([](const auto& x, auto& f) {
    const auto a = x.p[0] * x.y[0], b = x.p[2] * x.y[1] * x.y[2], c = x.p[1] * x.y[1] * x.y[1];
    f[0] = -a + b;
    f[1] = a - b - c;
    f[2] = x.y[0] + x.y[1] + x.y[2] - 1.0;
  });
  p.mass_matrix = Eigen::Vector3d(1.0, 1.0, 0.0).asDiagonal().toDenseMatrix().sparseView();
  p.y0 = Eigen::Vector3d(1.0, 0.0, 0.0);
  p.variables = {"y1", "y2", "y3"};
  p.parameters = {{"k1", 0.04}, {"k2", 3e7}, {"k3", 1e4}};
  return p;
}

// Pendulum in x, y with rod of length p0, gravity p1, mass p2; the start is (length, 0), at rest.
// `fixed_start` forgets that it depends on the length.
inline MultibodyProblem pendulum(bool fixed_start = false) {
  MultibodyProblem p;
  p.name = "pendulum";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.mass = autodiff([](const auto& x, auto& M) {
    M(0, 0) = x.p[2];
    M(1, 1) = x.p[2];
    M(0, 1) = 0.0;
    M(1, 0) = 0.0;
  });
  p.force = autodiff([](const auto& x, auto& f) {
    f[0] = 0.0;
    f[1] = -x.p[2] * x.p[1];
  });
  p.constraint = autodiff([](const auto& x, auto& g) {
    g[0] = 0.5 * (x.q[0] * x.q[0] + x.q[1] * x.q[1] - x.p[0] * x.p[0]);
  });
  p.q0 = Eigen::Vector2d(1.0, 0.0);
  p.v0 = Eigen::Vector2d::Zero();
  p.q_names = {"x", "y"};
  p.v_names = {"u", "v"};
  p.lambda_names = {"lambda"};
  p.parameters = {{"length", 1.0}, {"gravity", 9.81}, {"mass", 1.0}};
  if (!fixed_start)
    p.start = autodiff([](const auto& x, auto& y) {
      y[0] = x.p[0];
      y[1] = 0.0;
      y[2] = 0.0;
      y[3] = 0.0;
    });
  return p;
}

// Slider crank of the specification (section 4.2), all of the start depends on parameters.
inline MultibodyProblem slider_crank() {
  MultibodyProblem p;
  p.name = "slider-crank-rigid";
  p.space = euclidean(3);
  p.constraint_count = 2;
  p.mass = autodiff([](const auto& x, auto& M) {
    using std::cos;
    const auto &l1 = x.p[0], &l2 = x.p[1], &m1 = x.p[2], &m2 = x.p[3], &m3 = x.p[4];
    M.setZero();
    M(0, 0) = (m1 / 3.0 + m2) * l1 * l1;
    M(0, 1) = 0.5 * m2 * l1 * l2 * cos(x.q[0] - x.q[1]);
    M(1, 0) = M(0, 1);
    M(1, 1) = m2 * l2 * l2 / 3.0;
    M(2, 2) = m3;
  });
  p.force = autodiff([](const auto& x, auto& f) {
    using std::cos, std::sin;
    const auto &l1 = x.p[0], &l2 = x.p[1], &m1 = x.p[2], &m2 = x.p[3], &g = x.p[5];
    const auto coupling = 0.5 * m2 * l1 * l2 * sin(x.q[0] - x.q[1]);
    f[0] = -coupling * x.v[1] * x.v[1] - g * l1 * cos(x.q[0]) * (0.5 * m1 + m2);
    f[1] = coupling * x.v[0] * x.v[0] - 0.5 * g * m2 * l2 * cos(x.q[1]);
    f[2] = 0.0;
  });
  p.constraint = autodiff([](const auto& x, auto& g) {
    using std::cos, std::sin;
    const auto &l1 = x.p[0], &l2 = x.p[1];
    g[0] = l1 * sin(x.q[0]) + l2 * sin(x.q[1]);
    g[1] = x.q[2] - l1 * cos(x.q[0]) - l2 * cos(x.q[1]);
  });
  p.q0 = Eigen::Vector3d(0.0, 0.0, 0.45);
  p.v0 = Eigen::Vector3d(150.0, -75.0, 0.0);
  p.q_names = {"phi1", "phi2", "x3"};
  p.v_names = {"v1", "v2", "v3"};
  p.lambda_names = {"lambda1", "lambda2"};
  p.parameters = {{"l1", 0.15},     {"l2", 0.3},       {"m1", 0.36},     {"m2", 0.151104},
                  {"m3", 0.075552}, {"gravity", 9.81}, {"omega0", 150.0}};
  p.start = autodiff([](const auto& x, auto& y) {
    y[0] = 0.0;
    y[1] = 0.0;
    y[2] = x.p[0] + x.p[1];
    y[3] = x.p[6];
    y[4] = -x.p[0] / x.p[1] * x.p[6];
    y[5] = 0.0;
  });
  return p;
}

// x'' = -g from height h at rest; p = (h, g, e). Impacts reverse the velocity times e.
inline Problem ball() {
  MassMatrixProblem p;
  p.name = "ball";
  p.rhs = autodiff([](const auto& x, auto& f) {
    f[0] = x.y[1];
    f[1] = -x.p[1];
  });
  p.y0 = Eigen::Vector2d(1.0, 0.0);
  p.variables = {"x", "v"};
  p.parameters = {{"h", 1.0}, {"g", 9.81}, {"e", 0.8}};
  p.start = autodiff([](const auto& x, auto& y) {
    y[0] = x.p[0];
    y[1] = 0.0;
  });
  return p;
}
inline Event impact() {
  return {.name = "impact",
          .when = [](const StateView& s) { return s.y()[0]; },
          .direction = Crossing::falling,
          .action = EventAction::handle,
          .handler = [](EventContext& c) { c.y[1] = -c.p[2] * c.y[1]; }};
}

// v' = (m U - v)/(R C), m = 1 until v = vh, then 0 until v = vl; p = (R, C, U, vh, vl, v0).
inline Problem relay() {
  MassMatrixProblem p;
  p.name = "relay";
  p.rhs = autodiff(
      [](const auto& x, auto& f) { f[0] = (x.modes[0] * x.p[2] - x.y[0]) / (x.p[0] * x.p[1]); });
  p.y0 = Eigen::VectorXd::Zero(1);
  p.variables = {"v"};
  p.parameters = {{"R", 2.0}, {"C", 0.5}, {"U", 5.0}, {"vh", 3.0}, {"vl", 1.0}, {"v0", 0.0}};
  p.modes = {1.0};
  p.start = autodiff([](const auto& x, auto& y) { y[0] = x.p[5]; });
  return p;
}
inline std::vector<Event> relay_events() {
  const auto switch_at = [](const char* name, int level, Crossing way, double to) {
    return Event{.name = name,
                 .when = [level](const StateView& s) { return s.y()[0] - s.p()[level]; },
                 .direction = way,
                 .action = EventAction::handle,
                 .handler = [to](EventContext& c) { c.modes[0] = to; }};
  };
  return {switch_at("off", 3, Crossing::rising, 0.0), switch_at("on", 4, Crossing::falling, 1.0)};
}

// v' = (U - v)/(R C) until ts, then v' = -v/(R C); p = (R, C, U, ts).
inline Problem timed_switch() {
  Problem p = relay();
  auto& m = std::get<MassMatrixProblem>(p);
  m.name = "switch";
  m.parameters = {{"R", 2.0}, {"C", 0.5}, {"U", 5.0}, {"ts", 0.7}};
  m.start = {};
  return p;
}
inline Event switch_off() {
  return {.name = "switch",
          .when = [](const StateView& s) { return s.t() - s.p()[3]; },
          .action = EventAction::handle,
          .handler = [](EventContext& c) { c.modes[0] = 0.0; }};
}

// The pendulum with a wall at x = p4; (u, v) -> -e (u, v), e = p3.
inline Problem pendulum_with_wall() {
  MultibodyProblem p = pendulum();
  p.parameters.push_back({"e", 0.7});
  p.parameters.push_back({"xw", -0.5});
  return p;
}
inline Event wall() {
  return {.name = "wall",
          .when = [](const StateView& s) { return s.q()[0] - s.p()[4]; },
          .direction = Crossing::falling,
          .action = EventAction::handle,
          .handler =
              [](EventContext& c) {
                c.y[2] *= -c.p[3];
                c.y[3] *= -c.p[3];
                c.solve_algebraic = true;
              }};
}

// A heavy top in body coordinates on SO(3): I w' = (I w) x w + X x R^T (0, 0, -g), p = (g, spin).
inline Problem heavy_top() {
  MultibodyProblem p;
  p.name = "top";
  p.space = so3_space();
  p.mass_matrix = Eigen::Vector3d(0.3, 0.4, 0.2).asDiagonal().toDenseMatrix().sparseView();
  p.force = autodiff([](const auto& x, auto& f) {
    const double I[] = {0.3, 0.4, 0.2}, X[] = {0.1, 0.0, 0.5};
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const auto wj = x.v[j], wk = x.v[k];
      // Rows of R are x.q[2 + 3 j]: the matrix is stored by columns.
      f[i] = (I[j] - I[k]) * wj * wk - x.p[0] * (X[j] * x.q[2 + 3 * k] - X[k] * x.q[2 + 3 * j]);
    }
  });
  p.q0 = Eigen::VectorXd::Zero(9);
  p.q0[0] = p.q0[4] = p.q0[8] = 1.0;
  p.v0 = Eigen::Vector3d(1.0, 2.0, 3.0);
  p.parameters = {{"g", 2.0}, {"spin", 3.0}};
  p.start = autodiff([](const auto& x, auto& y) {
    for (int i = 0; i < 12; ++i) y[i] = i == 0 || i == 4 || i == 8 ? 1.0 : 0.0;
    y[9] = 1.0;
    y[10] = 2.0;
    y[11] = x.p[1];
  });
  return p;
}

}  // namespace daedalus::sensitivity_test
