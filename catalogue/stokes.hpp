// SPDX-License-Identifier: BSD-3-Clause
// Unsteady Stokes flow in the unit square on a staggered grid of n x n cells (Harlow, Welch 1965),
//   u_t = nu (u_xx + u_yy) - p_x + f^u,  v_t = nu (v_xx + v_yy) - p_y + f^v,  u_x + v_y = 0,
// velocities zero on the boundary: u on the inner vertical edges, v on the inner horizontal ones, p
// in the middle of the cells. Walls along an edge are met by reflection.
//
// The balance of the last cell follows from the others, and p is determined up to a constant: that
// row is left out, and p vanishes there. What remains is y' = f(t, y, z), 0 = g(y) with g_y f_z
// regular, index 2.
//
// The right-hand sides are those of a solution of the semi-discrete equations,
//   (u, v) = cos(2 t) curl psi_1 + exp(-t) curl psi_2,  p = (1 + sin(3 t)) (P - P in the last
//   cell), psi_1 = sin^2(pi x) sin^2(pi y)/pi,  psi_2 = sin^2(2 pi x) sin^2(pi y)/pi, P = cos(pi x)
//   sin(pi y),
// with curl by differences of psi at the corners, which has no divergence on the grid.
#pragma once

#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include <Eigen/Core>

#include <daedalus/krylov.hpp>

namespace daedalus::problems::stokes {

class Grid {
 public:
  Grid(int n, double nu);

  int cells() const { return n_; }
  double viscosity() const { return nu_; }
  int across() const { return (n_ - 1) * n_; }  // u, and as many v
  int velocities() const { return 2 * across(); }
  int pressures() const { return n_ * n_ - 1; }
  int u(int i, int j) const { return i + (n_ - 1) * j; }  // edge x = (i + 1) h, y = (j + 1/2) h
  int v(int i, int j) const { return across() + i + n_ * j; }
  int p(int i, int j) const { return i + n_ * j; }

  Eigen::VectorXd velocity(double t) const;  // of the known solution
  Eigen::VectorXd pressure(double t) const;

  template <class T, class Y, class Z, class F>
  void rates(const T& t, const Y& y, const Z& z, F& f) const;
  template <class Y, class G>
  void divergence(const Y& y, G& g) const;

 private:
  template <class S>
  struct Amplitudes {
    S flow[2], flow_rate[2], pressure;
  };
  template <class S>
  static Amplitudes<S> amplitudes(const S& t) {
    using std::cos, std::exp, std::sin;
    return {{S(cos(2.0 * t)), S(exp(-t))},
            {S(-2.0 * sin(2.0 * t)), S(-exp(-t))},
            S(1.0 + sin(3.0 * t))};
  }
  // nu (w_xx + w_yy) at an edge whose neighbours along x and y lie at the given distances in
  // memory; beyond a wall across the edge the velocity is zero, beyond one along it reflected.
  template <class Y>
  auto diffusion_u(const Y& y, int i, int j) const;
  template <class Y>
  auto diffusion_v(const Y& y, int i, int j) const;
  template <class Z>
  auto at(const Z& z, int i, int j) const {
    using S = std::decay_t<decltype(z[0])>;
    const int k = p(i, j);
    return k < pressures() ? S(z[k]) : S(0.0);
  }

  int n_;
  double nu_, h_;
  std::array<std::vector<double>, 2> flow_,
      friction_;  // curl psi, -nu times its second derivatives
  std::vector<double> pressure_, gradient_;
};

// Of alpha E + J of these equations, for Options::krylov; see support_stokes_solver.cpp.
Preconditioner preconditioner(const Grid& grid);

template <class Y>
auto Grid::diffusion_u(const Y& y, int i, int j) const {
  using S = std::decay_t<decltype(y[0])>;
  const S& middle = y[u(i, j)];
  S sum = -4.0 * middle;
  if (i > 0) sum = sum + y[u(i - 1, j)];
  if (i + 2 < n_) sum = sum + y[u(i + 1, j)];
  sum = j > 0 ? S(sum + y[u(i, j - 1)]) : S(sum - middle);
  sum = j + 1 < n_ ? S(sum + y[u(i, j + 1)]) : S(sum - middle);
  return S(nu_ / (h_ * h_) * sum);
}

template <class Y>
auto Grid::diffusion_v(const Y& y, int i, int j) const {
  using S = std::decay_t<decltype(y[0])>;
  const S& middle = y[v(i, j)];
  S sum = -4.0 * middle;
  if (j > 0) sum = sum + y[v(i, j - 1)];
  if (j + 2 < n_) sum = sum + y[v(i, j + 1)];
  sum = i > 0 ? S(sum + y[v(i - 1, j)]) : S(sum - middle);
  sum = i + 1 < n_ ? S(sum + y[v(i + 1, j)]) : S(sum - middle);
  return S(nu_ / (h_ * h_) * sum);
}

template <class T, class Y, class Z, class F>
void Grid::rates(const T& t, const Y& y, const Z& z, F& f) const {
  const Amplitudes<T> a = amplitudes(t);
  const auto forcing = [&](int k) {
    const auto e = static_cast<std::size_t>(k);
    return T(a.flow_rate[0] * flow_[0][e] + a.flow[0] * friction_[0][e] +
             a.flow_rate[1] * flow_[1][e] + a.flow[1] * friction_[1][e] +
             a.pressure * gradient_[e]);
  };
  for (int j = 0; j < n_; ++j)
    for (int i = 0; i + 1 < n_; ++i)
      f[u(i, j)] = diffusion_u(y, i, j) - (at(z, i + 1, j) - at(z, i, j)) / h_ + forcing(u(i, j));
  for (int j = 0; j + 1 < n_; ++j)
    for (int i = 0; i < n_; ++i)
      f[v(i, j)] = diffusion_v(y, i, j) - (at(z, i, j + 1) - at(z, i, j)) / h_ + forcing(v(i, j));
}

template <class Y, class G>
void Grid::divergence(const Y& y, G& g) const {
  using S = std::decay_t<decltype(y[0])>;
  for (int j = 0; j < n_; ++j)
    for (int i = 0; i < n_; ++i) {
      if (p(i, j) == pressures()) continue;
      S sum(0.0);
      if (i + 1 < n_) sum = sum + y[u(i, j)];
      if (i > 0) sum = sum - y[u(i - 1, j)];
      if (j + 1 < n_) sum = sum + y[v(i, j)];
      if (j > 0) sum = sum - y[v(i, j - 1)];
      g[p(i, j)] = sum / h_;
    }
}

}  // namespace daedalus::problems::stokes
