// SPDX-License-Identifier: BSD-3-Clause
// Lowered catalogue problems for the suites over derivatives.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <catalogue/catalogue.hpp>
#include <daedalus/daedalus.hpp>

#include "formulation/lower.hpp"

namespace daedalus::derivatives_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

inline VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

struct Lowered {
  std::string label;
  std::shared_ptr<const Problem> problem;
  std::string formulation;
  View view;
  double t0 = 0.0;
};

// Every problem in every view and formulation it can be lowered to.
inline std::vector<Lowered> all_lowered() {
  std::vector<Lowered> list;
  for (const problems::Entry* e : problems::all_problems()) {
    // Cells of FASTSIM stick or slip, and contact points move by lengths of 1e-5 m: quotients
    // across that are no derivatives. tests/wheel_rail checks the pieces.
    if (e->name == "pascal" || e->name == "bogie" || e->name.rfind("wheelset-", 0) == 0) continue;
    auto problem = std::make_shared<const Problem>(e->problem());
    const bool multibody = std::holds_alternative<MultibodyProblem>(*problem);
    const std::vector<std::string> formulations =
        multibody ? std::vector<std::string>{"index1", "index2", "index3"}
                  : std::vector<std::string>{""};
    for (const std::string& f : formulations)
      for (const View view : {View::residual, View::linear})
        if (fit(*problem, f, view).possible)
          list.push_back(
              {e->name + " " + f + " " + std::string(to_string(view)), problem, f, view, e->t0});
  }
  return list;
}

inline std::unique_ptr<System> lowered(const Lowered& l, bool differences = false) {
  LoweringOptions options;
  options.differences = differences;
  options.linear_algebra = LinearSolverKind::dense;
  return lower(l.problem, l.formulation, l.view, options, l.t0);
}

// A point near the start where no variable is at a special value.
inline State nearby(const System& system, const Lowered& l) {
  State s = model_start(system, *l.problem, l.t0);
  s.t = l.t0 + 1e-3;
  VectorXd shift(system.layout.tangents());
  for (int i = 0; i < shift.size(); ++i) {
    const double phase = std::fmod(0.6180339887 * (i + 1), 1.0);
    shift[i] = 1e-3 * (0.5 + phase) * (1.0 + std::abs(s.x[i]));
    s.xd[i] = 0.3 + phase;
  }
  VectorXd moved(s.x.size());
  system.layout.plus(s.x.data(), shift.data(), moved.data());
  s.x = moved;
  return s;
}

struct Matrices {
  MatrixXd E, J;
};
inline Matrices matrices(System& system, const State& at) {
  Matrices m;
  if (LinearView* linear = system.linear_view()) {
    EXPECT_EQ(linear->linearise(at.t, at.x.data()), Outcome::ok);
    linear->linear_pencil().dense_e(m.E);
    linear->linear_pencil().dense_j(m.J);
  } else {
    ResidualView& residual = *system.residual_view();
    EXPECT_EQ(residual.linearise(at.t, at.x.data(), at.xd.data()), Outcome::ok);
    residual.residual_pencil().dense_e(m.E);
    residual.residual_pencil().dense_j(m.J);
  }
  return m;
}

}  // namespace daedalus::derivatives_test
