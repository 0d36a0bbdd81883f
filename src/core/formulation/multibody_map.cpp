// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/multibody_map.hpp"

#include "kernel/at.hpp"

namespace daedalus {
namespace {

template <class S>
PointOf<S> point_in(const MechanicalSizes& n, const S& t, const S* x) {
  PointOf<S> p;
  p.t = t;
  p.q = x;
  p.v = p.q + n.positions;
  p.c = p.v + n.velocities;
  p.s = p.c + n.dynamic;
  p.lambda = p.s + n.contact;
  return p;
}

}  // namespace

#define DAEDALUS_TRY(call) \
  if (const Eval e = (call); e != Eval::ok) return e

MultibodyMap::MultibodyMap(Mechanics& mechanics, MultibodyForm form, bool linear)
    : mechanics_(mechanics),
      form_(std::move(form)),
      linear_(linear),
      accelerations_(linear || form_.separate_accelerations()) {
  const MechanicalSizes& n = mechanics.sizes();
  rows_ = n.tangents + n.velocities + n.dynamic + n.contact + n.multipliers() +
          form_.eta_count(n.holonomic, n.multipliers()) + (accelerations_ ? n.velocities : 0);
}

// With the first evaluation: the structure of G is known by then, and the mechanical view, where
// systems are large, never evaluates the map.
template <class S>
void MultibodyMap::reserve(Work<S>& work) const {
  const MechanicalSizes& n = mechanics_.sizes();
  std::size_t entries = 0;
  mechanics_.for_constraint_entries([&](int, int, std::size_t) { ++entries; });
  work.f.clear();  // empty until all others are there: there may be no memory for one of them
  work.M.resize(mechanics_.mass_structure().values().size());
  work.G.resize(entries);
  work.offset.resize(at(n.multipliers()));
  work.level.resize(at(n.multipliers()));
  work.drift.resize(at(n.velocities));
  work.position.resize(at(n.holonomic));
  work.f.resize(at(n.velocities));
}

Eval MultibodyMap::refresh(double t, const double* x, const double*) {
  return frozen_ ? evaluate_coupling(point_in(mechanics_.sizes(), t, x)) : Eval::ok;
}

void MultibodyMap::archive(Archive& a) {
  a(coupling_.position, coupling_.velocity, coupling_.position_s, coupling_.velocity_s);
}

Eval MultibodyMap::evaluate_coupling(const PointOf<double>& p) {
  const MechanicalSizes& n = mechanics_.sizes();
  const auto make = [&](std::vector<double>& C, int rows, int columns) {
    C.resize(at(rows) * at(columns));
    return C.data();
  };
  const bool plain = form_.plain_coupling && n.contact > 0;
  if (form_.holds_positions)
    DAEDALUS_TRY(mechanics_.position_gradient(
        p, make(coupling_.position, n.holonomic, n.velocities),
        plain ? make(coupling_.position_s, n.holonomic, n.contact) : nullptr));
  if (form_.holds_velocities)
    DAEDALUS_TRY(mechanics_.velocity_gradient(
        p, make(coupling_.velocity, n.multipliers(), n.velocities),
        plain ? make(coupling_.velocity_s, n.multipliers(), n.contact) : nullptr,
        form_.short_coupling));
  return Eval::ok;
}

// drift := v - C^T eta; row_s += C_s^T eta. G of the work is up to date.
template <class S>
Eval MultibodyMap::couple(const PointOf<S>& p, const S* eta, Work<S>& w, S* row_s) {
  const MechanicalSizes& n = mechanics_.sizes();
  std::copy(p.v, p.v + n.velocities, w.drift.begin());
  if (!coupling_of_values()) {
    mechanics_.for_constraint_entries([&](int k, int j, std::size_t e) {
      if (k < n.holonomic) w.drift[at(j)] = w.drift[at(j)] - w.G[e] * eta[k];
    });
    return Eval::ok;
  }
  if (!frozen_ || (coupling_.position.empty() && coupling_.velocity.empty())) {
    const auto values = [](const S* x, int count, std::vector<double>& out) {
      out.resize(at(count));
      for (int i = 0; i < count; ++i) out[at(i)] = value_of(x[i]);
      return out.data();
    };
    PointOf<double> at_values;
    at_values.t = value_of(p.t);
    at_values.q = values(p.q, n.positions, q_);
    at_values.v = values(p.v, n.velocities, v_);
    at_values.s = values(p.s, n.contact, s_);
    DAEDALUS_TRY(evaluate_coupling(at_values));
  }
  const auto add = [](const std::vector<double>& C, int rows, int columns, double sign,
                      const S* multipliers, S* out) {
    if (C.empty()) return;
    for (int j = 0; j < columns; ++j)
      for (int k = 0; k < rows; ++k)
        out[j] = out[j] + sign * C[at(k) + at(j) * at(rows)] * multipliers[k];
  };
  const int nl = n.multipliers();
  const S* eta_v = eta + (form_.holds_positions ? n.holonomic : 0);
  add(coupling_.position, n.holonomic, n.velocities, -1.0, eta, w.drift.data());
  add(coupling_.velocity, nl, n.velocities, -1.0, eta_v, w.drift.data());
  add(coupling_.position_s, n.holonomic, n.contact, 1.0, eta, row_s);
  add(coupling_.velocity_s, nl, n.contact, 1.0, eta_v, row_s);
  return Eval::ok;
}

// row += G v.
template <class S>
void MultibodyMap::add_velocities(const PointOf<S>& p, const Work<S>& w, S* row) const {
  mechanics_.for_constraint_entries(
      [&](int k, int j, std::size_t e) { row[k] = row[k] + w.G[e] * p.v[j]; });
}

// r_G = G v + g_t, both of the work.
template <class S>
void MultibodyMap::velocity_level(const PointOf<S>& p, const Work<S>& w, S* row) const {
  std::copy(w.offset.begin(), w.offset.end(), row);
  add_velocities(p, w, row);
}

// G, what its level asks for in the row of lambda (g_t or d^2g/dt^2), and g_t for other rows.
template <class S>
Eval MultibodyMap::constraint_terms(const PointOf<S>& p, Work<S>& w, S* row) {
  if (form_.level == 2) {
    DAEDALUS_TRY(mechanics_.velocity_terms(p, w.G.data(), row));
    if (form_.holds_velocities) std::copy_n(row, w.offset.size(), w.offset.begin());
    return Eval::ok;
  }
  const bool holds_offset = form_.damped || form_.holds_velocities ||
                            (form_.level == 3 && mechanics_.sizes().nonholonomic > 0);
  if (form_.level == 1) {
    DAEDALUS_TRY(mechanics_.acceleration_terms(p, w.G.data(), row));
    return holds_offset ? mechanics_.velocity_offset(p, w.offset.data()) : Eval::ok;
  }
  return holds_offset ? mechanics_.velocity_terms(p, w.G.data(), w.offset.data())
                      : mechanics_.constraint_matrix(p, w.G.data());
}

template <class S>
Eval MultibodyMap::constraint_rows(const PointOf<S>& p, const S* rates, Work<S>& w, S* row) {
  const MechanicalSizes& n = mechanics_.sizes();
  const int nl = n.multipliers();
  if (form_.level == 1) {
    mechanics_.for_constraint_entries(
        [&](int k, int j, std::size_t e) { row[k] = row[k] + w.G[e] * rates[j]; });
    if (!form_.damped) return Eval::ok;
    velocity_level(p, w, w.level.data());
    DAEDALUS_TRY(mechanics_.constraint(p, w.position.data()));
    for (int k = 0; k < n.holonomic; ++k)
      row[k] = row[k] + 2.0 * form_.alpha * w.level[at(k)] + form_.beta * w.position[at(k)];
    // Nonholonomic rows are of first order.
    for (int k = n.holonomic; k < nl; ++k) row[k] = row[k] + form_.alpha * w.level[at(k)];
    return Eval::ok;
  }
  if (form_.level == 2) {
    add_velocities(p, w, row);
    return Eval::ok;
  }
  // At level 3 nonholonomic rows stay at velocity level; the others are replaced.
  if (n.nonholonomic > 0) velocity_level(p, w, row);
  return mechanics_.constraint(p, row);
}

template <class S>
Eval MultibodyMap::held_rows(const PointOf<S>& p, Work<S>& w, S* row) {
  const MechanicalSizes& n = mechanics_.sizes();
  if (form_.holds_positions) {
    DAEDALUS_TRY(mechanics_.constraint(p, row));
    row += n.holonomic;
  }
  if (form_.holds_velocities) velocity_level(p, w, row);
  return Eval::ok;
}

template <class S>
Eval MultibodyMap::eval(const S& t, const S* x, const S* xd, S* r) {
  const MechanicalSizes& n = mechanics_.sizes();
  auto& w = std::get<Work<S>>(work_);
  if (w.f.empty() || w.sparse != mechanics_.sparse_constraints()) {
    reserve(w);
    w.sparse = mechanics_.sparse_constraints();
  }
  const PointOf<S> p = point_in(n, t, x);
  const int nl = n.multipliers(), extra = form_.eta_count(n.holonomic, nl);
  const S* eta = p.lambda + nl;
  const S* eta_v = eta + (form_.holds_positions ? n.holonomic : 0);
  const S* v_rate = linear_ ? nullptr : xd + n.tangents;
  const S* a = accelerations_ ? eta + extra : v_rate;  // of the balance of forces
  S* row_q = r;
  S* row_v = row_q + n.tangents;
  S* row_c = row_v + n.velocities;
  S* row_s = row_c + n.dynamic;
  S* row_lambda = row_s + n.contact;
  S* row_eta = row_lambda + nl;
  S* row_force = accelerations_ ? row_eta + extra : row_v;

  DAEDALUS_TRY(mechanics_.dynamics(p, row_c));
  DAEDALUS_TRY(mechanics_.contact(p, row_s));
  DAEDALUS_TRY(mechanics_.mass(p, w.M.data()));
  DAEDALUS_TRY(mechanics_.force(p, w.f.data()));
  if (nl > 0) DAEDALUS_TRY(constraint_terms(p, w, row_lambda));
  PointOf<S> moving = p;
  if (extra > 0) {
    DAEDALUS_TRY(couple(p, eta, w, row_s));
    moving.v = w.drift.data();
  }
  DAEDALUS_TRY(mechanics_.rate(moving, row_q));
  for (S& f : w.f) f = -f;
  mechanics_.mass_structure().for_each_position(
      [&](int i, int j, std::size_t e) { w.f[at(i)] = w.f[at(i)] + w.M[e] * a[j]; });
  mechanics_.for_constraint_entries(
      [&](int k, int i, std::size_t e) { w.f[at(i)] = w.f[at(i)] + w.G[e] * p.lambda[k]; });
  const double sign = linear_ ? -1.0 : 1.0;
  for (int i = 0; i < n.velocities; ++i) row_force[i] = sign * w.f[at(i)];
  if (linear_) {
    for (int i = 0; i < n.velocities; ++i) row_v[i] = a[i];
  } else {
    for (int i = 0; i < n.tangents; ++i) row_q[i] = xd[i] - row_q[i];
    for (int i = 0; i < n.dynamic; ++i) row_c[i] = xd[n.tangents + n.velocities + i] - row_c[i];
    if (accelerations_) {
      std::fill(row_v, row_v + n.velocities, S(0.0));
      mechanics_.mass_structure().for_each_position(
          [&](int i, int j, std::size_t e) { row_v[i] = row_v[i] + w.M[e] * (v_rate[j] - a[j]); });
    }
    if (form_.holds_velocities)
      mechanics_.for_constraint_entries(
          [&](int k, int i, std::size_t e) { row_v[i] = row_v[i] + w.G[e] * eta_v[k]; });
  }
  if (nl == 0) return Eval::ok;
  DAEDALUS_TRY(constraint_rows(p, a, w, row_lambda));
  if (form_.epsilon > 0.0 && !linear_) {
    const S* lambda_rate = xd + n.tangents + n.velocities + n.dynamic + n.contact;
    for (int k = 0; k < nl; ++k) row_lambda[k] = row_lambda[k] - form_.epsilon * lambda_rate[k];
  }
  return held_rows(p, w, row_eta);
}
#undef DAEDALUS_TRY

template Eval MultibodyMap::eval<double>(const double&, const double*, const double*, double*);
template Eval MultibodyMap::eval<Dual4>(const Dual4&, const Dual4*, const Dual4*, Dual4*);

}  // namespace daedalus
