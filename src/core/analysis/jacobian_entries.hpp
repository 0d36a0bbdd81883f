// SPDX-License-Identifier: BSD-3-Clause
// Jacobians as a callable knows them, whole: for comparisons.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "formulation/parameters.hpp"
#include "linalg/sparse_pattern.hpp"

namespace daedalus::testing {

// Derivative of a callable by dual numbers with respect to one of its vectors.
template <class Slot>
std::optional<Eigen::MatrixXd> by_duals(const Function<Slot>& f, const Arguments<double>& a,
                                        int which, int rows, const ParameterSet& parameters) {
  Arguments<Dual4> d;
  d.t = Dual4(a.t);
  std::array<std::vector<Dual4>, 5> x;
  for (std::size_t k = 0; k < 5; ++k) {
    x[k].resize(static_cast<std::size_t>(a.n[k]));
    d.x[k] = x[k].data();
  }
  d.n = a.n;
  parameters.apply(d);
  const auto w = static_cast<std::size_t>(which);
  const int cols = a.n[w];
  Eigen::MatrixXd J(rows, cols);
  std::vector<Dual4> out(static_cast<std::size_t>(rows));
  for (int first = 0; first < cols; first += 4) {
    for (std::size_t k = 0; k < 5; ++k)
      for (std::size_t i = 0; i < x[k].size(); ++i) x[k][i] = Dual4(a.x[k][i]);
    for (int k = 0; k < 4 && first + k < cols; ++k)
      x[w][static_cast<std::size_t>(first + k)].d[static_cast<std::size_t>(k)] = 1.0;
    if (f(d, out.data(), rows) != Eval::ok) return std::nullopt;
    for (int k = 0; k < 4 && first + k < cols; ++k)
      for (int i = 0; i < rows; ++i)
        J(i, first + k) = out[static_cast<std::size_t>(i)].d[static_cast<std::size_t>(k)];
  }
  return J;
}

// What a callable that is no formula knows of its own: matrices that were given with it.
inline Eval given_entries(const SparseDerivatives& known, const Arguments<double>& a, int which,
                          Eigen::MatrixXd& J) {
  const SparsePattern& pattern = known.pattern(which);
  std::vector<double> entries(static_cast<std::size_t>(pattern.nonzeros()));
  const Eval e = known.by_vector(which, a, entries.data());
  J.setZero();
  for (int c = 0; c < pattern.cols; ++c)
    for (int k = pattern.start[static_cast<std::size_t>(c)];
         k < pattern.start[static_cast<std::size_t>(c) + 1]; ++k)
      J(pattern.row[static_cast<std::size_t>(k)], c) = entries[static_cast<std::size_t>(k)];
  return e;
}

}  // namespace daedalus::testing
