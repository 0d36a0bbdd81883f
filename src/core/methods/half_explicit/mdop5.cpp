// SPDX-License-Identifier: BSD-3-Clause
// MDOP5: Dormand and Prince 5(4) on the index-1 form of a multibody system (Arnold 1998, Table
// 3.6): v' and lambda of every stage from the constraints at acceleration level; order 5.
#include "kernel/herk_families.hpp"
#include "methods/half_explicit/engine_tables.hpp"

namespace daedalus::methods {

const Method& mdop5();
const Method& mdop5() {
  using namespace half_explicit;
  static Configurations configurations([](const Configurations::Parameters&) {
    Configuration c = dormand_prince(hedop5_table());
    c.project_estimate = false;
    c.index1 = true;
    return c;
  });
  static const Method method = index1_method(
      description("mdop5", {5, 5, 4, 4}, "Dormand, Prince (1980); Arnold (1998), Table 3.6"),
      configurations);
  return method;
}

}  // namespace daedalus::methods
