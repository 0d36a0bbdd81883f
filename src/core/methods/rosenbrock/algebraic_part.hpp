// SPDX-License-Identifier: BSD-3-Clause
// The algebraic equations W^T f = 0 of M x' = f, W an orthonormal basis of the left null space of
// M, and what a right-hand side leaves of them, W W^T f. Of large systems, and where that is all
// that is asked for, those that zero rows of M show.
#pragma once

#include <Eigen/QR>
#include <cmath>
#include <vector>

#include "kernel/scattered.hpp"
#include "system/system.hpp"

namespace daedalus {

class AlgebraicPart {
 public:
  enum class Which { none, zero_rows, all };

  AlgebraicPart(LinearView& view, int n, Which which) : n_(n) {
    // A dense decomposition of more would cost more than short runs.
    constexpr int max_dense = 500;
    if (which == Which::none) return;
    if (which == Which::all && n <= max_dense)
      find_null_space(view);
    else
      find_zero_rows(view);
  }

  bool empty() const { return zero_rows_.empty() && basis_.cols() == 0; }
  // W W^T (f - share * before)
  void of(const Eigen::VectorXd& f, double share, const Eigen::VectorXd& before,
          Eigen::VectorXd& out) {
    if (zero_rows_.empty()) {
      violation_.noalias() = basis_.transpose() * f;
      if (share != 0.0) violation_.noalias() -= share * basis_.transpose() * before;
      out.noalias() = basis_ * violation_;
      return;
    }
    out.setZero();
    for (const int i : zero_rows_) out[i] = f[i] - share * before[i];
  }
  void of(const Eigen::VectorXd& f, Eigen::VectorXd& out) { of(f, 0.0, f, out); }

 private:
  // Rows without derivatives, seen from products with two vectors in general position.
  void find_zero_rows(LinearView& view) {
    Eigen::VectorXd row = Eigen::VectorXd::Zero(n_), other = row, probe(n_);
    for (int j = 0; j < n_; ++j) probe[j] = 1.0 + scattered(static_cast<unsigned>(j));
    view.add_mass_times(1.0, probe.data(), row.data());
    for (int j = 0; j < n_; ++j) probe[j] = 1.0 + scattered(static_cast<unsigned>(n_ + j));
    view.add_mass_times(1.0, probe.data(), other.data());
    for (int i = 0; i < n_; ++i)
      if (row[i] == 0.0 && other[i] == 0.0) zero_rows_.push_back(i);
  }

  void find_null_space(LinearView& view) {
    Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(n_, n_);
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(n_);
    for (int j = 0; j < n_; ++j) {
      unit[j] = 1.0;
      view.add_mass_times(1.0, unit.data(), mass.col(j).data());
      unit[j] = 0.0;
    }
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(mass);
    const Eigen::MatrixXd q = qr.householderQ();
    basis_ = q.rightCols(n_ - qr.rank());
    violation_.setZero(basis_.cols());
  }

  int n_;
  Eigen::MatrixXd basis_;
  Eigen::VectorXd violation_;
  std::vector<int> zero_rows_;
};

// Whether what a step left of algebraic equations counts in its error: once, for what shorter steps
// to the same place or before it have as well is a jump, which no step resolves.
class NewViolation {
 public:
  bool counts(double missed, double h, double t_new) {
    constexpr double max_missed = 30.0;  // tolerances; below, the estimate is as published
    // What methods leave there does not come near (nonlinear/residual_rows.cpp).
    constexpr double jump_from = 1e5;
    constexpr double power = 0.5;  // violations of smooth solutions fall with h^3 and faster
    if (!(missed > max_missed) || missed > jump_from) return false;
    const double share = in_ > 0.0 ? std::abs(h) / in_ : 1.0;
    if (share < 1.0 && (until_ - t_new) * h >= 0.0)
      return missed < missed_ * std::pow(share, power);
    missed_ = missed;
    in_ = std::abs(h);
    until_ = t_new;
    return true;
  }
  void archive(Archive& a) { a(missed_, in_, until_); }

 private:
  double missed_ = 0.0, in_ = 0.0, until_ = 0.0;  // in steps of this length, to this time
};

}  // namespace daedalus
