// SPDX-License-Identifier: BSD-3-Clause
// A build without Ceres.
#include "estimation/minimise.hpp"

namespace daedalus::estimation {

const bool minimiser_built = false;

std::string minimiser_missing() {
  return "this daedalus was built without Ceres, which searches the minimum; install libceres-dev "
         "and build again: everything else works without it";
}

Minimum minimise(const FitTask&, Evaluator&, const Eigen::VectorXd& start, std::size_t,
                 const Iterated&) {
  return {.message = minimiser_missing(), .u = start};
}

}  // namespace daedalus::estimation
