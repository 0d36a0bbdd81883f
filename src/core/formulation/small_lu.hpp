// SPDX-License-Identifier: BSD-3-Clause
// Gaussian elimination of a small matrix of plain numbers, for right-hand sides that may carry
// derivatives.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "kernel/at.hpp"

namespace daedalus {

class SmallLu {
 public:
  void resize(int n) {
    n_ = n;
    a_.resize(at(n) * at(n));
    pivot_.resize(at(n));
  }
  double* data() { return a_.data(); }  // column-major, to be filled before factorise()

  // False: singular.
  bool factorise() {
    for (int k = 0; k < n_; ++k) {
      int pivot = k;
      for (int i = k + 1; i < n_; ++i)
        if (std::abs(entry(i, k)) > std::abs(entry(pivot, k))) pivot = i;
      if (!(std::abs(entry(pivot, k)) > 0.0)) return false;
      pivot_[at(k)] = pivot;
      if (pivot != k)
        for (int j = 0; j < n_; ++j) std::swap(entry(k, j), entry(pivot, j));
      for (int i = k + 1; i < n_; ++i) {
        entry(i, k) /= entry(k, k);
        for (int j = k + 1; j < n_; ++j) entry(i, j) -= entry(i, k) * entry(k, j);
      }
    }
    return true;
  }

  template <class S>
  void solve(S* x) const {
    const int n = n_;
    for (int k = 0; k < n; ++k)
      if (const int pivot = pivot_[at(k)]; pivot != k) std::swap(x[k], x[pivot]);
    const double* a = a_.data();
    for (int k = 0; k < n; ++k) {
      const S known = x[k];
      for (int i = k + 1; i < n; ++i) x[i] = x[i] - a[i + k * n] * known;
    }
    for (int k = n - 1; k >= 0; --k) {
      S rest = x[k];
      for (int j = k + 1; j < n; ++j) rest = rest - a[k + j * n] * x[j];
      x[k] = rest / a[k + k * n];
    }
  }

 private:
  double& entry(int i, int j) { return a_[at(i + j * n_)]; }
  const double& entry(int i, int j) const { return a_[at(i + j * n_)]; }

  int n_ = 0;
  std::vector<double> a_;
  std::vector<int> pivot_;
};

}  // namespace daedalus
