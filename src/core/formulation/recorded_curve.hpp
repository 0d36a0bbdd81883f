// SPDX-License-Identifier: BSD-3-Clause
// A callable of (t, x, rate) that is recorded once and then evaluated in Taylor arithmetic along
// curves, with its derivatives; where a guard of the recording fails it is recorded again.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <vector>

#include <daedalus/types.hpp>

#include <daedalus/stepper/outcome.hpp>
#include "function/recording.hpp"
#include "graph/series.hpp"

namespace daedalus {

class RecordedCurve {
 public:
  using Call = std::function<Outcome(Recording&, const Recorded& t, const Recorded* x,
                                     const Recorded* rate, Recorded* out)>;

  RecordedCurve(int rows, int states, int rates) : rows_(rows), states_(states), rates_(rates) {}

  // Rows of x and rate are the coefficients of the curves, orders 0 to `order` at least.
  Outcome evaluate(const Call& call, double t, const Eigen::MatrixXd& x,
                   const Eigen::MatrixXd& rate, int order);
  double coefficient(int row, int k) const { return series_->coefficient(out_[at(row)], k); }
  bool finite(int row, int order) const { return series_->finite(out_[at(row)], order); }
  // put(column, k, value): states first, then rates.
  template <class Put>
  void derivatives(int row, int order, Put&& put) {
    series_->derivatives(out_[at(row)], order, [&](int node, int k, double value) {
      if (column_[at(node)] >= 0) put(column_[at(node)], k, value);
    });
  }
  // visit(left - right, its gradient by states, rates and time) for what was compared at the point
  // of the last recording.
  void for_each_comparison(const std::function<void(double, const Eigen::VectorXd&)>& visit) const;
  int recordings() const { return recordings_; }  // how often the callable was recorded

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Outcome record(const Call& call, double t, const Eigen::MatrixXd& x, const Eigen::MatrixXd& rate);
  void make_series(int order);
  void set_inputs(double t, const Eigen::MatrixXd& x, const Eigen::MatrixXd& rate, int order);
  bool guards_hold() const;

  int rows_, states_, rates_;
  int recordings_ = 0;
  std::unique_ptr<Recording> recording_;
  std::unique_ptr<graph::Series> series_;
  std::vector<Expr> out_;
  std::vector<int> column_;  // by node
};

}  // namespace daedalus
