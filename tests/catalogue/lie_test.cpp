// SPDX-License-Identifier: BSD-3-Clause
// Problems on Lie groups: start values and references lie on the constraints and keep the
// invariants, references are met by runs, the forms of the heavy top describe one motion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <catalogue/heavy_top.hpp>
#include <daedalus/daedalus.hpp>

#include "evaluate.hpp"

namespace daedalus::catalogue_test::lie_test {
namespace {

using problems::Entry;
using problems::find_problem;
using problems::heavy_top_exact;
using problems::HeavyTop;
using problems::Values;

const std::vector<std::string> names{"heavy-top-so3",   "heavy-top-s3",  "heavy-top-r3xso3",
                                     "heavy-top-r3xs3", "heavy-top-se3", "heavy-top-s3-semidirect",
                                     "free-body",       "four-bar",      "chain-se3",
                                     "rolling-disk",    "rod-chain"};
constexpr std::array<HeavyTop, 6> forms{HeavyTop::so3,   HeavyTop::s3,  HeavyTop::r3xso3,
                                        HeavyTop::r3xs3, HeavyTop::se3, HeavyTop::s3_semidirect};

MultibodyProblem problem_of(const std::string& name, const Values& values = {}) {
  return std::get<MultibodyProblem>(find_problem(name)->problem(values));
}
double largest(const Vector& v) { return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff(); }

// g along q (+) tau v: |g| and |G v|, the rows of A v after those of G v.
struct Rows {
  double position = 0.0, velocity = 0.0;
};
Rows rows(const MultibodyProblem& p, const Vector& q, const Vector& v) {
  const auto at = [](Eigen::Index i) { return static_cast<std::size_t>(i); };
  std::vector<Taylor2> from(at(q.size())), by(at(v.size())), to(at(q.size())),
      g(at(p.constraint_count));
  for (Eigen::Index i = 0; i < q.size(); ++i) from[at(i)] = Taylor2(q[i]);
  for (Eigen::Index i = 0; i < v.size(); ++i) by[at(i)] = Taylor2({0.0, v[i], 0.0});
  p.space.plus(from.data(), by.data(), to.data());
  const int n = static_cast<int>(q.size()), nv = static_cast<int>(v.size());
  Rows r;
  if (p.constraint_count > 0)
    (void)p.constraint(arguments(Taylor2(0.0), to.data(), n), g.data(), p.constraint_count);
  for (const Taylor2& row : g) {
    r.position = std::max(r.position, std::abs(row.c[0]));
    r.velocity = std::max(r.velocity, std::abs(row.c[1]));
  }
  if (p.nonholonomic_count > 0)
    r.velocity =
        std::max(r.velocity, largest(evaluate(p.nonholonomic_matrix, arguments(0.0, q.data(), n),
                                              p.nonholonomic_count, nv) *
                                     v));
  return r;
}
Vector invariants(const MultibodyProblem& p, const Vector& q, const Vector& v) {
  Vector r(static_cast<Eigen::Index>(p.invariants.size()));
  const auto a =
      arguments(0.0, q.data(), static_cast<int>(q.size()), v.data(), static_cast<int>(v.size()));
  for (std::size_t i = 0; i < p.invariants.size(); ++i)
    r[static_cast<Eigen::Index>(i)] = evaluate(p.invariants[i].value, a, 1)[0];
  return r;
}
Vector reference_of(const std::string& name) {
  const Entry& e = *find_problem(name);
  return ordered(e.reference->values, variables_of(e.problem()).names);
}
Options options(const std::string& method, double tolerance) {
  Options o;
  o.method = method;
  o.rtol = tolerance;
  o.atol = tolerance;
  o.output = Output::end;
  return o;
}
Vector end_of(const MultibodyProblem& p, double t, const Options& o) {
  const Solution s = solve(p, {0.0, t}, o);
  EXPECT_TRUE(s.ok()) << p.name << ": " << s.message();
  return s.end().y();
}

TEST(Lie, EntriesAreComplete) {
  for (const std::string& name : names) {
    const Entry* e = find_problem(name);
    ASSERT_NE(e, nullptr) << name;
    const Problem problem = e->problem();
    const auto& p = std::get<MultibodyProblem>(problem);
    EXPECT_NO_THROW(validate(problem, e->t0)) << name;
    EXPECT_FALSE(p.space.is_euclidean()) << name;
    EXPECT_THAT(e->suites, testing::Contains("lie")) << name;
    EXPECT_EQ(p.q0.size(), p.space.points()) << name;
    EXPECT_EQ(p.v0.size(), p.space.tangents()) << name;
    EXPECT_EQ(p.lambda0.size(), p.multipliers()) << name;
    const Variables all = variables_of(problem);
    EXPECT_EQ(std::set<std::string>(all.names.begin(), all.names.end()).size(),
              static_cast<std::size_t>(all.start.size()))
        << name;
    EXPECT_TRUE(p.force.differentiable()) << name;
    EXPECT_FALSE(p.invariants.empty()) << name;
    EXPECT_EQ(e->reference->t, e->t_end) << name;
    EXPECT_EQ(e->reference->values.size(), all.names.size()) << name;
    EXPECT_FALSE(reference_of(name).hasNaN()) << name;
  }
  EXPECT_THAT(find_problem("heavy-top-r3xso3")->suites, testing::Contains("core"));
}

TEST(Lie, StartValuesAreConsistent) {
  for (const std::string& name : names) {
    const MultibodyProblem p = problem_of(name);
    const Rows start = rows(p, p.q0, p.v0);
    EXPECT_LT(start.position, 1e-15) << name;
    EXPECT_LT(start.velocity, 1e-14) << name;
    EXPECT_LT(p.space.defect(p.q0.data()), 1e-15) << name;
    const Check report = check(p, 0.0);
    EXPECT_TRUE(report.consistent) << name;
    EXPECT_EQ(report.numerical_index, p.multipliers() > 0 ? 3 : 0) << name;  // G has full rank
    EXPECT_LT(report.jacobian_error, 1e-5) << name << " " << report.worst_entry;
    if (p.multipliers() == 0) continue;
    Random random(3);  // the test of the test
    const Rows wrong = rows(p, p.q0, p.v0 + 1e-6 * random.vector(p.v0.size()));
    EXPECT_GT(wrong.velocity, 1e-9) << name;
  }
}

// Digits of the reference show: on the group, on the constraints, with the invariants of the start.
TEST(Lie, ReferencesKeepConstraintsAndInvariants) {
  for (const std::string& name : names) {
    const MultibodyProblem p = problem_of(name);
    const Vector x = reference_of(name), q = x.head(p.q0.size()),
                 v = x.segment(p.q0.size(), p.v0.size());
    const Rows end = rows(p, q, v);
    EXPECT_LT(p.space.defect(q.data()), 1e-13) << name;
    EXPECT_LT(end.position, 1e-13) << name;
    EXPECT_LT(end.velocity, 1e-12) << name;
    const Vector before = invariants(p, p.q0, p.v0);
    EXPECT_LT(largest(invariants(p, q, v) - before), 1e-12 * std::max(1.0, largest(before)))
        << name;
    const Vector moved = v + Vector::Constant(v.size(), 1e-6);
    EXPECT_GT(largest(invariants(p, q, moved) - before), 1e-10) << name;
  }
}

// hedop5 with tolerance 1e-9: errors of a few 1e-7; multipliers are as large as 650.
TEST(Lie, RunsMeetTheReferences) {
  for (const std::string& name : names) {
    if (name == "rod-chain") continue;  // 7000 steps; see SlowLie
    const MultibodyProblem p = problem_of(name);
    const Vector x = reference_of(name);
    const Vector end = end_of(p, find_problem(name)->t_end, options("hedop5", 1e-9));
    ASSERT_EQ(end.size(), x.size()) << name;
    const auto n = p.q0.size(), m = p.v0.size();
    EXPECT_LT(largest(end.head(n) - x.head(n)), 2e-6) << name;
    EXPECT_LT(largest(end.segment(n, m) - x.segment(n, m)), 2e-5) << name;
    EXPECT_LT(largest(end.tail(p.multipliers()) - x.tail(p.multipliers())), 2e-4) << name;
  }
}

TEST(SlowLie, TheRodMeetsItsReference) {
  const MultibodyProblem p = problem_of("rod-chain");
  const Vector x = reference_of("rod-chain");
  const Vector end = end_of(p, 0.5, options("hedop5", 1e-10));
  EXPECT_LT(largest(end - x), 1e-6);
}

// Wieloch (2022), heavy top: values at other times than the end, 22 digits.
TEST(HeavyTop, ExactTrajectory) {
  const struct {
    double t;
    std::array<double, 4> p;
    std::array<double, 3> Omega, u, lambda;
  } points[] = {{0.1,
                 {0.3318229126083008231219, 0.1773380566669370254704, 0.9149751591387279023690,
                  -0.1458260144308886231411},
                 {4.8089413317280923118465, 150.0, 1.0283007567183298415422},
                 {3.4085374633396537055780, -2.0834379505793862647031, -2.8678350450062314325453},
                 {331.43496778108798111333, -384.69937336173724423045, 69.521016742278853770490}},
                {0.5,
                 {0.5845606240694146419228, -0.7006628954122065037437, 0.3843257530228944050360,
                  0.1401930788004352004383},
                 {-0.4710531017452488429701, 150.0, 5.9010830483264570278519},
                 {-4.0449818925840639582128, 1.7742884793570367467494, 3.9414076227405899181567},
                 {-34.073314203233116796790, -630.35263043209806970481, 407.90882311488120257487}},
                {2.0,
                 {0.1229471350415334671042, -0.4910798925500270146990, 0.3504300303436209618390,
                  -0.7879868875504856693241},
                 {0.1222332194973942367872, 150.0, -5.8556245892054577282914},
                 {-2.7491863125818900697636, -3.2027186355748854791075, 4.0605231497566933410850},
                 {10.019283311346734568386, -613.58443131066360470186, -404.77345039588525451139}}};
  Vector y(16);  // x, p, u, Omega, lambda
  for (const auto& at : points) {
    ASSERT_TRUE(heavy_top_exact(HeavyTop::r3xs3, at.t, Out(y.data(), y.size())));
    // t = 0.1 is rounded by 5.6e-18, times accelerations of 900 and jerks of 1e5.
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(y[3 + i], at.p[static_cast<std::size_t>(i)], 2e-15);
    for (int i = 0; i < 3; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_NEAR(y[7 + i], at.u[k], 1e-14) << at.t;
      EXPECT_NEAR(y[10 + i], at.Omega[k], 1e-14) << at.t;
      EXPECT_NEAR(y[13 + i], at.lambda[k], 1e-12) << at.t;
    }
  }
  EXPECT_FALSE(heavy_top_exact(HeavyTop::r3xs3, 2.1, Out(y.data(), y.size())));
  EXPECT_FALSE(heavy_top_exact(HeavyTop::so3, 1.0, Out(y.data(), y.size())));  // 12 numbers
}

// In every form, between the points of its grid too: on the group and the constraints, with all
// invariants; the reference at t = 1; the start values of the problem.
TEST(HeavyTop, ExactInEveryForm) {
  for (const HeavyTop form : forms) {
    const std::string& name = names[static_cast<std::size_t>(form)];
    const MultibodyProblem p = problem_of(name);
    Vector y(p.q0.size() + p.v0.size() + p.lambda0.size());
    const Vector before = invariants(p, p.q0, p.v0);
    for (const double t : {0.0, 0.00390625, 0.3, 1.0, 1.999}) {
      ASSERT_TRUE(heavy_top_exact(form, t, Out(y.data(), y.size()))) << name;
      const Vector q = y.head(p.q0.size()), v = y.segment(q.size(), p.v0.size());
      EXPECT_LT(p.space.defect(q.data()), 1e-15) << name;
      EXPECT_LT(rows(p, q, v).position, 1e-15) << name;
      EXPECT_LT(rows(p, q, v).velocity, 1e-13) << name;  // 150 rad/s times round-off
      EXPECT_LT(largest(invariants(p, q, v) - before), 1e-15 * 5500.0 * 4.0) << name;
      if (t == 1.0) {
        EXPECT_LT(largest(y - reference_of(name)), 2e-13) << name;
      }
      if (t == 0.0) {
        EXPECT_EQ(q, p.q0) << name;
        EXPECT_EQ(v, p.v0) << name;
      }
    }
    const Values slow{{"spin", 20.0}, {"length", 0.5}};
    const auto other = find_problem(name)->exact(0.7, slow);
    const MultibodyProblem changed = problem_of(name, slow);
    const Vector x = ordered(other, variables_of(changed).names);
    const Vector end = end_of(changed, 0.7, options("hedop5", 1e-11));
    EXPECT_LT(largest(end - x), 1e-7) << name;
  }
}

// Matrices and quaternions are two ways to write the same points: equal steps give equal results.
TEST(HeavyTop, QuaternionsAndMatricesAgree) {
  for (std::size_t i = 0; i < 6; i += 2) {
    const MultibodyProblem a = problem_of(names[i]), b = problem_of(names[i + 1]);
    Options o = options("rk4", 1e-8);
    o.fixed_step = 1e-3;
    const Vector x = end_of(a, 0.2, o), y = end_of(b, 0.2, o);
    const Eigen::Index first = i == 0 ? 0 : 3;
    const Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix3d>(x.data() + first);
    const Eigen::Vector4d p = y.segment<4>(first);
    EXPECT_LT((R - s3::rotation<double>(p)).cwiseAbs().maxCoeff(), 1e-12) << names[i];
    EXPECT_LT(largest(x.head(first) - y.head(first)), 1e-12) << names[i];
    const Eigen::Index rest = x.size() - first - 9;
    EXPECT_LT(largest(x.tail(rest) - y.tail(rest)), 1e-9) << names[i];
  }
}

TEST(FreeBody, FlipsTwentyTimes) {
  const MultibodyProblem p = problem_of("free-body");
  int flips = 0;
  double before = 1.0;
  Options o = options("rk4", 1e-9);
  o.output = Output::steps;
  o.sink = [&](const StateView& s) {
    const double now = s.v()[1];
    if (now * before < 0.0) ++flips;
    before = now;
  };
  EXPECT_TRUE(solve(p, {0.0, find_problem("free-body")->t_end}, o).ok());
  EXPECT_EQ(flips, 20);
}

// Consistent for every number of bodies; sums over n bars are rounded n times.
TEST(Chains, ConsistentForEveryLength) {
  for (const double n : {2.0, 5.0, 300.0}) {
    const MultibodyProblem p = problem_of("chain-se3", {{"n", n}});
    EXPECT_EQ(p.space.tangents(), 6 * static_cast<int>(n));
    EXPECT_LT(rows(p, p.q0, p.v0).position, 1e-15);
    EXPECT_LT(rows(p, p.q0, p.v0).velocity, 1e-15 * n);
    for (const double rigid : {0.0, 1.0}) {
      const MultibodyProblem rod = problem_of("rod-chain", {{"n", n}, {"inextensible", rigid}});
      EXPECT_LT(rows(rod, rod.q0, rod.v0).position, 1e-15);
      EXPECT_LT(rows(rod, rod.q0, rod.v0).velocity, 1e-14);
    }
  }
  for (const char* name : {"chain-se3", "rod-chain"})
    EXPECT_THROW((void)problem_of(name, {{"n", 2.5}}), InvalidArgument) << name;
}

// Forces of the elements are the derivative of their energy: it is constant in bent states too.
TEST(Rod, KeepsItsEnergy) {
  for (const double rigid : {0.0, 1.0}) {
    const MultibodyProblem p = problem_of("rod-chain", {{"n", 2.0}, {"inextensible", rigid}});
    const Vector end = end_of(p, 0.25, options("hedop5", 1e-8));
    const Vector q = end.head(p.q0.size()), v = end.segment(q.size(), p.v0.size());
    const double before = invariants(p, p.q0, p.v0)[0];
    EXPECT_NEAR(invariants(p, q, v)[0], before, 1e-6 * before) << rigid;
    EXPECT_GT((v - p.v0).norm(), 1.0);
    EXPECT_GT(std::abs(q[7 + 4]) + std::abs(q[7 + 5]), 0.1);  // turned and bent out of line
  }
}

}  // namespace
}  // namespace daedalus::catalogue_test::lie_test
