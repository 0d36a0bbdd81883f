// SPDX-License-Identifier: BSD-3-Clause
// 07: one step at a time: a real-time style loop around the pendulum of example 01.
//
// The Integrator owns its copy of the problem and runs through the same loop as solve(): start
// values, error control, events and statistics are the same. The caller decides when to stop, reads
// the state between steps, and evaluates the last step anywhere inside it.
//
// Builds on 01. New: Integrator, recommend, check, the list of methods and formulations, counts per
// phase of a run.
#include <cmath>
#include <iostream>
#include <variant>

#include <catalogue/catalogue.hpp>
#include <daedalus/daedalus.hpp>

int main() {
  // [catalogue]
  const daedalus::problems::Entry* entry = daedalus::problems::find_problem("pendulum");
  const daedalus::Problem problem = entry->problem({{"length", 2.0}});
  // [/catalogue]

  // [inspect]
  const daedalus::Recommendation advice = daedalus::recommend(problem);
  std::cout << advice.method << " on " << advice.formulation << ": " << advice.reason << '\n';
  for (const daedalus::Alternative& a : advice.alternatives)
    std::cout << "  or " << a.method << " on " << a.formulation << ": " << a.reason << '\n';
  for (const daedalus::Method* m : daedalus::all_methods()) {
    const daedalus::ClassOrders& orders = m->orders;
    std::cout << m->name << ": order " << orders[daedalus::VariableClass::q] << " in q, "
              << orders[daedalus::VariableClass::lambda] << " in lambda"
              << (m->stability == daedalus::Stability::l_stable ? ", L-stable" : "")
              << (m->repair == daedalus::Repair::solve_algebraic ? ", may solve again" : "")
              << (m->view == daedalus::View::mechanical ? ", multibody only" : "")
              << ", index up to " << m->max_index << '\n';
    for (const daedalus::MethodOption& o : m->options)
      std::cout << "  " << o.key << " (" << o.standard << "): " << o.help << '\n';
  }
  for (const daedalus::Formulation& f : daedalus::all_formulations())
    std::cout << f.name << ": " << f.reference << '\n';
  const daedalus::Check check = daedalus::check(problem, 0.0);
  std::cout << (check.consistent ? "consistent" : "not consistent") << ", Jacobian error "
            << check.jacobian_error << ", " << check.residuals.size() << " equations\n";
  // [/inspect]

  // [steps]
  daedalus::Integrator integrator(problem, {.method = "rodas4", .rtol = 1e-6, .atol = 1e-6});
  daedalus::Status status = integrator.initialize(0.0, 1.0);
  double frame = 0.1;
  while (status == daedalus::Status::success && integrator.t() < 1.0) {
    const daedalus::StepInfo step = integrator.step(1.0);
    status = step.status;
    for (; frame <= step.t + 1e-12; frame += 0.1)
      std::cout << "frame " << frame << ": x = " << integrator.interpolate(frame)["x"] << '\n';
  }
  if (status == daedalus::Status::success) status = integrator.run(2.0);
  // [/steps]
  if (status != daedalus::Status::success) {
    std::cerr << integrator.solution().message() << '\n';
    return 1;
  }

  // [statistics]
  const daedalus::Statistics& s = integrator.statistics();
  const daedalus::Counts& steps = s.in(daedalus::Phase::step);
  const daedalus::Counts& all = s.total();
  std::cout << s.accepted << " steps accepted, " << s.rejected << " rejected, h from " << s.h_min
            << " to " << s.h_max << "\nin the steps " << steps.function_evaluations
            << " right-hand sides, " << steps.factorisations << " factorisations; in all "
            << all.factorisations << '\n';
  // [/statistics]

  // rodas4 promises one factorisation per attempt, one Jacobian per accepted step and 6 right-hand
  // sides per attempt, the last of which an accepted step hands on to the next one; a seventh where
  // its matrix is doubtful at the end of the step.
  const bool counts = steps.factorisations == s.steps() &&
                      steps.jacobian_evaluations == s.accepted &&
                      steps.function_evaluations >= 6 * s.accepted + 5 * s.rejected &&
                      steps.function_evaluations <= 7 * s.steps();
  const daedalus::ModelState end = integrator.state();
  const double energy = 0.5 * end.v().squaredNorm() + 9.81 * end["y"];
  std::cout << "t = " << integrator.t() << ", energy " << energy << '\n';
  return counts && check.consistent && integrator.t() == 2.0 && std::abs(energy) < 1e-3 ? 0 : 1;
}
