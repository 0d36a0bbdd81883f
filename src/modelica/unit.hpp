// SPDX-License-Identifier: BSD-3-Clause
// Units of quantities: "kg.m/s2" as powers of the seven base units and a factor.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace daedalus::modelica {

struct Unit {
  std::array<double, 7> power{};  // m kg s A K mol cd
  double factor = 1.0, offset = 0.0;

  Unit operator*(const Unit& b) const;
  Unit operator/(const Unit& b) const;
  Unit to(double exponent) const;
  bool same(const Unit& b) const;
};

// Nothing: the text is no unit.
std::optional<Unit> parse_unit(std::string_view text);

}  // namespace daedalus::modelica
