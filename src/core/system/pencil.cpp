// SPDX-License-Identifier: BSD-3-Clause
#include "system/pencil.hpp"

#include <algorithm>

#include "system/archive_pivots.hpp"

namespace daedalus {

Pencil::Pencil(const SparsePattern& e, const SparsePattern& j, LinearSolverKind kind,
               Counter& counter)
    : pattern_e_(e),
      pattern_j_(j),
      pattern_(unite(e, j, &map_e_, &map_j_)),
      e_(static_cast<std::size_t>(e.nonzeros()), 0.0),
      j_(static_cast<std::size_t>(j.nonzeros()), 0.0),
      values_(static_cast<std::size_t>(pattern_.nonzeros()), 0.0),
      kind_(kind),
      solver_(make_linear_solver(pattern_, kind)),
      counter_(counter) {}

Pencil::Pencil(const SparsePattern& e, std::unique_ptr<IterativeSolver> products, Counter& counter)
    : pattern_e_(e),
      pattern_j_{e.rows, e.cols, std::vector<int>(static_cast<std::size_t>(e.cols) + 1, 0), {}},
      e_(static_cast<std::size_t>(e.nonzeros()), 0.0),
      kind_(LinearSolverKind::krylov),
      matrix_free_(std::move(products)),
      counter_(counter) {}

void Pencil::restructure(const SparsePattern& e, const SparsePattern& j, LinearSolverKind kind) {
  ++structure_;
  factorised_ = false;
  pattern_e_ = e;
  e_.assign(static_cast<std::size_t>(e.nonzeros()), 0.0);
  if (matrix_free_) return;
  pattern_j_ = j;
  map_e_.clear();
  map_j_.clear();
  pattern_ = unite(e, j, &map_e_, &map_j_);
  j_.assign(static_cast<std::size_t>(j.nonzeros()), 0.0);
  values_.assign(static_cast<std::size_t>(pattern_.nonzeros()), 0.0);
  kind_ = kind;
  solver_ = make_linear_solver(pattern_, kind);
}

void Pencil::set_e(std::span<const double> values) {
  std::copy(values.begin(), values.end(), e_.begin());
}
void Pencil::set_j(std::span<const double> values) {
  std::copy(values.begin(), values.end(), j_.begin());
}

Outcome Pencil::factorise(double alpha, double beta) {
  if (matrix_free_) {
    alpha_ = alpha;
    beta_ = beta;
    const Outcome o = matrix_free_->update(alpha, beta);
    factorised_ = o == Outcome::ok;
    return o;
  }
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::size_t k = 0; k < j_.size(); ++k)
    values_[static_cast<std::size_t>(map_j_[k])] = beta * j_[k];
  for (std::size_t k = 0; k < e_.size(); ++k)
    values_[static_cast<std::size_t>(map_e_[k])] += alpha * e_[k];
  alpha_ = alpha;
  beta_ = beta;
  counter_.now().factorisations += 1;
  factorised_ = solver_->factorise(values_);
  return factorised_ ? Outcome::ok : Outcome::matrix_singular;
}

bool Pencil::solve(double* x) {
  counter_.now().solves += 1;
  if (matrix_free_) return matrix_free_->solve(x);
  solver_->solve(x);
  return true;
}

Outcome Pencil::try_solve(double* x, Communicator& ranks) {
  return solve(x) ? Outcome::ok : ranks.settle(Outcome::krylov_failed);
}

void Pencil::add_e_times(double factor, const double* x, double* out) const {
  if (matrix_free_ && matrix_free_->add_e_times(factor, x, out)) return;
  for (int c = 0; c < pattern_e_.cols; ++c)
    for (int k = pattern_e_.start[static_cast<std::size_t>(c)];
         k < pattern_e_.start[static_cast<std::size_t>(c) + 1]; ++k)
      out[pattern_e_.row[static_cast<std::size_t>(k)]] +=
          factor * e_[static_cast<std::size_t>(k)] * x[c];
}

namespace {
void expand(const SparsePattern& p, const std::vector<double>& values, Eigen::MatrixXd& out) {
  out.setZero(p.rows, p.cols);
  for (int c = 0; c < p.cols; ++c)
    for (int k = p.start[static_cast<std::size_t>(c)]; k < p.start[static_cast<std::size_t>(c) + 1];
         ++k)
      out(p.row[static_cast<std::size_t>(k)], c) = values[static_cast<std::size_t>(k)];
}
}  // namespace

void Pencil::dense_e(Eigen::MatrixXd& E) const { expand(pattern_e_, e_, E); }
void Pencil::dense_j(Eigen::MatrixXd& J) const { expand(pattern_j_, j_, J); }

void Pencil::archive(Archive& a) {
  a(e_, j_, alpha_, beta_, factorised_);
  if (matrix_free_) {
    matrix_free_->archive(a);
    if (!a.saving() && factorised_) matrix_free_->update(alpha_, beta_);
    return;
  }
  const PivotState pivots = archive_pivots(a, *solver_);
  if (a.saving() || !factorised_ || (!pivots.values.empty() && pivots.fresh)) return;
  const Counts before = counter_.now();
  factorise(alpha_, beta_);
  counter_.now() = before;
}

}  // namespace daedalus
