// SPDX-License-Identifier: BSD-3-Clause
// The families of experiments, one line each: a family file offers its experiments as a span.
#include "reproduce/arnold.hpp"
#include "reproduce/arnold_contact.hpp"
#include "reproduce/arnold_contact_wheel.hpp"
#include "reproduce/arnold_theory.hpp"
#include "reproduce/experiment.hpp"
#include "reproduce/steinebach.hpp"
#include "reproduce/tischendorf.hpp"
#include "reproduce/wieloch.hpp"

namespace daedalus::experiments {

std::span<const Experiment> all_experiments() {
  static const std::vector<Experiment> all = [] {
    const std::vector<std::span<const Experiment>> families{
        steinebach_experiments(),     arnold_experiments(),     arnold_theory_experiments(),
        arnold_contact_experiments(), wheel_rail_experiments(), tischendorf_experiments(),
        wieloch_experiments()};
    std::vector<Experiment> list;
    for (const auto& family : families) list.insert(list.end(), family.begin(), family.end());
    return list;
  }();
  return all;
}

}  // namespace daedalus::experiments
