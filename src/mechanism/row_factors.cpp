// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism/row_factors.hpp"

#include <Eigen/Householder>
#include <Eigen/OrderingMethods>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedalus::mechanism {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

// Whether fronts stay narrow where rows are eliminated in their own order, as along a chain or a
// row of loops: dependent rows are then made of rows nearby.
bool narrow_in_order(const SparseMatrix& B) {
  constexpr std::size_t widest = 64;  // a body with a dozen joints
  std::vector<std::vector<std::vector<int>>> waiting(at(static_cast<int>(B.rows())));
  for (int c = 0; c < B.outerSize(); ++c) {
    std::vector<int> rows;
    for (SparseMatrix::InnerIterator it(B, c); it; ++it) rows.push_back(static_cast<int>(it.row()));
    std::sort(rows.begin(), rows.end());
    if (!rows.empty()) waiting[at(rows.front())].push_back(std::move(rows));
  }
  for (std::size_t k = 0; k < waiting.size(); ++k) {
    std::vector<int> front;
    for (const std::vector<int>& piece : waiting[k])
      front.insert(front.end(), piece.begin() + 1, piece.end());
    waiting[k] = {};
    std::sort(front.begin(), front.end());
    front.erase(std::unique(front.begin(), front.end()), front.end());
    if (front.size() > widest) return false;
    if (!front.empty()) waiting[at(front.front())].push_back(std::move(front));
  }
  return true;
}

// An order of the rows with little fill.
std::vector<int> elimination_order(const SparseMatrix& B, const SparseMatrix& standing) {
  if (narrow_in_order(B)) {
    std::vector<int> own(at(static_cast<int>(B.rows())));
    std::iota(own.begin(), own.end(), 0);
    return own;
  }
  Eigen::COLAMDOrdering<int>::PermutationType step_of;
  Eigen::COLAMDOrdering<int>()(standing, step_of);
  std::vector<int> order(at(static_cast<int>(standing.cols())));
  for (int row = 0; row < static_cast<int>(order.size()); ++row)
    order[at(step_of.indices()[row])] = row;
  return order;
}

}  // namespace

RowFactors::RowFactors(const SparseMatrix& B, double threshold)
    : width_(static_cast<int>(B.cols())) {
  SparseMatrix standing = B.transpose();
  standing.makeCompressed();
  order_ = elimination_order(B, standing);
  const int m = rows();
  std::vector<int> step_of(at(m));
  for (int k = 0; k < m; ++k) step_of[at(order_[at(k)])] = k;
  // Every column of B starts as a piece of the first row that meets it.
  std::vector<std::vector<Piece>> waiting(at(m));
  for (int c = 0; c < B.outerSize(); ++c) {
    std::vector<std::pair<int, double>> entries;
    for (SparseMatrix::InnerIterator it(B, c); it; ++it)
      entries.emplace_back(step_of[at(static_cast<int>(it.row()))], it.value());
    if (entries.empty()) continue;
    std::sort(entries.begin(), entries.end());
    Piece piece;
    piece.places = {c};
    piece.A.resize(1, static_cast<Eigen::Index>(entries.size()));
    for (std::size_t k = 0; k < entries.size(); ++k) {
      piece.columns.push_back(entries[k].first);
      piece.A(0, static_cast<Eigen::Index>(k)) = entries[k].second;
    }
    waiting[at(piece.columns.front())].push_back(std::move(piece));
  }
  fronts_.resize(at(m));
  position_.assign(at(m), -1);
  for (int k = 0; k < m; ++k) {
    Front& front = fronts_[at(k)];
    front.columns = {k};
    assemble(front, waiting[at(k)]);
    waiting[at(k)] = {};
    eliminate(front, threshold);
    if (!front.dependent) ++rank_;
    Piece rest = remainder(front);
    if (!rest.columns.empty()) waiting[at(rest.columns.front())].push_back(std::move(rest));
  }
}

void RowFactors::assemble(Front& front, const std::vector<Piece>& pieces) {
  std::vector<int>& columns = front.columns;
  const int own = columns.front();
  position_[at(own)] = 0;
  for (const Piece& piece : pieces) {
    for (const int c : piece.columns)
      if (position_[at(c)] < 0) position_[at(c)] = 0, columns.push_back(c);
    front.places.insert(front.places.end(), piece.places.begin(), piece.places.end());
  }
  std::sort(columns.begin(), columns.end());
  for (std::size_t k = 0; k < columns.size(); ++k) position_[at(columns[k])] = static_cast<int>(k);
  front.A.setZero(static_cast<Eigen::Index>(front.places.size()),
                  static_cast<Eigen::Index>(columns.size()));
  Eigen::Index row = 0;
  for (const Piece& piece : pieces) {
    for (std::size_t k = 0; k < piece.columns.size(); ++k)
      front.A.block(row, position_[at(piece.columns[k])], piece.A.rows(), 1) =
          piece.A.col(static_cast<Eigen::Index>(k));
    row += piece.A.rows();
  }
  for (const int c : columns) position_[at(c)] = -1;
}

// Makes the entries below row `row` of its column zero.
void RowFactors::reflect(Front& front, int row) {
  Eigen::MatrixXd& A = front.A;
  const Eigen::Index c = row + front.skip(), below = A.rows() - row - 1;
  double tau = 0.0, beta = 0.0;
  A.col(c).tail(below + 1).makeHouseholderInPlace(tau, beta);
  A(row, c) = beta;
  if (c + 1 < A.cols()) {
    Eigen::VectorXd work(A.cols());
    A.bottomRightCorner(below + 1, A.cols() - c - 1)
        .applyHouseholderOnTheLeft(A.col(c).tail(below), tau, work.data());
  }
  front.tau.push_back(tau);
}

void RowFactors::eliminate(Front& front, double threshold) {
  Eigen::MatrixXd& A = front.A;
  front.dependent = A.rows() == 0 || !(A.col(0).norm() > threshold);
  const int used = front.dependent ? 0 : 1;
  if (!front.dependent) reflect(front, 0);
  // Never more left than rows that still want it.
  const int rest = static_cast<int>(A.cols()) - 1;
  if (A.rows() - used > rest)
    for (int k = 0; k < rest; ++k) reflect(front, used + k);
}

RowFactors::Piece RowFactors::remainder(const Front& front) const {
  Piece piece;
  const int used = front.dependent ? 0 : 1;
  const int rest = static_cast<int>(front.A.cols()) - 1;
  const bool reduced = static_cast<int>(front.tau.size()) > used;
  const int left = reduced ? rest : static_cast<int>(front.A.rows()) - used;
  if (rest <= 0) return piece;
  piece.places.assign(front.places.begin() + used, front.places.begin() + used + left);
  piece.columns.assign(front.columns.begin() + 1, front.columns.end());
  piece.A = front.A.block(used, 1, left, rest);
  if (reduced) piece.A = Eigen::MatrixXd(piece.A.triangularView<Eigen::Upper>());
  return piece;
}

double RowFactors::signed_pivot(int step) const {
  const Front& front = fronts_[at(step)];
  return front.dependent ? 0.0 : front.A(0, 0);
}

Eigen::VectorXd RowFactors::smallest(const Eigen::VectorXd& r) const {
  Eigen::VectorXd open(rows()), x = Eigen::VectorXd::Zero(width_);
  for (int k = 0; k < rows(); ++k) open[k] = r[order_[at(k)]];
  // R^T y = P^T r, each y where its pivot is.
  for (int k = 0; k < rows(); ++k) {
    const Front& front = fronts_[at(k)];
    if (front.dependent) continue;
    const double y = open[k] / front.A(0, 0);
    x[front.places.front()] = y;
    for (std::size_t c = 1; c < front.columns.size(); ++c)
      open[front.columns[c]] -= front.A(0, static_cast<Eigen::Index>(c)) * y;
  }
  // x = Q y.
  Eigen::VectorXd part, work(1);
  for (int k = rows() - 1; k >= 0; --k) {
    const Front& front = fronts_[at(k)];
    part.resize(front.A.rows());
    for (Eigen::Index i = 0; i < part.size(); ++i)
      part[i] = x[front.places[static_cast<std::size_t>(i)]];
    for (int j = static_cast<int>(front.tau.size()) - 1; j >= 0; --j) {
      const Eigen::Index below = part.size() - j - 1;
      part.tail(below + 1).applyHouseholderOnTheLeft(front.A.col(j + front.skip()).tail(below),
                                                     front.tau[at(j)], work.data());
    }
    for (Eigen::Index i = 0; i < part.size(); ++i)
      x[front.places[static_cast<std::size_t>(i)]] = part[i];
  }
  return x;
}

}  // namespace daedalus::mechanism
