// SPDX-License-Identifier: BSD-3-Clause
// LU factorisation with partial pivoting for small dense matrices, P A = L U.
//
// Column-major n x n buffer in place: strictly below the diagonal the multipliers of the unit lower
// factor (|l| <= 1), on and above it the upper factor; inverse[k] = 1 / u_kk; permutation[i] is the
// original row that became row i. Outer-product elimination (Golub, Van Loan 2013,
// algorithm 3.4.1). A zero in the pivot row skips its column, which is what makes a sparse 8 x 8
// matrix cheap.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

namespace daedalus::kernel {

// Below it 1 / pivot is close to overflow; any larger pivot may be an honest one of a badly scaled
// matrix and is accepted.
inline constexpr double min_pivot = 1e-300;

inline bool usable_pivot(double magnitude) {
  return magnitude >= min_pivot && magnitude <= std::numeric_limits<double>::max();
}

// target -= factor * source; four at a time so that -O2 uses vector registers. Always inlined: the
// columns of small matrices are hardly longer than a call takes.
[[gnu::always_inline]] inline void subtract_multiple(double* __restrict__ target,
                                                     const double* __restrict__ source,
                                                     double factor, int count) {
  int i = 0;
  for (; i + 4 <= count; i += 4)
    for (int lane = 0; lane < 4; ++lane) target[i + lane] -= factor * source[i + lane];
  for (; i < count; ++i) target[i] -= factor * source[i];
}

// target -= p * source_p + q * source_q: half the traffic of two single updates.
[[gnu::always_inline]] inline void subtract_multiples(double* __restrict__ target,
                                                      const double* __restrict__ source_p, double p,
                                                      const double* __restrict__ source_q, double q,
                                                      int count) {
  int i = 0;
  for (; i + 4 <= count; i += 4)
    for (int lane = 0; lane < 4; ++lane)
      target[i + lane] -= p * source_p[i + lane] + q * source_q[i + lane];
  for (; i < count; ++i) target[i] -= p * source_p[i] + q * source_q[i];
}

namespace detail {

// Calls body(std::integral_constant<int, 0>) .. body(N - 1): loops whose bounds the compiler sees
// even at -O2, so that a system of up to eight unknowns lives in registers.
template <int N, class Body>
inline void unrolled(Body&& body) {
  [&]<int... K>(std::integer_sequence<int, K...>) { (body(std::integral_constant<int, K>{}), ...); }
  (std::make_integer_sequence<int, N>{});
}

// One elimination step with all bounds known to the compiler.
template <int N, int K>
inline bool eliminate(double* __restrict__ a, int* __restrict__ permutation,
                      double* __restrict__ inverse) {
  double* pivot_column = a + K * N;
  int best = K;
  double largest = std::fabs(pivot_column[K]);
  unrolled<N - K - 1>([&](auto offset) {
    const double candidate = std::fabs(pivot_column[K + 1 + offset]);
    if (candidate > largest) {
      largest = candidate;
      best = K + 1 + offset;
    }
  });
  if (!usable_pivot(largest)) return false;
  if (best != K) {
    unrolled<N>([&](auto j) { std::swap(a[j * N + K], a[j * N + best]); });
    std::swap(permutation[K], permutation[best]);
  }
  const double reciprocal = 1.0 / pivot_column[K];
  inverse[K] = reciprocal;
  double multiplier[N - K];
  unrolled<N - K - 1>([&](auto offset) {
    multiplier[offset] = pivot_column[K + 1 + offset] * reciprocal;
    pivot_column[K + 1 + offset] = multiplier[offset];
  });
  unrolled<N - K - 1>([&](auto column) {
    double* target = a + (K + 1 + column) * N + K;
    const double factor = target[0];
    if (factor == 0.0) return;
    unrolled<N - K - 1>([&](auto offset) { target[1 + offset] -= multiplier[offset] * factor; });
  });
  return true;
}

template <int N, int... K>
inline int eliminate_all(double* a, int* permutation, double* inverse,
                         std::integer_sequence<int, K...>) {
  int column = -1;
  const bool regular = (((column = K), eliminate<N, K>(a, permutation, inverse)) && ...);
  return regular ? -1 : column;
}

}  // namespace detail

// Returns -1, or the column whose pivot vanished or is not finite.
template <int N>
int lu_factorise(double* a, int /*n*/, int* permutation, double* inverse) {
  for (int i = 0; i < N; ++i) permutation[i] = i;
  return detail::eliminate_all<N>(a, permutation, inverse, std::make_integer_sequence<int, N>{});
}

// Right-hand side to solution, in place. The inner order leaves the newest unknown to the end, so
// that only one multiplication and one subtraction per row wait for it.
template <int N>
void lu_solve(const double* __restrict__ a, int /*n*/, const int* __restrict__ permutation,
              const double* __restrict__ inverse, double* __restrict__ x, double* /*work*/) {
  double y[N];
  detail::unrolled<N>([&](auto i) { y[i] = x[permutation[i]]; });
  detail::unrolled<N>(
      [&](auto i) { detail::unrolled<i>([&](auto j) { y[i] -= a[j * N + i] * y[j]; }); });
  detail::unrolled<N>([&](auto step) {
    constexpr int i = N - 1 - step;
    detail::unrolled<step>([&](auto back) {
      constexpr int j = N - 1 - back;
      y[i] -= a[j * N + i] * y[j];
    });
    y[i] *= inverse[i];
    x[i] = y[i];
  });
}

// Columns first .. end - 1 of an n x n matrix whose earlier columns are done: pivots, multipliers
// and updates within these columns; row exchanges reach all columns. Returns as lu_factorise.
inline int lu_panel(double* a, int n, int first, int end, int* permutation, double* inverse) {
  const std::ptrdiff_t stride = n;
  for (int k = first; k < end; ++k) {
    double* pivot_column = a + k * stride;
    int best = k;
    double largest = std::fabs(pivot_column[k]);
    for (int i = k + 1; i < n; ++i) {
      const double candidate = std::fabs(pivot_column[i]);
      if (candidate > largest) {
        largest = candidate;
        best = i;
      }
    }
    if (!usable_pivot(largest)) return k;
    if (best != k) {
      for (int j = 0; j < n; ++j) std::swap(a[j * stride + k], a[j * stride + best]);
      std::swap(permutation[k], permutation[best]);
    }
    inverse[k] = 1.0 / pivot_column[k];
    // Columns of sparse matrices end early: the update need not run past the last multiplier.
    int last = k;
    for (int i = k + 1; i < n; ++i) {
      if (pivot_column[i] == 0.0) continue;
      pivot_column[i] *= inverse[k];
      last = i;
    }
    for (int j = k + 1; j < end; ++j) {
      double* column = a + j * stride;
      if (column[k] == 0.0) continue;
      subtract_multiple(column + k + 1, pivot_column + k + 1, column[k], last - k);
    }
  }
  return -1;
}

// Rows first .. end - 1 of the upper factor to the right of the panel.
inline void lu_panel_rows(double* a, int n, int first, int end) {
  const std::ptrdiff_t stride = n;
  for (int j = end; j < n; ++j) {
    double* column = a + j * stride;
    for (int k = first; k < end; ++k)
      if (column[k] != 0.0)
        subtract_multiple(column + k + 1, a + k * stride + k + 1, column[k], end - k - 1);
  }
}

// A size known only at run time: one panel as wide as the matrix.
inline int lu_factorise(double* a, int n, int* permutation, double* inverse) {
  for (int i = 0; i < n; ++i) permutation[i] = i;
  return lu_panel(a, n, 0, n, permutation, inverse);
}

// `work` has length n. Unknowns are found in pairs. The next pair is updated first and stays in
// registers: found through `work`, it would wait for all other updates to be stored.
inline void lu_solve(const double* a, int n, const int* permutation, const double* inverse,
                     double* x, double* work) {
  const std::ptrdiff_t stride = n;
  for (int i = 0; i < n; ++i) work[i] = x[permutation[i]];
  const auto less = [&](int i, const double* left, double p, const double* right, double q) {
    return work[i] - (left[i] * p + right[i] * q);
  };
  int k = 0;
  double first = n > 0 ? work[0] : 0.0, second = n > 1 ? work[1] : 0.0;  // of the pair to be found
  for (; k + 1 < n; k += 2) {
    const double *left = a + k * stride, *right = left + stride;
    const double p = first, q = second - left[k + 1] * p;
    work[k] = p;
    work[k + 1] = q;
    if (k + 2 < n) first = less(k + 2, left, p, right, q);
    if (k + 3 < n) {
      second = less(k + 3, left, p, right, q);
      subtract_multiples(work + k + 4, left + k + 4, p, right + k + 4, q, n - k - 4);
    }
  }
  if (k < n) work[k] = first;
  k = n - 1;
  second = n > 0 ? work[k] : 0.0;
  first = n > 1 ? work[k - 1] : 0.0;
  for (; k >= 1; k -= 2) {
    const double *right = a + k * stride, *left = right - stride;
    const double q = second * inverse[k], p = (first - right[k - 1] * q) * inverse[k - 1];
    work[k] = q;
    work[k - 1] = p;
    if (k >= 2) second = less(k - 2, left, p, right, q);
    if (k >= 3) {
      first = less(k - 3, left, p, right, q);
      subtract_multiples(work, left, p, right, q, k - 3);
    }
  }
  if (k == 0) work[0] = second * inverse[0];
  for (int i = 0; i < n; ++i) x[i] = work[i];
}

// The pair of functions for one size, chosen once.
struct LuFunctions {
  int (*factorise)(double* a, int n, int* permutation, double* inverse);
  void (*solve)(const double* a, int n, const int* permutation, const double* inverse, double* x,
                double* work);
};

inline LuFunctions lu_functions(int n) {
  switch (n) {
    case 1:
      return {lu_factorise<1>, lu_solve<1>};
    case 2:
      return {lu_factorise<2>, lu_solve<2>};
    case 3:
      return {lu_factorise<3>, lu_solve<3>};
    case 4:
      return {lu_factorise<4>, lu_solve<4>};
    case 5:
      return {lu_factorise<5>, lu_solve<5>};
    case 6:
      return {lu_factorise<6>, lu_solve<6>};
    case 7:
      return {lu_factorise<7>, lu_solve<7>};
    case 8:
      return {lu_factorise<8>, lu_solve<8>};
    default:
      return {lu_factorise, lu_solve};
  }
}

}  // namespace daedalus::kernel
