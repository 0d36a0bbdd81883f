// SPDX-License-Identifier: BSD-3-Clause
// Comparisons and switches whose controls rest at their threshold, drive each other or begin there;
// what jumps at corners of sources; start values that contradict each other.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <daedalus/solve.hpp>

#include "circuit/reference.hpp"

namespace daedalus::switching_test {
namespace {

Circuit read(const std::string& lines) {
  return read_circuit_text("title\n" + lines + "\n.end\n", "x.cir");
}

double at(const Circuit& circuit, double t, const std::string& name) {
  const Entry entry = circuit.entry();
  Options options = circuit.options(1e-6);
  options.output = Output::dense;
  const Solution s = solve(entry.problem(), {entry.t0, entry.t_end}, options);
  EXPECT_TRUE(s.ok()) << s.message();
  return s.ok() ? s.at(t)[name] : std::nan("");
}

// v(f) follows a signal of 0 and 1 V with this time constant.
const std::string filter = "R1 o f 1k\nC1 f 0 1n\n.tran 0.1u 10u";
constexpr double tau = 1e-6;

double charged(double from, double to, double t) {
  return -std::expm1(-(to - from) / tau) * std::exp(-(t - to) / tau);
}

// A control of exactly 0 before the pulse and after it is no crossing of its own, and equality
// belongs to one side: both ways of writing it give the same curve.
TEST(Comparisons, OfWhatRestsAtZeroFollowThePulse) {
  for (const char* relation : {"v(in) > 0 ? 1 : 0", "v(in) <= 0 ? 0 : 1", "u(v(in))"}) {
    const Circuit c = read(
        "V1 in 0 PULSE(0 5 1u 0.1u 0.1u 3u 8u)\nB1 o 0 V=" + std::string(relation) + "\n" + filter);
    EXPECT_NEAR(at(c, 2e-6, "v(f)"), charged(1e-6, 2e-6, 2e-6), 1e-6) << relation;
    EXPECT_NEAR(at(c, 6e-6, "v(f)"), charged(1e-6, 4.2e-6, 6e-6), 1e-6) << relation;
  }
}

// A sine leaves 0 at the start of the run: no sign changes there, and the first half was lost.
TEST(Comparisons, OfWhatLeavesZeroAtTheStartSeeTheFirstHalf) {
  const Circuit c = read("V1 in 0 SIN(0 1 100k)\nB1 o 0 V=v(in) > 0 ? 1 : 0\n" + filter);
  EXPECT_NEAR(at(c, 6e-6, "v(f)"), charged(0.0, 5e-6, 6e-6), 1e-6);
}

// The output of one is the control of the next: it jumps across its threshold at the same time.
TEST(Comparisons, DriveEachOther) {
  const Circuit c = read(
      "V1 in 0 SIN(0 1 100k)\nB1 a 0 V=v(in) > 0.2 ? 5 : 0\nR0 a 0 1k\n"
      "B2 b 0 V=v(a) > 2.5 ? 0 : 5\nR2 b 0 1k\nB3 o 0 V=v(b) < 2.5 ? 1 : 0\n" +
      filter);
  const double on = std::asin(0.2) / (2e5 * std::numbers::pi);
  EXPECT_NEAR(at(c, 6e-6, "v(f)"), charged(on, 5e-6 - on, 6e-6), 1e-6);
}

TEST(Switches, WithoutBandCloseAndOpenAtTheirThreshold) {
  const Circuit c = read(
      "V1 in 0 SIN(0 1 100k)\nV2 s 0 1\nS1 s o in 0 SM\nR1 o 0 1k\nC1 o 0 1n\n"
      ".model SM SW(VT=0 RON=1 ROFF=1meg)\n.tran 0.1u 10u");
  EXPECT_NEAR(at(c, 2e-6, "v(o)"), 1.0 / 1.001, 1e-6);
  const double open = 1e-6 / 1.001e-3, closed = 1.0 / 1.001;
  EXPECT_NEAR(at(c, 6e-6, "v(o)"), open + (closed - open) * std::exp(-1e-6 * 1.001e-3 / 1e-9),
              1e-6);
}

// Clocks that complement each other reach the thresholds at one time. The current of the coil has
// nowhere to go in between: with 1 TOhm it would make 5e11 V.
TEST(Switches, WithoutBandOfComplementaryClocksChangeTogether) {
  const auto converter = [](const std::string& clocks, const char* off) {
    return "V1 in 0 5\n" + clocks +
           "\nL1 x y 10u\nC1 y 0 1u\nR1 y 0 5\n.model SM SW(VT=0.5 RON=0.1 ROFF=" + off +
           ")\n.tran 0.1u 20u";
  };
  const std::string up = "VA a 0 PULSE(0 1 1u 10n 10n 0.99u 2u)\n",
                    pulses = up + "VB b 0 PULSE(1 0 1u 10n 10n 0.99u 2u)\n",
                    inverted = up + "BB b 0 V=1-v(a)\n", nodes = "S1 in x a 0 SM\nS2 x 0 b 0 SM";
  const double expected = at(read(converter(pulses + nodes, "1meg")), 20e-6, "v(y)");
  EXPECT_GT(expected, 1.0);
  for (const std::string& clocks : {pulses + nodes, inverted + nodes,
                                    // One control is the difference of two nodes.
                                    pulses + "S1 in x a 0 SM\nS2 x 0 b a2 SM\nV2 a2 0 0",
                                    pulses + "S1 in x a a2 SM\nS2 x 0 b 0 SM\nV2 a2 0 0"})
    for (const char* off : {"1meg", "1g", "1t"})
      EXPECT_NEAR(at(read(converter(clocks, off)), 20e-6, "v(y)"), expected, 1e-4)
          << clocks << " " << off;
}

// Inside a band, and at the threshold of a switch without one, the state stays.
TEST(Switches, WhoseControlRestsAtItsThresholdKeepTheirState) {
  for (const auto& [from, closed] :
       std::vector<std::pair<const char*, bool>>{{"0", false}, {"1", true}}) {
    const Circuit c = read("VC c 0 PWL(0 " + std::string(from) +
                           " 1u 0.5 8u 0.5)\nV1 s 0 1\nS1 s o c 0 SM\nR1 o 0 1k\n"
                           ".model SM SW(VT=0.5 RON=1 ROFF=1g)\n.tran 0.1u 8u");
    EXPECT_NEAR(at(c, 7e-6, "v(o)"), closed ? 1.0 / 1.001 : 1e-6, 1e-6) << from;
  }
}

// -C dv/dt - v/R right behind the corner, far inside the first step; what lies before it is 0.
TEST(VariablesOfIndexTwo, BelongToTheirSideOfACorner) {
  const Circuit c =
      read("V1 in 0 PULSE(0 5 1u 0.5u 0.5u 3u 8u)\nC1 in 0 1n\nR1 in 0 1k\n.tran 0.1u 10u");
  EXPECT_NEAR(at(c, 0.99e-6, "i(v1)"), 0.0, 1e-8);
  EXPECT_NEAR(at(c, 1.001e-6, "i(v1)"), -(1e-2 + 1e-5), 1e-7);
  EXPECT_NEAR(at(c, 1.3e-6, "i(v1)"), -(1e-2 + 3e-3), 1e-7);
  EXPECT_NEAR(at(c, 1.501e-6, "i(v1)"), -5e-3, 1e-7);
}

// A model belongs to the place where the subcircuit is written, not to where it is used.
TEST(Models, AreThoseOfTheirPlace) {
  const std::string text =
      ".subckt cell a\nR1 a 0 RM\n.ends\n.subckt outer a\nX1 a cell\nR2 a 0 RM\n"
      ".model RM R(R=1k)\n.ends\nV1 a 0 1\nX1 a outer\n.op\n";
  const Circuit both = read(text + ".model RM R(R=4k)\n");
  EXPECT_NEAR(both.operating_point()["i(v1)"], -(1.0 / 4e3 + 1.0 / 1e3), 1e-12);
  // Where there is no other, that of the place of use serves.
  EXPECT_NEAR(read(text).operating_point()["i(v1)"], -2e-3, 1e-12);
}

// 3 V and 1 V across capacitors in a row with a source of 1 V: each gives way by 1.5 V.
TEST(StartValues, OfALoopThatContradictChangeAlikeAndAreNamed) {
  const Circuit c = read("V1 a 0 1\nC1 a b 1u IC=3\nC2 b 0 2u IC=1\nR1 b 0 1k\n.tran 1u 1m uic");
  EXPECT_NEAR(c.operating_point()["v(b)"], -0.5, 1e-6);
  ASSERT_EQ(c.warnings().size(), 2U);
  EXPECT_EQ(c.warnings()[0].line, 3);
  EXPECT_NE(c.warnings()[0].message.find("c1 starts with 1.5 V in place of 3 V"), std::string::npos)
      << c.warnings()[0].message;
  const Circuit agree =
      read("V1 a 0 4\nC1 a b 1u IC=3\nC2 b 0 2u IC=1\nR1 b 0 1k\n.tran 1u 1m uic");
  EXPECT_TRUE(agree.warnings().empty());
  EXPECT_NEAR(agree.operating_point()["v(b)"], 1.0, 1e-9);
}

// Coils that meet only a current source: their currents follow from each other.
TEST(StartValues, OfACutsetStartARun) {
  const std::string rest = "R1 a 0 100\nR2 b 0 50\nI1 0 n SIN(0 1m 10k)\n.tran 1u 200u uic";
  const Circuit c = read("L1 n a 1m IC=2m\nL2 n b 2m IC=1m\n" + rest);
  EXPECT_NEAR(c.operating_point()["i(l1)"], 0.5e-3, 1e-9);
  EXPECT_NEAR(c.operating_point()["i(l2)"], -0.5e-3, 1e-9);
  EXPECT_EQ(c.warnings().size(), 2U);
  const double sum = at(c, 1e-4 / 4.0, "i(l1)") + at(c, 1e-4 / 4.0, "i(l2)");
  EXPECT_NEAR(sum, 1e-3, 1e-8);
  const Circuit agree = read("L1 n a 1m IC=2m\nL2 n b 2m IC=-2m\n" + rest);
  EXPECT_TRUE(agree.warnings().empty());
  EXPECT_NEAR(agree.operating_point()["i(l2)"], -2e-3, 1e-12);
}

}  // namespace
}  // namespace daedalus::switching_test
