// SPDX-License-Identifier: BSD-3-Clause
// Values with units, as people write them behind --set: length=2m, angle=30deg, 5cm, 3N.s/m. In
// netlists a suffix means what it means to SPICE: R1=4.7k.
#pragma once

#include <string>

#include <catalogue/catalogue.hpp>

namespace daedalus::cli {

// The value in the unit that the problem states for the parameter, SI units where it states none.
// Throws InvalidArgument that quotes the text: no number, no unit, a unit of something else.
double parse_quantity(const problems::Entry& entry, const std::string& parameter,
                      const std::string& text);

}  // namespace daedalus::cli
