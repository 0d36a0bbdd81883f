// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/arnold_contact.hpp"

#include <fmt/format.h>

namespace daedalus::experiments {
namespace contact {

Experiment experiment(int number, const char* title, double seconds,
                      std::vector<Claim> (*run)(Context&), Basis basis, Parts parts) {
  return {.id = fmt::format("arnold-contact-{}", number),
          .title = title,
          .source = "Arnold (1998), habilitation thesis, Rostock, chapter 4",
          .basis = std::move(basis),
          .parts = std::move(parts),
          .seconds = seconds,
          .run = run};
}

}  // namespace contact

std::span<const Experiment> arnold_contact_experiments() {
  static const std::vector<Experiment> all = [] {
    using namespace contact;
    std::vector<Experiment> list;
    for (auto&& topic : {model_experiments(), smax_experiments(), lift_experiments()})
      list.insert(list.end(), topic.begin(), topic.end());
    return list;
  }();
  return all;
}

}  // namespace daedalus::experiments
