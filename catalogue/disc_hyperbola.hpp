// SPDX-License-Identifier: BSD-3-Clause
// Disc on a hyperbola branch (Arnold 1998, Examples 24 to 28, Theorems 19 and 20): a massless disc
// of radius rho with a point mass in its centre q rests on the ground eta <= sqrt(xi^2 + a^2). With
// the coordinate s = xi - q1 of the rim
//   zeta(s; q1) = sqrt(rho^2 - s^2) + sqrt((q1 + s)^2 + a^2),  0 = q2 - max_s zeta   (4.5), (4.7).
// For a > rho the contact point is unique. For a < rho it jumps from -xi_* to xi_* when q1 passes
// zero, where q2(q1) has a kink; who follows the old contact point meets an impasse point later.
#pragma once

#include <cmath>
#include <tuple>

#include <catalogue/catalogue.hpp>
#include <daedalus/contact_table.hpp>

namespace daedalus::problems::disc_hyperbola_model {

struct Disc {
  double a = 0.4, rho = 0.8;

  template <class S, class P>
  auto operator()(const S& s, const P& p) const {
    using std::sqrt;
    const auto xi = p[0] + s;
    return sqrt((rho - s) * (rho + s)) + sqrt(xi * xi + a * a);
  }

  // Closed forms for a < rho.
  double contact_at_jump() const { return std::sqrt(0.5 * (rho * rho - a * a)); }  // xi_*
  double slope_at_jump() const {                                                   // (4.17)
    return std::sqrt((rho * rho - a * a) / (rho * rho + a * a));
  }
  double impact_factor() const { return a * a / (rho * rho); }  // of the speed, by (4.18)
  // The fold of zeta_s = 0: the impasse point of the branch that comes from q1 < 0, xi_P < 0.
  double impasse_xi() const { return -a * std::sqrt(0.5 * (std::pow(rho / a, 2.0 / 3.0) - 1.0)); }
  double impasse_q1() const {
    return std::pow(std::pow(rho, 2.0 / 3.0) - std::pow(a, 2.0 / 3.0), 1.5) / std::sqrt(2.0);
  }
  // q2 at q1 = 0, for every a.
  double lowest() const { return a < rho ? std::sqrt(2.0 * (rho * rho + a * a)) : rho + a; }
};

// Gauss-Legendre points in theta, s = rho sin theta: the square root at the rim does no harm.
ContactGrid rim(double rho, int panels);

enum class Treatment { rigid = 0, quasi_elastic = 1, table = 2, branch = 3 };

struct Constants {
  double a = 0.4, radius = 0.8, mass = 1.0, gravity = 9.81, start = -1.0, nu = 0.02, panels = 24.0,
         treatment = 1.0;
};

inline auto contacts(const Constants& c) {
  const Disc disc{c.a, c.radius};
  return std::tuple{Contact{"disc",
                            ContactFamily(rim(c.radius, static_cast<int>(c.panels)), c.nu, disc),
                            [](const auto&, const auto& q) { return std::array{q[0]}; },
                            [](const auto&, const auto& q) { return q[1]; }}};
}

// smax and point of attack as splines of q1, for |q1| up to half as much again as at the start.
ContactTable table(const Constants& c);

}  // namespace daedalus::problems::disc_hyperbola_model
