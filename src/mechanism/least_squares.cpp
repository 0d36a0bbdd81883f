// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism/least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "mechanism/row_relations.hpp"

namespace daedalus::mechanism {
namespace {

// From so many rows on full matrices cost more than sparse factors.
constexpr int min_sparse_rows = 300;
constexpr double negligible = 1e-6;  // beside the largest factor of a relation

// Which earlier rows make up a column of R, in terms of kept rows.
DependentRow made_of(int row, const Eigen::VectorXd& factors, const std::vector<int>& kept) {
  DependentRow d;
  d.row = row;
  for (Eigen::Index k = 0; k < factors.size(); ++k)
    if (std::abs(factors[k]) > negligible)
      d.of.emplace_back(kept[static_cast<std::size_t>(k)], factors[k]);
  return d;
}

// A relation between rows, sum of factors times rows = 0, by row.
using Relation = std::map<int, double>;
double largest_of(const Relation& y) {
  double largest = 0.0;
  for (const auto& entry : y) largest = std::max(largest, std::abs(entry.second));
  return largest;
}
// Entries of relations between joints are ratios of lengths: what cancels leaves less.
constexpr double cancelled = 1e-9;

void drop_rounding(Relation& y) {
  const double largest = largest_of(y);
  std::erase_if(y, [&](const auto& entry) { return std::abs(entry.second) < cancelled * largest; });
}
// y += factor z
void add(Relation& y, double factor, const Relation& z) {
  for (const auto& [row, value] : z) y[row] += factor * value;
}
// The last row that a relation really has.
int last_row(const Relation& y) {
  const double least = negligible * largest_of(y);
  for (auto entry = y.rbegin(); entry != y.rend(); ++entry)
    if (std::abs(entry->second) > least) return entry->first;
  return -1;
}

DependentRow dependent_row(int row, const Relation& y) {
  DependentRow d;
  d.row = row;
  for (const auto& [other, factor] : y)
    if (other != row && std::abs(factor) > negligible) d.of.emplace_back(other, -factor);
  return d;
}

// Takes from y the multiple of an earlier relation that leaves the fewest rows; false: none leaves
// fewer.
bool take_away_best(Relation& y, const std::vector<Relation>& earlier,
                    const std::map<int, std::vector<std::size_t>>& having) {
  const double least = cancelled * largest_of(y);
  std::set<std::size_t> candidates;
  for (const auto& entry : y)
    if (const auto found = having.find(entry.first); found != having.end())
      candidates.insert(found->second.begin(), found->second.end());
  int most = 0;
  const Relation* best = nullptr;
  double factor = 0.0;
  for (const std::size_t k : candidates) {
    const Relation& z = earlier[k];
    for (const auto& [row, value] : z) {
      const auto shared = y.find(row);
      if (shared == y.end()) continue;
      const double f = shared->second / value;
      int fewer = 0;
      for (const auto& [other, share] : z) {
        const auto found = y.find(other);
        fewer += found == y.end() ? -1 : std::abs(found->second - f * share) <= least ? 1 : 0;
      }
      if (fewer > most) most = fewer, best = &z, factor = f;
    }
  }
  if (!best) return false;
  add(y, -factor, *best);
  drop_rounding(y);
  return true;
}

// A loop that shares joints with others is named by its own ones: relations may name rows that were
// found dependent before.
void shorten(std::vector<DependentRow>& all) {
  std::vector<Relation> done;
  std::map<int, std::vector<std::size_t>> having;  // relations by row
  for (DependentRow& d : all) {
    Relation y{{d.row, 1.0}};
    for (const auto& [row, factor] : d.of) y[row] = -factor;
    while (take_away_best(y, done, having)) {
    }
    for (const auto& entry : y) having[entry.first].push_back(done.size());
    d = dependent_row(d.row, y);
    done.push_back(std::move(y));
  }
}

// One row after another: what is left of it beside those before, twice orthogonalised.
RowRank rank_dense(const Eigen::MatrixXd& T, double threshold) {
  const auto n = T.cols();
  Eigen::MatrixXd Q(T.rows(), n), R = Eigen::MatrixXd::Zero(n, n);
  RowRank result;
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::Index r = result.rank;
    Eigen::VectorXd v = T.col(j), along = Eigen::VectorXd::Zero(r);
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::VectorXd part = Q.leftCols(r).transpose() * v;
      v -= Q.leftCols(r) * part;
      along += part;
    }
    const double left = v.norm();
    const bool dependent = left < threshold || r == T.rows();
    if (dependent || left < result.smallest_pivot) {
      const Eigen::VectorXd factors =
          R.topLeftCorner(r, r).triangularView<Eigen::Upper>().solve(along);
      DependentRow row = made_of(static_cast<int>(j), factors, result.kept);
      if (dependent) {
        result.dependent.push_back(std::move(row));
        continue;
      }
      result.smallest_pivot = left;
      result.weakest = std::move(row);
    }
    Q.col(r) = v / left;
    R.col(r).head(r) = along;
    R(r, r) = left;
    result.kept.push_back(static_cast<int>(j));
    ++result.rank;
  }
  return result;
}

// The same relations such that each one determines a last row of its own: the rows that elimination
// in their order would have found dependent.
std::map<int, Relation> solved_for_last(std::vector<Relation> all) {
  std::map<int, Relation> solved;
  std::map<int, std::vector<Relation>> by_last;
  for (Relation& y : all)
    if (const int last = last_row(y); last >= 0) by_last[last].push_back(std::move(y));
  while (!by_last.empty()) {
    const auto end = std::prev(by_last.end());
    const int row = end->first;
    std::vector<Relation> group = std::move(end->second);
    by_last.erase(end);
    const auto share = [row](const Relation& y) { return std::abs(y.at(row)) / largest_of(y); };
    const auto best =
        std::max_element(group.begin(), group.end(),
                         [&](const Relation& a, const Relation& b) { return share(a) < share(b); });
    Relation chosen = std::move(*best);
    group.erase(best);
    const double scale = 1.0 / chosen.at(row);
    for (auto& entry : chosen) entry.second *= scale;
    for (Relation& y : group) {
      add(y, -y.at(row), chosen);
      y.erase(row);
      drop_rounding(y);
      if (const int last = last_row(y); last >= 0) by_last[last].push_back(std::move(y));
    }
    solved.emplace(row, std::move(chosen));
  }
  return solved;
}

RowRank rank_sparse(const SparseMatrix& B, double threshold) {
  const RowFactors factors(B, threshold);
  const RowRelations rows(factors);
  const auto relation = [&](int step) {
    Relation y{{factors.row_at(step), 1.0}};
    for (const auto& [row, factor] : rows.of(step)) y[row] = -factor;
    return y;
  };
  RowRank result;
  result.rank = factors.rank();
  std::vector<Relation> relations;
  int weakest = -1;
  for (int step = 0; step < factors.rows(); ++step) {
    const double pivot = factors.pivot(step);
    if (pivot == 0.0)
      relations.push_back(relation(step));
    else if (pivot < result.smallest_pivot)
      result.smallest_pivot = pivot, weakest = step;
  }
  if (weakest >= 0) result.weakest = dependent_row(factors.row_at(weakest), relation(weakest));
  const std::map<int, Relation> solved = solved_for_last(std::move(relations));
  for (int row = 0; row < factors.rows(); ++row)
    if (const auto found = solved.find(row); found != solved.end())
      result.dependent.push_back(dependent_row(row, found->second));
    else
      result.kept.push_back(row);
  return result;
}

}  // namespace

SparseMatrix with_unit_rows(const SparseMatrix& B, Eigen::VectorXd& norms) {
  norms.setZero(B.rows());
  for (int c = 0; c < B.outerSize(); ++c)
    for (SparseMatrix::InnerIterator it(B, c); it; ++it) norms[it.row()] += it.value() * it.value();
  norms = norms.cwiseSqrt();
  SparseMatrix scaled = B;
  for (int c = 0; c < scaled.outerSize(); ++c)
    for (SparseMatrix::InnerIterator it(scaled, c); it; ++it)
      if (norms[it.row()] > 0.0) it.valueRef() /= norms[it.row()];
  return scaled;
}

SmallestSolution::SmallestSolution(const SparseMatrix& B, double threshold) {
  if (B.rows() >= min_sparse_rows) {
    sparse_.emplace(B, threshold);
    return;
  }
  full_.setThreshold(threshold);
  full_.compute(Eigen::MatrixXd(B));
}

Eigen::VectorXd SmallestSolution::operator()(const Eigen::VectorXd& r) const {
  if (sparse_) return sparse_->smallest(r);
  return full_.solve(r);
}

RowRank rank_in_order(const SparseMatrix& B, double threshold) {
  RowRank rank = B.rows() < min_sparse_rows ? rank_dense(Eigen::MatrixXd(B.transpose()), threshold)
                                            : rank_sparse(B, threshold);
  shorten(rank.dependent);
  return rank;
}

}  // namespace daedalus::mechanism
