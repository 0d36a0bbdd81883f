// SPDX-License-Identifier: BSD-3-Clause
// Relations, discrete equations and algebraic variables that determine each other in a circle
// (ideal diodes, an amplifier with positive feedback): combinations of outcomes are tried, those
// nearest to the present ones first, until one reproduces itself. When-clauses do not take part.
#pragma once

#include <set>
#include <vector>

#include "model/event_run.hpp"

namespace daedalus {

class ModeSearch {
 public:
  // At the values of the run as they are; discrete variables are kept, or follow their equations.
  enum class Discretes { keep, follow };
  ModeSearch(EventRun& run, int fired, Discretes discretes);

  // Whether the present outcomes and discrete values were met before in this search.
  bool repeats();
  // True: the run has outcomes that reproduce themselves and the values that belong to them.
  // Otherwise it is as before. Once only.
  bool run();

 private:
  enum class Which { changed, related, all };
  std::vector<double> modes() const;
  bool is_on(const std::vector<double>& modes, int relation) const;
  std::vector<int> candidates(Which which) const;
  bool combine(const std::vector<int>& relations);
  bool holds(const std::vector<int>& relations, unsigned flipped);
  bool update_discretes();

  EventRun& run_;
  int fired_;
  Discretes discretes_;
  Eigen::VectorXd y_, yp_;  // at the beginning
  std::vector<double> first_;
  std::vector<char> changed_;
  std::set<std::vector<double>> met_;
  bool tried_ = false;
};

}  // namespace daedalus
