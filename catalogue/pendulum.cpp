// SPDX-License-Identifier: BSD-3-Clause
// Mathematical pendulum in Cartesian coordinates, index 3:
//   m u' = -lambda x,  m v' = -lambda y - m g,  0 = (x^2 + y^2 - l^2) / 2.
// The factor 1/2 makes G = (x, y), so that lambda is the one of u' = -lambda x for m = 1.
// The hidden constraints are 0 = x u + y v and 0 = u^2 + v^2 + G v'.
#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace pendulum_example {
namespace {

struct Constants {
  double mass = 1.0, length = 1.0, gravity = 9.81;
};
constexpr std::array<Field<Constants>, 3> fields{
    {{"mass", &Constants::mass}, {"length", &Constants::length}, {"gravity", &Constants::gravity}}};

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  return MultibodyProblem{
      .name = "pendulum",
      .space = euclidean(2),
      .constraint_count = 1,
      .mass = autodiff([c](const auto&, const auto&, auto& M) {
        M(0, 0) = c.mass;
        M(0, 1) = 0.0;
        M(1, 0) = 0.0;
        M(1, 1) = c.mass;
      }),
      .force = autodiff([c](const auto&, const auto&, const auto&, auto& f) {
        f[0] = 0.0;
        f[1] = -c.mass * c.gravity;
      }),
      .constraint = autodiff([c](const auto&, const auto& q, auto& g) {
        g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - c.length * c.length);
      }),
      .constraint_jacobian = autodiff([](const auto&, const auto& q, auto& G) {
        G(0, 0) = q[0];
        G(0, 1) = q[1];
      }),
      .constraint_time_derivative =
          autodiff([](const auto&, const auto&, auto& g_t) { g_t[0] = 0.0; }),
      .acceleration_term = autodiff([](const auto&, const auto&, const auto& v, auto& k) {
        k[0] = v[0] * v[0] + v[1] * v[1];
      }),
      .q0 = vector({c.length, 0.0}),
      .v0 = vector({0.0, 0.0}),
      .lambda0 = vector({0.0}),
      .invariants = {{"energy", autodiff([c](const auto&, const auto& q, const auto& v, auto& e) {
                        e[0] =
                            0.5 * c.mass * (v[0] * v[0] + v[1] * v[1]) + c.mass * c.gravity * q[1];
                      })}},
      .q_names = {"x", "y"},
      .v_names = {"u", "v"},
      .lambda_names = {"lambda"}};
}

Scene scene(const Values& values) {
  using namespace shapes;
  const double length = read(fields, values).length;
  const PointOf pivot = fixed_point(0.0, 0.0),
                end = [](const StateView&s) { return Eigen::Vector3d(s.q()[0], s.q()[1], 0.0); };
  Scene picture =
      planar_scene({sphere("pivot", 0.03 * length, pivot), rod("rod", 0.015 * length, pivot, end),
                    sphere("bob", 0.08 * length, end)});
  picture.bodies.back().trail = true;
  return picture;
}

}  // namespace
}  // namespace pendulum_example

const Entry& pendulum() {
  static const Entry entry = [] {
    using namespace pendulum_example;
    Entry e;
    e.name = "pendulum";
    e.title = "Mathematical pendulum in Cartesian coordinates";
    e.form = "multibody";
    e.index = 3;
    e.t0 = 0.0;
    e.t_end = 10.0;
    e.source = "Hairer, Wanner: Solving Ordinary Differential Equations II (1996), (VII.1.14)";
    e.suites = {"core"};
    e.equations =
        "x' = u\n"
        "y' = v\n"
        "mass u' = -x lambda\n"
        "mass v' = -mass gravity - y lambda\n"
        "0 = (x^2 + y^2 - length^2) / 2";
    e.parameters = defaults(fields);
    e.units = units({{"m", "x y length"},
                     {"m/s", "u v"},
                     {"kg", "mass"},
                     {"m/s2", "gravity"},
                     {"N/m", "lambda"}});
    e.build = build;
    e.scene = scene;
    e.reference =
        Reference{.t = 10.0,
                  .values = named({"x", "y", "u", "v", "lambda"},
                                  {2.7508746257611686005439145e-1, -9.6141920509912506426513507e-1,
                                   -4.1755981009517288364605195, -1.1947490545604752716475128,
                                   2.8294567206067250641322925e1}),
                  .counted = {},
                  .digits = 25,
                  .source = "computed for this catalogue in quadruple precision"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
