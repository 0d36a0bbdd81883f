// SPDX-License-Identifier: BSD-3-Clause
// Energy over ten times the interval of the reference, on files that conserve it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include <daedalus/mechanism/run.hpp>
#include <daedalus/mechanism_file.hpp>
#include <daedalus/solve.hpp>

#include <nlohmann/json.hpp>

namespace daedalus::mechanism_energy_test {
namespace {

std::string path_of(const std::string& name) {
  return std::string(DAEDALUS_SOURCE_DIR) + "/tests/mechanism/files/" + name + ".json";
}
double interval_of(const std::string& name) {
  std::ifstream stream(path_of(name));
  return nlohmann::json::parse(stream)["reference"]["t"].get<double>();
}

// What the energy strays from its start, in parts of the largest difference of the potential.
struct Drift {
  bool whole = false;
  std::string message{};
  double share = 0.0, range = 0.0;
};
Drift drift_of(const std::string& name, const char* method, double tolerance) {
  const auto m = read_mechanism_file(path_of(name)).assembled({});
  Options o = run_options(m->assembled, tolerance, method);
  o.output = Output::steps;
  const Solution s = solve(m->assembled.problem, {0.0, 10.0 * interval_of(name)}, o);
  double low = 0.0, high = 0.0, strayed = 0.0;
  const Energies begin = m->assembled.energies(s.start());
  for (std::size_t k = 0; k < s.times().size(); ++k) {
    const Energies e = m->assembled.energies(s.state(k));
    low = std::min(low, e.potential - begin.potential);
    high = std::max(high, e.potential - begin.potential);
    strayed =
        std::max(strayed, std::abs(e.kinetic + e.potential - begin.kinetic - begin.potential));
  }
  return {s.ok(), s.message(), strayed / (high - low), high - low};
}

// Demanded at 1e-8.
constexpr double allowed = 1e-5;

void expect_little(const std::string& name, const char* method) {
  SCOPED_TRACE(name + " " + method);
  const Drift d = drift_of(name, method, 1e-8);
  EXPECT_TRUE(d.whole) << d.message;
  EXPECT_GT(d.range, 0.0);
  EXPECT_LE(d.share, allowed);
}

TEST(EnergyDrift, OfSmallFiles) {
  for (const char* name : {"simple-pendulum", "spinning-top", "four-bar-space", "screw"})
    expect_little(name, "auto");
}

// The measure sees a drift: a hundred tolerances more than the demanded one.
TEST(EnergyDrift, IsSeenAtLooseTolerances) {
  const Drift d = drift_of("four-bar-space", "hedop5", 1e-3);
  EXPECT_TRUE(d.whole) << d.message;
  EXPECT_GT(d.share, allowed);
}

TEST(SlowEnergyDrift, OfConservativeFiles) {
  for (const char* name : {"bricard", "double-pendulum", "four-bar-planar", "four-bar-space",
                           "gyroscope", "screw", "simple-pendulum", "spinning-top"})
    for (const char* method : {"auto", "hedop5", "adams-index2"}) expect_little(name, method);
}

}  // namespace
}  // namespace daedalus::mechanism_energy_test
