// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernel/at.hpp"
#include "lie/curve.hpp"

namespace daedalus {
namespace {

// What is differentiated in one evaluation over dual numbers, and held beside it on the stack.
constexpr int max_contact = 4, max_positions = 32;

}  // namespace

Mechanics::Mechanics(std::shared_ptr<const MultibodyProblem> owned, Modes modes)
    : owned_(std::move(owned)),
      problem_(*owned_),
      parameters_(problem_.parameters, std::move(modes)),
      mass_(declared_mass(problem_)) {
  const MultibodyProblem& problem = problem_;
  sizes_.positions = problem.space.points();
  sizes_.tangents = problem.space.tangents();
  sizes_.velocities = problem.velocities();
  sizes_.holonomic = problem.constraint_count;
  sizes_.nonholonomic = problem.nonholonomic_count;
  sizes_.dynamic = problem.dynamic_count;
  sizes_.contact = problem.contact_count;
  const auto differentiable_or_absent = [](const auto& f) { return !f || f.differentiable(); };
  smooth_ = differentiable_or_absent(problem.constraint) &&
            differentiable_or_absent(problem.contact) &&
            differentiable_or_absent(problem.kinematics);
  direct_ = smooth_ && sizes_.holonomic > 0 && !problem.kinematics && sizes_.contact == 0;
  along_contact_ = smooth_ && sizes_.holonomic > 0 && !problem.kinematics && sizes_.contact > 0 &&
                   sizes_.contact <= max_contact && problem.space.is_euclidean();
  const auto derived = [this](const auto& given) {
    return sizes_.holonomic > 0 && (!given || sizes_.contact > 0);
  };
  derived_.matrix = derived(problem.constraint_jacobian);
  derived_.offset = derived(problem.constraint_time_derivative);
  derived_.acceleration = derived(problem.acceleration_term) || sizes_.nonholonomic > 0;
  const bool holonomic = sizes_.nonholonomic == 0;
  together_.velocity =
      derived_.matrix && derived_.offset && (direct_ || along_contact_) && holonomic;
  together_.acceleration = along_contact_ && holonomic;
  reserve();
}

// Square matrices only where a callable gives one: systems of 10^4 bodies pass through here.
void Mechanics::reserve() {
  const MultibodyProblem& problem = problem_;
  const int rows = std::max({sizes_.holonomic, sizes_.contact, sizes_.nonholonomic, 1});
  const std::size_t nv = at(sizes_.velocities), nt = at(sizes_.tangents);
  const std::size_t kinematic = problem.kinematics ? nt * nv : 0;
  const std::size_t nonholonomic = at(sizes_.nonholonomic) * nv;
  const std::size_t contact = at(sizes_.contact > 0 ? sizes_.positions + sizes_.contact : 0);
  std::apply(
      [&](auto&... c) {
        const auto make = [&](auto& curve) {
          curve.q.resize(at(sizes_.positions));
          curve.s.resize(at(sizes_.contact));
          curve.out.resize(at(rows));
          curve.matrix.resize(std::max({kinematic, nonholonomic, contact}));
          curve.rate.resize(nt);
          curve.direction.resize(nv);
          curve.rhs.resize(at(sizes_.contact));
        };
        (make(c), ...);
      },
      curves_);
  if (direct_ || along_contact_) {
    q4_.resize(at(sizes_.positions));
    s4_.resize(at(sizes_.contact));
    w4_.resize(nt);
    g4_.resize(at(sizes_.holonomic));
  }
  h_s_.resize(sizes_.contact);
  values_.q.resize(at(sizes_.positions));
  values_.v.resize(nv);
  values_.s.resize(at(sizes_.contact));
  values_.offset.resize(at(sizes_.multipliers()));
  const auto grow = [](auto& sets, std::size_t n) {
    std::apply([&](auto&... v) { (v.resize(n), ...); }, sets);
  };
  grow(slopes_, at(sizes_.contact) * (nv + 1));
  grow(matrix_, std::max(kinematic, nonholonomic));
  grow(vector_, at(sizes_.multipliers()));
  const bool passes_through =
      problem.constraint_jacobian && (problem.kinematics || sizes_.nonholonomic > 0);
  grow(scaled_, passes_through ? at(sizes_.holonomic) * nt : 0);
  for (Scratch& scratch : scratch_) {
    scratch.rate.resize(nt);
    scratch.shift.resize(nt);
    scratch.moved.resize(at(sizes_.positions));
    scratch.matrix.resize(smooth_ && sizes_.nonholonomic == 0 ? 0 : at(sizes_.multipliers()) * nv);
    for (auto* v : {&scratch.plus, &scratch.minus, &scratch.offset})
      v->resize(at(sizes_.multipliers()));
  }
}

bool Mechanics::differentiable(int level) const {
  const auto good = [](const auto& f) { return !f || f.differentiable(); };
  const MultibodyProblem& p = problem_;
  const bool pieces = good(p.mass) && good(p.force) && good(p.kinematics) && good(p.dynamics) &&
                      good(p.contact) && good(p.nonholonomic_matrix) && good(p.nonholonomic_offset);
  const bool has_g = p.constraint_count > 0;
  const bool given_matrix = p.constraint_jacobian && p.contact_count == 0;
  const bool matrix = !has_g || (given_matrix ? p.constraint_jacobian.differentiable() : smooth_);
  if (level >= 3) return pieces && matrix && good(p.constraint);
  const bool given_offset = p.constraint_time_derivative && p.contact_count == 0;
  const bool offset =
      !has_g || (given_offset ? p.constraint_time_derivative.differentiable() : smooth_);
  if (level == 2) return pieces && matrix && offset;
  const bool given_curvature = p.acceleration_term && p.contact_count == 0;
  const bool curvature =
      !has_g || (given_curvature ? p.acceleration_term.differentiable() : smooth_);
  return pieces && matrix && curvature;
}

double Mechanics::noise(int level) const {
  constexpr double round_off = 2.2e-16;
  if (sizes_.holonomic == 0 || smooth_) return round_off;
  const bool given_matrix = static_cast<bool>(problem_.constraint_jacobian);
  const bool given_curvature = static_cast<bool>(problem_.acceleration_term);
  if (level == 1 && !given_curvature) return given_matrix ? 1e-11 : 1e-8;
  return given_matrix ? round_off : 1e-11;
}

template <class S>
Arguments<S> Mechanics::arguments(const PointOf<S>& p) const {
  Arguments<S> a;
  a.t = p.t;
  a.x = {p.q, p.v, p.lambda, p.c, p.s};
  a.n = {sizes_.positions, p.v ? sizes_.velocities : 0, p.lambda ? sizes_.multipliers() : 0,
         p.c ? sizes_.dynamic : 0, p.s ? sizes_.contact : 0};
  parameters_.apply(a);
  return a;
}

template <class S>
Arguments<Taylor<S, 2>> Mechanics::arguments(const Curve<S>& c) const {
  Arguments<Series<S>> a;
  a.t = c.t;
  a.x = {c.q.data(), nullptr, nullptr, nullptr, c.s.data()};
  a.n = {sizes_.positions, 0, 0, 0, sizes_.contact};
  parameters_.apply(a);
  return a;
}

template <class S>
Eval Mechanics::along(const char* name, const Function<slot::Position>& f, int rows, Curve<S>& c) {
  return piece_(name, c.out.data(), rows, [&] { return f(arguments(c), c.out.data(), rows); });
}

template <class S>
Eval Mechanics::lay_curve(const PointOf<S>& p, const S* w, double tau, bool second, Curve<S>& c,
                          Known known) {
  const auto series = [](const S& value, const S& slope) {
    Series<S> x;
    x.c[0] = value;
    x.c[1] = slope;
    return x;
  };
  c.t = series(p.t, S(tau));
  if (Eval e = kinematic_product(p, w, c.rate.data()); e != Eval::ok) return e;
  lay_geodesic(problem_.space, p.q, c.rate.data(), c.q.data());
  for (int i = 0; i < sizes_.contact; ++i) c.s[at(i)] = Series<S>(p.s[i]);
  if (second && problem_.kinematics) {
    // q'' = (dT/dt) v along the curve, v held.
    if (Eval e = piece_("kinematics", c.matrix.data(), sizes_.tangents * sizes_.velocities,
                        [&] {
                          return problem_.kinematics(arguments(c), c.matrix.data(), sizes_.tangents,
                                                     sizes_.velocities);
                        });
        e != Eval::ok)
      return e;
    for (int i = 0; i < sizes_.tangents; ++i) {
      S sum(0.0);
      for (int j = 0; j < sizes_.velocities; ++j)
        sum = sum + c.matrix[at(i + j * sizes_.tangents)].c[1] * w[j];
      c.q[at(i)].c[2] = 0.5 * sum;
    }
  }
  return sizes_.contact > 0 ? follow_contact(p, w, tau, second, c, known) : Eval::ok;
}

// Coefficients of s from h = 0, order by order. Over dual numbers those of the values come first:
// one step of Newton's method from there, with the matrix of the values, has exact derivatives.
template <class S>
Eval Mechanics::follow_contact(const PointOf<S>& p, const S* w, double tau, bool second,
                               Curve<S>& c, Known known) {
  const int nc = sizes_.contact, nv = sizes_.velocities, orders = second ? 2 : 1;
  if constexpr (std::is_same_v<S, double>) {
    if (known == Known::nothing)
      if (Eval e = factorise_contact(p); e != Eval::ok) return e;
  } else {
    auto& plain = std::get<Curve<double>>(curves_);
    for (int j = 0; j < nv; ++j) plain.direction[at(j)] = value_of(w[j]);
    const PointOf<double> here = values_of(p);
    if (Eval e = lay_curve(here, plain.direction.data(), tau, second, plain, known); e != Eval::ok)
      return e;
    for (int i = 0; i < nc; ++i)
      for (int order = 1; order <= orders; ++order)
        c.s[at(i)].c[at(order)] = S(plain.s[at(i)].c[at(order)]);
  }
  if (known == Known::slopes) {
    const auto& slopes = std::get<std::vector<S>>(slopes_);
    for (int i = 0; i < nc; ++i) {
      S sum = tau * slopes[at(i + nv * nc)];
      for (int j = 0; j < nv; ++j) sum = sum + slopes[at(i + j * nc)] * w[j];
      if (!all_finite(sum)) known = Known::factors;
      c.rhs[at(i)] = sum;
    }
    // NaN times a slope of zero would show a dependence that h does not have: such a probe of the
    // structure goes through h.
    if (known == Known::slopes)
      for (int i = 0; i < nc; ++i) c.s[at(i)].c[1] = c.rhs[at(i)];
  }
  for (int order = known == Known::slopes ? 2 : 1; order <= orders; ++order) {
    if (Eval e = along("contact", problem_.contact, nc, c); e != Eval::ok) return e;
    for (int i = 0; i < nc; ++i) c.rhs[at(i)] = -c.out[at(i)].c[at(order)];
    h_s_.solve(c.rhs.data());
    for (int i = 0; i < nc; ++i) c.s[at(i)].c[at(order)] = c.s[at(i)].c[at(order)] + c.rhs[at(i)];
  }
  return Eval::ok;
}

template <class S>
Eval Mechanics::kinematic_product(const PointOf<S>& p, const S* w, S* out) {
  if (!problem_.kinematics) {
    std::copy(w, w + sizes_.velocities, out);
    return Eval::ok;
  }
  auto& T = std::get<std::vector<S>>(matrix_);
  const auto call = [&] {
    return problem_.kinematics(arguments(p), T.data(), sizes_.tangents, sizes_.velocities);
  };
  if (Eval e = piece_("kinematics", T.data(), sizes_.tangents * sizes_.velocities, call);
      e != Eval::ok)
    return e;
  for (int i = 0; i < sizes_.tangents; ++i) {
    S sum(0.0);
    for (int j = 0; j < sizes_.velocities; ++j) sum = sum + T[at(i + j * sizes_.tangents)] * w[j];
    out[i] = sum;
  }
  return Eval::ok;
}

template <class S>
Eval Mechanics::mass(const PointOf<S>& p, S* values) {
  const auto given = mass_.values();
  if (problem_.mass) {
    const int count = static_cast<int>(given.size());
    const bool column = mass_.kind() == PieceMatrix::Kind::blocks;
    const int rows = column ? count : sizes_.velocities, cols = column ? 1 : sizes_.velocities;
    return piece_("mass", values, count,
                  [&] { return problem_.mass(arguments(p), values, rows, cols); });
  }
  std::copy(given.begin(), given.end(), values);
  return Eval::ok;
}

template <class S>
Eval Mechanics::force(const PointOf<S>& p, S* f) {
  return piece_("force", f, sizes_.velocities,
                [&] { return problem_.force(arguments(p), f, sizes_.velocities); });
}

template <class S>
Eval Mechanics::constraint(const PointOf<S>& p, S* g) {
  if (sizes_.holonomic == 0) return Eval::ok;
  return piece_("constraint", g, sizes_.holonomic,
                [&] { return problem_.constraint(arguments(p), g, sizes_.holonomic); });
}

template <class S>
Eval Mechanics::constraint_matrix(const PointOf<S>& p, S* G) {
  if constexpr (std::is_same_v<S, Dual4>)
    if (derived_.matrix && stands_still(p)) return constant_matrix(p, G);
  if (sparse_constraints()) return constraint_matrix_by_colours(p, G);
  const int rows = sizes_.multipliers(), n = sizes_.velocities, ng = sizes_.holonomic;
  if (sizes_.nonholonomic > 0) {
    auto& A = std::get<std::vector<S>>(matrix_);
    const auto call = [&] {
      return problem_.nonholonomic_matrix(arguments(p), A.data(), sizes_.nonholonomic, n);
    };
    if (Eval e = piece_("nonholonomic_matrix", A.data(), sizes_.nonholonomic * n, call);
        e != Eval::ok)
      return e;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < sizes_.nonholonomic; ++i)
        G[ng + i + j * rows] = A[at(i + j * sizes_.nonholonomic)];
  }
  if (ng == 0) return Eval::ok;
  if (problem_.constraint_jacobian && sizes_.contact == 0) {
    const bool direct = ng == rows && !problem_.kinematics;
    S* given = direct ? G : std::get<std::vector<S>>(scaled_).data();
    const auto call = [&] {
      return problem_.constraint_jacobian(arguments(p), given, ng, sizes_.tangents);
    };
    if (Eval e = piece_("constraint_jacobian", given, ng * sizes_.tangents, call);
        e != Eval::ok || direct)
      return e;
    auto& unit = std::get<Curve<S>>(curves_).direction;
    auto& column = std::get<Curve<S>>(curves_).rate;
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) unit[at(k)] = S(k == j ? 1.0 : 0.0);
      if (Eval e = kinematic_product(p, unit.data(), column.data()); e != Eval::ok) return e;
      for (int i = 0; i < ng; ++i) {
        S sum(0.0);
        for (int k = 0; k < sizes_.tangents; ++k) sum = sum + given[i + k * ng] * column[at(k)];
        G[i + j * rows] = sum;
      }
    }
    return Eval::ok;
  }
  if constexpr (std::is_same_v<S, double>) {
    if (direct_) return constraint_matrix_by_columns(p, G);
    if (along_contact_) {
      const Eval e = contact_slopes(p, n);
      return e == Eval::ok ? constraint_along_slopes(p, G) : e;
    }
  } else {
    if (direct_ || along_contact_) return constraint_matrix_in_pairs(p, G, nullptr);
  }
  auto& c = std::get<Curve<S>>(curves_);
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) c.direction[at(k)] = S(k == j ? 1.0 : 0.0);
    if constexpr (std::is_same_v<S, double>) {
      if (!smooth_) {
        auto& first = std::get<std::vector<double>>(vector_);
        if (Eval e = differences(p, c.direction.data(), 0.0, first.data(), nullptr); e != Eval::ok)
          return e;
        for (int i = 0; i < ng; ++i) G[i + j * rows] = first[at(i)];
        continue;
      }
    }
    if (Eval e = lay_curve(p, c.direction.data(), 0.0, false, c,
                           j == 0 ? Known::nothing : Known::factors);
        e != Eval::ok)
      return e;
    if (Eval e = along("constraint", problem_.constraint, ng, c); e != Eval::ok) return e;
    for (int i = 0; i < ng; ++i) G[i + j * rows] = c.out[at(i)].c[1];
  }
  return Eval::ok;
}

// The point with lanes for velocities first .. first + 3, and for t after the last velocity.
PointOf<Dual4> Mechanics::four_columns(const PointOf<double>& p, int first) {
  PointOf<Dual4> there;
  there.t = Dual4(p.t);
  for (int i = 0; i < sizes_.positions; ++i) q4_[at(i)] = Dual4(p.q[i]);
  for (int i = 0; i < sizes_.contact; ++i) s4_[at(i)] = Dual4(p.s[i]);
  for (int k = 0; k < 4; ++k) {
    if (first + k < sizes_.velocities) q4_[at(first + k)].d[at(k)] = 1.0;
    if (first + k == sizes_.velocities) there.t.d[at(k)] = 1.0;
  }
  there.q = q4_.data();
  there.s = s4_.data();
  return there;
}

Eval Mechanics::factorise_contact(const PointOf<double>& p) {
  if (Eval e = contact_matrix(p, h_s_.data()); e != Eval::ok) return e;
  return h_s_.factorise() ? Eval::ok : Eval::reject;
}

// Columns of s_q = -h_s^-1 h_q, four at a time, and s_t after the last one.
Eval Mechanics::contact_slopes(const PointOf<double>& p, int columns) {
  const int nc = sizes_.contact;
  if (Eval e = factorise_contact(p); e != Eval::ok) return e;
  std::array<Dual4, max_contact> h;
  for (int first = 0; first < columns; first += 4) {
    const int lanes = std::min(4, columns - first);
    if (Eval e = contact(four_columns(p, first), h.data()); e != Eval::ok) return e;
    for (int k = 0; k < lanes; ++k) {
      double* slope = std::get<std::vector<double>>(slopes_).data() + (first + k) * nc;
      for (int i = 0; i < nc; ++i) slope[i] = -h[at(i)].d[at(k)];
      h_s_.solve(slope);
    }
  }
  return Eval::ok;
}

// G, while s follows q.
Eval Mechanics::constraint_along_slopes(const PointOf<double>& p, double* G) {
  const int rows = sizes_.multipliers(), nc = sizes_.contact, n = sizes_.velocities;
  const auto& slopes = std::get<std::vector<double>>(slopes_);
  for (int first = 0; first < n; first += 4) {
    const int lanes = std::min(4, n - first);
    const PointOf<Dual4> there = four_columns(p, first);
    for (int k = 0; k < lanes; ++k)
      for (int i = 0; i < nc; ++i) s4_[at(i)].d[at(k)] = slopes[at(i + (first + k) * nc)];
    if (Eval e = constraint(there, g4_.data()); e != Eval::ok) return e;
    for (int k = 0; k < lanes; ++k)
      for (int i = 0; i < sizes_.holonomic; ++i) G[i + (first + k) * rows] = g4_[at(i)].d[at(k)];
  }
  return Eval::ok;
}

template <class S>
Eval Mechanics::velocity_offset(const PointOf<S>& p, S* out) {
  const int ng = sizes_.holonomic;
  if constexpr (std::is_same_v<S, Dual4>)
    if (derived_.offset && stands_still(p)) return constant_offset(p, out);
  if (sizes_.nonholonomic > 0) {
    if (problem_.nonholonomic_offset) {
      const auto call = [&] {
        return problem_.nonholonomic_offset(arguments(p), out + ng, sizes_.nonholonomic);
      };
      if (Eval e = piece_("nonholonomic_offset", out + ng, sizes_.nonholonomic, call);
          e != Eval::ok)
        return e;
    } else {
      std::fill(out + ng, out + sizes_.multipliers(), S(0.0));
    }
  }
  if (ng == 0) return Eval::ok;
  if (problem_.constraint_time_derivative && sizes_.contact == 0) {
    return piece_("constraint_time_derivative", out, ng,
                  [&] { return problem_.constraint_time_derivative(arguments(p), out, ng); });
  }
  auto& c = std::get<Curve<S>>(curves_);
  std::fill(c.direction.begin(), c.direction.end(), S(0.0));
  if constexpr (std::is_same_v<S, double>)
    if (!smooth_) return differences(p, c.direction.data(), 1.0, out, nullptr);
  if (Eval e = lay_curve(p, c.direction.data(), 1.0, false, c); e != Eval::ok) return e;
  if (Eval e = along("constraint", problem_.constraint, ng, c); e != Eval::ok) return e;
  for (int i = 0; i < ng; ++i) out[i] = c.out[at(i)].c[1];
  return Eval::ok;
}

template <class S>
Eval Mechanics::acceleration_term(const PointOf<S>& p, S* out) {
  const int ng = sizes_.holonomic, na = sizes_.nonholonomic, n = sizes_.velocities;
  if constexpr (std::is_same_v<S, Dual4>)
    if (derived_.acceleration && accelerates_alike(p)) return constant_acceleration(p, out);
  if (na > 0) {
    auto& c = std::get<Curve<S>>(curves_);
    const bool smooth_rows =
        problem_.nonholonomic_matrix.differentiable() &&
        (!problem_.nonholonomic_offset || problem_.nonholonomic_offset.differentiable());
    if (!smooth_rows) {
      if constexpr (std::is_same_v<S, double>) {
        if (Eval e = nonholonomic_rate(p, out + ng); e != Eval::ok) return e;
      }
    } else {
      if (Eval e = lay_curve(p, p.v, 1.0, false, c); e != Eval::ok) return e;
      const auto call = [&] {
        return problem_.nonholonomic_matrix(arguments(c), c.matrix.data(), na, n);
      };
      if (Eval e = piece_("nonholonomic_matrix", c.matrix.data(), na * n, call); e != Eval::ok)
        return e;
      for (int i = 0; i < na; ++i) {
        S sum(0.0);
        for (int j = 0; j < n; ++j) sum = sum + c.matrix[at(i + j * na)].c[1] * p.v[j];
        out[ng + i] = sum;
      }
      if (problem_.nonholonomic_offset) {
        if (Eval e = along("nonholonomic_offset", problem_.nonholonomic_offset, na, c);
            e != Eval::ok)
          return e;
        for (int i = 0; i < na; ++i) out[ng + i] = out[ng + i] + c.out[at(i)].c[1];
      }
    }
  }
  if (ng == 0) return Eval::ok;
  if (problem_.acceleration_term && sizes_.contact == 0) {
    return piece_("acceleration_term", out, ng,
                  [&] { return problem_.acceleration_term(arguments(p), out, ng); });
  }
  if constexpr (std::is_same_v<S, double>)
    if (!smooth_) return differences(p, p.v, 1.0, nullptr, out);
  return curvature(p, out);
}

// d^2g/dt^2 along the motion with v' = 0.
template <class S>
Eval Mechanics::curvature(const PointOf<S>& p, S* out, Known known) {
  auto& c = std::get<Curve<S>>(curves_);
  const int ng = sizes_.holonomic;
  if (Eval e = lay_curve(p, p.v, 1.0, true, c, known); e != Eval::ok) return e;
  if (Eval e = along("constraint", problem_.constraint, ng, c); e != Eval::ok) return e;
  for (int i = 0; i < ng; ++i) out[i] = 2.0 * c.out[at(i)].c[2];
  return Eval::ok;
}

Eval Mechanics::acceleration_terms_along_contact(const PointOf<Dual4>& p, Dual4* G, Dual4* out) {
  const Eval e = matrix_and_slopes(p, G);
  return e == Eval::ok ? curvature(p, out, Known::slopes) : e;
}

template <class S>
Eval Mechanics::rate(const PointOf<S>& p, S* q_rate) {
  return kinematic_product(p, p.v, q_rate);
}

template <class S>
Eval Mechanics::dynamics(const PointOf<S>& p, S* c_rate) {
  if (sizes_.dynamic == 0) return Eval::ok;
  return piece_("dynamics", c_rate, sizes_.dynamic,
                [&] { return problem_.dynamics(arguments(p), c_rate, sizes_.dynamic); });
}

template <class S>
Eval Mechanics::contact(const PointOf<S>& p, S* h) {
  if (sizes_.contact == 0) return Eval::ok;
  return piece_("contact", h, sizes_.contact,
                [&] { return problem_.contact(arguments(p), h, sizes_.contact); });
}

Eval Mechanics::contact_matrix(const PointOf<double>& p, double* h_s) {
  auto& c = std::get<Curve<double>>(curves_);
  const int n = sizes_.contact;
  // All directions at once.
  if (smooth_ && sizes_.positions <= max_positions && n <= max_contact) {
    std::array<Dual4, max_positions> held;
    std::array<Dual4, max_contact> moved, out;
    for (int i = 0; i < sizes_.positions; ++i) held[at(i)] = Dual4(p.q[i]);
    for (int i = 0; i < n; ++i) {
      moved[at(i)] = Dual4(p.s[i]);
      moved[at(i)].d[at(i)] = 1.0;
    }
    PointOf<Dual4> d;
    d.t = Dual4(p.t);
    d.q = held.data();
    d.s = moved.data();
    if (Eval e = contact(d, out.data()); e != Eval::ok) return e;
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i) h_s[i + k * n] = out[at(i)].d[at(k)];
    return Eval::ok;
  }
  // q and t stand still here; the curve that is being laid keeps its own values of them.
  std::vector<Series<double>>& q = c.matrix;
  for (int i = 0; i < sizes_.positions; ++i) q[at(i)] = Series<double>(p.q[i]);
  Arguments<Series<double>> a = arguments(c);
  a.t = Series<double>(p.t);
  a.x[0] = q.data();
  Series<double>* s = q.data() + sizes_.positions;
  a.x[4] = s;
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) {
      s[i] = Series<double>(p.s[i]);
      s[i].c[1] = i == k ? 1.0 : 0.0;
    }
    if (Eval e = piece_("contact", c.out.data(), n,
                        [&] { return problem_.contact(a, c.out.data(), n); });
        e != Eval::ok)
      return e;
    for (int i = 0; i < n; ++i) h_s[i + k * n] = c.out[at(i)].c[1];
  }
  return Eval::ok;
}

#define DAEDALUS_INSTANTIATE(S)                                                                    \
  template Eval Mechanics::mass<S>(const PointOf<S>&, S*);                                         \
  template Eval Mechanics::force<S>(const PointOf<S>&, S*);                                        \
  template Eval Mechanics::constraint<S>(const PointOf<S>&, S*);                                   \
  template Eval Mechanics::constraint_matrix<S>(const PointOf<S>&, S*);                            \
  template Eval Mechanics::velocity_offset<S>(const PointOf<S>&, S*);                              \
  template Eval Mechanics::acceleration_term<S>(const PointOf<S>&, S*);                            \
  template Eval Mechanics::rate<S>(const PointOf<S>&, S*);                                         \
  template Eval Mechanics::dynamics<S>(const PointOf<S>&, S*);                                     \
  template Eval Mechanics::contact<S>(const PointOf<S>&, S*);                                      \
  template Eval Mechanics::lay_curve<S>(const PointOf<S>&, const S*, double, bool, Curve<S>&,      \
                                        Known);                                                    \
  template Eval Mechanics::along<S>(const char*, const Function<slot::Position>&, int, Curve<S>&); \
  template Eval Mechanics::kinematic_product<S>(const PointOf<S>&, const S*, S*);                  \
  template Arguments<S> Mechanics::arguments<S>(const PointOf<S>&) const;
DAEDALUS_INSTANTIATE(double)
DAEDALUS_INSTANTIATE(Dual4)
#undef DAEDALUS_INSTANTIATE

}  // namespace daedalus
