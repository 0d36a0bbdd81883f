// SPDX-License-Identifier: BSD-3-Clause
// 15: one mechanism in several formulations: what drifts, what holds, and what it costs.
//
// Model    plane pendulum, q in R^2, q'' = (0, -g) - q lambda, 0 = (q.q - 1)/2;
//          a bead y on the line y1 + y2 + s^2 = 0 whose contact point s is given by s = 0:
//          y1' = y2' = z, 0 = s, 0 = 2 z, to be held besides: y1 + y2 + s^2 = 0.
// Symbols  r_L = g, r_G = G v + g_t, r_B = d^2 g/dt^2: the constraint at its three levels.
//
// Builds on 01 (multibody form). New: formulations and their options, the drift monitor, invariants
// in the projection, overdetermined systems and their side equations.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>

namespace {

constexpr double gravity = 9.81;

// [pendulum]
daedalus::MultibodyProblem pendulum() {
  return {.name = "pendulum",
          .space = daedalus::euclidean(2),
          .constraint_count = 1,
          .force = daedalus::autodiff([](const auto&, const auto&, const auto&, auto& f) {
            f[0] = 0.0;
            f[1] = -gravity;
          }),
          .constraint = daedalus::autodiff([](const auto&, const auto& q, auto& g) {
            g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
          }),
          .q0 = Eigen::Vector2d(1.0, 0.0),
          .v0 = Eigen::Vector2d(0.0, 0.0),
          .invariants = {
              {"energy", daedalus::autodiff([](const auto&, const auto& q, const auto& v, auto& e) {
                 e[0] = 0.5 * (v[0] * v[0] + v[1] * v[1]) + gravity * q[1];
               })}}};
}
// [/pendulum]

// [overdetermined]
daedalus::ImplicitProblem bead() {
  return {.name = "bead",
          .residual = daedalus::autodiff([](const auto&, const auto& x, const auto& xp, auto& r) {
            r[0] = xp[0] - x[3];
            r[1] = xp[1] - x[3];
            r[2] = -x[2];
            r[3] = 2.0 * x[3];
          }),
          .y0 = Eigen::Vector4d::Zero(),
          .extra_count = 1,
          .extra_constraints = daedalus::autodiff([](const auto&, const auto& x, auto& gamma) {
            gamma[0] = x[0] + x[1] + x[2] * x[2];
          }),
          .side_equations = {2},
          .side_variables = {2},
          .variables = {"y1", "y2", "s", "z"}};
}
// [/overdetermined]

}  // namespace

int main() {
  // [formulations]
  for (const char* formulation : {"index3", "index2", "index1", "baumgarte", "ggl",
                                  "stabilised-index1", "linearised", "state-space"}) {
    daedalus::Options o{.method = "bdf", .formulation = formulation};
    if (std::string(formulation) == "baumgarte") o.formulation_options = {{"alpha", 5.0}};
    o.projection = daedalus::ProjectionWhen::none;
    const daedalus::Solution s = daedalus::solve(pendulum(), {0.0, 20.0}, o);
    if (!s.ok()) return std::cerr << s.message() << '\n', 1;
    std::cout << formulation << ": " << s.statistics().steps()
              << " steps, |g| <= " << s.statistics().position_residual
              << ", |G v| <= " << s.statistics().velocity_residual << '\n';
  }
  // [/formulations]

  // [drift]
  daedalus::Options o{.method = "rk4", .formulation = "index1"};
  o.projection = daedalus::ProjectionWhen::none;
  o.fixed_step = 0.02;
  o.watch_drift = true;
  const daedalus::Solution drifting = daedalus::solve(pendulum(), {0.0, 80.0}, o);
  const daedalus::DriftSample& last = drifting.drift().back();
  std::cout << "t = " << last.t << ": |g| = " << last.position << ", |G v| = " << last.velocity
            << ", |d2g/dt2| = " << last.acceleration << "; |g| grows like t^"
            << drifting.statistics().position_growth << '\n';
  // [/drift]
  if (!(std::abs(drifting.statistics().position_growth - 2.0) < 0.2)) return 1;

  // [invariants]
  o.projection = daedalus::ProjectionWhen::every_step;
  o.project_invariants = {"energy"};
  const daedalus::Solution held = daedalus::solve(pendulum(), {0.0, 80.0}, o);
  const auto energy = [](const daedalus::ModelState& y) {
    return 0.5 * y.v().squaredNorm() + gravity * y.q()[1];
  };
  std::cout << "energy: " << energy(drifting.end()) << " without, " << energy(held.end())
            << " with projection\n";
  // [/invariants]
  if (!(std::abs(energy(held.end())) < 1e-6)) return 1;

  // [odassl]
  const daedalus::Solution line = daedalus::solve(bead(), {0.0, 1.0}, {.method = "odassl"});
  // [/odassl]
  if (!line.ok() || !(std::abs(line.end()["y1"]) < 1e-9))
    return std::cerr << line.message() << '\n', 1;
  return 0;
}
