// BDF with variable step and order on F(t, x, d') = 0, index 1, 2 and 3.
#include "methods/bdf/engine.hpp"

namespace daedalus::methods {

const Method& bdf();
const Method& bdf() {
  static const Method method{
      .name = "bdf",
      .family = "bdf",
      .view = View::residual,
      .order = 5,
      .error_order = 5,
      .dense_order = 5,
      .orders = ClassOrders::all(5),
      .stability = Stability::none,
      .stiffly_accurate = true,
      .largest_index = 3,
      .formulations = {"index2", "index1", "index3"},
      .lowest_order = 1,
      .highest_order = 6,
      .control = "multistep",
      .reference = "Tischendorf (1992), chapter 4; Brenan, Campbell, Petzold (1989), chapter 5",
      .options = bdf::standard_options(),
      .make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
        const bdf::Configuration c = bdf::standard_configuration(system, settings);
        bdf::warn_of_index_3(system);
        return std::make_unique<bdf::BdfStepper>(system, c);
      }};
  return method;
}

}  // namespace daedalus::methods
