// SPDX-License-Identifier: BSD-3-Clause
// The search for a minimum from one start; the only place that knows Ceres.
#pragma once

#include <functional>

#include "estimation/evaluator.hpp"

namespace daedalus::estimation {

struct Minimum {
  FitStatus status = FitStatus::failed;
  std::string message{};
  Eigen::VectorXd u{};
  double cost = std::numeric_limits<double>::infinity();
  int iterations = 0;
  std::vector<double> costs{};  // after every iteration
  long failed_trials = 0;
};

// Called after every iteration.
using Iterated = std::function<void(const Minimum& so_far, double step)>;

Minimum minimise(const FitTask& task, Evaluator& evaluator, const Eigen::VectorXd& start,
                 std::size_t threads, const Iterated& iterated);

// Whether the library was built with Ceres, and the sentence of one that was not.
extern const bool minimiser_built;
std::string minimiser_missing();

}  // namespace daedalus::estimation
