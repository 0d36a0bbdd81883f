// SPDX-License-Identifier: BSD-3-Clause
// Rows, Jacobian, time derivative and curvature of every joint and drive against automatic
// differentiation of the rows, on every space; the count of free motions against the rank.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include <daedalus/mechanism.hpp>

namespace daedalus::mechanism_rows_test {
namespace {

struct Kind {
  JointType type;
  bool driven;
};
struct Case {
  Kind kind;
  MechanismSpace space;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << to_string(c.kind.type) << (c.kind.driven ? " driven" : "") << " space "
       << static_cast<int>(c.space);
}
class Rows : public testing::TestWithParam<Case> {};

Assembled two_bodies(const Case& c) {
  const bool planar = c.space == MechanismSpace::planar;
  Mechanism m("two", c.space);
  const auto body = [&](const char* name, double x) {
    return m.body({.name = name,
                   .mass = 1.5,
                   .inertia = {0.2, 0.3, 0.25, 0.02, -0.01, 0.03},
                   .com = planar ? Triple(0.05, -0.02) : Triple(0.05, -0.02, 0.03),
                   .position = {x, 0.2, planar ? 0.0 : -0.3},
                   .rotation = planar ? Rotation::planar(0.4 + x)
                                      : Rotation::about({1.0, 2.0, -0.5}, 0.7 + x)});
  };
  const BodyId a = body("a", 0.1), b = body("b", 0.9);
  const double z = planar ? 0.0 : 0.4;
  JointOptions o{.at = {0.5, 0.1, z}, .axis = {0.3, 0.8, planar ? 0.0 : 0.5}};
  o.axis2 = {0.8, -0.3, 0.0};
  o.pitch = 0.3;
  if (c.kind.type == JointType::distance) o.at2 = {0.9, 0.6, 0.5 * z};
  const JointId j = m.joint(c.kind.type, "j", a, b, o);
  const bool distance = c.kind.type == JointType::distance;
  if (c.kind.driven) m.drive("motor", j, harmonic(distance ? 0.7 : 0.1, 0.3, 2.0, 0.4));
  return m.assemble();
}

template <class S>
Arguments<S> arguments(const S& t, const std::vector<S>& q, const std::vector<S>& v = {}) {
  Arguments<S> a;
  a.t = t;
  a.x[0] = q.data();
  a.n[0] = static_cast<int>(q.size());
  a.x[1] = v.data();
  a.n[1] = static_cast<int>(v.size());
  return a;
}

TEST_P(Rows, DerivativesAreThoseOfTheRows) {
  const Assembled a = two_bodies(GetParam());
  const MultibodyProblem& p = a.problem;
  ASSERT_TRUE(p.constraint_jacobian && p.constraint_time_derivative && p.acceleration_term);
  const int n = p.velocities(), ng = p.constraint_count;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  for (int trial = 0; trial < 5; ++trial) {
    // Anywhere, not only on the constraints.
    std::vector<double> w(static_cast<std::size_t>(n)), v(w),
        q(static_cast<std::size_t>(p.q0.size()));
    for (double& x : w) x = 0.4 * any(random);
    for (double& x : v) x = any(random);
    p.space.plus<double>(p.q0.data(), w.data(), q.data());
    const double t = 0.3 * trial;
    Eigen::MatrixXd G(ng, n);
    Eigen::VectorXd g_t(ng), bent(ng);
    p.constraint_jacobian(arguments(t, q), G.data(), ng, n);
    p.constraint_time_derivative(arguments(t, q), g_t.data(), ng);
    p.acceleration_term(arguments(t, q, v), bent.data(), ng);
    // Along q (+) e v, t + e.
    std::vector<Taylor2> qe(q.size()), ve(v.size()), x(q.begin(), q.end()),
        g(static_cast<std::size_t>(ng));
    for (std::size_t k = 0; k < v.size(); ++k) ve[k].c[1] = v[k];
    p.space.plus<Taylor2>(x.data(), ve.data(), qe.data());
    Taylor2 te(t);
    te.c[1] = 1.0;
    p.constraint(arguments(te, qe), g.data(), ng);
    const Eigen::Map<const Eigen::VectorXd> velocity(v.data(), n);
    const Eigen::VectorXd first = G * velocity + g_t;
    for (int k = 0; k < ng; ++k) {
      const auto at = static_cast<std::size_t>(k);
      EXPECT_NEAR(first[k], g[at].c[1], 1e-13) << p.lambda_names[at];
      EXPECT_NEAR(bent[k], 2.0 * g[at].c[2], 2e-13) << p.lambda_names[at];
    }
  }
}

TEST_P(Rows, FreeMotionsAreCountedByTheRank) {
  const Assembled a = two_bodies(GetParam());
  const bool planar = GetParam().space == MechanismSpace::planar;
  EXPECT_EQ(a.report.redundant.size(), 0U);
  EXPECT_EQ(a.report.degrees_of_freedom, (planar ? 6 : 12) - a.report.rows);
}

std::vector<Case> cases() {
  using enum JointType;
  std::vector<Case> all;
  const std::vector<Kind> kinds{{fixed, false},         {revolute, false},
                                {prismatic, false},     {cylindrical, false},
                                {screw, false},         {spherical, false},
                                {universal, false},     {JointType::planar, false},
                                {point_on_line, false}, {point_on_plane, false},
                                {parallel, false},      {orientation, false},
                                {perpendicular, false}, {distance, false},
                                {revolute, true},       {prismatic, true},
                                {distance, true}};
  for (const Kind& kind : kinds)
    for (const MechanismSpace space : {MechanismSpace::r3xso3, MechanismSpace::se3,
                                       MechanismSpace::r3xs3, MechanismSpace::s3_semidirect})
      all.push_back({kind, space});
  for (const Kind& kind : std::vector<Kind>{{fixed, false},
                                            {revolute, false},
                                            {prismatic, false},
                                            {distance, false},
                                            {point_on_line, false},
                                            {parallel, false},
                                            {revolute, true},
                                            {prismatic, true}})
    all.push_back({kind, MechanismSpace::planar});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Joints, Rows, testing::ValuesIn(cases()));

}  // namespace
}  // namespace daedalus::mechanism_rows_test
