// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/linear_solver.hpp"

#include <cmath>
#include <string>

#include "daedalus/types.hpp"
#include "linalg/solver_kinds.hpp"

namespace daedalus {
namespace {

// Time of one factorisation and four solves, dense over sparse (x86-64, -O2, pivots kept by KLU):
//   n                      8     16    30    40    60    100   200   600
//   tridiagonal            0.37  0.81  0.97  1.2   1.6   5.1   19    164
//   random, density 0.1    0.6   1.6   1.3   1.1   1.2   0.7   0.41  0.29
//   random, density 0.25   0.38  0.72  0.60  0.63  0.44  0.41  0.31  0.21
//   random, density 0.4    0.41  0.69  0.54  0.50  0.42  0.40  0.27  -
//   band, density 0.1      -     -     -     -     1.2   2.7   6.3   6.7
//   band, density 0.2      -     -     -     -     1.3   1.8   3.1   2.8
//   band, density 0.28     -     -     -     -     0.61  1.3   1.5   1.5
//   band, density 0.44     -     -     -     -     0.48  0.81  0.75  0.73
// Bands break even near 0.35, random patterns, which fill in most, near 0.1. A limit of 0.2 errs by
// a factor of about three either way. Beyond 600 the n^2 storage itself speaks for sparse.
constexpr int max_dense_always = 32;
constexpr int max_dense = 600;
constexpr double min_dense_density = 0.2;

bool prefer_dense(const SparsePattern& p) {
  return p.rows <= max_dense_always || (p.rows <= max_dense && p.density() > min_dense_density);
}

void check(const SparsePattern& p) {
  if (p.rows != p.cols)
    throw InvalidArgument("make_linear_solver: pattern is " + std::to_string(p.rows) + " x " +
                          std::to_string(p.cols) + ", a square one is required");
  bool sound = p.rows >= 0 && p.start.size() == static_cast<std::size_t>(p.cols) + 1 &&
               p.start.front() == 0 && p.start.back() == p.nonzeros();
  for (int c = 0; sound && c < p.cols; ++c) {
    sound = p.start[c] <= p.start[c + 1] && p.start[c + 1] <= p.nonzeros();
    for (int k = p.start[c]; sound && k < p.start[c + 1]; ++k)
      sound = p.row[k] >= 0 && p.row[k] < p.rows && (k == p.start[c] || p.row[k - 1] < p.row[k]);
  }
  if (!sound)
    throw InvalidArgument(
        "make_linear_solver: pattern.start must rise from 0 to the number of entries, and "
        "pattern.row must rise within each column and lie in 0 .. n - 1");
}

}  // namespace

LinearSolver::~LinearSolver() = default;

double LinearSolver::reciprocal_condition() const {
  return std::numeric_limits<double>::quiet_NaN();
}

std::string_view to_string(LinearSolverKind kind) {
  switch (kind) {
    case LinearSolverKind::dense:
      return "dense";
    case LinearSolverKind::sparse:
      return "sparse";
    case LinearSolverKind::krylov:
      return "krylov";
    case LinearSolverKind::automatic:
      break;
  }
  return "automatic";
}

bool all_finite(std::span<const double> values) {
  bool finite = true;
  for (const double value : values)
    finite &= std::fabs(value) <= std::numeric_limits<double>::max();
  return finite;
}

std::unique_ptr<LinearSolver> make_linear_solver(const SparsePattern& pattern,
                                                 LinearSolverKind kind) {
  check(pattern);
  if (kind == LinearSolverKind::dense || pattern.rows == 0) return make_dense_solver(pattern);
  const bool small = kind == LinearSolverKind::automatic && prefer_dense(pattern);
  return small ? make_small_solver(pattern) : make_sparse_solver(pattern);
}

}  // namespace daedalus
