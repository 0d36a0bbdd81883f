// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/arnold.hpp"

namespace daedalus::experiments {

std::span<const Experiment> arnold_experiments() {
  static const std::vector<Experiment> all = [] {
    using namespace arnold;
    std::vector<Experiment> list;
    for (auto&& topic :
         {condition_experiments(), arnold::order_experiments(), fixed_step_experiments(),
          integrator_experiments(), multistep_experiments()})
      list.insert(list.end(), topic.begin(), topic.end());
    return list;
  }();
  return all;
}

}  // namespace daedalus::experiments
