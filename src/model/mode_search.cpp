// SPDX-License-Identifier: BSD-3-Clause
#include "model/mode_search.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernel/at.hpp"

namespace daedalus {
namespace {

constexpr std::size_t max_searched = 12;  // relations whose combinations are all tried

}  // namespace

ModeSearch::ModeSearch(EventRun& run, int fired)
    : run_(run),
      fired_(fired),
      y_(Eigen::Map<const Eigen::VectorXd>(run.y_, run.yp_.size())),
      yp_(run.yp_),
      first_(outcomes()),
      changed_(first_.size(), 0) {
  if (fired >= 0) changed_[at(fired)] = 1;
}

std::vector<char> ModeSearch::outcomes() const {
  std::vector<char> all;
  for (const graph::Relation& r : run_.e_.relations) all.push_back(run_.modes_[r.mode] != 0.0);
  return all;
}

bool ModeSearch::repeats() {
  std::vector<char> now = outcomes();
  for (std::size_t i = 0; i < now.size(); ++i) changed_[i] |= now[i] != first_[i];
  return !met_.insert(std::move(now)).second;
}

// Relations that took part in the circle, and if asked for those that compare the same variables.
std::vector<int> ModeSearch::candidates(bool related) const {
  std::vector<int> list, variables;
  for (std::size_t i = 0; i < changed_.size(); ++i)
    if (changed_[i]) {
      list.push_back(static_cast<int>(i));
      const std::vector<int>& used = run_.e_.depends[i];
      variables.insert(variables.end(), used.begin(), used.end());
    }
  if (!related) return list;
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    const std::vector<int>& used = run_.e_.depends[i];
    const bool shares = std::any_of(used.begin(), used.end(), [&](int j) {
      return std::find(variables.begin(), variables.end(), j) != variables.end();
    });
    if (!changed_[i] && shares) list.push_back(static_cast<int>(i));
  }
  return list;
}

bool ModeSearch::run() {
  if (std::exchange(tried_, true) || !run_.d_.solves_events()) return false;
  const std::vector<char> before = outcomes();
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(run_.y_, y_.size()), yp = run_.yp_;
  for (const bool related : {false, true})
    if (combine(candidates(related))) return true;
  for (std::size_t i = 0; i < before.size(); ++i)
    run_.modes_[run_.e_.relations[i].mode] = before[i];
  Eigen::Map<Eigen::VectorXd>(run_.y_, y_.size()) = y;
  run_.yp_ = yp;
  run_.solve();
  run_.evaluate_crossings();
  return false;
}

bool ModeSearch::combine(const std::vector<int>& relations) {
  if (relations.empty() || relations.size() > max_searched) return false;
  std::vector<unsigned> combinations;
  for (unsigned bits = 0; bits < 1u << relations.size(); ++bits) combinations.push_back(bits);
  std::stable_sort(combinations.begin(), combinations.end(), [](unsigned a, unsigned b) {
    return std::popcount(a) < std::popcount(b);
  });
  for (const unsigned bits : combinations) {
    std::vector<char> wanted = first_;
    for (std::size_t k = 0; k < relations.size(); ++k)
      if (bits >> k & 1u) wanted[at(relations[k])] = !first_[at(relations[k])];
    if (holds(wanted)) return true;
  }
  return false;
}

// From the values at the beginning, so that the order of the trials decides nothing.
bool ModeSearch::holds(const std::vector<char>& wanted) {
  Eigen::Map<Eigen::VectorXd>(run_.y_, y_.size()) = y_;
  run_.yp_ = yp_;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    run_.modes_[run_.e_.relations[i].mode] = wanted[i];
  run_.solve();
  if (run_.rates_ != EventRun::Rates::all) return false;
  run_.evaluate_crossings();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool now = run_.outcome_now(static_cast<int>(i), fired_);
    if (now == (wanted[i] != 0)) continue;
    // What decides nothing at present has the side it is on.
    if (run_.modes_[run_.e_.first_sleeper() + static_cast<int>(i)] == 0.0) return false;
    run_.modes_[run_.e_.relations[i].mode] = now;
  }
  return true;
}

}  // namespace daedalus
