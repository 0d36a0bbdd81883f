// SPDX-License-Identifier: BSD-3-Clause
// A flexible rod of n geometrically exact elements, hinged at one end, on n + 1 rigid motions
// q_i = (x_i, p_i) with unit quaternions, velocities (U_i, Omega_i) in the frame of the node. The
// strain of an element is the relative motion of its nodes,
//   w_i = log(q_i^{-1} o q_{i+1}),  epsilon_i = w_i / h - (e_1, 0),  h = length / n,
//   W = sum_i h/2 epsilon_i^T C epsilon_i,  C = diag(E A, G A, G A, G J, E I, E I),
// three for stretching and shear, three for torsion and bending, exact for rigid motions and for
// constant strains. The derivative of log gives the forces on its two nodes,
//   T(-w_i)^{-T} C epsilon_i  on node i,  -T(w_i)^{-T} C epsilon_i  on node i + 1.
// Masses are lumped (half at the ends), M = rho h diag(A, A, A, J, I, I):
//   M v_i' = ad(v_i)^T M v_i + gravity + elastic forces - G^T lambda,  0 = x_0.
// inextensible = 1: a rod without stretching and shear (Kirchhoff), 0 = h epsilon_i (first three)
// in place of their part of the energy. Every callable costs O(n).
// Sonneville, Cardona, Bruels (2014); Hante, Tumiotto, Arnold (2022).
#include <cmath>
#include <numbers>

#include <catalogue/support_lie.hpp>

namespace daedalus::problems {
namespace rod_chain_example {
namespace {

using namespace lie_support;
template <class S>
using Vector6 = se3::Vector<S>;

// Soft rubber, nearly incompressible: G = E / 3.
struct Constants {
  double n = 4.0, length = 1.0, radius = 0.02, density = 1000.0, modulus = 2e6, gravity = 9.81,
         turn = 3.0, spin = 2.0, inextensible = 0.0;
};
constexpr std::array<Field<Constants>, 9> fields{{{"n", &Constants::n},
                                                  {"length", &Constants::length},
                                                  {"radius", &Constants::radius},
                                                  {"density", &Constants::density},
                                                  {"modulus", &Constants::modulus},
                                                  {"gravity", &Constants::gravity},
                                                  {"turn", &Constants::turn},
                                                  {"spin", &Constants::spin},
                                                  {"inextensible", &Constants::inextensible}}};

// The rotation vector of a quaternion with p_0 > 0, for any scalar: two half angles, then
// arcsin(a) / a = sum_k binomial(2k, k) / (4^k (2k + 1)) a^2k, 1e-17 for angles up to 2.
template <class S>
Vector3<S> rotation_vector(const s3::Quaternion<S>& p) {
  using std::sqrt;
  const S half = sqrt(0.5 * (1.0 + p[0])), quarter = sqrt(0.5 * (1.0 + half));
  const S scale = half * quarter;  // sin(angle/2) = 4 scale sin(angle/8)
  const S u = (p[1] * p[1] + p[2] * p[2] + p[3] * p[3]) / (16.0 * scale * scale);
  constexpr int terms = 14;
  std::array<double, terms> c{1.0};
  double binomial = 1.0;  // binomial(2k, k) / 4^k
  for (std::size_t k = 1; k < terms; ++k) {
    binomial *= static_cast<double>(2 * k - 1) / static_cast<double>(2 * k);
    c[k] = binomial / static_cast<double>(2 * k + 1);
  }
  S sum(c[terms - 1]);
  for (std::size_t k = terms - 1; k-- > 0;) sum = sum * u + c[k];
  const S factor = 2.0 * sum / scale;
  return {factor * p[1], factor * p[2], factor * p[3]};
}

struct Model {
  int n = 0;
  double h = 0.0, mass = 0.0, gravity = 0.0;  // mass of an inner node
  bool inextensible = false;
  std::array<double, 6> C{};
  std::array<double, 3> J{};  // inertia of an inner node

  double share(int node) const { return node == 0 || node == n ? 0.5 : 1.0; }

  template <class Q>
  static s3::Quaternion<ScalarIn<Q>> turn_of(const Q& q, int node) {
    return {q[7 * node + 3], q[7 * node + 4], q[7 * node + 5], q[7 * node + 6]};
  }
  // log(q_i^{-1} o q_{i+1}).
  template <class Q>
  static Vector6<ScalarIn<Q>> relative(const Q& q, int i) {
    using S = ScalarIn<Q>;
    const s3::Quaternion<S> back = s3::inverse<S>(turn_of(q, i));
    const Vector3<S> apart = vector_at(q, 7 * i + 7) - vector_at(q, 7 * i);
    const Vector3<S> w2 = rotation_vector<S>(s3::compose<S>(back, turn_of(q, i + 1)));
    const Vector3<S> x = s3::rotate<S>(back, apart);
    // T(-w2)^{-1} x = x - w2 x x / 2 + kappa w2 x (w2 x x).
    const Vector3<S> a = cross<S>(w2, x), b = cross<S>(w2, a);
    const S kappa = lie::cotangent_quotient(S(w2.dot(w2)));
    Vector6<S> w;
    for (int k = 0; k < 3; ++k) {
      w[k] = x[k] - 0.5 * a[k] + kappa * b[k];
      w[3 + k] = w2[k];
    }
    return w;
  }
  // C epsilon.
  template <class S>
  Vector6<S> stress(const Vector6<S>& w) const {
    Vector6<S> s;
    for (int k = 0; k < 6; ++k)
      s[k] = C[static_cast<std::size_t>(k)] * (w[k] / h - (k == 0 ? 1.0 : 0.0));
    return s;
  }

  template <class Q, class V, class F>
  void force(const Q& q, const V& v, F& f) const {
    using S = ScalarIn<V>;
    for (int i = 0; i <= n; ++i) {
      const double part = share(i);
      const Vector3<S> U = vector_at(v, 6 * i), w = vector_at(v, 6 * i + 3);
      const Vector3<S> down =
          s3::rotate<S>(s3::inverse<S>(turn_of(q, i)), Vector3<S>(S(0.0), S(0.0), S(-gravity)));
      const Vector3<S> turning = cross<S>(w, U), moment = gyroscopic<S>(J, w);
      put<F, S>(f, 6 * i, part * mass * (down - turning));
      put<F, S>(f, 6 * i + 3, part * moment);
    }
    for (int i = 0; i < n; ++i) {
      const Vector6<S> w = relative(q, i), s = stress<S>(w), minus = -w;
      const Vector6<S> left = se3::tangent_inverse<S>(minus).transpose() * s,
                       right = se3::tangent_inverse<S>(w).transpose() * s;
      for (int k = 0; k < 6; ++k) {
        f[6 * i + k] = f[6 * i + k] + left[k];
        f[6 * i + 6 + k] = f[6 * i + 6 + k] - right[k];
      }
    }
  }
  template <class Q, class G>
  void constraint(const Q& q, G& g) const {
    for (int k = 0; k < 3; ++k) g[k] = q[k];
    if (!inextensible) return;
    for (int i = 0; i < n; ++i) {
      const auto w = relative(q, i);
      for (int k = 0; k < 3; ++k) g[3 * i + 3 + k] = w[k] - (k == 0 ? h : 0.0);
    }
  }
  template <class Q, class V>
  auto energy(const Q& q, const V& v) const {
    using S = ScalarIn<V>;
    S sum(0.0);
    for (int i = 0; i <= n; ++i) {
      const Vector3<S> U = vector_at(v, 6 * i), w = vector_at(v, 6 * i + 3);
      sum = sum + share(i) * (0.5 * mass * U.dot(U) + 0.5 * w.dot(scaled<S>(J, w)) +
                              mass * gravity * q[7 * i + 2]);
    }
    for (int i = 0; i < n; ++i) {
      const Vector6<S> w = relative(q, i), s = stress<S>(w);
      S work = s.dot(w);
      work = work - h * s[0];
      sum = sum + 0.5 * work;
    }
    return sum;
  }
};

std::vector<std::string> names(int nodes, bool velocities) {
  std::vector<std::string> all;
  for (int i = 0; i < nodes; ++i) {
    const std::string node = "_" + std::to_string(i);
    for (auto& list : {vector_names(velocities ? "U" : "x", node),
                       velocities ? vector_names("Omega", node) : quaternion_names("p", node)})
      all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

Model model_of(const Constants& c) {
  constexpr const char* name = "rod-chain";
  need(c.length > 0.0, name, "length", c.length, "a positive number of metres");
  need(c.radius > 0.0, name, "radius", c.radius, "a positive number of metres");
  need(c.density > 0.0, name, "density", c.density, "a positive number");
  need(c.modulus > 0.0, name, "modulus", c.modulus, "a positive number of pascals");
  need(c.inextensible == 0.0 || c.inextensible == 1.0, name, "inextensible", c.inextensible,
       "0 (elastic) or 1 (constraints)");
  constexpr double pi = std::numbers::pi;
  Model m;
  m.n = count_of(name, "n", c.n, 1);
  m.h = c.length / m.n;
  m.gravity = c.gravity;
  m.inextensible = c.inextensible == 1.0;
  const double square = c.radius * c.radius, A = pi * square, I = 0.25 * A * square;
  const double shear = c.modulus / 3.0, per_node = c.density * m.h;
  m.mass = per_node * A;
  m.J = {2.0 * per_node * I, per_node * I, per_node * I};
  m.C = {c.modulus * A, shear * A, shear * A, shear * 2.0 * I, c.modulus * I, c.modulus * I};
  if (m.inextensible) m.C[0] = m.C[1] = m.C[2] = 0.0;
  return m;
}

// Straight along e_1, turning like a rigid body.
Problem build(const Values& values) {
  const Constants c = read(fields, values);
  const Model m = model_of(c);
  const int nodes = m.n + 1, rows = 3 + (m.inextensible ? 3 * m.n : 0);
  Eigen::VectorXd q0 = Eigen::VectorXd::Zero(7 * nodes), v0 = Eigen::VectorXd::Zero(6 * nodes),
                  masses(6 * nodes);
  for (int i = 0; i < nodes; ++i) {
    const double part = m.share(i);
    q0[7 * i] = m.h * i;
    q0[7 * i + 3] = 1.0;
    v0.segment<6>(6 * i) << 0.0, c.turn * (m.h * i), 0.0, c.spin, 0.0, c.turn;
    masses.segment<6>(6 * i) << m.mass, m.mass, m.mass, m.J[0], m.J[1], m.J[2];
    masses.segment<6>(6 * i) *= part;
  }
  return MultibodyProblem{
      .name = "rod-chain",
      .space = s3_semidirect_space(nodes),
      .constraint_count = rows,
      .mass_matrix = diagonal(masses),
      .force =
          autodiff([m](const auto&, const auto& q, const auto& v, auto& f) { m.force(q, v, f); }),
      .constraint = autodiff([m](const auto&, const auto& q, auto& g) { m.constraint(q, g); }),
      .q0 = q0,
      .v0 = v0,
      .lambda0 = Eigen::VectorXd::Zero(rows),
      .invariants = {{"energy", autodiff([m](const auto&, const auto& q, const auto& v, auto& e) {
                        e[0] = m.energy(q, v);
                      })}},
      .q_names = names(nodes, false),
      .v_names = names(nodes, true),
      .lambda_names = numbered("lambda", rows)};
}

Scene scene(const Values& values) {
  using namespace shapes;
  const Constants c = read(fields, values);
  const int nodes = count_of("rod-chain", "n", c.n, 1) + 1;
  Scene picture;
  picture.bodies = {curve("rod", c.radius, 0.0, nodes,
                          [nodes](const StateView& s, Eigen::Vector3d* p) {
                            for (int i = 0; i < nodes; ++i) p[i] = vector_at(s.q(), 7 * i);
                          }),
                    sphere("hinge", 1.6 * c.radius, fixed_point(0.0, 0.0))};
  picture.bodies.front().trail = true;
  return picture;
}

}  // namespace
}  // namespace rod_chain_example

const Entry& rod_chain() {
  static const Entry entry = [] {
    using namespace rod_chain_example;
    Entry e;
    e.name = "rod-chain";
    e.title = "Hinged flexible rod of n geometrically exact elements";
    e.form = "multibody";
    e.index = 3;
    e.t0 = 0.0;
    e.t_end = 0.5;
    e.stiff = true;
    e.source =
        "Sonneville, Cardona, Bruels: Comput. Methods Appl. Mech. Eng. 268 (2014) 451-474; Hante, "
        "Tumiotto, Arnold: Multibody Syst. Dyn. 54 (2022) 97-123; data chosen for this catalogue";
    e.suites = {"lie", "scaling"};
    e.equations =
        "h = length/n, nodes i = 0..n: x_i' = R(p_i) U_i, p_i' = p_i o (0, Omega_i)/2\n"
        "w_i = log(q_i^-1 o q_(i+1)), epsilon_i = w_i/h - (e1, 0)\n"
        "m U_i' = -m Omega_i x U_i - m gravity R^T e3 + elastic force - G^T lambda\n"
        "J Omega_i' = -Omega_i x J Omega_i + elastic moment\n"
        "elastic: T(-w_i)^-T C epsilon_i - T(w_(i-1))^-T C epsilon_(i-1)\n"
        "0 = x_0; inextensible = 1: also 0 = h epsilon_i (stretching and shear)";
    e.parameters = defaults(fields);
    e.units = units({{"m", "length radius"},
                     {"kg/m3", "density"},
                     {"Pa", "modulus"},
                     {"m/s2", "gravity"},
                     {"rad/s", "turn spin"}});
    e.build = build;
    e.scene = scene;
    e.reference =
        Reference{.t = 0.5,
                  .values = named(joined({names(5, false), names(5, true), numbered("lambda", 3)}),
                                  {0.0,
                                   0.0,
                                   0.0,
                                   0.5566745325967631664,
                                   0.1001295593243514001,
                                   0.8043755230468103743,
                                   0.1818448625363290264,
                                   -0.09461990605766720549,
                                   0.09086585014563705997,
                                   -0.2161386668815677355,
                                   0.5442847565339266707,
                                   0.09587688634387728747,
                                   0.8131148276375442875,
                                   0.1827730930574133837,
                                   -0.2035170662014041403,
                                   0.1719240445872194731,
                                   -0.4285789987992806793,
                                   0.5086849314098713589,
                                   0.06478803021152272869,
                                   0.8407318634065590299,
                                   0.173816240756668527,
                                   -0.3352203952499372489,
                                   0.2259303138386435616,
                                   -0.6354762613190745567,
                                   0.4634350659936037623,
                                   0.003104116488244016924,
                                   0.8736875196788617168,
                                   0.1479473623479989126,
                                   -0.4834835210735026004,
                                   0.2503896833639503686,
                                   -0.8358512438664023919,
                                   0.4396041671839897237,
                                   -0.03413110043238856244,
                                   0.8879579581893275143,
                                   0.1308201386101766746,
                                   0.0,
                                   0.0,
                                   0.0,
                                   2.03240727461145471,
                                   4.735592185291887673,
                                   -4.679531628259194991,
                                   -0.006195027496070339295,
                                   -1.107900549167831167,
                                   -1.195323480170215416,
                                   2.134617815428304661,
                                   4.685888317909968275,
                                   -4.064951402295505758,
                                   0.2179923029895078847,
                                   -1.907995385014859882,
                                   -2.304548440999990836,
                                   2.166389885461461731,
                                   4.139541436395238005,
                                   -2.336248429264436679,
                                   0.8118867731397878811,
                                   -2.413846247975073579,
                                   -3.330212239937631381,
                                   1.859382100491858384,
                                   4.530906563517470524,
                                   -2.263161392380191126,
                                   1.25958152695480164,
                                   -3.057992874193487708,
                                   -4.541403775301138062,
                                   1.646813122625299247,
                                   5.636827962873169766,
                                   -3.472442934504677916,
                                   -10.32847163557239279,
                                   10.38886431802188188,
                                   -26.11381349751046094}),
                  .counted = {},
                  .digits = 11,
                  .source =
                      "computed for this catalogue by extrapolation of the equations of index 1 in "
                      "extended precision, two step sizes agree to 1e-12; hedop5 with index 2 at "
                      "tolerance 1e-12 agrees to 4e-9"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
