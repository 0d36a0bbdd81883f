// SPDX-License-Identifier: BSD-3-Clause
// Runs of broken problems, and what their messages have to name.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include <daedalus/daedalus.hpp>

namespace daedalus::broken_test {

using ::testing::HasSubstr;
using ::testing::Not;

inline Eigen::VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.begin(),
                                           static_cast<Eigen::Index>(values.size()));
}

inline SparseMatrix diagonal(std::initializer_list<double> values) {
  const Eigen::MatrixXd M = vec(values).asDiagonal();
  return M.sparseView();
}

// Message and warnings of a run to t_end.
inline std::string said(const Problem& problem, double t_end, Options o = {}) {
  o.max_steps = std::min(o.max_steps, 20000L);
  const Solution s = solve(problem, {0.0, t_end}, o);
  std::string text = s.ok() ? std::string() : s.message();
  for (const std::string& w : s.warnings()) text += "\n" + w;
  return text;
}

// The run fails (or warns) with all these words.
inline void names(const Problem& problem, double t_end, std::initializer_list<const char*> words,
                  const Options& o = {}) {
  const std::string text = said(problem, t_end, o);
  for (const char* word : words) EXPECT_THAT(text, HasSubstr(word)) << name_of(problem);
}

inline void check_names(const Problem& problem, std::initializer_list<const char*> words) {
  std::string text;
  for (const std::string& w : check(problem, 0.0).warnings) text += w + "\n";
  for (const char* word : words) EXPECT_THAT(text, HasSubstr(word)) << name_of(problem);
}

// A point mass on a rod.
inline MultibodyProblem pendulum() {
  MultibodyProblem p;
  p.name = "pendulum";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.mass = [](double, In, MatrixOut M) { M.setIdentity(); };
  p.force = [](double, In, In, Out f) { f << 0.0, -9.81; };
  p.constraint = autodiff(
      [](auto, const auto& q, auto& g) { g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0); });
  p.q0 = vec({1.0, 0.0});
  p.v0 = vec({0.0, 0.0});
  p.q_names = {"x", "y"};
  p.v_names = {"vx", "vy"};
  p.lambda_names = {"rod"};
  return p;
}

}  // namespace daedalus::broken_test
