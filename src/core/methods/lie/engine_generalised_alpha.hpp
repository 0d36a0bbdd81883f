// SPDX-License-Identifier: BSD-3-Clause
// The generalised-alpha method on a configuration space (Wieloch 2022, (3.55); Chung, Hulbert 1993;
// Bruels, Cardona, Arnold 2012): with the spectral radius rho at infinity, 0 <= rho < 1,
//   alpha_m = (2 rho - 1) / (rho + 1),  alpha_f = rho / (rho + 1),  Da = alpha_m - alpha_f,
//   gamma = 1/2 - Da,  beta = (gamma + 1/2)^2 / 4,
//   q_{n+1} = q_n o exp(w),   w / h = v_n + (1/2 - beta) h a_n + beta h a_{n+1},
//   v_{n+1} = v_n + (1 - gamma) h a_n + gamma h a_{n+1},
//   (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) v'_{n+1} + alpha_f v'_n,
// and the equations of motion and g(q) = 0 at t_{n+1}. a_n approximates v'(t_n + Da h). Dynamic
// variables c follow the formulas of v. Order 2 in q, v and lambda.
//
// Where g(q) = 0 alone is held (index 3), v carries the normal part of the local error
//   l / h = h^2 (-(1/12 + Da^2 / 4) v'' + [v, v'] / 12)   (4.17),
// which depends on the step, and lambda would lose an order where that changes. Hence
//   start:  v_0 + C(q_0) l / h and a_0 = v'_0 + Da h v''_0 in the first step (Remarks 7, 8;
//           uncorrected: v_0 and v'_0),
//   steps:  with s = h_n / h_{n-1}, in the step from t_n (4.7), (4.10)
//     a_n + Da (1 - 1/s) h v''_n,   v_n + C(q_n) (1 - 1/s^2) l / h,
//     h v''_n = a1 v'_n + a2 v'_{n+1} + a3 a_n + a4 a_{n+1}   (4.8), (4.9): A1 ... A4.
// In the stabilised form (ggl) v is held on its own constraints; only a_n and a_0 are modified, and
// eta enters as w / h = ... - (beta / gamma) G(q_{n+1})^T eta, small of second order either way.
#pragma once

#include <array>
#include <memory>

#include <daedalus/stepper.hpp>
#include "nonlinear/accelerations.hpp"
#include "nonlinear/group_newton.hpp"
#include "nonlinear/normal_space.hpp"
#include "system/system.hpp"

namespace daedalus::lie_methods {

struct AlphaParameters {
  explicit AlphaParameters(double spectral_radius);
  double rho, alpha_m, alpha_f, Da, gamma, beta;
  double error;                 // of v'' in the local error, -(1/12 + Da^2 / 4)
  double bracket = 1.0 / 12.0;  // of [v, v'] there
  // a1, ..., a4 of h v''_n.
  std::array<double, 4> jerk(int approximation, double s) const;
};

struct AlphaSettings {
  double rho = 0.5;
  int approximation = 1;
  bool corrected = true;  // start values
  bool modified = true;   // v and a where the step changes
  bool renormalise = false;
  double newton_tolerance = 1e-3;
  // Wrong on purpose, for comparison: the sign of Da in a_0 and a_n, and no bracket in l.
  bool wrong_sign = false, without_bracket = false;
};

// r = factor w - v - full v + known.
class AlphaRelation final : public KinematicRelation {
 public:
  double factor = 1.0;
  Eigen::VectorXd known;
  Eigen::MatrixXd full;
  bool is_full = false;
  void residual(const double* w, const double* v, double* r) override;
  void derivatives(const double* w, const double* v, ElementMatrices& by_w,
                   ElementMatrices& by_v) override;
  const Eigen::MatrixXd* full_by_v() const override { return is_full ? &full : nullptr; }
};

class GeneralisedAlpha final : public Stepper {
 public:
  GeneralisedAlpha(System& system, const AlphaSettings& settings);

  Outcome start(const Start& s) override;
  Attempt attempt(const StepRequest& r) override;
  State& trial() override { return trial_; }
  Outcome interpolant(Interpolant& out) override;
  void commit(bool amended) override;
  int interpolant_degree() const override { return 3; }
  void archive(Archive& a) override;

 private:
  // What the formulas start from: velocities and dynamic variables.
  struct Values {
    Eigen::VectorXd v, a, rate;
  };
  bool first() const { return h_last_ == 0.0; }
  Outcome rates_at(State& s, double* rates);
  Outcome start_values(double h);
  Outcome lay_formulas(const StepRequest& r);
  Outcome modify_velocity(double h, double share);
  void lay_projector();
  void add_normal(double factor, const Eigen::VectorXd& x, Eigen::VectorXd& out) const;
  void predict(const StepRequest& r);
  void estimate(const StepRequest& r);
  Advice advice(const StepRequest& r) const;
  void meet_end(Eigen::VectorXd& w);

  System& system_;
  MechanicalView& bodies_;
  const Space& space_;
  AlphaSettings settings_;
  AlphaParameters p_;
  int nq_, nv_, nr_, positions_;  // nr_: velocities and dynamic variables
  bool index3_;
  int hold_;  // steps until an error normal to the constraints has faded
  GroupNewton newton_;
  Accelerations accelerations_;
  NormalSpace normal_;

  // Committed.
  State base_;              // as reported
  Values past_;             // as the formulas use it
  Eigen::VectorXd before_;  // the state before base_, for first guesses
  Eigen::VectorXd rate_before_;
  double h_last_ = 0.0;  // 0: no step yet
  int since_change_ = 0;

  // The step in progress.
  Values from_;
  State trial_, point_;
  AlphaRelation relation_;
  // v1 = level_v + (x C + y) v'1, w / h = level_w + (x C + z) v'1, a1 = k0 + k1 v'1.
  double x_ = 0.0, y_ = 1.0, z_ = 1.0, k1_ = 1.0;
  Eigen::VectorXd level_v_, level_w_, k0_, h_jerk_;
  Eigen::VectorXd w_, a_, velocity_, known_, bracket_, work_, error_, carried_;
  Eigen::MatrixXd C_, full_rate_;
  Estimate estimate_;
};

}  // namespace daedalus::lie_methods
