// SPDX-License-Identifier: BSD-3-Clause
#include "control/policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {

double ControlPolicy::min_step(double /*length*/, double t) const {
  return 16.0 * std::numeric_limits<double>::epsilon() * std::abs(t);
}

std::span<const ControlPolicy* const> all_controls() {
  static const ControlPolicy elementary("elementary", "h * safety * error^(-1/p)",
                                        elementary_control, 0.2, 6.0),
      pi("pi", "predictive PI control (Gustafsson)", pi_control, 0.2, 6.0),
      stabilised("stabilised", "error and last error, exponents by beta (Hairer, Noersett, Wanner)",
                 stabilised_control, 0.2, 10.0),
      filter("filter", "digital filter H211b (Soederlind)", filter_control, 0.2, 6.0),
      multistep("multistep", "variable order, few changes of the step", multistep_control, 0.25,
                2.0);
  static const auto list = [] {
    std::array<const ControlPolicy*, 10> all{&elementary, &pi, &stabilised, &filter, &multistep};
    const auto historical = historical_controls();
    std::copy(historical.begin(), historical.end(), all.end() - historical.size());
    return all;
  }();
  return list;
}

const ControlPolicy* find_control(std::string_view name) {
  for (const ControlPolicy* c : all_controls())
    if (c->name == name) return c;
  return nullptr;
}

const ControlPolicy& control_of(const Options& options, const Method& method) {
  return *find_control(options.control == "auto" ? method.control : options.control);
}

}  // namespace daedalus
