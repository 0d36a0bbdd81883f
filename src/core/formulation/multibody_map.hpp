// SPDX-License-Identifier: BSD-3-Clause
// Lowered multibody equations as one map. Variables (q, v, c, s, lambda, eta) and, where they stand
// by themselves, the accelerations a; rows in the order q, v, c, s, lambda, eta (and a). With
// r_L = g, r_G = G v + g_t, r_B = G v' + d^2g/dt^2|_{v'=0} and the extra rows that the form holds:
//   residual view:  q' - T (v - C^T eta),  M v' - f + G^T (lambda + eta_G),  c' - d,  h + C_s^T
//   eta,
//                   the row of lambda,  r_L and r_G if held
//   with a:         M (v' - a) + G^T eta_G  in place of the balance,  M a - f + G^T lambda
//   linear view:    q' = T v,  v' = a,  c' = d,  0 = h,  the row of lambda,  0 = f - M a - G^T
//                   lambda
// The row of lambda is r_L, r_G, r_B, r_B + 2 alpha r_G + beta r_L, or r_G - epsilon lambda'. The
// coupling C is d(r_L, r_G)/dq, and C_s its part by s for the plain coupling (Arnold 1998, (3.1),
// (3.4)-(3.7), (3.13), (3.18); Hairer, Wanner II, section VII.1).
//
// Derivatives of the Dual4 map leave out those of C (except G): they are multiplied by eta, which
// vanishes on the solution.
#pragma once

#include "formulation/map_of.hpp"
#include "formulation/mechanics.hpp"
#include "formulation/multibody_form.hpp"

namespace daedalus {

class MultibodyMap final : public MapOf<MultibodyMap> {
 public:
  MultibodyMap(Mechanics& mechanics, MultibodyForm form, bool linear);
  template <class S>
  Eval eval(const S& t, const S* x, const S* xd, S* r);
  bool differentiable() const override { return mechanics_.differentiable(form_.level); }
  int rows() const override { return rows_; }
  void search(bool on) override { mechanics_.search(on); }
  double noise() const override { return mechanics_.noise(form_.level); }
  const char* running() const override { return mechanics_.running(); }

  void freeze() override { frozen_ = true; }  // C of eta
  Eval refresh(double t, const double* x, const double* xd) override;
  void archive(Archive& a) override;

 private:
  Eval evaluate_coupling(const PointOf<double>& p);
  template <class S>
  struct Work {
    std::vector<S> M, f, G, offset, level, drift, position;
    bool sparse = false;
  };
  template <class S>
  void reserve(Work<S>& work) const;
  template <class S>
  Eval constraint_terms(const PointOf<S>& p, Work<S>& w, S* row);
  template <class S>
  Eval constraint_rows(const PointOf<S>& p, const S* rates, Work<S>& w, S* row);
  template <class S>
  Eval held_rows(const PointOf<S>& p, Work<S>& w, S* row);
  template <class S>
  Eval couple(const PointOf<S>& p, const S* eta, Work<S>& w, S* row_s);
  template <class S>
  void add_velocities(const PointOf<S>& p, const Work<S>& w, S* row) const;
  template <class S>
  void velocity_level(const PointOf<S>& p, const Work<S>& w, S* row) const;
  bool coupling_of_values() const {
    return frozen_ || form_.plain_coupling || form_.holds_velocities;
  }

  Mechanics& mechanics_;
  MultibodyForm form_;
  bool linear_, accelerations_, frozen_ = false;
  int rows_;
  // d r_L/dq and d r_G/dq by velocities, and by s with the plain coupling; column-major.
  struct {
    std::vector<double> position, velocity, position_s, velocity_s;
  } coupling_;
  std::vector<double> q_, v_, s_;  // values of a point over dual numbers
  std::tuple<Work<double>, Work<Dual4>> work_;
};

}  // namespace daedalus
