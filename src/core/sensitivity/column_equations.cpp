// SPDX-License-Identifier: BSD-3-Clause
#include "sensitivity/column_equations.hpp"

#include <algorithm>

#include "formulation/lower.hpp"
#include "kernel/at.hpp"

namespace daedalus {
ColumnEquations::ColumnEquations(std::shared_ptr<const Problem> problem, const Asked& asked,
                                 const std::string& formulation, const LoweringOptions& lowering,
                                 double t0)
    : problem_(std::move(problem)),
      asked_(asked),
      formulation_(formulation),
      lowering_(lowering),
      seeds_(std::make_shared<Seeds>(inputs_of(*problem_), asked.parameters)),
      system_(lower(seeded(*problem_, asked.parameters, seeds_), formulation, View::residual,
                    lowering, t0)),
      view_(system_->residual_view()) {
  auto* const first_order = dynamic_cast<FirstOrderSystem*>(system_.get());
  map_ = first_order ? &first_order->map() : nullptr;
  differentiable_ = map_ && map_->differentiable() && !lowering.differences;
  const int rows = map_ ? map_->rows() : size();
  x_.resize(at(layout().points()));
  xd_.resize(at(std::max(size(), view_->differentiated_count())));
  r_.resize(at(rows));
  upper_.setZero(rows);
  lower_.setZero(rows);
  if (differentiable_) return;
  near_.resize(asked.parameters.size());
  for (std::size_t k = 0; k < near_.size(); ++k)
    if (asked.parameters[k].input < 0) {
      near_[k][0] = lower(asked.parameters[k].plus, formulation, View::residual, lowering, t0);
      near_[k][1] = lower(asked.parameters[k].minus, formulation, View::residual, lowering, t0);
    }
}

}  // namespace daedalus
