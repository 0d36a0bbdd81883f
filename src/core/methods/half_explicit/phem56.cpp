// SPDX-License-Identifier: BSD-3-Clause
// PHEM56: the stages of Dormand and Prince with constraints at points of their own (Murua 1997);
// order 5 in y, 4 in z. The comparator of HEDOP5. Its third constraint point is that of the third
// stage; as in the published counts (Arnold 1998, Table 3.6) the matrix there is not kept.
#include "kernel/herk_families.hpp"
#include "methods/half_explicit/engine_tables.hpp"

namespace daedalus::methods {

const Method& phem56();
const Method& phem56() {
  using namespace half_explicit;
  static const HerkTable table = [] {
    HerkTable t = hedop5_table();
    t.name = "phem56";
    t.gamma = {{"0"},
               {"3/40", "9/40"},
               {"21/256", "45/256", "15/128"},
               {"19235/98784", "-225/392", "6235/6174", "2755/32928"},
               {"-293/1152", "85/48", "-2275/1908", "35/32", "-2835/6784"},
               {"35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84"},
               {"10752038939/66307507200", "-19259/50160", "19581770468/24023520675",
                "9941999/650073600", "180060831/4820710400", "-11331659/439538400", "1/76"}};
    return t;
  }();
  static Configurations configurations(
      [](const Configurations::Parameters&) { return dormand_prince(table); });
  static const Method method = [] {
    Method m = description("phem56", {5, 4, 4, 4}, "Murua (1997)");
    m.table = &table;
    m.make = [](System& system, const MethodSettings&) -> std::unique_ptr<Stepper> {
      return std::make_unique<HalfExplicitStepper>(system, configurations.with());
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
