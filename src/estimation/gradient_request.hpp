// SPDX-License-Identifier: BSD-3-Clause
// What a gradient is asked for, resolved, and the parts that compute it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <daedalus/adjoint.hpp>

#include "estimation/scalar_function.hpp"
#include "estimation/state_history.hpp"
#include "formulation/first_order_system.hpp"
#include "sensitivity/asked.hpp"

namespace daedalus {

struct GradientRequest {
  std::shared_ptr<const Problem> problem;
  Interval interval;
  const std::vector<Functional>& functionals;
  Options options{};  // with the sensitivities asked for
  std::size_t memory = 0;
  Asked asked{};
  std::string formulation{};  // of the equations that are linearised
  LoweringOptions lowering{};
};

// Terms of one functional.
struct FunctionalTerms {
  ScalarFunction end, along, at;
  FunctionalTerms(const Functional& f, const GradientRequest& r, const Layout& model);
  void look(double t, const Eigen::VectorXd& y);
};

// Integral of `along` over a smooth part of the run and the other terms: J itself.
double value_of(const Functional& f, const FunctionalTerms& terms, StateHistory& history);

// From columns of one run.
Gradient::Data gradient_by_columns(const GradientRequest& request);
// By runs backwards. Not empty `refused`: they cannot serve this request.
struct AdjointRefusal {
  std::string why;
};
std::string refusal(const GradientRequest& request);
Gradient::Data gradient_by_adjoint(const GradientRequest& request);

}  // namespace daedalus
