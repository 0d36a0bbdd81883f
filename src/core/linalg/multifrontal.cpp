// SPDX-License-Identifier: BSD-3-Clause
// UMFPACK (Davis 2004): nested dissection, dense frontal matrices, threshold pivoting. Pivots are
// chosen in every factorisation, which therefore takes its storage from the heap; beside the
// elimination that costs nothing.
#include "linalg/multifrontal.hpp"

#include <umfpack.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <mutex>
#include <new>
#include <vector>

#include "kernel/at.hpp"
#include "kernel/lu.hpp"
#include "linalg/solver_kinds.hpp"

namespace daedalus {
namespace {

using Index = SuiteSparse_long;

// The two sets of functions of UMFPACK under one name each. Complex numbers are pairs in one array.
struct Real {
  // Numbers per entry, and what umfpack_*_wsolve asks for per row with refinement.
  static constexpr int parts = 1, workspace = 5;
  static auto symbolic(Index n, const Index* start, const Index* row, void** result,
                       const double* control) {
    return umfpack_dl_symbolic(n, n, start, row, nullptr, result, control, nullptr);
  }
  static auto numeric(const Index* start, const Index* row, const double* values, void* symbolic,
                      void** result, const double* control, double* info) {
    return umfpack_dl_numeric(start, row, values, symbolic, result, control, info);
  }
  static auto solve(const Index* start, const Index* row, const double* values, double* x,
                    const double* b, void* numeric, const double* control, double* info,
                    Index* indices, double* work) {
    return umfpack_dl_wsolve(UMFPACK_A, start, row, values, x, b, numeric, control, info, indices,
                             work);
  }
  static auto pivots(Index* column, double* pivot, Index* scaled, void* numeric) {
    return umfpack_dl_get_numeric(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  column, pivot, scaled, nullptr, numeric);
  }
  static void free_symbolic(void** symbolic) { umfpack_dl_free_symbolic(symbolic); }
  static void free_numeric(void** numeric) { umfpack_dl_free_numeric(numeric); }
};

struct Complex {
  // As above, for pairs of numbers.
  static constexpr int parts = 2, workspace = 10;
  static auto symbolic(Index n, const Index* start, const Index* row, void** result,
                       const double* control) {
    return umfpack_zl_symbolic(n, n, start, row, nullptr, nullptr, result, control, nullptr);
  }
  static auto numeric(const Index* start, const Index* row, const double* values, void* symbolic,
                      void** result, const double* control, double* info) {
    return umfpack_zl_numeric(start, row, values, nullptr, symbolic, result, control, info);
  }
  static auto solve(const Index* start, const Index* row, const double* values, double* x,
                    const double* b, void* numeric, const double* control, double* info,
                    Index* indices, double* work) {
    return umfpack_zl_wsolve(UMFPACK_A, start, row, values, nullptr, x, nullptr, b, nullptr,
                             numeric, control, info, indices, work);
  }
  static auto pivots(Index* column, double* pivot, Index* scaled, void* numeric) {
    return umfpack_zl_get_numeric(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  nullptr, nullptr, column, pivot, nullptr, scaled, nullptr,
                                  numeric);
  }
  static void free_symbolic(void** symbolic) { umfpack_zl_free_symbolic(symbolic); }
  static void free_numeric(void** numeric) { umfpack_zl_free_numeric(numeric); }
};

// METIS draws from the generator of the C library, after setting its seed: one at a time, else the
// order would depend on what other threads do.
std::mutex ordering;

template <class Functions>
class Multifrontal {
 public:
  explicit Multifrontal(const SparsePattern& p)
      : start_(p.start.begin(), p.start.end()),
        row_(p.row.begin(), p.row.end()),
        values_(row_.size() * parts),
        right_side_(columns() * parts),
        pivots_(columns() * parts),
        work_(columns() * Functions::workspace),
        exponent_(columns()),
        order_(columns()),
        indices_(columns()) {
    umfpack_dl_defaults(control_.data());
    control_[UMFPACK_ORDERING] = UMFPACK_ORDERING_METIS;
    control_[UMFPACK_SCALE] = UMFPACK_SCALE_NONE;  // see take_scaled
    // A step of refinement makes the solution that of a matrix which differs from the given one in
    // the last digit of its entries (Arioli, Demmel, Duff 1989).
    control_[UMFPACK_IRSTEP] = 1;
    const std::lock_guard one_at_a_time(ordering);
    check(Functions::symbolic(static_cast<Index>(columns()), start_.data(), row_.data(), &symbolic_,
                              control_.data()));
  }
  Multifrontal(const Multifrontal&) = delete;
  Multifrontal& operator=(const Multifrontal&) = delete;
  ~Multifrontal() {
    Functions::free_numeric(&numeric_);
    Functions::free_symbolic(&symbolic_);
  }

  // -1: done; else the column whose pivot is of no use, or the number of columns when the values
  // are not finite.
  int factorise(std::span<const double> values) {
    assert(values.size() == values_.size());
    condition_ = std::numeric_limits<double>::quiet_NaN();
    Functions::free_numeric(&numeric_);
    if (!all_finite(values)) return static_cast<int>(columns());
    take_scaled(values);
    check(Functions::numeric(start_.data(), row_.data(), values_.data(), symbolic_, &numeric_,
                             control_.data(), info_.data()));
    return assess();
  }

  void solve(double* x) {
    for (std::size_t i = 0; i < right_side_.size(); ++i)
      right_side_[i] = std::ldexp(x[i], -exponent_[i / parts]);
    Functions::solve(start_.data(), row_.data(), values_.data(), x, right_side_.data(), numeric_,
                     control_.data(), info_.data(), indices_.data(), work_.data());
  }

  double reciprocal_condition() const { return condition_; }

 private:
  static constexpr std::size_t parts = Functions::parts;
  std::size_t columns() const { return start_.size() - 1; }

  static void check(Index status) {
    if (status == UMFPACK_OK || status == UMFPACK_WARNING_singular_matrix) return;
    throw std::bad_alloc();  // the pattern was checked: nothing else can go wrong
  }

  // Rows of a DAE differ in units: each is multiplied by the power of two that brings its largest
  // entry near one, which changes no digit.
  void take_scaled(std::span<const double> values) {
    std::fill(exponent_.begin(), exponent_.end(), std::numeric_limits<int>::min());
    const auto exponent_of = [&](std::size_t k) -> int& {
      return exponent_[static_cast<std::size_t>(row_[k / parts])];
    };
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k] != 0.0) exponent_of(k) = std::max(exponent_of(k), std::ilogb(values[k]));
    for (int& e : exponent_)
      if (e == std::numeric_limits<int>::min()) e = 0;
    for (std::size_t k = 0; k < values.size(); ++k)
      values_[k] = std::ldexp(values[k], -exponent_of(k));
  }

  double size_of_pivot(std::size_t k) const {
    double size = 0.0;
    for (std::size_t i = 0; i < parts; ++i) size += std::fabs(pivots_[k * parts + i]);
    return size;
  }
  int assess() {
    Index scaled = 0;
    check(Functions::pivots(order_.data(), pivots_.data(), &scaled, numeric_));
    double least = std::numeric_limits<double>::infinity(), largest = 0.0;
    for (std::size_t k = 0; k < columns(); ++k) {
      const double size = size_of_pivot(k);
      if (!kernel::usable_pivot(size)) return static_cast<int>(order_[k]);
      least = std::min(least, size);
      largest = std::max(largest, size);
    }
    condition_ = least / largest;
    return -1;
  }

  std::vector<Index> start_, row_;
  std::vector<double> values_, right_side_, pivots_, work_;
  std::vector<int> exponent_;  // of the largest entry of each row
  std::vector<Index> order_, indices_;
  std::array<double, UMFPACK_CONTROL> control_{};
  std::array<double, UMFPACK_INFO> info_{};
  void* symbolic_ = nullptr;
  void* numeric_ = nullptr;
  double condition_ = std::numeric_limits<double>::quiet_NaN();
};

// Both kinds: Base is LinearSolver or ComplexSolver.
template <class Base, class Functions>
class MultifrontalBase : public Base {
 public:
  explicit MultifrontalBase(const SparsePattern& p) : factors_(p), n_(p.cols) {}
  bool factorise(std::span<const double> values) override {
    const int column = factors_.factorise(values);
    this->singular_column_ = column < n_ ? column : -1;
    return column < 0;
  }
  void solve(double* x) override { factors_.solve(x); }

 protected:
  Multifrontal<Functions> factors_;
  int n_;
};

class RealMultifrontal final : public MultifrontalBase<LinearSolver, Real> {
 public:
  using MultifrontalBase::MultifrontalBase;
  double reciprocal_condition() const override { return factors_.reciprocal_condition(); }
  std::string_view name() const override { return "sparse"; }
};
using ComplexMultifrontal = MultifrontalBase<ComplexSolver, Complex>;

}  // namespace

std::unique_ptr<LinearSolver> make_multifrontal_solver(const SparsePattern& pattern) {
  return std::make_unique<RealMultifrontal>(pattern);
}

std::unique_ptr<ComplexSolver> make_complex_multifrontal_solver(const SparsePattern& pattern) {
  return std::make_unique<ComplexMultifrontal>(pattern);
}

}  // namespace daedalus
