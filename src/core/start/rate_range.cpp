// SPDX-License-Identifier: BSD-3-Clause
#include "start/rate_range.hpp"

#include <algorithm>
#include <numeric>

#include "kernel/at.hpp"

namespace daedalus {
namespace {

// Dense decompositions of this size cost about as much as a sparse step of a thousand variables.
constexpr int max_dense_group = 64;
// Below it a large group counts as singular, and the dense path decides.
constexpr double min_condition = 1e-13;

// Sets of rows (0 .. m-1) and columns (m ..) joined by entries.
class Sets {
 public:
  explicit Sets(int count) : parent_(at(count)) { std::iota(parent_.begin(), parent_.end(), 0); }
  int find(int i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  }
  void join(int a, int b) { parent_[at(find(a))] = find(b); }

 private:
  std::vector<int> parent_;
};

}  // namespace

RateRange::Places RateRange::find_groups(const SparsePattern& p, std::span<const double> values) {
  Places places{std::vector<char>(at(p.rows), 0), std::vector<int>(at(p.rows), 0)};
  Sets sets(p.rows + p.cols);
  for (int j = 0; j < p.cols; ++j)
    for (int e = p.start[at(j)]; e < p.start[at(j + 1)]; ++e)
      if (values[at(e)] != 0.0) {
        sets.join(p.row[at(e)], p.rows + j);
        places.filled[at(p.row[at(e)])] = 1;
      }
  std::vector<int> group_of(at(p.rows + p.cols), -1);
  for (int i = 0; i < p.rows; ++i) {
    if (!places.filled[at(i)]) continue;
    int& g = group_of[at(sets.find(i))];
    if (g < 0) {
      g = static_cast<int>(groups_.size());
      groups_.emplace_back();
    }
    places.row[at(i)] = static_cast<int>(groups_[at(g)].rows.size());
    groups_[at(g)].rows.push_back(i);
  }
  for (int j = 0; j < p.cols; ++j)
    if (const int g = group_of[at(sets.find(p.rows + j))]; g >= 0)
      groups_[at(g)].columns.push_back(j);
  return places;
}

bool RateRange::decompose(Group& g, const SparsePattern& p, std::span<const double> values,
                          const Places& places, Basis& basis, int& count) {
  const int rows = static_cast<int>(g.rows.size()), cols = static_cast<int>(g.columns.size());
  const auto entries = [&](auto&& visit) {
    for (int c = 0; c < cols; ++c)
      for (int e = p.start[at(g.columns[at(c)])]; e < p.start[at(g.columns[at(c)] + 1)]; ++e)
        if (values[at(e)] != 0.0) visit(places.row[at(p.row[at(e)])], c, values[at(e)]);
  };
  if (rows == 1 && cols == 1) {
    entries([&](int, int, double x) { g.inverse = Eigen::MatrixXd::Constant(1, 1, 1.0 / x); });
    return true;
  }
  if (std::max(rows, cols) <= max_dense_group) {
    Eigen::MatrixXd block = Eigen::MatrixXd::Zero(rows, cols);
    entries([&](int r, int c, double value) { block(r, c) = value; });
    const PivotedQr qr = pivoted_qr(block);
    for (int k = qr.rank; k < rows; ++k, ++count)
      for (int r = 0; r < rows; ++r)
        if (qr.q(r, k) != 0.0) basis.emplace_back(g.rows[at(r)], count, qr.q(r, k));
    g.inverse.resize(cols, rows);
    for (int r = 0; r < rows; ++r)
      g.inverse.col(r) = daedalus::least_squares(block, Eigen::VectorXd::Unit(rows, r));
    return true;
  }
  if (rows != cols) return false;
  SparsePattern inner{rows, cols, {0}, {}};
  std::vector<double> numbers;
  int column = 0;
  entries([&](int r, int c, double value) {
    for (; column < c; ++column) inner.start.push_back(inner.nonzeros());
    inner.row.push_back(r);
    numbers.push_back(value);
  });
  for (; column < cols; ++column) inner.start.push_back(inner.nonzeros());
  g.solver = make_linear_solver(inner, LinearSolverKind::sparse);
  return g.solver->factorise(numbers) && g.solver->reciprocal_condition() > min_condition;
}

std::optional<RateRange> RateRange::find(const SparsePattern& p, std::span<const double> values) {
  RateRange result;
  result.columns_ = p.cols;
  const Places places = result.find_groups(p, values);
  Basis basis;
  int count = 0;
  for (int i = 0; i < p.rows; ++i)
    if (!places.filled[at(i)]) basis.emplace_back(i, count++, 1.0);
  for (Group& g : result.groups_)
    if (!decompose(g, p, values, places, basis, count)) return std::nullopt;
  result.kernel_.resize(p.rows, count);
  result.kernel_.setFromTriplets(basis.begin(), basis.end());
  return result;
}

Eigen::VectorXd RateRange::least_squares(const Eigen::VectorXd& r) const {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(columns_), part;
  for (const Group& g : groups_) {
    part.resize(static_cast<Eigen::Index>(g.rows.size()));
    for (std::size_t k = 0; k < g.rows.size(); ++k)
      part[static_cast<Eigen::Index>(k)] = r[g.rows[k]];
    if (g.solver)
      g.solver->solve(part.data());
    else
      part = g.inverse * part;
    for (std::size_t k = 0; k < g.columns.size(); ++k)
      x[g.columns[k]] = part[static_cast<Eigen::Index>(k)];
  }
  return x;
}

}  // namespace daedalus
