// SPDX-License-Identifier: BSD-3-Clause
// Multibody models: the derivatives of the constraints follow from them.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/model.hpp>
#include <daedalus/solve.hpp>

namespace daedalus {
namespace {

ModelBuilder pendulum() {
  ModelBuilder m("pendulum");
  const Expr mass = m.parameter("mass", 1.0), L = m.parameter("length", 1.0);
  const Expr g = m.parameter("gravity", 9.81);
  const Coordinate x = m.coordinate("x", "u", {.start = L}), y = m.coordinate("y", "v");
  m.mass(x, x, mass);
  m.mass(y, y, mass);
  m.force(y, -mass * g);
  m.constraint(0.5 * (x.q * x.q + y.q * y.q - L * L), "lambda");
  m.invariant("energy", 0.5 * mass * (x.v * x.v + y.v * y.v) + mass * g * y.q);
  return m;
}

TEST(MultibodyModel, PendulumAgainstItsReference) {
  const auto model = pendulum().model();
  EXPECT_EQ(model->form(), "multibody");
  EXPECT_EQ(model->entry().index, 3);
  Options o;
  o.rtol = 1e-9;
  o.atol = 1e-9;
  for (const char* method : {"auto", "radau"}) {
    o.method = method;
    const Solution s = solve(model->problem(), {0.0, 10.0}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_NEAR(s.end()["x"], 2.7508746257611686e-1, 1e-5) << method;
    EXPECT_NEAR(s.end()["lambda"], 2.8294567206067250e1, 1e-3) << method;
  }
  const auto problem = std::get<MultibodyProblem>(model->problem({{"length", 2.0}}));
  EXPECT_EQ(problem.q0[0], 2.0);
  EXPECT_EQ(problem.mass_matrix.nonZeros(), 2) << "constant masses";
  EXPECT_EQ(problem.invariants.front().name, "energy");
}

// A moving pivot: G_t and the acceleration terms with time.
TEST(MultibodyModel, DerivativesOfConstraintsByTime) {
  ModelBuilder m("driven");
  const Coordinate x = m.coordinate("x", "u", {.start = 1.0}), y = m.coordinate("y", "v");
  m.mass(x, x, 2.0 + x.q * x.q);
  m.mass(y, y, 1.0);
  m.mass(x, y, 0.1);
  m.force(y, -9.81);
  const Expr t = m.time();
  m.constraint(x.q * x.q + y.q * y.q - 1.0 - sin(t) * sin(t) * x.q, "lambda");
  const auto p = std::get<MultibodyProblem>(m.problem());
  const double q[] = {0.7, -0.4}, v[] = {0.3, 0.9}, time = 0.6;
  Arguments<double> a;
  a.t = time;
  a.x = {q, v, nullptr, nullptr, nullptr};
  a.n = {2, 2, 0, 0, 0};
  double G[2], g_t, k, M[4];
  p.constraint_jacobian(a, G, 1, 2);
  p.constraint_time_derivative(a, &g_t, 1);
  p.acceleration_term(a, &k, 1);
  p.mass(a, M, 2, 2);
  const double s = std::sin(time), c = std::cos(time), s2 = 2.0 * s * c, c2 = c * c - s * s;
  EXPECT_NEAR(G[0], 2.0 * q[0] - s * s, 1e-15);
  EXPECT_NEAR(G[1], 2.0 * q[1], 1e-15);
  EXPECT_NEAR(g_t, -s2 * q[0], 1e-15);
  EXPECT_NEAR(k, 2.0 * (v[0] * v[0] + v[1] * v[1]) - 2.0 * s2 * v[0] - 2.0 * c2 * q[0], 1e-14);
  EXPECT_DOUBLE_EQ(M[0], 2.49);
  EXPECT_EQ(M[1], 0.1);
  EXPECT_EQ(M[2], 0.1);
}

TEST(MultibodyModel, BallOnTheFloorByARelation) {
  ModelBuilder m("ball");
  const Coordinate z = m.coordinate("z", "w", {.start = 1.0});
  m.mass(z, z, 1.0);
  m.force(z, -9.81);
  m.when(z.q < 0.0).reinit(z.v, -0.5 * pre(z.v));
  const auto model = m.model();
  Options o;
  o.rtol = 1e-9;
  o.atol = 1e-9;
  model->apply(o);
  const Solution s = solve(model->problem(), {0.0, 0.8}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_EQ(s.events().size(), 1u);
  EXPECT_NEAR(s.events()[0].t, std::sqrt(2.0 / 9.81), 1e-7);
  EXPECT_GT(s.end()["z"], 0.1);
}

TEST(MultibodyModel, RollingWithoutSlipping) {
  // A knife edge on a plane: moves along its direction only.
  ModelBuilder m("edge");
  const Coordinate x = m.coordinate("x", "u"), y = m.coordinate("y", "v"),
                   phi = m.coordinate("phi", "omega", {}, {.start = 1.0});
  for (const Coordinate& c : {x, y, phi}) m.mass(c, c, 1.0);
  m.force(x, 1.0);
  m.nonholonomic(sin(phi.q) * x.v - cos(phi.q) * y.v, "mu");
  const auto model = m.model();
  const Solution s = solve(model->problem(), {0.0, 1.0});
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(std::sin(s.end()["phi"]) * s.end()["u"] - std::cos(s.end()["phi"]) * s.end()["v"],
              0.0, 1e-5);
  ModelBuilder wrong("wrong");
  const Coordinate q = wrong.coordinate("q", "w");
  wrong.mass(q, q, 1.0);
  wrong.nonholonomic(q.v * q.v - 1.0, "mu");
  EXPECT_THROW(wrong.model(), InvalidArgument);
}

// Directions of a point share what is computed at it; parameters with directions are followed too.
TEST(MultibodyModel, SlopesAlongDirections) {
  ModelBuilder m("slopes");
  const Expr c = m.parameter("c", 3.0);
  const Coordinate q = m.coordinate("q", "v");
  m.mass(q, q, 1.0 + q.q * q.q);
  m.force(q, -c * q.q * q.q * q.v + sin(m.time()) * cos(m.time()) * c);
  for (const bool machine_code : {false, true}) {
    const auto p = std::get<MultibodyProblem>(m.model({.machine_code = machine_code})->problem());
    Dual4 x(0.7), v(-0.4), parameter(3.0), f;
    const auto force = [&](double t, const Dual4& at_t) {
      Arguments<Dual4> a;
      a.t = at_t;
      a.t.v = t;
      a.x[slot::Multibody::q] = &x;
      a.x[slot::Multibody::v] = &v;
      a.n = {1, 1, 0, 0, 0};
      a.p = &parameter;
      a.parameter_count = 1;
      EXPECT_EQ(p.force(a, &f, 1), Eval::ok);
    };
    for (const double t : {0.3, 0.9}) {
      x.d = {1.0, 0.0, 0.0, 2.0};
      v.d = {0.0, 1.0, 0.0, 0.0};
      parameter.d = {};
      force(t, Dual4(0.0, {0.0, 0.0, 1.0, 0.0}));
      EXPECT_DOUBLE_EQ(f.v, 3.0 * 0.49 * 0.4 + std::sin(t) * std::cos(t) * 3.0);
      EXPECT_NEAR(f.d[0], 6.0 * 0.7 * 0.4, 1e-14);
      EXPECT_NEAR(f.d[1], -3.0 * 0.49, 1e-14);
      EXPECT_NEAR(f.d[2], 3.0 * std::cos(2.0 * t), 1e-14);
      EXPECT_NEAR(f.d[3], 12.0 * 0.7 * 0.4, 1e-14);
      x.d = {};
      v.d = {0.0, 0.0, 5.0, 0.0};
      force(t, Dual4(0.0));
      EXPECT_EQ(f.d[0], 0.0);
      EXPECT_NEAR(f.d[2], -15.0 * 0.49, 1e-14);
      parameter.d = {1.0, 0.0, 0.0, 0.0};
      force(t, Dual4(0.0));
      EXPECT_NEAR(f.d[0], 0.49 * 0.4 + std::sin(t) * std::cos(t), 1e-14);
    }
    parameter = Dual4(4.0);
    force(0.3, Dual4(0.0));
    EXPECT_DOUBLE_EQ(f.v, 4.0 * 0.49 * 0.4 + std::sin(0.3) * std::cos(0.3) * 4.0);
  }
}

}  // namespace
}  // namespace daedalus
