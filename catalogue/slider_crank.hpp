// SPDX-License-Identifier: BSD-3-Clause
// Mass matrix and forces of the flexible slider crank. With S = sin(phi1 - phi2),
// K = cos(phi1 - phi2) and the elastic coordinates e:
//   M11 = J1 + m2 l1^2, M12 = l1 l2 m2 K/2 + rho l1 (S c2.e + K c1.e),
//   M22 = J2 + e.MQ e + 2 rho c12.e, M33 = m3,
//   M1i = rho l1 (K c2i - S c1i), M2i = rho (c21i + (e.B)i), Mij = MQij.
// Simeon (1996); constants as in the public code, including its rounded pi and its matrix MQ,
// which has no factor 1/15.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <catalogue/support.hpp>

namespace daedalus::problems::crank {

struct Constants {
  double m1 = 0.36, m2 = 0.151104, m3 = 0.075552, l1 = 0.15, l2 = 0.30, J1 = 0.002727,
         J2 = 0.0045339259, E = 2e11, b = 0.008, h = 0.008, rho = 7870.0, g = 0.0, Omega = 150.0;
};
inline constexpr std::array<Field<Constants>, 13> fields{{{"m1", &Constants::m1},
                                                          {"m2", &Constants::m2},
                                                          {"m3", &Constants::m3},
                                                          {"l1", &Constants::l1},
                                                          {"l2", &Constants::l2},
                                                          {"J1", &Constants::J1},
                                                          {"J2", &Constants::J2},
                                                          {"E", &Constants::E},
                                                          {"b", &Constants::b},
                                                          {"h", &Constants::h},
                                                          {"rho", &Constants::rho},
                                                          {"g", &Constants::g},
                                                          {"Omega", &Constants::Omega}}};

inline std::vector<std::string> coordinates() {
  return {"phi1", "phi2", "x3", "q1", "q2", "q3", "q4"};
}

struct Model {
  using Vector4 = std::array<double, 4>;
  using Matrix4 = std::array<Vector4, 4>;

  Constants c;
  Matrix4 MQ{}, KQ{}, B{};  // elastic mass, stiffness, and coupling with the rotation of the rod
  Vector4 c1{}, c2{}, c12{}, c21{};

  explicit Model(const Constants& constants) : c(constants) {
    const double pi = 3.1415927;  // as in the public code: the reference depends on it
    const double volume = c.b * c.h * c.l2, mass = c.rho * volume;
    const double stiffness = c.E * c.b * c.h / c.l2;
    const double slender = (c.h / c.l2) * (c.h / c.l2);
    const double pi3 = pi * pi * pi, pi4 = pi3 * pi;
    MQ[0][0] = MQ[1][1] = 0.5 * mass;
    MQ[2][2] = 8.0 * mass;
    MQ[2][3] = MQ[3][2] = mass;
    MQ[3][3] = 2.0 * mass;
    KQ[0][0] = stiffness * pi4 / 24.0 * slender;
    KQ[1][1] = stiffness * 2.0 * pi4 / 3.0 * slender;
    KQ[2][2] = 16.0 * stiffness / 3.0;
    KQ[2][3] = KQ[3][2] = -8.0 * stiffness / 3.0;
    KQ[3][3] = 7.0 * stiffness / 3.0;
    B[0][2] = -16.0 * volume / pi3;
    B[0][3] = volume * (8.0 / pi3 - 1.0 / pi);
    B[1][3] = 0.5 * volume / pi;
    B[2][0] = -B[0][2];
    B[3][0] = -B[0][3];
    B[3][1] = -B[1][3];
    c1 = {0.0, 0.0, 2.0 / 3.0 * volume, 1.0 / 6.0 * volume};
    c2 = {2.0 / pi * volume, 0.0, 0.0, 0.0};
    c12 = {0.0, 0.0, c.l2 * volume / 3.0, c.l2 * volume / 6.0};
    c21 = {c.l2 * volume / pi, -0.5 * c.l2 * volume / pi, 0.0, 0.0};
  }

  // a . x and (A x)_i for the elastic part of a vector of seven entries.
  template <class V>
  static auto dot(const Vector4& a, const V& x) {
    return a[0] * x[3] + a[1] * x[4] + a[2] * x[5] + a[3] * x[6];
  }
  // x^T A y
  template <class V, class W>
  static auto form(const V& x, const Matrix4& A, const W& y) {
    return x[3] * dot(A[0], y) + x[4] * dot(A[1], y) + x[5] * dot(A[2], y) + x[6] * dot(A[3], y);
  }

  template <class Position, class Result>
  void mass(const Position& q, Result& M) const {
    using std::cos, std::sin;
    const auto S = sin(q[0] - q[1]);
    const auto K = cos(q[0] - q[1]);
    M(0, 0) = c.J1 + c.m2 * c.l1 * c.l1;
    M(0, 1) = 0.5 * c.l1 * c.l2 * c.m2 * K + c.rho * c.l1 * (S * dot(c2, q) + K * dot(c1, q));
    M(1, 1) = c.J2 + form(q, MQ, q) + 2.0 * c.rho * dot(c12, q);
    M(0, 2) = 0.0;
    M(1, 2) = 0.0;
    M(2, 2) = c.m3;
    for (int i = 0; i < 4; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Vector4 column{B[0][k], B[1][k], B[2][k], B[3][k]};
      M(0, 3 + i) = c.rho * c.l1 * (K * c2[k] - S * c1[k]);
      M(1, 3 + i) = c.rho * (c21[k] + dot(column, q));
      M(2, 3 + i) = 0.0;
      for (int j = i; j < 4; ++j) M(3 + i, 3 + j) = MQ[k][static_cast<std::size_t>(j)];
    }
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < i; ++j) M(i, j) = M(j, i);
  }

  template <class Position, class Velocity, class Result>
  void force(const Position& q, const Velocity& v, Result& f) const {
    using std::cos, std::sin;
    const auto S = sin(q[0] - q[1]);
    const auto K = cos(q[0] - q[1]);
    const auto s2 = sin(q[1]);
    const auto cos2 = cos(q[1]);
    const auto c1q = dot(c1, q);
    const auto c2q = dot(c2, q);
    const auto v1v1 = v[0] * v[0];
    const auto v2v2 = v[1] * v[1];
    f[0] = -0.5 * c.l1 * c.g * (c.m1 + 2.0 * c.m2) * cos(q[0]) -
           0.5 * c.l1 * c.l2 * c.m2 * v2v2 * S + c.rho * c.l1 * v2v2 * (K * c2q - S * c1q) -
           2.0 * c.rho * c.l1 * v[1] * (K * dot(c1, v) + S * dot(c2, v));
    f[1] = -0.5 * c.l2 * c.g * c.m2 * cos2 + 0.5 * c.l1 * c.l2 * c.m2 * v1v1 * S +
           c.rho * c.l1 * v1v1 * (S * c1q - K * c2q) - 2.0 * c.rho * v[1] * dot(c12, v) -
           2.0 * v[1] * form(v, MQ, q) - c.rho * form(v, B, v) -
           c.rho * c.g * (cos2 * c1q - s2 * c2q);
    f[2] = 0.0;
    for (int i = 0; i < 4; ++i) {
      const auto k = static_cast<std::size_t>(i);
      f[3 + i] = v2v2 * dot(MQ[k], q) +
                 c.rho * (v2v2 * c12[k] + c.l1 * v1v1 * (K * c1[k] + S * c2[k]) +
                          2.0 * v[1] * dot(B[k], v)) -
                 c.rho * c.g * (s2 * c1[k] + cos2 * c2[k]) - dot(KQ[k], q);
    }
  }
};

}  // namespace daedalus::problems::crank
