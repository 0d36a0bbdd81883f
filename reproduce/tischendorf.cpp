// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/tischendorf.hpp"

#include <algorithm>
#include <string>

namespace daedalus::experiments {
namespace {

int claim_number(const Experiment& e) { return std::stoi(e.id.substr(e.id.find("-R") + 2)); }

}  // namespace

std::span<const Experiment> tischendorf_experiments() {
  static const std::vector<Experiment> all = [] {
    using namespace tischendorf;
    std::vector<Experiment> list;
    for (auto&& topic : {formula_experiments(), theory_experiments(), kernel_experiments(),
                         coupling_experiments(), order_experiments(), linear_experiments(),
                         pendulum_experiments(), circuit_experiments(), interface_experiments()})
      list.insert(list.end(), topic.begin(), topic.end());
    std::sort(list.begin(), list.end(), [](const Experiment& a, const Experiment& b) {
      return claim_number(a) < claim_number(b);
    });
    return list;
  }();
  return all;
}

}  // namespace daedalus::experiments
