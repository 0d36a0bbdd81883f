// SPDX-License-Identifier: BSD-3-Clause
// A chain of n plates in the plane, joined at their upper ends: 3 x 3 blocks of M that change with
// the angle, two constraints per joint. M can be declared in every way that the form offers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <daedalus/daedalus.hpp>

namespace daedalus::structure_test {

enum class MassAs { dense, blocks };

inline constexpr double mass = 0.2, eccentricity = 0.05, inertia = 0.002, length = 0.1;

template <class Q, class M>
void write_block(int i, const Q& q, M&& put) {
  using std::cos, std::sin;
  const auto c = mass * eccentricity * cos(q[3 * i + 2]);
  const auto s = mass * eccentricity * sin(q[3 * i + 2]);
  put(0, 0, mass), put(1, 1, mass), put(2, 2, inertia);
  put(1, 0, 0.0), put(0, 1, 0.0);
  put(2, 0, -s), put(0, 2, -s), put(2, 1, c), put(1, 2, c);
}

inline MultibodyProblem plates(int n, MassAs as = MassAs::blocks) {
  MultibodyProblem p;
  p.name = "plates";
  p.space = euclidean(3 * n);
  p.constraint_count = 2 * n;
  if (as == MassAs::blocks) {
    p.mass_blocks = std::vector<int>(static_cast<std::size_t>(n), 3);
    p.mass = autodiff([n](const auto&, const auto& q, auto& M) {
      for (int i = 0; i < n; ++i)
        write_block(i, q, [&](int r, int c, const auto& x) { M(9 * i + 3 * c + r, 0) = x; });
    });
  } else {
    p.mass = autodiff([n](const auto&, const auto& q, auto& M) {
      for (int c = 0; c < 3 * n; ++c)
        for (int r = 0; r < 3 * n; ++r) M(r, c) = 0.0;
      for (int i = 0; i < n; ++i)
        write_block(i, q, [&](int r, int c, const auto& x) { M(3 * i + r, 3 * i + c) = x; });
    });
  }
  p.force = autodiff([n](const auto&, const auto& q, const auto& v, auto& f) {
    using std::cos, std::sin;
    for (int i = 0; i < n; ++i) {
      const auto c = mass * eccentricity * cos(q[3 * i + 2]);
      const auto s = mass * eccentricity * sin(q[3 * i + 2]);
      const auto w2 = v[3 * i + 2] * v[3 * i + 2];
      f[3 * i] = w2 * c;
      f[3 * i + 1] = w2 * s - mass * 9.81;
      f[3 * i + 2] = -9.81 * c;
    }
  });
  p.constraint = autodiff([n](const auto&, const auto& q, auto& g) {
    using std::cos, std::sin;
    g[0] = q[0];
    g[1] = q[1];
    for (int i = 1; i < n; ++i) {
      g[2 * i] = q[3 * i] - q[3 * i - 3] - length * cos(q[3 * i - 1]);
      g[2 * i + 1] = q[3 * i + 1] - q[3 * i - 2] - length * sin(q[3 * i - 1]);
    }
  });
  // Bent, so that no two blocks are alike.
  p.q0 = Eigen::VectorXd::Zero(3 * n);
  p.v0 = Eigen::VectorXd::Zero(3 * n);
  for (int i = 0; i < n; ++i) {
    p.q0[3 * i + 2] = -0.3 * std::sin(0.7 * i) - 0.2;
    if (i == 0) continue;
    p.q0[3 * i] = p.q0[3 * i - 3] + length * std::cos(p.q0[3 * i - 1]);
    p.q0[3 * i + 1] = p.q0[3 * i - 2] + length * std::sin(p.q0[3 * i - 1]);
  }
  return p;
}

inline Solution run(const Problem& problem, const std::string& method, double h, int steps,
                    LinearAlgebra way = LinearAlgebra::automatic,
                    const std::string& formulation = "auto") {
  return solve(problem, {0.0, h * steps},
               {.method = method,
                .formulation = formulation,
                .output = Output::end,
                .fixed_step = h,
                .linear_algebra = way});
}

inline Eigen::VectorXd end_of(const Solution& s) {
  EXPECT_TRUE(s.ok()) << s.message();
  return s.end().y();
}

// Largest difference relative to 1 + |x|.
inline double difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  if (a.size() != b.size()) return INFINITY;
  return ((a - b).array() / (1.0 + b.array().abs())).abs().maxCoeff();
}

// The message with which a problem or option is refused; empty when it is not.
template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return {};
}

}  // namespace daedalus::structure_test
