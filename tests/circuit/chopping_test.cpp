// SPDX-License-Identifier: BSD-3-Clause
// Diodes without capacitance interrupt currents of coils: the voltage jumps within less time than
// double precision resolves. Runs at all tolerances reach their end and agree.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <fmt/format.h>

#include <daedalus/circuit.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::chopping_test {
namespace {

// Transformer with leakage, one diode, smoothing capacitor.
std::string half_wave(double coupling) {
  return fmt::format(
      "half wave behind coupled coils\nV1 in 0 SIN(0 10 50)\nR1 in p 1\nL1 p 0 100m\nL2 s 0 400m\n"
      "K1 L1 L2 {}\nD1 s out DM\nC1 out 0 100u\nRL out 0 1k\n.model DM D(IS=1e-14)\n"
      ".tran 0.1m 60m\n.end\n",
      coupling);
}

std::string centre_tap(double coupling) {
  return fmt::format(
      "centre tap\nV1 in 0 SIN(0 20 60)\nR1 in p 2\nL1 p 0 1\nL2 a 0 50m\nL3 0 b 50m\n"
      "K12 L1 L2 {0}\nK13 L1 L3 {0}\nK23 L2 L3 {0}\nD1 a out DM\nD2 b out DM\nC1 out 0 470u\n"
      "RL out 0 200\n.model DM D(IS=1e-12 N=1.2 RS=0.05)\n.tran 0.1m 50m\n.end\n",
      coupling);
}

// A switch interrupts the primary current, a diode takes the secondary one and lets it end.
std::string flyback(double coupling) {
  return fmt::format(
      "flyback\nVIN in 0 12\nVG g 0 PULSE(0 5 0 100n 100n 4u 10u)\nL1 in d 50u\nS1 d 0 g 0 SWM\n"
      "L2 0 s 50u\nK1 L1 L2 {}\nRSN d sn 100\nCSN sn in 1n\nD1 s o DM\nCO o 0 100u\nRO o 0 20\n"
      ".model SWM SW(VT=2.5 VH=0.1 RON=0.05 ROFF=1e6)\n.model DM D(IS=1e-12 N=1.1 RS=0.02)\n"
      ".tran 1u 100u\n.end\n",
      coupling);
}

double end_of(const std::string& netlist, const char* name, double rtol) {
  const Circuit circuit = read_circuit_text(netlist, "chop.cir");
  const Entry entry = circuit.entry();
  const Solution s = solve(entry.problem(), {entry.t0, entry.t_end}, circuit.options(rtol));
  EXPECT_TRUE(s.ok()) << netlist << rtol << ": " << s.message();
  return s.ok() ? s.end()[name] : NAN;
}

// Differences between tolerances, in parts of some volts: a hundred tolerances of the looser one.
void agree(const std::string& netlist, const char* name, std::initializer_list<double> tolerances) {
  double tight = end_of(netlist, name, *(tolerances.end() - 1));
  for (const double rtol : tolerances)
    EXPECT_NEAR(end_of(netlist, name, rtol), tight, 100.0 * rtol * std::fabs(tight) + 1e-9)
        << netlist << rtol;
}

TEST(Chopping, RectifiersBehindCoupledCoils) {
  for (const double k : {0.5, 0.9, 0.99, 0.995, 0.999, 1.0}) {
    agree(half_wave(k), "v(out)", {1e-2, 1e-3, 1e-4, 1e-6, 1e-8});
    agree(centre_tap(std::fmin(k, 0.999)), "v(out)", {1e-2, 1e-3, 1e-4, 1e-6});
  }
}

TEST(Chopping, FlybackConverters) {
  for (const double k : {0.9, 0.99, 0.999}) agree(flyback(k), "v(o)", {1e-2, 1e-3, 1e-4});
}

TEST(Chopping, ChokeBehindADiode) {
  agree(
      "choke\nV1 in 0 SIN(0 10 50)\nL1 in a 10m\nD1 a b DM\nR1 b 0 100\n.model DM D(IS=1e-14)\n"
      ".tran 0.1m 55m\n.end\n",
      "i(l1)", {1e-2, 1e-3, 1e-4, 1e-6, 1e-8});
}

}  // namespace
}  // namespace daedalus::chopping_test
