// SPDX-License-Identifier: BSD-3-Clause
// Equations of Andrews' squeezing mechanism in the angles q = (beta, Theta, gamma, Phi, delta,
// Omega, epsilon). Hairer, Wanner (1996), section VII.7, (7.7) to (7.10); lengths in m, masses in
// kg.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <catalogue/support.hpp>

namespace daedalus::problems::squeezer {

struct Constants {
  double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
  double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
         I7 = 1.912e-5;
  double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072, c0 = 4530.0;
  double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, l0 = .07785, ss = .035,
         sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04,
         ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421, mom = .033;
};

#define DAEDALUS_FIELD(name) \
  Field<Constants> { #name, &Constants::name }
inline constexpr std::array<Field<Constants>, 42> fields{
    {DAEDALUS_FIELD(m1), DAEDALUS_FIELD(m2), DAEDALUS_FIELD(m3), DAEDALUS_FIELD(m4),
     DAEDALUS_FIELD(m5), DAEDALUS_FIELD(m6), DAEDALUS_FIELD(m7), DAEDALUS_FIELD(I1),
     DAEDALUS_FIELD(I2), DAEDALUS_FIELD(I3), DAEDALUS_FIELD(I4), DAEDALUS_FIELD(I5),
     DAEDALUS_FIELD(I6), DAEDALUS_FIELD(I7), DAEDALUS_FIELD(xa), DAEDALUS_FIELD(ya),
     DAEDALUS_FIELD(xb), DAEDALUS_FIELD(yb), DAEDALUS_FIELD(xc), DAEDALUS_FIELD(yc),
     DAEDALUS_FIELD(c0), DAEDALUS_FIELD(d),  DAEDALUS_FIELD(da), DAEDALUS_FIELD(e),
     DAEDALUS_FIELD(ea), DAEDALUS_FIELD(rr), DAEDALUS_FIELD(ra), DAEDALUS_FIELD(l0),
     DAEDALUS_FIELD(ss), DAEDALUS_FIELD(sa), DAEDALUS_FIELD(sb), DAEDALUS_FIELD(sc),
     DAEDALUS_FIELD(sd), DAEDALUS_FIELD(ta), DAEDALUS_FIELD(tb), DAEDALUS_FIELD(u),
     DAEDALUS_FIELD(ua), DAEDALUS_FIELD(ub), DAEDALUS_FIELD(zf), DAEDALUS_FIELD(zt),
     DAEDALUS_FIELD(fa), DAEDALUS_FIELD(mom)}};
#undef DAEDALUS_FIELD

inline std::vector<std::string> angles() {
  return {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
}

struct Model {
  Constants k;

  template <class Position, class Result>
  void mass(const Position& q, Result& M) const {
    using std::cos, std::sin;
    const double ee = k.e - k.ea, ff = k.zf - k.fa;
    const auto arm = k.da * k.rr * cos(q[1]);
    const auto rod = k.zt * ee * sin(q[3]);
    const auto fork = k.u * ff * sin(q[5]);
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 7; ++j) M(i, j) = 0.0;
    M(0, 0) = k.m1 * k.ra * k.ra + k.m2 * (k.rr * k.rr - 2.0 * arm + k.da * k.da) + k.I1 + k.I2;
    M(0, 1) = k.m2 * (k.da * k.da - arm) + k.I2;
    M(1, 0) = M(0, 1);
    M(1, 1) = k.m2 * k.da * k.da + k.I2;
    M(2, 2) = k.m3 * (k.sa * k.sa + k.sb * k.sb) + k.I3;
    M(3, 3) = k.m4 * ee * ee + k.I4;
    M(3, 4) = k.m4 * (ee * ee + rod) + k.I4;
    M(4, 3) = M(3, 4);
    M(4, 4) = k.m4 * (k.zt * k.zt + 2.0 * rod + ee * ee) + k.m5 * (k.ta * k.ta + k.tb * k.tb) +
              k.I4 + k.I5;
    M(5, 5) = k.m6 * ff * ff + k.I6;
    M(5, 6) = k.m6 * (ff * ff - fork) + k.I6;
    M(6, 5) = M(5, 6);
    M(6, 6) = k.m6 * (ff * ff - 2.0 * fork + k.u * k.u) + k.m7 * (k.ua * k.ua + k.ub * k.ub) +
              k.I6 + k.I7;
  }

  template <class Position, class Velocity, class Result>
  void force(const Position& q, const Velocity& v, Result& f) const {
    using std::cos, std::sin, std::sqrt;
    const double ee = k.e - k.ea, ff = k.zf - k.fa;
    const auto sin_gamma = sin(q[2]);
    const auto cos_gamma = cos(q[2]);
    const auto arm = k.m2 * k.da * k.rr * sin(q[1]);
    const auto rod = k.m4 * k.zt * ee * cos(q[3]);
    const auto fork = k.m6 * k.u * ff * cos(q[5]);
    const auto x = k.sd * cos_gamma + k.sc * sin_gamma + (k.xb - k.xc);
    const auto y = k.sd * sin_gamma - k.sc * cos_gamma + (k.yb - k.yc);
    const auto spring = k.c0 * (k.l0 / sqrt(x * x + y * y) - 1.0);
    f[0] = k.mom - arm * v[1] * (v[1] + 2.0 * v[0]);
    f[1] = arm * v[0] * v[0];
    f[2] = spring *
           (x * (k.sc * cos_gamma - k.sd * sin_gamma) + y * (k.sd * cos_gamma + k.sc * sin_gamma));
    f[3] = rod * v[4] * v[4];
    f[4] = -rod * v[3] * (v[3] + 2.0 * v[4]);
    f[5] = -fork * v[6] * v[6];
    f[6] = fork * v[5] * (v[5] + 2.0 * v[6]);
  }

  // Kinetic, of the spring, and of the constant moment that drives K1: beta falls, as it were.
  template <class Position, class Velocity>
  auto energy(const Position& q, const Velocity& v) const {
    using std::cos, std::sin, std::sqrt;
    using S = std::decay_t<decltype(q[0] * v[0])>;
    struct {
      std::array<S, 49> entries;
      S& operator()(int i, int j) { return entries[static_cast<std::size_t>(i + 7 * j)]; }
    } M;
    mass(q, M);
    S twice(0.0);
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 7; ++j) twice = twice + v[i] * M(i, j) * v[j];
    const auto x = k.sd * cos(q[2]) + k.sc * sin(q[2]) + (k.xb - k.xc);
    const auto y = k.sd * sin(q[2]) - k.sc * cos(q[2]) + (k.yb - k.yc);
    const auto extension = sqrt(x * x + y * y) - k.l0;
    return 0.5 * (twice + k.c0 * extension * extension) - k.mom * q[0];
  }

  template <class Position, class Result>
  void constraint(const Position& q, Result& g) const {
    using std::cos, std::sin;
    const auto x = k.rr * cos(q[0]) - k.d * cos(q[0] + q[1]);
    const auto y = k.rr * sin(q[0]) - k.d * sin(q[0] + q[1]);
    g[0] = x - k.ss * sin(q[2]) - k.xb;
    g[1] = y + k.ss * cos(q[2]) - k.yb;
    g[2] = x - k.e * sin(q[3] + q[4]) - k.zt * cos(q[4]) - k.xa;
    g[3] = y + k.e * cos(q[3] + q[4]) - k.zt * sin(q[4]) - k.ya;
    g[4] = x - k.zf * cos(q[5] + q[6]) - k.u * sin(q[6]) - k.xa;
    g[5] = y - k.zf * sin(q[5] + q[6]) + k.u * cos(q[6]) - k.ya;
  }

  template <class Position, class Result>
  void constraint_jacobian(const Position& q, Result& G) const {
    using std::cos, std::sin;
    const auto dx = k.d * sin(q[0] + q[1]);
    const auto dy = k.d * cos(q[0] + q[1]);
    const auto rod_sine = k.e * sin(q[3] + q[4]);
    const auto rod_cosine = k.e * cos(q[3] + q[4]);
    const auto fork_sine = k.zf * sin(q[5] + q[6]);
    const auto fork_cosine = k.zf * cos(q[5] + q[6]);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 7; ++j) G(i, j) = 0.0;
    for (int i = 0; i < 6; i += 2) {
      G(i, 0) = dx - k.rr * sin(q[0]);
      G(i, 1) = dx;
      G(i + 1, 0) = k.rr * cos(q[0]) - dy;
      G(i + 1, 1) = -dy;
    }
    G(0, 2) = -k.ss * cos(q[2]);
    G(1, 2) = -k.ss * sin(q[2]);
    G(2, 3) = -rod_cosine;
    G(2, 4) = k.zt * sin(q[4]) - rod_cosine;
    G(3, 3) = -rod_sine;
    G(3, 4) = -rod_sine - k.zt * cos(q[4]);
    G(4, 5) = fork_sine;
    G(4, 6) = fork_sine - k.u * cos(q[6]);
    G(5, 5) = -fork_cosine;
    G(5, 6) = -fork_cosine - k.u * sin(q[6]);
  }

  // Every term of g is a sine or cosine of one angle a: its second derivative is -(a')^2 times it.
  template <class Position, class Velocity, class Result>
  void acceleration_term(const Position& q, const Velocity& v, Result& a) const {
    using std::cos, std::sin;
    const auto beta = k.rr * v[0] * v[0];
    const auto crank = k.d * (v[0] + v[1]) * (v[0] + v[1]);
    const auto gamma = k.ss * v[2] * v[2];
    const auto rod = k.e * (v[3] + v[4]) * (v[3] + v[4]);
    const auto delta = k.zt * v[4] * v[4];
    const auto fork = k.zf * (v[5] + v[6]) * (v[5] + v[6]);
    const auto epsilon = k.u * v[6] * v[6];
    const auto x = crank * cos(q[0] + q[1]) - beta * cos(q[0]);
    const auto y = crank * sin(q[0] + q[1]) - beta * sin(q[0]);
    a[0] = x + gamma * sin(q[2]);
    a[1] = y - gamma * cos(q[2]);
    a[2] = x + rod * sin(q[3] + q[4]) + delta * cos(q[4]);
    a[3] = y - rod * cos(q[3] + q[4]) + delta * sin(q[4]);
    a[4] = x + fork * cos(q[5] + q[6]) + epsilon * sin(q[6]);
    a[5] = y + fork * sin(q[5] + q[6]) - epsilon * cos(q[6]);
  }
};

}  // namespace daedalus::problems::squeezer
