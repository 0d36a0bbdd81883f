// SPDX-License-Identifier: BSD-3-Clause
// Series in nested brackets over a Lie algebra in coordinates, [a, b] = hat(a) b; group elements
// are multiplied from the right, q' = q v (Wieloch 2022, sections 2.3 and 3.1.3).
//   Magnus    q(t + h) = q(t) exp(nu),  nu = sum_r h^r / r! mu_r(v, v', ...)          (2.33), app.
//   C dexpinv   truncation of dexp^{-1}_w1 w2 = sum_i B_i / i! hat(w1)^i w2 (3.11) bch truncation
//   of log(exp(w1) exp(w2))                                               (3.13)
// In dexpinv and bch the number k is the order of the multistep method for which the truncation
// suffices, 1..6.
#pragma once

#include <vector>

#include <daedalus/lie/element.hpp>
#include <daedalus/space.hpp>

namespace daedalus::lie {

// A view of a bracket on R^size: that of a space or f(a, b, out) with out = [a, b], where out may
// be a or b. What it views must outlive it.
class Bracket {
 public:
  Bracket(const Space& space)  // NOLINT: a space is meant wherever its bracket is
      : size_(space.tangents()),
        zero_(space.is_euclidean()),
        object_(&space),
        call_([](const void* object, const double* a, const double* b, double* out) {
          static_cast<const Space*>(object)->bracket(a, b, out);
        }) {}
  Bracket(const Space&& temporary) = delete;
  template <class F>
  Bracket(int size, const F& f)
      : size_(size),
        object_(&f),
        call_([](const void* object, const double* a, const double* b, double* out) {
          (*static_cast<const F*>(object))(a, b, out);
        }) {}

  int size() const { return size_; }
  bool is_zero() const { return zero_; }  // every bracket vanishes
  void operator()(const double* a, const double* b, double* out) const {
    call_(object_, a, b, out);
  }

 private:
  int size_ = 0;
  bool zero_ = false;
  const void* object_ = nullptr;
  void (*call_)(const void*, const double*, const double*, double*) = nullptr;
};

// The truncated series with the memory that they need; calls do not allocate. Results may be
// written over arguments.
class Series {
 public:
  explicit Series(const Bracket& bracket);

  // mu_r of the derivatives v[0] = v, ..., v[r-1], r = 1..7.
  void magnus(int r, const double* const* v, double* mu);
  // nu = sum of h^r / r! mu_r over r = 1..terms.
  void increment(int terms, double h, const double* const* v, double* nu);
  void dexpinv(int k, const double* w1, const double* w2, double* out);
  void bch(int k, const double* w1, const double* w2, double* out);

 private:
  double* scratch(int i) {
    return scratch_.data() + static_cast<std::ptrdiff_t>(i) * bracket_.size();
  }

  Bracket bracket_;
  std::vector<double> scratch_;
};

// Derivatives of dexpinv_k(w1, w2) with respect to w1 and w2 in one group element. Wieloch (2022),
// section 3.1.3; the outer hats that the print of D_1 lost are restored, and in the cheap form for
// k = 6 it is A / 720 and I - A / 60 with A = hat(w1)^2.
void dexpinv_derivatives(SpaceKind kind, int k, const double* w1, const double* w2,
                         Matrix& by_first, Matrix& by_second);

}  // namespace daedalus::lie
