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

#include <catalogue/stokes_stencil.hpp>
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
  template <class Z>
  auto at(const Z& z, int i, int j) const {
    using S = std::decay_t<decltype(z[0])>;
    const int k = p(i, j);
    return k < pressures() ? S(z[k]) : S(0.0);
  }

  template <class Y>
  auto u_of(const Y& y) const {
    return [this, &y](int i, int j) { return y[u(i, j)]; };
  }
  template <class Y>
  auto v_of(const Y& y) const {
    return [this, &y](int i, int j) { return y[v(i, j)]; };
  }

  int n_;
  double nu_, h_;
  Stencil stencil_{n_, nu_, h_};
  std::array<std::vector<double>, 2> flow_,
      friction_;  // curl psi, -nu times its second derivatives
  std::vector<double> pressure_, gradient_;
};

// Of alpha E + J of these equations, for Options::krylov; see support_stokes_solver.cpp.
Preconditioner preconditioner(const Grid& grid);

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
      f[u(i, j)] = stencil_.diffusion_u(u_of(y), i, j) - (at(z, i + 1, j) - at(z, i, j)) / h_ +
                   forcing(u(i, j));
  for (int j = 0; j + 1 < n_; ++j)
    for (int i = 0; i < n_; ++i)
      f[v(i, j)] = stencil_.diffusion_v(v_of(y), i, j) - (at(z, i, j + 1) - at(z, i, j)) / h_ +
                   forcing(v(i, j));
}

template <class Y, class G>
void Grid::divergence(const Y& y, G& g) const {
  for (int j = 0; j < n_; ++j)
    for (int i = 0; i < n_; ++i)
      if (p(i, j) < pressures()) g[p(i, j)] = stencil_.divergence(u_of(y), v_of(y), i, j);
}

}  // namespace daedalus::problems::stokes
