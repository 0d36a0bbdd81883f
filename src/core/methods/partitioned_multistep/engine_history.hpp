// SPDX-License-Identifier: BSD-3-Clause
// Past values of a multistep method: points x_n, x_{n-1}, ... of the whole layout and the rates of
// the differential variables, each in tangent coordinates at its own point. For a step they are
// seen in the chart at x_n, where y is a curve w(t) with w(t_n) = 0 and multistep formulas hold as
// in R^n.
#pragma once

#include <Eigen/Core>
#include <array>

#include <daedalus/stepper/archive.hpp>
#include <daedalus/stepper/layout.hpp>
#include "kernel/at.hpp"
#include "kernel/plmsm.hpp"

namespace daedalus::partitioned_multistep {

class History {
 public:
  // The estimate of the next higher order looks two values further back.
  static constexpr int capacity = plmsm::max_steps + 2;

  History(const Layout& layout, int differential);

  int count() const { return count_; }
  double time(int back) const { return times_[at(back)]; }
  auto point(int back) const { return points_.col(ring_[at(back)]); }
  auto rate(int back) const { return rates_.col(ring_[at(back)]); }

  void clear() { count_ = 0; }
  void push(double t, const double* x, const double* rate);
  // Values older than the only one, not counted until keep(): a rejected step leaves no trace.
  void lay_behind(int back, double t, const double* x, const double* rate);
  void keep(int count) { count_ = count; }

  // Chart at the newest point for this many values; then w and w' of each.
  void enter_chart(int values);
  auto relative(int back) const { return relative_.col(back); }
  auto chart_rate(int back) const { return chart_rates_.col(back); }
  // Increment of the differential variables from the newest point to another.
  void increment_to(const double* x, double* w) const;

  void archive(Archive& a) {
    for (int& column : ring_) a.within(column, 0, capacity - 1);
    a(times_);
    a.within(count_, 0, capacity);
    a(points_, rates_);
  }

 private:
  const Layout& layout_;
  int differential_;
  std::array<int, capacity> ring_{};  // ring_[j]: column of the value j steps back
  std::array<double, capacity> times_{};
  int count_ = 0;
  Eigen::MatrixXd points_, rates_, relative_, chart_rates_;
};

}  // namespace daedalus::partitioned_multistep
