// SPDX-License-Identifier: BSD-3-Clause
// The heavy top: a rigid body under gravity, one point of its axis fixed in the origin. Mass m,
// centre of mass X = (0, l, 0) in the body, inertia J = diag(J_t, J_a, J_t) about it, gravity
// gamma = (0, 0, -g). Wieloch (2022), section 3.4 and chapter 6; Bruels, Cardona, Arnold (2012).
//
// About the fixed point, on SO(3) and S^3 (no constraints), K = J + m l^2 diag(1, 0, 1):
//   K Omega' = -Omega x K Omega + X x R^T m gamma.                              Wieloch (2022),
//   (3.20)
// About the centre of mass on R^3 x SO(3) and R^3 x S^3, x' = u:                             (3.51)
//   m u' = m gamma + R lambda,  J Omega' = -Omega x J Omega - X x lambda,  0 = X - R^T x.
// On SE(3) and the semidirect product of R^3 with S^3, x' = R U:                             (3.52)
//   m U' = -m Omega x U + m R^T gamma + lambda, the rest as above.
// lambda = m (Omega' x X + Omega x (Omega x X) - R^T gamma) is the force at the pivot, body frame.
// The spin Omega_2, the energy and the momentum about the vertical are constant.
#pragma once

#include <array>
#include <vector>

#include <catalogue/support_lie.hpp>

namespace daedalus::problems {

enum class HeavyTop { so3, s3, r3xso3, r3xs3, se3, s3_semidirect };

namespace heavy_top {

struct Constants {
  double mass = 15.0, length = 1.0, gravity = 9.81;
  double transverse = 0.234375, axial = 0.46875;  // J_t, J_a
  double spin = 150.0, precession = -4.61538;     // Omega_2, Omega_3 at the start
};
inline constexpr std::array<Field<Constants>, 7> fields{{{"mass", &Constants::mass},
                                                         {"length", &Constants::length},
                                                         {"gravity", &Constants::gravity},
                                                         {"transverse", &Constants::transverse},
                                                         {"axial", &Constants::axial},
                                                         {"spin", &Constants::spin},
                                                         {"precession", &Constants::precession}}};

constexpr bool has_position(HeavyTop form) { return form >= HeavyTop::r3xso3; }
constexpr bool has_quaternion(HeavyTop form) {
  return form == HeavyTop::s3 || form == HeavyTop::r3xs3 || form == HeavyTop::s3_semidirect;
}
// Both velocities in the body frame.
constexpr bool is_semidirect(HeavyTop form) { return form >= HeavyTop::se3; }

// Power series of the rotation and the angular velocity around the points of an equidistant grid,
// degree 24 in extended precision: |R(t)| and Omega(t) to 1e-14 relative for t up to a few seconds.
class Trajectory {
 public:
  Trajectory(const Constants& constants, double t_end);

  double t_end() const { return step * static_cast<double>(series_.size()); }
  // All variables of the form, q, v, lambda; 0 <= t <= t_end.
  void evaluate(HeavyTop form, double t, double* y) const;

 private:
  static constexpr int degree = 24;
  static constexpr int components = 7;       // p, Omega
  static constexpr double step = 1.0 / 128;  // the spin turns the body by 1.2 rad
  using State = std::array<long double, components>;
  using Series = std::array<State, degree + 1>;

  Series expand(const State& start) const;
  static State sum(const Series& series, long double tau);

  Constants constants_;
  std::vector<Series> series_;
};

// The number of model variables: q, v, lambda.
int size_of(HeavyTop form);
Entry entry(HeavyTop form);

}  // namespace heavy_top

// The solution for the default constants at any time in [0, 2], all variables (q, v, lambda), to
// about 1e-14; false for other times. Fits Options::known.
bool heavy_top_exact(HeavyTop form, double t, Out y);

}  // namespace daedalus::problems
