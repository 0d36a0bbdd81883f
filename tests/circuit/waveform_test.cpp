// SPDX-License-Identifier: BSD-3-Clause
// Transients against reference waveforms at 16 times, and what the index is and why.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <set>

#include <daedalus/solve.hpp>

#include "circuit/reference.hpp"

namespace daedalus {
namespace {

struct Row {
  const char* name;
  int index;
  std::vector<std::string> high;  // variables of index 2
  double bound = 1e-5;            // of the error at rtol 1e-6, in parts of the largest value
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class Waveforms : public testing::TestWithParam<Row> {};
class Indices : public testing::TestWithParam<Row> {};

// The largest error over all variables and times, in parts of what is allowed for each variable.
double largest_part(const Circuit& circuit, const std::string& name, double rtol,
                    const std::function<double(const circuits::Json& variable)>& allowed,
                    std::string& worst) {
  const Entry entry = circuit.entry();
  const Problem problem = entry.problem();
  Options options = circuit.options(rtol);
  options.output = Output::dense;
  const Solution solution = solve(problem, {entry.t0, entry.t_end}, options);
  EXPECT_TRUE(solution.ok()) << name << ": " << solution.message();
  if (!solution.ok()) return 1e300;
  const auto reference = circuits::json(name + ".json");
  const auto& times = reference.at("times");
  const std::set<std::string> high(circuit.index().variables.begin(),
                                   circuit.index().variables.end());
  double largest = 0.0;
  int compared = 0;
  for (const auto& [variable, data] : reference.at("variables").items())
    for (std::size_t k = 0; k < times.size(); ++k) {
      const double t = times[k], scale = std::max(data.at("scale").get<double>(), 1e-300);
      const ModelState state = t >= solution.end_time() ? solution.end() : solution.at(t);
      if (state.variables().find(variable) < 0) continue;
      ++compared;
      const double error = std::fabs(state[variable] - data.at("values")[k].get<double>()) / scale;
      const double part = error / (allowed(data) * (high.count(variable) ? 10.0 : 1.0));
      if (part > largest) {
        largest = part;
        worst = variable + " at " + std::to_string(k) + ", error " + std::to_string(error * 1e6) +
                "e-6";
      }
    }
  EXPECT_GT(compared, 0) << name;
  return largest;
}

TEST_P(Waveforms, AgreeWithTheReference) {
  const Circuit circuit = circuits::read(GetParam().name);
  std::string worst;
  const auto bound = [](const auto&) { return GetParam().bound; };
  EXPECT_LE(largest_part(circuit, GetParam().name, 1e-6, bound, worst), 1.0) << worst;
}

// The digits of the reference less one, at most 8.
TEST_P(Waveforms, AgreeToTheDigitsOfTheReference) {
  const Circuit circuit = circuits::read(GetParam().name);
  std::string worst;
  const auto bound = [](const circuits::Json& v) {
    return std::pow(10.0, -std::min(8.0, v.at("digits").get<double>() - 1.0));
  };
  EXPECT_LE(largest_part(circuit, GetParam().name, 1e-9, bound, worst), 1.0) << worst;
}

// By 5 per decade from 1e-4 to 1e-9, or down to the digits of the reference.
TEST_P(Waveforms, ErrorsFallWithTheTolerance) {
  const Circuit circuit = circuits::read(GetParam().name);
  std::string worst;
  const auto all = [](const auto&) { return 1.0; };
  const auto digits = [](const circuits::Json& v) {
    return std::pow(10.0, -std::min(9.0, v.at("digits").get<double>() - 1.0));
  };
  const double loose = largest_part(circuit, GetParam().name, 1e-4, all, worst);
  const double tight = largest_part(circuit, GetParam().name, 1e-9, all, worst);
  const double floor = largest_part(circuit, GetParam().name, 1e-9, digits, worst);
  EXPECT_TRUE(tight <= loose / std::pow(5.0, 5) || floor <= 1.0)
      << loose << " at 1e-4, " << tight << " at 1e-9";
}

TEST_P(Indices, AreThoseOfTheGraph) {
  const Circuit circuit = circuits::read(GetParam().name);
  EXPECT_EQ(circuit.index().topology, GetParam().index) << circuit.index().text;
  const std::set<std::string> expected(GetParam().high.begin(), GetParam().high.end());
  const std::set<std::string> found(circuit.index().variables.begin(),
                                    circuit.index().variables.end());
  EXPECT_EQ(found, expected) << circuit.index().text;
  EXPECT_EQ(circuit.index().numerical, GetParam().index) << circuit.index().text;
}

const std::vector<Row> rows{{"rc", 1, {}},
                            {"rlc", 1, {}},
                            {"pulses", 1, {}},
                            {"halfwave", 1, {}},
                            {"bridge", 2, {"i(vs)"}},
                            {"zener", 1, {}},
                            {"emitter", 1, {}},
                            {"diffpair", 1, {}},
                            {"jfet", 1, {}},
                            {"colpitts", 1, {}, 1e-3},
                            {"astable", 1, {}},
                            {"ringosc", 2, {"i(vdd)"}},
                            {"nand", 2, {"i(vdd)", "i(va)", "i(vb)"}},
                            {"opamp", 1, {}},
                            {"chua", 0, {}, 1e-3},
                            {"cvloop", 2, {"i(v1)"}},
                            {"licutset", 2, {"v(n)"}},
                            {"differentiator", 2, {"i(e1)", "i(vs)", "v(out)", "i(h1)"}},
                            {"transformer", 1, {}},
                            {"buck", 1, {}},
                            {"gatecap", 2, {"i(vs)", "i(vd)"}}};

const auto name_of_row = [](const auto& one) { return std::string(one.param.name); };
INSTANTIATE_TEST_SUITE_P(Spec, Waveforms, testing::ValuesIn(rows), name_of_row);
INSTANTIATE_TEST_SUITE_P(Spec, Indices, testing::ValuesIn(rows), name_of_row);
INSTANTIATE_TEST_SUITE_P(IndexThree, Indices,
                         testing::Values(Row{"index3", 3, {"i(e2)", "i(vs2)", "v(out2)", "i(h2)"}}),
                         name_of_row);

// Two differentiators in a row: v(out2) = -(1e-4 omega)^2 sin(omega t), omega = 2000 pi. A digit
// less than of index 1, by the automatic choice.
TEST(IndexThree, FollowsItsClosedForm) {
  const Circuit circuit = circuits::read("index3");
  const Entry entry = circuit.entry();
  const double omega = 2000.0 * std::numbers::pi, scale = std::pow(1e-4 * omega, 2.0);
  const auto error = [&](double rtol) {
    Options options = circuit.options(rtol);
    options.output = Output::dense;
    const Solution solution = solve(entry.problem(), {entry.t0, entry.t_end}, options);
    EXPECT_TRUE(solution.ok()) << solution.message();
    double largest = solution.ok() ? 0.0 : 1.0;
    for (int k = 1; k <= 16 && solution.ok(); ++k) {
      const double t = std::min(entry.t_end * k / 16.0, solution.end_time());
      largest =
          std::max(largest, std::fabs(solution.at(t)["v(out2)"] / scale + std::sin(omega * t)));
    }
    return largest;
  };
  const double loose = error(1e-4), tight = error(1e-9);
  EXPECT_LE(error(1e-6), 1e-4);
  EXPECT_LE(tight, 1e-7);
  EXPECT_LE(tight, loose / std::pow(5.0, 5));
  EXPECT_NE(circuit.index().text.find("vs feeds e2, which is in the loop vs2-c2-e2"),
            std::string::npos)
      << circuit.index().text;
}

// Moving sources: at t = 0+ the current of the capacitor is that of the sine, not 0.
TEST(StartOfIndexTwo, IsThatOfMovingSources) {
  const Circuit circuit = circuits::read("differentiator");
  const Problem problem = circuit.entry().problem();
  const Solution solution = solve(problem, {0.0, 1e-5}, circuit.options(1e-6));
  ASSERT_TRUE(solution.ok()) << solution.message();
  EXPECT_NEAR(solution.state(0)["v(out)"], 0.628318530718, 1e-6);
}

TEST(StartOfIndexTwo, ContradictingValuesAreNotFollowedWithAWarning) {
  const Circuit circuit = read_circuit_text(
      "t\nV1 a 0 1\nC1 a b 1u\nC2 b 0 1u\nR1 b 0 1k\n.ic v(a)=3 v(b)=0.25\n.tran 1u 1m\n", "x.cir");
  EXPECT_NEAR(circuit.operating_point()["v(a)"], 1.0, 1e-9);
  EXPECT_NEAR(circuit.operating_point()["v(b)"], 0.25, 1e-9);
  ASSERT_EQ(circuit.warnings().size(), 1U);
  EXPECT_NE(circuit.warnings()[0].message.find("v(a)"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
