// SPDX-License-Identifier: BSD-3-Clause
// A small fit with a known answer, for the tests of the search and the fuzzer of its journal.
#pragma once

#include <cmath>

#include <daedalus/autodiff.hpp>
#include <daedalus/fit.hpp>

namespace daedalus::fit_test {

// x' = -rate x + offset, as a problem that reads its parameters.
inline Problem decay() {
  return MassMatrixProblem{
      .name = "decay",
      .rhs = autodiff([](const auto& x, auto& f) { f[0] = -x.p[0] * x.y[0] + x.p[1]; }),
      .y0 = Eigen::VectorXd::Constant(1, 1.0),
      .index = 0,
      .variables = {"x"},
      .parameters = {{"rate", 1.0}, {"offset", 0.0}}};
}

// Values of rate 0.8, offset 0.1, with a small known error.
inline Experiment measured_decay(double start = 1.0) {
  Experiment e{.name = "run", .outputs = {{.name = "x", .sigma = {0.01}}}};
  for (int k = 1; k <= 12; ++k) {
    const double t = 0.4 * k;
    e.t.push_back(t);
    e.outputs[0].value.push_back(0.125 + (start - 0.125) * std::exp(-0.8 * t) +
                                 (k % 2 == 0 ? 0.004 : -0.004));
  }
  return e;
}

inline Fit decay_fit() {
  Fit fit{.model = fit_model(decay(), {0.0, 5.0})};
  fit.experiments = {measured_decay()};
  fit.free = {parse_free("rate=0.01..10@3"), parse_free("offset=-1..1@0.5")};
  return fit;
}

}  // namespace daedalus::fit_test
