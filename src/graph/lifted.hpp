// SPDX-License-Identifier: BSD-3-Clause
// Tables and external functions over every number type: value by plain numbers, derivatives by the
// chain rule with the partial derivatives they give.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include <daedalus/dual.hpp>
#include <daedalus/graph_table.hpp>
#include <daedalus/taylor.hpp>

#include "graph/store.hpp"

namespace daedalus::graph {

// Both have: value at x, the partial derivative by argument k, and whether that is zero or unknown.
struct TableSource {
  const Table* table;
  std::array<int, 2> order;

  double value(const double* x, int n) const {
    return n == 1 ? table->at(x[0], order[0]) : table->at(x[0], x[1], order[0], order[1]);
  }
  TableSource partial(int k) const {
    TableSource p = *this;
    ++p.order[static_cast<std::size_t>(k)];
    return p;
  }
  bool vanishes() const { return table->vanishes(std::max(order[0], order[1])); }
  bool unknown() const { return false; }
};

struct ExternalSource {
  const External* function;

  double value(const double* x, int n) const {
    return function->value({x, static_cast<std::size_t>(n)});
  }
  ExternalSource partial(int k) const {
    const auto at = static_cast<std::size_t>(k);
    return {at < function->partial.size() ? function->partial[at].get() : nullptr};
  }
  bool vanishes() const { return false; }
  bool unknown() const { return function == nullptr; }
};

// `depth`: how many coefficients of a series are still needed.
template <class Source>
double lifted(const Source& source, const double* x, int n, int depth = 0) {
  (void)depth;
  if (source.unknown()) return std::numeric_limits<double>::quiet_NaN();
  return source.vanishes() ? 0.0 : source.value(x, n);
}

template <class Source, class S, int N>
Dual<S, N> lifted(const Source& source, const Dual<S, N>* x, int n, int depth = 0) {
  std::array<S, max_external_arguments> inner{};
  for (int k = 0; k < n; ++k) inner[static_cast<std::size_t>(k)] = x[k].v;
  Dual<S, N> z(lifted(source, inner.data(), n, depth));
  if (source.vanishes() || source.unknown()) return z;
  for (int k = 0; k < n; ++k) {
    const S slope = lifted(source.partial(k), inner.data(), n, depth);
    for (std::size_t i = 0; i < N; ++i) z.d[i] = z.d[i] + slope * x[k].d[i];
  }
  return z;
}

template <class Source, class S, int K>
Taylor<S, K> lifted(const Source& source, const Taylor<S, K>* x, int n, int depth = K) {
  std::array<S, max_external_arguments> inner{};
  for (int k = 0; k < n; ++k) inner[static_cast<std::size_t>(k)] = x[k].c[0];
  Taylor<S, K> z(lifted(source, inner.data(), n));
  if (depth == 0 || source.vanishes() || source.unknown()) return z;
  for (int k = 0; k < n; ++k) {
    const Taylor<S, K> slope = lifted(source.partial(k), x, n, depth - 1);
    z = z + detail::integrate(S(0.0), slope, x[k]);
  }
  return z;
}

}  // namespace daedalus::graph
