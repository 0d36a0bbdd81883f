// SPDX-License-Identifier: BSD-3-Clause
// Events on smooth solutions whose times are known: simple, flat (odd powers), close pairs, none
// (even powers, a level out of reach), and several at one time.
#include <cmath>

#include "soak/smooth_model.hpp"

namespace daedalus::soak {
namespace {

// Crossings of s = level on [a, b], by bisection between close samples.
std::vector<double> crossing_times(const Signal& s, double level, double a, double b,
                                   Crossing direction) {
  constexpr int samples = 20000;  // far more than a signal has extrema
  std::vector<double> times;
  const auto f = [&](double t) { return s.value(t) - level; };
  for (int i = 0; i < samples; ++i) {
    double left = a + (b - a) * i / samples, right = a + (b - a) * (i + 1) / samples;
    const bool rises = f(left) < 0.0 && f(right) >= 0.0, falls = f(left) > 0.0 && f(right) <= 0.0;
    if (!(rises && direction != Crossing::falling) && !(falls && direction != Crossing::rising))
      continue;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (left + right);
      ((f(middle) < 0.0) == rises ? left : right) = middle;
    }
    times.push_back(0.5 * (left + right));
  }
  return times;
}

double flattest_slope(const Signal& s, const std::vector<double>& times) {
  double least = 1e300;
  for (const double t : times) least = std::min(least, std::abs(s.rate(t)));
  return least;
}

// Least distance of an extremum from the level: where a solution turns next to it, errors decide
// whether it crosses.
double nearest_turn(const Signal& s, double level, double a, double b) {
  constexpr int samples = 20000;
  double least = 1e300;
  for (int i = 0; i < samples; ++i) {
    const double left = a + (b - a) * i / samples, right = a + (b - a) * (i + 1) / samples;
    if (s.rate(left) * s.rate(right) <= 0.0)
      least = std::min(least, std::abs(s.value(left) - level));
  }
  return least;
}

Crossing draw_direction(Random& random) {
  constexpr std::array all{Crossing::any, Crossing::rising, Crossing::falling};
  return all[static_cast<std::size_t>(random.integer(0, 2))];
}

// A level that is crossed with some speed and not next to the ends; false: none found.
bool draw_level(Random& random, const Signal& s, const Case& c, Crossing direction, double& level,
                ExpectedEvents& expected) {
  constexpr double min_slope = 0.2;
  constexpr double min_distance = 0.02;  // twenty of the loosest tolerances
  const double margin = 0.02 * (c.t1 - c.t0);
  for (int k = 0; k < 20; ++k) {
    level = s.value(random.uniform(c.t0 + 0.1, c.t1 - 0.1));
    // In all directions: a level that is almost touched elsewhere is crossed by round-off.
    const auto all = crossing_times(s, level, c.t0, c.t1, Crossing::any);
    if (all.empty() || flattest_slope(s, all) < min_slope) continue;
    if (nearest_turn(s, level, c.t0, c.t1) < min_distance) continue;
    if (all.front() < c.t0 + margin || all.back() > c.t1 - margin) continue;
    expected.times = crossing_times(s, level, c.t0, c.t1, direction);
    expected.slope = flattest_slope(s, all);
    return true;
  }
  return false;
}

}  // namespace

Case draw_crossings(Random& random) {
  for (;;) {
    const int ny = random.integer(1, 3), nz = random.integer(1, 2);
    Case c;
    c.t1 = random.uniform(1.0, 5.0);
    auto system = std::make_shared<Manufactured<SmoothModel>>();
    system->model = draw_smooth_model(random, ny, nz, 0.0);
    system->y = draw_signals(random, ny, {.max_frequency = 3.0});
    system->z = draw_signals(random, nz, {.max_frequency = 3.0});
    const int at = random.integer(0, ny + nz - 1);
    const Signal& s = at < ny ? system->y[static_cast<std::size_t>(at)]
                              : system->z[static_cast<std::size_t>(at - ny)];
    const int kind = random.integer(0, 3);  // 0, 1: odd power; 2: even power; 3: several at once
    Event e;
    e.name = "crossing";
    e.direction = draw_direction(random);
    const bool acts = random.chance(0.5);
    if (acts) e.action = EventAction::handle, e.handler = [](EventContext&) {};
    ExpectedEvents expected{e.name, {}, 1.0};
    double level = 0.0;
    if (!draw_level(random, s, c, e.direction, level, expected)) continue;
    const int power = kind == 2 ? 2 : 2 * random.integer(0, 2) + 1;
    const double size = random.log_uniform(0.1, 10.0);
    e.when = [at, level, power, size](const StateView& state) {
      return size * std::pow(state.y()[at] - level, power);
    };
    if (kind == 2) expected.times.clear();
    c.events.push_back(e);
    c.expected.push_back(expected);
    if (kind == 3) {
      Event twin = e;
      twin.name = "twin";
      twin.when = [at, level](const StateView& state) { return 3.0 * (state.y()[at] - level); };
      c.events.push_back(twin);
      expected.name = twin.name;
      c.expected.push_back(expected);
    }
    c.description = (kind == 2   ? "even power"
                     : kind == 3 ? "two at once, power " + std::to_string(power)
                                 : "power " + std::to_string(power)) +
                    (acts ? ", acting" : ", recorded") + ", level " + std::to_string(level);
    write_problem<SmoothModel>(c, system, draw_form(random), 1);
    return c;
  }
}

}  // namespace daedalus::soak
