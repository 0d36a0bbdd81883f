// SPDX-License-Identifier: BSD-3-Clause
// Differences on the staggered grid of n x n cells, over whatever gives u(i, j), v(i, j) and
// p(i, j): all of the grid (stokes.hpp), or the strip that one rank has (stokes_strip.hpp).
#pragma once

#include <cmath>
#include <numbers>
#include <type_traits>

namespace daedalus::problems::stokes {

template <class At>
using ValueAt = std::decay_t<decltype(std::declval<At>()(0, 0))>;

struct Stencil {
  int n;
  double nu, h;

  // nu (w_xx + w_yy) at an edge; beyond a wall across the edge the velocity is zero, beyond one
  // along it reflected, plus what the wall itself does (`lid`: u of the upper one).
  template <class At>
  ValueAt<At> diffusion_u(const At& u, int i, int j) const {
    using S = ValueAt<At>;
    const S middle = u(i, j);
    S sum = -4.0 * middle;
    if (i > 0) sum = sum + u(i - 1, j);
    if (i + 2 < n) sum = sum + u(i + 1, j);
    sum = j > 0 ? S(sum + u(i, j - 1)) : S(sum - middle);
    sum = j + 1 < n ? S(sum + u(i, j + 1)) : S(sum - middle);
    return S(nu / (h * h) * sum);
  }
  template <class At>
  ValueAt<At> diffusion_v(const At& v, int i, int j) const {
    using S = ValueAt<At>;
    const S middle = v(i, j);
    S sum = -4.0 * middle;
    if (j > 0) sum = sum + v(i, j - 1);
    if (j + 2 < n) sum = sum + v(i, j + 1);
    sum = i > 0 ? S(sum + v(i - 1, j)) : S(sum - middle);
    sum = i + 1 < n ? S(sum + v(i + 1, j)) : S(sum - middle);
    return S(nu / (h * h) * sum);
  }
  template <class U, class V>
  ValueAt<U> divergence(const U& u, const V& v, int i, int j) const {
    using S = ValueAt<U>;
    S sum(0.0);
    if (i + 1 < n) sum = sum + u(i, j);
    if (i > 0) sum = sum - u(i - 1, j);
    if (j + 1 < n) sum = sum + v(i, j);
    if (j > 0) sum = sum - v(i, j - 1);
    return S(sum / h);
  }

  // The known solution: curl of psi of two modes, and P without its value in the last cell.
  double psi(int mode, int i, int j) const {
    constexpr double pi = std::numbers::pi;
    const double wave = std::sin((mode + 1) * pi * i * h) * std::sin(pi * j * h);
    return wave * wave / pi;
  }
  double flow_u(int mode, int i, int j) const {
    return (psi(mode, i + 1, j + 1) - psi(mode, i + 1, j)) / h;
  }
  double flow_v(int mode, int i, int j) const {
    return -(psi(mode, i + 1, j + 1) - psi(mode, i, j + 1)) / h;
  }
  double shape(int i, int j) const {
    constexpr double pi = std::numbers::pi;
    return std::cos(pi * (i + 0.5) * h) * std::sin(pi * (j + 0.5) * h);
  }
  double pressure(int i, int j) const {
    return i == n - 1 && j == n - 1 ? 0.0 : shape(i, j) - shape(n - 1, n - 1);
  }
};

template <class S>
struct Amplitudes {
  S flow[2], flow_rate[2], pressure;
};
template <class S>
Amplitudes<S> amplitudes(const S& t) {
  using std::cos, std::exp, std::sin;
  return {
      {S(cos(2.0 * t)), S(exp(-t))}, {S(-2.0 * sin(2.0 * t)), S(-exp(-t))}, S(1.0 + sin(3.0 * t))};
}

// What drives an edge so that the known solution is one.
struct Forcing {
  double flow[2] = {0.0, 0.0}, friction[2] = {0.0, 0.0}, gradient = 0.0;
  template <class S>
  S at(const Amplitudes<S>& a) const {
    return S(a.flow_rate[0] * flow[0] + a.flow[0] * friction[0] + a.flow_rate[1] * flow[1] +
             a.flow[1] * friction[1] + a.pressure * gradient);
  }
};

}  // namespace daedalus::problems::stokes
