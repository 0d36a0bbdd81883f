// SPDX-License-Identifier: BSD-3-Clause
// 27: events of models: relations, when-clauses, discrete variables, clocks.
//
// Model    a ball on a floor with restitution; a heater with two thresholds; a controller that acts
//          every tenth of a second.
//
// Builds on 26. New: when, reinit, pre, discrete equations, sample, no_event.
#include <cmath>
#include <iostream>
#include <memory>

#include <daedalus/model.hpp>
#include <daedalus/solve.hpp>

using namespace daedalus;

namespace {

Solution run(const ModelBuilder& builder, double t_end) {
  const std::shared_ptr<const Model> model = builder.model();
  Options options;
  options.rtol = 1e-8;
  options.atol = 1e-8;
  model->apply(options);
  return solve(model->problem(), {0.0, t_end}, options);
}

}  // namespace

int main() {
  // [ball]
  ModelBuilder ball("ball");
  const Expr h = ball.variable("h", {.start = 1.0, .fixed = true});
  const Expr v = ball.variable("v", {.start = 0.0, .fixed = true});
  const Expr bounces = ball.discrete("bounces");
  ball.equation(der(h), v);
  ball.equation(der(v), -9.81);
  WhenClause impact = ball.when(h < 0.0);
  impact.reinit(v, -0.8 * pre(v)).set(bounces, pre(bounces) + 1.0);
  // [/ball]
  const Solution bounced = run(ball, 1.0);
  for (const EventRecord& e : bounced.events()) std::cout << e.name << " at " << e.t << '\n';
  bool good = bounced.ok() && bounced.events().size() == 1 &&
              std::abs(bounced.events()[0].t - std::sqrt(2.0 / 9.81)) < 1e-6;

  // [thermostat]
  // On below 18, off above 22, in between as before.
  ModelBuilder heater("heater");
  const Expr T = heater.variable("T", {.start = 15.0, .fixed = true});
  const Expr heats = heater.discrete("heats", {.start = 1.0});
  heater.discrete_equation(heats, T < 18.0 || (pre(heats) && T < 22.0));
  heater.equation(der(T), select(heats, 10.0, 0.0) - 0.2 * T);
  // [/thermostat]
  const Solution heated = run(heater, 10.0);
  good = good && heated.ok() && heated.end()["T"] > 17.9 && heated.end()["T"] < 22.1;

  // [clock]
  ModelBuilder plant("plant");
  const Expr period = plant.parameter("period", 0.1);
  const Expr x = plant.variable("x", {.start = 1.0, .fixed = true});
  const Expr force = plant.discrete("force");
  plant.equation(der(x), force);
  plant.when(plant.sample(0.0, period)).set(force, -2.0 * x);
  // [/clock]
  const Solution controlled = run(plant, 1.0);
  good = good && controlled.ok() && std::abs(controlled.end()["x"] - std::pow(0.8, 10)) < 1e-6;
  std::cout << "controlled to " << controlled.end()["x"] << '\n';
  return good ? 0 : 1;
}
