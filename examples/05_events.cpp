// SPDX-License-Identifier: BSD-3-Clause
// 05: events that act: a bouncing ball, and a hanging load whose rope goes slack.
//
// Model 1  a ball falls onto a floor and loses speed at each impact: q'' = -g, at q = 0: v -> -e v.
// Model 2  a mass on an elastic rope: q'' = -g + k stretch while the rope is taut (mode 1), q'' =
// -g
//          while it is slack (mode 0). The mode is a discrete variable: callables read x.modes,
//          only event handlers change it, so that every step sees smooth equations.
// Model 3  the ball again, until it rests: infinitely many impacts in a finite time.
// Model 4  a tank that is filled until t = 2 and then emptied: a jump at a known time.
//
// Builds on 01 (events) and 03 (point form). New: handlers, restarts, several events in one run,
// modes, a terminal event, a resting phase, break times, progress and cancellation.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>

using daedalus::Crossing, daedalus::EventAction, daedalus::EventContext, daedalus::StateView;
using daedalus::In, daedalus::MatrixOut, daedalus::Out, daedalus::VariableClass;

namespace {

constexpr double gravity = 9.81;

daedalus::MultibodyProblem ball() {
  return {.name = "ball",
          .space = daedalus::euclidean(1),
          .mass = [](double, In, MatrixOut M) { M(0, 0) = 1.0; },
          .force = [](double, In, In, Out f) { f[0] = -gravity; },
          .q0 = Eigen::VectorXd::Constant(1, 1.0),
          .v0 = Eigen::VectorXd::Zero(1),
          .q_names = {"height"},
          .v_names = {"speed"}};
}

daedalus::MultibodyProblem rope() {
  // [modes]
  return {.name = "rope",
          .space = daedalus::euclidean(1),
          .mass = [](double, In, MatrixOut M) { M(0, 0) = 1.0; },
          .force = daedalus::autodiff([](const auto& x, auto& f) {
            f[0] = -gravity;
            if (x.modes[0] == 1.0) f[0] -= x.p[0] * (x.q[0] + x.p[1]);
          }),
          .q0 = Eigen::VectorXd::Zero(1),
          .v0 = Eigen::VectorXd::Zero(1),
          .q_names = {"height"},
          .v_names = {"speed"},
          .parameters = {{"stiffness", 50.0}, {"length", 1.0}},
          .modes = {0.0}};  // slack: the mass starts at the hook
  // [/modes]
}

bool bounce() {
  // [handler]
  const double restitution = 0.5;
  const daedalus::Event impact{.name = "impact",
                               .when = [](const StateView& s) { return s.q()[0]; },
                               .direction = Crossing::falling,
                               .action = EventAction::handle,
                               .handler =
                                   [=](EventContext& c) {
                                     c.of(VariableClass::q)[0] = 0.0;
                                     c.of(VariableClass::v)[0] *= -restitution;
                                   }};
  // [/handler]
  const daedalus::Event enough{.name = "enough",
                               .when = [](const StateView& s) { return s.t() - 1.3; },
                               .action = EventAction::stop};
  const daedalus::Solution s =
      daedalus::solve(ball(), {0.0, 2.0}, {.rtol = 1e-9, .atol = 1e-9, .events = {impact, enough}});
  std::cout << s.status() << ": " << s.message() << '\n';
  // Fall from 1: T = sqrt(2/g); impacts at T, T + 2 e T, T + 2 e T + 2 e^2 T, ...
  double t = std::sqrt(2.0 / gravity), flight = 2.0 * t, worst = 0.0;
  int count = 0;
  for (const daedalus::EventRecord& e : s.events()) {
    if (e.name != "impact") continue;
    std::cout << "impact at t = " << e.t << " with speed " << e.y[1] << '\n';
    worst = std::max(worst, std::abs(e.t - t));
    flight *= restitution;
    t += flight;
    ++count;
  }
  std::cout << count << " impacts, " << s.statistics().restarts << " restarts, worst time off by "
            << worst << '\n';
  return s.status() == daedalus::Status::stopped_by_event && count >= 4 && worst < 1e-8 &&
         s.statistics().restarts == count;
}

bool come_to_rest() {
  // [rest]
  daedalus::MultibodyProblem p = ball();
  p.modes = {1.0};  // 0: the floor carries the ball
  p.force = daedalus::autodiff([](const auto& x, auto& f) { f[0] = -gravity * x.modes[0]; });
  daedalus::Event impact{.name = "impact",
                         .when = [](const StateView& s) { return s.q()[0]; },
                         .direction = Crossing::falling,
                         .action = EventAction::handle,
                         .handler = [](EventContext& c) { c.of(VariableClass::v)[0] *= -0.5; }};
  // Without `rest` the run ends at the limit of the impact times.
  const daedalus::Solution ended = daedalus::solve(p, {0.0, 5.0}, {.events = {impact}});
  std::cout << ended.status() << ": " << ended.message() << '\n';
  impact.rest = [](EventContext& c) {
    c.y.setZero();
    c.modes[0] = 0.0;
  };
  const daedalus::Solution rests = daedalus::solve(p, {0.0, 5.0}, {.events = {impact}});
  std::cout << "height " << rests.end()["height"] << " at t = " << rests.end_time() << '\n';
  // [/rest]
  return ended.status() == daedalus::Status::events_accumulate && rests.ok() &&
         rests.end()["height"] == 0.0;
}

bool fill_and_empty() {
  // [breaks]
  const daedalus::MassMatrixProblem tank{
      .name = "tank",
      .rhs = daedalus::autodiff([](const auto& t, const auto& y, auto& f) {
        f[0] = (t < 2.0 ? 1.0 : -1.0) - 0.1 * y[0];
      }),
      .y0 = Eigen::VectorXd::Zero(1),
      .index = 0,
      .variables = {"level"},
      .break_times = {2.0}};
  const daedalus::Solution s = daedalus::solve(tank, {0.0, 3.0}, {.rtol = 1e-8, .atol = 1e-8});
  // [/breaks]
  const double full = 10.0 * (1.0 - std::exp(-0.2));
  const double exact = -10.0 + (full + 10.0) * std::exp(-0.1);
  std::cout << "level " << s.end()["level"] << ", " << s.statistics().rejected
            << " rejected steps\n";
  return s.ok() && std::abs(s.end()["level"] - exact) < 1e-7 && s.statistics().rejected == 0;
}

bool swing_on_rope() {
  const auto stretch = [](const StateView& s) { return -s["height"] - 1.0; };
  const auto to = [](double mode) { return [mode](EventContext& c) { c.modes[0] = mode; }; };
  const daedalus::Event taut{"taut", stretch, Crossing::rising, EventAction::handle, to(1.0)};
  const daedalus::Event slack{"slack", stretch, Crossing::falling, EventAction::handle, to(0.0)};
  long steps = 0;
  daedalus::Options options{.rtol = 1e-8, .atol = 1e-8, .events = {taut, slack}};
  options.progress = [&](const daedalus::Progress& p) { steps = p.steps; };
  const daedalus::Solution s = daedalus::solve(rope(), {0.0, 3.0}, options);
  if (!s.ok()) {
    std::cerr << s.status() << ": " << s.message() << '\n';
    return false;
  }
  for (const daedalus::EventRecord& e : s.events())
    std::cout << e.name << " at t = " << e.t << '\n';
  // Energy is conserved over all switches: v^2/2 + g q + k stretch^2/2 = 0.
  const daedalus::ModelState end = s.end();
  const double over = std::max(0.0, -end["height"] - 1.0);
  const double energy =
      0.5 * end["speed"] * end["speed"] + gravity * end["height"] + 25.0 * over * over;
  std::cout << "energy " << energy << " after " << s.events().size() << " switches and " << steps
            << " steps\n";

  // [cancel]
  options.cancel = [&] { return steps >= 10; };
  steps = 0;
  const daedalus::Solution cancelled = daedalus::solve(rope(), {0.0, 3.0}, options);
  std::cout << cancelled.message() << " " << cancelled.times().size() << " states are kept.\n";
  // [/cancel]
  return std::abs(energy) < 1e-5 && s.events().size() >= 2 &&
         cancelled.status() == daedalus::Status::cancelled && steps == 10;
}

}  // namespace

int main() {
  const bool ball_good = bounce();
  const bool rope_good = swing_on_rope();
  const bool rest_good = come_to_rest();
  const bool tank_good = fill_and_empty();
  return ball_good && rope_good && rest_good && tank_good ? 0 : 1;
}
