// SPDX-License-Identifier: BSD-3-Clause
#include "lab/classical_order.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::analysis {

// Trees of one order are multisets of smaller ones: subtrees in descending places of the list.
void ClassicalConditions::grow(int left, std::size_t last, const Tree& so_far, int order) {
  if (left == 0) {
    Tree tree = so_far;
    tree.gamma *= order;
    tree.branch.assign(a_.size(), 0.0L);
    for (std::size_t i = 0; i < a_.size(); ++i)
      for (std::size_t j = 0; j < a_[i].size(); ++j) tree.branch[i] += a_[i][j] * tree.phi[j];
    trees_.push_back(std::move(tree));
    return;
  }
  for (int size = std::min(left, order - 1); size >= 1; --size)
    for (std::size_t k = first_[static_cast<std::size_t>(size)];
         k < first_[static_cast<std::size_t>(size) + 1] && k <= last; ++k) {
      Tree more = so_far;
      more.gamma *= trees_[k].gamma;
      for (std::size_t i = 0; i < more.phi.size(); ++i) more.phi[i] *= trees_[k].branch[i];
      grow(left - size, k, more, order);
    }
}

ClassicalConditions::ClassicalConditions(const std::vector<Row>& a, int most)
    : a_(a), first_{0, 0} {
  const Tree root{1.0L, Row(a.size(), 1.0L), {}};
  for (int order = 1; order <= most; ++order) {
    // The first tree of this order is where the last order ends.
    const std::size_t before = trees_.size();
    grow(order - 1, before, root, order);
    first_.push_back(trees_.size());
  }
}

int ClassicalConditions::trees(int order) const {
  const auto k = static_cast<std::size_t>(order);
  return static_cast<int>(first_[k + 1] - first_[k]);
}

long double ClassicalConditions::residual(const Row& weights, int order, long double theta) const {
  const auto n = static_cast<std::size_t>(order);
  long double worst = 0.0L;
  for (std::size_t k = first_[n]; k < first_[n + 1]; ++k) {
    long double sum = 0.0L;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * trees_[k].phi[i];
    worst = std::max(worst, std::abs(sum - std::pow(theta, order) / trees_[k].gamma));
  }
  return worst;
}

int ClassicalConditions::order(const Row& weights, long double bound, long double theta) const {
  int order = 0;
  while (order + 2 < static_cast<int>(first_.size()) &&
         residual(weights, order + 1, theta) <= bound)
    ++order;
  return order;
}

std::vector<ClassicalConditions::Row> rows_of(const std::vector<std::vector<ExactText>>& texts,
                                              std::size_t stages) {
  std::vector<ClassicalConditions::Row> rows;
  for (const auto& row : texts) {
    rows.emplace_back(stages, 0.0L);
    for (std::size_t j = 0; j < row.size(); ++j) rows.back()[j] = number<long double>(row[j]);
  }
  return rows;
}

}  // namespace daedalus::analysis
