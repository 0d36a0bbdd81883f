// SPDX-License-Identifier: BSD-3-Clause
// Cam and flat-faced follower: the point of the cam at the angle sigma from the vertical is at the
// height zeta(sigma; phi) = r(sigma + phi) cos(sigma), r(psi) = base + lobe cos(lobes psi), and the
// face of the follower, at height y, rests on the highest one: 0 = y - max_sigma zeta. The cam
// turns with inertia under a drive that holds its speed; a preloaded spring presses the follower
// down. Where base - lobe < lobe lobes^2 the cam is not convex and the contact point jumps.
//   inertia phi'' = drive (speed - phi') + lambda dS/dphi,
//   mass y'' = -mass gravity - preload - stiffness (y - base) - damping y' - lambda,  0 = y -
//   S(phi).
#include <numbers>

#include <catalogue/arnold_theory.hpp>
#include <catalogue/support_mechanics.hpp>
#include <daedalus/contact_condition.hpp>

namespace daedalus::problems {
namespace cam_follower_example {
namespace {

struct Constants {
  double base = 0.03, lobe = 0.004, lobes = 3.0, inertia = 1e-3, drive = 0.05, speed = 20.0,
         mass = 0.2, stiffness = 2000.0, preload = 60.0, damping = 1.0, gravity = 9.81, nu = 2e-5,
         intervals = 300.0, treatment = 1.0;
};
constexpr std::array<Field<Constants>, 14> fields{{{"base", &Constants::base},
                                                   {"lobe", &Constants::lobe},
                                                   {"lobes", &Constants::lobes},
                                                   {"inertia", &Constants::inertia},
                                                   {"drive", &Constants::drive},
                                                   {"speed", &Constants::speed},
                                                   {"mass", &Constants::mass},
                                                   {"stiffness", &Constants::stiffness},
                                                   {"preload", &Constants::preload},
                                                   {"damping", &Constants::damping},
                                                   {"gravity", &Constants::gravity},
                                                   {"nu", &Constants::nu},
                                                   {"intervals", &Constants::intervals},
                                                   {"treatment", &Constants::treatment}}};

struct Cam {
  double base, lobe;
  int lobes;
  template <class S, class P>
  auto operator()(const S& sigma, const P& p) const {
    using std::cos;
    return (base + lobe * cos((p[0] + sigma) * lobes)) * cos(sigma);
  }
};

auto contacts(const Constants& c) {
  const Cam cam{c.base, c.lobe, arnold::whole("cam-follower", "lobes", c.lobes, 1, 100)};
  const int intervals = arnold::whole("cam-follower", "intervals", c.intervals, 1, 4000);
  return std::tuple{Contact{"cam",
                            ContactFamily(ContactGrid::uniform(-1.5, 1.5, intervals), c.nu, cam),
                            [](const auto&, const auto& q) { return std::array{q[0]}; },
                            [](const auto&, const auto& q) { return q[1]; }}};
}

bool rigid(const Constants& c) {
  return arnold::whole("cam-follower", "treatment", c.treatment, 0, 1) == 0;
}

MultibodyProblem model(const Values& values) {
  const Constants c = read(fields, values);
  const auto all = contacts(c);
  const auto& family = std::get<0>(all).family;
  // Half way from a hollow to a lobe.
  const std::array<double, 1> p{-0.5 * std::numbers::pi / c.lobes};
  const RigidContact touch = family.rigid(p);
  const std::array<Dual4, 1> x{Dual4::variable(p[0], 0)};
  const Dual4 height = rigid(c) ? family.zeta(touch.s, x) : family.smax(x);
  MultibodyProblem problem{
      .name = "cam-follower",
      .space = euclidean(2),
      .mass_matrix = diagonal(vector({c.inertia, c.mass})),
      .force = autodiff([c](const auto&, const auto& q, const auto& v, auto& f) {
        f[0] = c.drive * (c.speed - v[0]);
        f[1] = -c.mass * c.gravity - c.preload - c.stiffness * (q[1] - c.base) - c.damping * v[1];
      }),
      .q0 = vector({p[0], height.v}),
      .v0 = vector({c.speed, height.d[0] * c.speed}),
      .lambda0 = vector({0.0}),
      .q_names = {"phi", "y"},
      .v_names = {"omega", "v"}};
  if (rigid(c)) {
    rigid_contacts(problem, all);
    problem.s_names = {"sigma"};
  } else {
    quasi_elastic_contacts(problem, all);
  }
  problem.lambda_names = {"lambda"};
  return problem;
}

Problem build(const Values& values) { return model(values); }

std::vector<Event> build_events(const Values& values) {
  const Constants c = read(fields, values);
  std::vector<Event> events;
  if (rigid(c)) events = jump_events(model(values), contacts(c));
  events.push_back(lift_off("lift-off", 0));
  return events;
}

Scene scene(const Values& values) {
  using namespace shapes;
  const Constants c = read(fields, values);
  std::vector<std::array<double, 2>> outline;
  // The point at the angle sigma from the vertical turns backwards as phi grows: r(sigma + phi).
  for (int i = 0; i < 120; ++i) {
    const double a = 2.0 * std::numbers::pi * i / 120.0,
                 r = c.base + c.lobe * std::cos(c.lobes * a);
    outline.push_back({-r * std::sin(a), r * std::cos(a)});
  }
  const double top = 4.0 * c.base;
  const auto family = std::get<0>(contacts(c)).family;
  Scene picture;
  picture.up = {0.0, 1.0, 0.0};
  picture.view = {0.4, 0.3, 2.0};
  picture.bodies = {
      plate("cam", outline, 0.3 * c.base,
            [](const StateView& s) {
              return Pose{Eigen::Vector3d::Zero(), planar_rotation(-s.q()[0])};
            }),
      box("follower", {2.5 * c.base, 0.1 * c.base, 0.5 * c.base},
          [c](const StateView& s) {
            return Pose{{0.0, s.q()[1] + 0.05 * c.base, 0.0}, Eigen::Matrix3d::Identity()};
          }),
      spring(
          "spring", 0.3 * c.base,
          [](const StateView& s) { return Eigen::Vector3d(0.0, s.q()[1], 0.0); },
          fixed_point(0.0, top)),
      sphere("contact", 0.06 * c.base, [c, family](const StateView& s) {
        const std::array<double, 1> p{s.q()[0]};
        const double sigma =
            rigid(c)
                ? s.s()[0]
                : family.smooth(p, [](double at, const auto&) { return std::array{at}; }).mean[0];
        const double r = c.base + c.lobe * std::cos(c.lobes * (sigma + p[0]));
        return Eigen::Vector3d(r * std::sin(sigma), r * std::cos(sigma), 0.26 * c.base);
      })};
  picture.bodies.back().colour = "#c8322b";
  return picture;
}

}  // namespace
}  // namespace cam_follower_example

const Entry& cam_follower() {
  static const Entry entry = [] {
    using namespace cam_follower_example;
    Entry e = arnold::entry("cam-follower", "Cam and flat-faced follower, one contact", "multibody",
                            3, 0.1, "Remark 41a and (4.21); the model was made for this catalogue");
    e.suites = {"contact"};
    e.equations =
        "inertia phi'' = drive (speed - phi') + lambda dS/dphi\n"
        "mass y'' = -mass gravity - preload - stiffness (y - base) - damping y' - lambda\n"
        "0 = y - S(phi),  zeta(sigma; phi) = (base + lobe cos(lobes (sigma + phi))) cos(sigma)\n"
        "treatment 0: S = zeta(sigma; phi), 0 = zeta_sigma, jumps with plastic impacts\n"
        "treatment 1: S = smax zeta; the run ends when the follower lifts off (lambda = 0)";
    e.parameters = defaults(fields);
    e.units = units({{"rad", "phi"},
                     {"m", "y base lobe"},
                     {"rad/s", "omega speed"},
                     {"m/s", "v"},
                     {"N", "lambda preload"},
                     {"kg", "mass"},
                     {"kg.m2", "inertia"},
                     {"N.m.s", "drive"},
                     {"N/m", "stiffness"},
                     {"N.s/m", "damping"},
                     {"m/s2", "gravity"}});
    e.build = build;
    e.build_events = build_events;
    e.scene = scene;
    e.reference = Reference{
        .t = 0.1,
        .values = named({"phi", "y", "omega", "v", "lambda"},
                        {1.506984800980508, 0.03107096042929758, 14.74261491067495,
                         0.133970707938523, -63.18052712699144}),
        .counted = {},
        .digits = 14,
        .source =
            "computed for this catalogue in extended precision from the minimal coordinate "
            "phi by extrapolation of the midpoint rule; two step sizes agree to 15 digits"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
