// SPDX-License-Identifier: BSD-3-Clause
// Gradients against closed forms and 128-bit references, by columns and by runs backwards.
#include <gtest/gtest.h>

#include <map>

#include <daedalus/adjoint.hpp>

#include "adjoint/functionals.hpp"
#include "catalogue/catalogue.hpp"
#include "sensitivity/problems.hpp"

namespace daedalus::sensitivity_test {
namespace {

using Reference = std::map<std::string, double>;

struct Case {
  const char* name;
  Problem problem;
  double t;
  Functional functional;
  double value;  // NaN: no reference
  Reference gradient;
  double allowed;  // in rtol, of the largest |p dJ/dp|
};

Problem catalogue_problem(const char* name, Options& options) {
  const ::daedalus::Entry* entry = problems::find_problem(name);
  entry->apply(options);
  return entry->problem();
}

Functional pendulum_load() {
  return along("load", autodiff([](const auto& x, auto& J) { J[0] = x.lambda[0] * x.lambda[0]; }));
}
Functional index2_load() {
  return along("load", autodiff([](const auto& x, auto& J) { J[0] = x.y[1] + x.z[0] * x.z[0]; }));
}

std::vector<Case> cases() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {
      {"abc",
       abc(),
       3.0,
       at_end("B", autodiff([](const auto& x, auto& J) { J[0] = x.y[1]; })),
       0.5968972909774623,
       {{"k1", 0.1732328323896884}, {"k2", -1.111214289639986}, {"A0", 0.5968972909774623}},
       100.0},
      // A terminal value of an algebraic variable.
      {"enzyme",
       enzyme(),
       2.0,
       at_end("P", autodiff([](const auto& x, auto& J) { J[0] = x.z[1]; })),
       nan,
       {{"kf", 0.01275424406449093},
        {"kr", -0.04881213843029199},
        {"kcat", 0.1421046080321303},
        {"E0", 0.4899059668545284},
        {"S0", 0.7528805693048201}},
       100.0},
      {"robertson",
       robertson(),
       40.0,
       along("y3", autodiff([](const auto& x, auto& J) { J[0] = x.y[2]; })),
       7.988585862294906,
       {{"k1", 129.7764828616016}, {"k2", 6.044293421009456e-8}, {"k3", -3.626383373228594e-4}},
       100.0},
      {"index2",
       index2(),
       1.5,
       index2_load(),
       3.740374382303646,
       {{"a", 0.6969459374665343},
        {"b", -0.02373217650151964},
        {"p", 15.10389058822370},
        {"w", 1.499515616772429}},
       100.0},
      // The multiplier of index 2 at the end: h_z^{-1} of the hidden constraint.
      {"index2-z",
       index2(),
       1.5,
       at_end("z", autodiff([](const auto& x, auto& J) { J[0] = x.z[0]; })),
       1.519001283048218,
       {{"a", 0.4800851433251830}, {"b", 0.0}, {"p", 3.038002566096436}, {"w", -2.321679863553246}},
       1000.0},
      {"index2-y2",
       index2(),
       1.5,
       at_end("y2", autodiff([](const auto& x, auto& J) { J[0] = x.y[1]; })),
       nan,
       {{"b", -0.01119476077334610}, {"w", 0.5364569683566350}},
       100.0},
      {"loop",
       capacitor_loop(),
       0.3,
       at_end("i", autodiff([](const auto& x, auto& J) { J[0] = x.z[0]; })),
       -0.1574075862068495,
       {{"C", -189.9219782147053},
        {"R", -3.251439200785584e-4},
        {"p", -0.03148151724136990},
        {"w", -0.06396534626896019}},
       1000.0},
      {"pendulum",
       pendulum(),
       1.0,
       pendulum_load(),
       340.9360623579455,
       {{"length", -523.1957698159540},
        {"gravity", 53.33290212191172},
        {"mass", 681.8721247158909}},
       1000.0},
      {"pendulum-x",
       pendulum(),
       1.0,
       at_end("x", autodiff([](const auto& x, auto& J) { J[0] = x.q[0]; })),
       -0.986291751131875319,
       {{"length", -0.8378389931737174}, {"gravity", -0.01513279897636676}, {"mass", 0.0}},
       100.0},
      {"slider",
       slider_crank(),
       0.1,
       at_end("x3", autodiff([](const auto& x, auto& J) { J[0] = x.q[2]; })),
       nan,
       {{"l1", 0.7172376116596837},
        {"l2", 1.073813052198329},
        {"m3", -1.133161152050801},
        {"omega0", 7.908475747153792e-3}},
       1000.0},
  };
}

double relative(const Gradient& g, const Case& c) {
  double worst = 0.0, largest = 0.0;
  for (const SensitivityColumn& column : g.columns()) {
    const auto it = c.gradient.find(column.name);
    if (it == c.gradient.end()) continue;
    const double p = column.value != 0.0 ? column.value : column.typical;
    largest = std::max(largest, std::abs(p * it->second));
    worst = std::max(worst, std::abs(p * (g(c.functional.name, column.name) - it->second)));
  }
  return worst / largest;
}

void hold(GradientWay way, const char* method) {
  for (const Case& c : cases()) {
    double before = 1.0;
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
      const Gradient g = adjoint(c.problem, {0.0, c.t}, {c.functional}, tolerances(method, rtol),
                                 {.parameters = {"*"}, .start_values = {}, .way = way});
      ASSERT_TRUE(g.ok()) << c.name << " " << rtol << ": " << g.message();
      EXPECT_EQ(g.way(), way);
      const double e = relative(g, c);
      std::printf("%-12s %-8s rtol %.0e: error %9.2e = %8.2f rtol, steps %ld back %ld lin %ld\n",
                  c.name, method, rtol, e, e / rtol, g.statistics().forward_steps,
                  g.statistics().backward_steps, g.statistics().linearisations);
      EXPECT_LE(e, c.allowed * rtol) << c.name << " " << method << " " << rtol;
      // An error below the tolerance has nowhere to fall to.
      EXPECT_LE(e, std::max(before, rtol)) << c.name << ": does not fall with rtol";
      if (!std::isnan(c.value))
        EXPECT_NEAR(g.value(c.functional.name), c.value, c.allowed * rtol * std::abs(c.value));
      before = e;
    }
  }
}

TEST(GradientByColumns, MeetsTheReferences) { hold(GradientWay::forward, "bdf"); }
TEST(GradientBackwards, MeetsTheReferencesWithBdf) { hold(GradientWay::adjoint, "bdf"); }
TEST(GradientBackwards, MeetsTheReferencesWithRadau) { hold(GradientWay::adjoint, "radau"); }

TEST(GradientBackwards, MeetsTheReferencesOfAkzo) {
  const Reference gradient{
      {"k1", -0.06635268426747715}, {"k2", -1.129788005591694},   {"k3", -0.2461854891780820},
      {"k4", 4.355986604540249},    {"K", -3.766739419085724e-3}, {"klA", 0.1264755130223833},
      {"Ks", 0.03158964644577233},  {"pCO2", 0.7844372563273993}, {"H", -9.579288069126993e-4}};
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    Options o = tolerances("bdf", rtol);
    Case c{"akzo",
           catalogue_problem("akzo", o),
           180.0,
           along("y5", autodiff([](const auto& x, auto& J) { J[0] = x.y[4]; })),
           2.745764959666190,
           gradient,
           100.0};
    std::vector<std::string> names;
    for (const auto& [name, value] : gradient) names.push_back(name);
    const Gradient g =
        adjoint(c.problem, {0.0, c.t}, {c.functional}, o,
                {.parameters = names, .start_values = {}, .way = GradientWay::adjoint});
    ASSERT_TRUE(g.ok()) << g.message();
    const double e = relative(g, c);
    std::printf("akzo rtol %.0e: error %9.2e = %8.2f rtol, steps %ld back %ld lin %ld\n", rtol, e,
                e / rtol, g.statistics().forward_steps, g.statistics().backward_steps,
                g.statistics().linearisations);
    EXPECT_LE(e, c.allowed * rtol);
  }
}

Gradient in_memory(const Problem& problem, const Functional& f, double t, const Options& o,
                   std::size_t memory) {
  return adjoint(
      problem, {0.0, t}, {f}, o,
      {.parameters = {"*"}, .start_values = {}, .memory = memory, .way = GradientWay::adjoint});
}

// Steps that do not fit into the memory are computed again, to the same bits: gradients are equal.
// Other states on the way back, or steps left out at the seams, would differ.
TEST(GradientBackwards, IsTheSameInLittleMemory) {
  Options broken = tolerances("bdf", 1e-8);
  broken.break_times = {0.7, 1.3};
  Functional data = along("x", autodiff([](const auto& x, auto& J) { J[0] = x.q[1] * x.q[1]; }));
  data.at = autodiff([](const auto& x, auto& J) { J[0] = x.q[0]; });
  data.at_times = {0.5, 2.0};
  struct Case {
    const char* name;
    Problem problem;
    Functional functional;
    double t;
    Options options;
  };
  const std::vector<Case> all{
      {"pendulum, bdf", pendulum(), pendulum_load(), 10.0, tolerances("bdf", 1e-8)},
      {"pendulum, radau", pendulum(), pendulum_load(), 40.0, tolerances("radau", 1e-8)},
      {"pendulum, auto", pendulum(), pendulum_load(), 40.0, tolerances("auto", 1e-8)},
      {"breaks, bdf", pendulum(), data, 10.0, broken},
      {"top", heavy_top(),
       at_end("w", autodiff([](const auto& x, auto& J) { J[0] = x.v[0] * x.v[2]; })), 20.0,
       tolerances("hedop5", 1e-9)},
  };
  for (const Case& c : all) {
    const Gradient whole = in_memory(c.problem, c.functional, c.t, c.options, 256 << 20);
    ASSERT_TRUE(whole.ok()) << c.name << ": " << whole.message();
    EXPECT_EQ(whole.statistics().recomputed_steps, 0) << c.name;
    const std::size_t little = whole.statistics().memory / 2;
    const Gradient again = in_memory(c.problem, c.functional, c.t, c.options, little);
    ASSERT_TRUE(again.ok()) << c.name << ": " << again.message();
    EXPECT_GT(again.statistics().recomputed_steps, 0) << c.name;
    EXPECT_LE(again.statistics().memory, little) << c.name;
    EXPECT_EQ(again.matrix(), whole.matrix()) << c.name;
    EXPECT_EQ(again.value(c.functional.name), whole.value(c.functional.name)) << c.name;
    EXPECT_EQ(again.statistics().backward_steps, whole.statistics().backward_steps) << c.name;
  }
}

// A run whose beginnings of segments do not fit into the memory ends with a sentence.
TEST(GradientBackwards, KeepsToItsMemory) {
  const Gradient g =
      in_memory(pendulum(), pendulum_load(), 10.0, tolerances("bdf", 1e-8), std::size_t{8} << 10);
  EXPECT_FALSE(g.ok());
  EXPECT_NE(g.message().find("memory"), std::string::npos) << g.message();
}

// A callable that is not a function of its arguments cannot be computed again, which is said.
TEST(GradientBackwards, RefusesStatesThatChangeWhenTheyAreComputedAgain) {
  const auto runs = std::make_shared<int>(0);
  MassMatrixProblem p;
  p.name = "moody";
  p.y0 = Eigen::VectorXd::Ones(1);
  p.index = 0;
  p.parameters = {{"k", 1.0}};
  p.rhs = autodiff([runs](const auto& x, auto& f) {
    using std::sin;
    f[0] = -x.p[0] * x.y[0] * (1.0 + 1e-3 * *runs) + sin(40.0 * x.t);
  });
  Options o = tolerances("bdf", 1e-9);
  o.progress = [runs](const Progress& at) { *runs = at.t == at.t_end ? 1 : 0; };
  const Functional f = at_end("y", autodiff([](const auto& x, auto& J) { J[0] = x.y[0]; }));
  const Gradient whole = in_memory(p, f, 4.0, o, 256 << 20);
  *runs = 0;
  const Gradient g = in_memory(p, f, 4.0, o, whole.statistics().memory / 2);
  EXPECT_FALSE(g.ok());
  EXPECT_NE(g.message().find("equal values for equal arguments"), std::string::npos) << g.message();
}

// On a group, with start values, at given times, and through an interval with a break.
TEST(GradientBackwards, AgreesWithColumns) {
  struct Other {
    const char* name;
    Problem problem;
    Functional functional;
    std::vector<std::string> start_values;
    Options options;
    double t;
  };
  Functional data = at_end("sum", autodiff([](const auto& x, auto& J) { J[0] = x.y[0]; }));
  data.at = autodiff([](const auto& x, auto& J) { J[0] = (x.z[0] - 0.2) * (x.z[0] - 0.2); });
  data.at_times = {0.5, 1.0, 2.0};
  Options broken = tolerances("bdf", 1e-8);
  broken.break_times = {0.7, 1.3};
  const Options o = tolerances("bdf", 1e-8);
  const std::vector<Other> others{
      {"top",
       heavy_top(),
       at_end("w", autodiff([](const auto& x, auto& J) { J[0] = x.v[0] * x.v[2]; })),
       {"q", "v"},
       o,
       0.5},
      {"data", enzyme(), data, {"S"}, o, 2.0},
      {"break",
       abc(),
       along("B", autodiff([](const auto& x, auto& J) { J[0] = x.y[1] * x.p[0]; })),
       {"A", "B"},
       broken,
       3.0},
      {"implicit",
       implicit_oscillator(),
       along("y", autodiff([](const auto& x, auto& J) { J[0] = x.y[0] * x.y[1]; })),
       {},
       o,
       2.0}};
  for (const Other& c : others) {
    const auto by = [&](GradientWay way) {
      return adjoint(c.problem, {0.0, c.t}, {c.functional}, c.options,
                     {.parameters = {"*"}, .start_values = c.start_values, .way = way});
    };
    const Gradient a = by(GradientWay::adjoint), b = by(GradientWay::forward);
    ASSERT_TRUE(a.ok() && b.ok()) << c.name << ": " << a.message() << " " << b.message();
    const double size = b.matrix().cwiseAbs().maxCoeff();
    // Both within 1000 rtol of the derivatives.
    EXPECT_LT((a.matrix() - b.matrix()).cwiseAbs().maxCoeff(), 1e-5 * size) << c.name << "\n"
                                                                            << a.matrix() << "\n"
                                                                            << b.matrix();
  }
}

// The ball of the specification: x(1) + integral of v^2 over one impact, which takes columns.
TEST(GradientByColumns, GoesThroughAnImpact) {
  Functional f = at_end("J", autodiff([](const auto& x, auto& J) { J[0] = x.y[0]; }));
  f.along = autodiff([](const auto& x, auto& J) { J[0] = x.y[1] * x.y[1]; });
  Options o = tolerances("bdf", 1e-8);
  o.events = {impact()};
  const Gradient g = adjoint(ball(), {0.0, 1.0}, {f}, o, {.parameters = {"*"}, .start_values = {}});
  ASSERT_TRUE(g.ok()) << g.message();
  EXPECT_EQ(g.way(), GradientWay::forward);
  EXPECT_NEAR(g("J", "h"), 6.71250470056032, 1e-5);
  EXPECT_NEAR(g("J", "g"), 0.316670555078651, 1e-5);
  EXPECT_NEAR(g("J", "e"), 6.57544867783902, 1e-5);
  EXPECT_THROW(adjoint(ball(), {0.0, 1.0}, {f}, o,
                       {.parameters = {"*"}, .start_values = {}, .way = GradientWay::adjoint}),
               InvalidArgument);
}

std::string refused(const Functional& f, std::vector<std::string> parameters) {
  try {
    adjoint(enzyme(), {0.0, 2.0}, {f}, tolerances("bdf", 1e-6),
            {.parameters = std::move(parameters), .start_values = {}});
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return {};
}

TEST(GradientRequests, AreAnsweredBeforeAnythingRuns) {
  const Functional good = at_end("P", autodiff([](const auto& x, auto& J) { J[0] = x.z[1]; }));
  EXPECT_NE(refused(good, {"kff"}).find("Did you mean 'kf'?"), std::string::npos);
  EXPECT_NE(refused(good, {"kf", "kf"}).find("given twice"), std::string::npos);
  EXPECT_NE(refused(good, {}).find("name parameters"), std::string::npos);
  EXPECT_NE(refused({.name = "nothing"}, {"kf"}).find("has no terms"), std::string::npos);
  const Gradient g = adjoint(enzyme(), {0.0, 2.0}, {good}, tolerances("bdf", 1e-6),
                             {.parameters = {"*"}, .start_values = {}});
  EXPECT_THROW(g.value("Q"), InvalidArgument);
  EXPECT_THROW(g("P", "kff"), InvalidArgument);
  EXPECT_THROW(parse_functional("end(Q)", enzyme()), InvalidArgument);
  EXPECT_THROW(parse_functional("start(P)", enzyme()), InvalidArgument);
  const Gradient parsed =
      adjoint(enzyme(), {0.0, 2.0}, {parse_functional("end(P)", enzyme())}, tolerances("bdf", 1e-6),
              {.parameters = {"*"}, .start_values = {}});
  EXPECT_EQ((parsed.matrix() - g.matrix()).cwiseAbs().maxCoeff(), 0.0);
}

}  // namespace
}  // namespace daedalus::sensitivity_test
