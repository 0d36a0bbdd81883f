// SPDX-License-Identifier: BSD-3-Clause
// M in the structure that a problem declares: dense, blocks on the diagonal, sparse.
#include <algorithm>

#include "formulation/mechanics.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

// Sizes of the smallest blocks on the diagonal that hold all stored entries.
std::vector<int> diagonal_blocks(const SparseMatrix& m) {
  std::vector<int> last(at(static_cast<int>(m.cols())));  // of the entries that begin at an index
  for (int i = 0; i < m.cols(); ++i) last[at(i)] = i;
  for (int c = 0; c < m.outerSize(); ++c)
    for (SparseMatrix::InnerIterator e(m, c); e; ++e) {
      const int low = static_cast<int>(std::min<long>(e.row(), c));
      last[at(low)] = std::max(last[at(low)], static_cast<int>(std::max<long>(e.row(), c)));
    }
  std::vector<int> sizes;
  for (int first = 0; first < m.cols();) {
    int end = last[at(first)];
    for (int i = first; i <= end; ++i) end = std::max(end, last[at(i)]);
    sizes.push_back(end + 1 - first);
    first = end + 1;
  }
  return sizes;
}

PieceMatrix constant_mass(SparseMatrix m) {
  m.makeCompressed();
  const std::vector<int> sizes = diagonal_blocks(m);
  long entries = 0;
  for (const int size : sizes) entries += static_cast<long>(size) * size;
  // Blocks that are mostly filled are worth more than a few zeros.
  if (2 * entries <= 3 * m.nonZeros()) {
    PieceMatrix M = PieceMatrix::blocks(sizes);
    M.for_each_position([&](int r, int c, std::size_t k) { M.values()[k] = m.coeff(r, c); });
    return M;
  }
  auto pattern = std::make_shared<SparsePattern>();
  pattern->rows = pattern->cols = static_cast<int>(m.cols());
  pattern->start.assign(m.outerIndexPtr(), m.outerIndexPtr() + m.cols() + 1);
  pattern->row.assign(m.innerIndexPtr(), m.innerIndexPtr() + m.nonZeros());
  PieceMatrix M = PieceMatrix::sparse(std::move(pattern));
  std::copy(m.valuePtr(), m.valuePtr() + m.nonZeros(), M.values().begin());
  return M;
}

}  // namespace

PieceMatrix Mechanics::declared_mass(const MultibodyProblem& p) {
  const int n = p.velocities();
  if (p.mass)
    return p.mass_blocks.empty() ? PieceMatrix::dense(n, n) : PieceMatrix::blocks(p.mass_blocks);
  if (p.mass_matrix.size() > 0) return constant_mass(p.mass_matrix);
  PieceMatrix M = PieceMatrix::blocks(std::vector<int>(at(n), 1));
  std::fill(M.values().begin(), M.values().end(), 1.0);
  return M;
}

}  // namespace daedalus
