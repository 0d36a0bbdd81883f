// SPDX-License-Identifier: BSD-3-Clause
// Relations and algebraic variables that determine each other (ideal diodes, amplifiers with
// positive feedback): where one relation after the other leads into a circle, or back to where the
// solution came from, combinations are tried, those nearest to the present modes first.
#include <algorithm>
#include <cmath>

#include "kernel/at.hpp"
#include "model/event_run.hpp"

namespace daedalus {
namespace {

constexpr std::size_t max_relations = 12;  // that take part; of more those nearest to zero
constexpr int max_trials = 600;

// Next number with as many bits.
unsigned next_of_same_weight(unsigned x) {
  const unsigned lowest = x & (~x + 1u), ripple = x + lowest;
  return (((ripple ^ x) >> 2) / lowest) | ripple;
}

}  // namespace

void EventRun::follow_relations() {
  for (const int item : e_.order) {
    if (item < 0) continue;
    evaluate_values();
    update_discrete(item);
  }
}

// Whether all relations, with the algebraic variables of the present modes, have these outcomes.
bool EventRun::reproduces(int fired) {
  solve();
  if (rates_ == Rates::none) return false;
  evaluate_crossings();
  for (int i = 0; i < static_cast<int>(e_.relations.size()); ++i)
    if (is_active(i) && wanted(i, fired) != (modes_[e_.relations[at(i)].mode] != 0.0)) return false;
  return true;
}

bool EventRun::combine(int fired) {
  const int n = static_cast<int>(d_.names.size());
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(y_, n);
  const std::vector<double> modes(modes_, modes_ + e_.size());
  const std::vector<std::string> changed = changed_;
  std::vector<int> who;
  for (int i = 0; i < static_cast<int>(e_.relations.size()); ++i)
    if (!e_.relations[at(i)].time_only && is_active(i)) who.push_back(i);
  std::stable_sort(who.begin(), who.end(), [&](int a, int b) {
    if ((a == fired) != (b == fired)) return a == fired;
    return std::abs(crossing_[at(a)].v) < std::abs(crossing_[at(b)].v);
  });
  if (who.size() > max_relations) who.resize(max_relations);
  const unsigned all = 1u << who.size();
  int trials = 0;
  for (std::size_t weight = 1; weight <= who.size(); ++weight)
    for (unsigned set = (1u << weight) - 1u; set < all; set = next_of_same_weight(set)) {
      if (++trials > max_trials) weight = who.size();
      std::copy(modes.begin(), modes.end(), modes_);
      Eigen::Map<Eigen::VectorXd>(y_, n) = y;
      for (std::size_t k = 0; k < who.size(); ++k) {
        double& mode = modes_[e_.relations[at(who[k])].mode];
        if (set & (1u << k)) mode = mode == 0.0;
      }
      follow_relations();
      if (trials <= max_trials && reproduces(fired)) return true;
      if (trials > max_trials) break;
    }
  std::copy(modes.begin(), modes.end(), modes_);
  Eigen::Map<Eigen::VectorXd>(y_, n) = y;
  changed_ = changed;
  return false;
}

}  // namespace daedalus
