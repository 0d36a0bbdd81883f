// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/checks.hpp"

namespace daedalus::modelica {

void check_units(const FlatModel&, Mistakes&) {}

}  // namespace daedalus::modelica
