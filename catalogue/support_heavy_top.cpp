// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/heavy_top.hpp>

#include <cmath>
#include <stdexcept>

namespace daedalus::problems::heavy_top {
namespace {

using namespace lie_support;

struct Model {
  HeavyTop form;
  double mass, length, gravity;
  std::array<double, 3> J;  // about the centre of mass, without position about the fixed point
  int rotation = 0;         // where R or p begins in q, and Omega in v

  template <class V>
  Matrix3<ScalarIn<V>> R(const V& q) const {
    return has_quaternion(form) ? quaternion_at(q, rotation) : matrix_at(q, rotation);
  }
  template <class S>
  Vector3<S> centre() const {
    return {S(0.0), S(length), S(0.0)};
  }
  // R^T m gamma.
  template <class S>
  Vector3<S> weight(const Matrix3<S>& R) const {
    return -mass * gravity * R.row(2).transpose();
  }

  template <class Q, class V, class F>
  void force(const Q& q, const V& v, F& f) const {
    using S = ScalarIn<V>;
    const Vector3<S> w = vector_at(v, rotation);
    if (!has_position(form)) {
      put<F, S>(f, 0, gyroscopic<S>(J, w) + cross<S>(centre<S>(), weight<S>(R(q))));
      return;
    }
    if (is_semidirect(form)) {
      const Vector3<S> U = vector_at(v, 0);
      put<F, S>(f, 0, weight<S>(R(q)) - mass * cross<S>(w, U));
    } else {
      put<F, S>(f, 0, Vector3<S>(S(0.0), S(0.0), S(-mass * gravity)));
    }
    put<F, S>(f, 3, gyroscopic<S>(J, w));
  }
  // X - R^T x.
  template <class Q, class G>
  void constraint(const Q& q, G& g) const {
    using S = ScalarIn<Q>;
    const Vector3<S> x = vector_at(q, 0), turned = R(q).transpose() * x;
    put<G, S>(g, 0, centre<S>() - turned);
  }
  template <class Q, class V>
  auto energy(const Q& q, const V& v) const {
    using S = ScalarIn<V>;
    const Vector3<S> w = vector_at(v, rotation);
    S sum = 0.5 * w.dot(scaled<S>(J, w));
    if (!has_position(form)) return S(sum + mass * gravity * length * R(q)(2, 1));
    const Vector3<S> u = vector_at(v, 0);
    sum = sum + 0.5 * mass * u.dot(u) + mass * gravity * q[2];
    return sum;
  }
  // The third component of R J Omega + x x m x'.
  template <class Q, class V>
  auto vertical_momentum(const Q& q, const V& v) const {
    using S = ScalarIn<V>;
    const Matrix3<S> turn = R(q);
    const Vector3<S> spin = scaled<S>(J, vector_at(v, rotation));
    S sum = turn.row(2).dot(spin);
    if (!has_position(form)) return sum;
    const Vector3<S> given = vector_at(v, 0);
    const Vector3<S> u = is_semidirect(form) ? Vector3<S>(turn * given) : given;
    return S(sum + mass * (q[0] * u[1] - q[1] * u[0]));
  }
};

Space space_of(HeavyTop form) {
  switch (form) {
    case HeavyTop::so3:
      return so3_space();
    case HeavyTop::s3:
      return s3_space();
    case HeavyTop::r3xso3:
      return product({euclidean(3), so3_space()});
    case HeavyTop::r3xs3:
      return product({euclidean(3), s3_space()});
    case HeavyTop::se3:
      return se3_space();
    case HeavyTop::s3_semidirect:
      return s3_semidirect_space();
  }
  throw std::logic_error("unknown form of the heavy top");
}

const char* name_of(HeavyTop form) {
  constexpr std::array<const char*, 6> names{"heavy-top-so3",    "heavy-top-s3",
                                             "heavy-top-r3xso3", "heavy-top-r3xs3",
                                             "heavy-top-se3",    "heavy-top-s3-semidirect"};
  return names[static_cast<std::size_t>(form)];
}

struct Names {
  std::vector<std::string> q, v, lambda;
  std::vector<std::string> all() const { return joined({q, v, lambda}); }
};

Names names_of(HeavyTop form) {
  Names n;
  n.q = has_quaternion(form) ? quaternion_names("p") : matrix_names("R");
  n.v = vector_names("Omega");
  if (has_position(form)) {
    n.q = joined({vector_names("x"), n.q});
    n.v = joined({vector_names(is_semidirect(form) ? "U" : "u"), n.v});
    n.lambda = vector_names("lambda");
  }
  return n;
}

void check(const char* name, const Constants& c) {
  need(c.mass > 0.0, name, "mass", c.mass, "a positive number of kilograms");
  need(c.length > 0.0, name, "length", c.length, "a positive number of metres");
  need(c.transverse > 0.0, name, "transverse", c.transverse, "a positive moment of inertia");
  need(c.axial > 0.0, name, "axial", c.axial, "a positive moment of inertia");
}

Problem build(HeavyTop form, const Values& values) {
  const Constants c = read(fields, values);
  check(name_of(form), c);
  const bool position = has_position(form);
  const double shift = position ? 0.0 : c.mass * c.length * c.length;
  const Model m{.form = form,
                .mass = c.mass,
                .length = c.length,
                .gravity = c.gravity,
                .J = {c.transverse + shift, c.axial, c.transverse + shift},
                .rotation = position ? 3 : 0};
  const Names names = names_of(form);
  Eigen::VectorXd y(size_of(form));
  Trajectory(c, 0.0).evaluate(form, 0.0, y.data());
  const int nq = static_cast<int>(names.q.size()), nv = static_cast<int>(names.v.size());
  Eigen::VectorXd masses = Eigen::VectorXd::Constant(nv, c.mass);
  masses.tail<3>() << m.J[0], m.J[1], m.J[2];
  MultibodyProblem p{
      .name = name_of(form),
      .space = space_of(form),
      .constraint_count = position ? 3 : 0,
      .mass_matrix = diagonal(masses),
      .force =
          autodiff([m](const auto&, const auto& q, const auto& v, auto& f) { m.force(q, v, f); }),
      .q0 = y.head(nq),
      .v0 = y.segment(nq, nv),
      .lambda0 = y.tail(position ? 3 : 0),
      .invariants = {{"energy", autodiff([m](const auto&, const auto& q, const auto& v, auto& e) {
                        e[0] = m.energy(q, v);
                      })},
                     {"vertical momentum",
                      autodiff([m](const auto&, const auto& q, const auto& v, auto& e) {
                        e[0] = m.vertical_momentum(q, v);
                      })},
                     {"spin", autodiff([m](const auto&, const auto&, const auto& v, auto& e) {
                        e[0] = v[m.rotation + 1];
                      })}},
      .q_names = names.q,
      .v_names = names.v,
      .lambda_names = names.lambda};
  if (position)
    p.constraint = autodiff([m](const auto&, const auto& q, auto& g) { m.constraint(q, g); });
  return p;
}

// A round disk with the axial moment of inertia on a thin axis, tip at the pivot. The third axis of
// a turned shape is the second of the body.
Scene scene(HeavyTop form, const Values& values) {
  using namespace shapes;
  const Constants c = read(fields, values);
  const int rotation = has_position(form) ? 3 : 0;
  const auto turn = [form, rotation](const StateView& s) -> Eigen::Matrix3d {
    return has_quaternion(form) ? quaternion_at(s.q(), rotation) : matrix_at(s.q(), rotation);
  };
  const double length = c.length;
  const PointOf centre = [form, turn, length](const StateView& s) {
    const Eigen::Vector3d axis = turn(s).col(1);
    return has_position(form) ? vector_at(s.q(), 0) : Eigen::Vector3d(length * axis);
  };
  const PoseOf body = [turn, centre, length](const StateView& s) {
    const Eigen::Matrix3d R = turn(s);
    Eigen::Matrix3d frame;
    frame << R.col(2), R.col(0), R.col(1);
    return Pose{centre(s) - length * R.col(1), frame};
  };
  const double r = std::sqrt(2.0 * c.axial / c.mass), thin = 0.06 * r, high = 0.08 * r;
  Scene picture;
  picture.bodies = {revolved("top",
                             {{0.0, 0.0},
                              {thin, 0.15 * length},
                              {thin, length - high},
                              {0.9 * r, length - high},
                              {r, length - 0.5 * high},
                              {r, length + 0.5 * high},
                              {0.9 * r, length + high},
                              {thin, length + high},
                              {thin, length + 0.6 * r},
                              {0.0, length + 0.65 * r}},
                             body),
                    sphere("pivot", 0.12 * r, fixed_point(0.0, 0.0)),
                    sphere("centre of mass", 0.1 * r, centre)};
  picture.bodies.back().trail = true;
  return picture;
}

// At t = 1, by power series of order 40 in 40 digits.
Reference reference(HeavyTop form) {
  const std::vector<double> x{0.173343964098386042591966115121, 0.64008859207056878286059199804,
                              -0.748490791133581309483597679122},
      R{0.22929964080360759365375491766,   -0.765340742204680942297083432476,
        -0.601394398917153736205227305441, 0.173343964098386042591966115121,
        0.64008859207056878286059199804,   -0.748490791133581309483597679122,
        0.957796191701550871353323402659,  0.0673805804568727185325127201988,
        0.279439282384028670457170051394},
      p{0.732943980679663718147283556383, -0.278285719337612678518396943611,
        0.531824611334162617923441777339, -0.320176142736249281409048241246},
      u{0.570825303425487144660088272418, -4.58872829633495189374129080032,
        -3.79195515471004210502284345103},
      U{5.92329134811733618607686086848, 0.0, -0.822078101682704456256289381739},
      Omega{-0.822078101682704456256289381739, 150.0, -5.92329134811733618607686086848},
      lambda{-58.2745637441973726990138679357, -646.558311914525423234903075495,
             -409.441408863464661822893866694};
  const bool position = has_position(form);
  std::vector<double> values;
  const auto add = [&values](const std::vector<double>& part) {
    values.insert(values.end(), part.begin(), part.end());
  };
  if (position) add(x);
  add(has_quaternion(form) ? p : R);
  if (position) add(is_semidirect(form) ? U : u);
  add(Omega);
  if (position) add(lambda);
  Reference r;
  r.t = 1.0;
  const std::vector<std::string> names = names_of(form).all();
  for (std::size_t i = 0; i < names.size(); ++i) r.values.emplace_back(names[i], values[i]);
  r.digits = 30;
  r.source =
      "power series of order 40 in 40 digits, energy constant to all of them; the power series of "
      "order 24 in extended precision in this catalogue agree to 1e-15";
  return r;
}

std::string equations_of(HeavyTop form) {
  const std::string turn = has_quaternion(form)
                               ? "p' = p o (0, Omega)/2, R = R(p), X = (0, length, 0)\n"
                               : "R' = R hat(Omega), X = (0, length, 0)\n";
  if (!has_position(form))
    return turn +
           "K Omega' = -Omega x K Omega + X x R^T (0, 0, -mass gravity)\n"
           "K = diag(transverse, axial, transverse) + mass length^2 diag(1, 0, 1)";
  const std::string moment =
      "J Omega' = -Omega x J Omega - X x lambda, J = diag(transverse, axial, transverse)\n"
      "0 = X - R^T x";
  return turn +
         (is_semidirect(form)
              ? "x' = R U\nmass U' = -mass Omega x U + R^T (0, 0, -mass gravity) + lambda\n"
              : "x' = u\nmass u' = (0, 0, -mass gravity) + R lambda\n") +
         moment;
}

}  // namespace

Entry entry(HeavyTop form) {
  constexpr std::array<const char*, 6> groups{"SO(3)",
                                              "unit quaternions",
                                              "R^3 x SO(3)",
                                              "R^3 x unit quaternions",
                                              "rigid motions SE(3)",
                                              "rigid motions (x, unit quaternion)"};
  Entry e;
  e.name = name_of(form);
  e.title = std::string("Heavy top on ") + groups[static_cast<std::size_t>(form)];
  e.form = "multibody";
  e.index = has_position(form) ? 3 : 0;
  e.t0 = 0.0;
  e.t_end = 1.0;
  e.source =
      "Geradin, Cardona: Flexible Multibody Dynamics (2001); Bruels, Cardona, Arnold: Mech. Mach. "
      "Theory 48 (2012) 121-137; Wieloch: dissertation, Halle (2022), (3.20), (3.51), (3.52)";
  e.suites = {"lie"};
  if (form == HeavyTop::r3xso3) e.suites.insert(e.suites.begin(), "core");
  e.equations = equations_of(form);
  e.parameters = defaults(fields);
  e.units = units({{"kg", "mass"},
                   {"m", "length"},
                   {"m/s2", "gravity"},
                   {"kg.m2", "transverse axial"},
                   {"rad/s", "spin precession Omega1..Omega3"}});
  if (has_position(form)) {
    const bool in_body = form == HeavyTop::se3 || form == HeavyTop::s3_semidirect;
    e.units.merge(units(
        {{"m", "x1..x3"}, {"N", "lambda1..lambda3"}, {"m/s", in_body ? "U1..U3" : "u1..u3"}}));
  }
  e.build = [form](const Values& values) { return build(form, values); };
  e.scene = [form](const Values& values) { return scene(form, values); };
  e.reference = reference(form);
  e.exact = [form](double t, const Values& values) {
    Eigen::VectorXd y(size_of(form));
    const auto standard = [&values] {
      for (const Parameter& p : defaults(fields)) {
        const auto found = values.find(p.name);
        if (found != values.end() && found->second != p.value) return false;
      }
      return true;
    };
    if (!standard() || !heavy_top_exact(form, t, Out(y.data(), y.size())))
      Trajectory(read(fields, values), t).evaluate(form, t, y.data());
    const std::vector<std::string> names = names_of(form).all();
    std::vector<std::pair<std::string, double>> result;
    for (std::size_t i = 0; i < names.size(); ++i)
      result.emplace_back(names[i], y[static_cast<Eigen::Index>(i)]);
    return result;
  };
  return e;
}

}  // namespace daedalus::problems::heavy_top
