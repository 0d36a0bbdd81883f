// SPDX-License-Identifier: BSD-3-Clause
// Start values satisfy the equations that hold at one point in time; published accelerations,
// multipliers and references are met by the equations without integrating them.
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate.hpp"

namespace daedalus::catalogue_test::start_test {
namespace {

// On a group q has more entries than v, and the rows below are those of linear spaces; the problems
// on groups have tests of their own.
bool on_a_group(const Problem& problem) {
  const auto* p = std::get_if<MultibodyProblem>(&problem);
  return p != nullptr && !p->space.is_euclidean();
}

using problems::all_problems;
using problems::Entry;
using problems::find_problem;

// Rows of the equations that contain no derivative: w^T f for w in the left kernel of M.
Vector algebraic_rows(const Problem& problem, double t, const Vector& x) {
  const Vector r = residual(problem, t, x, Vector::Zero(x.size()));
  if (const auto* p = std::get_if<MassMatrixProblem>(&problem)) {
    const Matrix M = mass_matrix(*p, t, x);
    Matrix scaled = M.transpose();
    for (Eigen::Index j = 0; j < scaled.cols(); ++j)
      if (scaled.col(j).cwiseAbs().maxCoeff() > 0.0)
        scaled.col(j) /= scaled.col(j).cwiseAbs().maxCoeff();
    const PivotedQr qr = pivoted_qr(scaled.transpose());
    if (qr.rank == M.rows()) return Vector();
    Matrix kernel = qr.q.rightCols(M.rows() - qr.rank);
    for (Eigen::Index j = 0; j < M.rows(); ++j)
      if (M.row(j).cwiseAbs().maxCoeff() > 0.0) kernel.row(j) /= M.row(j).cwiseAbs().maxCoeff();
    for (Eigen::Index k = 0; k < kernel.cols(); ++k)
      kernel.col(k) /= kernel.col(k).cwiseAbs().maxCoeff();
    return kernel.transpose() * r;
  }
  if (const auto* p = std::get_if<SemiExplicitProblem>(&problem)) return r.tail(p->z0.size());
  if (const auto* p = std::get_if<MultibodyProblem>(&problem)) return r.tail(p->multipliers());
  return Vector();
}

double largest(const Vector& v) { return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff(); }

TEST(Start, AlgebraicEquationsHold) {
  for (const Entry* entry : all_problems()) {
    const Problem problem = entry->problem();
    if (on_a_group(problem)) continue;
    const Vector x = variables_of(problem).start;
    // The slider crank's start values are published with nine digits; the axle's rows are sums of
    // accelerations up to 100, the length of its struts is multiplied by 30000 N/m over 50 kg.
    // Differences over a grid have terms of the size of its square.
    // The rails of the wheelset lie where its published start values put them, to 13 digits.
    const double tolerance = entry->name == "slider-crank" ? 1e-9
                             : entry->name == "axle"       ? 1e-11
                             : entry->name == "wheelset"   ? 1e-12
                             : entry->name == "pde-1d"     ? 1e-13
                             : entry->name == "pde-2d"     ? 1e-14
                                                           : 1e-15;
    EXPECT_LE(largest(algebraic_rows(problem, entry->t0, x)), tolerance) << entry->name;
  }
}

TEST(Start, AWrongStartIsSeen) {
  for (const char* name : {"pendulum", "andrews", "transistor-amplifier", "robertson", "jay"}) {
    const Entry* entry = find_problem(name);
    const Problem problem = entry->problem();
    Random random(3);
    const Vector x = variables_of(problem).start;
    const Vector wrong = x + 1e-6 * random.vector(x.size());
    EXPECT_GT(largest(algebraic_rows(problem, entry->t0, wrong)), 1e-12) << name;
  }
}

TEST(Start, VelocitiesAreConsistent) {
  for (const Entry* entry : all_problems()) {
    const Problem problem = entry->problem();
    const auto* p = std::get_if<MultibodyProblem>(&problem);
    if (p == nullptr || p->constraint_count == 0 || on_a_group(problem)) continue;
    // Slider crank: v2 = -74.9957670 is rounded in the seventh decimal, times the length 0.3.
    // Irregular rails move sideways under the rolling wheelset from the start; without them the
    // rows vanish, and with them the start solver adds what is missing.
    const double tolerance = entry->name == "slider-crank"       ? 2e-8
                             : entry->name == "wheelset-excited" ? 1e-6
                                                                 : 1e-15;
    EXPECT_LE(largest(velocity_constraints(*p, entry->t0, p->q0, p->v0, p->s0)), tolerance)
        << entry->name;
  }
}

// y1' y2 ... of a Hessenberg system: g_y f = 0 at the start of both problems by Jay.
TEST(Start, HiddenConstraintsOfJayHold) {
  for (const char* name : {"jay", "jay-nonlinear"}) {
    const auto p = std::get<SemiExplicitProblem>(find_problem(name)->problem());
    const Vector f = evaluate(p.f, arguments(0.0, p.y0.data(), 2, p.z0.data(), 1), 2);
    EXPECT_EQ(2.0 * p.y0[0] * p.y0[1] * f[0] + p.y0[0] * p.y0[0] * f[1], 0.0) << name;
  }
}

TEST(Start, ImplicitSlopeHolds) {
  const Entry* entry = find_problem("weissinger");
  const auto p = std::get<ImplicitProblem>(entry->problem());
  EXPECT_LT(std::abs(residual(p, entry->t0, p.y0, p.yp0)[0]), 1e-15);
}

// Hairer, Wanner (1996), section VII.7: w(0) and lambda(0) of the mechanism.
TEST(Published, AndrewsAccelerationsAndMultipliers) {
  const auto p = std::get<MultibodyProblem>(find_problem("andrews")->problem());
  const Motion m = motion(p, 0.0, p.q0, p.v0);
  Vector w = Vector::Zero(7), lambda = Vector::Zero(6);
  w[0] = 14222.4439199541138705911625887;
  w[1] = -10666.8329399655854029433719415;
  lambda[0] = 98.5668703962410896057654982170;
  lambda[1] = -6.12268834425566265503114393122;
  EXPECT_LT(largest(m.acceleration - w), 1e-11 * w[0]);
  EXPECT_LT(largest(m.lambda - lambda), 1e-11 * lambda[0]);
}

TEST(Published, CarAxisStartsWithoutMultipliers) {
  const auto p = std::get<MultibodyProblem>(find_problem("car-axis")->problem());
  EXPECT_LT(largest(motion(p, 0.0, p.q0, p.v0).lambda), 1e-14);
}

// Test set, problem CRANK; the data have nine digits, accelerations are differences of them.
TEST(Published, SliderCrankAccelerationsAndMultipliers) {
  const auto p = std::get<MultibodyProblem>(find_problem("slider-crank")->problem());
  const Motion m = motion(p, 0.0, p.q0, p.v0);
  EXPECT_NEAR(m.acceleration[2], -5.062194923138079e3, 1e-4);
  EXPECT_NEAR(m.acceleration[5], -4.268463211410861, 1e-4);
  EXPECT_NEAR(m.acceleration[6], 2.098334687947376e-1, 1e-4);
  EXPECT_NEAR(m.lambda[1], 3.824589508329281e2, 1e-5);
}

// y'(0) as published: -U3/(C2 R3) and -U6/(C4 R7).
TEST(Published, AmplifierSlopes) {
  const auto p = std::get<MassMatrixProblem>(find_problem("transistor-amplifier")->problem());
  const Vector f = evaluate(p.rhs, arguments(0.0, p.y0.data(), 8), 8);
  const Matrix M(p.mass_matrix);
  EXPECT_NEAR(f[2] / M(2, 2), -500.0 / 3.0, 1e-10);
  EXPECT_NEAR(f[5] / M(5, 5), -250.0 / 3.0, 1e-10);
  EXPECT_EQ(pivoted_qr(M).rank, 5);
}

// Steinebach (1988), section 9.2: the voltages for Ue = 0, where f(U) = 0.
TEST(Published, AmplifierAtRest) {
  const auto p = std::get<MassMatrixProblem>(find_problem("amplifier-100hz")->problem());
  Vector rest(8);
  rest << 0.0, 2.9858192034520593, 2.8361593095881432, 3.1922022835077382, 2.9858192034520593,
      2.8361593095881432, 3.1922022835077382, 0.0;
  EXPECT_LT(largest(p.y0 - rest), 1e-14);
  // Other resistors, other voltages, at rest still.
  const auto other = std::get<MassMatrixProblem>(
      find_problem("amplifier-1khz")->problem({{"R2", 5e3}, {"R6", 2e4}, {"alpha", 0.97}}));
  EXPECT_GT(largest(other.y0 - rest), 0.1);
  for (const auto& q : {p, other})
    EXPECT_LT(largest(evaluate(q.rhs, arguments(0.0, q.y0.data(), 8), 8)), 1e-16);
}

// The constant input is the maximum of the sine, at all times.
TEST(Published, AmplifierWithConstantInput) {
  const auto p = std::get<MassMatrixProblem>(find_problem("amplifier-dc")->problem());
  for (const double t : {0.0, 0.0025, 0.7}) {
    const Vector f = evaluate(p.rhs, arguments(t, p.y0.data(), 8), 8);
    EXPECT_NEAR(f[0], 0.0, 1e-19) << t;  // U1 = Ue
    EXPECT_NEAR(f[2], 3.0 / 9000.0, 1e-18) << t;
  }
}

// The rear axle starts from rest in equilibrium: no accelerations, whatever the stabilisation.
TEST(Published, AxleStartsAtRest) {
  for (const double alpha : {0.0, 10.0}) {
    const auto p = std::get<SemiExplicitProblem>(find_problem("axle")->problem({{"alpha", alpha}}));
    const auto a = arguments(0.0, p.y0.data(), 18, p.z0.data(), 4);
    EXPECT_LT(largest(evaluate(p.f, a, 18)), 1e-11);
  }
  // A side force pushes all bodies.
  const auto p = std::get<SemiExplicitProblem>(find_problem("axle")->problem());
  const Vector f = evaluate(p.f, arguments(100.0, p.y0.data(), 18, p.z0.data(), 4), 18);
  for (const int i : {9, 12, 15}) EXPECT_NEAR(f[i], 3.0, 1e-10);
}

// alpha weighs g', beta weighs g: seen at a point off the constraints.
TEST(Published, BaumgarteTermsOfTheCarAxis) {
  const auto axis = std::get<MultibodyProblem>(find_problem("car-axis")->problem());
  Random random(2);
  const double t = 0.37;
  const Vector q = axis.q0 + 0.1 * random.vector(4), v = random.vector(4),
               lambda = random.vector(2);
  Vector y(8);
  y << q, v;
  const auto rows = [&](double alpha, double beta) {
    const auto p = std::get<SemiExplicitProblem>(
        find_problem("car-axis-baumgarte")->problem({{"alpha", alpha}, {"beta", beta}}));
    return evaluate(p.g, arguments(t, y.data(), 8, lambda.data(), 2), 2);
  };
  const Vector none = rows(0.0, 0.0);
  EXPECT_LT(largest(rows(3.0, 0.0) - none - 3.0 * velocity_constraints(axis, t, q, v)), 1e-12);
  EXPECT_LT(largest(rows(0.0, 5.0) - none - 5.0 * position_constraints(axis, t, q, v)), 1e-12);
  // Without them the row is g'' along q'' = M^-1 (f - G^T lambda).
  const auto a = arguments(t, q.data(), 4, v.data(), 4);
  const Matrix G = constraint_matrix(axis, t, q);
  const Vector right = evaluate(axis.force, a, 4) - G.transpose() * lambda;
  const Vector second = G * PivotedLu(evaluate(axis.mass, a, 4, 4)).solve(right) +
                        evaluate(axis.acceleration_term, a, 2);
  EXPECT_LT(largest(none - second), 1e-9 * largest(second));
}

// A reference lies on the constraints and its multipliers belong to its positions and velocities.
TEST(References, MultipliersFollowFromPositionsAndVelocities) {
  const struct {
    const char* name;
    double constraint, multiplier;  // absolute and relative; 22 digits rounded to doubles
  } cases[] = {{"pendulum", 1e-15, 1e-14},
               {"andrews", 1e-15, 1e-11},
               {"car-axis", 1e-15, 1e-11},
               {"arevalo", 1e-15, 1e-14},
               {"slider-crank", 1e-9, 1e-7}};
  for (const auto& c : cases) {
    const Entry* entry = find_problem(c.name);
    const Problem problem = entry->problem();
    const auto& p = std::get<MultibodyProblem>(problem);
    const Vector x = ordered(entry->reference->values, variables_of(problem).names);
    const Eigen::Index n = p.q0.size();
    const Vector q = x.head(n), v = x.segment(n, n), lambda = x.tail(p.multipliers());
    const Motion m = motion(p, entry->t_end, q, v);
    EXPECT_LE(largest(position_constraints(p, entry->t_end, q, v)), c.constraint) << c.name;
    EXPECT_LE(largest(velocity_constraints(p, entry->t_end, q, v)),
              1e2 * c.constraint * (1.0 + largest(v)))
        << c.name;
    EXPECT_LE(largest((m.lambda - lambda).cwiseQuotient(lambda)), c.multiplier) << c.name;
  }
}

TEST(References, LieOnTheAlgebraicEquations) {
  const struct {
    const char* name;
    double tolerance;  // per row; Robertson's reference is published with a sum off by 1e-14
  } cases[] = {{"robertson", 2e-14},
               {"akzo", 1e-15},
               {"transistor-amplifier", 1e-14},
               {"ring-modulator-index2", 1e-9},
               {"brenan", 1e-15},
               {"kvaerno-a", 1e-15},
               {"jay", 1e-14},
               {"jay-nonlinear", 1e-14},
               {"steinebach-generic", 1e-15},
               {"amplifier-dc", 1e-13},
               {"amplifier-100hz", 1e-12},
               {"amplifier-1khz", 1e-12},
               {"car-axis-baumgarte", 1e-9},
               {"axle", 1e-6}};
  for (const auto& c : cases) {
    const Entry* entry = find_problem(c.name);
    const Problem problem = entry->problem();
    const Vector x = ordered(entry->reference->values, variables_of(problem).names);
    EXPECT_LE(largest(algebraic_rows(problem, entry->t_end, x)), c.tolerance) << c.name;
  }
}

// The reference of HIRES keeps y7 + y8, and that of the ring modulator without parasitic
// capacitances its hidden constraint.
TEST(References, KeepInvariants) {
  const auto hires = ordered(find_problem("hires")->reference->values, {"y7", "y8"});
  EXPECT_NEAR(hires.sum(), 0.0057, 1e-15);
  const auto ring =
      ordered(find_problem("ring-modulator-index2")->reference->values, {"U3", "U4", "U5", "U6"});
  EXPECT_NEAR(ring[0] - ring[1] + ring[2] - ring[3], 0.0, 1e-10);
}

TEST(Domain, EvaluationsOutsideAreRejected) {
  const auto rejects = [](const char* name, const char* variable, double value) {
    const Problem problem = find_problem(name)->problem();
    const Variables all = variables_of(problem);
    Vector x = all.start;
    for (std::size_t i = 0; i < all.names.size(); ++i)
      if (all.names[i] == variable) x[static_cast<Eigen::Index>(i)] = value;
    return residual(problem, 0.0, x, Vector::Zero(x.size())).hasNaN();
  };
  EXPECT_TRUE(rejects("akzo", "y2", -1e-9));
  EXPECT_FALSE(rejects("akzo", "y2", 0.0));
  // 300 UF = 7.8 above U3 = 3.
  EXPECT_TRUE(rejects("transistor-amplifier", "U2", 10.81));
  EXPECT_FALSE(rejects("transistor-amplifier", "U2", 10.79));
  // 300 / delta = 16.9.
  EXPECT_TRUE(rejects("ring-modulator", "U3", 17.0));
  EXPECT_FALSE(rejects("ring-modulator", "U3", 16.8));
  EXPECT_TRUE(rejects("ring-modulator-index2", "U4", 17.0));
}

}  // namespace
}  // namespace daedalus::catalogue_test::start_test
