// SPDX-License-Identifier: BSD-3-Clause
// The equations of a model of index above 1 together with those of their derivatives that the Sigma
// method asks for: equation i up to order c_i in the variables j and their derivatives up to order
// d_j. Stage k holds the equations (i, k + c_i) and the unknowns (j, k + d_j); the equations of
// stage 0 are square in their unknowns, those of earlier stages are the constraints.
// Source: Pryce, A simple structural analysis method for DAEs, BIT 41 (2001).
#pragma once

#include <memory>
#include <vector>

#include "model/flat.hpp"
#include "model/formula_function.hpp"

namespace daedalus {

struct DerivativeArray {
  struct Unknown {
    int variable, order;
  };
  // By number of the input; variable j itself is number j.
  std::vector<Unknown> unknowns;
  std::vector<int> next;  // number of the derivative; -1: it is no unknown
  std::unique_ptr<FormulaFunction> rows;
  struct Stage {
    std::vector<int> rows, unknowns;
  };
  std::vector<Stage> stages;  // the square one is the last
};

// None where the model has no such structure, repeats equations in maps, or is too large.
std::unique_ptr<const DerivativeArray> derivative_array(const FlatModel& flat,
                                                        const FormulaSettings& settings);

}  // namespace daedalus
