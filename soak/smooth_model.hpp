// SPDX-License-Identifier: BSD-3-Clause
// phi and gamma of manufactured systems of index 1: linear parts, saturation, products.
#pragma once

#include <cmath>

#include "soak/manufactured.hpp"

namespace daedalus::soak {

struct SmoothModel {
  Eigen::MatrixXd A, B, saturated;  // phi = A y + B z + a tanh(saturated y)
  Eigen::VectorXd a;
  Eigen::MatrixXd K, C, turned;  // gamma = K z + C y + b tanh(turned z) + cubic z^3
  Eigen::VectorXd b;
  double cubic = 0.0;

  template <class S, class Y, class Z, class X>
  S rate(int i, const S&, const Y& y, const Z& z, const X&) const {
    using std::tanh;
    S sum = row_times<S>(A, i, y) + row_times<S>(B, i, z);
    if (a[i] != 0.0) sum += a[i] * tanh(row_times<S>(saturated, i, y));
    return sum;
  }
  template <class S, class Y, class Z, class X>
  S constraint(int i, const S&, const Y& y, const Z& z, const X&) const {
    using std::tanh;
    S sum = row_times<S>(K, i, z) + row_times<S>(C, i, y);
    if (b[i] != 0.0) sum += b[i] * tanh(row_times<S>(turned, i, z));
    if (cubic != 0.0) sum += cubic * z[i] * z[i] * z[i];
    return sum;
  }
};

// Rates of decay from 0.1 to 5, or up to `stiffness`; coupling of size one.
SmoothModel draw_smooth_model(Random& random, int ny, int nz, double stiffness);

}  // namespace daedalus::soak
