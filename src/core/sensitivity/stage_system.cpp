// SPDX-License-Identifier: BSD-3-Clause
#include "sensitivity/stage_system.hpp"

#include <algorithm>

#include "kernel/at.hpp"

namespace daedalus {

StageSystem::StageSystem(ColumnEquations& equations, const Asked& asked, int stages)
    : equations_(equations),
      asked_(asked),
      stages_(stages),
      n_(equations.size()),
      grouped_(!equations.layout().euclidean()),
      values_e_(at(stages)),
      values_j_(at(stages)),
      rhs_(stages * n_, asked.columns()) {}

void StageSystem::structure() {
  const Pencil& pencil = equations_.pencil();
  known_structure_ = pencil.structure();
  e_ = pencil.pattern_e();
  // On groups E ad(x') fills rows that J leaves empty.
  j_ = grouped_ ? SparsePattern::dense(n_, n_) : pencil.pattern_j();
  std::vector<int> of_e, of_j;
  const SparsePattern both = unite(e_, j_, &of_e, &of_j);
  const int m = stages_;
  SparsePattern all{m * n_, m * n_, {0}, {}};
  // Where the entry (r, c) of the diagonal block, or of E, comes to stand.
  std::vector<std::vector<int>> diagonal(at(m), std::vector<int>(at(both.nonzeros())));
  place_e_.assign(at(m * m), std::vector<int>(at(e_.nonzeros())));
  for (int j = 0; j < m; ++j)
    for (int c = 0; c < n_; ++c) {
      for (int i = 0; i < m; ++i) {
        const SparsePattern& block = i == j ? both : e_;
        for (int k = block.start[at(c)]; k < block.start[at(c) + 1]; ++k) {
          (i == j ? diagonal[at(i)] : place_e_[at(i * m + j)])[at(k)] = all.nonzeros();
          all.row.push_back(i * n_ + block.row[at(k)]);
        }
      }
      all.start.push_back(all.nonzeros());
    }
  place_j_.assign(at(m), std::vector<int>(at(j_.nonzeros())));
  for (int i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < of_e.size(); ++k)
      place_e_[at(i * m + i)][k] = diagonal[at(i)][at(of_e[k])];
    for (std::size_t k = 0; k < of_j.size(); ++k) place_j_[at(i)][k] = diagonal[at(i)][at(of_j[k])];
  }
  values_.assign(at(all.nonzeros()), 0.0);
  solver_ = make_linear_solver(all, pencil.kind());
}

// J + E ad(x'): the derivative of the velocity of q (+) s is s' + [x', s].
void StageSystem::add_brackets(int stage, const StagePoint& p) {
  const Pencil& pencil = equations_.pencil();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n_, n_), E = J, ad = J;
  pencil.dense_j(J);
  pencil.dense_e(E);
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(n_);
  for (const LayoutBlock& b : equations_.layout().blocks()) {
    if (b.space.is_euclidean()) continue;
    for (int c = b.tangent; c < b.tangent + b.space.tangents(); ++c) {
      unit[c] = 1.0;
      b.space.bracket(p.xd.data() + b.tangent, unit.data() + b.tangent,
                      ad.col(c).data() + b.tangent);
      unit[c] = 0.0;
    }
  }
  J += E * ad;
  values_j_[at(stage)].assign(J.data(), J.data() + J.size());
}

Outcome StageSystem::solve(const std::vector<StagePoint>& points, const std::vector<double>& alpha,
                           std::vector<Eigen::MatrixXd>& columns) {
  const int m = stages_, cols = asked_.columns();
  for (int i = 0; i < m; ++i) {
    const StagePoint& p = points[at(i)];
    if (const Outcome o = equations_.linearise(p.t, p.x, p.xd); o != Outcome::ok) return o;
    const Pencil& pencil = equations_.pencil();
    if (pencil.structure() != known_structure_) {
      structure();
      if (i > 0) return solve(points, alpha, columns);  // a branch brought in a variable
    }
    values_e_[at(i)].assign(pencil.e().begin(), pencil.e().end());
    if (grouped_)
      add_brackets(i, p);
    else
      values_j_[at(i)].assign(pencil.j().begin(), pencil.j().end());
  }
  std::fill(values_.begin(), values_.end(), 0.0);
  for (int i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < values_j_[at(i)].size(); ++k)
      values_[at(place_j_[at(i)][k])] += values_j_[at(i)][k];
    for (int j = 0; j < m; ++j) {
      const double a = alpha[at(i * m + j)];
      for (std::size_t k = 0; k < values_e_[at(i)].size(); ++k)
        values_[at(place_e_[at(i * m + j)][k])] += a * values_e_[at(i)][k];
    }
  }
  ++factorisations_;
  if (!solver_->factorise(values_)) return Outcome::matrix_singular;
  rhs_.resize(m * n_, cols);
  for (int i = 0; i < m; ++i) {
    const StagePoint& p = points[at(i)];
    if (const Outcome o = equations_.by_parameters(p.t, p.x, p.xd); o != Outcome::ok) return o;
    forcing(i, columns[at(i)]);
  }
  solver_->solve_columns(rhs_.data(), m * n_, cols);
  solves_ += cols;
  for (int i = 0; i < m; ++i) columns[at(i)] = rhs_.middleRows(i * n_, n_);
  return Outcome::ok;
}

void StageSystem::forcing(int stage, const Eigen::MatrixXd& beta) {
  const std::vector<double>& e = values_e_[at(stage)];
  auto out = rhs_.middleRows(stage * n_, n_);
  out.setZero();
  for (int j = 0; j < beta.cols(); ++j)
    for (int c = 0; c < n_; ++c)
      if (const double b = beta(c, j); b != 0.0)
        for (int k = e_.start[at(c)]; k < e_.start[at(c) + 1]; ++k)
          out(e_.row[at(k)], j) -= e[at(k)] * b;
  const SparseValues& F_p = equations_.parameter_slopes();
  for (int p = 0; p < F_p.pattern.cols; ++p)
    for (int k = F_p.pattern.start[at(p)]; k < F_p.pattern.start[at(p) + 1]; ++k) {
      const int row = F_p.pattern.row[at(k)];
      if (asked_.directions.size() == 0)
        out(row, p) -= F_p.values[at(k)];
      else
        out.row(row) -= F_p.values[at(k)] * asked_.directions.row(p);
    }
}

}  // namespace daedalus
