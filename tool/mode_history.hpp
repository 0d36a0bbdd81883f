// SPDX-License-Identifier: BSD-3-Clause
// Discrete modes of a run over time: what outputs and discrete variables are computed with after
// it. They change in handlers of events only.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>

namespace daedalus::cli {

class ModeHistory {
 public:
  void add(double t, std::vector<double> modes) { changes_.emplace_back(t, std::move(modes)); }
  // Behind the last change at or before t; null: there are none.
  const std::vector<double>* at(double t) const;
  void forget() { changes_.clear(); }

 private:
  std::vector<std::pair<double, std::vector<double>>> changes_;
};

// Watches the handlers in `options`.
std::shared_ptr<ModeHistory> remember_modes(const Problem& problem, double t0, Options& options);

}  // namespace daedalus::cli
