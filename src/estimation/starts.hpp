// SPDX-License-Identifier: BSD-3-Clause
// Points to start from.
#pragma once

#include "estimation/evaluator.hpp"

namespace daedalus::estimation {

// Points in the bounds, in u: in each coordinate every one of `count` equal parts holds one. The
// same for the same seed everywhere.
std::vector<Eigen::VectorXd> latin_hypercube(const FitTask& task, std::size_t count, unsigned seed);

struct Candidate {
  Eigen::VectorXd u{};
  double cost = 0.0;  // infinite: the run fails
  std::string message{};
};
// The given start and a Latin hypercube, by the cost of short runs.
std::vector<Candidate> screen(const FitTask& task, Evaluator& evaluator, std::size_t count,
                              std::size_t threads);

// Throws InvalidArgument that names a quantity without bounds.
void need_bounds(const FitTask& task);

}  // namespace daedalus::estimation
