// SPDX-License-Identifier: BSD-3-Clause
// Derivatives at events: sigma(t, x, p) = 0 at tau(p), handler R, start-value solver C.
//   D = sigma_t + sigma_x x'-,    tau_p = -(sigma_x s- + sigma_p) / D,
//   X- = s- + x'- tau_p,          X+ = d C(R(x, t, p), t, p) along (X-, tau_p, p),
//   s+ = X+ - x'+ tau_p.
// Rozenvasser (1967); Barton, Galan, Feehery (1998). Event functions and handlers are
// differentiated by central differences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/at.hpp"
#include "sensitivity/run_columns.hpp"

namespace daedalus {
namespace {
// |D| below this share of its terms: the event is touched, not crossed.
constexpr double grazing = 1e-6;
}  // namespace

std::vector<double> RunColumns::inputs(int parameter, double value) const {
  std::vector<double> p = run_.parameters ? *run_.parameters : std::vector<double>();
  if (parameter < 0) return p;
  const int input = asked_.parameters[at(parameter)].input;
  if (input >= 0) p[at(input)] = value;
  return p;
}

const Event* RunColumns::nearby(int event, int parameter, bool up) const {
  const Event& own = options_.events[at(event)];
  if (parameter >= 0)
    for (const Event& e : near_events_[at(parameter)][up ? 0 : 1])
      if (e.name == own.name) return &e;
  return &own;
}

double RunColumns::event_value(const Event& e, double t, const Eigen::VectorXd& y,
                               const std::vector<double>& p) const {
  try {
    return e.when(StateView(*run_.variables, t, y.data(), *run_.modes, &p));
  } catch (...) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

RunColumns::EventSlopes RunColumns::slopes(int event, double t, const Eigen::VectorXd& y) const {
  const Event& own = options_.events[at(event)];
  const std::vector<double> p = inputs(-1, 0.0);
  EventSlopes out;
  Eigen::VectorXd size(rows_), shift = Eigen::VectorXd::Zero(rows_), moved = y;
  model_.magnitude(y.data(), size.data());
  const double usual = std::max(size.size() > 0 ? size.maxCoeff() : 0.0, 1e-3);
  out.by_state.setZero(rows_);
  for (int i = 0; i < rows_; ++i) {
    const double d = central_increment * std::max(size[i], 1e-3 * usual);
    double both[2];
    for (const int side : {0, 1}) {
      shift[i] = side == 0 ? d : -d;
      model_.plus(y.data(), shift.data(), moved.data());
      both[side] = event_value(own, t, moved, p);
    }
    shift[i] = 0.0;
    out.by_state[i] = (both[0] - both[1]) / (2.0 * d);
  }
  const double dt = central_increment * std::max(std::abs(t), std::abs(step_h_));
  if (dt > 0.0)
    out.by_time = (event_value(own, t + dt, y, p) - event_value(own, t - dt, y, p)) / (2.0 * dt);
  out.by_parameters.setZero(static_cast<int>(asked_.parameters.size()));
  for (int k = 0; k < out.by_parameters.size(); ++k) {
    const AskedParameter& a = asked_.parameters[at(k)];
    const double upper = event_value(*nearby(event, k, true), t, y, inputs(k, a.upper));
    const double lower = event_value(*nearby(event, k, false), t, y, inputs(k, a.lower));
    out.by_parameters[k] = (upper - lower) / a.width();
  }
  out.failed =
      !out.by_state.allFinite() || !std::isfinite(out.by_time) || !out.by_parameters.allFinite();
  return out;
}

Eigen::VectorXd RunColumns::time_derivative(int event, double t, const Eigen::VectorXd& y,
                                            const Eigen::VectorXd& rates,
                                            const Eigen::MatrixXd& s) {
  const Eigen::VectorXd none =
      Eigen::VectorXd::Constant(asked_.columns(), std::numeric_limits<double>::quiet_NaN());
  const std::string& name = options_.events[at(event)].name;
  const EventSlopes g = slopes(event, t, y);
  if (g.failed) {
    warnings_.push_back(fmt::format(
        "Event '{}' at t = {:.6g} has no derivative: its function gives no finite values nearby.",
        name, t));
    return none;
  }
  const double D = g.by_time + g.by_state.dot(rates);
  double terms = std::abs(g.by_time) + g.by_state.cwiseAbs().dot(rates.cwiseAbs());
  if (step_h_ != 0.0 && model_piece_.h != 0.0 && model_piece_.t0 == step_t0_) {
    // What it changed by over the step: a root of higher order is reached with slope 0.
    Eigen::VectorXd begin = y;
    begin.head(model_piece_.base.size()) = model_piece_.base;
    const double value = event_value(options_.events[at(event)], step_t0_, begin, inputs(-1, 0.0));
    if (std::isfinite(value)) terms = std::max(terms, std::abs(value / step_h_));
  }
  if (!(std::abs(D) > grazing * terms)) {
    warnings_.push_back(fmt::format(
        "Event '{}' is touched, not crossed, at t = {:.6g}: its time has no derivative.", name, t));
    return none;
  }
  const Eigen::MatrixXd by_p = asked_.combined(g.by_parameters.transpose());
  return -(g.by_state.transpose() * s + by_p).transpose() / D;
}

void RunColumns::locate(int event, double t, EventRecord& record) {
  StagePoint p;
  Eigen::VectorXd rates = rates_;
  if (pending_ || t != t_) {
    show(t);
    if (model_piece_.h != 0.0 && model_piece_.t0 == step_t0_) {
      on_interpolant(t, p);
      rates = p.xd.head(rows_);
    }
  }
  record.time_derivative = time_derivative(event, t, record.y, rates, shown_);
  record.total = shown_ + rates * record.time_derivative.transpose();
  shown_ = s_.topRows(rows_);
}

Eigen::VectorXd RunColumns::handled(const ColumnJump& jump, double t, Eigen::VectorXd y,
                                    const std::vector<double>& p, int parameter, bool up) const {
  std::vector<double> modes = jump.modes_before;
  for (const int event : jump.events) {
    EventContext context{t,
                         Out(y.data(), y.size()),
                         Out(modes.data(), static_cast<int>(modes.size())),
                         *run_.variables,
                         false,
                         false,
                         In(p.data(), static_cast<int>(p.size()))};
    try {
      nearby(event, parameter, up)->handler(context);
    } catch (...) {
      y.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
  }
  return y;
}

// X+: along (X-, tau) with the parameters held, then by each parameter at the same point.
std::string RunColumns::jump_base(const ColumnJump& jump, const State& after,
                                  const Eigen::MatrixXd& X, const Eigen::VectorXd& tau,
                                  Eigen::MatrixXd& out) {
  const Layout& layout = equations_.layout();
  const std::vector<double> p = inputs(-1, 0.0);
  Eigen::VectorXd size(rows_), column(equations_.size()), moved = jump.before;
  model_.magnitude(jump.before.data(), size.data());
  const double usual = std::max(size.maxCoeff(), 1e-3);
  State both[2];
  out.setZero(equations_.size(), asked_.columns());
  for (int c = 0; c < out.cols(); ++c) {
    const double largest = X.col(c).cwiseAbs().maxCoeff();
    const double clock = std::abs(tau[c]) / std::max(std::abs(jump.t), std::abs(step_h_) + 1e-300);
    if (largest == 0.0 && tau[c] == 0.0) continue;
    const double d = central_increment / std::max(largest / usual, clock);
    for (const int side : {0, 1}) {
      const double sign = side == 0 ? d : -d;
      const Eigen::VectorXd shift = sign * X.col(c);
      model_.plus(jump.before.data(), shift.data(), moved.data());
      const double t = jump.t + sign * tau[c];
      if (std::string why =
              settle_.state(0, t, handled(jump, t, moved, p, -1, true), false, both[side]);
          !why.empty())
        return why;
    }
    difference(layout, after, both[0], both[1], 2.0 * d, column);
    out.col(c) = column;
  }
  Eigen::MatrixXd by_p(equations_.size(), static_cast<int>(asked_.parameters.size()));
  for (int k = 0; k < by_p.cols(); ++k) {
    const AskedParameter& a = asked_.parameters[at(k)];
    for (const int side : {0, 1}) {
      const double value = side == 0 ? a.upper : a.lower;
      const Eigen::VectorXd y = handled(jump, jump.t, jump.before, inputs(k, value), k, side == 0);
      if (std::string why = settle_.state(2 * k + 1 + side, jump.t, y, false, both[side]);
          !why.empty())
        return why;
    }
    difference(layout, after, both[0], both[1], a.width(), column);
    by_p.col(k) = column;
  }
  out += asked_.combined(by_p);
  return {};
}

std::string RunColumns::jump(const ColumnJump& jump) {
  if (lost_) return {};
  settle_.set_modes(jump.modes_before);
  State before, after;
  if (std::string why = settle_.state(0, jump.t, jump.before, false, before); !why.empty())
    before.xd = rates_;
  const Eigen::VectorXd left = before.xd.head(rows_);
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(asked_.columns());
  const Eigen::MatrixXd s = s_.topRows(rows_);
  if (!jump.events.empty()) {
    tau = time_derivative(jump.events[0], jump.t, jump.before, left, s);
    for (std::size_t k = 1; k < jump.events.size(); ++k) {
      const Eigen::VectorXd other = time_derivative(jump.events[k], jump.t, jump.before, left, s);
      if ((other - tau).norm() > 1e-6 * (1.0 + tau.norm()))
        warnings_.push_back(fmt::format(
            "Several events act at t = {:.6g}, and their times move differently with the "
            "parameters: derivatives from there on hold to one side only.",
            jump.t));
    }
  }
  settle_.set_modes(*run_.modes);
  Eigen::VectorXd y(run_.variables->size());
  run_.to_model(jump.after, y.data());
  Eigen::MatrixXd X = s + left * tau.transpose(), plus;
  if (std::string why = settle_.state(0, jump.t, y, false, after); !why.empty()) return why;
  if (!tau.allFinite()) {
    lost_ = true;
    s_.setConstant(std::numeric_limits<double>::quiet_NaN());
  } else {
    if (std::string why = jump_base(jump, after, X, tau, plus); !why.empty()) return why;
    s_ = plus;
    s_.topRows(rows_) -= after.xd.head(rows_) * tau.transpose();
  }
  rates_ = after.xd.head(rows_);
  equations_.system().prepare(after);
  choose_tested(after);
  restart(jump.t);
  return {};
}

}  // namespace daedalus
