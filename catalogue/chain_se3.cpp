// SPDX-License-Identifier: BSD-3-Clause
// Closed chain of n rigid bars on SE(3)^n: both ends fixed in space, all joints spherical. Bar i
// has the centre x_i and the axis R_i e_1, half length a = length / (2 n); both velocities are
// body-fixed:
//   x_i' = R_i U_i,  R_i' = R_i hat(Omega_i),
//   m U_i' = -m Omega_i x U_i + R_i^T m gamma - (G^T lambda)_i,
//   J Omega_i' = -Omega_i x J Omega_i - (G^T lambda)_i,
//   0 = R_i^T (x_{i+1} - a R_{i+1} e_1 - x_i) - a e_1,  i = 1, ..., n - 1,
//   0 = R_1^T (x_1 - P) - a e_1,  0 = R_n^T (Q - x_n) - a e_1.
// Rows and multipliers of a joint are in the frame of the bar on its left (first joint: right), so
// that they depend on the relative motion of neighbours only. Every callable costs O(n).
// The rows are independent unless all bars are in line, which gravity excludes here: 6 n
// velocities, 3 (n + 1) rows.
#include <cmath>
#include <numbers>

#include <Eigen/LU>

#include <catalogue/support_lie.hpp>

namespace daedalus::problems {
namespace chain_se3_example {
namespace {

using namespace lie_support;

// A bar is a round rod, `thickness` the ratio of its radius to its length.
struct Constants {
  double n = 4.0, length = 1.0, mass = 1.0, gravity = 9.81, thickness = 0.2, spin = 4.0;
};
constexpr std::array<Field<Constants>, 6> fields{{{"n", &Constants::n},
                                                  {"length", &Constants::length},
                                                  {"mass", &Constants::mass},
                                                  {"gravity", &Constants::gravity},
                                                  {"thickness", &Constants::thickness},
                                                  {"spin", &Constants::spin}}};

struct Model {
  int n = 0;
  double half = 0.0, mass = 0.0, gravity = 0.0;  // of one bar
  std::array<double, 3> J{};
  Eigen::Vector3d end = Eigen::Vector3d::Zero();  // Q; P is the origin

  template <class Q, class G>
  void constraint(const Q& q, G& g) const {
    using S = ScalarIn<Q>;
    // a e_1, subtracted in the frame the row is written in.
    const auto row = [&](int joint, const Matrix3<S>& R, const Vector3<S>& arm) {
      Vector3<S> r = R.transpose() * arm;
      r[0] = r[0] - half;
      put<G, S>(g, 3 * joint, r);
    };
    Matrix3<S> R = matrix_at(q, 3);
    Vector3<S> x = vector_at(q, 0);
    row(0, R, x);
    for (int i = 1; i < n; ++i) {
      const Matrix3<S> next = matrix_at(q, 12 * i + 3);
      const Vector3<S> y = vector_at(q, 12 * i), axis = next.col(0);
      row(i, R, y - half * axis - x);
      R = next;
      x = y;
    }
    row(n, R, end.cast<S>() - x);
  }
  template <class Q, class V, class F>
  void force(const Q& q, const V& v, F& f) const {
    using S = ScalarIn<V>;
    for (int i = 0; i < n; ++i) {
      const Vector3<S> U = vector_at(v, 6 * i), w = vector_at(v, 6 * i + 3);
      const Vector3<S> down(q[12 * i + 5], q[12 * i + 8], q[12 * i + 11]);  // R^T e_3
      const Vector3<S> turning = cross<S>(w, U);
      put<F, S>(f, 6 * i, -(mass * gravity) * down - mass * turning);
      put<F, S>(f, 6 * i + 3, gyroscopic<S>(J, w));
    }
  }
  template <class Q, class V>
  auto energy(const Q& q, const V& v) const {
    using S = ScalarIn<V>;
    S sum(0.0);
    for (int i = 0; i < n; ++i) {
      const Vector3<S> U = vector_at(v, 6 * i), w = vector_at(v, 6 * i + 3);
      sum = sum + 0.5 * mass * U.dot(U) + 0.5 * w.dot(scaled<S>(J, w)) +
            mass * gravity * q[12 * i + 2];
    }
    return sum;
  }
};

// Axis of the bar at the place s in (0, 1) of a sagging chain, completed to a rotation, and the
// rate its axis would like to have.
struct Shape {
  Eigen::Matrix3d R;
  Eigen::Vector3d rate;

  explicit Shape(double s) {
    constexpr double pi = std::numbers::pi;
    const double slope = 2.4 * s - 1.3 + 0.2 * std::sin(2.0 * pi * s),
                 turn = 0.6 * std::sin(pi * s) + 0.3 * s;
    const double cs = std::cos(slope), ss = std::sin(slope), ct = std::cos(turn),
                 st = std::sin(turn);
    R << cs * ct, -st, -ss * ct, cs * st, ct, -ss * st, ss, 0.0, cs;
    rate << std::sin(3.0 * s), 2.0 * std::cos(2.0 * s), s;
  }
  Eigen::Vector3d tangential(const Eigen::Vector3d& w) const {
    return w - R.col(0) * R.col(0).dot(w);
  }
};
double place(int i, int n) { return (i + 0.5) / n; }

// Closed sums: bars one behind the other; a constant vector is taken from all rates so that they
// add up to zero and the end stays where it is.
void start(Model& m, double spin, Eigen::VectorXd& q0, Eigen::VectorXd& v0) {
  Eigen::Matrix3d projectors = Eigen::Matrix3d::Zero();
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (int i = 0; i < m.n; ++i) {
    const Shape shape(place(i, m.n));
    sum += shape.tangential(shape.rate);
    projectors += Eigen::Matrix3d::Identity() - shape.R.col(0) * shape.R.col(0).transpose();
  }
  const Eigen::Vector3d lost = projectors.inverse() * sum;
  q0.resize(12 * m.n);
  v0.resize(6 * m.n);
  Eigen::Vector3d p = Eigen::Vector3d::Zero(), u = p;
  for (int i = 0; i < m.n; ++i) {
    const Shape shape(place(i, m.n));
    const Eigen::Vector3d axis = shape.R.col(0), w = shape.rate - lost, step = m.half * axis,
                          rate = m.half * shape.tangential(w);
    const Eigen::Vector3d turning = cross<double>(axis, w) + spin * axis;
    q0.segment<3>(12 * i) = p + step;
    Eigen::Map<Eigen::Matrix3d>(q0.data() + 12 * i + 3) = shape.R;
    v0.segment<3>(6 * i) = shape.R.transpose() * (u + rate);
    v0.segment<3>(6 * i + 3) = shape.R.transpose() * turning;
    p += 2.0 * step;
    u += 2.0 * rate;
  }
  m.end = p;
}

std::vector<std::string> names(int n, bool velocities) {
  std::vector<std::string> all;
  for (int i = 1; i <= n; ++i) {
    const std::string bar = "_" + std::to_string(i);
    for (auto& list : {vector_names(velocities ? "U" : "x", bar),
                       velocities ? vector_names("Omega", bar) : matrix_names("R", bar)})
      all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  need(c.length > 0.0, "chain-se3", "length", c.length, "a positive number of metres");
  need(c.mass > 0.0, "chain-se3", "mass", c.mass, "a positive number of kilograms");
  need(c.thickness > 0.0, "chain-se3", "thickness", c.thickness, "a positive number");
  Model m;
  m.n = count_of("chain-se3", "n", c.n, 2);
  m.half = 0.5 * c.length / m.n;
  m.mass = c.mass / m.n;
  m.gravity = c.gravity;
  const double square = 4.0 * m.half * m.half, thick = c.thickness * c.thickness;
  const double across = m.mass * square * (1.0 / 12.0 + thick / 4.0);
  m.J = {m.mass * square * thick / 2.0, across, across};
  Eigen::VectorXd q0, v0, masses(6 * m.n);
  start(m, c.spin, q0, v0);
  for (int i = 0; i < m.n; ++i)
    masses.segment<6>(6 * i) << m.mass, m.mass, m.mass, m.J[0], m.J[1], m.J[2];
  return MultibodyProblem{
      .name = "chain-se3",
      .space = se3_space(m.n),
      .constraint_count = 3 * (m.n + 1),
      .mass_matrix = diagonal(masses),
      .force =
          autodiff([m](const auto&, const auto& q, const auto& v, auto& f) { m.force(q, v, f); }),
      .constraint = autodiff([m](const auto&, const auto& q, auto& g) { m.constraint(q, g); }),
      .q0 = q0,
      .v0 = v0,
      .lambda0 = Eigen::VectorXd::Zero(3 * (m.n + 1)),
      .invariants = {{"energy", autodiff([m](const auto&, const auto& q, const auto& v, auto& e) {
                        e[0] = m.energy(q, v);
                      })}},
      .q_names = names(m.n, false),
      .v_names = names(m.n, true),
      .lambda_names = numbered("lambda", 3 * (m.n + 1))};
}

// The third axis of a cylinder is the first of a bar.
Scene scene(const Values& values) {
  using namespace shapes;
  const Constants c = read(fields, values);
  const int n = count_of("chain-se3", "n", c.n, 2);
  const double length = c.length / n;
  Scene picture;
  for (int i = 0; i < n; ++i)
    picture.bodies.push_back(cylinder("bar " + std::to_string(i + 1), 0.5 * c.thickness * length,
                                      0.9 * length, [i](const StateView& s) {
                                        const Eigen::Matrix3d R = matrix_at(s.q(), 12 * i + 3);
                                        Eigen::Matrix3d frame;
                                        frame << R.col(1), R.col(2), R.col(0);
                                        return Pose{vector_at(s.q(), 12 * i), frame};
                                      }));
  const auto joint = [n, length](int i) -> PointOf {
    const int bar = std::min(i, n - 1);
    const double arm = i < n ? -0.5 * length : 0.5 * length;
    return [bar, arm](const StateView& s) {
      const Eigen::Vector3d axis = matrix_at(s.q(), 12 * bar + 3).col(0);
      return Eigen::Vector3d(vector_at(s.q(), 12 * bar) + arm * axis);
    };
  };
  for (int i = 0; i <= n; ++i)
    picture.bodies.push_back(
        sphere("joint " + std::to_string(i), 0.3 * c.thickness * length, joint(i)));
  return picture;
}

}  // namespace
}  // namespace chain_se3_example

const Entry& chain_se3() {
  static const Entry entry = [] {
    using namespace chain_se3_example;
    Entry e;
    e.name = "chain-se3";
    e.title = "Closed chain of n rigid bars, fixed at both ends, on SE(3)";
    e.form = "multibody";
    e.index = 3;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "rigid bodies on SE(3): Bruels, Cardona, Arnold: Mech. Mach. Theory 48 (2012) 121-137, "
        "Sonneville, Bruels: IMSD (2012) for joints by relative motions; the chain itself chosen "
        "for this catalogue as a scaling test";
    e.suites = {"lie", "scaling"};
    e.equations =
        "a = length/(2 n), m = mass/n, gravity along -e3, P = 0, bars i = 1..n\n"
        "x_i' = R_i U_i, R_i' = R_i hat(Omega_i)\n"
        "m U_i' = -m Omega_i x U_i - m gravity R_i^T e3 - (G^T lambda)\n"
        "J Omega_i' = -Omega_i x J Omega_i - (G^T lambda)\n"
        "0 = R_1^T x_1 - a e1\n"
        "0 = R_i^T (x_(i+1) - a R_(i+1) e1 - x_i) - a e1\n"
        "0 = R_n^T (Q - x_n) - a e1";
    e.parameters = defaults(fields);
    e.units = units({{"m", "length"}, {"kg", "mass"}, {"m/s2", "gravity"}, {"rad/s", "spin"}});
    e.build = build;
    e.scene = scene;
    e.reference =
        Reference{.t = 1.0,
                  .values = named(
                      joined({names(4, false), names(4, true), numbered("lambda", 15)}),
                      {0.05774600616901892718,    0.05273881521778947776,  -0.09751418430644581159,
                       0.4619680493521517957,     0.4219105217423161979,   -0.7801134744515662061,
                       -0.3084625004328424903,    -0.7482503536915620158,  -0.5873434208596970526,
                       -0.8315265523147690941,    0.5119696473850568603,   -0.2155241818263881949,
                       0.2142020005865600319,     0.1722686229798301404,   -0.2327152567164545529,
                       0.7896799059881741893,     0.534327940354008601,    -0.3014951048285051262,
                       0.1932358991621672574,     -0.6830240263681278576,  -0.7043706884012564558,
                       -0.5822933396094249521,    0.4979677013230017943,   -0.6426216889318229763,
                       0.4216238289080429292,     0.2981049096521571043,   -0.2525027294865505,
                       0.8696947205836893491,     0.472362353024604571,    0.143195322667737583,
                       0.3858792879483101369,     -0.4697712271255660451,  -0.7939849931185378911,
                       -0.307779577167432341,     0.7457806658864247772,   -0.5908324045519489154,
                       0.618041626038816895,      0.4058970564300328726,   -0.1600619870028920796,
                       0.7016476564625022353,     0.3899748211983983323,   0.5963306172015285282,
                       0.7117645810599192689,     -0.3449803227037950906,  -0.6118658007241318208,
                       -0.03288992747447157388,   0.8537612170732885728,   -0.5196249001849900192,
                       -1.060811331847015578e-17, -0.2359135803610952261,  0.1722285627490342312,
                       4.000000000000202308,      -1.377828501992273957,   -1.887308642888762949,
                       0.1104487793042770644,     -0.4068179639350279862,  0.3935697502671503044,
                       4.000000000000177372,      -1.426321879976767078,   0.9992254659479256591,
                       -0.03673386781604109653,   -0.01904423134890946154, 0.1300390345663544322,
                       4.000000000000554249,      3.85470305014668215,     1.505712145337714063,
                       -4.905341459997118924e-16, 0.09146442825660845199,  -0.173397848755749931,
                       3.999999999999915994,      -1.387182790046003561,   -0.7317154260528774617,
                       7.456823062322690833,      0.9772364617517106046,   0.5195534454470286499,
                       5.372958975779445805,      -1.261470456882920795,   -0.793584634741704578,
                       5.403489672231658399,      -0.7489886010193838126,  -1.164334359139100906,
                       5.865139343626943066,      -1.22239478516869969,    -0.9353776273786837363,
                       7.430907610288822735,      -0.918346019138016442,   -0.7382701768095644765}),
                  .counted = {},
                  .digits = 12,
                  .source =
                      "computed for this catalogue by extrapolation of the equations of index 1 in "
                      "extended precision, two step sizes agree to 6e-13; hedop5 with index 2 and "
                      "rk4 with index 1 at tolerance 1e-13 agree to 2e-11"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
