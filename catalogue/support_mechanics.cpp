// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_mechanics.hpp>

namespace daedalus::problems {

SparseMatrix diagonal(const Eigen::VectorXd& entries) {
  SparseMatrix matrix(entries.size(), entries.size());
  matrix.reserve(Eigen::VectorXi::Ones(entries.size()));
  for (Eigen::Index i = 0; i < entries.size(); ++i) matrix.insert(i, i) = entries[i];
  matrix.makeCompressed();
  return matrix;
}

}  // namespace daedalus::problems
