// SPDX-License-Identifier: BSD-3-Clause
// Operating points against those of an independent program, to its 12 digits.
#include <gtest/gtest.h>

#include <cmath>

#include "circuit/reference.hpp"

namespace daedalus {
namespace {

class OperatingPoints : public testing::TestWithParam<const char*> {};

TEST_P(OperatingPoints, AgreeWithTheReference) {
  const Circuit circuit = circuits::read(GetParam());
  const OperatingPoint op = circuit.operating_point();
  ASSERT_TRUE(op.found) << op.message;
  const auto reference = circuits::json("operating_points.json").at(GetParam()).at("values");
  double scale_v = 1e-3, scale_i = 1e-9;
  for (const auto& [name, value] : reference.items()) {
    double& scale = name[0] == 'v' ? scale_v : scale_i;
    scale = std::max(scale, std::fabs(value.get<double>()));
  }
  for (const auto& [name, value] : reference.items()) {
    // The peer's name of sources in subcircuits.
    const std::string own = name == "i(e.x1.e1)" ? "i(x1.e1)" : name;
    EXPECT_NEAR(op[own], value.get<double>(), 1e-9 * (name[0] == 'v' ? scale_v : scale_i)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Spec, OperatingPoints,
                         testing::Values("op_diodechain", "op_rectifier", "op_latch", "op_schmitt",
                                         "op_push", "op_mosbias", "emitter", "diffpair", "colpitts",
                                         "jfet", "nand", "opamp", "buck"));

}  // namespace
}  // namespace daedalus
