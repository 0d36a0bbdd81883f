// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/start_gradient.hpp"

#include "kernel/at.hpp"
#include "sensitivity/settle.hpp"

namespace daedalus {
namespace {

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
      if (a.plus) out[k] += L.dot((given_start(*a.plus) - given_start(*a.minus)) / a.width());
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
