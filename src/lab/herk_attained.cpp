// SPDX-License-Identifier: BSD-3-Clause
// Counts, leading errors and orders of convergence from the order conditions of herk_order.cpp.
#include <algorithm>
#include <cmath>

#include <daedalus/types.hpp>

#include "lab/herk_order.hpp"

namespace daedalus::analysis {

ConditionCount HerkConditions::count(Index2Root root, int order, int weights, bool only_plain) {
  const Index2Trees& trees = all_index2_trees();
  ConditionCount result{.order = order};
  for (const int tree :
       root == Index2Root::y && only_plain ? trees.plain(order) : trees.of(root, order)) {
    const bool plain = !trees[tree].chain, fails = !holds(tree, weights);
    ++result.trees;
    result.plain += plain;
    result.failing += fails;
    result.plain_failing += plain && fails;
    if (fails || bound() > 0)
      result.largest = std::max(result.largest, std::abs(residual(tree, weights)));
  }
  return result;
}

namespace {

LeadingError error_over(HerkConditions& conditions, std::span<const int> list, int weights,
                        bool only_classical) {
  const Index2Trees& trees = all_index2_trees();
  LeadingError result;
  for (const int tree : list) {
    if (only_classical && !trees[tree].classical) continue;
    const double coefficient =
        std::abs(conditions.residual(tree, weights)) / static_cast<double>(trees[tree].symmetry);
    result.norm = std::hypot(result.norm, coefficient);
    result.largest = std::max(result.largest, coefficient);
  }
  return result;
}

}  // namespace

LeadingError HerkConditions::leading_error(Index2Root root, int order, int weights) {
  const Index2Trees& trees = all_index2_trees();
  return error_over(*this, root == Index2Root::y ? trees.plain(order) : trees.of(root, order),
                    weights, false);
}

LeadingError HerkConditions::classical_error(int order, int weights) {
  return error_over(*this, all_index2_trees().plain(order), weights, true);
}

int HerkConditions::local_order_y(int weights, int most) {
  const Index2Trees& trees = all_index2_trees();
  const auto all_hold = [&](std::span<const int> list) {
    return std::all_of(list.begin(), list.end(), [&](int tree) { return holds(tree, weights); });
  };
  for (int order = 1; order <= most; ++order) {
    const bool below = order == 1 || all_hold(trees.of(Index2Root::y, order - 1));
    if (!below || !all_hold(trees.plain(order))) return order - 1;
  }
  return most;
}

int HerkConditions::classical_order(int weights) {
  const Index2Trees& trees = all_index2_trees();
  for (int order = 1; order <= Index2Trees::max_known_order; ++order)
    for (const int tree : trees.plain(order))
      if (trees[tree].classical && !holds(tree, weights)) return order - 1;
  return Index2Trees::max_known_order;
}

HerkOrders herk_orders(HerkConditions& conditions) {
  HerkOrders result;
  result.q_y = conditions.local_order_y();
  result.q_z = conditions.local_order_z();
  if (!conditions.table().embedded.empty())
    result.embedded = conditions.local_order_y(conditions.embedded());
  if (!conditions.ends_on_constraint()) {
    result.reason = "no row of gamma is b, so that y_{n+1} does not satisfy the constraint";
    return result;
  }
  if (result.q_z < 0) {
    result.reason = "the sum of d is not 1";
    return result;
  }
  if (!conditions.explicit_first()) {
    result.y = result.q_y;
    result.z = std::min(result.q_y, result.q_z + 1);
    result.reason = "Hairer, Lubich, Roche (1989): z_n does not enter the step";
    return result;
  }
  if (!(conditions.kappa_number() < 1)) {
    result.reason = conditions.kappa_number() > 1
                        ? "kappa > 1: errors in z grow from step to step, the method diverges"
                        : "kappa = 1: errors in z add up, the order is reduced";
    return result;
  }
  const int q = std::min(result.q_y, result.q_z + 2);
  if (q < 2) {
    result.reason = "min(q_y, q_z + 2) is less than 2";
    return result;
  }
  result.y = q;
  result.z = q - 1;
  result.reason = "Arnold (1998), Theorem 12";
  const int further = std::min(result.q_y, result.q_z + 3);
  if (further > q && further >= 4 && conditions.corollary_holds()) {
    result.y = further;
    result.z = std::max(q - 1, further - 2);
    result.reason = "Arnold (1998), Theorem 12 and Corollary 3";
  }
  return result;
}

HerkTable with_embedded_row(const HerkTable& table) {
  if (table.embedded.empty())
    throw InvalidArgument("embedded: the table " + table.name + " has no embedded weights");
  HerkTable result = table;
  result.gamma.back() = table.embedded;
  return result;
}

}  // namespace daedalus::analysis
