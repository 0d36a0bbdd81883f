// SPDX-License-Identifier: BSD-3-Clause
// Large circuits against closed forms, and what grows with their size.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/solve.hpp>

#include "circuit/reference.hpp"

namespace daedalus {
namespace {

std::string mesh(int n) {
  std::string text = "mesh\nI1 0 n0_0 PULSE(0 1m 0 1f 1f 1 2)\n";
  const auto node = [](int p, int q) { return "n" + std::to_string(p) + "_" + std::to_string(q); };
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) {
      const std::string here = node(p, q);
      text += "C" + here + " " + here + " 0 1p\nRL" + here + " " + here + " 0 100k\n";
      if (p + 1 < n) text += "RX" + here + " " + here + " " + node(p + 1, q) + " 100\n";
      if (q + 1 < n) text += "RY" + here + " " + here + " " + node(p, q + 1) + " 100\n";
    }
  return text + ".tran 10n 1u\n.end\n";
}

std::string ladder(int n) {
  std::string text = "ladder\nV1 n0 0 PULSE(0 1 0 1f 1f 1 2)\n";
  for (int k = 1; k <= n; ++k) {
    const std::string number = std::to_string(k), before = std::to_string(k - 1);
    text += "R" + number + " n" + before + " n" + number + " 1k\n";
    text += "C" + number + " n" + number + " 0 1p\n";
  }
  return text + ".tran 10u 1m\n.end\n";
}

// Inverters in rings beside each other: one supply, one matrix, `rows` independent oscillators.
std::string oscillators(int rows) {
  std::string text =
      "oscillators\n.subckt inv in out vdd\nMP out in vdd vdd PM W=4u L=1u\nMN out in 0 0 NM W=2u "
      "L=1u\nCL out 0 5f\n.ends\n.model NM NMOS(VTO=0.7 KP=110u CGSO=0.3n CGDO=0.3n)\n.model PM "
      "PMOS(VTO=-0.8 KP=40u CGSO=0.3n CGDO=0.3n)\nVDD vdd 0 3\n";
  for (int r = 0; r < rows; ++r)
    for (int s = 0; s < 5; ++s) {
      const std::string row = std::to_string(r) + "_";
      text += "X" + row + std::to_string(s) + " n" + row + std::to_string(s) + " n" + row +
              std::to_string((s + 1) % 5) + " vdd inv\n";
    }
  return text + ".tran 1p 1n\n.end\n";
}

// A node of the spec at each time; the ramp of the step makes the first one uncertain to 6 digits.
void agrees(const std::string& text, const circuits::Json& times, const circuits::Json& nodes,
            const circuits::Json& values) {
  const Circuit circuit = read_circuit_text(text, "large.cir");
  const Entry entry = circuit.entry();
  Options options = circuit.options(1e-6);
  options.output = Output::times;
  for (const auto& t : times) options.output_times.push_back(t);
  const Solution solution = solve(entry.problem(), {0.0, options.output_times.back()}, options);
  ASSERT_TRUE(solution.ok()) << solution.message();
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (std::size_t k = 0; k < times.size(); ++k) {
      const std::string name = "v(" + nodes[n].get<std::string>() + ")";
      const double expected = values[n][k], largest = values[0].back();
      EXPECT_NEAR(solution.state(k)[name], expected, 1e-5 * largest) << name << " at " << k;
    }
}

TEST(LargeCircuits, MeshAgreesWithTheClosedForm) {
  const auto reference = circuits::json("large.json")["mesh"];
  agrees(mesh(32), reference["times"], reference["n"]["32"]["nodes"],
         reference["n"]["32"]["values"]);
}

TEST(LargeCircuits, LadderAgreesWithTheClosedForm) {
  const auto reference = circuits::json("large.json")["ladder"]["N"]["1000"];
  agrees(ladder(1000), reference["times"], reference["nodes"], reference["values"]);
}

// Twice the circuit has twice the equations and entries, and needs as many iterations.
TEST(LargeCircuits, RowsOfOscillatorsStartWithTheWorkOfOne) {
  const Circuit one = read_circuit_text(oscillators(1), "one.cir");
  const Circuit many = read_circuit_text(oscillators(200), "many.cir");
  ASSERT_TRUE(many.operating_point().found) << many.operating_point().message;
  EXPECT_EQ(many.nodes(), 200 * 5 + 1);
  EXPECT_EQ(many.operating_point().method, one.operating_point().method);
  EXPECT_LE(many.operating_point().iterations, one.operating_point().iterations + 5);
  EXPECT_EQ(many.index().topology, 2);
  EXPECT_EQ(many.index().variables, (std::vector<std::string>{"i(vdd)"}));
}

}  // namespace
}  // namespace daedalus
