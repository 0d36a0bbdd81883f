// SPDX-License-Identifier: BSD-3-Clause
// Order conditions of half-explicit Runge-Kutta methods on index-2 systems y' = f(y,z), 0 = g(y).
//
// With w = gamma^-1 (gamma_11 replaced by 1 when the first stage is explicit) the stage vectors of
// the trees are (Arnold 1998, Algorithm 1)
//   Phi_i(f) = 1,  Phi_i(f[t..,u..]) = prod_k sum_j a_ij Phi_j(t_k) prod_l sum_j w_ij Psi_j(u_l),
//                  Psi_i(g[t..])     = prod_k sum_j gamma_ij Phi_j(t_k);
// conditions: sum_i b_i Phi_i = Pi, sum_ij d_i w_ij Psi_j = Pi. They are evaluated exactly, in
// fractions and one square root; equal stage vectors of different trees are computed once.
//
// Local orders: q_y is the largest q such that all conditions of T_y below order q and those of
// order q hold whose tree is not f[u]; q_z the largest q such that all of T_z up to q hold and
// sum_j d_j = 1 (Theorem 16). With kappa = |sum_j d_j w_j1| < 1 the orders in y and z are
//   q, q - 1,  q = min(q_y, q_z + 2) >= 2   (Theorem 12),
//   q, q - 2,  q = min(q_y, q_z + 3) >= 4   (Corollary 3), under (3.41) and (3.42).
// Without explicit first stage z_n does not enter, and they are q_y and min(q_y, q_z + 1) (Hairer,
// Lubich, Roche 1989; Brasey, Hairer 1993).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/herk_table.hpp"
#include "lab/index2_trees.hpp"

namespace daedalus::analysis {

// Conditions of one kind and order: all trees, and those of another form than f[u].
struct ConditionCount {
  int order = 0;
  int trees = 0, failing = 0;
  int plain = 0, plain_failing = 0;
  double largest = 0;  // residual
};

// (Pi - Sigma) / sigma over the trees of one order.
struct LeadingError {
  double norm = 0;  // root of the sum of squares
  double largest = 0;
};

class HerkConditions {
 public:
  // Bound zero: a condition holds when its residual is exactly zero. Tables that are known as
  // decimals only are given a bound; they are evaluated with 33 digits. Throws InvalidArgument
  // that names the row if the shape is wrong, a diagonal entry of gamma other than the first is
  // zero, or there are two different square roots.
  explicit HerkConditions(const HerkTable& table, double bound = 0);
  ~HerkConditions();
  HerkConditions(HerkConditions&&) noexcept;
  HerkConditions& operator=(HerkConditions&&) noexcept;

  const HerkTable& table() const;
  double bound() const;
  // Further weights for T_y, one per stage, for the solution at t_n + theta h. The result is for
  // the parameter `weights` below; 0 stands for b.
  int add_weights(const std::vector<ExactText>& weights, const ExactText& theta = "1");
  int solution() const { return 0; }
  int embedded() const;  // throws InvalidArgument if the table has none

  // Left minus right side of the condition of a tree of all_index2_trees().
  double residual(int tree, int weights = 0);
  bool holds(int tree, int weights = 0);

  // Of T_y with `weights`, or of T_z. `only_plain` leaves the trees f[u] of T_y out.
  ConditionCount count(Index2Root root, int order, int weights = 0, bool only_plain = false);
  // Of T_y without the trees f[u], or of T_z.
  LeadingError leading_error(Index2Root root, int order, int weights = 0);
  LeadingError classical_error(int order, int weights = 0);  // trees without fat vertex

  // q_y and q_z, at most `most`; q_z = -1 if sum_j d_j is not 1.
  int local_order_y(int weights = 0, int most = Index2Trees::max_known_order);
  int local_order_z(int most = Index2Trees::max_known_order - 1);
  int classical_order(int weights = 0);  // on ordinary differential equations

  std::vector<std::vector<ExactText>> w() const;
  ExactText kappa() const;  // 0 without explicit first stage
  double kappa_number() const;
  bool explicit_first() const;      // gamma_11 = 0
  bool ends_on_constraint() const;  // a row of gamma is b, so that g(y_{n+1}) = 0
  bool corollary_holds() const;     // (3.41) and (3.42)

  // The interface of either arithmetic; see herk_order.cpp.
  class Arithmetic;

 private:
  std::unique_ptr<Arithmetic> arithmetic_;
};

struct HerkOrders {
  int q_y = 0, q_z = 0;
  int y = 0, z = 0;             // of convergence; 0 where no theorem gives one
  std::string reason;           // the theorem, or why there is none
  std::optional<int> embedded;  // local order of the embedded solution after projection
};

HerkOrders herk_orders(HerkConditions& conditions);

// The method whose last constraint row is the row of embedded weights: its z_{n+1} is the quantity
// zeta~ behind the error estimate of HEDOP5 (Arnold 1998, Remark 28).
HerkTable with_embedded_row(const HerkTable& table);

}  // namespace daedalus::analysis
