// SPDX-License-Identifier: BSD-3-Clause
// Given derivatives of constraints agree with automatic differentiation at random points, mass
// matrices are symmetric and positive definite.
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate.hpp"

namespace daedalus::catalogue_test {
namespace {

using problems::all_problems;
using problems::Entry;
using problems::find_problem;

struct Errors {
  double jacobian = 0.0, time_derivative = 0.0, acceleration = 0.0;
};

// Each error is relative to the largest entry of what is compared.
Errors constraint_errors(const MultibodyProblem& p, double t, const Vector& q, const Vector& v) {
  const int n = static_cast<int>(q.size()), m = p.constraint_count;
  const auto a = arguments(t, q.data(), n, v.data(), n);
  const Matrix G = evaluate(p.constraint_jacobian, a, m, n);
  const Vector g_t = evaluate(p.constraint_time_derivative, a, m);
  const Vector k = evaluate(p.acceleration_term, a, m);
  Errors e;

  std::vector<Dual4> x(static_cast<std::size_t>(n)), g(static_cast<std::size_t>(m));
  const auto at = [](Eigen::Index i) { return static_cast<std::size_t>(i); };
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) x[at(i)] = Dual4(q[i]);
    x[at(j)] = Dual4::variable(q[j], 0);
    (void)p.constraint(arguments(Dual4::variable(t, 1), x.data(), n), g.data(), m);
    for (int i = 0; i < m; ++i) {
      e.jacobian = std::max(e.jacobian, std::abs(g[at(i)].d[0] - G(i, j)));
      e.time_derivative = std::max(e.time_derivative, std::abs(g[at(i)].d[1] - g_t[i]));
    }
  }
  // g(t + tau, q + tau v) = g + (G v + g_t) tau + k tau^2 / 2 + ...
  std::vector<Taylor2> curve(static_cast<std::size_t>(n)), series(static_cast<std::size_t>(m));
  for (int i = 0; i < n; ++i) curve[at(i)] = Taylor2({q[i], v[i], 0.0});
  (void)p.constraint(arguments(Taylor2({t, 1.0, 0.0}), curve.data(), n), series.data(), m);
  for (int i = 0; i < m; ++i)
    e.acceleration = std::max(e.acceleration, std::abs(2.0 * series[at(i)].c[2] - k[i]));

  e.jacobian /= G.cwiseAbs().maxCoeff();
  e.time_derivative /= std::max(1.0, g_t.cwiseAbs().maxCoeff());
  e.acceleration /= std::max(1e-300, k.cwiseAbs().maxCoeff());
  return e;
}

// Seed 7 for every problem; points near the start values, velocities of order one.
template <class Check>
void at_random_points(const Entry& entry, const MultibodyProblem& p, const Check& check) {
  Random random(7);
  for (int i = 0; i < 5; ++i) {
    const double t = entry.t0 + 0.5 * (1.0 + random.number()) * (entry.t_end - entry.t0);
    const Vector q = p.q0 + 0.2 * random.vector(p.q0.size());
    check(t, q, random.vector(p.v0.size()));
  }
}

TEST(Constraints, GivenDerivativesAreExact) {
  int checked = 0;
  for (const Entry* entry : all_problems()) {
    const Problem problem = entry->problem();
    const auto* p = std::get_if<MultibodyProblem>(&problem);
    if (p == nullptr || p->constraint_count == 0 || !p->constraint_jacobian ||
        !p->acceleration_term)
      continue;
    ++checked;
    at_random_points(*entry, *p, [&](double t, const Vector& q, const Vector& v) {
      const Errors e = constraint_errors(*p, t, q, v);
      EXPECT_LT(e.jacobian, 1e-13) << entry->name;
      EXPECT_LT(e.time_derivative, 1e-13) << entry->name;
      EXPECT_LT(e.acceleration, 1e-13) << entry->name;
    });
  }
  EXPECT_GE(checked, 5);  // pendulum, car axis, Andrews, slider crank, Arevalo
}

// The test of the test: a flipped sign in G and a forgotten Coriolis factor are seen.
TEST(Constraints, WrongDerivativesAreSeen) {
  const Entry& entry = *find_problem("car-axis");
  auto p = std::get<MultibodyProblem>(entry.problem());
  const auto jacobian = p.constraint_jacobian;
  const auto term = p.acceleration_term;
  p.constraint_jacobian = [jacobian](double t, In q, MatrixOut G) {
    (void)jacobian(arguments(t, q.data(), 4), G.data(), 2, 4);
    G(1, 0) = -G(1, 0);
  };
  p.constraint_time_derivative = [](double, In, Out g_t) { g_t.setZero(); };
  p.acceleration_term = [term](double t, In q, In v, Out k) {
    (void)term(arguments(t, q.data(), 4, v.data(), 4), k.data(), 2);
    k *= 0.5;
  };
  at_random_points(entry, p, [&](double t, const Vector& q, const Vector& v) {
    const Errors e = constraint_errors(p, t, q, v);
    EXPECT_GT(e.jacobian, 0.1);
    EXPECT_GT(e.time_derivative, 1e-3);
    EXPECT_GT(e.acceleration, 0.9);
  });
}

TEST(Mass, IsSymmetricAndPositiveDefinite) {
  for (const Entry* entry : all_problems()) {
    const Problem problem = entry->problem();
    const auto* p = std::get_if<MultibodyProblem>(&problem);
    if (p == nullptr) continue;
    const int n = static_cast<int>(p->q0.size());
    Random random(11);
    for (int i = 0; i < 5; ++i) {
      // Elastic coordinates of the slider crank are of order 1e-4, the published mass matrix of the
      // wheelset has a factor cos(phi); other angles go all the way round.
      const bool near = entry->name == "slider-crank" || entry->name == "wheelset";
      Vector q = p->q0 + (near ? 1e-3 : 3.0) * random.vector(n);
      const Matrix M = mass_matrix(*p, entry->t0, q);
      EXPECT_EQ(M, M.transpose()) << entry->name;
      EXPECT_EQ(Eigen::LLT<Matrix>(M).info(), Eigen::Success) << entry->name;
    }
  }
}

// dE/dt = E_q v + E_v v' vanishes: the forces belong to the energy.
TEST(Invariants, EnergyOfThePendulumStays) {
  const auto p = std::get<MultibodyProblem>(find_problem("pendulum")->problem());
  Vector q(2), v(2);
  q << 0.6, -0.8;
  v << 0.8 * 1.3, 0.6 * 1.3;
  const Vector a = motion(p, 0.0, q, v).acceleration;
  std::vector<Dual4> point(4);
  for (int i = 0; i < 2; ++i) {
    point[static_cast<std::size_t>(i)] = Dual4(q[i], {v[i]});
    point[static_cast<std::size_t>(i + 2)] = Dual4(v[i], {a[i]});
  }
  Dual4 energy;
  (void)p.invariants.at(0).value(arguments(Dual4(0.0), point.data(), 2, point.data() + 2, 2),
                                 &energy, 1);
  EXPECT_NEAR(energy.d[0], 0.0, 1e-14);
  EXPECT_GT(energy.v, -9.81);
}

// Atoms and totals: I(y + f tau) has no linear term anywhere, and the published reference has the
// value of the start.
TEST(Invariants, OfReactionsStay) {
  int checked = 0;
  for (const Entry* entry : all_problems()) {
    const Problem problem = entry->problem();
    const auto* p = std::get_if<MassMatrixProblem>(&problem);
    if (p == nullptr) continue;
    for (const auto& invariant : p->invariants) {
      ++checked;
      const int n = static_cast<int>(p->y0.size());
      const Vector y = Random(5).vector(n).cwiseAbs();
      const auto parameters = parameter_values<double>(*p);
      const Vector f = evaluate(p->rhs, with(arguments(0.0, y.data(), n), parameters), n);
      std::vector<Dual4> point(static_cast<std::size_t>(n));
      for (int i = 0; i < n; ++i) point[static_cast<std::size_t>(i)] = Dual4(y[i], {f[i]});
      Dual4 value;
      (void)invariant.value(arguments(Dual4(0.0), point.data(), n), &value, 1);
      EXPECT_LT(std::abs(value.d[0]), 1e-14 * f.cwiseAbs().maxCoeff())
          << entry->name << " " << invariant.name;
      const Vector end = ordered(entry->reference->values, p->variables);
      EXPECT_NEAR(evaluate(invariant.value, arguments(0.0, end.data(), n), 1)[0],
                  evaluate(invariant.value, arguments(0.0, p->y0.data(), n), 1)[0], 1e-14)
          << entry->name << " " << invariant.name;
    }
  }
  EXPECT_EQ(checked, 3);  // nitrogen, sulphur, y7 + y8
}

}  // namespace
}  // namespace daedalus::catalogue_test
