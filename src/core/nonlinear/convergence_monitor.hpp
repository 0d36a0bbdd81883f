// SPDX-License-Identifier: BSD-3-Clause
// The one judge of iterations x_{k+1} = x_k + d_k whose corrections contract at a rate
//   theta_k = |d_k| / |d_{k-1}|,   |x - x_{k+1}| <= theta / (1 - theta) |d_k|
// (Hairer, Wanner II, (IV.8.10)):
//   converged  the remaining error is at most kappa, or the corrections are rounding errors
//   failed     they grow, or those that are left would not reach kappa (ibid., (IV.8.11))
// A single correction is judged by the rate that earlier steps had with the same matrices.
#pragma once

#include <daedalus/stepper/archive.hpp>
#include "nonlinear/correction_scale.hpp"

namespace daedalus {

enum class Convergence { go_on, converged, failed };
enum class ConvergenceReason {
  none,
  remainder_allowed,   // theta / (1 - theta) |d| <= kappa
  round_off,           // corrections are rounding errors
  not_finite,          // a correction is not a number
  diverges,            // theta exceeds what the method puts up with
  wrong_matrix,        // an entry repeats itself: the matrix is far too large for it
  too_slow,            // the iterations left would not be enough
  iterations_used_up,  // they were not
};
const char* name_of(ConvergenceReason reason);

struct ConvergenceSettings {
  double kappa = 0.03;  // remaining error allowed, in units of the error scale
  int max_iterations = 8;
  // Corrections below this that stop falling are rounding errors, which index 2 magnifies by 1/h,
  // even if kappa asks for more. 0: those that the correction's own scale calls noise alone.
  double floor = 0.0;
  // A correction so much smaller than the first that stops falling is a rounding error as well, if
  // it is below max_stuck.
  double stuck = 1e-3, max_stuck = 0.0;
  // Old matrices that are wrong stop falling too: below the floor only those made for this step
  // are believed.
  bool floor_needs_fresh = false;
  // Entries that repeat themselves count against matrices made for this step too, not old ones
  // alone.
  bool doubts_fresh = true;
  // Largest theta, and that of the first `early` ones: the first correction removes the error of
  // the prediction and says little about the rest.
  double max_rate = 1.0, max_early_rate = 1.0;
  int early = 0;
  // An old matrix with a larger theta is given up unless less than `harmless` remains.
  double max_old_rate = 1e9, harmless = 0.0;
  bool predicts = false;   // (IV.8.11)
  bool mean_rate = false;  // theta from two rates, their geometric mean
  // Share of the slowest theta so far that later measurements keep: 1: for as long as the matrices
  // serve. With many steps per matrix one slow step must not count for ever (as in CVODE).
  double kept_rate = 1.0;
  // theta of two corrections is not believed below this where the first one exceeds `beyond`: it
  // may have removed most of the error and hide how slowly the rest contracts.
  double min_second_rate = 0.3, beyond = 0.0;
  // A first correction may be enough; theta of a Jacobian that was just formed. 1: it is not.
  bool trusts_first = false;
  double unknown_rate = 1.0;
  // Matrices formed at the very prediction contract faster than they will in later steps: what is
  // measured with them is not remembered.
  bool remembers_fresh = false;
  double min_remembered_rate = 1e-3;
  // Each step without a measurement takes odds theta / (1 - theta) to this power (Hairer and Wanner
  // 0.8), or theta times `ageing`.
  double ageing = 1.2, ageing_power = 1.0;
  bool by_distance = true;  // longer first corrections converge more slowly, in proportion
};

class ConvergenceMonitor {
 public:
  explicit ConvergenceMonitor(const ConvergenceSettings& settings) : settings_(settings) {}
  ConvergenceSettings& settings() { return settings_; }
  const ConvergenceSettings& settings() const { return settings_; }

  void matrix_changed();                     // a new Jacobian: nothing is known of its rates
  void forget_rate() { remembered_ = 1.0; }  // other factors: nothing was measured with them
  // fresh: the Jacobian was formed for this step. mismatch: theta that other coefficients than
  // those of the step leave in the matrix at least.
  void begin(bool fresh, double mismatch = 0.0);
  Convergence judge(const Correction& c);

  ConvergenceReason reason() const { return reason_; }
  int count() const { return count_; }
  double rate() const { return rate_; }            // theta, 0: not measured
  double remaining() const { return remaining_; }  // error of the iterate, estimated
  // Iterations still needed at the rate seen; 0: none.
  double predicted_iterations() const;
  void archive(Archive& a) { a(slowest_, remembered_, measured_at_); }

 private:
  Convergence exhausted(const Correction& c, bool repeats);
  Convergence end(Convergence verdict, ConvergenceReason reason);
  void learn(double size);
  void measure(double size);
  double first_rate(double size);
  bool rests(const Correction& c) const;
  bool diverges() const;
  bool gives_up() const;

  ConvergenceSettings settings_;
  bool fresh_ = false;
  double mismatch_ = 0.0;
  int count_ = 0;
  double first_ = 0.0, last_ = 0.0, ratio_ = 0.0, rate_ = 0.0, judged_ = 0.0, remaining_ = 0.0;
  ConvergenceReason reason_ = ConvergenceReason::none;
  // Since the Jacobian was formed.
  double slowest_ = 0.0;
  double remembered_ = 1.0;   // rate that a first correction is judged with
  double measured_at_ = 0.0;  // size of the first correction when it was measured
};

}  // namespace daedalus
