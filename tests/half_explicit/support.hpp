// SPDX-License-Identifier: BSD-3-Clause
// What the suites of the half-explicit family share.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>

#include <catalogue/catalogue.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/method.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::half_explicit_test {

using Eigen::VectorXd;

inline VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

inline constexpr const char* family[] = {"herk2",  "herk3",  "henew4", "hem4",
                                         "hedop5", "phem56", "hem5"};

inline Solution run(const Problem& p, Interval interval, const Options& o) {
  Solution s = solve(p, interval, o);
  EXPECT_TRUE(s.ok()) << o.method << ": " << s.message();
  return s;
}

inline const Counts& counts(const Solution& s, Phase phase) {
  return s.statistics().phases[static_cast<std::size_t>(phase)];
}

// Errors of the seven-body mechanism at t = 0.03 in the norm (3.80) of Arnold (1998), and -log10 of
// the largest error of an angle over 1 + |angle|.
struct MechanismErrors {
  double y, lambda, mescd;
};
inline MechanismErrors mechanism_errors(const Solution& s) {
  const problems::Entry& e = *problems::find_problem("andrews");
  const auto& values = e.reference->values;
  MechanismErrors r{0.0, 0.0, 0.0};
  double worst = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double error = s.end()[values[i].first] - values[i].second;
    const double size = std::abs(values[i].second);
    (i < 14 ? r.y : r.lambda) += std::pow(error / (1e-8 + size), 2);
    if (i < 7) worst = std::max(worst, std::abs(error) / (1.0 + size));
  }
  r.y = std::sqrt(r.y / 14.0);
  r.lambda = std::sqrt(r.lambda / 6.0);
  r.mescd = -std::log10(worst);
  return r;
}

}  // namespace daedalus::half_explicit_test
