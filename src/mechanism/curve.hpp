// SPDX-License-Identifier: BSD-3-Clause
// Points on curves: y in the frame of the first marker, r(s) the curve.
#pragma once

#include "mechanism/pair.hpp"

namespace daedalus::mechanism {

// r and its derivatives by s.
template <class S>
Vector3<S> curve_point(const Plan& plan, const PlanCurve& c, const S& s, int order = 0) {
  if (!c.closed && !(value_of(s) >= 0.0 && value_of(s) <= c.length))
    throw Reject("joint '" + c.joint + "' has left the end of its curve");
  Vector3<S> r;
  for (std::size_t k = 0; k < 3; ++k)
    r[static_cast<int>(k)] = evaluate<S>(plan.profile(c.point[k]), s, nullptr, order);
  return r;
}

template <class S>
Vector3<S> in_frame(const Pair<S>& p) {
  return Vector3<S>(dot<S>(p.a(0), p.d), dot<S>(p.a(1), p.d), dot<S>(p.a(2), p.d));
}

template <class S>
Vector3<S> from_frame(const Pair<S>& p, const Vector3<S>& y) {
  return y[0] * p.a(0) + y[1] * p.a(1) + y[2] * p.a(2);
}

// r'(s).(y - r(s)): zero where s is the foot of y.
template <class S>
S curve_along(const Plan& plan, const PlanCurve& c, const Vector3<S>& y, const S& s) {
  return dot<S>(curve_point<S>(plan, c, s, 1), Vector3<S>(y - curve_point<S>(plan, c, s)));
}
// Its derivative by s.
inline double curve_along_slope(const Plan& plan, const PlanCurve& c, const Eigen::Vector3d& y,
                                double s) {
  const Eigen::Vector3d first = curve_point<double>(plan, c, s, 1);
  return curve_point<double>(plan, c, s, 2).dot(y - curve_point<double>(plan, c, s)) -
         first.squaredNorm();
}

// The two directions across the curve; in the plane there is one.
template <class S>
Vector3<S> curve_normal(const Plan& plan, const PlanCurve& c, const S& s, int number) {
  using std::sqrt;
  Vector3<S> t = curve_point<S>(plan, c, s, 1), n;
  t = t / S(sqrt(dot<S>(t, t)));
  if (plan.planar()) return Vector3<S>(-t[1], t[0], S(0.0));
  for (std::size_t k = 0; k < 3; ++k)
    n[static_cast<int>(k)] = evaluate<S>(plan.profile(c.across[k]), s);
  n = n - dot<S>(n, t) * t;
  n = n / S(sqrt(dot<S>(n, n)));
  return number == 0 ? n : Vector3<S>(cross<S>(t, n));
}
template <class S>
S curve_across(const Plan& plan, const PlanCurve& c, const Vector3<S>& y, const S& s, int number) {
  return dot<S>(curve_normal<S>(plan, c, s, number), Vector3<S>(y - curve_point<S>(plan, c, s)));
}

double nearest_on_curve(const Plan& plan, const PlanCurve& curve, const Eigen::Vector3d& y,
                        double from);
// The foot of y near `from`, with its first derivatives.
template <class S>
S foot_on_curve(const Plan& plan, const PlanCurve& c, const Vector3<S>& y, double from) {
  const Eigen::Vector3d at(value_of(y[0]), value_of(y[1]), value_of(y[2]));
  const double s = nearest_on_curve(plan, c, at, from);
  return s - curve_along<S>(plan, c, y, S(s)) / curve_along_slope(plan, c, at, s);
}

}  // namespace daedalus::mechanism
