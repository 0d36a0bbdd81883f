// SPDX-License-Identifier: BSD-3-Clause
// Small problems that can be broken in one place, and checks of what a failed run says.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <string>

#include <daedalus/daedalus.hpp>

namespace daedalus::failure_test {

using Eigen::VectorXd;
using ::testing::AnyOf;
using ::testing::HasSubstr;

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

inline Options options(const std::string& method, double fixed_step = 0.0,
                       const std::string& formulation = "auto") {
  Options o;
  o.method = method;
  o.formulation = formulation;
  o.fixed_step = fixed_step;
  return o;
}

// y' = -z, 0 = z - y.
inline SemiExplicitProblem decay() {
  SemiExplicitProblem p;
  p.name = "decay";
  p.f = [](double, In, In z, Out f) { f[0] = -z[0]; };
  p.g = [](double, In y, In z, Out g) { g[0] = z[0] - y[0]; };
  p.y0 = vec({1.0});
  p.z0 = vec({1.0});
  return p;
}

inline MassMatrixProblem mass_decay() {
  MassMatrixProblem p;
  p.name = "mass decay";
  p.mass_matrix = Eigen::MatrixXd::Identity(2, 2).sparseView();
  p.rhs = [](double, In y, Out f) { f << -y[0], -2.0 * y[1]; };
  p.y0 = vec({1.0, 1.0});
  p.index = 0;
  return p;
}

inline ImplicitProblem implicit_decay() {
  ImplicitProblem p;
  p.name = "implicit decay";
  p.residual = [](double, In y, In yp, Out r) { r << yp[0] + y[0], y[1] - y[0]; };
  p.y0 = vec({1.0, 1.0});
  p.yp0 = vec({-1.0, -1.0});
  return p;
}

// A pendulum that moves, with everything given and plain.
inline MultibodyProblem pendulum() {
  MultibodyProblem p;
  p.name = "pendulum";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.mass = [](double, In, MatrixOut M) { M.setIdentity(); };
  p.force = [](double, In, In, Out f) { f << 0.0, -9.81; };
  p.constraint = [](double, In q, Out g) { g[0] = 0.5 * (q.squaredNorm() - 1.0); };
  p.constraint_jacobian = [](double, In q, MatrixOut G) { G = q.transpose(); };
  p.constraint_time_derivative = [](double, In, Out g) { g[0] = 0.0; };
  p.acceleration_term = [](double, In, In v, Out k) { k[0] = v.squaredNorm(); };
  p.q0 = vec({1.0, 0.0});
  p.v0 = vec({0.0, 0.0});
  return p;
}

// Runs and expects a thrown InvalidArgument whose text has all the words.
inline void refused(const Problem& problem, Interval interval, const Options& o,
                    std::initializer_list<const char*> words) {
  try {
    const Solution s = solve(problem, interval, o);
    ADD_FAILURE() << "accepted; status " << s.status() << ": " << s.message();
  } catch (const InvalidArgument& e) {
    for (const char* word : words) EXPECT_THAT(e.what(), HasSubstr(word));
  }
}
inline void refused(const Problem& problem, std::initializer_list<const char*> words) {
  refused(problem, {0.0, 1.0}, {}, words);
}

// What must hold for every failed run: never success, finite states up to the last good point.
inline void good_until(const Solution& s, double before) {
  EXPECT_FALSE(s.ok()) << s.message();
  EXPECT_FALSE(s.message().empty());
  EXPECT_LE(s.end_time(), before + 1e-9);
  EXPECT_TRUE(s.end().y().allFinite()) << s.end().y().transpose();
  for (std::size_t i = 0; i < s.times().size(); ++i)
    ASSERT_TRUE(s.state(i).y().allFinite()) << "t = " << s.times()[i];
}

}  // namespace daedalus::failure_test
