// SPDX-License-Identifier: BSD-3-Clause
// Trucks, suspension, chains and the small index-2 systems: what their entries promise, rank of the
// constraints, energy, equilibrium, and references met by methods of the library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <catalogue/index2.hpp>
#include <daedalus/solve.hpp>

#include "evaluate.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus::catalogue_test {
namespace {

using problems::Entry;
using problems::find_problem;
using problems::Values;
namespace index2 = problems::index2;

const std::vector<std::string> names{"truck9",        "truck9-road", "suspension", "chain-planar",
                                     "chain-spatial", "index2-p1",   "index2-p2",  "index2-p3"};

double largest(const Vector& v) { return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff(); }

MultibodyProblem mechanism(const std::string& name, const Values& values = {}) {
  return std::get<MultibodyProblem>(find_problem(name)->problem(values));
}

TEST(Mechanisms, DescribeThemselves) {
  for (const std::string& name : names) {
    const Entry* e = find_problem(name);
    ASSERT_NE(e, nullptr) << name;
    EXPECT_FALSE(e->title.empty() || e->source.empty() || e->equations.empty()) << name;
    EXPECT_THAT(e->suites, testing::Contains("arnold")) << name;
    const Problem problem = e->problem();
    EXPECT_EQ(e->form, form_of(problem)) << name;
    EXPECT_EQ(e->index, index_of(problem)) << name;
    EXPECT_EQ(name_of(problem), name);
    EXPECT_NO_THROW(validate(problem, e->t0)) << name;
    const std::vector<std::string> variables = variables_of(problem).names;
    EXPECT_EQ(std::set<std::string>(variables.begin(), variables.end()).size(), variables.size());
    ASSERT_TRUE(e->reference) << name;
    EXPECT_EQ(e->reference->t, e->t_end) << name;
    EXPECT_GE(e->reference->digits, 13) << name;
    EXPECT_TRUE(ordered(e->reference->values, variables).allFinite()) << name;
    EXPECT_EQ(e->reference->values.size(), variables.size()) << name;
    // Multipliers do not count: some methods give them with a lower order.
    if (const auto* p = std::get_if<MultibodyProblem>(&problem)) {
      std::vector<std::string> counted = p->q_names;
      counted.insert(counted.end(), p->v_names.begin(), p->v_names.end());
      EXPECT_EQ(e->reference->counted, counted) << name;
    }
    for (const auto& [variable, scale] : e->atol_scale) {
      EXPECT_THAT(variables, testing::Contains(variable)) << name;
      EXPECT_GT(scale, 0.0) << name;
    }
    EXPECT_THROW((void)e->problem({{"lenght", 2.0}}), InvalidArgument) << name;
  }
  EXPECT_THAT(find_problem("truck9")->suites, testing::Contains("core"));
  // Nobody must take the stand-in for the original.
  EXPECT_NE(find_problem("suspension")->title.find("stand-in"), std::string::npos);
}

// Accelerations, constraints and start values depend on every parameter; at a time when both axles
// of the trucks are on the road and the wheel on the bump.
TEST(Mechanisms, EveryParameterMatters) {
  for (const std::string& name : names) {
    const Entry& e = *find_problem(name);
    if (e.form != "multibody") continue;
    const double t = name == "suspension" ? 0.1 : 0.7;
    const auto fingerprint = [&](const Values& values) {
      const MultibodyProblem p = std::get<MultibodyProblem>(e.problem(values));
      Random random(1);
      const Vector q = p.q0 + 0.01 * random.vector(p.q0.size());
      const Vector v = random.vector(p.v0.size());
      Vector all(2 * p.q0.size());
      all << motion(p, t, q, v).acceleration, p.q0;
      return all;
    };
    const Vector before = fingerprint({});
    for (const Parameter& p : e.parameters) {
      const double other = p.value == 0.0 ? 1.0 : 2.0 * p.value;
      const Vector after = fingerprint({{p.name, other}});
      EXPECT_TRUE(after.size() != before.size() || largest(after - before) > 0.0)
          << name << " " << p.name;
    }
  }
}

// Largest over smallest singular value of G at the start.
double condition(const MultibodyProblem& p) {
  const Matrix G = constraint_matrix(p, 0.0, p.q0);
  const Vector s = singular_values(G);
  return s[0] / s[s.size() - 1];
}

TEST(Mechanisms, ConstraintsAreIndependent) {
  EXPECT_LT(condition(mechanism("truck9")), 5.0);
  EXPECT_NEAR(condition(mechanism("suspension")), 20.04, 0.01);
  for (const char* name : {"chain-planar", "chain-spatial"}) {
    // G G^T has 2 on the diagonal and cosines of the bends beside it, at best -1: condition below
    // that of the string, 2 n / pi; the second fixed end takes the softest mode of a straight one.
    EXPECT_LT(condition(mechanism(name)), 15.0) << name;
    EXPECT_LT(condition(mechanism(name, {{"closed", 1.0}})), 15.0) << name;
  }
  // A closed chain pulled straight would lose a row: the smallest singular value must not be taken
  // for granted.
  MultibodyProblem straight = mechanism("chain-planar", {{"closed", 1.0}});
  for (int i = 0; i < 10; ++i) {
    straight.q0[2 * i] = straight.q0[18] * (i + 1) / 10.0;
    straight.q0[2 * i + 1] = straight.q0[19] * (i + 1) / 10.0;
  }
  EXPECT_GT(condition(straight), condition(mechanism("chain-planar", {{"closed", 1.0}})));
}

// Given G, g_t and g'' against differentiation of g, also where only some of them are given.
TEST(Mechanisms, GivenDerivativesAreExact) {
  for (const std::string& name : names) {
    if (find_problem(name)->form != "multibody") continue;
    const MultibodyProblem p = mechanism(name);
    const int n = static_cast<int>(p.q0.size()), m = p.constraint_count;
    Random random(4);
    for (int i = 0; i < 3; ++i) {
      const Vector q = p.q0 + 0.2 * random.vector(n), v = random.vector(n);
      const auto a = arguments(0.3, q.data(), n, v.data(), n);
      if (p.constraint_jacobian) {
        EXPECT_LT((evaluate(p.constraint_jacobian, a, m, n) - differentiated_constraint(p, 0.3, q))
                      .cwiseAbs()
                      .maxCoeff(),
                  1e-14)
            << name;
      }
      EXPECT_EQ(largest(evaluate(p.constraint_time_derivative, a, m)), 0.0) << name;
      if (p.acceleration_term) {
        const Vector k = 2.0 * along(p, 0.3, q, v, 2);
        EXPECT_LT(largest(evaluate(p.acceleration_term, a, m) - k), 1e-13 * (1.0 + largest(k)))
            << name;
      }
    }
  }
}

// dE/dt along the equations of motion at q, v (v made consistent), over the largest power.
double energy_rate(const MultibodyProblem& p, const Vector& q, const Vector& wish) {
  const Matrix G = constraint_matrix(p, 0.0, q);
  const Vector v = wish - G.transpose() * PivotedLu(G * G.transpose()).solve(G * wish);
  const Vector a = motion(p, 0.0, q, v).acceleration;
  const auto n = static_cast<std::size_t>(q.size());
  std::vector<Taylor2> point(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    point[i] = Taylor2({q[k], v[k], 0.0});
    point[n + i] = Taylor2({v[k], a[k], 0.0});
  }
  Taylor2 energy;
  const int count = static_cast<int>(n);
  (void)p.invariants.at(0).value(
      arguments(Taylor2(0.0), point.data(), count, point.data() + n, count), &energy, 1);
  const Vector Ma = mass_matrix(p, 0.0, q) * a;
  return std::abs(energy.c[1]) / Ma.cwiseProduct(v).cwiseAbs().sum();
}

const Values no_dampers{{"strut_damping", 0.0},
                        {"rod_damping", 0.0},
                        {"tyre_damping", 0.0},
                        {"tyre_side", 0.0},
                        {"height", 0.0}};

TEST(Mechanisms, ForcesBelongToTheEnergy) {
  std::vector<MultibodyProblem> all{mechanism("suspension", no_dampers)};
  for (const char* name : {"chain-planar", "chain-spatial"})
    for (const double closed : {0.0, 1.0}) all.push_back(mechanism(name, {{"closed", closed}}));
  for (const MultibodyProblem& p : all) {
    const int n = static_cast<int>(p.q0.size());
    Random random(9);
    for (int i = 0; i < 3; ++i) {
      const Vector q = p.q0 + 0.1 * random.vector(n), v = random.vector(n);
      EXPECT_LT(energy_rate(p, q, v), 1e-13) << p.name;
      // A force with the wrong sign, in the last coordinate that has one.
      MultibodyProblem wrong = p;
      const auto force = p.force;
      wrong.force = [force, n](double t, In x, In w, Out f) {
        (void)force(arguments(t, x.data(), n, w.data(), n), f.data(), n);
        f[n - 1] = -f[n - 1];
      };
      EXPECT_GT(energy_rate(wrong, q, v), 1e-4) << p.name;
    }
  }
  // With dampers there is no such invariant.
  EXPECT_TRUE(mechanism("suspension").invariants.empty());
}

TEST(Mechanisms, StartFromRest) {
  for (const char* name : {"truck9", "truck9-road", "suspension"}) {
    const MultibodyProblem p = mechanism(name);
    const Motion m = motion(p, 0.0, p.q0, p.v0);
    // Forces of 1e5 N over 1e3 kg, published with 14 digits; 1e3 N over 1e-2 kg m^2, rounded.
    EXPECT_LT(largest(m.acceleration), name == std::string("suspension") ? 1e-9 : 1e-11) << name;
    EXPECT_LT(largest(m.lambda - p.lambda0), 1e-14 * largest(p.lambda0) + 1e-9) << name;
  }
}

Options fixed(double h) {
  Options o;
  o.method = "rk4";
  o.fixed_step = h;
  o.output = Output::end;
  return o;
}

TEST(Mechanisms, TruckStaysAtRestOnAFlatRoad) {
  for (const char* name : {"truck9", "truck9-road"}) {
    const MultibodyProblem flat = mechanism(name, {{"amplitude", 0.0}});
    const Solution s = solve(flat, {0.0, 1.0}, fixed(5e-3));
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_LT(largest(s.end().q() - flat.q0), 1e-12) << name;
    const Solution moved = solve(mechanism(name), {0.0, 1.0}, fixed(5e-3));
    ASSERT_TRUE(moved.ok()) << moved.message();
    EXPECT_GT(largest(moved.end().q() - flat.q0), 1e-3) << name;
  }
}

// The rear wheel meets the same road later: heights are read off the force on the wheels.
TEST(Mechanisms, RearWheelFollowsTheFrontWheel) {
  for (const char* name : {"truck9", "truck9-road"}) {
    const MultibodyProblem p = mechanism(name);
    const auto tyres = [&](double t) {
      const Vector f = evaluate(p.force, arguments(t, p.q0.data(), 9, p.v0.data(), 9), 9);
      const Vector rest = evaluate(p.force, arguments(0.0, p.q0.data(), 9, p.v0.data(), 9), 9);
      return Vector(f - rest);
    };
    // Stiffness and damping of the rear tyre are twice those of the front tyre.
    const Vector front = tyres(0.5), rear = tyres(0.8);
    EXPECT_GT(std::abs(front[3]), 1e3) << name;
    EXPECT_NEAR(rear[0], 2.0 * front[3], 1e-9 * std::abs(rear[0])) << name;
    EXPECT_EQ(tyres(0.25)[0], 0.0) << name;
  }
}

// Largest error of positions and velocities against the reference, absolute below 1.
double error(const Entry& e, const Solution& s) {
  const Problem problem = e.problem();
  const Vector x = ordered(e.reference->values, variables_of(problem).names);
  const auto& p = std::get<MultibodyProblem>(problem);
  const Eigen::Index n = p.q0.size();
  Vector y(2 * n);
  y << s.end().q(), s.end().v();
  return ((y - x.head(2 * n)).array().abs() / x.head(2 * n).array().abs().max(1.0)).maxCoeff();
}

// Fourth order down to the reference: it is right in as many digits as the error of rk4 shows.
TEST(Mechanisms, ReferencesAreReproduced) {
  const struct {
    const char* name;
    double h, bound;
  } cases[] = {{"truck9", 1e-3, 5e-10},
               {"truck9-road", 4e-3, 5e-7},
               {"suspension", 2e-4, 2e-9},
               {"chain-planar", 5e-4, 1e-7},
               {"chain-spatial", 5e-4, 2e-8}};
  for (const auto& c : cases) {
    const Entry& e = *find_problem(c.name);
    const Solution coarse = solve(e.problem(), {e.t0, e.t_end}, fixed(c.h));
    const Solution fine = solve(e.problem(), {e.t0, e.t_end}, fixed(0.5 * c.h));
    ASSERT_TRUE(coarse.ok() && fine.ok()) << c.name << ": " << fine.message();
    const double first = error(e, coarse), second = error(e, fine);
    EXPECT_LT(second, c.bound) << c.name;
    EXPECT_NEAR(std::log2(first / second), 4.0, 0.5) << c.name << " " << first << " " << second;
  }
}

// An implicit multistep method that keeps the constraints arrives at the same point.
TEST(Mechanisms, ReferencesAreReproducedByBdf) {
  for (const char* name : {"truck9", "suspension", "chain-planar", "chain-spatial"}) {
    const Entry& e = *find_problem(name);
    Options o;
    o.method = "bdf";
    o.rtol = 1e-9;
    o.atol = 1e-9;
    o.output = Output::end;
    const Solution s = solve(e.problem(), {e.t0, e.t_end}, o);
    ASSERT_TRUE(s.ok()) << name << ": " << s.message();
    EXPECT_LT(error(e, s), 1e-5) << name;
  }
}

// A reference lies on the constraints, and its multipliers belong to it.
TEST(Mechanisms, MultipliersOfReferences) {
  for (const std::string& name : names) {
    const Entry& e = *find_problem(name);
    if (e.form != "multibody") continue;
    const MultibodyProblem p = mechanism(name);
    const Vector x = ordered(e.reference->values, variables_of(e.problem()).names);
    const Eigen::Index n = p.q0.size();
    const Vector q = x.head(n), v = x.segment(n, n), lambda = x.tail(p.multipliers());
    EXPECT_LT(largest(position_constraints(p, e.t_end, q, v)), 1e-15) << name;
    EXPECT_LT(largest(velocity_constraints(p, e.t_end, q, v)), 2e-15) << name;
    EXPECT_LT(largest(motion(p, e.t_end, q, v).lambda - lambda), 1e-12 * largest(lambda)) << name;
  }
}

double energy_at(const MultibodyProblem& p, const Vector& q, const Vector& v) {
  const int n = static_cast<int>(q.size());
  return evaluate(p.invariants.at(0).value, arguments(0.0, q.data(), n, v.data(), n), 1)[0];
}

TEST(Chains, KeepTheirEnergy) {
  for (const char* name : {"chain-planar", "chain-spatial"})
    for (const double closed : {0.0, 1.0}) {
      const MultibodyProblem p = mechanism(name, {{"closed", closed}});
      const Solution s = solve(p, {0.0, 1.0}, fixed(5e-4));
      ASSERT_TRUE(s.ok()) << s.message();
      const double before = energy_at(p, p.q0, p.v0);
      EXPECT_NEAR(energy_at(p, s.end().q(), s.end().v()), before, 1e-7) << name << " " << closed;
      // It moves: kinetic energy is a part of it, and the shape changes.
      EXPECT_GT(before - energy_at(p, p.q0, Vector::Zero(p.v0.size())), 1e-3);
      EXPECT_GT(largest(s.end().q() - p.q0), 0.02) << name << " " << closed;
    }
}

TEST(Chains, StartConsistentlyForEveryLength) {
  const struct {
    const char* name;
    int dimension;
  } cases[] = {{"chain-planar", 2}, {"chain-spatial", 3}};
  for (const auto& c : cases)
    for (const double closed : {0.0, 1.0})
      for (const int n : {2, 3, 100, 10000}) {
        const MultibodyProblem p =
            mechanism(c.name, {{"n", double(n)}, {"closed", closed}, {"length", 1.7}});
        ASSERT_EQ(p.q0.size(), c.dimension * n);
        ASSERT_EQ(p.constraint_count, n + int(closed));
        const Vector x = position_constraints(p, 0.0, p.q0, p.v0);
        EXPECT_LT(largest(x), 1e-15) << c.name << " " << n << " " << closed;
        EXPECT_LT(largest(along(p, 0.0, p.q0, p.v0, 1)), 4e-15) << c.name << " " << n;
        // Residuals are elongations: a link stretched by 1e-6 shows 1e-6, whatever its length.
        Vector longer = p.q0;
        const Vector link = longer.head(c.dimension).normalized();
        longer.head(c.dimension) += 1e-6 * link;
        const double shown = position_constraints(p, 0.0, longer, p.v0)[0];
        EXPECT_NEAR(shown, 1e-6, 1e-6 * 1e-6 * n) << c.name << " " << n;
      }
}

TEST(Chains, SizesThatMakeNoSenseAreRefused) {
  const auto message = [](const Values& values) -> std::string {
    try {
      (void)mechanism("chain-planar", values);
    } catch (const InvalidArgument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(message({{"n", 2.5}}), testing::HasSubstr("'n' is 2.5"));
  EXPECT_THAT(message({{"n", 0.0}}), testing::HasSubstr("'n' is 0"));
  EXPECT_THAT(message({{"n", 1.0}, {"closed", 1.0}}), testing::HasSubstr("'n' is 1"));
  EXPECT_THAT(message({{"closed", 0.5}}), testing::HasSubstr("'closed' is 0.5"));
  EXPECT_THAT(message({{"length", -1.0}}), testing::HasSubstr("'length' is -1"));
  EXPECT_THAT(message({{"mass", 0.0}}), testing::HasSubstr("'mass' is 0"));
}

// f along the exact solution is its derivative, g vanishes; in long double, where constants rounded
// to double would show as 1e-17.
TEST(SmallSystems, ExactSolutionsInLongDouble) {
  for (const long double t : {0.0L, 0.3L, 0.7L, 1.0L}) {
    std::array<long double, 2> f{};
    std::array<long double, 1> g{}, z{};
    const auto first = index2::First::exact(t);
    z[0] = first.z;
    index2::First::f(t, first.y, z, f);
    index2::First::g(t, first.y, g);
    EXPECT_LT(std::abs(f[0] - std::exp(t)), 2e-18L);
    EXPECT_LT(std::abs(f[1] + 2 * std::exp(-2 * t)), 2e-18L);
    EXPECT_LT(std::abs(g[0]), 1e-18L);
    const auto third = index2::Third::exact(t);
    z[0] = third.z;
    index2::Third::f(t, third.y, z, f);
    index2::Third::g(t, third.y, g);
    EXPECT_LT(std::abs(f[0] - std::cos(t)), 1e-18L);
    EXPECT_LT(std::abs(f[1] - 0.3L * std::cos(t) * std::exp(0.3L * std::sin(t))), 1e-18L);
    EXPECT_LT(std::abs(g[0]), 1e-18L);
    // The test of the test: the constant as a double.
    EXPECT_GT(std::abs(f[1] - 0.3 * std::cos(t) * std::exp(0.3L * std::sin(t))), 5e-18L);
  }
}

// grad g . f, from dual numbers in g and f in double.
double hidden(const SemiExplicitProblem& p, double t, const Vector& y, const Vector& z) {
  const int n = static_cast<int>(y.size());
  const Vector f = evaluate(p.f, arguments(t, y.data(), n, z.data(), 1), n);
  std::vector<Dual4> x(y.data(), y.data() + n), unused{Dual4(z[0])};
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)].d[0] = f[i];
  Dual4 g;
  (void)p.g(arguments(Dual4(t), x.data(), n, unused.data(), 1), &g, 1);
  return g.d[0];
}

TEST(SmallSystems, HiddenConstraintsHoldAtStartAndEnd) {
  for (const char* name : {"index2-p1", "index2-p2", "index2-p3"}) {
    const Entry& e = *find_problem(name);
    const auto p = std::get<SemiExplicitProblem>(e.problem());
    const Eigen::Index n = p.y0.size();
    const Vector x = ordered(e.reference->values, variables_of(e.problem()).names);
    EXPECT_EQ(p.hessenberg_blocks, std::vector<int>{static_cast<int>(n)});
    EXPECT_LT(std::abs(hidden(p, 0.0, p.y0, p.z0)), 1e-15) << name;
    EXPECT_LT(std::abs(hidden(p, 1.0, x.head(n), x.tail(1))), 1e-13) << name;
    EXPECT_GT(std::abs(hidden(p, 0.0, p.y0, p.z0.array() + 1e-6)), 1e-7) << name;
  }
}

TEST(SmallSystems, ReferencesAreReproduced) {
  for (const char* name : {"index2-p1", "index2-p2", "index2-p3"}) {
    const Entry& e = *find_problem(name);
    const Problem problem = e.problem();
    Options o;
    o.method = "bdf";
    o.rtol = 1e-10;
    o.atol = 1e-10;
    o.output = Output::end;
    const Solution s = solve(problem, {0.0, 1.0}, o);
    ASSERT_TRUE(s.ok()) << name << ": " << s.message();
    const Vector x = ordered(e.reference->values, variables_of(problem).names);
    EXPECT_LT(largest((s.end().y() - x).cwiseQuotient(x)), 1e-7) << name;
  }
}

}  // namespace
}  // namespace daedalus::catalogue_test
