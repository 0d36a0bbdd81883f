// SPDX-License-Identifier: BSD-3-Clause
// Planar slider crank with a flexible connecting rod: crank angle phi1, rod angle phi2, slider
// position x3 and four elastic coordinates (two bending modes, two nodes of quadratic longitudinal
// elements); the crank turns with the prescribed speed Omega. Index 3 with the constraints below;
// the published index-2 form uses their time derivatives. Multipliers as published.
#include <catalogue/slider_crank.hpp>

#include <cmath>
#include <numbers>

#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace slider_crank_example {
namespace {

using crank::Constants;

Problem build(const Values& values) {
  const crank::Model m(read(crank::fields, values));
  const double l1 = m.c.l1, l2 = m.c.l2, Omega = m.c.Omega;
  const std::vector<std::string> q_names = crank::coordinates();
  return MultibodyProblem{
      .name = "slider-crank",
      .space = euclidean(7),
      .constraint_count = 3,
      .mass = autodiff([m](const auto&, const auto& q, auto& M) { m.mass(q, M); }),
      .force =
          autodiff([m](const auto&, const auto& q, const auto& v, auto& f) { m.force(q, v, f); }),
      .constraint = autodiff([=](const auto& t, const auto& q, auto& g) {
        using std::cos, std::sin;
        const auto length = l2 + q[6];
        g[0] = l1 * sin(q[0]) + length * sin(q[1]);
        g[1] = q[2] - l1 * cos(q[0]) - length * cos(q[1]);
        g[2] = q[0] - Omega * t;
      }),
      .constraint_jacobian = autodiff([=](const auto&, const auto& q, auto& G) {
        using std::cos, std::sin;
        const auto length = l2 + q[6];
        const auto s2 = sin(q[1]);
        const auto c2 = cos(q[1]);
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 7; ++j) G(i, j) = 0.0;
        G(0, 0) = l1 * cos(q[0]);
        G(0, 1) = length * c2;
        G(0, 6) = s2;
        G(1, 0) = l1 * sin(q[0]);
        G(1, 1) = length * s2;
        G(1, 2) = 1.0;
        G(1, 6) = -c2;
        G(2, 0) = 1.0;
      }),
      .constraint_time_derivative = autodiff([=](const auto&, const auto&, auto& g_t) {
        g_t[0] = 0.0;
        g_t[1] = 0.0;
        g_t[2] = -Omega;
      }),
      .acceleration_term = autodiff([=](const auto&, const auto& q, const auto& v, auto& k) {
        using std::cos, std::sin;
        const auto length = l2 + q[6];
        const auto s2 = sin(q[1]);
        const auto c2 = cos(q[1]);
        const auto centripetal = length * v[1] * v[1];
        const auto coriolis = 2.0 * v[1] * v[6];
        k[0] = coriolis * c2 - centripetal * s2 - l1 * v[0] * v[0] * sin(q[0]);
        k[1] = coriolis * s2 + centripetal * c2 + l1 * v[0] * v[0] * cos(q[0]);
        k[2] = 0.0;
      }),
      .q0 = vector({0.0, 0.0, 0.450016933, 0.0, 0.0, 0.103339863e-4, 0.169327969e-4}),
      .v0 = vector({150.0, -74.9957670, -0.268938672e-5, 0.444896105, 0.463434311e-2,
                    -0.178591076e-5, -0.268938672e-5}),
      .lambda0 = vector({-6.397251492537153e-8, 3.824589508329281e2, -4.376060460948886e-9}),
      .q_names = q_names,
      .v_names = prefixed("d", q_names),
      .lambda_names = numbered("lambda", 3)};
}

// The rod bends by less than a millimetre: its deflection w = q1 sin(pi x) + q2 sin(2 pi x) is
// drawn larger, as the name of the body says. x in (0, 1) along the rod.
Scene scene(const Values& values) {
  using namespace shapes;
  const Constants c = read(crank::fields, values);
  const PointOf centre = fixed_point(0.0, 0.0), pin = [c](const StateView&s) {
    return Eigen::Vector3d(c.l1 * std::cos(s.q()[0]), c.l1 * std::sin(s.q()[0]), 0.0);
  };
  constexpr int points = 17;
  const auto bent = [c, pin](const StateView& s, Eigen::Vector3d* place) {
    constexpr double pi = std::numbers::pi, magnified = 20.0;
    const double cosine = std::cos(s.q()[1]), sine = std::sin(s.q()[1]);
    for (int i = 0; i < points; ++i) {
      const double x = i / (points - 1.0), along = x * (c.l2 + s.q()[6]);
      const double w =
          magnified * (s.q()[3] * std::sin(pi * x) + s.q()[4] * std::sin(2.0 * pi * x));
      place[i] =
          pin(s) + Eigen::Vector3d(along * cosine - w * sine, along * sine + w * cosine, 0.0);
    }
  };
  const PoseOf slider = [](const StateView& s) {
    return Pose{Eigen::Vector3d(s.q()[2], 0.0, 0.0), Eigen::Matrix3d::Identity()};
  };
  const double thin = 0.03 * c.l1, reach = c.l1 + c.l2;
  return planar_scene({rod("crank", 1.5 * thin, centre, pin),
                       curve("rod, bending x 20", thin, 0.0, points, bent),
                       box("slider", {0.3 * c.l1, 0.2 * c.l1, 0.2 * c.l1}, slider),
                       rod("guide", 0.4 * thin, fixed_point(c.l2 - 1.2 * c.l1, -0.12 * c.l1),
                           fixed_point(reach + 0.3 * c.l1, -0.12 * c.l1)),
                       sphere("centre", 2.0 * thin, centre), sphere("pin", 1.8 * thin, pin)});
}

}  // namespace
}  // namespace slider_crank_example

const Entry& slider_crank() {
  static const Entry entry = [] {
    using namespace slider_crank_example;
    Entry e;
    e.name = "slider-crank";
    e.title = "Slider crank with flexible connecting rod";
    e.form = "multibody";
    e.index = 3;
    e.t0 = 0.0;
    e.t_end = 0.1;
    e.stiff = true;
    e.source =
        "Simeon: Modelling a Flexible Slider Crank Mechanism by a Mixed System of DAEs and PDEs, "
        "Math. Modelling of Systems 2 (1996); Mazzia, Magherini: Test Set for Initial Value "
        "Problem Solvers (2008), problem CRANK";
    e.suites = {"core"};
    e.equations =
        "q = (phi1, phi2, x3, q1..q4), M(q) q'' = f(q, q') - G(q)^T lambda\n"
        "0 = l1 sin(phi1) + (l2 + q4) sin(phi2)\n"
        "0 = x3 - l1 cos(phi1) - (l2 + q4) cos(phi2)\n"
        "0 = phi1 - Omega t\n"
        "M: rigid crank, rod and slider, coupled with the consistent mass matrix of the rod;\n"
        "f: gravity, centrifugal and Coriolis terms, linear elastic forces of the rod.\n"
        "The start values are published with 9 digits and consistent to about 1e-9 only.";
    e.parameters = defaults(crank::fields);
    e.units = units({{"rad", "phi1 phi2"},
                     {"rad/s", "dphi1 dphi2 Omega"},
                     {"m", "x3 q1..q4 l1 l2 b h"},
                     {"m/s", "dx3 dq1..dq4"},
                     {"N", "lambda1 lambda2"},
                     {"N.m", "lambda3"},
                     {"kg", "m1..m3"},
                     {"kg.m2", "J1 J2"},
                     {"Pa", "E"},
                     {"kg/m3", "rho"},
                     {"m/s2", "g"}});
    e.build = build;
    e.scene = scene;
    const std::vector<std::string> names = crank::coordinates();
    e.reference = Reference{
        .t = 0.1,
        .values =
            named(joined({names, prefixed("d", names), numbered("lambda", 3)}),
                  {15.0, -0.33117349880536, 0.16973733265866, 1.893192862959e-4, 2.37575155375e-5,
                   -5.32390161577e-6, -8.36329560173e-6, 150.0, 60.253466993113, -8.753116838438,
                   -0.0300553073856, -0.00550047172298, 4.97753306940e-4, 0.00110507643260,
                   -62.329127878582, -163.79151606109, 25.298553178566}),
        .counted = names,
        .digits = 9,
        .source =
            "radau in index 2 and rodas5p in index 1 at 1e-11 to 1e-12 agree to 9 digits "
            "(catalogue/references.json). The values of the Test Set for Initial Value Problem "
            "Solvers, release 2.4 (2008), belong to start values that are made consistent in "
            "another way: x3 differs by 2e-10, q4 by 2e-6 of its size"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
