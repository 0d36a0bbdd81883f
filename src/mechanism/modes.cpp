// SPDX-License-Identifier: BSD-3-Clause
// Eigenvectors in terms of bodies.
#include <cmath>
#include <numbers>

#include <daedalus/analysis.hpp>
#include <daedalus/mechanism.hpp>

#include "mechanism/pair.hpp"

namespace daedalus {

using namespace mechanism;

namespace {

// Of the origin of the body's frame, in ground axes.
BodyMode body_mode(const View<double>& x, int number, const Eigen::VectorXcd& w) {
  const PlanBody& b = x.plan->body(number);
  const Eigen::Matrix3d R = x.rotation(number);
  BodyMode mode;
  if (x.plan->planar()) {
    mode.x.head<2>() = w.segment<2>(b.v);
    mode.rotation[2] = w[b.v + 2];
  } else {
    mode.x = w.segment<3>(b.v);
    if (b.point) return mode;
    if (x.plan->body_velocities()) mode.x = R * mode.x;
    mode.rotation = R * w.segment<3>(b.v + 3);
  }
  const Eigen::Vector3d arm = -(R * b.com);
  mode.x += so3::skew<double>(-arm) * mode.rotation;
  return mode;
}

}  // namespace

std::vector<Mode> Assembled::modes(const Eigenvalues& at) const {
  std::vector<Mode> all;
  if (!at.found) return all;
  View<double> x;
  x.plan = plan_.get();
  x.q = at.state.data();
  for (std::size_t k = 0; k < at.values.size(); ++k) {
    Mode mode;
    mode.value = at.values[k];
    const double size = std::abs(mode.value);
    constexpr double full_turn = 2.0 * std::numbers::pi;
    mode.frequency_hz = std::abs(mode.value.imag()) / full_turn;
    constexpr double rounding = 1e-12;  // of an eigenvalue
    const bool damped = std::abs(mode.value.real()) > rounding * size;
    mode.damping_ratio = damped ? -mode.value.real() / size : 0.0;
    mode.tangent = at.modes.col(static_cast<Eigen::Index>(k));
    for (int i = 0; i < static_cast<int>(plan_->bodies.size()); ++i)
      mode.bodies.push_back(body_mode(x, i, mode.tangent));
    std::complex<double> largest = 0.0;
    const auto look = [&](const Eigen::Vector3cd& v, double scale) {
      for (int i = 0; i < 3; ++i)
        if (std::abs(v[i]) * scale > std::abs(largest)) largest = v[i] * scale;
    };
    for (const BodyMode& b : mode.bodies) look(b.x, 1.0), look(b.rotation, plan_->length);
    if (std::abs(largest) > 0.0) {
      mode.tangent /= largest;
      for (BodyMode& b : mode.bodies) b.x /= largest, b.rotation /= largest;
    }
    all.push_back(std::move(mode));
  }
  return all;
}

}  // namespace daedalus
