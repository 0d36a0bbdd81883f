// SPDX-License-Identifier: BSD-3-Clause
// The one policy for the matrices alpha E + J of implicit steps: which serve for how long.
//  - J is formed anew after a start or an event, after an iteration that failed with an old one,
//    and when the last step contracted slowly with it;
//  - the factors of another alpha serve while alpha has changed little.
#pragma once

#include <daedalus/stepper/archive.hpp>

namespace daedalus {

struct ReuseSettings {
  double slow_rate = 0.3;  // a slower step asks for a new Jacobian next time
  // ... unless less than this remains, in units of the error scale: it does no harm then.
  double harmless = 0.0;
  // |alpha / alpha of the factors - 1| up to which factors serve. 0: always those of alpha.
  double alpha_range = 0.0;
  // The matrix is formed as a whole for its alpha: other factors mean another Jacobian.
  bool whole = false;
};

class MatrixReuse {
 public:
  explicit MatrixReuse(const ReuseSettings& settings) : settings_(settings) {}
  ReuseSettings& settings() { return settings_; }

  // After a start, an event, a change of structure: nothing serves.
  void forget();
  void refresh() { stale_ = true; }
  bool jacobian_serves() const { return have_ && !stale_ && (!slow_ || here_); }
  // exactly: of this alpha and no other.
  bool factors_serve(double alpha, bool exactly) const;
  // Rates of a much shorter or longer step say little about this one.
  bool rates_carry_over(double alpha) const;

  // here: formed at the point that the step begins at, so that another attempt at this step would
  // form the same one.
  void linearised(bool here);
  void factorised(double alpha) { alpha_ = alpha; }
  void factorisation_failed();
  void converged(double alpha, double rate, double remaining);
  void failed(double alpha);  // with these matrices, at this alpha
  void accepted();            // the step: the point moves on

  bool here() const { return here_; }
  double alpha() const { return alpha_; }
  long age() const { return age_; }  // accepted steps since the Jacobian was formed
  void archive(Archive& a) { a(have_, stale_, slow_, here_, alpha_, age_); }

 private:
  bool of(double alpha) const;  // the factors, up to rounding: new ones would be the same
  ReuseSettings settings_;
  bool have_ = false, stale_ = false, slow_ = false, here_ = false;
  double alpha_ = 0.0;
  long age_ = 0;
};

}  // namespace daedalus
