// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/disc_hyperbola.hpp>

#include <numbers>

#include <catalogue/arnold_theory.hpp>
#include <catalogue/support_mechanics.hpp>

namespace daedalus::problems {
namespace disc_hyperbola_model {

ContactGrid rim(double rho, int panels) {
  std::vector<double> breaks(static_cast<std::size_t>(panels) + 1);
  for (int i = 0; i <= panels; ++i)
    breaks[static_cast<std::size_t>(i)] =
        (static_cast<double>(i) / panels - 0.5) * std::numbers::pi;
  const ContactGrid angles = ContactGrid::gauss(breaks, 8);
  std::vector<double> points, weights;
  for (int i = 0; i < angles.size(); ++i) {
    points.push_back(rho * std::sin(angles.point(i)));
    weights.push_back(angles.weight(i) * std::cos(angles.point(i)));
  }
  return ContactGrid(-rho, rho, std::move(points), std::move(weights));
}

ContactTable table(const Constants& c) {
  const double reach = 1.5 * std::abs(c.start) + 0.2 * c.radius;
  // Width of the layer around q1 = 0 in which the contact point moves over.
  const int intervals = static_cast<int>(std::ceil(2.0 * reach / (0.25 * c.nu + 0.005 * c.radius)));
  const TableRequest request{.axes = {TableAxis::uniform("q1", -reach, reach, intervals)},
                             .quantities = {{"smax", 4, {}}, {"attack", 2, {}}},
                             .profile = 0x6469736bULL};
  return contact_table<1>(std::get<0>(contacts(c)).family, request,
                          [](double s, const auto&) { return std::array<double, 1>{s}; });
}

}  // namespace disc_hyperbola_model

namespace disc_hyperbola_example {
namespace {

using disc_hyperbola_model::Constants;
using disc_hyperbola_model::contacts;
using disc_hyperbola_model::Treatment;

constexpr std::array<Field<Constants>, 8> fields{{{"a", &Constants::a},
                                                  {"radius", &Constants::radius},
                                                  {"mass", &Constants::mass},
                                                  {"gravity", &Constants::gravity},
                                                  {"start", &Constants::start},
                                                  {"nu", &Constants::nu},
                                                  {"panels", &Constants::panels},
                                                  {"treatment", &Constants::treatment}}};

Treatment treatment_of(const Constants& c) {
  return static_cast<Treatment>(arnold::whole("disc-hyperbola", "treatment", c.treatment, 0, 3));
}

MultibodyProblem model(const Values& values) {
  const Constants c = read(fields, values);
  const Treatment treatment = treatment_of(c);
  arnold::whole("disc-hyperbola", "panels", c.panels, 1, 500);
  const auto all = contacts(c);
  const auto& family = std::get<0>(all).family;
  const std::array<double, 1> p{c.start};
  const bool rigid = treatment == Treatment::rigid || treatment == Treatment::branch;
  MultibodyProblem problem{
      .name = "disc-hyperbola",
      .space = euclidean(2),
      .mass_matrix = diagonal(vector({c.mass, c.mass})),
      .force = autodiff([c](const auto&, const auto&, const auto&, auto& f) {
        f[0] = 0.0;
        f[1] = -c.mass * c.gravity;
      }),
      .q0 = vector({c.start, rigid ? family.rigid(p).value : family.smax(p)}),
      .v0 = vector({0.0, 0.0}),
      .lambda0 = vector({0.0}),
      .invariants = {{"energy", autodiff([c](const auto&, const auto& q, const auto& v, auto& e) {
                        e[0] =
                            0.5 * c.mass * (v[0] * v[0] + v[1] * v[1]) + c.mass * c.gravity * q[1];
                      })}},
      .q_names = {"q1", "q2"},
      .v_names = {"v1", "v2"}};
  if (rigid) {
    rigid_contacts(problem, all);
    problem.s_names = {"s"};
  } else if (treatment == Treatment::table) {
    table_contacts(problem, all, {disc_hyperbola_model::table(c)});
  } else {
    quasi_elastic_contacts(problem, all);
  }
  problem.lambda_names = {"lambda"};
  return problem;
}

Problem build(const Values& values) { return model(values); }

std::vector<Event> build_events(const Values& values) {
  const Constants c = read(fields, values);
  if (treatment_of(c) != Treatment::rigid) return {};
  return jump_events(model(values), contacts(c));
}

Scene scene(const Values& values) {
  using namespace shapes;
  const Constants c = read(fields, values);
  Scene picture;
  picture.up = {0.0, 1.0, 0.0};
  picture.view = {0.1, 0.2, 2.0};
  constexpr int points = 61;
  constexpr double half = 0.02;  // the line of the ground lies below it
  const auto family = std::get<0>(contacts(c)).family;
  const bool given = treatment_of(c) == Treatment::rigid || treatment_of(c) == Treatment::branch;
  const auto height = [c](double x) { return std::sqrt(x * x + c.a * c.a); };
  picture.bodies = {
      cylinder("disc", c.radius, 0.1,
               [](const StateView& s) {
                 return Pose{{s.q()[0], s.q()[1], 0.0}, Eigen::Matrix3d::Identity()};
               }),
      curve("ground", half, 0.0, points,
            [height](const StateView&, Eigen::Vector3d* p) {
              for (int i = 0; i < points; ++i) {
                const double x = -2.4 + 4.8 * i / (points - 1), slope = x / height(x);
                const double root = std::hypot(1.0, slope);
                p[i] = {x + half * slope / root, height(x) - half / root, 0.0};
              }
            }),
      sphere("contact", 0.04, [family, given, height](const StateView& s) {
        const std::array<double, 1> p{s.q()[0]};
        const double xi =
            p[0] +
            (given
                 ? s.s()[0]
                 : family.smooth(p, [](double at, const auto&) { return std::array{at}; }).mean[0]);
        return Eigen::Vector3d(xi, height(xi), 0.05);
      })};
  picture.bodies[2].colour = "#c8322b";
  picture.bodies[0].trail = true;
  return picture;
}

}  // namespace
}  // namespace disc_hyperbola_example

const Entry& disc_hyperbola() {
  static const Entry entry = [] {
    using namespace disc_hyperbola_example;
    Entry e = arnold::entry("disc-hyperbola", "Disc on a hyperbola branch, one contact",
                            "multibody", 3, 1.0, "Examples 24 to 28; (4.5), (4.7), (4.12), (4.21)");
    e.suites = {"contact"};
    e.equations =
        "mass q1'' = lambda dS/dq1\n"
        "mass q2'' = -mass gravity - lambda\n"
        "0 = q2 - S(q1),  zeta(s; q1) = sqrt(radius^2 - s^2) + sqrt((q1 + s)^2 + a^2)\n"
        "treatment 0: S = zeta(s; q1), 0 = zeta_s(s; q1), jumps of s with plastic impacts\n"
        "treatment 1: S = smax zeta = nu ln(mean over s of exp(zeta / nu))\n"
        "treatment 2: S = smax zeta from a table\n"
        "treatment 3: as 0, jumps of s unnoticed (runs into an impasse point if a < radius)";
    e.parameters = defaults(fields);
    e.units = units({{"m", "q1 q2 a radius start"},
                     {"m/s", "v1 v2"},
                     {"N", "lambda"},
                     {"kg", "mass"},
                     {"m/s2", "gravity"}});
    e.build = build;
    e.build_events = build_events;
    e.scene = scene;
    e.reference = Reference{
        .t = 1.0,
        .values = named({"q1", "q2", "v1", "v2", "lambda"},
                        {0.833423515750714, 1.978924603681075, 1.280597825596285, 1.228977174598649,
                         -5.155152804727763}),
        .counted = {},
        .digits = 14,
        .source =
            "computed for this catalogue in extended precision from the minimal coordinate q1 "
            "by extrapolation of the midpoint rule; two step sizes agree to 15 digits"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
