// SPDX-License-Identifier: BSD-3-Clause
// A thin disk (or hoop) rolling without slipping on the plane x_3 = 0. Centre x, body axis e_3,
// rows r_3 = e_3^T R; the lowest point of the rim lies at c = -(radius / s) (R_31, R_32, 0) in the
// body, s = sqrt(R_31^2 + R_32^2) the sine of the angle between the axis and the vertical.
//   m u' = m gamma - lambda_1 e_3 - (lambda_2, lambda_3, 0),
//   J Omega' = -Omega x J Omega - G_Omega^T lambda,
//   0 = x_3 - radius s                            the rim touches the plane,
//   0 = (u + R (Omega x c))_i,  i = 1, 2          the touching point is at rest (nonholonomic).
// -lambda is the force of the plane on the disk; friction does no work, the energy is constant.
#include <cmath>

#include <catalogue/support_lie.hpp>

namespace daedalus::problems {
namespace rolling_disk_example {
namespace {

using namespace lie_support;

// A homogeneous disk: J = m radius^2 (1/4, 1/4, 1/2). The axis leans: cos = 7/25, sin = 24/25.
struct Constants {
  double mass = 2.0, radius = 0.5, gravity = 9.81, roll = 6.0, yaw = 1.0, fall = 0.5;
};
constexpr std::array<Field<Constants>, 6> fields{{{"mass", &Constants::mass},
                                                  {"radius", &Constants::radius},
                                                  {"gravity", &Constants::gravity},
                                                  {"roll", &Constants::roll},
                                                  {"yaw", &Constants::yaw},
                                                  {"fall", &Constants::fall}}};

struct Model {
  double mass, radius, gravity;
  std::array<double, 3> J;

  template <class Q>
  Vector3<ScalarIn<Q>> touching(const Q& q) const {
    using std::sqrt;
    using S = ScalarIn<Q>;
    const S &a = q[5], &b = q[8];  // R_31, R_32
    const S factor = -radius / sqrt(a * a + b * b);
    return {factor * a, factor * b, S(0.0)};
  }
  template <class V, class F>
  void force(const V& v, F& f) const {
    using S = ScalarIn<V>;
    put<F, S>(f, 0, Vector3<S>(S(0.0), S(0.0), S(-mass * gravity)));
    put<F, S>(f, 3, gyroscopic<S>(J, vector_at(v, 3)));
  }
  template <class Q, class G>
  void height(const Q& q, G& g) const {
    using std::sqrt;
    g[0] = q[2] - radius * sqrt(q[5] * q[5] + q[8] * q[8]);
  }
  // u + R (Omega x c) = u - R hat(c) Omega.
  template <class Q, class M>
  void rolling(const Q& q, M& A) const {
    using S = ScalarIn<Q>;
    const Matrix3<S> arm = matrix_at(q, 3) * so3::skew<S>(touching(q));
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j) {
        A(i, j) = S(i == j ? 1.0 : 0.0);
        A(i, 3 + j) = -arm(i, j);
      }
  }
  template <class Q, class V>
  auto energy(const Q& q, const V& v) const {
    using S = ScalarIn<V>;
    const Vector3<S> u = vector_at(v, 0), w = vector_at(v, 3);
    return S(0.5 * mass * u.dot(u) + 0.5 * w.dot(scaled<S>(J, w)) + mass * gravity * q[2]);
  }
};

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  need(c.mass > 0.0, "rolling-disk", "mass", c.mass, "a positive number of kilograms");
  need(c.radius > 0.0, "rolling-disk", "radius", c.radius, "a positive number of metres");
  const double unit = 0.25 * c.mass * c.radius * c.radius;
  const Model m{c.mass, c.radius, c.gravity, {unit, unit, 2.0 * unit}};

  constexpr double cosine = 0.28, sine = 0.96;
  Eigen::VectorXd q0(12), v0(6);
  q0 << 0.0, 0.0, c.radius * sine, 1.0, 0.0, 0.0, 0.0, cosine, sine, 0.0, -sine, cosine;
  // In the body: turning over about e_1, about the vertical, and about the axis.
  const Eigen::Vector3d w(c.fall, c.yaw * sine, c.roll + c.yaw * cosine);
  v0 << -(matrix_at(q0, 3) * cross<double>(w, m.touching(q0))), w;

  return MultibodyProblem{
      .name = "rolling-disk",
      .space = product({euclidean(3), so3_space()}),
      .constraint_count = 1,
      .nonholonomic_count = 2,
      .mass_matrix = diagonal(vector({c.mass, c.mass, c.mass, m.J[0], m.J[1], m.J[2]})),
      .force = autodiff([m](const auto&, const auto&, const auto& v, auto& f) { m.force(v, f); }),
      .constraint = autodiff([m](const auto&, const auto& q, auto& g) { m.height(q, g); }),
      .nonholonomic_matrix =
          autodiff([m](const auto&, const auto& q, auto& A) { m.rolling(q, A); }),
      .nonholonomic_offset = autodiff([](const auto&, const auto&, auto& a) {
        a[0] = 0.0;
        a[1] = 0.0;
      }),
      .q0 = q0,
      .v0 = v0,
      .lambda0 = Eigen::VectorXd::Zero(3),
      .invariants = {{"energy", autodiff([m](const auto&, const auto& q, const auto& v, auto& e) {
                        e[0] = m.energy(q, v);
                      })}},
      .q_names = joined({vector_names("x"), matrix_names("R")}),
      .v_names = joined({vector_names("u"), vector_names("Omega")}),
      .lambda_names = vector_names("lambda")};
}

Scene scene(const Values& values) {
  using namespace shapes;
  const Constants c = read(fields, values);
  const Model m{c.mass, c.radius, c.gravity, {}};
  const PoseOf disk = [](const StateView& s) {
    return Pose{vector_at(s.q(), 0), matrix_at(s.q(), 3)};
  };
  const PointOf contact = [m](const StateView& s) {
    return Eigen::Vector3d(vector_at(s.q(), 0) + matrix_at(s.q(), 3) * m.touching(s.q()));
  };
  Scene picture;
  picture.ground = 0.0;
  picture.bodies = {cylinder("disk", c.radius, 0.06 * c.radius, disk),
                    sphere("contact", 0.04 * c.radius, contact)};
  picture.bodies.back().trail = true;
  return picture;
}

}  // namespace
}  // namespace rolling_disk_example

const Entry& rolling_disk() {
  static const Entry entry = [] {
    using namespace rolling_disk_example;
    Entry e;
    e.name = "rolling-disk";
    e.title = "Disk rolling without slipping on a plane";
    e.form = "multibody";
    e.index = 3;
    e.t0 = 0.0;
    e.t_end = 5.0;
    e.source =
        "Neimark, Fufaev: Dynamics of Nonholonomic Systems (1972), chapter I; Bloch: Nonholonomic "
        "Mechanics and Control (2003), section 1.4; data chosen for this catalogue";
    e.suites = {"lie"};
    e.equations =
        "x' = u, R' = R hat(Omega), J = mass radius^2 diag(1/4, 1/4, 1/2)\n"
        "s = sqrt(R31^2 + R32^2), c = -(radius/s) (R31, R32, 0)\n"
        "mass u' = (0, 0, -mass gravity) - (lambda2, lambda3, lambda1)\n"
        "J Omega' = -Omega x J Omega - G^T lambda\n"
        "0 = x3 - radius s\n"
        "0 = u + R (Omega x c), components 1 and 2";
    e.parameters = defaults(fields);
    e.units = units({{"m", "x1..x3 radius"},
                     {"m/s", "u1..u3"},
                     {"rad/s", "Omega1..Omega3 roll yaw fall"},
                     {"N", "lambda1..lambda3"},
                     {"kg", "mass"},
                     {"m/s2", "gravity"}});
    e.build = build;
    e.scene = scene;
    e.reference = Reference{
        .t = 5.0,
        .values = named(joined({vector_names("x"), matrix_names("R"), vector_names("u"),
                                vector_names("Omega"), vector_names("lambda")}),
                        {3.098381537612103335,    3.605710869747000255,   0.426218696650390503,
                         -0.01780641125260648036, -0.9411076184824024908, 0.3376379453685321768,
                         0.550036687270676653,    -0.291220732969946786,  -0.7827196990907708655,
                         0.8349506418792684403,   0.1717758281098586828,  0.522829312971805323,
                         0.3243803455007570781,   -3.204890965279181111,  -0.2012325600887089007,
                         -0.284856766207406241,   2.603838915182997982,   6.409025442927790728,
                         -25.29378160106197371,   8.39628328447574614,    1.07148957477623907}),
        .counted = {},
        .digits = 13,
        .source =
            "computed for this catalogue by extrapolation of the equations of index 1 in extended "
            "precision, two step sizes agree to 1e-13; hedop5 with index 2 and rk4 with index 1 at "
            "tolerance 1e-13 agree to 1e-10"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
