// SPDX-License-Identifier: BSD-3-Clause
// The car axis reduced to index 1 with Baumgarte's stabilisation g'' + alpha g' + beta g = 0.
#include <catalogue/car_axis.hpp>

namespace daedalus::problems {

const Entry& car_axis();

const Entry& car_axis_baumgarte() {
  static const Entry entry = [] {
    const Entry& index3 = car_axis();
    Entry e;
    e.name = "car-axis-baumgarte";
    e.title = "Car axis on a bumpy road, index reduced, Baumgarte stabilisation";
    e.form = "semi-explicit";
    e.index = 1;
    e.t0 = index3.t0;
    e.t_end = index3.t_end;
    e.source = index3.source +
               "; index reduction as in Steinebach (1988), report 29, University of "
               "Kaiserslautern, section 8.2";
    e.suites = {"steinebach"};
    e.equations = "with the equations of car-axis, M v' = f - G^T lambda, 0 = g(t, q):\n" +
                  std::string("q' = v, v' = M^-1 (f - G^T lambda)\n") +
                  "0 = g'' + alpha g' + beta g";
    e.parameters = index3.parameters;
    e.parameters.push_back({"alpha", 10.0});
    e.parameters.push_back({"beta", 25.0});
    e.build = [](const Values& values) {
      Values model = values;
      const double alpha = values.at("alpha"), beta = values.at("beta");
      model.erase("alpha");
      model.erase("beta");
      using namespace car_axis_example;
      const CarAxis axis{read(fields, model)};
      return baumgarte(axis, multibody(axis), "car-axis-baumgarte", alpha, beta);
    };
    // The stabilised equations have the same solution.
    e.reference = index3.reference;
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
