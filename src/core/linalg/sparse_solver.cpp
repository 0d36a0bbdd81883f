// SPDX-License-Identifier: BSD-3-Clause
// Sparse LU by KLU (Davis, Palamadai Natarajan 2010): block triangular form and ordering are found
// once for the life of the solver, pivots are kept as long as they are good.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <new>
#include <vector>

#include "kernel/lu.hpp"
#include "linalg/klu_analysis.hpp"
#include "linalg/multifrontal.hpp"
#include "linalg/pivots.hpp"
#include "linalg/solver_kinds.hpp"

namespace daedalus {
namespace {

// A refactorisation reuses the pivots of other values. Its backward error is about eps / growth,
// where growth = min over columns of max|A_j| / max|U_j| (klu_rgrowth); it is compared with the
// growth that a fresh choice of pivots had, because some matrices cannot do better. Below 1e-3
// (more than three digits lost) and below a tenth of the fresh value the pivots are chosen anew.
constexpr double min_growth = 1e-3;
constexpr double growth_loss = 0.1;

// Growth sees U only. Large multipliers come with pivots that have become small, hence new pivots
// also when the smallest falls against the largest by six orders since the last choice. A step size
// that shrinks by ten orders triggers this once or twice per run, which costs nothing.
constexpr double condition_loss = 1e-6;

// Diagonal entries within a tenth of the largest one are accepted as pivots. The default of KLU,
// 0.001, permits multipliers of 1000 and with them three lost digits per elimination step.
constexpr double pivot_tolerance = 0.1;

class SparseSolver final : public LinearSolver {
 public:
  explicit SparseSolver(std::shared_ptr<const SparseAnalysis> analysis)
      : analysis_(std::move(analysis)), pattern_(analysis_->pattern()) {
    klu_defaults(&common_);
    common_.tol = pivot_tolerance;
    common_.scale = 2;  // divide each row by its largest entry: rows of a DAE differ in units
    pivot_values_.reserve(pattern_.row.size());
  }

  ~SparseSolver() override { klu_free_numeric(&numeric_, &common_); }

  bool factorise(std::span<const double> values) override {
    assert(values.size() == pattern_.row.size());
    singular_column_ = -1;
    reciprocal_condition_ = std::numeric_limits<double>::quiet_NaN();
    if (!all_finite(values)) return false;
    // KLU reads the values only; its C interface lacks the const.
    double* entries = const_cast<double*>(values.data());
    return refactorise(entries) || choose_pivots(entries);
  }

  void solve(double* x) override {
    klu_solve(analysis_->symbolic(), numeric_, pattern_.cols, 1, x, &common_);
  }
  double reciprocal_condition() const override { return reciprocal_condition_; }
  std::string_view name() const override { return "sparse"; }
  const std::shared_ptr<const SparseAnalysis>& analysis() const { return analysis_; }

  PivotState pivots() const { return {numeric_ ? pivot_values_ : std::vector<double>{}, fresh_}; }
  void restore(const PivotState& pivots) {
    klu_free_numeric(&numeric_, &common_);
    if (pivots.values.size() != pattern_.row.size()) return;
    std::vector<double> values = pivots.values;
    choose_pivots(values.data());
  }

 private:
  bool refactorise(double* entries) {
    if (!numeric_) return false;
    if (!klu_refactor(analysis_->start(), analysis_->row(), entries, analysis_->symbolic(),
                      numeric_, &common_) ||
        !assess(entries))
      return false;
    fresh_ = false;
    return growth_ >= std::min(min_growth, growth_loss * fresh_growth_) &&
           reciprocal_condition_ >= condition_loss * fresh_condition_;
  }

  // The only place that allocates after construction: KLU sizes the factors while it finds pivots.
  bool choose_pivots(double* entries) {
    klu_free_numeric(&numeric_, &common_);
    numeric_ =
        klu_factor(analysis_->start(), analysis_->row(), entries, analysis_->symbolic(), &common_);
    if (common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    if (numeric_ && common_.status == KLU_OK && assess(entries)) {
      fresh_growth_ = growth_;
      fresh_condition_ = reciprocal_condition_;
      pivot_values_.assign(entries, entries + pattern_.row.size());
      fresh_ = true;
      return true;
    }
    if (singular_column_ < 0 && common_.status == KLU_SINGULAR)
      singular_column_ = common_.singular_col;
    // A factor that stopped half-way must not lend its pivots to the next values.
    klu_free_numeric(&numeric_, &common_);
    reciprocal_condition_ = std::numeric_limits<double>::quiet_NaN();
    return false;
  }

  // Quality of the factors at hand; false when a pivot is zero, too small or not finite.
  bool assess(double* entries) {
    singular_column_ = -1;
    if (common_.status != KLU_OK) return false;
    const double* pivots = static_cast<const double*>(numeric_->Udiag);
    for (int k = 0; k < pattern_.cols; ++k) {
      if (kernel::usable_pivot(std::fabs(pivots[k]))) continue;
      singular_column_ = analysis_->symbolic()->Q[k];
      return false;
    }
    klu_rcond(analysis_->symbolic(), numeric_, &common_);
    reciprocal_condition_ = common_.rcond;
    klu_rgrowth(analysis_->start(), analysis_->row(), entries, analysis_->symbolic(), numeric_,
                &common_);
    growth_ = common_.rgrowth;
    return true;
  }

  std::shared_ptr<const SparseAnalysis> analysis_;
  const SparsePattern& pattern_;
  std::vector<double> pivot_values_;  // that fixed the pivots
  bool fresh_ = true;
  klu_common common_{};
  klu_numeric* numeric_ = nullptr;
  double growth_ = 0, fresh_growth_ = 0;
  double reciprocal_condition_ = std::numeric_limits<double>::quiet_NaN(), fresh_condition_ = 0;
};

}  // namespace

std::unique_ptr<LinearSolver> make_sparse_solver(const SparsePattern& pattern) {
  auto analysis = std::make_shared<const SparseAnalysis>(pattern);
  if (analysis->operations() <= max_by_columns)
    return std::make_unique<SparseSolver>(std::move(analysis));
  return make_multifrontal_solver(pattern);
}

std::shared_ptr<const SparseAnalysis> analysis_of(const LinearSolver& solver) {
  const auto* sparse = dynamic_cast<const SparseSolver*>(&solver);
  return sparse ? sparse->analysis() : nullptr;
}

PivotState pivots_of(const LinearSolver& solver) {
  const auto* sparse = dynamic_cast<const SparseSolver*>(&solver);
  return sparse ? sparse->pivots() : PivotState{};
}

void restore_pivots(LinearSolver& solver, const PivotState& pivots) {
  if (auto* sparse = dynamic_cast<SparseSolver*>(&solver)) sparse->restore(pivots);
}

}  // namespace daedalus
