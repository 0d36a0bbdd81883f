// SPDX-License-Identifier: BSD-3-Clause
// 14: the perturbation laboratory: what residuals in the constraints do, measured and in theory.
//
// Model    a point mass sliding in the parabola q2 = -q1^2 (gravity along +q2):
//          q1'' = -2 q1 lambda,  q2'' = 1 - lambda,  0 = q2 + q1^2.
// A solver that leaves residuals theta in the constraint of every step spoils lambda by theta/h^2
// if it solves the constraint as it stands (index 3), by theta/h at velocity level (index 2): the
// formulation decides more than the method (Arnold 1998, Table 3.1, Remark 15a).
//
// Builds on 01 (multibody form) and 09 (defects). New: perturb, uniform_index.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>

namespace {

daedalus::MultibodyProblem parabola() {
  return {.name = "parabola",
          .space = daedalus::euclidean(2),
          .constraint_count = 1,
          .force = daedalus::autodiff([](const auto&, const auto&, const auto&, auto& f) {
            f[0] = 0.0;
            f[1] = 1.0;
          }),
          .constraint = daedalus::autodiff(
              [](const auto&, const auto& q, auto& g) { g[0] = q[1] + q[0] * q[0]; }),
          .q0 = Eigen::Vector2d(1.0, -1.0),
          .v0 = Eigen::Vector2d::Zero()};
}

bool near(double value, double goal) { return std::abs(value - goal) <= 0.2; }

}  // namespace

int main() {
  // [study]
  daedalus::PerturbationStudy study;
  study.problem = parabola();
  study.interval = {0.0, 1.0};
  study.options.method = "implicit-euler";
  study.options.formulation = "index3";
  study.rows = daedalus::PerturbedRows::position;
  study.kind = daedalus::PerturbationKind::random;  // the same numbers for the same seed
  study.seed = 7;
  study.thetas = {1e-5, 3e-6};
  study.steps = {1e-3, 5e-4};
  const daedalus::PerturbationReport report = daedalus::perturb(study);
  if (!report.failure.empty()) return std::cerr << report.failure << '\n', 1;
  for (const daedalus::PerturbedComponent& c : report.components)
    std::cout << c.name << ": theta^" << c.theta_exponent << " h^" << c.h_exponent << ", bound "
              << c.theory << ": " << c.verdict << '\n';
  std::cout << "perturbation index " << report.index << '\n';
  // [/study]
  const daedalus::PerturbedComponent& lambda = *report.find("lambda");
  if (!near(lambda.theta_exponent, 1.0) || !near(lambda.h_exponent, -2.0)) return 1;

  // [advice]
  const daedalus::PerturbationSensitivity& structure = report.sensitivity;
  const daedalus::StepRegions& regions = report.regions;
  const daedalus::ConstraintBudget& budget = report.budget;
  std::cout << (structure.linear ? "linear" : "not linear") << " in lambda\n"
            << regions.text << '\n'
            << budget.verdict << '\n';
  for (const daedalus::ConstraintBudget::Limit& limit : budget.limits)
    std::cout << "  " << limit.component << ": residuals up to " << limit.theta << '\n';
  // [/advice]
  if (!structure.linear || !(budget.kappa < budget.kappa_differential)) return 1;

  // [bound]
  // The bounds by themselves, without a run: lambda at h = 1e-3 with residuals of 1e-8.
  for (const char* formulation : {"index3", "index2"}) {
    const daedalus::PerturbationBound bound =
        daedalus::perturbation_bound(study, formulation, "lambda", structure);
    double sum = 0.0;
    for (const daedalus::PerturbationTerm& term : bound.terms) sum += term.at(1e-8, 1e-3);
    std::cout << formulation << ": " << bound.text << " = " << sum << " (" << bound.source << ")\n";
  }
  // [/bound]

  // [uniform]
  // Baumgarte's stabilisation: index 1 for every alpha, but the constant grows with alpha.
  study.options.formulation = "baumgarte";
  study.rows = daedalus::PerturbedRows::automatic;
  study.kind = daedalus::PerturbationKind::alternating;
  study.components = {"lambda"};
  study.thetas = {1e-5};
  study.steps = {1e-1, 2e-3};
  const daedalus::UniformIndex uniform =
      daedalus::uniform_index(study, "alpha", {20.0, 60.0, 200.0, 600.0},
                              [](double alpha, daedalus::PerturbationStudy& member) {
                                member.options.formulation_options["alpha"] = alpha;
                              });
  for (const daedalus::UniformIndex::Growth& g : uniform.growth)
    std::cout << "C_" << g.m << ": " << g.text << '\n';
  std::cout << "uniform perturbation index " << uniform.index << '\n';
  // [/uniform]
  return uniform.index == 3 ? 0 : 1;
}
