// SPDX-License-Identifier: BSD-3-Clause
// What the suites over problem forms share: runs with few words, and the same model in other forms.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>

#include <daedalus/daedalus.hpp>

namespace daedalus::forms_test {

using Eigen::VectorXd;

inline VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

inline Options tight(const std::string& method, double tolerance = 1e-9,
                     const std::string& formulation = "auto") {
  Options o;
  o.method = method;
  o.formulation = formulation;
  o.rtol = tolerance;
  o.atol = tolerance;
  o.output = Output::end;
  return o;
}

inline Options fixed(const std::string& method, double h, const std::string& formulation = "auto") {
  Options o = tight(method, 1e-8, formulation);
  o.fixed_step = h;
  return o;
}

// The end state of a run that must succeed.
inline VectorXd end_of(const Problem& problem, Interval interval, const Options& options) {
  const Solution s = solve(problem, interval, options);
  EXPECT_EQ(s.status(), Status::success) << options.method << ": " << s.message();
  EXPECT_EQ(s.end_time(), interval.to);
  return s.end().y();
}

inline double distance(const VectorXd& a, const VectorXd& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  return (a - b).cwiseAbs().maxCoeff();
}

// Error ratio of two fixed-step runs, h over h/2; 2^p for order p.
inline double ratio(const Problem& problem, Interval interval, const Options& coarse,
                    const VectorXd& exact, int first, int count) {
  Options fine = coarse;
  fine.fixed_step = 0.5 * coarse.fixed_step;
  const VectorXd a = end_of(problem, interval, coarse), b = end_of(problem, interval, fine);
  return distance(a.segment(first, count), exact.segment(first, count)) /
         distance(b.segment(first, count), exact.segment(first, count));
}

}  // namespace daedalus::forms_test
