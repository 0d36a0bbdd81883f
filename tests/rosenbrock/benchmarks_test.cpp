// SPDX-License-Identifier: BSD-3-Clause
// Published problems: digits and work of the recommended methods, and the trap of difference
// quotients.
#include <algorithm>

#include "catalogue/catalogue.hpp"
#include "rosenbrock/support.hpp"

namespace daedalus::rosenbrock_test {
namespace {

using problems::Entry;

Options options_for(const Entry& e, const std::string& method, double tolerance) {
  const Problem p = e.problem();
  Options o = with_tolerance(method, tolerance);
  if (e.atol_scale.empty()) return o;
  const Solution probe = solve(p, {e.t0, e.t0}, o);
  Eigen::VectorXd atol = Eigen::VectorXd::Constant(probe.variables().size(), tolerance);
  for (const auto& [name, factor] : e.atol_scale) atol[probe.variables().find(name)] *= factor;
  o.atol = atol;
  return o;
}

// Mixed digits of the test set of Mazzia and Magherini (2008), and significant correct digits.
double mescd(const Solution& s, const Entry& e, const Options& o) {
  double worst = 0.0;
  for (const auto& [name, value] : e.reference->values) {
    const int i = s.variables().find(name);
    worst =
        std::max(worst, std::abs(s.end().y()[i] - value) / (o.atol[i] / o.rtol + std::abs(value)));
  }
  return -std::log10(worst);
}
double scd(const Solution& s, const Entry& e) {
  double worst = 0.0;
  for (const auto& [name, value] : e.reference->values)
    worst = std::max(worst, std::abs(s.end()[name] - value) / std::abs(value));
  return -std::log10(worst);
}

Solution run(const Entry& e, const Options& o) { return solve(e.problem(), {e.t0, e.t_end}, o); }

TEST(SlowBenchmarks, AmplifierAndAkzoGiveTheDigitsOfTheTolerance) {
  for (const char* problem : {"transistor-amplifier", "akzo"})
    for (const char* method : {"rodas4", "rodas4p", "rodas5p", "rodas6p"})
      for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
        const Entry& e = *problems::find_problem(problem);
        const Options o = options_for(e, method, tolerance);
        const Solution s = run(e, o);
        ASSERT_EQ(s.status(), Status::success) << problem << " " << method << " " << s.message();
        EXPECT_GE(mescd(s, e, o), -std::log10(tolerance)) << problem << " " << method;
      }
}

// Nine digits on the amplifier; the code RODAS of Hairer and Wanner needs 94527 factorisations.
TEST(SlowBenchmarks, AmplifierWithNineDigits) {
  const Entry& e = *problems::find_problem("transistor-amplifier");
  for (const auto& [method, most] : {std::pair<const char*, long>{"rodas6p", 4000},
                                     std::pair<const char*, long>{"rodas5p", 5500}}) {
    long least = 1000000;
    for (const double tolerance : {3.2e-7, 1.8e-7, 1e-7, 9e-8, 8e-8, 7e-8, 5.6e-8}) {
      const Options o = options_for(e, method, tolerance);
      const Solution s = run(e, o);
      ASSERT_TRUE(s.ok()) << s.message();
      if (mescd(s, e, o) >= 9.0)
        least = std::min(least, s.statistics().in(Phase::step).factorisations);
    }
    EXPECT_LE(least, most) << method;
  }
}

TEST(SlowBenchmarks, RobertsonTo1e11) {
  const Entry& e = *problems::find_problem("robertson");
  for (const auto& [method, most] : {std::pair<const char*, long>{"rodas5p", 3000},
                                     std::pair<const char*, long>{"rodas4", 13000}}) {
    const Solution s = run(e, options_for(e, method, 1e-10));
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_LE(s.statistics().steps(), most) << method;
    EXPECT_GE(scd(s, e), 9.5) << method;
  }
}

// y2 is near 1e-13: an increment of 1.5e-8 max(1, |y|) says nothing about the derivative there.
TEST(SlowDifferences, AreATrapOnRobertson) {
  const Entry& e = *problems::find_problem("robertson");
  Options o = options_for(e, "rodas5p", 1e-7);
  const Solution exact = run(e, o);
  ASSERT_TRUE(exact.ok()) << exact.message();
  o.difference_increment = 1.5e-8;
  o.max_steps = 200000;
  const Solution differences = run(e, o);
  EXPECT_GT(differences.statistics().in(Phase::step).factorisations,
            20 * exact.statistics().in(Phase::step).factorisations);
}

}  // namespace
}  // namespace daedalus::rosenbrock_test
