// The families of experiments, one line each: a family file offers its experiments as a span.
#include "experiments/arnold.hpp"
#include "experiments/arnold_contact.hpp"
#include "experiments/arnold_contact_wheel.hpp"
#include "experiments/arnold_theory.hpp"
#include "experiments/experiment.hpp"
#include "experiments/steinebach.hpp"
#include "experiments/tischendorf.hpp"
#include "experiments/wieloch.hpp"

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
