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

bool RecordedCurve::guards_hold() const {
  for (const Recording::Guard& g : recording_->guards())
    if ((series_->coefficient(g.condition, 0) != 0.0) != g.outcome) return false;
  return true;
}

}  // namespace daedalus
