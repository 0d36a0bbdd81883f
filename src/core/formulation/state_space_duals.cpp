// SPDX-License-Identifier: BSD-3-Clause
// The map of a chart over dual numbers: at the point found in doubles, one Newton correction with
// the matrices of that point carries the derivatives.
#include "formulation/state_space_map.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

// Directions of Dual4.
constexpr std::size_t lanes = 4;

// out = value + A x, A in doubles.
void add_product(const Eigen::MatrixXd& A, const Dual4* x, std::vector<Dual4>& out) {
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j) out[at(i)] = out[at(i)] + A(i, j) * x[j];
}

void constants(const Eigen::VectorXd& values, std::vector<Dual4>& out) {
  for (int i = 0; i < values.size(); ++i) out[at(i)] = Dual4(values[i]);
}

// Calls use(lane, column) with the derivatives of `rows` in each lane.
template <class Use>
void each_lane(const std::vector<Dual4>& rows, int count, Eigen::VectorXd& column, Use&& use) {
  for (std::size_t k = 0; k < lanes; ++k) {
    for (int i = 0; i < count; ++i) column[i] = rows[at(i)].d[k];
    use(k);
  }
}

}  // namespace

void StateSpaceMap::reserve_duals() {
  if (!q4_.empty()) return;
  const std::size_t nl = at(sizes_.multipliers()), nv = at(sizes_.velocities);
  q4_.resize(at(sizes_.positions));
  v4_.resize(nv);
  a4_.resize(nv);
  s4_.resize(at(sizes_.contact));
  lambda4_.resize(nl);
  g4_.resize(std::max(nl, at(sizes_.contact)));
  M4_.resize(mechanics_.mass_structure().values().size());
  G4_.resize(nl * nv);
  f4_.resize(nv + nl);
}

// s of the q at hand: h(t, q, s) = 0 holds in doubles already.
Eval StateSpaceMap::contact_over_duals(const PointOf<Dual4>& p) {
  const int n = sizes_.contact;
  if (n == 0) return Eval::ok;
  constants(at_.s, s4_);
  if (const Eval e = mechanics_.contact(p, g4_.data()); e != Eval::ok) return e;
  each_lane(g4_, n, column_, [&](std::size_t k) {
    contact_lu_.solve(column_.data());
    for (int i = 0; i < n; ++i) s4_[at(i)].d[k] = -column_[i];
  });
  return Eval::ok;
}

Eval StateSpaceMap::positions_over_duals(const PointOf<Dual4>& p, const Dual4* xi) {
  const int ng = sizes_.holonomic;
  std::fill(q4_.begin(), q4_.end(), Dual4(0.0));
  add_product(position_.tangent, xi, q4_);
  for (int i = 0; i < sizes_.positions; ++i) q4_[at(i)].v = at_.q[i];
  if (sizes_.contact > 0) {
    PointOf<double> here{at_.t, at_.q.data(), nullptr, nullptr, at_.s.data(), nullptr};
    if (const Eval e = mechanics_.contact_matrix(here, contact_lu_.data()); e != Eval::ok) return e;
    if (!contact_lu_.factorise()) return Eval::reject;
  }
  if (const Eval e = contact_over_duals(p); e != Eval::ok || ng == 0) return e;
  if (const Eval e = mechanics_.constraint(p, g4_.data()); e != Eval::ok) return e;
  each_lane(g4_, ng, column_, [&](std::size_t k) {
    position_lu_.solve(column_.data());
    for (int i = 0; i < sizes_.positions; ++i)
      for (int j = 0; j < ng; ++j) q4_[at(i)].d[k] -= position_.normal(i, j) * column_[j];
  });
  return contact_over_duals(p);
}

Eval StateSpaceMap::velocities_over_duals(const PointOf<Dual4>& p, const Dual4* u) {
  const Basis& b = moving();
  const int nl = sizes_.multipliers();
  std::fill(v4_.begin(), v4_.end(), Dual4(0.0));
  add_product(b.tangent, u, v4_);
  for (int i = 0; i < sizes_.velocities; ++i) v4_[at(i)].v = at_.v[i];
  if (nl == 0) return Eval::ok;
  if (const Eval e = mechanics_.constraint_matrix(p, G4_.data()); e != Eval::ok) return e;
  if (const Eval e = mechanics_.velocity_offset(p, g4_.data()); e != Eval::ok) return e;
  mechanics_.for_constraint_entries(
      [&](int r, int c, std::size_t k) { g4_[at(r)] = g4_[at(r)] + G4_[k] * v4_[at(c)]; });
  each_lane(g4_, nl, column_, [&](std::size_t k) {
    velocity_lu().solve(column_.data());
    for (int i = 0; i < sizes_.velocities; ++i)
      for (int j = 0; j < nl; ++j) v4_[at(i)].d[k] -= b.normal(i, j) * column_[j];
  });
  return Eval::ok;
}

// The residual of [M G^T; G 0] [a; lambda] - [f; -d^2g/dt^2], a and lambda held.
Eval StateSpaceMap::accelerations_over_duals(const PointOf<Dual4>& p) {
  const int nv = sizes_.velocities, nl = sizes_.multipliers();
  constants(at_.lambda, lambda4_);
  if (const Eval e = mechanics_.mass(p, M4_.data()); e != Eval::ok) return e;
  if (const Eval e = mechanics_.force(p, f4_.data()); e != Eval::ok) return e;
  for (int i = 0; i < nv; ++i) f4_[at(i)] = -f4_[at(i)];
  mechanics_.mass_structure().for_each_position(
      [&](int r, int c, std::size_t k) { f4_[at(r)] = f4_[at(r)] + M4_[k] * at_.a[c]; });
  if (nl > 0) {
    if (const Eval e = mechanics_.acceleration_term(p, f4_.data() + nv); e != Eval::ok) return e;
    mechanics_.for_constraint_entries([&](int r, int c, std::size_t k) {
      f4_[at(c)] = f4_[at(c)] + G4_[k] * at_.lambda[r];
      f4_[at(nv + r)] = f4_[at(nv + r)] + G4_[k] * at_.a[c];
    });
  }
  constants(at_.a, a4_);
  each_lane(f4_, nv + nl, column_, [&](std::size_t k) {
    accelerations_->substitute(column_.data());
    for (int i = 0; i < nv; ++i) a4_[at(i)].d[k] = -column_[i];
    for (int i = 0; i < nl; ++i) lambda4_[at(i)].d[k] = -column_[nv + i];
  });
  return Eval::ok;
}

Eval StateSpaceMap::dual(const Dual4& t, const Dual4* x, const Dual4* xd, Dual4* r) {
  reserve_duals();
  values_.resize(rows());
  for (int i = 0; i < rows(); ++i) values_[i] = x[i].v;
  if (solve(t.v, values_.data(), values_.data() + d_q_, values_.data() + d_q_ + d_v_) !=
      Outcome::ok)
    return Eval::reject;
  const Dual4* u = x + d_q_;
  const PointOf<Dual4> p{t, q4_.data(), v4_.data(), u + d_v_, s4_.data(), lambda4_.data()};
  if (const Eval e = positions_over_duals(p, x); e != Eval::ok) return e;
  if (const Eval e = velocities_over_duals(p, u); e != Eval::ok) return e;
  if (const Eval e = accelerations_over_duals(p); e != Eval::ok) return e;
  if (const Eval e = mechanics_.dynamics(p, r + d_q_ + d_v_); e != Eval::ok) return e;
  // Without nonholonomic rows xi' is u itself, which a probe of the structure sees.
  for (int i = 0; i < d_q_; ++i) {
    r[i] = sizes_.nonholonomic > 0 ? Dual4(0.0) : u[i];
    if (sizes_.nonholonomic > 0)
      for (int j = 0; j < sizes_.velocities; ++j)
        r[i] = r[i] + position_.tangent(j, i) * v4_[at(j)];
  }
  for (int i = 0; i < d_v_; ++i) {
    r[d_q_ + i] = Dual4(0.0);
    for (int j = 0; j < sizes_.velocities; ++j)
      r[d_q_ + i] = r[d_q_ + i] + moving().tangent(j, i) * a4_[at(j)];
  }
  if (residual_)
    for (int i = 0; i < rows(); ++i) r[i] = xd[i] - r[i];
  return Eval::ok;
}

}  // namespace daedalus
