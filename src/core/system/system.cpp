// SPDX-License-Identifier: BSD-3-Clause
#include "system/system.hpp"

#include <algorithm>
#include <limits>

namespace daedalus {

System::~System() = default;

void System::to_model(const State& s, double* y) const {
  std::copy(s.x.data(), s.x.data() + variables->size(), y);
}

void System::from_model(double t, const double* y, State& s) const {
  s.t = t;
  s.x.conservativeResize(layout.points());
  s.xd.conservativeResize(layout.tangents());
  std::copy(y, y + variables->size(), s.x.data());
}

Layout System::model_layout() const { return layout.head(variables->size()); }

void System::to_model(const Interpolant& full, Interpolant& model) const {
  const Layout l = model_layout();
  model.t0 = full.t0;
  model.h = full.h;
  model.degree = full.degree;
  model.base = full.base.head(l.points());
  model.c = full.c.topRows(l.tangents()).leftCols(full.degree + 1);
}

Outcome System::enter(const State& model, State& s) {
  s = model;
  return Outcome::ok;
}

bool System::chart_degraded(const State&) { return false; }

Outcome System::change_chart(State&, std::span<State>, int&) { return Outcome::ok; }

void System::archive(Archive&) {}

System::ConstraintResidual System::constraint_residual(const State&) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return {none, none};
}

System::Drift System::drift(const State& s) {
  const ConstraintResidual r = constraint_residual(s);
  return {{r.position, 0.0}, {r.velocity, 0.0}, {std::numeric_limits<double>::quiet_NaN(), 0.0}};
}

double System::projection_residual(const State& s) { return constraint_residual(s).position; }

ProjectionResult System::project(State&, const Eigen::VectorXd&, double) { return {}; }

const double* System::defect_rows() {
  if (!defect_ || !*defect_ || counter.phase() != Phase::step) return nullptr;
  const auto n = static_cast<Eigen::Index>(equations.size());
  defect_values_.setZero(n);
  (*defect_)({step_, step_t_, step_h_, equations}, Out(defect_values_.data(), n));
  return defect_values_.data();
}

}  // namespace daedalus
