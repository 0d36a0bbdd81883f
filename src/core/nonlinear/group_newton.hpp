// SPDX-License-Identifier: BSD-3-Clause
// Newton's method for a step on a configuration space G:
//   q = q_b o exp(w),   0 = r(w, v),   (v, c)' = sigma (v, c) + known   [+ S v],
// and the rows of F(t, x, x') = 0 other than the kinematic ones, for w and all variables but q. The
// relation r belongs to the method. In formulations with multipliers eta the kinematic rows
// q' - v + C^T eta become r + C^T eta: F is evaluated with q' = r + v.
//
// Corrections of q are tangent at the iterate, w moves by T(w)^{-1} times them; the matrix is
//   [ r_w T^{-1} + (C^T eta)_q   r_v   C^T ]
//   [ F_q          F_v + sigma F_v'   ...  ]
// with columns of q times h and of lambda over h (Wieloch 2022, (3.60)-(3.62): bounded for h -> 0).
// All of it is exact: F by automatic differentiation where the problem allows, r_w and r_v by the
// method. It is formed anew when sigma changes, and when the iteration asks for it.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include <daedalus/stepper.hpp>
#include "linalg/linear_solver.hpp"
#include "nonlinear/element_matrices.hpp"
#include "nonlinear/step_iteration.hpp"
#include "system/system.hpp"

namespace daedalus {

class KinematicRelation {
 public:
  virtual ~KinematicRelation() = default;
  // Both have as many numbers as there are velocities.
  virtual void residual(const double* w, const double* v, double* r) = 0;
  virtual void derivatives(const double* w, const double* v, ElementMatrices& by_w,
                           ElementMatrices& by_v) = 0;
  // Subtracted from r_v where one velocity reaches all elements; nullptr: none does.
  virtual const Eigen::MatrixXd* full_by_v() const { return nullptr; }
};

// r = factor w - v + known.
class AffineRelation final : public KinematicRelation {
 public:
  explicit AffineRelation(int velocities) : known(Eigen::VectorXd::Zero(velocities)) {}
  double factor = 1.0;
  Eigen::VectorXd known;
  void residual(const double* w, const double* v, double* r) override {
    for (int i = 0; i < known.size(); ++i) r[i] = factor * w[i] - v[i] + known[i];
  }
  void derivatives(const double*, const double*, ElementMatrices& by_w,
                   ElementMatrices& by_v) override {
    by_w.set_multiple_of_identity(factor);
    by_v.set_multiple_of_identity(-1.0);
  }
};

struct GroupNewtonSettings {
  // Remaining error allowed in units of the error scale: of v, and of w over h.
  double kappa = 1e-5;
  // Change of sigma and h up to which a matrix serves. Steps on a grid t_0 + n h differ in their
  // last digits.
  double range = 1e-8;
};

class GroupNewton final : private StepEquations {
 public:
  struct Step {
    double t_new = 0.0, h = 0.0;
    const double* base = nullptr;  // q_b, point coordinates
    KinematicRelation* relation = nullptr;
    double sigma = 0.0;
    const double* known = nullptr;               // of (v, c)', velocities and dynamic variables
    const Eigen::MatrixXd* full_rate = nullptr;  // S of v' = sigma v + S v + known; needs `full`
    // Of a StepRequest: for index 3 its `scale`, so that all variables are compared as they are.
    const Eigen::VectorXd *weight = nullptr, *scale = nullptr;
  };
  using Result = StepIteration::Result;

  // full: steps may have full_rate, relations full_by_v().
  GroupNewton(System& system, GroupNewtonSettings settings, bool full = false);
  // After System::prepare, whose structures may have changed. With given steps nothing but the
  // method is to be seen in the results: no remainder is left for the sake of an old matrix.
  void begin(bool prescribed);
  // w and trial.x: first guess, then the result, q of trial.x from w alone; trial.xd: the rates of
  // v and c.
  Result solve(const Step& step, Eigen::VectorXd& w, State& trial);
  // out = the part of an error e in v that the equations carry on: with the matrix at hand,
  // sigma M d + G^T (...) = sigma M e and no motion against the constraints; see CarriedError.
  void carry(const double* e, double* out);
  void archive(Archive& a);

 private:
  void set_rates();
  bool serves() const;  // the matrix at hand
  Outcome evaluate();
  void lay_structure();
  SparsePattern kinematic_pattern();
  void lay_places();
  void set_columns(double h);
  void form();
  void add_kinematic();
  void add_full();

  Outcome linearise(bool on_the_way) override;
  Outcome factorise(double alpha) override;
  int singular_column() const override { return solver_->singular_column(); }
  Outcome correct() override;
  Correction measure(bool fresh, bool first) override;
  void apply() override;
  Outcome finish() override;
  void restart() override;

  System& system_;
  ResidualView& view_;
  MechanicalView& bodies_;
  const Space& space_;
  GroupNewtonSettings settings_;
  StepIteration iteration_;
  bool full_, prescribed_ = false;
  int nq_, nv_, rates_;  // tangents of q; velocities; velocities and dynamic variables
  int lambda_ = 0, lambda_count_ = 0;
  bool index3_ = false;
  ElementMatrices by_w_, by_v_;
  Eigen::VectorXd residual_, relation_, move_, column_, guess_w_, reach_;
  State guess_;
  // The step in progress.
  Step step_;
  Eigen::VectorXd* w_ = nullptr;
  State* trial_ = nullptr;
  bool evaluated_ = false;  // at the present iterate
  SparsePattern pattern_;
  std::vector<int> place_j_, place_e_, place_qq_, place_qv_, place_full_;  // -1: left out
  std::vector<double> values_, e_;  // of the matrix, and of E in it
  std::unique_ptr<LinearSolver> solver_;
  double sigma_ = 0.0, h_ = 0.0;
  bool factorised_ = false, of_full_ = false;
  long structure_ = -1;  // of the pencil when this one was laid
};

}  // namespace daedalus
