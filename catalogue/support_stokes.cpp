// SPDX-License-Identifier: BSD-3-Clause
#include <numbers>

#include <catalogue/stokes.hpp>

namespace daedalus::problems::stokes {
namespace {
constexpr double pi_of_grid = std::numbers::pi;
double square(double x) { return x * x; }
}  // namespace

Grid::Grid(int n, double nu) : n_(n), nu_(nu), h_(1.0 / n) {
  constexpr double pi = pi_of_grid;
  for (int mode = 0; mode < 2; ++mode) {
    const auto psi = [&](int i, int j) {
      return square(std::sin((mode + 1) * pi * i * h_) * std::sin(pi * j * h_)) / pi;
    };
    std::vector<double>& flow = flow_[static_cast<std::size_t>(mode)];
    std::vector<double>& friction = friction_[static_cast<std::size_t>(mode)];
    flow.resize(static_cast<std::size_t>(velocities()));
    friction.resize(flow.size());
    for (int j = 0; j < n; ++j)
      for (int i = 0; i + 1 < n; ++i)
        flow[static_cast<std::size_t>(u(i, j))] = (psi(i + 1, j + 1) - psi(i + 1, j)) / h_;
    for (int j = 0; j + 1 < n; ++j)
      for (int i = 0; i < n; ++i)
        flow[static_cast<std::size_t>(v(i, j))] = -(psi(i + 1, j + 1) - psi(i, j + 1)) / h_;
    const double* y = flow.data();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i + 1 < n; ++i)
        friction[static_cast<std::size_t>(u(i, j))] = -diffusion_u(y, i, j);
    for (int j = 0; j + 1 < n; ++j)
      for (int i = 0; i < n; ++i)
        friction[static_cast<std::size_t>(v(i, j))] = -diffusion_v(y, i, j);
  }
  const auto shape = [&](int i, int j) {
    return std::cos(pi * (i + 0.5) * h_) * std::sin(pi * (j + 0.5) * h_);
  };
  const double last = shape(n - 1, n - 1);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (p(i, j) < pressures()) pressure_.push_back(shape(i, j) - last);
  gradient_.resize(static_cast<std::size_t>(velocities()));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i + 1 < n; ++i)
      gradient_[static_cast<std::size_t>(u(i, j))] =
          (at(pressure_, i + 1, j) - at(pressure_, i, j)) / h_;
  for (int j = 0; j + 1 < n; ++j)
    for (int i = 0; i < n; ++i)
      gradient_[static_cast<std::size_t>(v(i, j))] =
          (at(pressure_, i, j + 1) - at(pressure_, i, j)) / h_;
}

Eigen::VectorXd Grid::velocity(double t) const {
  const auto a = amplitudes(t);
  using Values = Eigen::Map<const Eigen::VectorXd>;
  return a.flow[0] * Values(flow_[0].data(), velocities()) +
         a.flow[1] * Values(flow_[1].data(), velocities());
}

Eigen::VectorXd Grid::pressure(double t) const {
  return amplitudes(t).pressure * Eigen::Map<const Eigen::VectorXd>(pressure_.data(), pressures());
}

}  // namespace daedalus::problems::stokes
