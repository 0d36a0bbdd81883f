// SPDX-License-Identifier: BSD-3-Clause
#include "loop/stiff_modes.hpp"

#include <daedalus/autodiff.hpp>

namespace daedalus::stiff_modes {

MultibodyProblem bead(double damping) {
  return {.name = "bead",
          .space = euclidean(2),
          .constraint_count = 1,
          .force = autodiff([damping](const auto& t, const auto& q, const auto& v, auto& f) {
            using std::cos;
            const auto wish = 0.3 * cos(t);
            f[0] = -damping * (v[0] + q[1] * wish);
            f[1] = -damping * (v[1] - q[0] * wish);
          }),
          .constraint = autodiff([](const auto&, const auto& q, auto& g) {
            g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
          }),
          .q0 = Eigen::Vector2d(1.0, 0.0),
          .v0 = Eigen::Vector2d(0.0, 0.3)};
}

MultibodyProblem spring(double omega, double amplitude, double zeta) {
  return {.name = "spring",
          .space = euclidean(3),
          .constraint_count = 1,
          .force = autodiff([omega, zeta](const auto&, const auto& q, const auto& v, auto& f) {
            f[0] = 0.0;
            f[1] = -9.81;
            f[2] = -omega * omega * (q[2] - 0.1 * q[0]) - 2.0 * zeta * omega * (v[2] - 0.1 * v[0]);
          }),
          .constraint = autodiff([](const auto&, const auto& q, auto& g) {
            g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
          }),
          .q0 = Eigen::Vector3d(0.6, -0.8, 0.06 + amplitude),
          .v0 = Eigen::Vector3d(0.8, 0.6, 0.08)};
}

}  // namespace daedalus::stiff_modes
