// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/index_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// What a sum of terms of size one may leave of them where they should cancel.
constexpr double cancelled = 2e-13;

// Columns [A | B | r | L_0 | L_1 ...], L_d the coefficients of the d-th derivatives of the given
// equations, as a series; beside every number the size of the terms it was computed from.
class Rows {
 public:
  Rows(const SeriesSystem& s, int rounds, bool trace)
      : n_(s.A[0].rows()), order_(static_cast<int>(s.r.size()) - 1), trace_(trace) {
    const Index columns = 2 * n_ + 1 + (trace ? n_ * (rounds + 1) : 0);
    for (int k = 0; k <= order_; ++k) {
      MatrixXd w = MatrixXd::Zero(n_, columns);
      w.leftCols(n_) = s.A[at(k)];
      w.middleCols(n_, n_) = s.B[at(k)];
      w.col(2 * n_) = s.r[at(k)];
      if (k == 0 && trace) w.middleCols(origin(0), n_).setIdentity();
      value_.push_back(w);
      size_.push_back(w.cwiseAbs());
    }
  }
  int order() const { return order_; }
  const MatrixXd& operator[](int k) const { return value_[at(k)]; }
  MatrixXd A(int k) const { return value_[at(k)].leftCols(n_); }
  Index origin(int d) const { return 2 * n_ + 1 + n_ * d; }
  double size(int k, Index i, Index j) const { return size_[at(k)](i, j); }

  // Rows `replaced` become W^T times all rows, where W^T (one row for each) has unit entries there;
  // then the rows `kept` take away what A has left in them beyond order 0. Returns what remains.
  double eliminate(const std::vector<Index>& replaced, const std::vector<Index>& kept,
                   const MatrixXd& Wt) {
    for (int k = 0; k <= order_; ++k) {
      put(value_[at(k)], replaced, Wt * value_[at(k)]);
      put(size_[at(k)], replaced, Wt.cwiseAbs() * size_[at(k)]);
      clean(k, replaced);
      if (k == 0)
        for (const Index i : replaced) value_[0].row(i).head(n_).setZero();
    }
    double remainder = 0.0;
    bool varying = false;
    for (int k = 1; k <= order_ && !varying; ++k)
      for (const Index i : replaced)
        varying = varying || !value_[at(k)].row(i).head(n_).isZero(0.0);
    if (!varying) return remainder;
    if (kept.empty()) return 1.0;
    const MatrixXd inverse = right_inverse(rows(value_[0], kept).leftCols(n_));
    std::vector<MatrixXd> Z{
        MatrixXd::Zero(static_cast<Index>(replaced.size()), static_cast<Index>(kept.size()))};
    for (int k = 1; k <= order_; ++k) {
      MatrixXd rest = rows(value_[at(k)], replaced), terms = rows(size_[at(k)], replaced);
      for (int j = 1; j < k; ++j) {
        rest -= Z[at(j)] * rows(value_[at(k - j)], kept);
        terms += Z[at(j)].cwiseAbs() * rows(size_[at(k - j)], kept);
      }
      MatrixXd a = rest.leftCols(n_);
      drop(a, terms.leftCols(n_));
      MatrixXd z = a * inverse;
      drop(z, a.cwiseAbs() * inverse.cwiseAbs());
      Z.push_back(std::move(z));
      rest -= Z.back() * rows(value_[0], kept);
      terms += Z.back().cwiseAbs() * rows(size_[0], kept);
      for (Index i = 0; i < a.rows(); ++i) {
        const double left = rest.row(i).head(n_).cwiseAbs().maxCoeff();
        const double all = terms.row(i).head(n_).maxCoeff();
        if (all > 0.0) remainder = std::max(remainder, left / all);
      }
      rest.leftCols(n_).setZero();
      put(value_[at(k)], replaced, rest);
      put(size_[at(k)], replaced, terms);
      clean(k, replaced);
    }
    return remainder;
  }

  // d/dtau of rows without A: B x' + B' x + r' = 0. One order is lost.
  void differentiate(const std::vector<Index>& which, int round) {
    for (int k = 0; k < order_; ++k)
      for (std::vector<MatrixXd>* series : {&value_, &size_}) {
        MatrixXd& here = (*series)[at(k)];
        const MatrixXd& next = (*series)[at(k + 1)];
        for (const Index i : which) {
          here.row(i).head(n_) = here.row(i).segment(n_, n_);
          here.row(i).segment(n_, n_) = (k + 1) * next.row(i).segment(n_, n_);
          here(i, 2 * n_) = (k + 1) * next(i, 2 * n_);
          for (int d = round + 1; d >= 0 && trace_; --d) {
            VectorXd part = (k + 1) * next.row(i).segment(origin(d), n_).transpose();
            if (d > 0) part += here.row(i).segment(origin(d - 1), n_).transpose();
            here.row(i).segment(origin(d), n_) = part.transpose();
          }
        }
      }
    value_.pop_back();
    size_.pop_back();
    --order_;
  }

 private:
  static MatrixXd rows(const MatrixXd& M, const std::vector<Index>& which) {
    MatrixXd part(static_cast<Index>(which.size()), M.cols());
    for (std::size_t i = 0; i < which.size(); ++i)
      part.row(static_cast<Index>(i)) = M.row(which[i]);
    return part;
  }
  static void put(MatrixXd& M, const std::vector<Index>& which, const MatrixXd& part) {
    for (std::size_t i = 0; i < which.size(); ++i)
      M.row(which[i]) = part.row(static_cast<Index>(i));
  }
  static void drop(MatrixXd& M, const MatrixXd& terms) {
    for (Index e = 0; e < M.size(); ++e)
      if (std::abs(M.data()[e]) <= cancelled * terms.data()[e]) M.data()[e] = 0.0;
  }
  void clean(int k, const std::vector<Index>& which) {
    MatrixXd& v = value_[at(k)];
    const MatrixXd& s = size_[at(k)];
    for (Index j = 0; j < v.cols(); ++j)
      for (const Index i : which)
        if (j != 2 * n_ && std::abs(v(i, j)) <= cancelled * s(i, j)) v(i, j) = 0.0;
  }
  // M^+ of a matrix with independent rows, equilibrated.
  static MatrixXd right_inverse(const MatrixXd& M) {
    VectorXd row(M.rows()), col(M.cols());
    MatrixXd scaled = M;
    for (Index i = 0; i < M.rows(); ++i) {
      row[i] = 1.0 / scaled.row(i).cwiseAbs().maxCoeff();
      scaled.row(i) *= row[i];
    }
    for (Index j = 0; j < M.cols(); ++j) {
      const double most = scaled.col(j).cwiseAbs().maxCoeff();
      col[j] = most > 0.0 ? 1.0 / most : 1.0;
      scaled.col(j) *= col[j];
    }
    const SingularValues svd = singular_value_decomposition(scaled);
    const Index r = M.rows();
    MatrixXd inverse =
        svd.v.leftCols(r) * svd.values.head(r).cwiseInverse().asDiagonal() * svd.u.transpose();
    drop(inverse,
         MatrixXd::Constant(inverse.rows(), inverse.cols(), 0.05 * inverse.cwiseAbs().maxCoeff()));
    return col.asDiagonal() * inverse * row.asDiagonal();
  }

  Index n_;
  int order_;
  bool trace_;
  std::vector<MatrixXd> value_, size_;
};

// Unit entries at as many rows as there are columns; which rows of `among`, is returned.
std::vector<Index> reduce_basis(const MatrixXd& A, const std::vector<Index>& among, MatrixXd& N) {
  const Index m = N.cols();
  // Where rows of A are large, small multiples of them matter: pivots are sought in the product.
  VectorXd size = A.cwiseAbs().rowwise().maxCoeff();
  for (double& s : size)
    if (s == 0.0) s = 1.0;
  MatrixXd scaled(m, static_cast<Index>(among.size()));
  for (Index j = 0; j < scaled.cols(); ++j)
    scaled.col(j) = size[among[at(j)]] * N.row(among[at(j)]).transpose();
  const PivotedQr qr = pivoted_qr(scaled);
  std::vector<Index> pivots;
  MatrixXd square(m, m);
  for (Index i = 0; i < m; ++i) {
    pivots.push_back(among[at(qr.columns[i])]);
    square.row(i) = N.row(pivots.back());
  }
  N = PivotedLu(square.transpose()).solve_columns(N.transpose()).transpose();
  for (Index k = 0; k < m; ++k) {
    const double most = (size.asDiagonal() * N.col(k)).cwiseAbs().maxCoeff();
    for (Index i = 0; i < N.rows(); ++i)
      if (std::abs(N(i, k)) * size[i] <= 1e-13 * most) N(i, k) = 0.0;
    for (Index i = 0; i < m; ++i) N(pivots[at(i)], k) = i == k ? 1.0 : 0.0;
  }
  return pivots;
}

// Combinations of constraint gradients that vanish.
void find_dependence(IndexReduction& result, const ChainSettings& settings) {
  const MatrixXd C = result.gradients();
  const Kernels k = kernels_of(C, settings);
  if (k.left.cols() == 0) return;
  result.singular = true;
  for (Index j = 0; j < k.left.cols(); ++j) result.dependence.push_back(k.left.col(j));
}

}  // namespace

MatrixXd IndexReduction::gradients() const {
  if (constraints.empty()) return {};
  MatrixXd C(static_cast<Index>(constraints.size()), constraints[0].gradient.size());
  for (std::size_t i = 0; i < constraints.size(); ++i)
    C.row(static_cast<Index>(i)) = constraints[i].gradient.transpose();
  return C;
}

VectorXd IndexReduction::values() const {
  VectorXd c(static_cast<Index>(constraints.size()));
  for (std::size_t i = 0; i < constraints.size(); ++i)
    c[static_cast<Index>(i)] = constraints[i].value;
  return c;
}

MatrixXd IndexReduction::solution(const VectorXd& x0) const {
  const int known = static_cast<int>(r.size());
  MatrixXd x = MatrixXd::Zero(x0.size(), known + 1);
  x.col(0) = x0;
  VectorXd row(x0.size()), col(x0.size());
  MatrixXd scaled = A[0];
  for (Index i = 0; i < scaled.rows(); ++i) {
    row[i] = 1.0 / scaled.row(i).cwiseAbs().maxCoeff();
    scaled.row(i) *= row[i];
  }
  for (Index j = 0; j < scaled.cols(); ++j) {
    col[j] = 1.0 / scaled.col(j).cwiseAbs().maxCoeff();
    scaled.col(j) *= col[j];
  }
  const PivotedLu lu(scaled);
  for (int k = 0; k < known; ++k) {
    VectorXd sum = r[at(k)];
    for (int j = 0; j <= k; ++j) {
      sum += B[at(j)] * x.col(k - j);
      if (j > 0) sum += (k + 1 - j) * (A[at(j)] * x.col(k + 1 - j));
    }
    x.col(k + 1) = col.cwiseProduct(lu.solve(-row.cwiseProduct(sum))) / (k + 1);
  }
  return x;
}

IndexReduction reduce_index(const SeriesSystem& system, int max_rounds,
                            const ChainSettings& settings, bool trace) {
  const Index n = system.A[0].rows();
  IndexReduction result;
  const int rounds = std::min(max_rounds, static_cast<int>(system.r.size()) - 1);
  Rows w(system, rounds, trace);
  // Rows kept in one round are independent in the next one, too, so that those to be replaced are
  // found among the differentiated ones. Taken from there alone, they do not change from one point
  // to the next: which rows remain decides what x' is where x is not consistent.
  std::vector<Index> among(at(n));
  std::iota(among.begin(), among.end(), Index{0});
  for (int round = 0;; ++round) {
    Kernels k = kernels_of(w.A(0), settings);
    result.ranks.push_back(k.decision);
    result.kernels.push_back(k.right);
    if (k.decision.full()) {
      result.index = round;
      break;
    }
    if (round == rounds) return result;
    // Rows that were independent stay so: a larger kernel means that scales differ too much for
    // these numbers to decide a rank.
    if (k.left.cols() > static_cast<Index>(among.size())) return result;
    const std::vector<Index> replaced = reduce_basis(w.A(0), among, k.left);
    std::vector<Index> kept;
    for (Index i = 0; i < n; ++i)
      if (std::find(replaced.begin(), replaced.end(), i) == replaced.end()) kept.push_back(i);
    result.remainder = std::max(result.remainder, w.eliminate(replaced, kept, k.left.transpose()));
    for (const Index i : replaced) {
      IndexReduction::Constraint c;
      c.round = round;
      c.row = static_cast<int>(i);
      c.gradient = w[0].row(i).segment(n, n);
      c.value = w[0](i, 2 * n);
      c.size = w.size(0, i, 2 * n);
      if (trace) c.origin.resize(n, round + 1);
      for (int d = 0; d <= round && trace; ++d)
        c.origin.col(d) = w[0].row(i).segment(w.origin(d), n);
      result.constraints.push_back(std::move(c));
    }
    find_dependence(result, settings);
    if (result.singular) return result;
    w.differentiate(replaced, round);
    among = replaced;
  }
  for (int k = 0; k <= w.order(); ++k) {
    result.A.push_back(w.A(k));
    result.B.push_back(w[k].middleCols(n, n));
    result.r.push_back(w[k].col(2 * n));
  }
  return result;
}

}  // namespace daedalus
