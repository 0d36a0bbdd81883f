// SPDX-License-Identifier: BSD-3-Clause
// y' = y*' - lambda(t) (y - y*) + ..., lambda from one value to another at a time inside, sharp or
// over a width of 0.1 or 0.01.
#include <array>
#include <cmath>

#include "soak/smooth_model.hpp"

namespace daedalus::soak {
namespace {

struct JumpModel {
  SmoothModel base;
  double before = 1.0, after = 1.0, time = 0.0, width = 0.0;

  template <class S, class Y, class Z, class X>
  S rate(int i, const S& t, const Y& y, const Z& z, const X& ys) const {
    using std::tanh;
    S sum = base.rate<S>(i, t, y, z, ys);
    if (i != 0) return sum;
    S lambda = width == 0.0
                   ? S(t < time ? before : after) + 0.0 * t
                   : 0.5 * (before + after) + (0.5 * (after - before)) * tanh((t - time) / width);
    return sum - lambda * y[0];
  }
  template <class S, class Y, class Z, class X>
  S constraint(int i, const S& t, const Y& y, const Z& z, const X& ys) const {
    return base.constraint<S>(i, t, y, z, ys);
  }
};

}  // namespace

Case draw_stiffness_jump(Random& random) {
  const int ny = random.integer(1, 3), nz = random.integer(0, 2);
  Case c;
  c.stiff = true;
  c.t1 = random.uniform(1.5, 5.0);
  auto system = std::make_shared<Manufactured<JumpModel>>();
  JumpModel& m = system->model;
  m.base = draw_smooth_model(random, ny, nz, 0.0);
  m.before = random.log_uniform(1e2, 1e6);
  m.after = random.log_uniform(0.1, 10.0);
  const bool rises = random.chance(0.5);
  if (rises) std::swap(m.before, m.after);
  m.time = random.uniform(0.2, 0.8) * c.t1;
  constexpr std::array widths{0.0, 0.1, 0.01};
  m.width = widths[static_cast<std::size_t>(random.integer(0, 2))];
  system->y = draw_signals(random, ny, {.max_frequency = 3.0});
  system->z = draw_signals(random, nz, {.max_frequency = 3.0});
  c.description = (rises ? "rises at " : "falls at ") + std::to_string(m.time) + ", width " +
                  std::to_string(m.width) + ", " + std::to_string(m.before) + " to " +
                  std::to_string(m.after);
  const bool ode = nz == 0;
  write_problem<JumpModel>(c, system, ode ? Form::mass_matrix : draw_form(random), ode ? 0 : 1);
  return c;
}

}  // namespace daedalus::soak
