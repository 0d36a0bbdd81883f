// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism/row_relations.hpp"

#include <Eigen/QR>
#include <cmath>

namespace daedalus::mechanism {
namespace {

std::size_t slot(int k) { return static_cast<std::size_t>(k); }

// Rows are ratios of lengths apart; what rounding leaves would run on to the ends of the mechanism.
constexpr double least_factor = 1e-12;

}  // namespace

RowRelations::RowRelations(const RowFactors& factors)
    : factors_(factors), columns_(slot(factors.rows())) {
  for (int k = 0; k < factors.rows(); ++k)
    factors.for_entries(k, [&](int column, double value) {
      if (std::abs(value) > least_factor) columns_[slot(column)].emplace_back(k, value);
    });
  for (int k = 0; k < factors.rows(); ++k)
    if (factors.pivot(k) == 0.0 && !columns_[slot(k)].empty())
      dependent_[columns_[slot(k)].back().first].push_back(k);
}

bool RowRelations::ends_in_dependent(const Remainder& left, int step, Column& made) const {
  constexpr std::size_t most = 64;  // rows and columns of a small problem
  constexpr double exact = 1e-9;    // as a dependent row is
  if (left.size() > most) return false;
  std::vector<int> candidates;
  std::map<int, int> place;
  for (const auto& entry : left) {
    place.emplace(entry.first, static_cast<int>(place.size()));
    const auto found = dependent_.find(entry.first);
    if (found == dependent_.end()) continue;
    for (const int k : found->second)
      if (k < step) candidates.push_back(k);
  }
  if (candidates.empty() || candidates.size() > most) return false;
  for (const int k : candidates)
    for (const auto& entry : columns_[slot(k)])
      place.emplace(entry.first, static_cast<int>(place.size()));
  if (place.size() > 2 * most) return false;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(place.size()),
                                            static_cast<Eigen::Index>(candidates.size()));
  for (Eigen::Index c = 0; c < A.cols(); ++c)
    for (const auto& [k, value] : columns_[slot(candidates[static_cast<std::size_t>(c)])])
      A(place.at(k), c) = value;
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(A.rows());
  for (const auto& [k, value] : left) wanted[place.at(k)] = value;
  const Eigen::VectorXd share = A.colPivHouseholderQr().solve(wanted);
  if (!((A * share - wanted).norm() <= exact * wanted.norm())) return false;
  for (Eigen::Index c = 0; c < A.cols(); ++c)
    if (std::abs(share[c]) > least_factor)
      made.emplace_back(factors_.row_at(candidates[static_cast<std::size_t>(c)]), share[c]);
  return true;
}

std::vector<std::pair<int, double>> RowRelations::of(int step) const {
  Column made;
  Remainder left(columns_[slot(step)].begin(), columns_[slot(step)].end());
  while (!left.empty()) {
    const auto last = std::prev(left.end());
    const auto [k, value] = *last;
    if (std::abs(value) > least_factor) {
      if (dependent_.contains(k) && ends_in_dependent(left, step, made)) break;
      const double share = value / factors_.signed_pivot(k);
      if (std::abs(share) > least_factor) {
        made.emplace_back(factors_.row_at(k), share);
        for (const auto& [j, entry] : columns_[slot(k)]) left[j] -= share * entry;
      }
    }
    left.erase(last);
  }
  return made;
}

}  // namespace daedalus::mechanism
