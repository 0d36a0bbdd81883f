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

ModeSearch::ModeSearch(EventRun& run, int fired, Discretes discretes)
    : run_(run),
      fired_(fired),
      discretes_(discretes),
      y_(Eigen::Map<const Eigen::VectorXd>(run.y_, run.yp_.size())),
      yp_(run.yp_),
      first_(modes()),
      changed_(run.e_.relations.size(), 0) {
  if (fired >= 0) changed_[at(fired)] = 1;
}

std::vector<double> ModeSearch::modes() const { return {run_.modes_, run_.modes_ + run_.e_.modes}; }

bool ModeSearch::is_on(const std::vector<double>& modes, int relation) const {
  return modes[at(run_.e_.relations[at(relation)].mode)] != 0.0;
}

bool ModeSearch::repeats() {
  std::vector<double> now = modes();
  for (int i = 0; i < static_cast<int>(changed_.size()); ++i)
    if (is_on(now, i) != is_on(first_, i)) changed_[at(i)] = 1;
  return !met_.insert(std::move(now)).second;
}

// Relations that took part in the circle; those that compare the same variables as well; all that
// variables decide.
std::vector<int> ModeSearch::candidates(Which which) const {
  std::vector<int> list, variables;
  for (std::size_t i = 0; i < changed_.size(); ++i)
    if (changed_[i]) {
      list.push_back(static_cast<int>(i));
      const std::vector<int>& used = run_.e_.depends[i];
      variables.insert(variables.end(), used.begin(), used.end());
    }
  if (which == Which::changed) return list;
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    const std::vector<int>& used = run_.e_.depends[i];
    const bool takes_part =
        which == Which::all ? !used.empty() : std::any_of(used.begin(), used.end(), [&](int j) {
          return std::find(variables.begin(), variables.end(), j) != variables.end();
        });
    if (!changed_[i] && takes_part) list.push_back(static_cast<int>(i));
  }
  return list;
}

bool ModeSearch::run() {
  if (std::exchange(tried_, true) || !run_.d_.solves_events()) return false;
  const std::vector<double> before = modes();
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(run_.y_, y_.size()), yp = run_.yp_;
  for (const Which which : {Which::changed, Which::related, Which::all})
    if ((which != Which::all || discretes_ == Discretes::follow) && combine(candidates(which)))
      return true;
  // A value that is zero up to the tolerance may be large behind the event: what an open switch
  // makes of it. Which way it goes is known all the same.
  run_.by_rate_ = true;
  if (combine(candidates(Which::changed))) return true;
  run_.by_rate_ = false;
  std::copy(before.begin(), before.end(), run_.modes_);
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
  std::stable_sort(combinations.begin(), combinations.end(),
                   [](unsigned a, unsigned b) { return std::popcount(a) < std::popcount(b); });
  return std::any_of(combinations.begin(), combinations.end(),
                     [&](unsigned bits) { return holds(relations, bits); });
}

// What equations give for the outcomes; false: they do not settle.
bool ModeSearch::update_discretes() {
  for (std::size_t pass = 0; pass <= run_.e_.order.size(); ++pass) {
    bool changed = false;
    for (const int item : run_.e_.order) {
      if (item < 0) continue;
      run_.evaluate_values();
      changed = run_.update_discrete(item) || changed;
    }
    if (!changed) return true;
  }
  return false;
}

// From the values at the beginning, so that the order of the trials decides nothing.
bool ModeSearch::holds(const std::vector<int>& relations, unsigned flipped) {
  Eigen::Map<Eigen::VectorXd>(run_.y_, y_.size()) = y_;
  run_.yp_ = yp_;
  std::copy(first_.begin(), first_.end(), run_.modes_);
  for (std::size_t k = 0; k < relations.size(); ++k)
    if (flipped >> k & 1u)
      run_.modes_[run_.e_.relations[at(relations[k])].mode] = !is_on(first_, relations[k]);
  if (discretes_ == Discretes::follow && !update_discretes()) return false;
  run_.solve();
  if (run_.rates_ != EventRun::Rates::all) return false;
  run_.evaluate_crossings();
  for (int i = 0; i < static_cast<int>(changed_.size()); ++i) {
    double& mode = run_.modes_[run_.e_.relations[at(i)].mode];
    const bool now = run_.outcome_now(i, fired_);
    if (now == (mode != 0.0)) continue;
    // What decides nothing at present has the side it is on.
    if (run_.modes_[run_.e_.first_sleeper() + i] == 0.0) return false;
    mode = now;
  }
  return true;
}

}  // namespace daedalus
