// SPDX-License-Identifier: BSD-3-Clause
// Weierstrass form of a pencil from its staircase, and what follows from it in closed form.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/analysis.hpp>

#include "analysis/eigenvalues_order.hpp"
#include "analysis/pencil_form_staircase.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Between singular values kept and dropped; clear decisions have 1e8 and more.
constexpr double unclear_gap = 1e3;

// Sizes of Jordan blocks of a nilpotent matrix from the ranks of its powers: the staircase has
// index steps, step k of height h_k, and h_k - h_{k+1} blocks have size k.
std::vector<int> block_sizes(const std::vector<int>& ranks, int n) {
  std::vector<int> heights;
  int left = n;
  for (const int r : ranks) {
    if (r == left) break;
    heights.push_back(left - r);
    left = r;
  }
  std::vector<int> sizes;
  for (std::size_t k = heights.size(); k-- > 0;) {
    const int next = k + 1 < heights.size() ? heights[k + 1] : 0;
    for (int count = heights[k] - next; count > 0; --count)
      sizes.push_back(static_cast<int>(k) + 1);
  }
  return sizes;
}

// exp(M) by scaling, a Taylor series of degree 18 and squaring: |M| <= 1/2 leaves an error below
// 1e-22 of the series (Moler, Van Loan 2003, methods 1 and 3).
MatrixXd exponential(const MatrixXd& M) {
  const double size = M.size() > 0 ? M.cwiseAbs().rowwise().sum().maxCoeff() : 0.0;
  const int halvings = size > 0.5 ? static_cast<int>(std::ceil(std::log2(2.0 * size))) : 0;
  const MatrixXd small = std::ldexp(1.0, -halvings) * M;
  MatrixXd sum = MatrixXd::Identity(M.rows(), M.cols());
  for (int k = 18; k >= 1; --k)
    sum = (MatrixXd::Identity(M.rows(), M.cols()) + small * sum / k).eval();
  for (int k = 0; k < halvings; ++k) sum = (sum * sum).eval();
  return sum;
}

// Coefficients of the derivative of a polynomial, column k with t^k.
MatrixXd derivative(const MatrixXd& q) {
  MatrixXd d = MatrixXd::Zero(q.rows(), q.cols());
  for (Index k = 1; k < q.cols(); ++k) d.col(k - 1) = static_cast<double>(k) * q.col(k);
  return d;
}

VectorXd value(const MatrixXd& q, double t) {
  VectorXd v = VectorXd::Zero(q.rows());
  for (Index k = q.cols(); k-- > 0;) v = t * v + q.col(k);
  return v;
}

void check(const WeierstrassForm& w, const MatrixXd& q, Index x) {
  if (!w.regular)
    throw InvalidArgument("the pencil is singular: it has no solution for every right-hand side");
  const Index n = w.right.rows();
  if (q.rows() != n || x != n)
    throw InvalidArgument(fmt::format(
        "q has {} rows and x {} entries; both need {}, as many as the pencil", q.rows(), x, n));
}

// z = g - N g' + N^2 g'' - ...
VectorXd algebraic_part(const WeierstrassForm& w, const MatrixXd& q, double t) {
  MatrixXd g = (w.left * q).bottomRows(w.N.rows());
  MatrixXd power = MatrixXd::Identity(w.N.rows(), w.N.rows());
  VectorXd z = VectorXd::Zero(w.N.rows());
  for (int k = 0; k < w.index; ++k) {
    z += power * value(g, t);
    power = (-power * w.N).eval();
    g = derivative(g);
  }
  return z;
}

}  // namespace

WeierstrassForm weierstrass_form(const MatrixXd& A, const MatrixXd& B, double tolerance) {
  if (A.rows() != A.cols() || B.rows() != A.rows() || B.cols() != A.cols())
    throw InvalidArgument(
        fmt::format("a pencil needs two square matrices of one size; these are {} x {} and {} x {}",
                    A.rows(), A.cols(), B.rows(), B.cols()));
  if (!A.allFinite() || !B.allFinite())
    throw InvalidArgument("a pencil needs matrices of finite numbers");
  const Staircase s = staircase(A, B, tolerance);
  WeierstrassForm w;
  w.regular = s.regular;
  w.ranks = s.ranks;
  w.gap = s.gap;
  if (s.gap < unclear_gap)
    w.warnings.push_back(
        fmt::format("A rank decision of the pencil is doubtful: its gap is only {:.2g}.", s.gap));
  if (!s.regular) {
    const double most = s.equations.cwiseAbs().maxCoeff();
    std::string which;
    for (Index i = 0; i < s.equations.size(); ++i)
      if (std::abs(s.equations[i]) > 1e-8 * most)
        which += fmt::format("{}{}", which.empty() ? "" : ", ", i + 1);
    w.warnings.push_back(fmt::format(
        "The pencil is singular: det(s A + B) = 0 for every s, {} row{} of it {} on "
        "others; rows {} take part.",
        s.missing, s.missing == 1 ? "" : "s", s.missing == 1 ? "depends" : "depend", which));
    return w;
  }
  const Index n = A.rows(), f = s.finite, m = n - f;
  w.index = s.index;
  w.finite = s.finite;
  w.nilpotent_blocks = block_sizes(s.ranks, static_cast<int>(n));
  // Finite part to A_f = I, infinite part to B_i = I.
  MatrixXd left = s.left, right = s.right;
  MatrixXd a_fi = s.A.topRightCorner(f, m), b_fi = s.B.topRightCorner(f, m);
  if (f > 0) {
    const PivotedLu lu(s.A.topLeftCorner(f, f));
    w.C = lu.solve_columns(s.B.topLeftCorner(f, f));
    if (m > 0) {
      a_fi = lu.solve_columns(a_fi);
      b_fi = lu.solve_columns(b_fi);
    }
    left.topRows(f) = lu.solve_columns(s.left.topRows(f));
  } else {
    w.C.resize(0, 0);
  }
  if (m > 0) {
    const PivotedLu lu(s.B.bottomRightCorner(m, m));
    w.N = lu.solve_columns(s.A.bottomRightCorner(m, m));
    left.bottomRows(m) = lu.solve_columns(s.left.bottomRows(m));
    // The staircase is strictly triangular by blocks: what stands on and below it is rounding.
    Index first = n;
    for (std::size_t k = 0; k < s.ranks.size() && s.ranks[k] < first; ++k) {
      const Index height = first - s.ranks[k];
      w.N.block(s.ranks[k] - f, 0, height, first - f).setZero();
      first = s.ranks[k];
    }
  } else {
    w.N.resize(0, 0);
  }
  if (f > 0 && m > 0) {
    // R = C R N + K with a nilpotent N: a finite sum. L = -C R - B_fi.
    const MatrixXd K = b_fi * w.N - a_fi;
    MatrixXd R = K, term = K;
    for (int k = 1; k <= w.index; ++k) {
      term = (w.C * term * w.N).eval();
      R += term;
    }
    const MatrixXd L = -(w.C * R) - b_fi;
    left.topRows(f) += (L * left.bottomRows(m)).eval();
    right.rightCols(m) += (right.leftCols(f) * R).eval();
  }
  // Back from t / tau.
  w.C *= 1.0 / s.tau;
  w.N *= s.tau;
  left.topRows(f) *= 1.0 / s.tau;
  w.left = std::move(left);
  w.right = std::move(right);
  return w;
}

std::vector<std::complex<double>> WeierstrassForm::eigenvalues() const {
  return ordered_eigenvalues(-C, MatrixXd::Identity(C.rows(), C.cols()));
}

VectorXd WeierstrassForm::consistent(const VectorXd& guess, const MatrixXd& q, double t) const {
  check(*this, q, guess.size());
  VectorXd parts = PivotedLu(right).solve(guess);
  parts.tail(N.rows()) = algebraic_part(*this, q, t);
  return right * parts;
}

// y' = -C y + f(t) with y(t0) given and f a polynomial: with f(t0 + s) = sum f_k s^k / k! it is the
// part of y in exp((t - t0) [-C F; 0 J]) (y, 1, 0, ...), J the shift of the powers.
VectorXd WeierstrassForm::solution(const VectorXd& x0, double t0, const MatrixXd& q,
                                   double t) const {
  check(*this, q, x0.size());
  VectorXd parts = PivotedLu(right).solve(x0);
  if (finite > 0) {
    const Index powers = q.cols();
    MatrixXd whole = MatrixXd::Zero(finite + powers, finite + powers);
    whole.topLeftCorner(finite, finite) = -C;
    MatrixXd f = (left * q).topRows(finite);
    for (Index k = 0; k < powers; ++k) {
      whole.block(0, finite + k, finite, 1) = value(f, t0);
      f = derivative(f);
    }
    // Powers p_k = s^k / k!: p_0' = 0, p_k' = p_{k-1}.
    for (Index k = 1; k < powers; ++k) whole(finite + k, finite + k - 1) = 1.0;
    VectorXd start = VectorXd::Zero(finite + powers);
    start.head(finite) = parts.head(finite);
    if (powers > 0) start[finite] = 1.0;
    parts.head(finite) = (exponential((t - t0) * whole) * start).head(finite);
  }
  parts.tail(N.rows()) = algebraic_part(*this, q, t);
  return right * parts;
}

}  // namespace daedalus
