// SPDX-License-Identifier: BSD-3-Clause
// The functions of a multibody problem and what follows from them at a point: M, f, g, G, the terms
// of velocity and acceleration constraints, contact.
#include <algorithm>
#include <array>
#include <type_traits>

#include "formulation/mechanics_calls.hpp"
#include "kernel/at.hpp"
#include "lie/curve.hpp"

namespace daedalus {

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

#define DAEDALUS_INSTANTIATE(S)                                         \
  template Eval Mechanics::mass<S>(const PointOf<S>&, S*);              \
  template Eval Mechanics::force<S>(const PointOf<S>&, S*);             \
  template Eval Mechanics::constraint<S>(const PointOf<S>&, S*);        \
  template Eval Mechanics::constraint_matrix<S>(const PointOf<S>&, S*); \
  template Eval Mechanics::velocity_offset<S>(const PointOf<S>&, S*);   \
  template Eval Mechanics::acceleration_term<S>(const PointOf<S>&, S*); \
  template Eval Mechanics::rate<S>(const PointOf<S>&, S*);              \
  template Eval Mechanics::dynamics<S>(const PointOf<S>&, S*);          \
  template Eval Mechanics::contact<S>(const PointOf<S>&, S*);
DAEDALUS_INSTANTIATE(double)
DAEDALUS_INSTANTIATE(Dual4)
#undef DAEDALUS_INSTANTIATE

}  // namespace daedalus
