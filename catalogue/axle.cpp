// SPDX-License-Identifier: BSD-3-Clause
// Planar rear axle of a car entering a curve: car body and two wheels, four links, two struts,
// tyres as springs and dampers in both directions. A stand-in for the axle of Steinebach (1988),
// section 8.2, whose equations are in Senger (1985) only and could not be had: same bodies, same
// number of unknowns (9 positions, 9 velocities, 4 multipliers and the time) and the same load
// case; the data are ours, chosen for its fastest eigenvalues -8 +- 75i.
//   Link k joins P on the body and Q on a wheel: Phi = (|P - Q|^2 - l^2) / 2 = 0. The constraints
//   are written as g = -Phi, so that the multipliers push along +dPhi/dq.
#include <cmath>

#include <catalogue/support_baumgarte.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace axle_example {
namespace {

struct Constants {
  double alpha = 10.0, beta = 25.0, acceleration = 3.0, tau = 0.5;
};
constexpr std::array<Field<Constants>, 4> fields{{{"alpha", &Constants::alpha},
                                                  {"beta", &Constants::beta},
                                                  {"acceleration", &Constants::acceleration},
                                                  {"tau", &Constants::tau}}};

constexpr int coordinates = 9, links = 4;
constexpr double gravity = 9.81, radius = 0.3;
constexpr std::array<double, 3> mass{600.0, 50.0, 50.0}, inertia{250.0, 2.0, 2.0};
constexpr double strut_stiffness = 30000.0, strut_damping = 900.0,
                 strut_length = 0.5702464306228433;  // without load
constexpr double tyre_load = 3433.5, tyre_stiffness = 230000.0, tyre_damping = 150.0;
constexpr double side_stiffness = 120000.0, side_damping = 1200.0;

struct Joint {
  double px, py;  // on the body
  int wheel;      // 1 left, 2 right
  double sx, sy;  // on the wheel
  double square;  // of its length; links only
};
constexpr std::array<Joint, links> link{{{-0.30, -0.35, 1, 0.10, -0.10, 0.1049},
                                         {-0.35, -0.10, 1, 0.10, 0.12, 0.0793},
                                         {0.30, -0.35, 2, -0.10, -0.10, 0.1049},
                                         {0.35, -0.10, 2, -0.10, 0.12, 0.0793}}};
constexpr std::array<Joint, 2> strut{
    {{-0.55, 0.15, 1, 0.05, 0.0, 0.0}, {0.55, 0.15, 2, -0.05, 0.0, 0.0}}};
constexpr std::array<double, 2> contact_start{-0.72, 0.72};

// A point fixed on a body: position, the arm R p, and the derivative of the position with respect
// to the angle.
template <class S>
struct Point {
  S x, y, arm_x, arm_y, turn_x, turn_y;
  template <class Q>
  Point(const Q& q, int body, double px, double py) {
    using std::cos, std::sin;
    const S c = cos(q[3 * body + 2]), s = sin(q[3 * body + 2]);
    arm_x = c * px - s * py;
    arm_y = s * px + c * py;
    turn_x = -arm_y;
    turn_y = arm_x;
    x = q[3 * body] + arm_x;
    y = q[3 * body + 1] + arm_y;
  }
};

// Both ends of a link or strut, and what separates them.
template <class S>
struct Ends {
  Point<S> a, b;
  S dx, dy;
  template <class Q>
  Ends(const Q& q, const Joint& j)
      : a(q, 0, j.px, j.py), b(q, j.wheel, j.sx, j.sy), dx(a.x - b.x), dy(a.y - b.y) {}
  // The rate of (dx, dy).
  template <class V>
  std::array<S, 2> rate(const V& v, int wheel) const {
    const int i = 3 * wheel;
    return {S(v[0] + a.turn_x * v[2] - v[i] - b.turn_x * v[i + 2]),
            S(v[1] + a.turn_y * v[2] - v[i + 1] - b.turn_y * v[i + 2])};
  }
};

template <class S, class F>
void push(F& f, int body, const Point<S>& at, const S& x, const S& y) {
  f[3 * body] = f[3 * body] + x;
  f[3 * body + 1] = f[3 * body + 1] + y;
  f[3 * body + 2] = f[3 * body + 2] + at.turn_x * x + at.turn_y * y;
}

struct Axle {
  Constants k;

  template <class T, class Q, class V, class F>
  void force(const T& t, const Q& q, const V& v, F& f) const {
    using S = std::decay_t<decltype(f[0])>;
    using std::exp, std::sqrt;
    const S side = k.acceleration * (1.0 - exp(-t / k.tau));
    for (int b = 0; b < 3; ++b) {
      const double m = mass[static_cast<std::size_t>(b)];
      f[3 * b] = m * side;
      f[3 * b + 1] = S(-m * gravity);
      f[3 * b + 2] = S(0.0);
    }
    for (const Joint& j : strut) {
      const Ends<S> e(q, j);
      const auto rate = e.rate(v, j.wheel);
      const S length = sqrt(e.dx * e.dx + e.dy * e.dy);
      const S speed = (e.dx * rate[0] + e.dy * rate[1]) / length;
      const S force = (strut_stiffness * (strut_length - length) - strut_damping * speed) / length;
      push<S>(f, 0, e.a, force * e.dx, force * e.dy);
      push<S>(f, j.wheel, e.b, -force * e.dx, -force * e.dy);
    }
    for (int w = 1; w <= 2; ++w) {
      const Point<S> c(q, w, 0.0, -radius);
      const S vx = v[3 * w] + c.turn_x * v[3 * w + 2], vy = v[3 * w + 1] + c.turn_y * v[3 * w + 2];
      const S x = -side_stiffness * (c.x - contact_start[static_cast<std::size_t>(w - 1)]) -
                  side_damping * vx;
      const S y = tyre_load - tyre_stiffness * c.y - tyre_damping * vy;
      push<S>(f, w, c, x, y);
    }
  }

  template <class T, class Q, class G>
  void constraint(const T&, const Q& q, G& g) const {
    using S = std::decay_t<decltype(g[0])>;
    for (int i = 0; i < links; ++i) {
      const Joint& j = link[static_cast<std::size_t>(i)];
      const Ends<S> e(q, j);
      g[i] = 0.5 * (j.square - e.dx * e.dx - e.dy * e.dy);
    }
  }

  template <class T, class Q, class M>
  void constraint_jacobian(const T&, const Q& q, M& G) const {
    using S = std::decay_t<decltype(G(0, 0))>;
    for (int i = 0; i < links; ++i) {
      const Joint& j = link[static_cast<std::size_t>(i)];
      const Ends<S> e(q, j);
      for (int l = 0; l < coordinates; ++l) G(i, l) = S(0.0);
      G(i, 0) = -e.dx;
      G(i, 1) = -e.dy;
      G(i, 2) = -(e.dx * e.a.turn_x + e.dy * e.a.turn_y);
      G(i, 3 * j.wheel) = e.dx;
      G(i, 3 * j.wheel + 1) = e.dy;
      G(i, 3 * j.wheel + 2) = e.dx * e.b.turn_x + e.dy * e.b.turn_y;
    }
  }

  template <class T, class Q, class G>
  void constraint_time_derivative(const T&, const Q&, G& g_t) const {
    for (int i = 0; i < links; ++i) g_t[i] = 0.0;
  }

  template <class T, class Q, class V, class Out>
  void acceleration_term(const T&, const Q& q, const V& v, Out& out) const {
    using S = std::decay_t<decltype(out[0])>;
    for (int i = 0; i < links; ++i) {
      const Joint& j = link[static_cast<std::size_t>(i)];
      const Ends<S> e(q, j);
      const auto rate = e.rate(v, j.wheel);
      // Centripetal parts: the second derivative of R p is -R p times the rate squared.
      const S a = v[2] * v[2], b = v[3 * j.wheel + 2] * v[3 * j.wheel + 2];
      const S x = e.b.arm_x * b - e.a.arm_x * a, y = e.b.arm_y * b - e.a.arm_y * a;
      out[i] = -(rate[0] * rate[0] + rate[1] * rate[1] + e.dx * x + e.dy * y);
    }
  }
};

MultibodyProblem multibody(const Axle& axle) {
  const std::vector<std::string> q_names{"Y1",     "Z1", "theta1", "Y2",    "Z2",
                                         "theta2", "Y3", "Z3",     "theta3"};
  MultibodyProblem p{.name = "axle",
                     .space = euclidean(coordinates),
                     .constraint_count = links,
                     .mass = autodiff([](const auto&, const auto&, auto& M) {
                       for (int i = 0; i < coordinates; ++i)
                         for (int j = 0; j < coordinates; ++j) M(i, j) = 0.0;
                       for (int b = 0; b < 3; ++b) {
                         M(3 * b, 3 * b) = M(3 * b + 1, 3 * b + 1) =
                             mass[static_cast<std::size_t>(b)];
                         M(3 * b + 2, 3 * b + 2) = inertia[static_cast<std::size_t>(b)];
                       }
                     }),
                     .q0 = vector({0.0, 0.6, 0.0, -0.72, 0.3, 0.0, 0.72, 0.3, 0.0}),
                     .v0 = Eigen::VectorXd::Zero(coordinates),
                     .lambda0 = vector({-3405.7429865998247, 1044.0798226164093,
                                        -3405.7429865998247, 1044.0798226164093}),
                     .q_names = q_names,
                     .v_names = prefixed("d", q_names),
                     .lambda_names = numbered("lambda", links)};
  give_callables(axle, p);
  return p;
}

}  // namespace
}  // namespace axle_example

const Entry& axle() {
  static const Entry entry = [] {
    using namespace axle_example;
    Entry e;
    e.name = "axle";
    e.title = "Rear axle entering a curve (stand-in for Steinebach's)";
    e.form = "semi-explicit";
    e.index = 1;
    e.t0 = 0.0;
    e.t_end = 30.0;
    e.stiff = true;
    e.source =
        "stand-in made for this catalogue, with the structure of the rear axle in Steinebach "
        "(1988), report 29, University of Kaiserslautern, section 8.2; the original equations are "
        "in Senger: DFVLR IB515-85/02 (1985)";
    e.suites = {"steinebach"};
    e.equations =
        "A stand-in: bodies, unknowns and load case of the original, data of this catalogue.\n"
        "q = (Y, Z, theta) of the car body, the left and the right wheel\n"
        "q' = v, M v' = f(t, q, v) + (dPhi/dq)^T lambda\n"
        "0 = Phi'' + alpha Phi' + beta Phi, Phi = (|P - Q|^2 - l^2)/2 for four links\n"
        "f: weight, struts, tyres, and the mass times acceleration (1 - exp(-t/tau)) sideways";
    e.parameters = defaults(fields);
    e.units = units({{"m", "Y1..Y3 Z1..Z3"},
                     {"rad", "theta1..theta3"},
                     {"m/s", "dY1..dY3 dZ1..dZ3"},
                     {"rad/s", "dtheta1..dtheta3"},
                     {"N/m", "lambda1..lambda4"},
                     {"m/s2", "acceleration"},
                     {"s", "tau"}});
    e.build = [](const Values& values) {
      const Axle model{read(fields, values)};
      return baumgarte(model, multibody(model), "axle", model.k.alpha, model.k.beta);
    };
    e.reference = Reference{
        .t = 30.0,
        .values = named(
            {"Y1",     "Z1",      "theta1",  "Y2",      "Z2",      "theta2", "Y3",      "Z3",
             "theta3", "dY1",     "dZ1",     "dtheta1", "dY2",     "dZ2",    "dtheta2", "dY3",
             "dZ3",    "dtheta3", "lambda1", "lambda2", "lambda3", "lambda4"},
            {0.040734650149,  0.598737545765, -0.055129495170, -0.685616059791,  0.303145662676,
             -0.082521738215, 0.750885772119, 0.294947298275,  -0.076879975403,  -3.97e-10,
             4.14e-11,        5.90e-10,       -3.43e-10,       -2.80e-11,        9.06e-10,
             -2.75e-10,       7.48e-11,       8.01e-10,        -10015.769607082, 6006.518805871,
             2417.367689877,  -3544.769138734}),
        .counted = {"Y1", "Z1", "theta1", "Y2", "Z2", "theta2", "Y3", "Z3", "theta3"},
        .digits = 11,
        .source =
            "computed for this catalogue: an explicit method of order 8 with tolerance 1e-12 "
            "and a Radau method agree to 2e-14 in the positions; velocities, nearly zero, from "
            "rodas5p"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
