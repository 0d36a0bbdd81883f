// SPDX-License-Identifier: BSD-3-Clause
// Roots between two points of different sign.
#pragma once

#include <functional>

namespace daedalus {

struct Bracket {
  double a, fa, b, fb;  // fa and fb differ in sign, or one of them is zero
};

// Algorithm 748 (Alefeld, Potra, Shi 1995, ACM TOMS 21) of Boost.Math: the bracket always shrinks,
// at flat roots too, and at simple ones it does so superlinearly. Returns the end with the smaller
// |f| of a bracket no longer than `tolerance`, and b where they are equal. A callable that does not
// fit into a std::function without allocation goes in by std::ref.
double bracketed_root(const std::function<double(double)>& f, const Bracket& bracket,
                      double tolerance);

// Where f is lowest between a and b, by Brent's method of Boost.Math: to half of the digits, or as
// far as 40 evaluations go. f has one minimum there, or one of them is found.
double lowest_point(const std::function<double(double)>& f, double a, double b);

// Where a property ends that has a truth value and no size, over any number type: `good` has it,
// `bad` has not, and they are halved until they are no farther apart than `tolerance`, or
// max_halvings times.
template <class Real, class Holds>
void halve(Real& good, Real& bad, Holds&& holds, int max_halvings, Real tolerance = Real(0)) {
  for (int i = 0; i < max_halvings; ++i) {
    const Real apart = good < bad ? bad - good : good - bad;
    if (!(apart > tolerance)) return;
    const Real middle = (good + bad) / 2;
    (holds(middle) ? good : bad) = middle;
  }
}

}  // namespace daedalus
