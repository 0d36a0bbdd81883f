// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/steinebach.hpp"

#include <algorithm>
#include <string>

namespace daedalus::experiments {
namespace {

int number_of(const Experiment& e) { return std::stoi(e.id.substr(e.id.find('-') + 1)); }

}  // namespace

std::span<const Experiment> steinebach_experiments() {
  static const std::vector<Experiment> all = [] {
    using namespace steinebach;
    std::vector<Experiment> list;
    for (auto&& topic :
         {theory_experiments(), order_experiments(), example_experiments(), control_experiments(),
          interface_experiments(), amplifier_experiments(), axle_experiments()})
      list.insert(list.end(), topic.begin(), topic.end());
    std::sort(list.begin(), list.end(),
              [](const Experiment& a, const Experiment& b) { return number_of(a) < number_of(b); });
    return list;
  }();
  return all;
}

}  // namespace daedalus::experiments
