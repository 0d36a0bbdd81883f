// SPDX-License-Identifier: BSD-3-Clause
// Relations and algebraic variables that determine each other in a circle (ideal diodes, an
// amplifier with positive feedback): combinations of outcomes are tried, those nearest to the
// present ones first, until one reproduces itself.
#pragma once

#include <set>
#include <vector>

#include "model/event_run.hpp"

namespace daedalus {

class ModeSearch {
 public:
  // At the values of the run as they are.
  ModeSearch(EventRun& run, int fired);

  // Whether the present outcomes were met before in this search.
  bool repeats();
  // True: the run has outcomes that reproduce themselves and the values that belong to them.
  // Otherwise it is as before. Once only.
  bool run();

 private:
  std::vector<char> outcomes() const;
  std::vector<int> candidates(bool related) const;
  bool combine(const std::vector<int>& relations);
  bool holds(const std::vector<char>& wanted);

  EventRun& run_;
  int fired_;
  Eigen::VectorXd y_, yp_;  // at the beginning
  std::vector<char> first_, changed_;
  std::set<std::vector<char>> met_;
  bool tried_ = false;
};

}  // namespace daedalus
