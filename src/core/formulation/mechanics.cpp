// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "formulation/mechanics_calls.hpp"
#include "kernel/at.hpp"
#include "lie/curve.hpp"

namespace daedalus {

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
  // Relative errors of the levels: rounding, or that of the differences that stand in for pieces.
  constexpr double round_off = 2.2e-16;
  if (sizes_.holonomic == 0 || smooth_) return round_off;
  const bool given_matrix = static_cast<bool>(problem_.constraint_jacobian);
  const bool given_curvature = static_cast<bool>(problem_.acceleration_term);
  if (level == 1 && !given_curvature) return given_matrix ? 1e-11 : 1e-8;
  return given_matrix ? round_off : 1e-11;
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
  const bool follows = sizes_.contact > 0 && known != Known::held;
  return follows ? follow_contact(p, w, tau, second, c, known) : Eval::ok;
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

#define DAEDALUS_INSTANTIATE(S)                                                                    \
  template Eval Mechanics::lay_curve<S>(const PointOf<S>&, const S*, double, bool, Curve<S>&,      \
                                        Known);                                                    \
  template Eval Mechanics::along<S>(const char*, const Function<slot::Position>&, int, Curve<S>&); \
  template Eval Mechanics::kinematic_product<S>(const PointOf<S>&, const S*, S*);                  \
  template Arguments<S> Mechanics::arguments<S>(const PointOf<S>&) const;
DAEDALUS_INSTANTIATE(double)
DAEDALUS_INSTANTIATE(Dual4)
#undef DAEDALUS_INSTANTIATE

}  // namespace daedalus
