// SPDX-License-Identifier: BSD-3-Clause
// A step of implicit Euler over a corner: where an algebraic variable jumps at once with the rate
// of a differentiated one (a diode interrupts the current of a coil), Newton's method of ordinary
// steps fails on both sides of the jump however short they are, for its matrix belongs to one side.
// Here every iteration has its own matrix and is damped. The test looks at what is differentiated,
// which goes on without a jump; what jumps is right behind the step, whatever it was before:
//   error = |x_h - x_(h/2, h/2)| + min(h, h_failed) |x' behind - x' before|,
// the second part for a corner in the first half, which both solutions step over with the rate
// behind it.
#pragma once

#include <algorithm>
#include <memory>

#include <daedalus/stepper.hpp>

#include "system/system.hpp"

namespace daedalus {

// For systems with a residual view and variables in a Euclidean space. The corner lies within the
// length `failed` of the last step that failed.
std::unique_ptr<Stepper> make_corner_stepper(System& system, double failed);

// Newton's method fails again and again, while steps fall far below the first that was rejected in
// this place.
class CornerWatch {
 public:
  // Of a rejected step in a run of this length. True: it is time for a step over the corner.
  bool add(double t, double h, double length, bool newton_failed) {
    // Fewer rejections, or steps less short, are ordinary on the way into a corner.
    constexpr int min_rejections = 4;
    constexpr double much_shorter = 1e-3;
    // Of the run: where the first step behind an event is as short, little is left below.
    constexpr double hardly_any = 1e-12;
    // Steps into a logarithm (the voltage of a diode whose current ends) are a part of the way
    // left.
    constexpr double steps_to_corner = 10.0;
    const double size = h < 0.0 ? -h : h;
    const double way = t < t_ ? t_ - t : t - t_;
    if (h_ == 0.0 || way > steps_to_corner * h_) t_ = t, h_ = size, count_ = failures_ = 0;
    failures_ += newton_failed;
    return ++count_ >= min_rejections && failures_ > 0 &&
           size < std::max(much_shorter * h_, hardly_any * length);
  }
  void forget() { h_ = 0.0; }
  void archive(Archive& a) { a(t_, h_, count_, failures_); }

 private:
  double t_ = 0.0, h_ = 0.0;  // of the first rejection in this place
  int count_ = 0, failures_ = 0;
};

}  // namespace daedalus
