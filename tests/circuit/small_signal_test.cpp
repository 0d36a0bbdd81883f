// SPDX-License-Identifier: BSD-3-Clause
// Small signals, poles and ways to the operating point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "circuit/reference.hpp"

namespace daedalus {
namespace {

using Complex = std::complex<double>;

double gain_error(const Circuit& circuit, const circuits::Json& reference,
                  const std::string& variable) {
  const std::vector<std::string> names = circuit.names();
  const auto column = std::find(names.begin(), names.end(), variable) - names.begin();
  const std::vector<SmallSignal> signals = circuit.small_signals();
  double scale = 0.0, error = 0.0;
  for (std::size_t k = 0; k < reference["f"].size(); ++k) {
    const auto& z = reference[variable][k];
    const Complex expected(z[0].get<double>(), z[1].get<double>());
    const double f = reference["f"][k];
    const auto there = std::find_if(signals.begin(), signals.end(), [&](const SmallSignal& s) {
      return std::fabs(s.f / f - 1.0) < 1e-9;
    });
    if (there == signals.end()) return 1e300;
    scale = std::max(scale, std::abs(expected));
    error = std::max(error, std::abs(there->values[static_cast<std::size_t>(column)] - expected));
  }
  return error / scale;
}

TEST(SmallSignals, AgreeWithTheReference) {
  const auto reference = circuits::json("ac.json");
  EXPECT_LE(gain_error(circuits::read("emitter"), reference["emitter"], "v(out)"), 1e-8);
  EXPECT_LE(gain_error(circuits::read("emitter"), reference["emitter"], "v(c)"), 1e-8);
  EXPECT_LE(gain_error(circuits::read("opamp"), reference["opamp"], "v(out)"), 1e-8);
}

TEST(SmallSignals, PolesAgreeWithTheReference) {
  const auto reference = circuits::json("ac.json");
  for (const char* name : {"emitter", "opamp", "diffpair"}) {
    const std::vector<Complex> poles = circuits::read(name).poles();
    const auto& expected = reference[name]["poles"];
    EXPECT_EQ(poles.size(), expected.size()) << name;
    for (const auto& z : expected) {
      const Complex pole(z[0].get<double>(), z[1].get<double>());
      double nearest = 1e300;
      for (const Complex& p : poles) nearest = std::min(nearest, std::abs(p - pole));
      EXPECT_LE(nearest, 1e-6 * std::abs(pole)) << name << " " << pole;
    }
  }
}

TEST(WaysToTheOperatingPoint, LeadToTheSamePointWithoutTheFirstOnes) {
  const Circuit circuit = circuits::read("diffpair");
  const double expected = circuit.operating_point()["v(c1)"];
  const std::vector<std::string> ways{"newton", "gmin stepping", "source stepping", "homotopy",
                                      "pseudo-transient"};
  OperatingPointOptions options;
  for (std::size_t k = 0; k < ways.size(); ++k) {
    const OperatingPoint op = circuit.operating_point(options);
    ASSERT_TRUE(op.found) << op.message;
    EXPECT_EQ(op.method, ways[k]);
    EXPECT_NEAR(op["v(c1)"], expected, 1e-9);
    options.skip.push_back(ways[k]);
  }
  EXPECT_FALSE(circuit.operating_point(options).found);
}

TEST(DirectSweeps, PassThroughTheOperatingPoint) {
  const Circuit circuit = circuits::read("diffpair");
  const DirectSweep sweep = circuit.direct_sweep();
  ASSERT_TRUE(sweep.complete) << sweep.message;
  ASSERT_EQ(sweep.points.size(), 61U);
  const auto c1 = static_cast<std::size_t>(
      std::find(sweep.names.begin(), sweep.names.end(), "v(c1)") - sweep.names.begin());
  EXPECT_NEAR(sweep.points[30].values[c1], circuit.operating_point()["v(c1)"], 1e-9);
  EXPECT_GT(sweep.points.front().values[c1], 9.9);
  EXPECT_LT(sweep.points.back().values[c1], 4.5);
  EXPECT_TRUE(sweep.jumps.empty());
}

TEST(DirectSweeps, KeepWhatIsFinishedWhenCancelled) {
  const Circuit circuit = circuits::read("diffpair");
  int asked = 0;
  const DirectSweep sweep = circuit.direct_sweep([&] { return ++asked > 5; });
  EXPECT_EQ(sweep.points.size(), 5U);
  EXPECT_FALSE(sweep.complete);
  EXPECT_NE(sweep.message.find("cancelled"), std::string::npos) << sweep.message;
  asked = 0;
  const Circuit amplifier = circuits::read("emitter");
  EXPECT_EQ(amplifier.small_signals([&] { return ++asked > 3; }).size(), 3U);
}

}  // namespace
}  // namespace daedalus
