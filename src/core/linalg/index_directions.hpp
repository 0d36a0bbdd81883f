// SPDX-License-Identifier: BSD-3-Clause
// Which directions of the variables of E x' + J x = q are differentiated, and how often, without a
// declared index: chains of the pencil at infinity (Gantmacher 1959, chapter XII),
//   E k = 0,  E x2 = J k,  E x3 = J x2,
// whose lengths are the sizes of the blocks of N in Weierstrass form. Of a chain of length 2 the
// direction k has index 2, of one of length 3 k has index 3 and x2 index 2. Only kernels of E and
// products with J enter, no powers: rates of 1e6 beside the chains cost six digits, not all.
#pragma once

#include <Eigen/Core>

#include "linalg/matrix_chain.hpp"

namespace daedalus {

struct IndexDirections {
  // Length of the longest chain: 0 (E regular), 1, 2, 3; 4: longer, or the pencil is singular.
  int index = 0;
  Eigen::MatrixXd differentiated;  // columns that span all directions of index 2 and 3
  Eigen::MatrixXd twice;           // those of index 3
};

IndexDirections index_directions(const Eigen::MatrixXd& E, const Eigen::MatrixXd& J,
                                 const ChainSettings& settings = {});

// The orthogonal projector on independent columns.
Eigen::MatrixXd projector_on_columns(const Eigen::MatrixXd& columns);

}  // namespace daedalus
