// SPDX-License-Identifier: BSD-3-Clause
// Five-link rear wheel suspension in space, left side; x forward, y outwards, z up; metres,
// kilograms, seconds, newtons. The body of the car stands still.
//   q = (x, y, z, phi, theta, psi; alpha_1, beta_1, ..., alpha_4, beta_4)
// Wheel carrier with wheel: place of its centre of mass and Cardan angles, R = Rx Ry Rz. Four rigid
// links, slender rods on universal joints at the car, along
//   d(alpha, beta) = (-sin alpha cos beta, cos alpha cos beta, sin beta),
// each tied to the carrier by a ball joint:  0 = A_i + L_i d_i - (r + R b_i), twelve rows. Two
// degrees of freedom remain: the travel of the wheel, and its toe angle, held by the fifth link, a
// track rod in elastic bushings (spring and damper along A_5 - b_5). A strut carries the weight.
// The wheel turns at constant speed relative to the carrier: a constant angular momentum h along
// the axle. The tyre is a vertical spring and damper on the road and a lateral damper at the
// contact (linear side slip at constant speed). The road has two bumps with compact support,
//   u = height (w(t / duration) + w((t - 0.35) / duration) / 2),
//   w(s) = exp(4 - 1 / (s (1 - s))) for s in (0, 1), else 0;
// the second one meets a wheel that still moves, so that no step size control jumps over it.
#pragma once

#include <array>
#include <cmath>

#include <catalogue/support_mechanics.hpp>

namespace daedalus::problems::wheel {

struct Constants {
  double mass = 34.0, Ixx = 0.95, Iyy = 0.6, Izz = 0.9;  // carrier with wheel
  double momentum = 60.0;                                // of the wheel, 1 kg m^2 at 60 / s
  double gravity = 9.81;
  double strut_stiffness = 3.2e4, strut_damping = 1e3, strut_length = 0.59;
  double rod_stiffness = 8e5, rod_damping = 3e2;
  double tyre_stiffness = 2e5, tyre_damping = 1e2, tyre_side = 3e3, tyre_radius = 0.335;
  double height = 0.05, duration = 0.2;
};
inline constexpr std::array<Field<Constants>, 17> fields{
    {{"mass", &Constants::mass},
     {"Ixx", &Constants::Ixx},
     {"Iyy", &Constants::Iyy},
     {"Izz", &Constants::Izz},
     {"momentum", &Constants::momentum},
     {"gravity", &Constants::gravity},
     {"strut_stiffness", &Constants::strut_stiffness},
     {"strut_damping", &Constants::strut_damping},
     {"strut_length", &Constants::strut_length},
     {"rod_stiffness", &Constants::rod_stiffness},
     {"rod_damping", &Constants::rod_damping},
     {"tyre_stiffness", &Constants::tyre_stiffness},
     {"tyre_damping", &Constants::tyre_damping},
     {"tyre_side", &Constants::tyre_side},
     {"tyre_radius", &Constants::tyre_radius},
     {"height", &Constants::height},
     {"duration", &Constants::duration}}};

template <class S>
struct Vec {
  S x, y, z;
};
template <class A, class B>
auto sum(const Vec<A>& a, const Vec<B>& b) {
  return Vec<decltype(a.x + b.x)>{a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B>
auto difference(const Vec<A>& a, const Vec<B>& b) {
  return Vec<decltype(a.x - b.x)>{a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class A, class B>
auto cross(const Vec<A>& a, const Vec<B>& b) {
  return Vec<decltype(a.x * b.x)>{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
                                  a.x * b.y - a.y * b.x};
}
template <class A, class B>
auto dot(const Vec<A>& a, const Vec<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B>
auto scaled(const A& factor, const Vec<B>& a) {
  return Vec<decltype(factor * a.x)>{factor * a.x, factor * a.y, factor * a.z};
}

// A at the car, b at the carrier (from its centre of mass, in its axes).
struct Link {
  Vec<double> A, b;
  double length, mass;
};
inline constexpr std::array<Link, 4> links{
    {{{-0.05, 0.30, 0.22}, {-0.02, -0.04, -0.13}, 0.3625, 2.4},  // lower, transverse
     {{0.40, 0.42, 0.24}, {0.06, -0.04, -0.12}, 0.4181, 1.6},    // lower, to the front
     {{-0.04, 0.38, 0.48}, {-0.02, -0.06, 0.15}, 0.2609, 1.1},   // upper, transverse
     {{0.30, 0.46, 0.47}, {0.04, -0.06, 0.13}, 0.3169, 1.0}}};   // upper, to the front
inline constexpr Vec<double> rod_car{-0.16, 0.34, 0.28}, rod_carrier{-0.14, -0.04, -0.05};
inline constexpr double rod_length = 0.3207;
inline constexpr Vec<double> strut_car{-0.03, 0.52, 0.75}, strut_carrier{-0.03, -0.10, -0.07};
inline constexpr Vec<double> wheel_centre{0.0, 0.05, 0.0};  // outside the centre of mass

// Sines and cosines of the carrier's angles; rotations and angular velocity in its axes.
template <class S>
struct Attitude {
  S c1, s1, c2, s2, c3, s3;

  template <class Q>
  explicit Attitude(const Q& q) {
    using std::cos, std::sin;
    c1 = cos(q[3]);
    s1 = sin(q[3]);
    c2 = cos(q[4]);
    s2 = sin(q[4]);
    c3 = cos(q[5]);
    s3 = sin(q[5]);
  }
  // R a = Rx (Ry (Rz a)).
  template <class A>
  Vec<S> turned(const Vec<A>& a) const {
    const S x = c3 * a.x - s3 * a.y, y = s3 * a.x + c3 * a.y;
    const S u = c2 * x + s2 * a.z, w = c2 * a.z - s2 * x;
    return {u, c1 * y - s1 * w, s1 * y + c1 * w};
  }
  Vec<S> turned_back(const Vec<S>& a) const {
    const S y = c1 * a.y + s1 * a.z, w = c1 * a.z - s1 * a.y;
    const S x = c2 * a.x - s2 * w, z = s2 * a.x + c2 * w;
    return {c3 * x + s3 * y, c3 * y - s3 * x, z};
  }
  // omega = phi' e1 + theta' e2 + psi' e3.
  Vec<S> e1() const { return {c2 * c3, -(c2 * s3), s2}; }
  Vec<S> e2() const { return {s3, c3, S(0.0)}; }
  template <class A>
  Vec<S> omega(const A& d1, const A& d2, const A& d3) const {
    return {c2 * c3 * d1 + s3 * d2, c3 * d2 - c2 * s3 * d1, s2 * d1 + d3};
  }
};

template <class S>
struct Direction {
  S ca, sa, cb, sb;

  Direction(const S& alpha, const S& beta) {
    using std::cos, std::sin;
    ca = cos(alpha);
    sa = sin(alpha);
    cb = cos(beta);
    sb = sin(beta);
  }
  Vec<S> along() const { return {-(sa * cb), ca * cb, sb}; }
  Vec<S> by_alpha() const { return {-(ca * cb), -(sa * cb), S(0.0)}; }
  Vec<S> by_beta() const { return {sa * sb, -(ca * sb), cb}; }
};

template <class Q, class G>
void constraint(const Q& q, G& g) {
  using S = std::decay_t<decltype(g[0])>;
  const Attitude<S> carrier(q);
  for (int i = 0; i < 4; ++i) {
    const Link& link = links[static_cast<std::size_t>(i)];
    const Direction<S> d{S(q[6 + 2 * i]), S(q[7 + 2 * i])};
    const Vec<S> a = d.along(), b = carrier.turned(link.b);
    g[3 * i] = link.A.x + link.length * a.x - b.x - q[0];
    g[3 * i + 1] = link.A.y + link.length * a.y - b.y - q[1];
    g[3 * i + 2] = link.A.z + link.length * a.z - b.z - q[2];
  }
}

template <class Q, class M>
void constraint_jacobian(const Q& q, M& G) {
  using S = std::decay_t<decltype(G(0, 0))>;
  for (int j = 0; j < 14; ++j)
    for (int i = 0; i < 12; ++i) G(i, j) = 0.0;
  const Attitude<S> carrier(q);
  const auto write = [&](int row, int column, const Vec<S>& a) {
    G(row, column) = a.x;
    G(row + 1, column) = a.y;
    G(row + 2, column) = a.z;
  };
  for (int i = 0; i < 4; ++i) {
    const Link& link = links[static_cast<std::size_t>(i)];
    for (int k = 0; k < 3; ++k) G(3 * i + k, k) = -1.0;
    const Vec<double> e3{0.0, 0.0, 1.0};
    write(3 * i, 3, carrier.turned(cross(link.b, carrier.e1())));
    write(3 * i, 4, carrier.turned(cross(link.b, carrier.e2())));
    write(3 * i, 5, carrier.turned(cross(link.b, e3)));
    const Direction<S> d{S(q[6 + 2 * i]), S(q[7 + 2 * i])};
    write(3 * i, 6 + 2 * i, scaled(link.length, d.by_alpha()));
    write(3 * i, 7 + 2 * i, scaled(link.length, d.by_beta()));
  }
}

// Blocks one after another: three masses, 3 x 3 of the Cardan angles, eight of the links.
template <class Q, class M>
void mass_blocks(const Constants& c, const Q& q, M& out) {
  using S = std::decay_t<decltype(out(0, 0))>;
  const Attitude<S> carrier(q);
  const Vec<S> e1 = carrier.e1(), e2 = carrier.e2();
  const S m12 = c.Ixx * (e1.x * e2.x) + c.Iyy * (e1.y * e2.y);
  for (int i = 0; i < 3; ++i) out(i, 0) = c.mass;
  out(3, 0) = c.Ixx * (e1.x * e1.x) + c.Iyy * (e1.y * e1.y) + c.Izz * (e1.z * e1.z);
  out(4, 0) = m12;
  out(5, 0) = c.Izz * e1.z;
  out(6, 0) = m12;
  out(7, 0) = c.Ixx * (e2.x * e2.x) + c.Iyy * (e2.y * e2.y);
  out(8, 0) = 0.0;
  out(9, 0) = c.Izz * e1.z;
  out(10, 0) = 0.0;
  out(11, 0) = c.Izz;
  for (int i = 0; i < 4; ++i) {
    using std::cos;
    const Link& link = links[static_cast<std::size_t>(i)];
    const double inertia = link.mass * link.length * link.length / 3.0;
    const S cb = cos(S(q[7 + 2 * i]));
    out(12 + 2 * i, 0) = inertia * (cb * cb);
    out(13 + 2 * i, 0) = inertia;
  }
}

// Height of the road and its rate.
template <class S>
struct Road {
  S u = S(0.0), du = S(0.0);

  Road(const Constants& c, const S& t) {
    add(c.height, c.duration, t);
    add(0.5 * c.height, c.duration, S(t - 0.35));
  }

 private:
  void add(double height, double duration, const S& t) {
    using std::exp;
    const S s = t / duration;
    const S product = s * (1.0 - s);
    if (!(product > 1e-3)) return;  // exp(-1000) is zero
    const S bump = height * exp(4.0 - 1.0 / product);
    u = u + bump;
    du = du + bump * (1.0 - 2.0 * s) / (product * product * duration);
  }
};

template <class T, class Q, class V, class F>
void force(const Constants& c, const T& t, const Q& q, const V& v, F& f) {
  using std::sqrt;
  using S = std::decay_t<decltype(f[0])>;
  const Attitude<S> carrier(q);
  const Vec<S> place{q[0], q[1], q[2]}, speed{v[0], v[1], v[2]};
  const Vec<S> omega = carrier.omega(v[3], v[4], v[5]);
  Vec<S> push{S(0.0), S(0.0), S(-c.mass * c.gravity)}, moment{S(0.0), S(0.0), S(0.0)};
  const auto apply = [&](const Vec<S>& arm, const Vec<S>& load) {
    push = sum(push, load);
    moment = sum(moment, cross(arm, load));
  };
  const auto spring = [&](const Vec<double>& car, const Vec<double>& b, double k, double d,
                          double rest) {
    const Vec<S> arm = carrier.turned(b);
    const Vec<S> line = difference(sum(place, arm), car);
    const Vec<S> rate = sum(speed, carrier.turned(cross(omega, b)));
    const S length = sqrt(dot(line, line));
    const S pull = k * (length - rest) + d * (dot(line, rate) / length);
    apply(arm, scaled(S(-pull / length), line));
  };
  spring(strut_car, strut_carrier, c.strut_stiffness, c.strut_damping, c.strut_length);
  spring(rod_car, rod_carrier, c.rod_stiffness, c.rod_damping, rod_length);

  const Road<S> road(c, S(t));
  const Vec<S> hub = carrier.turned(wheel_centre);
  const Vec<S> hub_speed = sum(speed, carrier.turned(cross(omega, wheel_centre)));
  // The contact lies below the wheel's centre, on the road.
  const S drop = road.u - (place.z + hub.z);
  const Vec<S> contact{hub.x, hub.y, hub.z + drop};
  const Vec<S> spin = carrier.turned(omega);
  const S slip = hub_speed.y - spin.x * drop;
  const S lift =
      c.tyre_stiffness * (c.tyre_radius + drop) + c.tyre_damping * (road.du - hub_speed.z);
  apply(contact, {S(0.0), -c.tyre_side * slip, lift});

  // I omega' + omega x (I omega + h) = moment, omega' = B angles'' + B' angles'.
  const Vec<S> turn{-(carrier.s3 * carrier.c2 * v[3] * v[5]) -
                        carrier.c3 * carrier.s2 * v[3] * v[4] + carrier.c3 * v[4] * v[5],
                    carrier.s3 * carrier.s2 * v[3] * v[4] - carrier.c3 * carrier.c2 * v[3] * v[5] -
                        carrier.s3 * v[4] * v[5],
                    carrier.c2 * v[3] * v[4]};
  const Vec<S> swirl{c.Ixx * omega.x, c.Iyy * omega.y + c.momentum, c.Izz * omega.z};
  const Vec<S> gyro = cross(omega, swirl);
  Vec<S> rest = carrier.turned_back(moment);
  rest = {rest.x - c.Ixx * turn.x - gyro.x, rest.y - c.Iyy * turn.y - gyro.y,
          rest.z - c.Izz * turn.z - gyro.z};
  f[0] = push.x;
  f[1] = push.y;
  f[2] = push.z;
  f[3] = dot(carrier.e1(), rest);
  f[4] = dot(carrier.e2(), rest);
  f[5] = rest.z;
  for (int i = 0; i < 4; ++i) {
    const Link& link = links[static_cast<std::size_t>(i)];
    const double inertia = link.mass * link.length * link.length / 3.0;
    const Direction<S> d{S(q[6 + 2 * i]), S(q[7 + 2 * i])};
    const S product = inertia * (d.sb * d.cb);
    f[6 + 2 * i] = 2.0 * product * v[6 + 2 * i] * v[7 + 2 * i];
    f[7 + 2 * i] =
        -(product * v[6 + 2 * i] * v[6 + 2 * i]) - 0.5 * link.mass * c.gravity * link.length * d.cb;
  }
}

// Kinetic energy, weight, springs: constant on a flat road without dampers.
template <class Q, class V>
auto energy(const Constants& c, const Q& q, const V& v) {
  using std::sqrt;
  using S = std::decay_t<decltype(v[0] * q[0])>;
  const Attitude<S> carrier(q);
  const Vec<S> omega = carrier.omega(v[3], v[4], v[5]);
  S total = 0.5 * c.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + c.mass * c.gravity * q[2];
  total = total + 0.5 * (c.Ixx * (omega.x * omega.x) + c.Iyy * (omega.y * omega.y) +
                         c.Izz * (omega.z * omega.z));
  const auto stretch = [&](const Vec<double>& car, const Vec<double>& b, double k, double rest) {
    const Vec<S> line = difference(sum(Vec<S>{q[0], q[1], q[2]}, carrier.turned(b)), car);
    const S elongation = sqrt(dot(line, line)) - rest;
    return S(0.5 * k * (elongation * elongation));
  };
  total = total + stretch(strut_car, strut_carrier, c.strut_stiffness, c.strut_length) +
          stretch(rod_car, rod_carrier, c.rod_stiffness, rod_length);
  const S squeeze = c.tyre_radius - q[2] - carrier.turned(wheel_centre).z;
  total = total + 0.5 * c.tyre_stiffness * (squeeze * squeeze);
  for (int i = 0; i < 4; ++i) {
    const Link& link = links[static_cast<std::size_t>(i)];
    const Direction<S> d{S(q[6 + 2 * i]), S(q[7 + 2 * i])};
    const S a = v[6 + 2 * i], b = v[7 + 2 * i];
    total = total + link.mass * link.length * link.length / 6.0 * (d.cb * d.cb * (a * a) + b * b) +
            0.5 * link.mass * c.gravity * link.length * d.sb;
  }
  return total;
}

}  // namespace daedalus::problems::wheel
