// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/wieloch.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace daedalus::experiments {

std::span<const Experiment> wieloch_experiments() {
  static const std::vector<Experiment> all = [] {
    using namespace wieloch;
    std::vector<Experiment> list;
    for (auto&& topic : {formula_experiments(), free_experiments(), constraint_experiments(),
                         parameter_experiments(), alpha_experiments(), ratio_experiments(),
                         property_experiments()})
      list.insert(list.end(), topic.begin(), topic.end());
    const auto number = [](const Experiment& e) {
      return std::atoi(e.id.c_str() + e.id.rfind('-') + 1);
    };
    std::stable_sort(list.begin(), list.end(), [&](const Experiment& a, const Experiment& b) {
      return number(a) < number(b);
    });
    return list;
  }();
  return all;
}

}  // namespace daedalus::experiments
