// SPDX-License-Identifier: BSD-3-Clause
// All callables of a problem that give equations, with their sizes and their arguments at the start
// values: for checks and measurements that go through them one by one.
#pragma once

#include <string>

#include <daedalus/problem.hpp>

#include "function/recorded_callable.hpp"

namespace daedalus {

// Calls visit(name, function, point, rows, columns) for each callable that is there.
template <class Visit>
void for_each_callable(const Problem& problem, double t, Visit&& visit);

namespace detail {

inline std::vector<double> plain(const Eigen::VectorXd& v, int n) {
  std::vector<double> out(static_cast<std::size_t>(n), 0.0);
  for (int i = 0; i < std::min<int>(n, static_cast<int>(v.size())); ++i)
    out[static_cast<std::size_t>(i)] = v[i];
  return out;
}

template <class P>
CallPoint start_point(const P& p, double t) {
  CallPoint at;
  at.t = t;
  for (const Parameter& q : p.parameters) at.p.push_back(q.value);
  at.modes = p.modes;
  return at;
}

template <class Visit>
void callables_of(const ImplicitProblem& p, CallPoint at, Visit&& visit) {
  const int n = static_cast<int>(p.y0.size()), m = p.leading_count > 0 ? p.leading_count : n;
  at.x[0] = plain(p.y0, n);
  at.x[2] = plain(p.yp0, m);
  visit("residual", p.residual, at, n, 1);
  if (p.leading) visit("leading", p.leading, at, p.leading_count, 1);
}

template <class Visit>
void callables_of(const MassMatrixProblem& p, CallPoint at, Visit&& visit) {
  const int n = static_cast<int>(p.y0.size());
  at.x[0] = plain(p.y0, n);
  visit("rhs", p.rhs, at, n, 1);
  if (p.mass) visit("mass", p.mass, at, n, n);
}

template <class Visit>
void callables_of(const SemiExplicitProblem& p, CallPoint at, Visit&& visit) {
  const int ny = static_cast<int>(p.y0.size()), nz = static_cast<int>(p.z0.size());
  at.x[0] = plain(p.y0, ny);
  at.x[1] = plain(p.z0, nz);
  visit("f", p.f, at, ny, 1);
  if (nz > 0) visit("g", p.g, at, nz, 1);
}

template <class Visit>
void callables_of(const MultibodyProblem& p, CallPoint at, Visit&& visit) {
  const int nv = p.velocities(), nq = p.space.points();
  at.x = {plain(p.q0, nq), plain(p.v0, nv), plain(p.lambda0, p.multipliers()),
          plain(p.c0, p.dynamic_count), plain(p.s0, p.contact_count)};
  if (p.mass) {
    int entries = 0;
    for (const int b : p.mass_blocks) entries += b * b;
    if (entries > 0)
      visit("mass", p.mass, at, entries, 1);
    else
      visit("mass", p.mass, at, nv, nv);
  }
  if (p.force) visit("force", p.force, at, nv, 1);
  if (p.constraint) visit("constraint", p.constraint, at, p.constraint_count, 1);
  if (p.kinematics) visit("kinematics", p.kinematics, at, nq, nv);
  if (p.nonholonomic_matrix)
    visit("nonholonomic_matrix", p.nonholonomic_matrix, at, p.nonholonomic_count, nv);
  if (p.nonholonomic_offset)
    visit("nonholonomic_offset", p.nonholonomic_offset, at, p.nonholonomic_count, 1);
  if (p.dynamics) visit("dynamics", p.dynamics, at, p.dynamic_count, 1);
  if (p.contact) visit("contact", p.contact, at, p.contact_count, 1);
}

}  // namespace detail

template <class Visit>
void for_each_callable(const Problem& problem, double t, Visit&& visit) {
  std::visit([&](const auto& p) { detail::callables_of(p, detail::start_point(p, t), visit); },
             problem);
}

}  // namespace daedalus
