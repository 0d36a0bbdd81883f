// SPDX-License-Identifier: BSD-3-Clause
// Two rate constants from measured concentrations, with their intervals; builds on 29.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/fit.hpp>

using daedalus::Experiment, daedalus::Fit, daedalus::FitResult;

int main() {
  if (!daedalus::can_fit()) {
    std::cout << "built without Ceres\n";
    return 0;
  }
  // [model]
  // A -> B -> C: A' = -k1 A, B' = k1 A - k2 B; parameters are read from x.p.
  const daedalus::MassMatrixProblem reactions{.name = "reactions",
                                              .rhs = daedalus::autodiff([](const auto& x, auto& f) {
                                                f[0] = -x.p[0] * x.y[0];
                                                f[1] = x.p[0] * x.y[0] - x.p[1] * x.y[1];
                                              }),
                                              .y0 = Eigen::Vector2d(1.0, 0.0),
                                              .index = 0,
                                              .variables = {"A", "B"},
                                              .parameters = {{"k1", 1.0}, {"k2", 0.1}}};
  // [/model]

  // [data]
  // read_experiment("abc.csv") reads a file; this is the same without one.
  const std::string text =
      "t,B,B.sigma\n0.5,0.266,0.01\n1,0.456,0.01\n2,0.612,0.01\n4,0.578,0.01\n8,0.279,0.01\n";
  const daedalus::DataOptions how{.name = "run1"};
  const Experiment measured = daedalus::parse_experiment(text, "run1.csv", how);
  // [/data]

  // [fit]
  Fit fit{.model = daedalus::fit_model(reactions, {0.0, 8.0})};
  fit.experiments = {measured};
  const daedalus::FreeQuantity k1 = daedalus::parse_free("k1=0.1..10");
  fit.free = {k1, {.name = "k2", .lower = 0.01, .upper = 1.0}};
  fit.loss = daedalus::Loss::soft_l1;
  fit.progress = [](const daedalus::FitProgress& p) {
    std::cout << "iteration " << p.iteration << ": cost " << p.cost << '\n';
  };
  const FitResult result = daedalus::fit(fit);
  if (result.status != daedalus::FitStatus::converged) {
    std::cerr << result.message << '\n';
    return 1;
  }
  for (const daedalus::ParameterEstimate& e : result.estimates)
    std::cout << e.name << " = " << e.value << " +- " << e.sd << ", 95 % in [" << e.interval[0]
              << ", " << e.interval[1] << "]\n";
  for (const daedalus::Undetermined& u : result.undetermined) std::cout << u.sentence << '\n';
  // [/fit]

  // [residuals]
  const daedalus::FittedExperiment& run = result.experiments.front();
  const daedalus::FittedOutput& B = run.outputs.front();
  for (std::size_t k = 0; k < B.t.size(); ++k)
    std::cout << B.t[k] << ": " << B.value[k] << " measured, " << B.model[k] << " computed\n";
  const daedalus::FitStart& start = result.starts.front();
  std::cout << start.iterations << " iterations, root mean square " << run.rms << " sigma\n";
  // [/residuals]

  // [output]
  // Quantities that are no variable: here the share of B in what reacts.
  const daedalus::FitOutput share{"share",
                                  [](const daedalus::StateView& s, const daedalus::Values&) {
                                    return s["B"] / (s["A"] + s["B"]);
                                  }};
  fit.outputs = {share};
  fit.experiments.front().outputs = {
      daedalus::Measurement{.name = "share", .value = {0.3, 0.5, 0.7, 0.9, 0.99}, .sigma = {0.1}}};
  // [/output]
  fit.progress = {};
  return std::abs(result["k1"].value - 0.7) < 0.1 && daedalus::fit(fit).points == 5 ? 0 : 1;
}
