// SPDX-License-Identifier: BSD-3-Clause
// Matrix products that take no work space from the heap.
#pragma once

#include <Eigen/Core>
#include <algorithm>

namespace daedalus {

// Eigen packs the operands of a product on the stack up to 128 kB each and on the heap beyond.
// Tiles of at most 256 x 32 numbers (64 kB) stay below that.
inline constexpr int product_tile = 256;
inline constexpr int product_depth = 32;

using MatrixBlock = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
using ConstMatrixBlock = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

// c += factor * a * b. With `lower`, c is square and tiles strictly above its diagonal are left
// out.
template <class Left, class Right>
void add_product(MatrixBlock c, double factor, const Left& a, const Right& b, bool lower = false) {
  const int rows = static_cast<int>(c.rows()), cols = static_cast<int>(c.cols());
  const int depth = static_cast<int>(a.cols());
  const int tile = lower ? 2 * product_depth : product_tile;
  for (int j = 0; j < cols; j += tile) {
    const int width = std::min(tile, cols - j);
    for (int i = lower ? j : 0; i < rows; i += product_tile) {
      const int height = std::min(product_tile, rows - i);
      for (int k = 0; k < depth; k += product_depth) {
        const int slice = std::min(product_depth, depth - k);
        c.block(i, j, height, width).noalias() +=
            factor * a.block(i, k, height, slice) * b.block(k, j, slice, width);
      }
    }
  }
}

}  // namespace daedalus
