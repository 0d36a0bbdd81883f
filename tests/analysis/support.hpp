// SPDX-License-Identifier: BSD-3-Clause
// Catalogue problems as systems with points on their exact solutions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <catalogue/catalogue.hpp>

#include "analysis/tractability.hpp"
#include "formulation/lower.hpp"

namespace daedalus::analysis_test {

struct Case {
  std::shared_ptr<const Problem> problem;
  std::unique_ptr<System> system;
  std::vector<TrajectoryPoint> points;

  Tractability analyse(const TractabilitySettings& settings = {}) {
    return analyse_tractability(*system, points, settings);
  }
};

inline Case lowered(Problem problem, double t0, const std::string& formulation = "",
                    bool differences = false) {
  Case c;
  c.problem = std::make_shared<const Problem>(std::move(problem));
  LoweringOptions options;
  options.differences = differences;
  c.system = lower(c.problem, formulation, View::residual, options, t0);
  c.system->prepare(model_start(*c.system, *c.problem, t0));
  return c;
}

inline const problems::Entry& entry(const std::string& name) {
  return *problems::find_problem(name);
}

inline Eigen::VectorXd exact(const problems::Entry& e, double t, const problems::Values& values) {
  const auto all = e.exact(t, values);
  Eigen::VectorXd x(static_cast<Eigen::Index>(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) x[static_cast<Eigen::Index>(i)] = all[i].second;
  return x;
}

// Central differences of order 4; the solutions used here vary over times of about 0.1.
inline Eigen::VectorXd exact_rate(const problems::Entry& e, double t,
                                  const problems::Values& values) {
  const double h = 1e-4;
  const auto x = [&](double k) { return exact(e, t + k * h, values); };
  return (8.0 * (x(1.0) - x(-1.0)) - (x(2.0) - x(-2.0))) / (12.0 * h);
}

inline Case along_exact(const std::string& name, const std::vector<double>& times,
                        const problems::Values& values = {}, bool differences = false) {
  const problems::Entry& e = entry(name);
  Case c = lowered(e.problem(values), e.t0, "", differences);
  for (const double t : times)
    c.points.push_back({t, exact(e, t, values), exact_rate(e, t, values), {}});
  return c;
}

// At the start values, with x' = 0 where the problem does not give it.
inline Case at_start(const std::string& name, const std::string& formulation = "") {
  const problems::Entry& e = entry(name);
  Case c = lowered(e.problem(), e.t0, formulation);
  const State s = model_start(*c.system, *c.problem, e.t0);
  c.points.push_back({e.t0, s.x, s.xd, {}});
  return c;
}

}  // namespace daedalus::analysis_test
