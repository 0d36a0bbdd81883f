// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/lower.hpp"

#include <fmt/format.h>

#include "formulation/hessenberg_forms.hpp"
#include "formulation/lower_forms.hpp"
#include "formulation/multibody_system.hpp"
#include "formulation/overdetermined_system.hpp"
#include "formulation/recorded_equations.hpp"
#include "formulation/state_space_system.hpp"

namespace daedalus {
namespace {

template <class P>
std::shared_ptr<const P> part(const std::shared_ptr<const Problem>& problem) {
  return {problem, &std::get<P>(*problem)};
}

std::unique_ptr<System> lower_form(std::shared_ptr<const Problem> problem,
                                   std::string_view formulation, View view,
                                   const LoweringOptions& options, double t0) {
  if (const ViewFit f = fit(*problem, formulation, view); !f.possible)
    throw InvalidArgument(f.reason);
  if (!std::holds_alternative<MultibodyProblem>(*problem) &&
      (options.saddle_point == LinearAlgebra::range_space ||
       options.saddle_point == LinearAlgebra::null_space))
    throw InvalidArgument(fmt::format(
        "linear_algebra: {} is a way to solve [M G^T; G 0] of multibody problems; '{}' is a {} "
        "problem. Give automatic, dense or sparse",
        options.saddle_point == LinearAlgebra::range_space ? "range-space" : "null-space",
        name_of(*problem), form_of(*problem)));
  if (!formulation.empty()) {
    if (std::holds_alternative<SemiExplicitProblem>(*problem))
      return lower_hessenberg(part<SemiExplicitProblem>(problem), formulation, view, options, t0);
    if (std::holds_alternative<ImplicitProblem>(*problem))
      return lower_overdetermined(part<ImplicitProblem>(problem), formulation, options);
  }
  if (std::holds_alternative<ImplicitProblem>(*problem))
    return lower_implicit(part<ImplicitProblem>(problem), view, options);
  if (std::holds_alternative<MassMatrixProblem>(*problem))
    return lower_mass(part<MassMatrixProblem>(problem),
                      formulation == "separated" || view == View::partitioned, view, options, t0);
  if (std::holds_alternative<SemiExplicitProblem>(*problem)) {
    const auto p = part<SemiExplicitProblem>(problem);
    auto system = lower_semi_explicit(p, view, options);
    if (view == View::residual && p->hessenberg_blocks.size() == 1 && p->f.differentiable() &&
        p->g.differentiable())
      system->parts = lower_semi_explicit(p, View::partitioned, options);
    return system;
  }
  if (formulation == "state-space")
    return StateSpaceSystem::make(part<MultibodyProblem>(problem), view, options);
  return MultibodySystem::make(part<MultibodyProblem>(problem),
                               *multibody_form(formulation, options.formulation_options), view,
                               options);
}

}  // namespace

std::unique_ptr<System> lower(std::shared_ptr<const Problem> problem, std::string_view formulation,
                              View view, const LoweringOptions& options, double t0) {
  std::unique_ptr<System> system = lower_form(problem, formulation, view, options, t0);
  if (formulation.empty() && index_of(*problem) >= 2)
    system->along_curves = [problem = std::move(problem), modes = system->modes] {
      return recorded_equations(problem, modes);
    };
  return system;
}

}  // namespace daedalus
