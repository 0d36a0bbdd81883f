// SPDX-License-Identifier: BSD-3-Clause
// What half-explicit Runge-Kutta and partitioned multistep methods ask of a system of index 2, the
// same for its two forms:
//   general:    y' = f(t, y, z), 0 = g(t, y); z by Newton's method; rows of g may depend on z as
//               well (Remark 34), if they determine as many of the z;
//   multibody:  y = (q, v, c), z = (v', lambda), constraints at velocity level; one linear system
//               [M(Q) G(Q)^T; G(eta) 0] per stage, Newton's method where forces depend on lambda
//               (Arnold 1998, (3.82)-(3.85)); contact coordinates s follow from h(t, q, s) = 0 at
//               every point (Remark 29).
// Points are in point coordinates of the whole layout (z included: lambda, or z); rates and
// increments are those of y alone, in tangent coordinates at the base point of the step.
#pragma once

#include <memory>

#include <daedalus/stepper.hpp>
#include "system/system.hpp"

namespace daedalus {

class HalfExplicit {
 public:
  static std::unique_ptr<HalfExplicit> make(System& system);
  virtual ~HalfExplicit() = default;

  // Leading tangent coordinates of the layout: those of y.
  virtual int differential() const = 0;

  // Increments count from here until the next call.
  virtual void begin(const State& base) = 0;

  // x := base (+) increment in y (and s from the contact conditions); z of x is left alone.
  virtual Outcome place(double t, const double* increment, double* x) = 0;

  struct Stage {
    double t = 0.0;
    double* x = nullptr;                // placed by place(); z: first guess, then the result
    const double* increment = nullptr;  // from base to x
    // The constraints are to hold at t_next, base (+) (known + factor * rate).
    double t_next = 0.0;
    const double* known = nullptr;
    double factor = 0.0;
    double* rate = nullptr;  // result: y' at (x, z)
    // x is the constraint point of the stage solved before, or the point of rebase(): its
    // constraint matrix serves again.
    bool at_last_constraint = false, at_base = false;
    // General: rows of g that depend on z hold at x, not at the constraint point.
    bool algebraic_at_stage = false;
    // Multibody: added to the force in the equations of motion. General: what rows of g that depend
    // on z are to be equal to (algebraic_at_stage). nullptr: nothing.
    const double* load = nullptr;
  };
  virtual Outcome solve(const Stage& stage) = 0;

  // y' at (t, x). With `hidden_constraint` z follows from the hidden constraint g_y f + g_t = 0,
  // choice (I) of Arnold (1998), section 3.3.3, for multibody systems from the equations of motion
  // at acceleration level (one linear system), and is stored in x. Without it z is as it is: lambda
  // in x and, since v' belongs to z, the entries of v in `rate`, which are left alone. A null
  // increment stands for rates in tangent coordinates at x itself.
  virtual Outcome rates(double t, double* x, const double* increment, bool hidden_constraint,
                        double* rate) = 0;

  // The correction of y that moves base (+) increment to the constraints at time t to first order,
  // with the matrix of the stage solved last (Arnold 1998, (3.81)): one constraint evaluation, one
  // substitution. `increment` is corrected in place.
  virtual Outcome correct(double t, double* increment) = 0;

  // Evaluates the constraint matrix at a base that stages are at (`at_base`), unless it is the
  // constraint point of the stage solved last.
  virtual Outcome rebase(const State& base, bool last_constraint) = 0;

  // Multibody: W' = M v' - f + G^T lambda at the base of rebase(), with v' from `rate` (Arnold
  // 1998, (3.82)). General: the rows of g that depend on z; others are 0. Zero when z is the result
  // of a stage at this point, but not for combinations of several. 0 entries: there are no such
  // rows.
  virtual int balance_count() const = 0;
  virtual Outcome balance(const State& base, const double* rate, double* defect) = 0;

  // What rebase() left.
  virtual void archive(Archive&) {}

  // Whether g is free of z, so that the hidden constraint defines z. Otherwise (0 = g(t, y, z) with
  // g_z of constant rank: Arnold 1998, Remark 34) rates() takes z as it is.
  virtual bool has_hidden_constraint() const { return true; }

  virtual int singular_variable() const = 0;  // where a matrix was singular; -1: not known
  virtual int newton_iterations() const = 0;  // since begin()
};

}  // namespace daedalus
