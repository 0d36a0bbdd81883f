// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/start_gradient.hpp"

#include "kernel/at.hpp"
#include "sensitivity/settle.hpp"

namespace daedalus {
namespace {

Eigen::VectorXd start_of(const Problem& problem) {
  struct {
    Eigen::VectorXd operator()(const ImplicitProblem& p) const { return p.y0; }
    Eigen::VectorXd operator()(const MassMatrixProblem& p) const { return p.y0; }
    Eigen::VectorXd operator()(const SemiExplicitProblem& p) const {
      Eigen::VectorXd y(p.y0.size() + p.z0.size());
      y << p.y0, p.z0;
      return y;
    }
    Eigen::VectorXd operator()(const MultibodyProblem&) const { return {}; }
  } visitor;
  return std::visit(visitor, problem);
}

// Differentiated variables start as given, and L is zero elsewhere.
bool starts_as_given(const GradientRequest& r, const AlongRun& along) {
  if (std::holds_alternative<MultibodyProblem>(*r.problem) || !along.structured()) return false;
  const int initial =
      std::visit([](const auto& p) { return p.initial_equation_count; }, *r.problem);
  return initial == 0 && r.options.start != StartStrategy::solve;
}

}  // namespace

void add_start(const GradientRequest& r, AlongRun& along, const LinearPoint& start,
               const Eigen::VectorXd& L, Eigen::VectorXd& out) {
  if (starts_as_given(r, along)) {
    int k = 0;
    for (const AskedParameter& a : r.asked.parameters) {
      if (a.plus) out[k] += L.dot((start_of(*a.plus) - start_of(*a.minus)) / a.width());
      ++k;
    }
    for (const AskedStart& s : r.asked.start_values) out[k++] += L[s.tangent];
    return;
  }
  Settle settle(along.equations(), r.asked, r.options, r.interval.from);
  State here;
  here.t = start.t;
  here.x = start.x;
  here.xd = start.xd;
  Eigen::MatrixXd columns;
  const std::string why = settle.at_start(start.t, here, columns);
  if (!why.empty()) throw GradientFailure(why);
  out += columns.transpose() * L;
}

}  // namespace daedalus
