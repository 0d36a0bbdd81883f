// SPDX-License-Identifier: BSD-3-Clause
// Columns that take part in the step control, and the schemes that columns follow steps by: errors
// against 128-bit references (docs/sensitivities.md) on problems of the catalogue.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalogue/catalogue.hpp"
#include "sensitivity/problems.hpp"

namespace daedalus::sensitivity_test {
namespace {

struct CatalogueCase {
  const char* entry;
  problems::Values values;
  double t;
  std::vector<std::string> starts;
  std::vector<KnownColumn> known;
};

std::vector<CatalogueCase> catalogue_cases() {
  return {
      {"akzo",
       {},
       180.0,
       {},
       {{"y1", "k1", -0.002000368517789397},
        {"y1", "k2", -0.0007833006660937614},
        {"y1", "k3", -7.919468942074272e-05},
        {"y1", "k4", 0.00074287278797004},
        {"y1", "K", -4.086221730348515e-06},
        {"y1", "klA", -0.0009767762504192042},
        {"y1", "Ks", 5.387318845677576e-06},
        {"y1", "pCO2", -0.02414455476922637},
        {"y1", "H", 2.9484530925785254e-05},
        {"y5", "k1", -0.0004285291051776125},
        {"y5", "k2", -0.008413751018484397},
        {"y5", "k3", -0.001589267008360679},
        {"y5", "k4", 0.026848708905671044},
        {"y5", "K", -3.3930181739627866e-05},
        {"y5", "klA", 0.0006086209465797412},
        {"y5", "Ks", 0.0001947070316909581},
        {"y5", "pCO2", 0.004012680639879487},
        {"y5", "H", -4.900152748835194e-06}}},
      {"van-der-pol",
       {{"eps", 1e-3}},
       2.0,
       {"y1", "y2"},
       {{"y1", "eps", 36.517152198625006},
        {"y1", "y1", 1.2533937049270338},
        {"y1", "y2", 0.0004178443408388387},
        {"y2", "eps", 34.02934248972045},
        {"y2", "y1", 1.155496651120516},
        {"y2", "y2", 0.00038520836240919586}}},
      {"robertson",
       {},
       40.0,
       {},
       {{"y1", "k1", -4.247558771705733},
        {"y1", "k2", -2.2883550889056694e-09},
        {"y1", "k3", 1.3730807973446248e-05},
        {"y2", "k1", 4.591196249253894e-05},
        {"y2", "k2", -1.1380595093501273e-13},
        {"y2", "k3", -2.3571921138463333e-10},
        {"y3", "k1", 4.24751285974324},
        {"y3", "k2", 2.2884688948566043e-09},
        {"y3", "k3", -1.3730572254234863e-05}}},
      {"pollution",
       {},
       60.0,
       {},
       {{"y1", "k1", -0.01141485338795},
        {"y2", "k1", 0.01129992911198},
        {"y4", "k1", 0.01420194234067},
        {"y1", "k4", 14.55165883683},
        {"y2", "k4", -24.21351928494},
        {"y4", "k4", 2.413198028953},
        {"y1", "k5", -0.6809905654708},
        {"y2", "k5", 0.9328144242888},
        {"y4", "k5", -0.104225096707},
        {"y1", "k7", 1.79304033631},
        {"y2", "k7", -2.778858332285},
        {"y4", "k7", 0.2888844571097},
        {"y1", "k11", 0.0177398944566},
        {"y2", "k11", -0.01777374919634},
        {"y4", "k11", 0.002454920410735},
        {"y1", "k23", -0.007520006418108},
        {"y2", "k23", 0.005166367896476},
        {"y4", "k23", -0.0009692801941174}}},
  };
}

Solution run_of(const CatalogueCase& c, const std::string& method, double rtol, bool error_test,
                SensitivityMethod scheme = SensitivityMethod::automatic) {
  const Entry& entry = *problems::find_problem(c.entry);
  Options o = asking(method, rtol);
  entry.apply(o, c.values);
  o.output = Output::end;
  o.sensitivities.parameters.clear();
  for (const KnownColumn& k : c.known)
    if (std::find(c.starts.begin(), c.starts.end(), k.column) == c.starts.end() &&
        std::find(o.sensitivities.parameters.begin(), o.sensitivities.parameters.end(), k.column) ==
            o.sensitivities.parameters.end())
      o.sensitivities.parameters.push_back(k.column);
  o.sensitivities.start_values = c.starts;
  o.sensitivities.error_test = error_test;
  o.sensitivities.method = scheme;
  return solve(entry.problem(c.values), {0.0, c.t}, o);
}

TEST(ErrorTest, TestedColumnsMeetTheirToleranceAndFollowIt) {
  for (const CatalogueCase& c : catalogue_cases())
    for (const char* method : {"bdf", "radau", "radau5", "rodas5p"}) {
      if (!problems::find_problem(c.entry)) continue;  // of builds with a part of the catalogue
      // A column of van der Pol's oscillator falls by 2100 in the jump at t = 0.81, and an error
      // relative to its peak stays in y1: 100 rtol of the peak are 2.1e5 rtol of what is left.
      // Methods that are more exact than asked for do not show it.
      const bool jump = std::string(c.entry) == "van-der-pol" && std::string(method) == "bdf";
      const double allowed = jump ? 1e4 : 100.0;
      double before = 1e300;
      for (const double rtol : {1e-4, 1e-6, 1e-8}) {
        const Solution s = run_of(c, method, rtol, true);
        ASSERT_TRUE(s.ok()) << c.entry << " " << method << ": " << s.message();
        const double e = column_error(s, c.t, c.known);
        EXPECT_LT(e, allowed * rtol) << c.entry << " " << method << " at " << rtol;
        EXPECT_LT(e, std::max(before, 10.0 * rtol)) << c.entry << " " << method << " at " << rtol;
        before = e;
      }
    }
}

// The states hardly see w; the column alone needs short steps.
TEST(ErrorTest, ColumnsShortenTheStepsAndSayWho) {
  MassMatrixProblem p;
  p.rhs = autodiff([](const auto& x, auto& f) {
    using std::sin;
    f[0] = -x.y[0] + 1e-6 * sin(x.p[0] * x.t);
  });
  p.y0 = Eigen::VectorXd::Ones(1);
  p.variables = {"y"};
  p.parameters = {{"w", 20.0}};
  Options plain = asking("bdf", 1e-4);
  plain.atol = 1e-9;
  Options tested = plain;
  tested.sensitivities.error_test = true;
  const Solution a = solve(p, {0.0, 10.0}, plain), b = solve(p, {0.0, 10.0}, tested);
  ASSERT_TRUE(a.ok() && b.ok()) << b.message();
  EXPECT_FALSE(a.sensitivities().error_test);
  EXPECT_TRUE(b.sensitivities().error_test);
  EXPECT_GT(b.statistics().accepted, a.statistics().accepted);
  tested.max_steps = b.statistics().accepted / 2;
  const Solution stopped = solve(p, {0.0, 10.0}, tested);
  EXPECT_EQ(stopped.status(), Status::too_many_steps);
  EXPECT_NE(stopped.message().find("'w' limited the steps"), std::string::npos)
      << stopped.message();
}

// The derivative of the computed step: that of runs with the same steps, however long these are.
TEST(Schemes, StepIsTheDerivativeOfTheComputedResult) {
  for (const char* method : {"radau5", "implicit-euler"}) {
    Options o = asking(method, 1e-9);
    o.fixed_step = 1.0;
    o.output = Output::end;
    o.sensitivities.parameters = {"k1"};
    o.sensitivities.method = SensitivityMethod::step;
    const Solution s = solve(abc(), {0.0, 3.0}, o);
    ASSERT_TRUE(s.ok()) << method << ": " << s.message();
    o.sensitivities.method = SensitivityMethod::staggered;
    const Solution resolved = solve(abc(), {0.0, 3.0}, o);
    Options bare = o;
    bare.sensitivities = {};
    constexpr double d = 1e-4;
    Problem up = abc(), down = abc();
    set_parameter(up, "k1", 0.7 + d);
    set_parameter(down, "k1", 0.7 - d);
    const double quotient =
        (solve(up, {0.0, 3.0}, bare).end().y()[1] - solve(down, {0.0, 3.0}, bare).end().y()[1]) /
        (2.0 * d);
    EXPECT_NEAR(s.sensitivity(3.0)("B", "k1"), quotient, 1e-7) << method;
    EXPECT_GT(std::abs(resolved.sensitivity(3.0)("B", "k1") - quotient), 1e-6) << method;
  }
  Options refused = asking("rodas5p", 1e-6);
  refused.sensitivities.method = SensitivityMethod::step;
  EXPECT_THROW(solve(abc(), {0.0, 1.0}, refused), InvalidArgument);
}

TEST(Schemes, SimultaneousColumnsAreTheSameWhereNothingFails) {
  Options o = asking("bdf", 1e-6), with = o;
  with.sensitivities.method = SensitivityMethod::simultaneous;
  const Solution a = solve(abc(), {0.0, 3.0}, o), b = solve(abc(), {0.0, 3.0}, with);
  EXPECT_EQ(a.end().y(), b.end().y());
  EXPECT_EQ(a.sensitivity(3.0).matrix(), b.sensitivity(3.0).matrix());
  EXPECT_EQ(b.sensitivities().method, SensitivityMethod::simultaneous);
}

TEST(Warnings, IdleParametersAndPlainCallablesAreNamed) {
  const auto has = [](const Solution& s, const std::string& text) {
    for (const std::string& w : s.warnings())
      if (w.find(text) != std::string::npos) return true;
    return false;
  };
  Problem p = abc();
  std::get<MassMatrixProblem>(p).parameters.push_back({"idle", 3.0});
  const Solution s = solve(p, {0.0, 1.0}, asking("bdf", 1e-6));
  EXPECT_TRUE(has(s, "No variable depends on 'idle'"));
  EXPECT_FALSE(has(s, "not generic"));
  EXPECT_EQ(s.sensitivity(1.0).matrix().col(3).norm(), 0.0);
  std::get<MassMatrixProblem>(p).rhs = [](const StatePoint<double>& x, Out& f) {
    f[0] = -x.p[0] * x.y[0];
    f[1] = x.p[0] * x.y[0] - x.p[1] * x.y[1];
    f[2] = x.p[1] * x.y[1];
  };
  EXPECT_TRUE(has(solve(p, {0.0, 1.0}, asking("bdf", 1e-6)), "rhs is not generic"));
}

}  // namespace
}  // namespace daedalus::sensitivity_test
