// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms by hand: pendulum and car axis with multipliers in closed form, the squeezing
// mechanism by one elimination of fixed size; and the functions of all of them, at plain numbers,
// for half-explicit codes.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include <catalogue/andrews.hpp>
#include <catalogue/car_axis.hpp>

#include "peers/plain.hpp"

namespace daedalus::peers {
namespace {

struct Entries {
  double* values;
  int ld;
  double& operator()(int r, int c) { return values[c * ld + r]; }
};

constexpr double gravity = 9.81;

void pendulum(double, const double* x, double* f) {
  const double lambda = (x[2] * x[2] + x[3] * x[3] - gravity * x[1]) / (x[0] * x[0] + x[1] * x[1]);
  f[0] = x[2];
  f[1] = x[3];
  f[2] = -lambda * x[0];
  f[3] = -lambda * x[1] - gravity;
}
void pendulum_to_model(double, const double* x, double* y) {
  std::copy_n(x, 4, y);
  y[4] = (x[2] * x[2] + x[3] * x[3] - gravity * x[1]) / (x[0] * x[0] + x[1] * x[1]);
}
const PlainMechanics pendulum_mechanics{
    2,
    1,
    [](double, const double*, double* M, int ld) {
      M[0] = M[ld + 1] = 1.0;
      M[1] = M[ld] = 0.0;
    },
    [](double, const double*, const double*, double* f) {
      f[0] = 0.0;
      f[1] = -gravity;
    },
    [](double, const double* q, double* g) { g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0); },
    [](double, const double* q, double* G, int ld) {
      G[0] = q[0];
      G[ld] = q[1];
    },
    [](double, const double*, double* g_t) { g_t[0] = 0.0; },
    [](double, const double*, const double* v, double* k) { k[0] = v[0] * v[0] + v[1] * v[1]; }};

const problems::car_axis_example::CarAxis axis{};

// M is a multiple of the identity: the multipliers follow from a system of two equations.
void axis_motion(double t, const double* q, const double* v, double* a, double* lambda) {
  const problems::car_axis_example::Road<double> road(axis.c, t);
  const double m = axis.mass(), dx = q[0] - q[2], dy = q[1] - q[3];
  const double left = axis.c.L0 / std::sqrt(q[0] * q[0] + q[1] * q[1]) - 1.0;
  const double x = q[2] - road.x, y = q[3] - road.y;
  const double right = axis.c.L0 / std::sqrt(x * x + y * y) - 1.0;
  const double f[4]{left * q[0], left * q[1] - m * axis.c.g, right * x, right * y - m * axis.c.g};
  const double du = v[0] - v[2], dv = v[1] - v[3];
  const double k1 = -(road.ddx * q[0] + road.ddy * q[1] + 2.0 * (road.dx * v[0] + road.dy * v[1]));
  const double k2 = -2.0 * (du * du + dv * dv);
  // G = [-xb -yb 0 0; -2dx -2dy 2dx 2dy]
  const double a11 = road.x * road.x + road.y * road.y, a12 = 2.0 * (road.x * dx + road.y * dy),
               a22 = 8.0 * (dx * dx + dy * dy);
  const double b1 = -(road.x * f[0] + road.y * f[1]) + m * k1;
  const double b2 = 2.0 * (dx * (f[2] - f[0]) + dy * (f[3] - f[1])) + m * k2;
  const double inverse = 1.0 / (a11 * a22 - a12 * a12);
  lambda[0] = (a22 * b1 - a12 * b2) * inverse;
  lambda[1] = (a11 * b2 - a12 * b1) * inverse;
  const double per_mass = 1.0 / m;
  a[0] = (f[0] + road.x * lambda[0] + 2.0 * dx * lambda[1]) * per_mass;
  a[1] = (f[1] + road.y * lambda[0] + 2.0 * dy * lambda[1]) * per_mass;
  a[2] = (f[2] - 2.0 * dx * lambda[1]) * per_mass;
  a[3] = (f[3] - 2.0 * dy * lambda[1]) * per_mass;
}
void car_axis(double t, const double* x, double* f) {
  double lambda[2];
  std::copy_n(x + 4, 4, f);
  axis_motion(t, x, x + 4, f + 4, lambda);
}
void car_axis_to_model(double t, const double* x, double* y) {
  double a[4];
  std::copy_n(x, 8, y);
  axis_motion(t, x, x + 4, a, y + 8);
}
const PlainMechanics axis_mechanics{
    4,
    2,
    [](double, const double*, double* M, int ld) {
      for (int c = 0; c < 4; ++c)
        for (int r = 0; r < 4; ++r) M[c * ld + r] = r == c ? axis.mass() : 0.0;
    },
    [](double t, const double* q, const double* v, double* f) { axis.force(t, q, v, f); },
    [](double t, const double* q, double* g) { axis.constraint(t, q, g); },
    [](double t, const double* q, double* G, int ld) {
      Entries entries{G, ld};
      axis.constraint_jacobian(t, q, entries);
    },
    [](double t, const double* q, double* g_t) { axis.constraint_time_derivative(t, q, g_t); },
    [](double t, const double* q, const double* v, double* k) {
      axis.acceleration_term(t, q, v, k);
    }};

const problems::squeezer::Model squeezer{};

const PlainMechanics squeezer_mechanics{
    7,
    6,
    [](double, const double* q, double* M, int ld) {
      Entries entries{M, ld};
      squeezer.mass(q, entries);
    },
    [](double, const double* q, const double* v, double* f) { squeezer.force(q, v, f); },
    [](double, const double* q, double* g) { squeezer.constraint(q, g); },
    [](double, const double* q, double* G, int ld) {
      Entries entries{G, ld};
      squeezer.constraint_jacobian(q, entries);
    },
    [](double, const double*, double* g_t) { std::fill_n(g_t, 6, 0.0); },
    [](double, const double* q, const double* v, double* k) {
      squeezer.acceleration_term(q, v, k);
    }};

Eigen::Matrix<double, 13, 1> squeezer_motion(const double* x) {
  Eigen::Matrix<double, 13, 13> A = Eigen::Matrix<double, 13, 13>::Zero();
  Eigen::Matrix<double, 13, 1> b;
  Entries M{A.data(), 13}, G{A.data() + 7, 13};
  squeezer.mass(x, M);
  squeezer.constraint_jacobian(x, G);
  A.topRightCorner<7, 6>() = A.bottomLeftCorner<6, 7>().transpose();
  double* below = b.data() + 7;
  double* above = b.data();
  squeezer.force(x, x + 7, above);
  squeezer.acceleration_term(x, x + 7, below);
  b.tail<6>() *= -1.0;
  return A.partialPivLu().solve(b);
}
void andrews(double, const double* x, double* f) {
  std::copy_n(x + 7, 7, f);
  Eigen::Map<Eigen::Matrix<double, 7, 1>>(f + 7) = squeezer_motion(x).head<7>();
}
void andrews_to_model(double, const double* x, double* y) {
  std::copy_n(x, 14, y);
  Eigen::Map<Eigen::Matrix<double, 6, 1>>(y + 14) = squeezer_motion(x).tail<6>();
}

}  // namespace

const PlainProblem* plain_mechanism(const std::string& name) {
  static const PlainProblem list[]{{"pendulum", 4, pendulum, nullptr, nullptr, nullptr, true, true,
                                    pendulum_to_model, nullptr, &pendulum_mechanics},
                                   {"car-axis", 8, car_axis, nullptr, nullptr, nullptr, true, false,
                                    car_axis_to_model, nullptr, &axis_mechanics},
                                   {"andrews", 14, andrews, nullptr, nullptr, nullptr, true, true,
                                    andrews_to_model, nullptr, &squeezer_mechanics}};
  for (const PlainProblem& p : list)
    if (name == p.name) return &p;
  return nullptr;
}

}  // namespace daedalus::peers
