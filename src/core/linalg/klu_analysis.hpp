// SPDX-License-Identifier: BSD-3-Clause
// The symbolic analysis behind both sparse solvers: KLU's own (block triangular form, approximate
// minimum degree), or the paired order where that promises fewer entries in the factors. It belongs
// to a structure: the real and the complex matrices of a method share one.
#pragma once

#include <klu.h>

#include <memory>
#include <new>

#include "linalg/linear_solver.hpp"
#include "linalg/paired_ordering.hpp"

namespace daedalus {

// Below this size neither the order nor its choice matters.
inline constexpr int min_paired = 200;

class SparseAnalysis {
 public:
  explicit SparseAnalysis(const SparsePattern& p) : pattern_(p) {
    klu_defaults(&common_);
    symbolic_ = klu_analyze(p.cols, start(), row(), &common_);
    if (!symbolic_) throw std::bad_alloc();
    if (p.cols >= min_paired && 2 * symbolic_->maxblock >= p.cols) pair();
  }
  SparseAnalysis(const SparseAnalysis&) = delete;
  SparseAnalysis& operator=(const SparseAnalysis&) = delete;
  ~SparseAnalysis() { klu_free_symbolic(&symbolic_, &common_); }

  const SparsePattern& pattern() const { return pattern_; }
  // KLU only reads them; its C interface lacks the const.
  int* start() const { return const_cast<int*>(pattern_.start.data()); }
  int* row() const { return const_cast<int*>(pattern_.row.data()); }
  klu_symbolic* symbolic() const { return symbolic_; }
  // That the elimination is expected to take.
  double operations() const { return symbolic_->est_flops; }

 private:
  void pair() {
    PairedOrdering paired = paired_ordering(pattern_);
    if (paired.pairs == 0 || paired.entries > symbolic_->lnz) return;
    common_.btf = 0;
    klu_symbolic* given = klu_analyze_given(pattern_.cols, start(), row(), paired.order.data(),
                                            paired.order.data(), &common_);
    common_.btf = 1;
    if (!given) return;
    klu_free_symbolic(&symbolic_, &common_);
    given->est_flops = paired.operations;
    symbolic_ = given;
  }

  SparsePattern pattern_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
};

// Of a solver by columns; nullptr: another kind.
std::shared_ptr<const SparseAnalysis> analysis_of(const LinearSolver& solver);

}  // namespace daedalus
