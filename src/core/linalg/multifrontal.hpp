// SPDX-License-Identifier: BSD-3-Clause
// Sparse LU of matrices whose factors are so full that most of the work is that of dense blocks.
#pragma once

#include <memory>

#include "linalg/complex_solver.hpp"
#include "linalg/linear_solver.hpp"

namespace daedalus {

// Eliminations that are expected to take more operations than this go by blocks. Processor time of
// one factorisation in seconds, KLU with its pivots kept, UMFPACK with the reference BLAS and with
// OpenBLAS:
//                          unknowns   operations   KLU     UMFPACK
//   Stokes, 100 x 100      29799      6.7e8        0.24    0.31   0.15
//           160 x 160      76479      3.0e9        1.1     1.3    0.54
//           220 x 220      144759     9.0e9        6.2     3.9    1.0
//   heat,   256 x 256      65536      5.2e8        0.28    0.55   0.25
//           440 x 440      193600     2.9e9        1.8     2.6    0.85
inline constexpr double max_by_columns = 2e9;

std::unique_ptr<LinearSolver> make_multifrontal_solver(const SparsePattern& pattern);
std::unique_ptr<ComplexSolver> make_complex_multifrontal_solver(const SparsePattern& pattern);

}  // namespace daedalus
