// SPDX-License-Identifier: BSD-3-Clause
// Observed orders: the same run on a ladder of step sizes, errors per class of variables, and
// least-squares slopes of log(error) over log(h).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::testing {

// Fills the exact (or reference) model state at t; false where it is not known.
using ExactState = std::function<bool(double t, const Variables&, Out y)>;

enum class OrderNorm {
  absolute,
  relative,
  euclidean
};  // largest |e|, largest |e / x|, sum of squares

struct OrderStudy {
  std::vector<double> steps;
  std::map<std::string, std::vector<double>> errors;  // class name -> error per step size
  std::map<std::string, double> orders;               // class name -> slope
  std::string failure;  // non-empty: a run did not succeed; what was done so far is kept
};

// Slope of log(errors) over log(steps) by least squares, leaving out errors below `floor`.
double observed_order(const std::vector<double>& steps, const std::vector<double>& errors,
                      double floor);

// Classes: those of the problem's variables at the end point, and "dense": the largest error of the
// interpolant inside the steps over y, q and v, where the exact solution is known there.
// ProjectionWhen::automatic counts as none.
OrderStudy measure_order(const Problem& problem, Interval interval, const Options& options,
                         const std::vector<double>& steps, const ExactState& exact,
                         OrderNorm norm = OrderNorm::absolute);

}  // namespace daedalus::testing
