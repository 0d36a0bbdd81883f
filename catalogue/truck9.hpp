// SPDX-License-Identifier: BSD-3-Clause
// Planar truck with nine coordinates and two constraints (Eich-Soellner, Fuehrer 1998, section
// 1.3): rear wheel p1, chassis (p2, angle p3), front wheel p4, cabin (p5, angle p6), load (p7, p8,
// angle p9); the load's rear end is hinged to the chassis. Metres, kilograms, seconds, newtons.
//   M v' = F(t, p, v) - G(p)^T lambda, 0 = g(p), M constant and diagonal.
// Which road passes under the wheels is the caller's: heights and rates of both contact points.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <catalogue/support_mechanics.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems::truck {

struct Constants {
  double m1 = 1450.0, m2 = 3335.0, m3 = 600.0, m4 = 1100.0, m5 = 11515.0;
  double I2 = 14313.0, I4 = 948.0, I5 = 33000.0;
  double gravity = 9.81;
  double amplitude = 0.1;  // factor on the road
  double delay = 0.3;      // seconds from the front axle to the rear axle, 4.5 m at 15 m/s
};

inline constexpr std::array<Field<Constants>, 11> fields{{{"m1", &Constants::m1},
                                                          {"m2", &Constants::m2},
                                                          {"m3", &Constants::m3},
                                                          {"m4", &Constants::m4},
                                                          {"m5", &Constants::m5},
                                                          {"I2", &Constants::I2},
                                                          {"I4", &Constants::I4},
                                                          {"I5", &Constants::I5},
                                                          {"gravity", &Constants::gravity},
                                                          {"amplitude", &Constants::amplitude},
                                                          {"delay", &Constants::delay}}};

// Places of the axles, of the suspensions of cabin and load, and of the hinge.
inline constexpr double a12 = -2.06, a23 = 2.44, a24 = 1.94, a42 = 3.64, a25 = 0.98;
inline constexpr double b24 = -0.8, b42 = 0.9, c25 = 2.44, h1 = -1.34;
inline constexpr double ac1 = -3.07, ac2 = 0.15, cc1 = -1.61, cc2 = -0.75;

// Stiffness, damping, and the constant part of the force, which balances the weights.
struct Strut {
  double k, d, nominal;
};
inline constexpr Strut strut10{44e5, 600.0, -2.329145162e6};
inline constexpr Strut strut12{8.247e5, 21593.0, -0.246872662e6};
inline constexpr Strut strut30{22e5, 300.0, -1.147434838e6};
inline constexpr Strut strut23{2.711e5, 38537.0, -0.084924838e6};
inline constexpr Strut strut24{1.357e5, 12218.0, -0.12784288235294e6};
inline constexpr Strut strut42{1.357e5, 12218.0, -0.12720811764706e6};
inline constexpr Strut strut25{9.0e5, 38500.0, -0.85490594111111e6};

// A point in the plane with its velocity.
template <class S>
struct Point {
  S x, z, dx, dz;
};
template <class S>
struct Plane {
  S x, z;
};

template <class S>
Plane<S> strut_force(const Strut& strut, const Point<S>& from, const Point<S>& to) {
  using std::sqrt;
  const S x = to.x - from.x, z = to.z - from.z;
  const S length = sqrt(x * x + z * z);
  const S rate = (x * (to.dx - from.dx) + z * (to.dz - from.dz)) / length;
  const S scale = (strut.k * length + strut.d * rate + strut.nominal) / length;
  return {scale * x, scale * z};
}

// Height of the road under a wheel and its rate.
template <class S>
struct Height {
  S u, du;
};

template <class S, class Q, class V, class F>
void force(const Constants& c, const Height<S>& rear, const Height<S>& front, const Q& p,
           const V& v, F& f) {
  using std::cos, std::sin;
  const S cos3 = cos(p[2]), sin3 = sin(p[2]), cos6 = cos(p[5]), sin6 = sin(p[5]);
  const S cos9 = cos(p[8]), sin9 = sin(p[8]);
  const auto chassis = [&](double a, double h) {
    const S x = a * cos3 - h * sin3, z = a * sin3 + h * cos3;
    return Point<S>{x, p[1] + z, -z * v[2], v[1] + x * v[2]};
  };
  const auto cabin = [&](double b) {
    const S x = b * cos6, z = b * sin6;
    return Point<S>{a24 - b24 + x, p[4] + z, -z * v[5], v[4] + x * v[5]};
  };
  const S x25 = c25 * cos9, z25 = c25 * sin9;
  const Point<S> load{p[6] + x25, p[7] + z25, v[6] - z25 * v[8], v[7] + x25 * v[8]};
  const Point<S> rear_wheel{S(a12), p[0], S(0.0), v[0]}, front_wheel{S(a23), p[3], S(0.0), v[3]};

  // The tyres stand upright: their struts have no horizontal part.
  const S z10 = strut10.k * (p[0] - rear.u) + strut10.d * (v[0] - rear.du) + S(strut10.nominal);
  const S z30 = strut30.k * (p[3] - front.u) + strut30.d * (v[3] - front.du) + S(strut30.nominal);
  const Plane<S> f12 = strut_force(strut12, rear_wheel, chassis(a12, h1));
  const Plane<S> f23 = strut_force(strut23, front_wheel, chassis(a23, h1));
  const Plane<S> f24 = strut_force(strut24, chassis(a24, 0.0), cabin(b24));
  const Plane<S> f42 = strut_force(strut42, chassis(a42, 0.0), cabin(b42));
  const Plane<S> f25 = strut_force(strut25, chassis(a25, 0.0), load);

  f[0] = f12.z - z10 - c.m1 * c.gravity;
  f[1] = f24.z + f42.z + f25.z - f12.z - f23.z - c.m2 * c.gravity;
  // The sign of h1 (f23x + f12x) is the published one.
  f[2] =
      (a25 * f25.z + a42 * f42.z + a24 * f24.z - a23 * f23.z - a12 * f12.z - h1 * (f23.x + f12.x)) *
          cos3 -
      (a25 * f25.x + a42 * f42.x + a24 * f24.x - a23 * f23.x - a12 * f12.x - h1 * (f23.z + f12.z)) *
          sin3;
  f[3] = f23.z - z30 - c.m3 * c.gravity;
  f[4] = -(f42.z + f24.z) - c.m4 * c.gravity;
  f[5] = (b42 * f42.x + b24 * f24.x) * sin6 - (b42 * f42.z + b24 * f24.z) * cos6;
  f[6] = -f25.x;
  f[7] = -f25.z - c.m5 * c.gravity;
  f[8] = c25 * f25.x * sin9 - c25 * f25.z * cos9;
}

template <class Q, class G>
void constraint(const Q& p, G& g) {
  using std::cos, std::sin;
  const auto cos3 = cos(p[2]), sin3 = sin(p[2]), cos9 = cos(p[8]), sin9 = sin(p[8]);
  g[0] = p[6] + cc1 * cos9 - cc2 * sin9 - (ac1 * cos3 - ac2 * sin3);
  g[1] = p[7] + cc1 * sin9 + cc2 * cos9 - p[1] - (ac1 * sin3 + ac2 * cos3);
}

template <class Q, class M>
void constraint_jacobian(const Q& p, M& G) {
  using std::cos, std::sin;
  const auto cos3 = cos(p[2]), sin3 = sin(p[2]), cos9 = cos(p[8]), sin9 = sin(p[8]);
  for (int j = 0; j < 9; ++j) G(0, j) = G(1, j) = 0.0;
  G(0, 2) = ac1 * sin3 + ac2 * cos3;
  G(0, 6) = 1.0;
  G(0, 8) = -cc1 * sin9 - cc2 * cos9;
  G(1, 1) = -1.0;
  G(1, 2) = ac2 * sin3 - ac1 * cos3;
  G(1, 7) = 1.0;
  G(1, 8) = cc1 * cos9 - cc2 * sin9;
}

template <class Q, class V, class K>
void acceleration_term(const Q& p, const V& v, K& k) {
  using std::cos, std::sin;
  const auto cos3 = cos(p[2]), sin3 = sin(p[2]), cos9 = cos(p[8]), sin9 = sin(p[8]);
  const auto chassis = v[2] * v[2], load = v[8] * v[8];
  k[0] = (cc2 * sin9 - cc1 * cos9) * load + (ac1 * cos3 - ac2 * sin3) * chassis;
  k[1] = (ac1 * sin3 + ac2 * cos3) * chassis - (cc1 * sin9 + cc2 * cos9) * load;
}

// All but the road: `road(t)` gives the height under the front wheel, the rear one follows.
template <class Road>
MultibodyProblem problem(const std::string& name, const Constants& c, const Road& road) {
  const std::vector<std::string> q_names = numbered("p", 9);
  return MultibodyProblem{
      .name = name,
      .space = euclidean(9),
      .constraint_count = 2,
      .mass_matrix = diagonal(vector({c.m1, c.m2, c.I2, c.m3, c.m4, c.I4, c.m5, c.m5, c.I5})),
      .force = autodiff([c, road](const auto& t, const auto& p, const auto& v, auto& f) {
        using S = std::decay_t<decltype(f[0])>;
        const Height<S> front = road(S(t)), rear = road(S(t - c.delay));
        force<S>(c, rear, front, p, v, f);
      }),
      .constraint = autodiff([](const auto&, const auto& p, auto& g) { constraint(p, g); }),
      .constraint_jacobian =
          autodiff([](const auto&, const auto& p, auto& G) { constraint_jacobian(p, G); }),
      .constraint_time_derivative =
          autodiff([](const auto&, const auto&, auto& g_t) { g_t[0] = g_t[1] = 0.0; }),
      .acceleration_term = autodiff(
          [](const auto&, const auto& p, const auto& v, auto& k) { acceleration_term(p, v, k); }),
      .q0 = vector({0.5, 2.0, 0.0, 0.5, 2.9, 0.0, -1.46, 2.9, 0.0}),
      .v0 = Eigen::VectorXd::Zero(9),
      .lambda0 = vector({0.0, -68056.2088888888}),
      .q_names = q_names,
      .v_names = prefixed("d", q_names),
      .lambda_names = numbered("lambda", 2)};
}

// Multipliers are forces of 1e5 N beside lengths of 1 m: they are known to that much less.
inline std::map<std::string, double> force_scale() { return {{"lambda1", 1e5}, {"lambda2", 1e5}}; }

inline const char* const equations =
    "p1 rear wheel, (p2, p3) chassis, p4 front wheel, (p5, p6) cabin, (p7, p8, p9) load\n"
    "M dp' = F(t, p, dp) - G(p)^T lambda, M = diag(m1, m2, I2, m3, m4, I4, m5, m5, I5)\n"
    "spring-dampers road-wheel (2), wheel-chassis (2), chassis-cabin (2), chassis-load, each with "
    "force k l + d l' + constant along its line\n"
    "0 = p7 + cc1 cos p9 - cc2 sin p9 - (ac1 cos p3 - ac2 sin p3)\n"
    "0 = p8 + cc1 sin p9 + cc2 cos p9 - p2 - (ac1 sin p3 + ac2 cos p3)\n";

}  // namespace daedalus::problems::truck
