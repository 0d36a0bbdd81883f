// SPDX-License-Identifier: BSD-3-Clause
// Sparse LU of the whole matrix [M A^T; B 0], whose pattern is put together once.
#include <algorithm>
#include <optional>
#include <vector>

#include "linalg/linear_solver.hpp"
#include "linalg/pivots.hpp"
#include "linalg/saddle_kinds.hpp"

namespace daedalus {
namespace {

class SparseSaddle final : public SaddleSolver {
 public:
  bool factorise(const PieceMatrix& M, const PieceMatrix& A, const PieceMatrix& B) override {
    if (!solver_ || !M.same_structure(M_) || !A.same_structure(A_) || !B.same_structure(B_))
      set_up(M, A, B);
    const auto scatter = [&](const PieceMatrix& m, const std::vector<int>& position) {
      const auto from = m.values();
      for (std::size_t k = 0; k < from.size(); ++k)
        values_[static_cast<std::size_t>(position[k])] = from[k];
    };
    scatter(M, of_m_), scatter(A, of_a_), scatter(B, of_b_);
    if (to_restore_) {
      restore_pivots(*solver_, *to_restore_);
      to_restore_.reset();
    }
    const bool regular = solver_->factorise(values_);
    singular_column_ = solver_->singular_column();
    return regular;
  }
  void solve(double* xy) override { solver_->solve(xy); }
  double reciprocal_condition() const override {
    return solver_ ? solver_->reciprocal_condition() : std::numeric_limits<double>::quiet_NaN();
  }
  std::string_view name() const override { return "sparse"; }
  PivotState pivots() const {
    return to_restore_ ? *to_restore_ : solver_ ? pivots_of(*solver_) : PivotState{};
  }
  // The structure is known at the next factorise.
  void restore(const PivotState& pivots) { to_restore_ = pivots; }

 private:
  void set_up(const PieceMatrix& M, const PieceMatrix& A, const PieceMatrix& B) {
    M_ = M, A_ = A, B_ = B;
    const int nv = M.rows(), n = nv + A.rows();
    struct Entry {
      int row;
      std::vector<int>* position;
      std::size_t at;
    };
    std::vector<std::vector<Entry>> columns(static_cast<std::size_t>(n));
    const auto put = [&](int r, int c, std::vector<int>& position, std::size_t at) {
      columns[static_cast<std::size_t>(c)].push_back({r, &position, at});
    };
    of_m_.resize(M.values().size());
    of_a_.resize(A.values().size());
    of_b_.resize(B.values().size());
    M.for_each_position([&](int r, int c, std::size_t k) { put(r, c, of_m_, k); });
    B.for_each_position([&](int r, int c, std::size_t k) { put(nv + r, c, of_b_, k); });
    A.for_each_position([&](int r, int c, std::size_t k) { put(c, nv + r, of_a_, k); });
    SparsePattern pattern{n, n, {0}, {}};
    for (auto& column : columns) {
      std::sort(column.begin(), column.end(),
                [](const Entry& a, const Entry& b) { return a.row < b.row; });
      for (const Entry& e : column) {
        (*e.position)[e.at] = pattern.nonzeros();
        pattern.row.push_back(e.row);
      }
      pattern.start.push_back(pattern.nonzeros());
    }
    values_.assign(pattern.row.size(), 0.0);
    solver_ = make_linear_solver(pattern, LinearSolverKind::sparse);
  }

  PieceMatrix M_, A_, B_;                // structure only
  std::vector<int> of_m_, of_a_, of_b_;  // positions in values_
  std::vector<double> values_;
  std::unique_ptr<LinearSolver> solver_;
  std::optional<PivotState> to_restore_;
};

}  // namespace

std::unique_ptr<SaddleSolver> make_sparse_saddle() { return std::make_unique<SparseSaddle>(); }

PivotState pivots_of(const SaddleSolver& solver) {
  const auto* sparse = dynamic_cast<const SparseSaddle*>(&solver);
  return sparse ? sparse->pivots() : PivotState{};
}

void restore_pivots(SaddleSolver& solver, const PivotState& pivots) {
  if (auto* sparse = dynamic_cast<SparseSaddle*>(&solver)) sparse->restore(pivots);
}

}  // namespace daedalus
