// SPDX-License-Identifier: BSD-3-Clause
// Spatial four-bar mechanism: crank, coupler and rocker, each with (x, R) in R^3 x SO(3).
//   crank and ground     revolute joint in A = (0, 0, 0), axis e_1                          5 rows
//   crank and coupler    spherical joint in P                                             3 rows
//   coupler and rocker   universal joint in Q, axes a (coupler) and b (rocker) orthogonal  4 rows
//   rocker and ground    revolute joint in D = (1, 0, 0), axis e_2                          5 rows
// 17 independent rows for 18 velocities. With the crank's angle theta and the rocker's angle psi
//   |Q - P|^2 = const  <=>  1.2 sin(psi) + 0.36 sin(theta) cos(psi) = 0.72,
// solvable for every theta and never singular: the crank goes all the way round.
// All body frames are parallel to the axes of space at the start, so that inertias are full.
#include <cmath>

#include <catalogue/support_lie.hpp>

namespace daedalus::problems {
namespace four_bar_example {
namespace {

using namespace lie_support;
using Vector = Eigen::Vector3d;

struct Constants {
  double crank = 1.0, coupler = 1.5, rocker = 1.2, gravity = 9.81, speed = 8.0;
};
constexpr std::array<Field<Constants>, 5> fields{{{"crank", &Constants::crank},
                                                  {"coupler", &Constants::coupler},
                                                  {"rocker", &Constants::rocker},
                                                  {"gravity", &Constants::gravity},
                                                  {"speed", &Constants::speed}}};

const Vector P(0.0, 0.3, 0.0), D(1.0, 0.0, 0.0), Q(0.64, 0.0, 0.48);
const Vector along_coupler = Q - P, along_rocker = Q - D;
const Vector crank_axis(1.0, 0.0, 0.0), rocker_axis(0.0, 1.0, 0.0);
const Vector cross_axis(-0.6, 0.0, 0.8);  // a, orthogonal to the coupler; b is the rocker's axis

// A round rod of radius 0.04 from end to end: (l^2/12 + r^2/4) (I - d d^T) + r^2/2 d d^T.
Eigen::Matrix3d rod(double mass, const Vector& ends) {
  constexpr double square = 0.04 * 0.04;
  const double length = ends.squaredNorm();
  const Eigen::Matrix3d along = ends * ends.transpose() / length;
  return mass * ((length / 12.0 + square / 4.0) * (Eigen::Matrix3d::Identity() - along) +
                 square / 2.0 * along);
}

struct Body {
  double mass;
  Eigen::Matrix3d J;
};

struct Model {
  std::array<Body, 3> bodies;
  double gravity;

  template <class Q_>
  static auto point(const Q_& q, int body, const Vector& s) {
    using S = ScalarIn<Q_>;
    return Vector3<S>(vector_at(q, 12 * body) + turned(q, body, s));
  }
  template <class Q_>
  static auto turned(const Q_& q, int body, const Vector& s) {
    using S = ScalarIn<Q_>;
    return Vector3<S>(matrix_at(q, 12 * body + 3) * s.cast<S>());
  }
  template <class Q_, class G>
  static void constraint(const Q_& q, G& g) {
    using S = ScalarIn<Q_>;
    const auto join = [&g](int row, const Vector3<S>& a, const Vector3<S>& b) {
      put<G, S>(g, row, a - b);
    };
    join(0, point(q, 0, -0.5 * P), Vector3<S>::Zero());
    const Vector3<S> first = turned(q, 0, crank_axis), last = turned(q, 2, rocker_axis);
    g[3] = first[1];
    g[4] = first[2];
    join(5, point(q, 0, 0.5 * P), point(q, 1, -0.5 * along_coupler));
    join(8, point(q, 1, 0.5 * along_coupler), point(q, 2, 0.5 * along_rocker));
    g[11] = turned(q, 1, cross_axis).dot(last);
    join(12, point(q, 2, -0.5 * along_rocker), D.cast<S>());
    g[15] = last[0];
    g[16] = last[2];
  }
  template <class V, class F>
  void force(const V& v, F& f) const {
    using S = ScalarIn<V>;
    for (int i = 0; i < 3; ++i) {
      const Body& body = bodies[static_cast<std::size_t>(i)];
      const Vector3<S> w = vector_at(v, 6 * i + 3), spin = body.J.cast<S>() * w;
      put<F, S>(f, 6 * i, Vector3<S>(S(0.0), S(0.0), S(-body.mass * gravity)));
      put<F, S>(f, 6 * i + 3, cross<S>(spin, w));
    }
  }
  template <class Q_, class V>
  auto energy(const Q_& q, const V& v) const {
    using S = ScalarIn<V>;
    S sum(0.0);
    for (int i = 0; i < 3; ++i) {
      const Body& body = bodies[static_cast<std::size_t>(i)];
      const Vector3<S> u = vector_at(v, 6 * i), w = vector_at(v, 6 * i + 3);
      const Vector3<S> spin = body.J.cast<S>() * w;
      sum = sum + 0.5 * body.mass * u.dot(u) + 0.5 * w.dot(spin) +
            body.mass * gravity * q[12 * i + 2];
    }
    return sum;
  }
};

// The motion with the crank turning at `speed`: the rocker's rate keeps |Q - P|, the coupler turns
// so that its ends follow, and about itself so that a and b stay orthogonal.
Eigen::VectorXd start_velocity(double speed) {
  const Vector &d = along_coupler, b = rocker_axis, n = cross<double>(cross_axis, b);
  const Vector wc = speed * crank_axis, uP = cross<double>(wc, P);
  const Vector per_rate = cross<double>(rocker_axis, along_rocker);
  const Vector wr = uP.dot(d) / per_rate.dot(d) * rocker_axis;
  const Vector uQ = cross<double>(wr, along_rocker), across = cross<double>(d, uQ - uP);
  const Vector tilt = across / d.squaredNorm();
  const Vector wk = tilt + (wr - tilt).dot(n) / d.dot(n) * d;
  Eigen::VectorXd v(18);
  v << 0.5 * uP, wc, 0.5 * (uP + uQ), wk, 0.5 * uQ, wr;
  return v;
}

SparseMatrix masses(const Model& m) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < 3; ++i) {
    const Body& body = m.bodies[static_cast<std::size_t>(i)];
    for (int j = 0; j < 3; ++j) {
      entries.emplace_back(6 * i + j, 6 * i + j, body.mass);
      for (int k = 0; k < 3; ++k) entries.emplace_back(6 * i + 3 + j, 6 * i + 3 + k, body.J(j, k));
    }
  }
  SparseMatrix M(18, 18);
  M.setFromTriplets(entries.begin(), entries.end());
  return M;
}

std::vector<std::string> names(const std::string& position, bool rotations) {
  std::vector<std::string> all;
  for (const char* body : {"_crank", "_coupler", "_rocker"})
    all = joined({all, vector_names(position, body),
                  rotations ? matrix_names("R", body) : vector_names("Omega", body)});
  return all;
}

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  for (const Field<Constants>& field : {fields[0], fields[1], fields[2]})
    need(c.*field.member > 0.0, "four-bar", field.name, c.*field.member,
         "a positive number of kilograms");
  const Model m{{{{c.crank, rod(c.crank, P)},
                  {c.coupler, rod(c.coupler, along_coupler)},
                  {c.rocker, rod(c.rocker, along_rocker)}}},
                c.gravity};
  Eigen::VectorXd q0(36);
  const Eigen::VectorXd identity = vector({1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
  q0 << 0.5 * P, identity, 0.5 * (P + Q), identity, 0.5 * (D + Q), identity;
  return MultibodyProblem{
      .name = "four-bar",
      .space = power(product({euclidean(3), so3_space()}), 3),
      .constraint_count = 17,
      .mass_matrix = masses(m),
      .force = autodiff([m](const auto&, const auto&, const auto& v, auto& f) { m.force(v, f); }),
      .constraint = autodiff([](const auto&, const auto& q, auto& g) { Model::constraint(q, g); }),
      .q0 = q0,
      .v0 = start_velocity(c.speed),
      .lambda0 = Eigen::VectorXd::Zero(17),
      .invariants = {{"energy", autodiff([m](const auto&, const auto& q, const auto& v, auto& e) {
                        e[0] = m.energy(q, v);
                      })}},
      .q_names = names("x", true),
      .v_names = names("u", false),
      .lambda_names = numbered("lambda", 17)};
}

Scene scene(const Values&) {
  using shapes::sphere;
  const auto end = [](int body, const Vector& arm) -> PointOf {
    return [body, arm](const StateView& s) { return Vector(Model::point(s.q(), body, arm)); };
  };
  const auto link = [&end](const char* name, int body, const Vector& ends) {
    return shapes::rod(name, 0.04, end(body, -0.5 * ends), end(body, 0.5 * ends));
  };
  const PointOf ground = shapes::fixed_point(0.0, 0.0, 0.0),
                other = shapes::fixed_point(D[0], D[1], D[2]);
  Scene picture;
  picture.view = {1.2, -1.2, 0.8};
  picture.bodies = {link("crank", 0, P),
                    link("coupler", 1, along_coupler),
                    link("rocker", 2, along_rocker),
                    sphere("A", 0.05, ground),
                    sphere("D", 0.05, other),
                    sphere("P", 0.05, end(0, 0.5 * P)),
                    sphere("Q", 0.05, end(2, 0.5 * along_rocker))};
  picture.bodies.back().trail = true;
  return picture;
}

}  // namespace
}  // namespace four_bar_example

const Entry& four_bar() {
  static const Entry entry = [] {
    using namespace four_bar_example;
    Entry e;
    e.name = "four-bar";
    e.title = "Spatial four-bar mechanism with revolute, spherical and universal joints";
    e.form = "multibody";
    e.index = 3;
    e.t0 = 0.0;
    e.t_end = 2.0;
    e.source =
        "the spatial four-bar linkage of the textbooks, e.g. Garcia de Jalon, Bayo: Kinematic and "
        "Dynamic Simulation of Multibody Systems (1994); dimensions chosen for this catalogue";
    e.suites = {"lie"};
    e.equations =
        "bodies crank, coupler, rocker: x' = u, R' = R hat(Omega)\n"
        "m u' = (0, 0, -m gravity) - (G^T lambda), J Omega' = -Omega x J Omega - (G^T lambda)\n"
        "0 = x + R s - A, 0 = axes of the crank and of space orthogonal (revolute joint, 5 rows)\n"
        "0 = difference of the points P (spherical joint, 3 rows)\n"
        "0 = difference of the points Q, 0 = a . b (universal joint, 4 rows)\n"
        "0 = x + R s - D, 0 = axes of the rocker and of space orthogonal (revolute joint, 5 rows)\n"
        "start: crank turns with speed, the others follow";
    e.parameters = defaults(fields);
    e.units = units({{"kg", "crank coupler rocker"}, {"m/s2", "gravity"}, {"rad/s", "speed"}});
    e.build = build;
    e.scene = scene;
    e.reference = Reference{
        .t = 2.0,
        .values = named(joined({names("x", true), names("u", false), numbered("lambda", 17)}),
                        {-1.692964824027186582e-18,
                         0.1320624711744081337,
                         -0.07113018843858539217,
                         1.0,
                         0.0,
                         0.0,
                         0.0,
                         0.8804164744960541557,
                         -0.4742012562572334058,
                         0.0,
                         0.4742012562572334058,
                         0.8804164744960541557,
                         0.2895803615393602501,
                         0.1320624711744083047,
                         0.1427005290696657969,
                         0.9904903502333337286,
                         0.03557823638242994172,
                         0.1329024273313478368,
                         -0.03169883255555484477,
                         0.9990105957708201418,
                         -0.03119316515274199031,
                         -0.1338807309109984331,
                         0.02668367728682240558,
                         0.9906381434495590269,
                         0.7895803615393603935,
                         2.539782113471687848e-19,
                         0.2138307175082515377,
                         0.9910545236099502148,
                         0.0,
                         0.1334576008785358755,
                         0.0,
                         1.0,
                         0.0,
                         -0.1334576008785358755,
                         0.0,
                         0.9910545236099502148,
                         -3.257293920307348392e-18,
                         -0.7767532719930435127,
                         -1.442143748582611241,
                         -10.92016328149763283,
                         0.0,
                         0.0,
                         -0.5410123959296910185,
                         -0.7767532719930434343,
                         -1.974525784619398462,
                         -1.237150173527022332,
                         -2.527593426591116132,
                         1.461999441794344806,
                         -0.5410123959296910093,
                         4.038935694399675553e-19,
                         -0.5323820360367869836,
                         0.0,
                         -2.530096714981156307,
                         0.0,
                         -10.728942444938253,
                         45.33137587553033501,
                         -25.60679534301461002,
                         2.833781304733084951,
                         -1.526303395710382519,
                         10.728942444938253,
                         -24.80357581819519103,
                         16.18801835013567695,
                         6.403819544393172078,
                         5.988124267807524926,
                         1.845181973963201595,
                         -0.008607473826687549136,
                         2.943721223957107471,
                         5.988124267807524925,
                         -10.09855473552005996,
                         2.514000615209980478,
                         -2.554754676413399945}),
        .counted = {},
        .digits = 12,
        .source =
            "computed for this catalogue by extrapolation of the equations of index 1 in extended "
            "precision, two step sizes agree to 4e-13; hedop5 with index 2 and rk4 with index 1 at "
            "tolerance 1e-13 agree to 1e-10"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
