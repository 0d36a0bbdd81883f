// SPDX-License-Identifier: BSD-3-Clause
// G = dg/dq by dual numbers. Over its sparsity pattern in large systems: which velocities reach a
// constraint is found by probing, columns without a common row are differentiated together (Curtis,
// Powell, Reid 1974).
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "formulation/mechanics_pairs.hpp"
#include "function/pattern.hpp"
#include "kernel/at.hpp"

namespace daedalus {

// g(t, q (+) w) for the marks in the derivative parts of w4_.
Eval Mechanics::constraint_along_marks(const PointOf<double>& p) {
  for (int i = 0; i < sizes_.positions; ++i) q4_[at(i)] = Dual4(p.q[i]);
  problem_.space.plus(q4_.data(), w4_.data(), q4_.data());
  PointOf<Dual4> there;
  there.t = Dual4(p.t);
  there.q = q4_.data();
  return constraint(there, g4_.data());
}

bool Mechanics::find_constraint_pattern(const PointOf<double>& p, double max_density) {
  if (!direct_ || sizes_.nonholonomic > 0) return false;
  // A NaN derivative survives multiplication by zero: what it does not reach is independent.
  const Probe probe = [&](std::span<const signed char> lane, std::span<unsigned char> hits) {
    for (int j = 0; j < sizes_.velocities; ++j) {
      w4_[at(j)] = Dual4(0.0);
      if (lane[at(j)] >= 0)
        w4_[at(j)].d[at(lane[at(j)])] = std::numeric_limits<double>::quiet_NaN();
    }
    try {
      if (constraint_along_marks(p) != Eval::ok) return false;
    } catch (const std::bad_alloc&) {
      throw;  // no property of the problem, which must not be solved another way for it
    } catch (...) {
      return false;  // the run evaluates it again and reports
    }
    for (int i = 0; i < sizes_.holonomic; ++i)
      for (unsigned k = 0; k < 4; ++k)
        if (std::isnan(g4_[at(i)].d[k]))
          hits[at(i)] = static_cast<unsigned char>(hits[at(i)] | 1u << k);
    return true;
  };
  std::optional<SparsePattern> found = detect_pattern(sizes_.holonomic, sizes_.velocities, probe);
  if (!found) return sparse_constraints();
  if (sparse_constraints()) {
    // A mode may have switched: what was once seen stays.
    SparsePattern both = unite(constraint_.pattern(), *found);
    if (both.row == constraint_.pattern().row && both.start == constraint_.pattern().start)
      return true;
    *found = std::move(both);
  } else if (found->density() > max_density) {
    return false;
  }
  colouring_ = colour_columns(*found);
  constraint_ = PieceMatrix::sparse(std::make_shared<const SparsePattern>(std::move(*found)));
  return true;
}

// All columns of a small dense G, four at a time: no pattern, hence nothing that it could miss.
Eval Mechanics::constraint_matrix_by_columns(const PointOf<double>& p, double* G) {
  const int rows = sizes_.multipliers();
  for (int first = 0; first < sizes_.velocities; first += 4) {
    const int count = std::min(4, sizes_.velocities - first);
    for (Dual4& w : w4_) w = Dual4(0.0);
    for (int k = 0; k < count; ++k) w4_[at(first + k)].d[at(k)] = 1.0;
    if (Eval e = constraint_along_marks(p); e != Eval::ok) return e;
    for (int k = 0; k < count; ++k)
      for (int i = 0; i < sizes_.holonomic; ++i) G[i + (first + k) * rows] = g4_[at(i)].d[at(k)];
  }
  return Eval::ok;
}

template <class S>
Eval Mechanics::constraint_matrix_by_colours(const PointOf<S>& p, S* values) {
  const SparsePattern& pattern = constraint_.pattern();
  const auto extract = [&](int first, int count, auto&& derivative) {
    for (int c = 0; c < pattern.cols; ++c) {
      const int lane = colouring_.colour[at(c)] - first;
      if (lane < 0 || lane >= count) continue;
      for (int k = pattern.start[at(c)]; k < pattern.start[at(c) + 1]; ++k)
        values[k] = derivative(at(pattern.row[at(k)]), at(lane));
    }
  };
  if constexpr (std::is_same_v<S, double>) {
    for (int first = 0; first < colouring_.colours; first += 4) {
      for (int j = 0; j < pattern.cols; ++j) {
        const int lane = colouring_.colour[at(j)] - first;
        w4_[at(j)] = Dual4(0.0);
        if (lane >= 0 && lane < 4) w4_[at(j)].d[at(lane)] = 1.0;
      }
      if (Eval e = constraint_along_marks(p); e != Eval::ok) return e;
      extract(first, 4, [&](std::size_t row, std::size_t lane) { return g4_[row].d[lane]; });
    }
  } else {
    const auto direction = [&](int colour, double* w) {
      for (int j = 0; j < pattern.cols; ++j) w[j] = colouring_.colour[at(j)] == colour ? 1.0 : 0.0;
      return 0.0;
    };
    return columns_in_pairs(p, colouring_.colours, direction, [&](int colour, auto&& slope) {
      extract(colour, 1, [&](std::size_t row, std::size_t) { return slope(row); });
    });
  }
  return Eval::ok;
}

// 1 + the fractional parts of the multiples of the golden section, which never repeat.
double Mechanics::unlike(int velocity) {
  // Golden section: multiples modulo 1 never meet.
  constexpr double golden = 0.61803398874989485;
  const double x = golden * (velocity + 1);
  return 1.0 + (x - std::floor(x));
}

Eval Mechanics::velocity_level(const PointOf<double>& p, double* out, double* g_w) {
  for (int i = 0; i < sizes_.positions; ++i) q4_[at(i)] = Dual4(p.q[i]);
  for (int j = 0; j < sizes_.velocities; ++j) {
    w4_[at(j)] = Dual4(0.0);
    w4_[at(j)].d[0] = p.v[j];
    w4_[at(j)].d[1] = unlike(j);
  }
  problem_.space.plus(q4_.data(), w4_.data(), q4_.data());
  PointOf<Dual4> there;
  there.t = Dual4(p.t);
  there.t.d[0] = 1.0;
  there.q = q4_.data();
  const Eval e = constraint(there, g4_.data());
  for (int i = 0; i < sizes_.holonomic; ++i) {
    out[i] = g4_[at(i)].d[0];
    g_w[i] = g4_[at(i)].d[1];
  }
  return e;
}

template Eval Mechanics::constraint_matrix_by_colours<double>(const PointOf<double>&, double*);
template Eval Mechanics::constraint_matrix_by_colours<Dual4>(const PointOf<Dual4>&, Dual4*);

}  // namespace daedalus
