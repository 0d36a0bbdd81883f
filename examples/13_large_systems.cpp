// SPDX-License-Identifier: BSD-3-Clause
// 13: a chain of n plates, a thousand of them in the time of a few: structure of M and G.
//
// Model    plate i: q = (x, y, phi) of its upper joint, centre of mass at a distance e from it,
//          [m 0 -m e sin; 0 m m e cos; sym. J] v' = f + ..., a 3 x 3 block of M each;
//          joints: p_i = p_{i-1} + l (cos phi_{i-1}, sin phi_{i-1}), p_0 = 0, two rows each.
// M has 3 x 3 blocks, declared by `mass_blocks`; the pattern of G is found by the library. With
// both one step costs O(n).
//
// Builds on 01 (multibody form). New: mass_blocks, the ways of solving [M G^T; G 0].
#include <cmath>
#include <iostream>
#include <string>

#include <daedalus/daedalus.hpp>

namespace {

constexpr double mass = 0.2, eccentricity = 0.05, inertia = 0.002, length = 0.1, gravity = 9.81;

// [plates]
daedalus::MultibodyProblem plates(int n) {
  using std::cos, std::sin;
  Eigen::VectorXd q0 = Eigen::VectorXd::Zero(3 * n);
  for (int i = 0; i < n; ++i) q0[3 * i] = length * i;  // stretched out to the right
  return {.name = "plates",
          .space = daedalus::euclidean(3 * n),
          .constraint_count = 2 * n,
          .mass = daedalus::autodiff([n](const auto&, const auto& q, auto& M) {
            constexpr double me = mass * eccentricity;
            for (int i = 0; i < n; ++i) {
              const auto c = me * cos(q[3 * i + 2]), s = me * sin(q[3 * i + 2]);
              const decltype(c) block[9] = {mass, 0.0, -s, 0.0, mass, c, -s, c, inertia};
              for (int k = 0; k < 9; ++k) M(9 * i + k, 0) = block[k];
            }
          }),
          .mass_blocks = std::vector<int>(static_cast<std::size_t>(n), 3),
          .force = daedalus::autodiff([n](const auto&, const auto& q, const auto& v, auto& f) {
            constexpr double me = mass * eccentricity;
            for (int i = 0; i < n; ++i) {
              const auto c = cos(q[3 * i + 2]), s = sin(q[3 * i + 2]);
              const auto w2 = v[3 * i + 2] * v[3 * i + 2];
              f[3 * i] = me * w2 * c;
              f[3 * i + 1] = me * w2 * s - mass * gravity;
              f[3 * i + 2] = -me * gravity * c;
            }
          }),
          .constraint = daedalus::autodiff([n](const auto&, const auto& q, auto& g) {
            g[0] = q[0];
            g[1] = q[1];
            for (int i = 1; i < n; ++i) {
              g[2 * i] = q[3 * i] - q[3 * i - 3] - length * cos(q[3 * i - 1]);
              g[2 * i + 1] = q[3 * i + 1] - q[3 * i - 2] - length * sin(q[3 * i - 1]);
            }
          }),
          .q0 = q0,
          .v0 = Eigen::VectorXd::Zero(3 * n)};
}
// [/plates]

}  // namespace

int main() {
  // [ways]
  using daedalus::LinearAlgebra;
  Eigen::VectorXd first;
  for (const LinearAlgebra way : {LinearAlgebra::dense, LinearAlgebra::range_space,
                                  LinearAlgebra::null_space, LinearAlgebra::sparse}) {
    const daedalus::Solution s = daedalus::solve(
        plates(10), {0.0, 0.1}, {.method = "rk4", .fixed_step = 1e-3, .linear_algebra = way});
    if (!s.ok()) return std::cerr << s.message() << '\n', 1;
    if (first.size() == 0) first = s.end().y();
    std::cout << s.choice().linear_solver << ": differs by "
              << (s.end().y() - first).cwiseAbs().maxCoeff() << '\n';
    if (!((s.end().y() - first).cwiseAbs().maxCoeff() < 1e-9)) return 1;
  }
  // [/ways]

  const daedalus::Solution large =
      daedalus::solve(plates(1000), {0.0, 0.005}, {.method = "rk4", .fixed_step = 1e-3});
  if (!large.ok()) return std::cerr << large.message() << '\n', 1;
  std::cout << "1000 plates: " << large.choice().linear_solver << ", "
            << 1e3 * large.statistics().seconds / 5.0 << " ms per step, start included\n";
  return large.choice().linear_solver == "sparse" ? 0 : 1;
}
