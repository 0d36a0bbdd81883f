// SPDX-License-Identifier: BSD-3-Clause
// BDF with variable step and order on F(t, x, d') = 0, index 1, 2 and 3.
#include "methods/bdf/engine.hpp"

namespace daedalus::methods {

const Method& bdf();
const Method& bdf() {
  static const Method method = [] {
    Method m = bdf::standard_method();
    m.name = "bdf";
    m.repair = Repair::accept_inherited;
    m.max_index = 3;
    m.formulations = {"index2", "index1", "index3"};
    m.reference = "Tischendorf (1992), chapter 4; Brenan, Campbell, Petzold (1989), chapter 5";
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      bdf::Configuration c = bdf::standard_configuration(system, settings);
      c.start_of_order_2 = true;
      bdf::warn_of_index_3(system);
      return std::make_unique<bdf::BdfStepper>(system, c);
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
