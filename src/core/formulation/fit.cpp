// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "formulation/constant_mass.hpp"
#include "formulation/hessenberg_forms.hpp"
#include "formulation/lower.hpp"
#include "formulation/lowered_layout.hpp"
#include "formulation/multibody_form.hpp"
#include "formulation/overdetermined_system.hpp"
#include "formulation/state_space_system.hpp"

namespace daedalus {

ViewFit fit(const Problem& problem, std::string_view formulation, View view) {
  const auto no = [](std::string reason) { return ViewFit{false, 0, std::move(reason)}; };
  if (const auto* m = std::get_if<MultibodyProblem>(&problem)) {
    if (formulation == "state-space") {
      if (view == View::partitioned) return no("no partitioned view of multibody problems yet");
      std::string reason = StateSpaceSystem::obstacle(*m);
      return {reason.empty(), 0, std::move(reason)};
    }
    const auto form = multibody_form(formulation);
    if (!form) return no(fmt::format("formulation '{}' is not known", formulation));
    if (view == View::partitioned) return no("no partitioned view of multibody problems yet");
    if (view == View::linear && !m->space.is_euclidean())
      return no(fmt::format("the linear view needs a Euclidean space, not {}", m->space.name()));
    if (view != View::residual && form->stabilised())
      return no(fmt::format(
          "formulation '{}' has index {} and multipliers eta, which takes a method for implicit "
          "equations F(t, x, x') = 0, such as bdf",
          formulation, form->index));
    if (view == View::mechanical && form->epsilon > 0.0)
      return no(fmt::format("formulation '{}' has no mechanical view", formulation));
    if (m->multipliers() == 0) return {true, 0, ""};
    return {true, m->constraint_count == 0 ? std::min(form->index, 2) : form->index, ""};
  }
  if (view == View::mechanical) return no("the mechanical view needs a multibody problem");
  if (!formulation.empty()) {
    if (const auto* e = std::get_if<SemiExplicitProblem>(&problem))
      return fit_hessenberg(*e, formulation, view);
    if (const auto* i = std::get_if<ImplicitProblem>(&problem))
      return fit_overdetermined(*i, formulation, view);
  }
  const auto* matrix = std::get_if<MassMatrixProblem>(&problem);
  if (formulation == "separated" || (view == View::partitioned && matrix)) {
    if (!matrix) return no("the formulation 'separated' needs a mass-matrix problem");
    if (view != View::linear && view != View::partitioned)
      return no("the formulation 'separated' offers the linear and the partitioned view");
    if (!constant_mass(*matrix, modes_of(*matrix), 0.0))
      return no("only a constant mass matrix can be separated");
    if (matrix->initial_equation_count > 0)
      return no("initial equations are not available with the formulation 'separated'");
    return {true, index_of(problem), ""};
  }
  if (view == View::partitioned && !std::holds_alternative<SemiExplicitProblem>(problem))
    return no("it needs a semi-explicit problem, y' = f(t, y, z), 0 = g(t, y, z)");
  if (const auto* i = std::get_if<ImplicitProblem>(&problem))
    if (view == View::linear && (i->index != 0 || i->leading_count > 0))
      return no("a fully implicit DAE has no linear view; only implicit ODEs (index 0) do");
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem))
    if (view == View::linear && m->mass && !(m->mass.differentiable() && m->rhs.differentiable()) &&
        m->index > 0 && !constant_mass(*m, modes_of(*m), 0.0))
      return no("a changing mass matrix needs differentiable callables: wrap them in autodiff");
  return {true, index_of(problem), ""};
}

}  // namespace daedalus
