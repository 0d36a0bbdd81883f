// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/complex_solver.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <new>
#include <numeric>
#include <vector>

#include "kernel/lu.hpp"
#include "linalg/klu_analysis.hpp"
#include "linalg/multifrontal.hpp"
#include "linalg/solver_kinds.hpp"

namespace daedalus {
namespace {

// |re| + |im|: within a factor of 1.42 of the absolute value, and enough to compare sizes.
double size_of(double re, double im) { return std::fabs(re) + std::fabs(im); }

// target -= factor * source, in pairs, which fill a vector register.
void subtract_complex_multiple(double* __restrict__ target_re, double* __restrict__ target_im,
                               const double* __restrict__ source_re,
                               const double* __restrict__ source_im, double re, double im,
                               int count) {
  using Pair = double __attribute__((vector_size(16)));
  const auto load = [](const double* from) {
    Pair p;
    std::memcpy(&p, from, sizeof p);
    return p;
  };
  const auto store = [](double* to, const Pair& p) { std::memcpy(to, &p, sizeof p); };
  const Pair both_re{re, re}, both_im{im, im};
  int i = 0;
  for (; i + 2 <= count; i += 2) {
    const Pair a = load(source_re + i), b = load(source_im + i);
    store(target_re + i, load(target_re + i) - (both_re * a - both_im * b));
    store(target_im + i, load(target_im + i) - (both_re * b + both_im * a));
  }
  if (i < count) {
    target_re[i] -= re * source_re[i] - im * source_im[i];
    target_im[i] -= re * source_im[i] + im * source_re[i];
  }
}

// P A = L U by outer products with partial pivoting, real and imaginary parts in arrays of their
// own (Golub, Van Loan 2013, algorithm 3.4.1). A zero in the pivot row skips its column.
class DenseComplexSolver final : public ComplexSolver {
 public:
  explicit DenseComplexSolver(const SparsePattern& p)
      : n_(p.rows),
        row_(p.row),
        position_(p.row.size()),
        permutation_(static_cast<std::size_t>(n_)),
        scale_(static_cast<std::size_t>(n_)),
        re_(static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_)),
        im_(re_.size()),
        inverse_re_(static_cast<std::size_t>(n_)),
        inverse_im_(static_cast<std::size_t>(n_)),
        x_re_(static_cast<std::size_t>(n_)),
        x_im_(static_cast<std::size_t>(n_)) {
    for (int c = 0; c < p.cols; ++c)
      for (int k = p.start[c]; k < p.start[c + 1]; ++k) position_[k] = c * n_ + p.row[k];
  }

  bool factorise(std::span<const double> values) override {
    assert(values.size() == 2 * position_.size());
    singular_column_ = -1;
    if (!all_finite(values)) return false;
    std::fill(scale_.begin(), scale_.end(), 0.0);
    for (std::size_t k = 0; k < position_.size(); ++k)
      scale_[row_[k]] = std::max(scale_[row_[k]], size_of(values[2 * k], values[2 * k + 1]));
    for (double& s : scale_) s = s > 0.0 ? 1.0 / s : 1.0;
    std::fill(re_.begin(), re_.end(), 0.0);
    std::fill(im_.begin(), im_.end(), 0.0);
    for (std::size_t k = 0; k < position_.size(); ++k) {
      re_[position_[k]] = values[2 * k] * scale_[row_[k]];
      im_[position_[k]] = values[2 * k + 1] * scale_[row_[k]];
    }
    std::iota(permutation_.begin(), permutation_.end(), 0);
    for (int k = 0; k < n_; ++k)
      if (!eliminate(k)) {
        singular_column_ = k;
        return false;
      }
    return true;
  }

  void solve(double* x) override {
    for (int i = 0; i < n_; ++i) {
      const int from = permutation_[i];
      x_re_[i] = x[2 * from] * scale_[from];
      x_im_[i] = x[2 * from + 1] * scale_[from];
    }
    for (int k = 0; k < n_; ++k)
      if (x_re_[k] != 0.0 || x_im_[k] != 0.0)
        subtract_complex_multiple(&x_re_[k] + 1, &x_im_[k] + 1, column_re(k) + k + 1,
                                  column_im(k) + k + 1, x_re_[k], x_im_[k], n_ - k - 1);
    for (int k = n_ - 1; k >= 0; --k) {
      const double re = x_re_[k] * inverse_re_[k] - x_im_[k] * inverse_im_[k];
      const double im = x_re_[k] * inverse_im_[k] + x_im_[k] * inverse_re_[k];
      x[2 * k] = re;
      x[2 * k + 1] = im;
      subtract_complex_multiple(x_re_.data(), x_im_.data(), column_re(k), column_im(k), re, im, k);
    }
  }

 private:
  double* column_re(int c) { return re_.data() + static_cast<std::size_t>(c) * n_; }
  double* column_im(int c) { return im_.data() + static_cast<std::size_t>(c) * n_; }

  bool eliminate(int k) {
    double *re = column_re(k), *im = column_im(k);
    int best = k;
    for (int i = k + 1; i < n_; ++i)
      if (size_of(re[i], im[i]) > size_of(re[best], im[best])) best = i;
    if (!kernel::usable_pivot(size_of(re[best], im[best]))) return false;
    if (best != k) {
      std::swap(permutation_[k], permutation_[best]);
      for (int c = 0; c < n_; ++c) {
        std::swap(column_re(c)[k], column_re(c)[best]);
        std::swap(column_im(c)[k], column_im(c)[best]);
      }
    }
    // Divided by its size first: squares of pivots may leave the range of numbers.
    const double size = size_of(re[k], im[k]), u = re[k] / size, v = im[k] / size;
    const double a = inverse_re_[k] = u / (u * u + v * v) / size;
    const double b = inverse_im_[k] = -v / (u * u + v * v) / size;
    for (int i = k + 1; i < n_; ++i) {
      const double real = re[i] * a - im[i] * b;
      im[i] = re[i] * b + im[i] * a;
      re[i] = real;
    }
    for (int c = k + 1; c < n_; ++c) {
      double *target_re = column_re(c), *target_im = column_im(c);
      if (target_re[k] == 0.0 && target_im[k] == 0.0) continue;
      subtract_complex_multiple(target_re + k + 1, target_im + k + 1, re + k + 1, im + k + 1,
                                target_re[k], target_im[k], n_ - k - 1);
    }
    return true;
  }

  int n_;
  std::vector<int> row_, position_, permutation_;
  std::vector<double> scale_, re_, im_, inverse_re_, inverse_im_, x_re_, x_im_;
};

// KLU with the thresholds of the real solver; see sparse_solver.cpp for their reasons.
class SparseComplexSolver final : public ComplexSolver {
 public:
  explicit SparseComplexSolver(std::shared_ptr<const SparseAnalysis> analysis)
      : analysis_(std::move(analysis)), pattern_(analysis_->pattern()) {
    klu_defaults(&common_);
    common_.tol = 0.1;
    common_.scale = 2;
    pivot_values_.reserve(2 * pattern_.row.size());
  }
  ~SparseComplexSolver() override { klu_z_free_numeric(&numeric_, &common_); }

  bool factorise(std::span<const double> values) override {
    assert(values.size() == 2 * pattern_.row.size());
    singular_column_ = -1;
    if (!all_finite(values)) return false;
    double* entries = const_cast<double*>(values.data());  // read only; the C interface lacks const
    if (numeric_ &&
        klu_z_refactor(analysis_->start(), analysis_->row(), entries, analysis_->symbolic(),
                       numeric_, &common_) &&
        assess(entries) && growth_ >= std::min(1e-3, 0.1 * fresh_growth_) &&
        common_.rcond >= 1e-6 * fresh_condition_)
      return true;
    klu_z_free_numeric(&numeric_, &common_);
    numeric_ = klu_z_factor(analysis_->start(), analysis_->row(), entries, analysis_->symbolic(),
                            &common_);
    if (common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    if (numeric_ && common_.status == KLU_OK && assess(entries)) {
      fresh_growth_ = growth_;
      fresh_condition_ = common_.rcond;
      pivot_values_.assign(values.begin(), values.end());
      return true;
    }
    if (singular_column_ < 0 && common_.status == KLU_SINGULAR)
      singular_column_ = common_.singular_col;
    klu_z_free_numeric(&numeric_, &common_);
    return false;
  }

  std::vector<double>& pivot_values() override { return pivot_values_; }
  void choose_pivots_again() override {
    klu_z_free_numeric(&numeric_, &common_);
    const std::vector<double> values = pivot_values_;
    if (!values.empty()) factorise(values);
  }

  void solve(double* x) override {
    klu_z_solve(analysis_->symbolic(), numeric_, pattern_.cols, 1, x, &common_);
  }

 private:
  bool assess(double* entries) {
    singular_column_ = -1;
    if (common_.status != KLU_OK) return false;
    const double* pivots = static_cast<const double*>(numeric_->Udiag);
    for (int k = 0; k < pattern_.cols; ++k) {
      if (kernel::usable_pivot(size_of(pivots[2 * k], pivots[2 * k + 1]))) continue;
      singular_column_ = analysis_->symbolic()->Q[k];
      return false;
    }
    klu_z_rcond(analysis_->symbolic(), numeric_, &common_);
    klu_z_rgrowth(analysis_->start(), analysis_->row(), entries, analysis_->symbolic(), numeric_,
                  &common_);
    growth_ = common_.rgrowth;
    return true;
  }

  std::shared_ptr<const SparseAnalysis> analysis_;
  const SparsePattern& pattern_;
  std::vector<double> pivot_values_;
  klu_common common_{};
  klu_numeric* numeric_ = nullptr;
  double growth_ = 0.0, fresh_growth_ = 0.0, fresh_condition_ = 0.0;
};

}  // namespace

ComplexSolver::~ComplexSolver() = default;

std::unique_ptr<ComplexSolver> make_complex_solver(const SparsePattern& pattern, bool dense) {
  if (dense || pattern.rows == 0) return std::make_unique<DenseComplexSolver>(pattern);
  auto analysis = std::make_shared<const SparseAnalysis>(pattern);
  if (analysis->operations() <= max_by_columns)
    return std::make_unique<SparseComplexSolver>(std::move(analysis));
  return make_complex_multifrontal_solver(pattern);
}

std::unique_ptr<ComplexSolver> make_complex_solver(const SparsePattern& pattern,
                                                   const LinearSolver& real) {
  if (auto analysis = analysis_of(real))
    return std::make_unique<SparseComplexSolver>(std::move(analysis));
  if (real.name() == "dense") return std::make_unique<DenseComplexSolver>(pattern);
  return make_complex_multifrontal_solver(pattern);
}

}  // namespace daedalus
