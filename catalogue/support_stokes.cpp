// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/stokes.hpp>

namespace daedalus::problems::stokes {
Grid::Grid(int n, double nu) : n_(n), nu_(nu), h_(1.0 / n) {
  for (int mode = 0; mode < 2; ++mode) {
    std::vector<double>& flow = flow_[static_cast<std::size_t>(mode)];
    std::vector<double>& friction = friction_[static_cast<std::size_t>(mode)];
    flow.resize(static_cast<std::size_t>(velocities()));
    friction.resize(flow.size());
    for (int j = 0; j < n; ++j)
      for (int i = 0; i + 1 < n; ++i)
        flow[static_cast<std::size_t>(u(i, j))] = stencil_.flow_u(mode, i, j);
    for (int j = 0; j + 1 < n; ++j)
      for (int i = 0; i < n; ++i)
        flow[static_cast<std::size_t>(v(i, j))] = stencil_.flow_v(mode, i, j);
    const double* y = flow.data();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i + 1 < n; ++i)
        friction[static_cast<std::size_t>(u(i, j))] = -stencil_.diffusion_u(u_of(y), i, j);
    for (int j = 0; j + 1 < n; ++j)
      for (int i = 0; i < n; ++i)
        friction[static_cast<std::size_t>(v(i, j))] = -stencil_.diffusion_v(v_of(y), i, j);
  }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (p(i, j) < pressures()) pressure_.push_back(stencil_.pressure(i, j));
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
