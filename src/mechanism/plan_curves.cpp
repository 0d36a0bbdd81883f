// SPDX-License-Identifier: BSD-3-Clause
// Curves through points: splines over the chord length, with a frame that turns least.
#include <algorithm>
#include <cmath>

#include "mechanism/curve.hpp"
#include "mechanism/description.hpp"

namespace daedalus::mechanism {
namespace {

using Points = std::vector<Eigen::Vector3d>;

std::array<int, 3> spline_of(const std::vector<double>& s, const Points& points, bool closed,
                             Plan& plan) {
  std::array<int, 3> numbers{};
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> y;
    for (const Eigen::Vector3d& p : points) y.push_back(p[static_cast<int>(k)]);
    if (closed) y.back() = y.front();
    plan.profiles.push_back(
        table(s, y, TableKind::spline, closed ? TableEnd::periodic : TableEnd::error));
    numbers[k] = static_cast<int>(plan.profiles.size()) - 1;
  }
  return numbers;
}

Eigen::Vector3d across(const Eigen::Vector3d& t) {
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(t[k]) < std::abs(t[least])) least = k;
  return Eigen::Vector3d::Unit(least).cross(t).normalized();
}

// Carried from knot to knot by two reflections, which turns it least; a closed curve shares out
// the angle by which the last one misses the first.
Points turning_least(const Points& r, const Points& t, const std::vector<double>& s, bool closed) {
  Points n{across(t.front())};
  for (std::size_t k = 0; k + 1 < r.size(); ++k) {
    const Eigen::Vector3d v1 = r[k + 1] - r[k];
    const double c1 = v1.squaredNorm();
    const Eigen::Vector3d n1 = n[k] - 2.0 / c1 * v1.dot(n[k]) * v1,
                          t1 = t[k] - 2.0 / c1 * v1.dot(t[k]) * v1, v2 = t[k + 1] - t1;
    const double c2 = v2.squaredNorm();
    const Eigen::Vector3d next = c2 > 0.0 ? Eigen::Vector3d(n1 - 2.0 / c2 * v2.dot(n1) * v2) : n1;
    n.push_back((next - next.dot(t[k + 1]) * t[k + 1]).normalized());
  }
  if (!closed) return n;
  const double miss = std::atan2(t.front().dot(n.back().cross(n.front())), n.back().dot(n.front()));
  for (std::size_t k = 0; k < n.size(); ++k) {
    const double by = miss * s[k] / s.back();
    n[k] = std::cos(by) * n[k] + std::sin(by) * t[k].cross(n[k]);
  }
  return n;
}

}  // namespace

double nearest_on_curve(const Plan& plan, const PlanCurve& curve, const Eigen::Vector3d& y,
                        double from) {
  const auto inside = [&](double s) { return curve.closed ? s : std::clamp(s, 0.0, curve.length); };
  double s = inside(from);
  // Newton from a sampled place takes five.
  constexpr int most = 50;
  for (int k = 0; k < most; ++k) {
    const double along = curve_along<double>(plan, curve, y, s),
                 first = curve_point<double>(plan, curve, s, 1).squaredNorm();
    // Far outside of the curve's bend the second derivative misleads.
    const double slope = std::min(curve_along_slope(plan, curve, y, s), -0.5 * first);
    const double step = std::clamp(-along / slope, -0.05 * curve.length, 0.05 * curve.length);
    const double next = inside(s + step);
    const bool done = std::abs(next - s) <= 1e-15 * curve.length;
    s = next;
    if (done) break;
  }
  return s;
}

int add_curve(const JointDescription& joint, Plan& plan) {
  PlanCurve curve;
  curve.joint = joint.name;
  curve.closed = joint.options.closed;
  Points r;
  for (const Triple& p : joint.options.curve) r.push_back(p.vector());
  if (curve.closed) r.push_back(r.front());
  std::vector<double> s{0.0};
  for (std::size_t k = 1; k < r.size(); ++k) s.push_back(s.back() + (r[k] - r[k - 1]).norm());
  curve.length = s.back();
  curve.point = spline_of(s, r, curve.closed, plan);
  Points t;
  for (const double at : s)
    t.push_back(curve_point<double>(plan, curve, curve.closed && at == s.back() ? 0.0 : at, 1)
                    .normalized());
  if (!plan.planar())
    curve.across = spline_of(s, turning_least(r, t, s, curve.closed), curve.closed, plan);
  plan.curves.push_back(curve);
  return static_cast<int>(plan.curves.size()) - 1;
}

}  // namespace daedalus::mechanism
