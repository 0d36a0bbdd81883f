// SPDX-License-Identifier: BSD-3-Clause
// Wheelset of a roller rig on a straight track, conical wheels on circular rails (Simeon, Fuehrer,
// Rentrop 1991; Mazzia, Magherini 2008, problem WHEEL). x lateral, y upwards, z forward; theta yaw,
// phi roll, beta deviation of the rolling rate from omega = V/r0. Each contact point has two
// coordinates: psi around the axle and xi along it (left xi > 0, right xi < 0).
//   wheel  R(xi) = r0 + tan(delta0) (a - |xi|)
//   rail   G(X) = T - r0 - rs cos(delta0),  T = sqrt(rs^2 - (|X| - a - rs sin(delta0))^2)
//   X = x + xi cos(theta) cos(phi) + R (cos(theta) sin(phi) cos(psi) - sin(theta) sin(psi))
//   gap  0 = G(X) - gap_0 - y - xi sin(phi) + R cos(phi) cos(psi)
// Parallel normals give two conditions per contact point. pi is rounded as in the public code.
#pragma once

#include <array>
#include <cmath>

#include <fmt/format.h>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems::simeon {

struct Constants {
  double m = 16.08, g = 9.81, V = 30.0, r0 = 0.1, I1 = 0.0605, I2 = 0.366, mu = 0.12, xl = 0.19,
         cx = 6400.0, cz = 6400.0, e = 1.3537956, GG = 0.7115218, sigma = 0.28, GM = 7.92e10,
         C11 = 4.72772197, C22 = 4.27526987, C23 = 1.97203505, delta0 = 0.0262, a = 0.1506,
         rs = 0.06, gapL = 5.26974913e-10, gapR = -4.96684122e-10;  // gaps: see wheelset.cpp
};
inline constexpr std::array<Field<Constants>, 22> fields{
    {{"m", &Constants::m},         {"g", &Constants::g},     {"V", &Constants::V},
     {"r0", &Constants::r0},       {"I1", &Constants::I1},   {"I2", &Constants::I2},
     {"mu", &Constants::mu},       {"xl", &Constants::xl},   {"cx", &Constants::cx},
     {"cz", &Constants::cz},       {"e", &Constants::e},     {"GG", &Constants::GG},
     {"sigma", &Constants::sigma}, {"GM", &Constants::GM},   {"C11", &Constants::C11},
     {"C22", &Constants::C22},     {"C23", &Constants::C23}, {"delta0", &Constants::delta0},
     {"a", &Constants::a},         {"rs", &Constants::rs},   {"gapL", &Constants::gapL},
     {"gapR", &Constants::gapR}}};

// The published multipliers are 1e-4 times the forces.
inline constexpr double multiplier_scale = 1e4;

template <class S>
struct Angles {
  S st, ct, sp, cp;  // of theta and phi
  template <class Q>
  explicit Angles(const Q& q) {
    using std::cos, std::sin;
    st = sin(q[3]);
    ct = cos(q[3]);
    sp = sin(q[4]);
    cp = cos(q[4]);
  }
};

// One contact point: side +1 left, -1 right.
template <class S>
struct Contact {
  double side;
  S xi, sin_psi, cos_psi, R, X, G, G1, G2;
  double R1;

  Contact(const Constants& c, const Angles<S>& a, const S& x, const S& psi, const S& xi_given)
      : xi(xi_given) {
    using std::cos, std::sin, std::sqrt;
    side = xi < 0.0 ? -1.0 : 1.0;
    const double slope = std::tan(c.delta0);
    sin_psi = sin(psi);
    cos_psi = cos(psi);
    R = c.r0 + slope * (c.a - side * xi);
    R1 = -side * slope;
    X = x + xi * a.ct * a.cp + R * (a.ct * a.sp * cos_psi - a.st * sin_psi);
    const double rail = X < 0.0 ? -1.0 : 1.0;
    const S from_centre = rail * X - (c.a + c.rs * std::sin(c.delta0));
    const S square = c.rs * c.rs - from_centre * from_centre;
    // The published code stops here; without a rail below the wheel there is no contact.
    if (!(square > 0.0))
      throw Reject(fmt::format(
          "derailment: the {} wheel touches at X = {:.6g} m, off its rail, a circle of radius "
          "{:.4g} "
          "m around |X| = {:.6g} m",
          side > 0.0 ? "left" : "right", value_of(X), c.rs, c.a + c.rs * std::sin(c.delta0)));
    const S T = sqrt(square);
    G = T - c.r0 - c.rs * std::cos(c.delta0);
    G1 = -(rail * from_centre) / T;
    G2 = -(c.rs * c.rs) / (T * T * T);
  }

  template <class Q>
  S gap(const Angles<S>& a, const Q& q, double offset) const {
    return G - offset - q[1] - xi * a.sp + R * a.cp * cos_psi;
  }
  // Parallel normals of wheel and rail.
  S condition1(const Angles<S>& a) const {
    return G1 * (R1 * a.sp + a.cp * cos_psi) + R1 * a.ct * a.cp - a.ct * a.sp * cos_psi +
           a.st * sin_psi;
  }
  S condition2(const Angles<S>& a) const {
    return R1 * a.st * a.cp - a.st * a.sp * cos_psi - a.ct * sin_psi;
  }
  // Angle of the contact plane against the horizontal.
  S angle(const Angles<S>& a) const {
    using std::atan;
    return atan(((R1 * a.cp - a.sp * cos_psi) * a.ct + sin_psi * a.st) /
                (-side * (R1 * a.sp + cos_psi * a.cp)));
  }
};

// Creep force on the wheel in the axes x, y, z; N normal force, delta angle of the contact plane.
template <class S, class V>
std::array<S, 3> creep_force(const Constants& c, const Angles<S>& a, const Contact<S>& k,
                             const S& theta, const V& v, const S& beta, const S& N,
                             const S& delta) {
  using std::abs, std::cos, std::pow, std::sin, std::sqrt, std::tanh;
  const double pi = 3.1415926;  // as in the public code: the reference depends on it
  const S sd = sin(delta), cd = cos(delta);
  const S s = sin(theta / cd), b = cos(theta / cd);
  const S roll = c.V / c.r0 + beta;
  const S A = 0.5 / (k.R * std::sqrt(1.0 + k.R1 * k.R1));
  const S steep = 1.0 + k.G1 * k.G1;
  const S B = -0.5 * k.G2 / (steep * sqrt(steep));
  const S size =
      pow(3.0 * abs(N) * (1.0 - c.sigma) * c.e / (2.0 * pi * (A + B) * c.GM * std::sqrt(c.GG)),
          1.0 / 3.0);
  const S around = k.xi * a.sp - k.R * a.cp * k.cos_psi;
  const S w1 = -roll * k.R * (s * k.cos_psi + b * a.sp * k.sin_psi) + v[0] -
               v[3] * (k.R * (s * a.sp * k.cos_psi + b * k.sin_psi) + k.xi * s * a.cp) -
               v[4] * b * around;
  const S w2 = roll * k.R * a.cp * k.sin_psi + v[1] + v[4] * (k.xi * a.cp + k.R * a.sp * k.cos_psi);
  const S w3 = -roll * k.R * (b * k.cos_psi - s * a.sp * k.sin_psi) + c.V + v[2] -
               v[3] * (k.xi * b * a.cp + k.R * (b * a.sp * k.cos_psi - s * k.sin_psi)) +
               v[4] * s * around;
  const S r1 = w1 - 2.0 * v[0], r2 = w2 - 2.0 * v[1], r3 = w3 - 2.0 * v[2] - 2.0 * c.V;
  const S speed = 0.5 * sqrt(r1 * r1 + r2 * r2 + r3 * r3);
  const S along = (s * w1 + b * w3) / speed;
  const S across = (b * cd * w1 + k.side * sd * w2 - s * cd * w3) / speed;
  const S spin = (-k.side * sd * roll + cd * v[3]) / speed;
  const S F = c.mu * N;
  S Tx = -F * tanh(c.GM * size * size * c.C11 * along / F);
  S Ty = -F *
         tanh((c.GM * size * size * c.C22 * across + c.GM * size * size * size * c.C23 * spin) / F);
  const S square = Tx * Tx + Ty * Ty;
  if (square > F * F) {
    const S factor = abs(F) / sqrt(square);
    Tx = Tx * factor;
    Ty = Ty * factor;
  }
  return {s * Tx + b * cd * Ty, k.side * sd * Ty, b * Tx - s * cd * Ty};
}

// Rows x, y, z, theta, phi of the force without constraint force, and the derivative of beta.
template <class S>
struct Forces {
  std::array<S, 5> f;
  S beta_rate;

  template <class Point>
  Forces(const Constants& c, const Point& x) {
    using std::abs, std::cos, std::sin;
    const auto& [q, v] = std::pair<decltype(x.q), decltype(x.v)>(x.q, x.v);
    const Angles<S> a(q);
    const Contact<S> right(c, a, q[0], x.s[0], x.s[1]), left(c, a, q[0], x.s[2], x.s[3]);
    const S E1 = multiplier_scale * x.lambda[0], E2 = multiplier_scale * x.lambda[1];
    const S dl = left.angle(a), dr = right.angle(a);
    const S D = -sin(dl) * cos(dr) - sin(dr) * cos(dl);
    const S W1 = left.G1 * E1 + right.G1 * E2, W2 = -(E1 + E2);
    const S NL = (cos(dr) * W1 - sin(dr) * W2) / D, NR = (-cos(dl) * W1 - sin(dl) * W2) / D;
    const S beta = x.c[0], roll = c.V / c.r0 + beta;
    const auto TL = creep_force<S>(c, a, left, q[3], v, beta, NL, dl);
    const auto TR = creep_force<S>(c, a, right, q[3], v, beta, NR, dr);
    const S yaw_spring = -2.0 * c.xl * c.xl * c.cz * q[3];
    f[0] = TL[0] + TR[0] - 2.0 * c.cx * q[0];
    f[1] = TL[1] + TR[1] - c.m * c.g;
    f[2] = TL[2] + TR[2] - 2.0 * c.cz * q[2];
    f[3] = c.I2 * v[3] * v[4] * a.sp - c.I1 * roll * v[4] - (c.I1 - c.I2) * v[3] * v[4] * a.sp +
           yaw_spring * a.cp;
    f[4] = c.I1 * roll * v[3] * a.cp + (c.I1 - c.I2) * v[3] * v[3] * a.sp * a.cp;
    S rolling = -c.I1 * v[3] * v[4] * a.cp + yaw_spring * a.sp;
    S yaw_constraint = S(0.0);
    for (const auto& [k, T, E] : {std::tuple(&left, &TL, E1), std::tuple(&right, &TR, E2)}) {
      const auto& [T1, T2, T3] = *T;
      const S rs = k->R * k->sin_psi, rc = k->R * k->cos_psi;
      f[3] = f[3] - (k->xi * a.st + rs * a.ct * a.cp) * T1 - rs * a.sp * T2 +
             (rs * a.st * a.cp - k->xi * a.ct) * T3;
      f[4] = f[4] - (k->xi * a.ct * a.sp - rc * a.ct * a.cp) * T1 +
             (k->xi * a.cp + rc * a.sp) * T2 + (k->xi * a.st * a.sp - rc * a.st * a.cp) * T3;
      rolling = rolling - (rc * a.st + rs * a.ct * a.sp) * T1 + rs * a.cp * T2 -
                (rc * a.ct - rs * a.st * a.sp) * T3;
      yaw_constraint =
          yaw_constraint +
          k->G1 * (k->R * (-a.ct * k->sin_psi - k->cos_psi * a.sp * a.st) - a.cp * a.st * k->xi) *
              E;
    }
    beta_rate = rolling / c.I1 - a.sp * (f[3] + yaw_constraint) / (c.I2 * a.cp);
  }
};

}  // namespace daedalus::problems::simeon
