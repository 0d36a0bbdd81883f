// SPDX-License-Identifier: BSD-3-Clause
// Circuits of the catalogue written as netlists give the catalogue's reference values.
#include <gtest/gtest.h>

#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/solve.hpp>

#include "circuit/reference.hpp"

namespace daedalus {
namespace {

Solution run(const std::string& name) {
  const Circuit circuit =
      read_circuit(std::string(DAEDALUS_SOURCE_DIR) + "/tests/circuit/catalogue/" + name + ".cir");
  const Entry entry = circuit.entry();
  return solve(entry.problem(), {entry.t0, entry.t_end}, circuit.options(1e-8));
}

TEST(CatalogueAsNetlist, TransistorAmplifier) {
  const auto& reference = *problems::find_problem("transistor-amplifier")->reference;
  const Solution solution = run("transistor_amplifier");
  ASSERT_TRUE(solution.ok()) << solution.message();
  for (const auto& [name, value] : reference.values)
    EXPECT_NEAR(solution.end()["v(" + name.substr(1) + ")"], value, 1e-6) << name;
}

TEST(CatalogueAsNetlist, RingModulator) {
  const auto& reference = *problems::find_problem("ring-modulator")->reference;
  const Solution solution = run("ring_modulator");
  ASSERT_TRUE(solution.ok()) << solution.message();
  for (const auto& [name, value] : reference.values) {
    const std::string own =
        name[0] == 'U' ? "v(u" + name.substr(1) + ")" : "i(l" + name.substr(1) + ")";
    EXPECT_NEAR(solution.end()[own], value, name[0] == 'U' ? 1e-6 : 1e-9) << name;
  }
}

}  // namespace
}  // namespace daedalus
