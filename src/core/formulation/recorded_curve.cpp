// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/recorded_curve.hpp"

namespace daedalus {

using graph::InputKind;

Outcome RecordedCurve::evaluate(const Call& call, double t, const Eigen::MatrixXd& x,
                                const Eigen::MatrixXd& rate, int order) {
  if (recording_ && recording_->holds_elsewhere()) {
    if (series_->max_order() < order) make_series(order);
    set_inputs(t, x, rate, order);
    series_->evaluate(0);
    if (guards_hold()) {
      series_->evaluate(order, 1);
      return Outcome::ok;
    }
  }
  recording_.reset();
  if (const Outcome o = record(call, t, x, rate); o != Outcome::ok) {
    recording_.reset();
    return o;
  }
  make_series(order);
  set_inputs(t, x, rate, order);
  series_->evaluate(order);
  return Outcome::ok;
}

Outcome RecordedCurve::record(const Call& call, double t, const Eigen::MatrixXd& x,
                              const Eigen::MatrixXd& rate) {
  ++recordings_;
  recording_ = std::make_unique<Recording>();
  const Recorded time = recording_->input(InputKind::time, 0, t);
  std::vector<Recorded> state, slope, out(at(rows_));
  for (int j = 0; j < states_; ++j)
    state.push_back(recording_->input(InputKind::state, j, x(j, 0)));
  for (int j = 0; j < rates_; ++j)
    slope.push_back(recording_->input(InputKind::derivative, j, rate(j, 0)));
  if (const Outcome o = call(*recording_, time, state.data(), slope.data(), out.data());
      o != Outcome::ok)
    return o;
  out_.clear();
  for (const Recorded& r : out) out_.push_back(recording_->expr(r));
  column_.assign(at(recording_->graph().size()), -1);
  for (int j = 0; j < states_; ++j) column_[at(state[at(j)].node)] = j;
  for (int j = 0; j < rates_; ++j) column_[at(slope[at(j)].node)] = states_ + j;
  return Outcome::ok;
}

void RecordedCurve::make_series(int order) {
  std::vector<Expr> wanted = out_;
  for (const Recording::Guard& g : recording_->guards()) wanted.push_back(g.condition);
  series_ = std::make_unique<graph::Series>(recording_->graph(), wanted, order);
  column_.resize(at(recording_->graph().size()), -1);
}

void RecordedCurve::set_inputs(double t, const Eigen::MatrixXd& x, const Eigen::MatrixXd& rate,
                               int order) {
  graph::Graph& g = recording_->graph();
  std::vector<double> c(at(order + 1));
  const auto set = [&](InputKind kind, int j, auto&& coefficient) {
    for (int k = 0; k <= order; ++k) c[at(k)] = coefficient(k);
    series_->set(g.input(kind, j), c);
  };
  set(InputKind::time, 0, [&](int k) { return k == 0 ? t : k == 1 ? 1.0 : 0.0; });
  for (int j = 0; j < states_; ++j) set(InputKind::state, j, [&](int k) { return x(j, k); });
  for (int j = 0; j < rates_; ++j) set(InputKind::derivative, j, [&](int k) { return rate(j, k); });
}

void RecordedCurve::for_each_comparison(
    const std::function<void(double, const Eigen::VectorXd&)>& visit) const {
  graph::Graph& g = recording_->graph();
  std::vector<Expr> differences;
  for (const Recording::Comparison& c : recording_->comparisons()) {
    const Expr d = recording_->expr(c.left) - recording_->expr(c.right);
    if (!d.is_number()) differences.push_back(d);
  }
  graph::Series series(g, differences, 0);
  const auto set = [&](InputKind kind, int count) {
    for (int j = 0; j < count; ++j) {
      const Expr input = g.input(kind, j);
      const double value = recording_->number(input).v;
      series.set(input, std::span(&value, 1));
    }
  };
  set(InputKind::time, 1);
  set(InputKind::state, states_);
  set(InputKind::derivative, rates_);
  series.evaluate(0);
  const int time = g.input(InputKind::time, 0).node();
  for (const Expr& d : differences) {
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(states_ + rates_ + 1);
    series.derivatives(d, 0, [&](int node, int, double value) {
      gradient[node == time ? states_ + rates_ : column_[at(node)]] = value;
    });
    visit(series.coefficient(d, 0), gradient);
  }
}

bool RecordedCurve::guards_hold() const {
  for (const Recording::Guard& g : recording_->guards())
    if ((series_->coefficient(g.condition, 0) != 0.0) != g.outcome) return false;
  return true;
}

}  // namespace daedalus
