// SPDX-License-Identifier: BSD-3-Clause
// Chain of n point masses joined by rigid links, hanging from a fixed point in D = 2 or 3
// dimensions; closed: one more link ties the last mass to a second fixed point.
//   (mass / n) v_i' = -(mass / n) gravity e_D - (G^T lambda)_i,
//   0 = (|p_i - p_{i-1}|^2 - l^2) / (2 l),  l = length / n,  p_0 = 0.
// The divisor makes rows of G unit vectors: a residual is an elongation in metres, a multiplier the
// force in a link in newtons (positive: tension). Every callable costs O(n). G is left to
// automatic differentiation, since a full matrix of n D columns would not fit for large n.
//
// The start values are closed sums, consistent for every n: links along smooth unit vectors d(s),
// s the place along the chain, with rates P w, P = I - d d^T. A closed chain ends where its last
// link points to, and a constant vector is taken from w so that the rates add up to zero.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <catalogue/support_mechanics.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems::chain {

struct Constants {
  double n = 10.0, closed = 0.0, gravity = 9.81, length = 1.0, mass = 1.0;
};
inline constexpr std::array<Field<Constants>, 5> fields{{{"n", &Constants::n},
                                                         {"closed", &Constants::closed},
                                                         {"gravity", &Constants::gravity},
                                                         {"length", &Constants::length},
                                                         {"mass", &Constants::mass}}};

// Throws InvalidArgument unless n is a positive integer (closed: at least 2), closed 0 or 1, and
// length and mass are positive.
void check(const std::string& name, const Constants& constants);

struct Model {
  int n = 0, links = 0;
  double link = 0.0, mass = 0.0, gravity = 0.0;  // per link and per mass point
  std::array<double, 3> end{};                   // the second fixed point
};

// (|p_i - p_{i-1}|^2 - l^2) / (2 l); `end` stands for p_{n+1}.
template <int D, class Q, class G>
void constraint(const Model& m, const Q& q, G& g) {
  using S = std::decay_t<decltype(g[0])>;
  for (int i = 0; i < m.links; ++i) {
    S sum = S(-m.link * m.link);
    for (int k = 0; k < D; ++k) {
      S difference = i < m.n ? S(q[D * i + k]) : S(m.end[static_cast<std::size_t>(k)]);
      if (i > 0) difference = difference - q[D * (i - 1) + k];
      sum = sum + difference * difference;
    }
    g[i] = sum / (2.0 * m.link);
  }
}

template <int D, class V, class K>
void acceleration_term(const Model& m, const V& v, K& k) {
  using S = std::decay_t<decltype(k[0])>;
  for (int i = 0; i < m.links; ++i) {
    S sum = S(0.0);
    for (int j = 0; j < D; ++j) {
      S difference = i < m.n ? S(v[D * i + j]) : S(0.0);
      if (i > 0) difference = difference - v[D * (i - 1) + j];
      sum = sum + difference * difference;
    }
    k[i] = sum / m.link;
  }
}

template <int D, class Q, class V>
auto energy(const Model& m, const Q& q, const V& v) {
  auto sum = 0.0 * v[0];
  for (int i = 0; i < m.n; ++i) {
    for (int k = 0; k < D; ++k) sum = sum + 0.5 * m.mass * (v[D * i + k] * v[D * i + k]);
    sum = sum + m.mass * m.gravity * q[D * i + D - 1];
  }
  return sum;
}

template <int D>
MultibodyProblem problem(const std::string& name, const Constants& constants);

Entry entry(const std::string& name, int dimension);
// Values at the end for the default parameters: coordinates, velocities, multipliers.
Reference reference(int dimension, std::initializer_list<double> values);

}  // namespace daedalus::problems::chain
