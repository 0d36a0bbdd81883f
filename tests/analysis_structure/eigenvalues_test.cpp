// SPDX-License-Identifier: BSD-3-Clause
// Steady states and finite eigenvalues against closed forms, and between formulations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <catalogue/catalogue.hpp>
#include <daedalus/analysis.hpp>
#include <daedalus/autodiff.hpp>

#include "analysis/structure_start.hpp"
#include "tool/run.hpp"

namespace daedalus::eigenvalues_test {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<std::complex<double>>;

struct Rest {
  SteadyState state;
  Eigenvalues eigen;
};

Rest at_rest(const std::string& name) {
  const problems::Entry& e = *problems::find_problem(name);
  const Problem p = e.problem();
  Rest r{steady_state(p, e.t0), {}};
  EXPECT_TRUE(r.state.found) << name << ": " << r.state.message;
  r.eigen = eigenvalues(p, r.state);
  EXPECT_TRUE(r.eigen.found) << name << ": " << r.eigen.message;
  return r;
}

double value(const SteadyState& s, const std::string& name) {
  const auto at = std::find(s.names.begin(), s.names.end(), name);
  EXPECT_NE(at, s.names.end()) << name;
  return s.x[at - s.names.begin()];
}

// Largest distance of a value from the nearest of the others, in parts of the largest.
double one_sided(const Values& a, const Values& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0.0, size = 0.0;
  for (const auto& x : a) {
    double nearest = 1e300;
    for (const auto& y : b) nearest = std::min(nearest, std::abs(x - y));
    worst = std::max(worst, nearest);
    size = std::max(size, std::abs(x));
  }
  return worst / size;
}
double distance(const Values& a, const Values& b) {
  return std::max(one_sided(a, b), one_sided(b, a));
}

// Those of the pencil s E + J of a formulation as it stands.
Values of_pencil(const Problem& problem, const SteadyState& at, const std::string& formulation,
                 int index) {
  AnalysedSystem a = analysed_at_start(problem, formulation, at.t, {});
  a.state.x.setZero();  // eta vanishes
  a.state.x.head(at.x.size()) = at.x;
  a.state.xd.setZero();
  Eigen::MatrixXd E, J;
  EXPECT_TRUE(a.linearise(a.state, E, J));
  const WeierstrassForm w = weierstrass_form(E, J);
  EXPECT_EQ(w.index, index) << formulation;
  return w.eigenvalues();
}

TEST(Eigenvalues, OfThePendulumHangingDown) {
  const Rest r = at_rest("pendulum");
  EXPECT_NEAR(value(r.state, "y"), -1.0, 1e-13);
  EXPECT_NEAR(value(r.state, "lambda"), 9.81, 1e-12);
  ASSERT_EQ(r.eigen.values.size(), 2u);
  EXPECT_NEAR(std::abs(r.eigen.values[0] - std::complex<double>(0.0, std::sqrt(9.81))), 0.0, 1e-12);
  EXPECT_TRUE(r.eigen.stable());
  // Standing up: the same numbers on the real axis.
  const problems::Entry& e = *problems::find_problem("pendulum");
  SteadyState up = r.state;
  up.x[1] = 1.0;
  up.x[4] = -9.81;
  const Eigenvalues unstable = eigenvalues(e.problem(), up);
  EXPECT_NEAR(unstable.values[0].real(), std::sqrt(9.81), 1e-12);
  EXPECT_FALSE(unstable.stable());
}

// n equal point masses on links of length l hang with frequencies sqrt(g x / l), L_n(x) = 0
// (Laguerre polynomials).
TEST(Eigenvalues, OfAHangingChainAreZerosOfALaguerrePolynomial) {
  const Rest r = at_rest("chain-planar");
  ASSERT_EQ(r.eigen.values.size(), 20u);
  for (const auto& s : r.eigen.values) {
    const double x = std::norm(s) * 0.1 / 9.81;
    double before = 1.0, now = 1.0 - x, slope_before = 0.0, slope = -1.0;
    for (int k = 1; k < 10; ++k) {
      const double next = ((2 * k + 1 - x) * now - k * before) / (k + 1);
      const double next_slope = ((2 * k + 1 - x) * slope - now - k * slope_before) / (k + 1);
      before = now;
      now = next;
      slope_before = slope;
      slope = next_slope;
    }
    EXPECT_LT(std::abs(now / slope), 1e-9 * x) << s;  // distance to the zero
    EXPECT_LT(std::abs(s.real()), 1e-9 * std::abs(s));
  }
}

// Index 3 as it stands, index-2 form stabilised by Gear, Gupta and Leimkuhler, and the reduction to
// the manifold give the same numbers. The index-1 form has besides them one zero of order two per
// constraint.
TEST(Eigenvalues, DoNotDependOnTheFormulation) {
  for (const char* name : {"pendulum", "car-axis", "truck9", "andrews"}) {
    const problems::Entry& e = *problems::find_problem(name);
    const Problem p = e.problem();
    const Rest r = at_rest(name);
    EXPECT_LT(distance(r.eigen.values, of_pencil(p, r.state, "index3", 3)), 1e-8) << name;
    EXPECT_LT(distance(r.eigen.values, of_pencil(p, r.state, "ggl", 2)), 1e-8) << name;
    const int constraints = std::get<MultibodyProblem>(p).constraint_count;
    const Values index1 = of_pencil(p, r.state, "index1", 1);
    EXPECT_EQ(index1.size(), r.eigen.values.size() + 2 * static_cast<std::size_t>(constraints));
  }
}

// Heavy top with and without constraints: two pendulum frequencies sqrt(m g l / (I + m l^2)) at
// rest, however it is described. In motion frozen coefficients depend on the coordinates:
// descriptions in the body agree, one with inertial positions (r3xso3) has other numbers.
TEST(Eigenvalues, OnGroups) {
  const Rest held = at_rest("heavy-top-r3xso3"), free = at_rest("heavy-top-so3");
  const double frequency = std::sqrt(15.0 * 9.81 / 15.234375);
  for (const Rest* r : {&held, &free}) {
    EXPECT_EQ(r->eigen.degrees_of_freedom, 6);
    EXPECT_EQ(r->state.family, 1);  // turning about the vertical
    int swinging = 0;
    for (const auto& s : r->eigen.values)
      if (std::abs(std::abs(s.imag()) - frequency) < 1e-9 && std::abs(s.real()) < 1e-9) ++swinging;
    EXPECT_EQ(swinging, 4);
  }
  EXPECT_LT(distance(held.eigen.values, free.eigen.values), 1e-8);
  const auto moving = [](const char* name) {
    return eigenvalues(problems::find_problem(name)->problem(), 0.0, 0.0).values;
  };
  EXPECT_LT(distance(moving("heavy-top-so3"), moving("heavy-top-se3")), 1e-8);
  EXPECT_GT(distance(moving("heavy-top-so3"), moving("heavy-top-r3xso3")), 1e-2);
}

// Moving supports: with t fixed neither g_t nor g_tt acts. Undamped springs, two equal pairs.
TEST(Eigenvalues, OfMovingConstraintsHaveTimeFixedAtRest) {
  const Rest r = at_rest("car-axis");
  const problems::Entry& e = *problems::find_problem("car-axis");
  EXPECT_LT(distance(of_pencil(e.problem(), r.state, "index3", 3), r.eigen.values), 1e-8);
  EXPECT_NEAR(std::abs(r.eigen.values[0]), std::sqrt(2000.0), 1e-9 * std::sqrt(2000.0));
}

// U_B = 6, equal resistors of 9000: base current I / 100 through 4500, emitter current I through
// 9000, collector current 0.99 I.
TEST(SteadyStates, OperatingPointOfTheTransistorAmplifier) {
  const Rest r = at_rest("transistor-amplifier");
  const double U2 = value(r.state, "U2"), U3 = value(r.state, "U3"), U4 = value(r.state, "U4");
  const double current = 1e-6 * (std::exp((U2 - U3) / 0.026) - 1.0);
  EXPECT_NEAR(U3, 9000.0 * current, 1e-10);
  EXPECT_NEAR(U2, 3.0 - 4500.0 * 0.01 * current, 1e-10);
  EXPECT_NEAR(U4, 6.0 - 9000.0 * 0.99 * current, 1e-10);
  EXPECT_NEAR(value(r.state, "U1"), 0.0, 1e-14);
  EXPECT_EQ(r.eigen.degrees_of_freedom, 5);  // capacitors
  EXPECT_TRUE(r.eigen.stable());
}

// The conserved sum y7 + y8 = 0.0057 and the inflow 0.0007 = 0.69 y7 fix the rest.
TEST(SteadyStates, BelongToTheirStartValues) {
  const Rest r = at_rest("hires");
  EXPECT_NEAR(value(r.state, "y7"), 0.0007 / 0.69, 1e-9);
  EXPECT_NEAR(value(r.state, "y8"), 0.0057 - 0.0007 / 0.69, 1e-9);
  EXPECT_EQ(r.state.family, 1);
  EXPECT_THAT(r.state.message, HasSubstr("belongs to the start values"));
}

TEST(SteadyStates, OfMechanicalSystems) {
  // Axle and load hang at the end of the beam where the springs carry them.
  const Rest truck = at_rest("truck9");
  EXPECT_LT(truck.state.residual, 1e-8);
  EXPECT_EQ(truck.eigen.degrees_of_freedom, 14);
  EXPECT_TRUE(truck.eigen.stable());
  const Rest squeezer = at_rest("andrews");
  EXPECT_LT(squeezer.state.residual, 1e-12);
  EXPECT_EQ(squeezer.eigen.degrees_of_freedom, 2);
  EXPECT_TRUE(squeezer.eigen.stable());
}

TEST(SteadyStates, WhyThereIsNone) {
  const MassMatrixProblem p{.name = "runaway",
                            .rhs = autodiff([](const auto&, const auto& y, auto& f) {
                              f[0] = 1.0 + y[0] * y[0];
                              f[1] = -y[1];
                            }),
                            .y0 = Eigen::Vector2d(0.0, 1.0),
                            .variables = {"fuel", "other"},
                            .equations = {"burning", "rest"}};
  const SteadyState s = steady_state(p, 0.0);
  EXPECT_FALSE(s.found);
  EXPECT_THAT(s.message, HasSubstr("'burning'"));
  const Eigenvalues e = eigenvalues(p, s);
  EXPECT_FALSE(e.found);
  EXPECT_THAT(e.message, HasSubstr("No steady state"));
}

// Algebraic variables and hidden constraints give no eigenvalue, however small their index-1
// relatives are.
TEST(Eigenvalues, AreAsManyAsDegreesOfFreedom) {
  struct Known {
    const char* name;
    std::size_t count;
    int index;
  };
  for (const Known& k : {Known{"robertson", 2, 1},
                         {"akzo", 5, 1},
                         {"jay", 1, 2},
                         {"ring-modulator", 15, 0},
                         {"ring-modulator-index2", 10, 2},
                         {"nilpotent", 0, 3},
                         {"slider-crank", 8, 1}}) {
    const problems::Entry& e = *problems::find_problem(k.name);
    const Eigenvalues r = eigenvalues(e.problem(), e.t0, e.t0);
    ASSERT_TRUE(r.found) << k.name << ": " << r.message;
    EXPECT_EQ(r.values.size(), k.count) << k.name;
    EXPECT_EQ(r.index, k.index) << k.name;
  }
  const problems::Entry& e = *problems::find_problem("robertson");
  const Eigenvalues start = eigenvalues(e.problem(), 0.0, 0.0);
  EXPECT_NEAR(start.values[1].real(), -0.04, 1e-14);
  // Later y' = -0.04 y1 + 1e4 y2 y3 makes it stiff: about -2 3e7 y2 - 1e4 y3 - ...
  const Eigenvalues later = eigenvalues(e.problem(), 0.0, 40.0);
  ASSERT_TRUE(later.found) << later.message;
  const double y2 = later.state[1], y3 = later.state[2];
  EXPECT_NEAR(later.values[1].real() / -(0.04 + 1e4 * y3 + 6e7 * y2), 1.0, 1e-2);
}

TEST(EigenCommand, PrintsTheContractedFields) {
  const auto tool = [](std::vector<const char*> words, std::string& out, std::string& err) {
    std::ostringstream o, e;
    words.insert(words.begin(), "daedalus");
    const int code = cli::run(static_cast<int>(words.size()), words.data(), o, e);
    out = o.str();
    err = e.str();
    return code;
  };
  std::string out, err;
  EXPECT_EQ(tool({"eigen", "pendulum", "--at", "equilibrium", "--json"}, out, err), 0);
  for (const char* field : {"\"version\": 1", "\"t\"", "\"state\"", "\"y\": -1", "\"eigenvalues\"",
                            "\"re\"", "\"im\": 3.13209"})
    EXPECT_THAT(out, HasSubstr(field));
  EXPECT_EQ(tool({"eigen", "pendulum", "--at", "0.1"}, out, err), 0);
  EXPECT_THAT(out, HasSubstr("2 finite eigenvalues"));
  EXPECT_EQ(tool({"eigen", "knife-edge", "--at", "equilibrium", "--json"}, out, err), 1);
  EXPECT_THAT(out, HasSubstr("\"eigenvalues\": null"));
  EXPECT_EQ(tool({"eigen", "pendulum", "--at", "noon"}, out, err), 2);
  EXPECT_THAT(err, HasSubstr("'noon'"));
}

}  // namespace
}  // namespace daedalus::eigenvalues_test
