// SPDX-License-Identifier: BSD-3-Clause
// Knife edge (skate) on an inclined plane: it cannot move sideways, a nonholonomic constraint of
// index 2. With a = slope and phi the heading:
//   m u' = m g sin a + sin(phi) lambda,  m v' = -cos(phi) lambda,  J omega' = 0,
//   0 = v cos(phi) - u sin(phi).
// The row has the sign for which -A^T lambda gives the forces above.
#include <cmath>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace knife_edge_example {
namespace {

// Slope 30 degrees.
struct Constants {
  double mass = 1.0, inertia = 1.0, gravity = 9.81, slope = 0.52359877559829887308, Omega = 1.0;
};
constexpr std::array<Field<Constants>, 5> fields{{{"mass", &Constants::mass},
                                                  {"inertia", &Constants::inertia},
                                                  {"gravity", &Constants::gravity},
                                                  {"slope", &Constants::slope},
                                                  {"Omega", &Constants::Omega}}};

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  const double pull = c.gravity * std::sin(c.slope);
  return MultibodyProblem{
      .name = "knife-edge",
      .space = euclidean(3),
      .nonholonomic_count = 1,
      .mass = autodiff([c](const auto&, const auto&, auto& M) {
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) M(i, j) = 0.0;
        M(0, 0) = c.mass;
        M(1, 1) = c.mass;
        M(2, 2) = c.inertia;
      }),
      .force = autodiff([c, pull](const auto&, const auto&, const auto&, auto& f) {
        f[0] = c.mass * pull;
        f[1] = 0.0;
        f[2] = 0.0;
      }),
      .nonholonomic_matrix = autodiff([](const auto&, const auto& q, auto& A) {
        using std::cos, std::sin;
        A(0, 0) = -sin(q[2]);
        A(0, 1) = cos(q[2]);
        A(0, 2) = 0.0;
      }),
      .nonholonomic_offset = autodiff([](const auto&, const auto&, auto& a) { a[0] = 0.0; }),
      .q0 = vector({0.0, 0.0, 0.0}),
      .v0 = vector({0.0, 0.0, c.Omega}),
      .lambda0 = vector({0.0}),
      .invariants = {{"energy",
                      autodiff([c, pull](const auto&, const auto& q, const auto& v, auto& e) {
                        e[0] = 0.5 * c.mass * (v[0] * v[0] + v[1] * v[1]) +
                               0.5 * c.inertia * v[2] * v[2] - c.mass * pull * q[0];
                      })}},
      .q_names = {"x", "y", "phi"},
      .v_names = {"u", "v", "omega"},
      .lambda_names = {"lambda"}};
}

}  // namespace
}  // namespace knife_edge_example

const Entry& knife_edge() {
  static const Entry entry = [] {
    using namespace knife_edge_example;
    Entry e;
    e.name = "knife-edge";
    e.title = "Knife edge on an inclined plane";
    e.form = "multibody";
    e.index = 2;
    e.t0 = 0.0;
    e.t_end = 5.0;
    e.source =
        "Neimark, Fufaev: Dynamics of Nonholonomic Systems (1972); Bloch: Nonholonomic Mechanics "
        "and Control (2003), section 1.6";
    e.suites = {"core"};
    e.equations =
        "x' = u, y' = v, phi' = omega\n"
        "mass u' = mass gravity sin(slope) + sin(phi) lambda\n"
        "mass v' = -cos(phi) lambda\n"
        "inertia omega' = 0\n"
        "0 = v cos(phi) - u sin(phi)\n"
        "start at rest in the origin, turning with omega = Omega";
    e.parameters = defaults(fields);
    e.units = units({{"m", "x y"},
                     {"m/s", "u v"},
                     {"rad", "phi slope"},
                     {"rad/s", "omega Omega"},
                     {"N", "lambda"},
                     {"kg", "mass"},
                     {"kg.m2", "inertia"},
                     {"m/s2", "gravity"}});
    e.build = build;
    e.exact = [](double t, const Values& values) {
      const Constants c = read(fields, values);
      const double pull = c.gravity * std::sin(c.slope), angle = c.Omega * t;
      const double s = std::sin(angle), scale = pull / (2.0 * c.Omega * c.Omega);
      return named({"x", "y", "phi", "u", "v", "omega", "lambda"},
                   {scale * s * s, scale * (angle - 0.5 * std::sin(2.0 * angle)), angle,
                    pull / c.Omega * s * std::cos(angle), pull / c.Omega * s * s, c.Omega,
                    -2.0 * c.mass * pull * s});
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
