// SPDX-License-Identifier: BSD-3-Clause
// Circuits of the usual text books against ngspice (tests/circuit/textbook/make_reference.py): node
// voltages at times between the edges of sources, within what the peer's own steps leave.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/solve.hpp>

#include "circuit/reference.hpp"

namespace daedalus {
namespace {

// In parts of the largest value: far below what a wrong element equation does.
constexpr double textbook_bound = 1e-4;
// The peer's error falls with the square of its step: it is a third of the difference of two runs.
// Events and edges that it does not locate are of first order.
constexpr double peer_share = 2.0;

std::string textbook(const std::string& file) { return circuits::path("../textbook/" + file); }

circuits::Json reference() {
  std::ifstream in(textbook("reference.json"));
  return circuits::Json::parse(in);
}

TEST(Textbook, WaveformsAgreeWithThePeer) {
  int compared = 0;
  const auto all = reference();
  for (const auto& [name, data] : all.items()) {
    const Circuit circuit = read_circuit(textbook(name + ".cir"));
    const Entry entry = circuit.entry();
    Options options = circuit.options();
    options.output = Output::dense;
    const Solution run = solve(entry.problem(), {entry.t0, entry.t_end}, options);
    ASSERT_TRUE(run.ok()) << name << ": " << run.message();
    for (const auto& [variable, one] : data.at("variables").items()) {
      const double scale = one.at("scale"), peer = one.at("error");
      for (std::size_t k = 0; k < data.at("times").size(); ++k) {
        const double value = run.at(data.at("times")[k].get<double>())[variable];
        const double off = std::fabs(value - one.at("values")[k].get<double>()) / scale;
        EXPECT_LE(off, textbook_bound + peer_share * peer)
            << name << " " << variable << " at " << data.at("times")[k];
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

// Values that are kept at an edge of a source are errors of the step before, however short the next
// step is: a current through 10 mOhm was held against every step once.
TEST(Textbook, HalfBridgePassesItsEdgesWithDenseOutput) {
  const Circuit circuit = read_circuit(textbook("half_bridge.cir"));
  const Entry entry = circuit.entry();
  Options options = circuit.options();
  options.output = Output::dense;
  const Solution run = solve(entry.problem(), {entry.t0, entry.t_end}, options);
  EXPECT_TRUE(run.ok()) << run.message();
}

}  // namespace
}  // namespace daedalus
