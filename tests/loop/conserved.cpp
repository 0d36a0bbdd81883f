// SPDX-License-Identifier: BSD-3-Clause
#include "loop/conserved.hpp"

#include <daedalus/autodiff.hpp>

namespace daedalus::conserved {

Problem circle() {
  return SemiExplicitProblem{
      .name = "circle",
      .f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
        f[0] = -y[1] * z[0];
        f[1] = y[0] * z[0];
      }),
      .g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
        g[0] = z[0] - 1.0 - 0.5 * y[0];
      }),
      .y0 = Eigen::Vector2d(1.0, 0.0),
      .z0 = Eigen::VectorXd::Constant(1, 1.5),
      .invariants = {{"radius", autodiff([](const auto&, const auto& y, const auto&, auto& r) {
                        r[0] = y[0] * y[0] + y[1] * y[1];
                      })}}};
}

MultibodyProblem two_masses() {
  Eigen::SparseMatrix<double> M(2, 2);
  M.insert(0, 0) = 1.0;
  M.insert(1, 1) = 4.0;
  return MultibodyProblem{
      .name = "two-masses",
      .space = euclidean(2),
      .mass_matrix = M,
      .force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
        f[0] = 0.0;
        f[1] = 0.0;
      }),
      .q0 = Eigen::Vector2d::Zero(),
      .v0 = Eigen::Vector2d(1.0, 2.0),
      .invariants = {{"momentum", autodiff([](const auto&, const auto&, const auto& v, auto& r) {
                        r[0] = v[0] + 4.0 * v[1];
                      })},
                     {"energy", autodiff([](const auto&, const auto&, const auto& v, auto& r) {
                        r[0] = 0.5 * (v[0] * v[0] + 4.0 * v[1] * v[1]);
                      })}}};
}

MultibodyProblem rod() {
  Eigen::SparseMatrix<double> M(4, 4);
  for (int i = 0; i < 4; ++i) M.insert(i, i) = i < 2 ? 1.0 : 4.0;
  return MultibodyProblem{
      .name = "rod",
      .space = euclidean(4),
      .constraint_count = 1,
      .mass_matrix = M,
      .force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
        for (int i = 0; i < 4; ++i) f[i] = 0.0;
      }),
      .constraint = autodiff([](const auto&, const auto& q, auto& g) {
        const auto x = q[2] - q[0], y = q[3] - q[1];
        g[0] = 0.5 * (x * x + y * y - 1.0);
      }),
      .q0 = Eigen::Vector4d(0.0, 0.0, 1.0, 0.0),
      .v0 = Eigen::Vector4d(0.5, -1.0, 0.5, 2.0),
      .invariants = {
          {"angular momentum", autodiff([](const auto&, const auto& q, const auto& v, auto& r) {
             r[0] = q[0] * v[1] - q[1] * v[0] + 4.0 * (q[2] * v[3] - q[3] * v[2]);
           })},
          {"energy", autodiff([](const auto&, const auto&, const auto& v, auto& r) {
             r[0] = 0.5 * (v[0] * v[0] + v[1] * v[1]) + 2.0 * (v[2] * v[2] + v[3] * v[3]);
           })}}};
}

}  // namespace daedalus::conserved
