// SPDX-License-Identifier: BSD-3-Clause
// The pieces of a MultibodyProblem over doubles and dual numbers. What the user does not give is
// found along curves: with q(e) = q (+) e T w, t(e) = t + e tau and contact coordinates s(e) that
// keep h = 0, the Taylor coefficients of g(t(e), q(e), s(e)) are
//   first:  G w + tau g_t           (w = e_j, tau = 0: column j of G; w = 0, tau = 1: g_t)
//   second: half of d^2 g / dt^2    (w = v, tau = 1, with v' = 0)
// which covers rheonomic constraints, q' = T(t, q) v, Lie groups and contact coordinates alike.
// Plain callables are differentiated by central differences along the same curves.
#pragma once

#include <array>
#include <tuple>
#include <type_traits>
#include <vector>

#include <daedalus/problem.hpp>

#include "formulation/parameters.hpp"
#include "formulation/piece.hpp"
#include "formulation/small_lu.hpp"
#include "function/colouring.hpp"
#include "system/mechanical_view.hpp"

namespace daedalus {

template <class S>
struct PointOf {
  S t{};
  const S *q = nullptr, *v = nullptr, *c = nullptr, *s = nullptr, *lambda = nullptr;
};
inline PointOf<double> plain(const MechanicalPoint& p) {
  return {p.t, p.q, p.v, p.c, p.s, p.lambda};
}

class Mechanics {
 public:
  Mechanics(std::shared_ptr<const MultibodyProblem> problem, Modes modes);

  const MultibodyProblem& problem() const { return problem_; }
  const MechanicalSizes& sizes() const { return sizes_; }
  // Can be evaluated over dual numbers: values (index 3), velocities (2), accelerations (1).
  bool differentiable(int constraint_level) const;
  const char* running() const { return piece_.running(); }
  void search(bool on) { piece_.search(on); }
  // Relative error of constraint rows at a level, where differences replace derivatives.
  double noise(int constraint_level) const;

  // M in its declared structure (dense, blocks, sparse); the values of mass() are in its order.
  const PieceMatrix& mass_structure() const { return mass_; }
  bool mass_given_constant() const { return !problem_.mass; }
  template <class S>
  Eval mass(const PointOf<S>& p, S* values);
  template <class S>
  Eval force(const PointOf<S>& p, S* f);
  template <class S>
  Eval constraint(const PointOf<S>& p, S* g);
  // G, multipliers x velocities; the values of constraint_matrix() are in the order of its
  // structure: dense, or the pattern that find_constraint_pattern() found.
  PieceMatrix make_constraint_matrix() const {
    return sparse_constraints() ? constraint_
                                : PieceMatrix::dense(sizes_.multipliers(), sizes_.velocities);
  }
  const PieceMatrix& constraint_structure() const { return constraint_; }  // if sparse
  bool sparse_constraints() const { return constraint_.kind() == PieceMatrix::Kind::sparse; }
  // Calls visit(row, column, position) for every entry of G.
  template <class Visit>
  void for_constraint_entries(Visit&& visit) const;
  // Probes which velocities reach which constraints at p and evaluates G over that pattern from now
  // on, several columns at a time. False, and nothing changes: g is not differentiable, other
  // callables (kinematics, contact, nonholonomic_matrix) take part in G, or the pattern is denser
  // than max_density.
  bool find_constraint_pattern(const PointOf<double>& p, double max_density);
  void forget_constraint_pattern() { constraint_ = {}; }
  template <class S>
  Eval constraint_matrix(const PointOf<S>& p, S* values);
  // With a pattern only: G v + g_t by one derivative along the motion. The same evaluation gives
  // G w for a w that treats no two velocities alike, into the second output.
  Eval velocity_level(const PointOf<double>& p, double* out, double* g_w);
  static double unlike(int velocity);  // w above
  template <class S>
  Eval velocity_offset(const PointOf<S>& p, S* out);
  // G and g_t together: over dual numbers the time is one more column.
  template <class S>
  Eval velocity_terms(const PointOf<S>& p, S* G, S* offset) {
    if constexpr (std::is_same_v<S, Dual4>)
      if (together_.velocity && !sparse_constraints() && !stands_still(p))
        return constraint_matrix_in_pairs(p, G, offset);
    const Eval e = constraint_matrix(p, G);
    return e == Eval::ok ? velocity_offset(p, offset) : e;
  }
  template <class S>
  Eval acceleration_term(const PointOf<S>& p, S* out);
  // G and d^2g/dt^2 together: over dual numbers contact coordinates follow both alike.
  template <class S>
  Eval acceleration_terms(const PointOf<S>& p, S* G, S* out) {
    if constexpr (std::is_same_v<S, Dual4>)
      if (together_.acceleration && !accelerates_alike(p))
        return acceleration_terms_along_contact(p, G, out);
    const Eval e = constraint_matrix(p, G);
    return e == Eval::ok ? acceleration_term(p, out) : e;
  }
  template <class S>
  Eval rate(const PointOf<S>& p, S* q_rate);
  template <class S>
  Eval dynamics(const PointOf<S>& p, S* c_rate);
  template <class S>
  Eval contact(const PointOf<S>& p, S* h);
  // dh/ds at a point, contact x contact, column-major.
  Eval contact_matrix(const PointOf<double>& p, double* h_s);

  // Derivatives of g, and of G v + g_t, along velocities: holonomic (all multipliers) x velocities,
  // column-major. With contact coordinates s follows q, unless by_s asks for the derivatives by q
  // and by s apart.
  Eval position_gradient(const PointOf<double>& p, double* by_q, double* by_s);
  Eval velocity_gradient(const PointOf<double>& p, double* by_q, double* by_s,
                         bool short_form = false);

 private:
  static PieceMatrix declared_mass(const MultibodyProblem& p);
  void reserve();
  template <class S>
  using Series = Taylor<S, 2>;
  // A curve through a point in direction w with time rate tau; contact coordinates follow.
  template <class S>
  struct Curve {
    Series<S> t;
    std::vector<Series<S>> q, s, out, matrix;
    std::vector<S> rate, direction, rhs;
  };
  template <class S>
  Arguments<S> arguments(const PointOf<S>& p) const;
  template <class S>
  Arguments<Series<S>> arguments(const Curve<S>& c) const;
  // Of the contact conditions, from the evaluation before at the same point: the factors of dh/ds,
  // and ds/dq and ds/dt as well. held: s does not follow q at all.
  enum class Known { nothing, factors, slopes, held };
  template <class S>
  Eval lay_curve(const PointOf<S>& p, const S* w, double tau, bool second, Curve<S>& c,
                 Known known = Known::nothing);
  template <class S>
  Eval follow_contact(const PointOf<S>& p, const S* w, double tau, bool second, Curve<S>& c,
                      Known known);
  template <class S>
  Eval curvature(const PointOf<S>& p, S* out, Known known = Known::nothing);
  template <class S>
  Eval along(const char* name, const Function<slot::Position>& f, int rows, Curve<S>& c);
  template <class S>
  Eval kinematic_product(const PointOf<S>& p, const S* w, S* out);

  template <class S>
  Eval constraint_matrix_by_colours(const PointOf<S>& p, S* values);
  PointOf<Dual4> four_columns(const PointOf<double>& p, int first);
  Eval factorise_contact(const PointOf<double>& p);
  Eval contact_slopes(const PointOf<double>& p, int columns);
  Eval constraint_along_slopes(const PointOf<double>& p, double* G);
  Eval constraint_matrix_by_columns(const PointOf<double>& p, double* G);
  Eval constraint_along_marks(const PointOf<double>& p);

  // Over dual numbers.
  bool stands_still(const PointOf<Dual4>& p) const;
  bool accelerates_alike(const PointOf<Dual4>& p) const;
  PointOf<double> values_of(const PointOf<Dual4>& p);
  Eval constant_matrix(const PointOf<Dual4>& p, Dual4* G);
  Eval constant_offset(const PointOf<Dual4>& p, Dual4* out);
  Eval constant_acceleration(const PointOf<Dual4>& p, Dual4* out);
  Eval matrix_and_slopes(const PointOf<Dual4>& p, Dual4* G);
  Eval acceleration_terms_along_contact(const PointOf<Dual4>& p, Dual4* G, Dual4* out);
  template <class Direction>
  Eval along_columns(const PointOf<Dual4>& p, int first, int count, Direction&& direction);
  template <class Direction, class Take>
  Eval columns_in_pairs(const PointOf<Dual4>& p, int count, Direction&& direction, Take&& take);
  Eval constraint_matrix_in_pairs(const PointOf<Dual4>& p, Dual4* G, Dual4* offset);
  Eval velocity_rows(const PointOf<Dual4>& p, Dual4* out, bool short_form);
  template <class Rows>
  Eval gradient(const PointOf<double>& p, int count, double* by_q, double* by_s, Rows&& rows);

  // Fallbacks for plain callables, doubles only.
  Eval differences(const PointOf<double>& p, const double* w, double tau, double* first,
                   double* second);
  Eval nonholonomic_rate(const PointOf<double>& p, double* out);

  std::shared_ptr<const MultibodyProblem> owned_;
  const MultibodyProblem& problem_;
  MechanicalSizes sizes_;
  ParameterSet parameters_;
  std::tuple<Curve<double>, Curve<Dual4>> curves_;
  std::tuple<std::vector<double>, std::vector<Dual4>> matrix_, vector_, scaled_;
  struct Scratch {
    std::vector<double> rate, shift, moved, matrix, plus, minus, offset;
  };
  std::array<Scratch, 2> scratch_;  // of differences: first and second derivatives
  PieceMatrix mass_;                // with the values of mass_matrix, or ones on the diagonal
  bool smooth_;                     // constraint, contact and kinematics are all differentiable
  bool direct_;                     // G is dg/dq by dual numbers: no kinematics, no contact
  bool along_contact_;              // G by dual numbers along h(q, s) = 0, q Euclidean
  struct {
    bool matrix, offset, acceleration;
  } derived_;  // not all given by the user: worth a look at the derivatives of a point
  struct {
    bool velocity, acceleration;
  } together_;  // over dual numbers, G with g_t and with d^2g/dt^2
  PieceRunner piece_;
  PieceMatrix constraint_;  // dense stands for itself, without numbers
  // Columns of one colour share no row of G: one derivative along their sum gives them all.
  Colouring colouring_;
  std::vector<Dual4> q4_, s4_, w4_, g4_;  // four columns or colours at a time
  SmallLu h_s_;                           // dh/ds
  // ds/dq and ds/dt, by columns.
  std::tuple<std::vector<double>, std::vector<Dual4>> slopes_;
  struct {
    std::vector<double> q, v, s, G, offset;
  } values_;  // of a point over dual numbers
  struct {
    std::vector<Dual4> q, v, s, w, out;
    std::vector<double> unit, rate, G, level, moved;
  } gradient_;  // sized with the first use
};

template <class Visit>
void Mechanics::for_constraint_entries(Visit&& visit) const {
  if (sparse_constraints()) return constraint_.for_each_position(visit);
  std::size_t k = 0;
  for (int c = 0; c < sizes_.velocities; ++c)
    for (int r = 0; r < sizes_.multipliers(); ++r) visit(r, c, k++);
}

}  // namespace daedalus
