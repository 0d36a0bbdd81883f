// SPDX-License-Identifier: BSD-3-Clause
// Order conditions of Runge-Kutta methods on ordinary differential equations, to any order: one per
// rooted tree t = [t_1, ..., t_m],
//   sum_i b_i Phi_i(t) = theta^r / gamma(t),  Phi_i(t) = prod_k sum_j a_ij Phi_j(t_k),
// r the number of vertices, gamma(t) = r gamma(t_1) ... gamma(t_m), for the solution at t_n + theta
// h (Hairer, Noersett, Wanner I, sections II.2 and II.6).
#pragma once

#include <vector>

#include "kernel/herk_table.hpp"

namespace daedalus::analysis {

class ClassicalConditions {
 public:
  using Row = std::vector<long double>;
  // One row of a per stage. Trees of at most `most` vertices.
  ClassicalConditions(const std::vector<Row>& a, int most);

  int trees(int order) const;  // 1, 1, 2, 4, 9, 20, 48, 115, 286
  // Largest |left - right| over the trees of this order.
  long double residual(const Row& weights, int order, long double theta = 1.0L) const;
  // All conditions up to it hold within the bound; at most `most`.
  int order(const Row& weights, long double bound, long double theta = 1.0L) const;

 private:
  struct Tree {
    long double gamma;
    Row phi, branch;  // Phi, and sum_j a_ij Phi_j: what it is to its root
  };
  void grow(int left, std::size_t last, const Tree& so_far, int order);

  const std::vector<Row> a_;
  std::vector<Tree> trees_;         // ascending by order
  std::vector<std::size_t> first_;  // of each order, and the end
};

// Rows of exact texts in long double, padded with zeros to `stages` entries.
std::vector<ClassicalConditions::Row> rows_of(const std::vector<std::vector<ExactText>>& texts,
                                              std::size_t stages);

}  // namespace daedalus::analysis
