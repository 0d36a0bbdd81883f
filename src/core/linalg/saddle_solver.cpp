// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/saddle_solver.hpp"

#include <string>

#include <daedalus/types.hpp>

#include "linalg/null_space.hpp"
#include "linalg/saddle_kinds.hpp"
#include "linalg/saddle_point.hpp"

namespace daedalus {
namespace {

// CPU time of one step of the half-explicit Euler method on a planar chain, microseconds, the best
// of three runs (x86-64, -O2; two evaluations of G, one factorisation and solve, other parts):
//   velocities + multipliers  15   24   36   48   72   96   144  192  300   3000
//   range-space               3.0  4.7  9.1  8.6  16   26   69   137  476   3.0e5
//   null-space                4.0  6.4  12   19   22   36   95   243  618   5.4e5
//   dense                     3.5  6.0  11   18   32   62   185  474  1320  1.3e6
//   sparse                    3.1  4.5  6.0  7.6  11   15   21   31   47    604
// Below 48 the pattern of G is not looked for, and the difference is small. Chains have the least
// fill there is; a tenth of all entries, as random patterns break even in linear_solver.cpp, keeps
// the dense way for systems whose bodies are all connected.
constexpr int min_sparse = 48;
constexpr double max_sparse_density = 0.1;

}  // namespace

SaddleSolver::~SaddleSolver() = default;

std::string_view to_string(LinearAlgebra kind) {
  switch (kind) {
    case LinearAlgebra::dense:
      return "dense";
    case LinearAlgebra::sparse:
      return "sparse";
    case LinearAlgebra::range_space:
      return "range-space";
    case LinearAlgebra::null_space:
      return "null-space";
    case LinearAlgebra::krylov:
      return "krylov";
    case LinearAlgebra::automatic:
      break;
  }
  return "automatic";
}

LinearAlgebra saddle_kind(LinearAlgebra asked, const PieceMatrix& M, const PieceMatrix& G) {
  if (asked != LinearAlgebra::automatic) return asked;
  const double n = static_cast<double>(M.rows()) + G.rows();
  const double entries =
      static_cast<double>(M.values().size()) + 2.0 * static_cast<double>(G.values().size());
  return n >= min_sparse && entries <= max_sparse_density * n * n ? LinearAlgebra::sparse
                                                                  : LinearAlgebra::range_space;
}

std::unique_ptr<SaddleSolver> make_saddle_solver(LinearAlgebra kind, const PieceMatrix& M,
                                                 const PieceMatrix& G) {
  const int nv = M.rows(), nl = G.rows();
  kind = saddle_kind(kind, M, G);
  if (kind != LinearAlgebra::sparse && nv + nl > max_dense_saddle)
    throw InvalidArgument("linear_algebra: " + std::string(to_string(kind)) + " with " +
                          std::to_string(nv) + " velocities and " + std::to_string(nl) +
                          " multipliers is not allowed; dense matrices go up to " +
                          std::to_string(max_dense_saddle) + " unknowns, give automatic or sparse");
  switch (kind) {
    case LinearAlgebra::sparse:
      return make_sparse_saddle();
    case LinearAlgebra::null_space:
      return std::make_unique<NullSpace>(nv, nl);
    default:
      return std::make_unique<SaddlePoint>(nv, nl, kind == LinearAlgebra::dense);
  }
}

}  // namespace daedalus
