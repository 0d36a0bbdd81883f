// SPDX-License-Identifier: BSD-3-Clause
// 0 = z - s(t) with s much faster than the states that steps are chosen for, and quadratures of
// algebraic variables, which some error estimates do not see.
#include <cmath>
#include <numbers>

#include "soak/manufactured.hpp"

namespace daedalus::soak {
namespace {

// Slow states that do not feel z; gamma is explicit in z or mildly nonlinear.
struct SlowModel {
  double cubic = 0.0, coupling = 0.0, decay = 1.0;
  template <class S, class Y, class Z, class X>
  S rate(int i, const S&, const Y& y, const Z&, const X&) const {
    return -decay * y[i];
  }
  template <class S, class Y, class Z, class X>
  S constraint(int i, const S&, const Y& y, const Z& z, const X&) const {
    S sum = z[i] + coupling * y[0];
    if (cubic != 0.0) sum += cubic * z[i] * z[i] * z[i];
    return sum;
  }
};

// y' = z: in Manufactured the terms y*' and -z* cancel to round-off only; here they are not
// written.
struct Quadrature {
  Signals y, z;
};

}  // namespace

Case draw_fast_signal(Random& random) {
  const int ny = random.integer(1, 2), nz = random.integer(1, 2);
  Case c;
  c.between_steps = true;
  c.t1 = random.uniform(0.3, 1.0);
  auto system = std::make_shared<Manufactured<SlowModel>>();
  system->model.decay = random.uniform(0.1, 2.0);
  system->model.cubic = random.chance(0.3) ? random.uniform(0.0, 0.5) : 0.0;
  system->model.coupling = random.chance(0.5) ? random.uniform(-1.0, 1.0) : 0.0;
  system->y = draw_signals(random, ny, {.max_frequency = 2.0, .max_waves = 1});
  const double fast = random.log_uniform(6.0, random.chance(0.1) ? 6000.0 : 600.0);
  for (int i = 0; i < nz; ++i) {
    Signal s;
    s.waves.push_back({random.uniform(0.3, 1.0), i == 0 ? fast : random.uniform(1.0, 6.0),
                       random.uniform(0.0, 2.0 * std::numbers::pi)});
    system->z.push_back(s);
  }
  c.turns = fast * (c.t1 - c.t0);
  c.description = "frequency " + std::to_string(fast);
  if (random.chance(0.3) && fast * c.t1 < 200.0) {
    Event e;
    e.name = "fast crossing";
    const int at = ny;
    e.when = [at](const StateView& s) { return s.y()[at]; };
    e.direction = Crossing::rising;
    c.events.push_back(e);
    const Signal::Wave& w = system->z[0].waves[0];
    ExpectedEvents expected{"fast crossing", {}, w.amplitude * w.frequency};
    const double turn = 2.0 * std::numbers::pi;
    const double ends = (w.frequency * c.t1 + w.phase) / turn;
    for (double k = std::ceil(w.phase / turn); k < ends; k += 1.0) {
      const double t = (k * turn - w.phase) / w.frequency;
      if (t > c.t0 && t < c.t1) expected.times.push_back(t);
    }
    c.expected.push_back(expected);
  }
  write_problem<SlowModel>(c, system, draw_form(random), 1);
  return c;
}

Case draw_quadrature(Random& random) {
  const int n = random.integer(1, 2);
  Case c;
  c.t1 = random.uniform(1.0, 6.0);
  auto q = std::make_shared<Quadrature>();
  q->y = draw_signals(random, n, {.min_frequency = 0.5, .max_frequency = 3.0, .max_waves = 2});
  for (const Signal& s : q->y) q->z.push_back(s.derivative());
  c.solution = [q, n](double t) {
    Eigen::VectorXd x(2 * n);
    x << values_of(q->y, t), values_of(q->z, t);
    return x;
  };
  c.component_index.assign(static_cast<std::size_t>(2 * n), 1);
  const Eigen::VectorXd x0 = c.solution(c.t0);
  // Half with z eliminated: y' = s(t).
  const bool algebraic = random.chance(0.6), semi = random.chance(0.5);
  c.index = algebraic ? 1 : 0;
  if (!algebraic) {
    c.solution = [q](double t) { return values_of(q->y, t); };
    c.component_index.resize(static_cast<std::size_t>(n));
    MassMatrixProblem p{.name = "quadrature"};
    p.rhs = autodiff([q, n](auto t, const auto&, auto& f) {
      for (int i = 0; i < n; ++i) f[i] = q->z[static_cast<std::size_t>(i)].value(t);
    });
    p.y0 = x0.head(n);
    p.index = 0;
    c.problem = p;
  } else if (semi) {
    SemiExplicitProblem p{.name = "quadrature"};
    p.f = autodiff([n](auto, const auto&, const auto& z, auto& f) {
      for (int i = 0; i < n; ++i) f[i] = z[i];
    });
    p.g = autodiff([q, n](auto t, const auto&, const auto& z, auto& g) {
      for (int i = 0; i < n; ++i) g[i] = z[i] - q->z[static_cast<std::size_t>(i)].value(t);
    });
    p.y0 = x0.head(n);
    p.z0 = x0.tail(n);
    c.problem = p;
  } else {
    MassMatrixProblem p{.name = "quadrature"};
    Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(2 * n, 2 * n);
    mass.topLeftCorner(n, n).setIdentity();
    p.mass_matrix = mass.sparseView();
    p.rhs = autodiff([q, n](auto t, const auto& x, auto& f) {
      for (int i = 0; i < n; ++i) {
        f[i] = x[n + i];
        f[n + i] = x[n + i] - q->z[static_cast<std::size_t>(i)].value(t);
      }
    });
    p.y0 = x0;
    c.problem = p;
  }
  c.description = std::to_string(n) + (algebraic ? ", with z" : ", of t alone");
  return c;
}

}  // namespace daedalus::soak
