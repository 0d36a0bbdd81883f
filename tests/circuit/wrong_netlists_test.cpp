// SPDX-License-Identifier: BSD-3-Clause
// Wrong netlists are answered with the line, the name, the reason and what to do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <daedalus/circuit.hpp>

namespace daedalus {
namespace {

struct Wrong {
  const char* name;
  const char* text;                // after the title
  int line;                        // of the first diagnostic
  std::vector<std::string> words;  // of the messages and hints together
};

void PrintTo(const Wrong& w, std::ostream* out) { *out << w.name; }

class WrongNetlists : public testing::TestWithParam<Wrong> {};

TEST_P(WrongNetlists, AreAnswered) {
  const Wrong& w = GetParam();
  try {
    read_circuit_text(std::string("title\n") + w.text, "x.cir");
    FAIL() << "nothing was wrong";
  } catch (const InvalidModel& wrong) {
    ASSERT_FALSE(wrong.diagnostics.empty());
    std::string all;
    for (const SourceDiagnostic& d : wrong.diagnostics) all += d.message + " | " + d.hint + "\n";
    EXPECT_EQ(wrong.diagnostics.front().line, w.line) << all;
    EXPECT_EQ(wrong.diagnostics.front().file, "x.cir");
    for (const std::string& word : w.words)
      EXPECT_NE(all.find(word), std::string::npos) << "'" << word << "' is not in: " << all;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Spec, WrongNetlists,
    testing::Values(
        Wrong{"no_value", "R1 a 0\n.op", 2, {"R1 has 2 nodes but no value", "n+ n- value"}},
        Wrong{"digits_after_letters", "R1 a 0 4k7\n.op", 2, {"4k7", "write 4.7k"}},
        Wrong{"no_suffix", "V1 a 0 1\nC1 a 0 10x\n.op", 3, {"'x' is none", "10u?"}},
        Wrong{"two_sources",
              "V1 a 0 1\nV2 a 0 2\n.op",
              3,
              {"V1", "V2", "loop", "line 2", "line 3", "series resistor"}},
        Wrong{"current_sources",
              "I1 0 n 1m\nI2 n 0 2m\nR1 a 0 1\nV1 a 0 1\n.op",
              2,
              {"only current sources I1, I2 meet at node n"}},
        Wrong{"floating_gate",
              "V1 d 0 1\nC1 g 0 1p\nM1 d g 0 0 NM\n.model NM NMOS(VTO=1)\n.op",
              3,
              {"node g has no DC path to ground", "C1", "gate of M1", ".ic v(g)=", "rshunt"}},
        Wrong{"integrator_without_feedback",
              "V1 a 0 1\nG1 0 b a 0 1m\nC1 b 0 1u\n.op",
              3,
              {"node b has no DC path to ground", "G1", "C1", ".ic v(b)=", "rshunt"}},
        Wrong{"no_model",
              "Q1 c b e QX\n.model QN NPN(BF=1)\n.model QP PNP(BF=1)\n.op",
              2,
              {"model QX is not defined", "QN, QP", "nearest"}},
        Wrong{"no_parameter",
              "V1 c 0 1\nQ1 c c 0 QN\n.model QN NPN(BETA=100)\n.op",
              4,
              {"QN: NPN has no parameter BETA", "did you mean bf"}},
        Wrong{"twice", "R1 a 0 1\nR1 a 0 2\n.op", 3, {"R1 is already defined at line 2"}},
        Wrong{"ports",
              ".subckt inv in out vdd\nR1 in out 1\n.ends\nX1 a b inv\n.op",
              5,
              {"inv has 3 ports (in out vdd) at line 2", "X1 gives 2"}},
        Wrong{"not_closed", ".subckt inv a\nR1 a 0 1\n.op", 2, {".subckt inv is not closed"}},
        Wrong{"recursion",
              ".subckt inv a\nX1 a buf\n.ends\n.subckt buf a\nX1 a inv\n.ends\nX1 a inv\n.op",
              6,
              {"inv -> buf -> inv"}},
        Wrong{"cycle",
              ".param a={b} b={a}\nR1 a 0 {a}\n.op",
              2,
              {"parameters a, b define each other"}},
        Wrong{"pwl",
              "V1 a 0 PWL(0 0 1u 1 1u 2)\nR1 a 0 1\n.op",
              2,
              {"PWL times must increase", "position 5", "rise time"}},
        Wrong{"controlled_by_resistor",
              "V1 b 0 1\nR1 b 0 1\nF1 a 0 R1 2\nR2 a 0 1\n.op",
              4,
              {"F1 is controlled by r1, which is not a voltage source", "in series"}},
        Wrong{"transmission_line",
              "T1 a 0 b 0 Z0=50 TD=1n\n.op",
              2,
              {"transmission lines", "delay differential equations", "ladder of L and C"}},
        Wrong{"polynomial",
              "V1 a 0 1\nE1 b 0 POLY(2) a 0 c d 1 2 3 4k 0 6\nR1 b 0 1\n.op",
              3,
              {"POLY", "BE1 b 0 V=1 + 2*v(a) + 3*v(c,d) + 4k*v(a)*v(a) + 6*v(c,d)*v(c,d)"}},
        Wrong{"loop_of_shorts",
              "V1 a 0 1\nL1 a b 1m\nL2 b 0 1m\n.op",
              4,
              {"L2", "L1", "V1", "loop without resistance", "series resistor"}},
        Wrong{"coupling",
              "L1 a 0 1\nL2 b 0 1\nK1 L1 L2 1.2\nV1 a 0 1\nR1 b 0 1\n.op",
              4,
              {"coupling 1.2", "must lie in [-1, 1]"}},
        Wrong{"no_node",
              "R1 b 0 1\nB1 a 0 I=v(q)*2\nR2 a 0 1\n.op",
              3,
              {"node q in the expression does not exist"}},
        Wrong{"tran_short", "R1 a 0 1\nV1 a 0 1\n.tran 1n", 4, {".tran needs tstep and tstop"}},
        Wrong{"no_analysis", "R1 a 0 1\nV1 a 0 1\n", 1, {"nothing to do", ".tran"}},
        Wrong{"include",
              "R1 a 0 1\n.include miss.inc\n.op",
              3,
              {"cannot read miss.inc", "included from x.cir:3"}}),
    [](const auto& one) { return std::string(one.param.name); });

std::string remarks(const Circuit& c) {
  std::string all;
  for (const SourceDiagnostic& w : c.warnings()) all += w.message + " | " + w.hint + "\n";
  return all;
}

// No errors, but worth a word.
TEST(Remarks, NameLoopsCutsetsAndReplacedTimes) {
  const Circuit cutset =
      read_circuit_text("t\nL1 a b 1m\nI1 a 0 SIN(0 1 1k)\nR1 b 0 1\n.tran 1u 1m\n", "x.cir");
  EXPECT_EQ(cutset.index().topology, 2);
  EXPECT_NE(cutset.index().text.find("cutset l1, i1 around node a; v(a) is the derivative"),
            std::string::npos)
      << cutset.index().text;
  const Circuit loop =
      read_circuit_text("t\nC1 a 0 1u\nV1 a 0 PULSE(0 5 0 0 0 4u 9u)\n.tran 1u 90u\n", "x.cir");
  EXPECT_NE(loop.index().text.find("loop v1-c1 (a, 0); i(v1) is the derivative"), std::string::npos)
      << loop.index().text;
  EXPECT_NE(loop.index().text.find("5 A at its ramps"), std::string::npos) << loop.index().text;
  EXPECT_NE(remarks(loop).find("rise or fall time 0 is replaced by tstep"), std::string::npos);
  const Circuit title = read_circuit_text("R1 a 0 1k\nV1 a 0 1\nR2 a 0 1\n.op\n", "x.cir");
  EXPECT_NE(remarks(title).find("R1 is not part of the circuit"), std::string::npos);
  const Circuit jump =
      read_circuit_text("t\nV1 a 0 PULSE(0 5 0 1u 1u 1u 2u)\nR1 a 0 1\n.tran 1u 10u\n", "x.cir");
  EXPECT_NE(remarks(jump).find("the value jumps"), std::string::npos);
}

// Two controlled sources make a coil of a capacitor: they hold its node for direct currents.
TEST(Remarks, GyratorsHoldTheirNodes) {
  const Circuit c = read_circuit_text(
      "t\nV1 in 0 1\nR1 in a 1k\nG1 a 0 b 0 1m\nG2 0 b a 0 1m\nC1 b 0 1u\n.op\n", "x.cir");
  ASSERT_TRUE(c.operating_point().found) << c.operating_point().message;
  EXPECT_NEAR(c.operating_point()["v(a)"], 0.0, 1e-9);
  EXPECT_NEAR(c.operating_point()["v(b)"], 1.0, 1e-9);
}

TEST(Remarks, MarksOfEditorsAreIgnored) {
  const Circuit c = read_circuit_text("t\nV1 a 0 1\nR1 a 0 1\n.op\n.backanno\n.end\n", "x.cir");
  EXPECT_NE(remarks(c).find(".backanno has no effect"), std::string::npos);
}

TEST(NetlistNumbers, MegaIsNotMilli) {
  const Circuit c = read_circuit_text("t\nV1 a 0 1\nR1 a 0 2M\nR2 a 0 2meg\n.op\n", "x.cir");
  EXPECT_NEAR(c.operating_point()["i(v1)"], -(500.0 + 0.5e-6), 1e-9);
  ASSERT_EQ(c.warnings().size(), 1U);
  EXPECT_NE(c.warnings()[0].message.find("milliohm"), std::string::npos);
  EXPECT_EQ(c.warnings()[0].hint, "write 2meg");
}

// Rounded once: 50 * 1e-6 is not 5e-5.
TEST(NetlistNumbers, SuffixesAreExactDecimals) {
  EXPECT_EQ(netlist_number("50u"), 5e-5);
  EXPECT_EQ(netlist_number("+1.1meg"), 1.1e6);
  EXPECT_EQ(netlist_number("-.7e-3n"), -0.7e-12);
  EXPECT_EQ(netlist_number("3E2k"), 3e5);
  EXPECT_EQ(netlist_number("10mil"), 25.4 * 1e-5);
  EXPECT_EQ(netlist_number("1e-400k"), 0.0);
  EXPECT_FALSE(netlist_number("1e308k"));
}

TEST(NetlistNumbers, FemtoInCapitalsIsWarnedOf) {
  const auto warnings = [](const char* value) {
    const std::string text = fmt::format("t\nV1 a 0 1\nC1 a 0 {}\n.op\n", value);
    return read_circuit_text(text, "x.cir").warnings();
  };
  EXPECT_TRUE(warnings("5f").empty());
  EXPECT_TRUE(warnings("5fF").empty());
  ASSERT_EQ(warnings("5F").size(), 1U);
  EXPECT_NE(warnings("5F")[0].message.find("C1 is 5e-15 F"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
