// SPDX-License-Identifier: BSD-3-Clause
// Columns as users see them, and what of them a checkpoint holds.
#include <cmath>

#include "kernel/at.hpp"
#include "sensitivity/run_columns.hpp"

namespace daedalus {

void RunColumns::show(double t) {
  shown_ = s_.topRows(rows_);
  if ((!pending_ && t == t_) || parts_.empty()) return;
  const StepPolynomial* part = &parts_.back();
  for (const StepPolynomial& p : parts_)
    if ((t - p.t0) / p.h <= 1.0) {
      part = &p;
      break;
    }
  Eigen::MatrixXd all;
  part->evaluate(t, all);
  shown_ = all.topRows(rows_);
}

void RunColumns::report(double t, SensitivityData& data) {
  show(t);
  data.values.insert(data.values.end(), shown_.data(), shown_.data() + shown_.size());
  shown_ = s_.topRows(rows_);
}

void RunColumns::piece(SensitivityData& data) {
  for (const StepPolynomial& p : parts_) data.pieces.push_back({p.t0, p.h, p.powers(rows_)});
}

void RunColumns::begin(SensitivityData& data) {
  data.story.columns = described(asked_, equations_.differentiable());
  data.story.variables = model_.names();
  const SensitivityMethod asked = options_.sensitivities.method;
  data.story.method = asked == SensitivityMethod::automatic ? SensitivityMethod::staggered : asked;
  data.story.scheme = same_system_ ? "multistep" : "collocation";
  data.story.error_test = options_.sensitivities.error_test;
  data.names = std::make_shared<const SensitivityStory>(data.story);
  data.classes.clear();
  for (const LayoutBlock& b : model_.blocks())
    data.classes.insert(data.classes.end(), at(b.space.tangents()), b.cls);
  if (s_.size() == 0) s_ = Eigen::MatrixXd::Zero(equations_.size(), asked_.columns());
  data.start = data.end = s_.topRows(rows_);
}

void RunColumns::end(SensitivityData& data) {
  data.end = shown_;
  data.story.error_estimate = largest_error_;
  data.story.steps = steps_;
  data.story.factorisations = data.story.solves = 0;
  for (const auto& [m, system] : systems_) {
    data.story.factorisations += system.factorisations();
    data.story.solves += system.solves();
  }
  data.story.directional_evaluations = equations_.directional_evaluations();
  data.story.seconds = seconds_;
}

void RunColumns::take_over(Columns& before, const State& s) {
  Eigen::VectorXd y(run_.variables->size());
  const State here = placed(s, y);
  s_ = Eigen::MatrixXd::Zero(equations_.size(), asked_.columns());
  s_.topRows(rows_) = before.now();
  rates_ = Eigen::VectorXd::Zero(rows_);
  const RunColumns* const other = dynamic_cast<RunColumns*>(&before);
  if (other) tolerance_ = other->tolerance_.topRows(rows_);
  tolerance_.conservativeResize(equations_.size(), Eigen::NoChange);
  choose_tested(here);
  restart(s.t);
}

void RunColumns::archive(Archive& a) {
  long count = a.length(static_cast<long>(past_.size()), sizeof(double));
  a.require(a.saving() || count <= static_cast<long>(max_past), "too many columns");
  if (!a.saving()) past_.assign(at(static_cast<int>(count)), Value{0.0, s_});
  a(t_, s_, rates_, lost_, steps_, largest_error_);
  for (Value& v : past_) a(v.t, v.s);
  if (a.saving()) return;
  pending_ = false;
  parts_.clear();
  shown_ = s_.topRows(rows_);
}

}  // namespace daedalus
