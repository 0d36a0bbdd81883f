// SPDX-License-Identifier: BSD-3-Clause
// Numbers that look as if they were in other units than metres, kilograms, seconds, radians.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechanism/assembly.hpp"
#include "mechanism/description.hpp"

namespace daedalus::mechanism {
namespace {

// Metres and millimetres in one file differ by 1e3; mechanisms of one scale by less.
constexpr double max_length_ratio = 1e4;
constexpr double lightest = 10.0, heaviest = 3e4;  // kg/m^3: foam and more than the densest metal
constexpr double full_turn = 2.0 * std::numbers::pi;

// Distances from centres of mass to joint points.
void compare_lengths(const Plan& plan, std::vector<std::string>& warnings) {
  double longest = 0.0, shortest = std::numeric_limits<double>::infinity();
  const PlanJoint *far = nullptr, *near = nullptr;
  for (const PlanJoint& j : plan.joints)
    for (const Place* p : {&j.A, &j.B}) {
      const double length = p->body < 0 ? 0.0 : p->s.norm();
      if (!(length > 1e-9 * plan.length)) continue;  // a point at the centre, to rounding
      if (length > longest) longest = length, far = &j;
      if (length < shortest) shortest = length, near = &j;
    }
  if (near && longest > max_length_ratio * shortest)
    warnings.push_back(fmt::format(
        "lengths from {:.3g} m (joint '{}') to {:.3g} m (joint '{}'): one of them looks like "
        "millimetres",
        shortest, near->name, longest, far->name));
}

// Density of the box with the same mass and inertia.
void look_at_density(const PlanBody& b, std::vector<std::string>& warnings) {
  const Eigen::Vector3d J(b.J(0, 0), b.J(1, 1), b.J(2, 2));
  double volume = 1.0;
  for (int k = 0; k < 3; ++k)
    volume *= std::sqrt(std::max(0.0, 6.0 * (J.sum() - 2.0 * J[k]) / b.mass));
  if (!(volume > 0.0)) return;  // a thin body
  const double density = b.mass / volume;
  if (density < lightest || density > heaviest)
    warnings.push_back(
        fmt::format("body '{}' has {:.3g} kg/m^3 in the box of its inertia: looks like millimetres",
                    b.name, density));
}

}  // namespace

std::vector<std::string> unit_slips(const Description& d, const Plan& plan) {
  std::vector<std::string> warnings;
  compare_lengths(plan, warnings);
  if (!plan.planar())
    for (const PlanBody& b : plan.bodies)
      if (!b.point) look_at_density(b, warnings);
  for (const LimitDescription& limit : d.limits) {
    const PlanJoint& j = plan.joints[static_cast<std::size_t>(limit.joint.number)];
    if (j.angle < 0 || limit.options.coordinate == CoordinateOf::length) continue;
    for (const double bound : {limit.options.lower, limit.options.upper})
      if (std::isfinite(bound) && std::abs(bound) > full_turn * (1.0 + 1e-12))
        warnings.push_back(
            fmt::format("limit '{}' is {:.6g} rad: looks like degrees", limit.name, bound));
  }
  const double g = plan.gravity.norm();
  if (!(g <= 2.0 || (g >= 9.7 && g <= 9.9)))
    warnings.push_back(fmt::format("gravity {:.6g}: in {}?", g, g > 5000.0 ? "mm/s^2" : "cm/s^2"));
  return warnings;
}

}  // namespace daedalus::mechanism
