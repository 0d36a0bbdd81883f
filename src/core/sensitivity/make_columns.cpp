// SPDX-License-Identifier: BSD-3-Clause
#include "sensitivity/make_columns.hpp"

#include <fmt/format.h>

#include "formulation/lower.hpp"
#include "sensitivity/run_columns.hpp"

namespace daedalus {
namespace {

// The rows in which columns are computed. The solution is the same in all formulations, and so are
// its derivatives: those of the run where its method is an implicit formula on them, otherwise the
// ones of index 1.
std::string formulation_for(const ColumnRequest& r, const System& run) {
  const bool multibody = std::holds_alternative<MultibodyProblem>(*r.problem);
  const bool formula =
      (r.method.propagation == Propagation::multistep && !r.options.sensitivities.error_test) ||
      r.options.sensitivities.method == SensitivityMethod::step;
  const bool own = formula && !r.method.stabilised_only && !run.model_system();
  if (!multibody || own) return r.formulation;
  return std::get<MultibodyProblem>(*r.problem).multipliers() > 0 ? "index1" : r.formulation;
}

void refuse(const ColumnRequest& r) {
  if (r.options.linear_algebra == LinearAlgebra::krylov)
    throw InvalidArgument(
        "sensitivities: linear_algebra krylov makes no matrix for them; use sparse or dense");
  if (const auto* p = std::get_if<ImplicitProblem>(r.problem.get()); p && p->leading_count > 0)
    throw InvalidArgument(
        "sensitivities: a stated leading term d(t, y) is not served; write F(t, y, y') = 0");
}

// The derivative of the computed step itself needs the formulas of the method in the rows of the
// columns.
void refuse_step(const ColumnRequest& r, const std::string& formulation) {
  if (r.options.sensitivities.method != SensitivityMethod::step) return;
  const bool formulas = r.method.propagation == Propagation::multistep ||
                        r.method.family == "radau" || r.method.name == "implicit-euler";
  if (formulas && formulation == r.formulation) return;
  throw InvalidArgument(fmt::format(
      "sensitivities.method: 'step' is for bdf, radau, radau5 and implicit-euler in the "
      "formulation of the run{}; use staggered or automatic with '{}'",
      formulas ? fmt::format(" ('{}', columns would need '{}')", r.formulation, formulation) : "",
      r.method.name));
}

}  // namespace

std::unique_ptr<Columns> make_columns(const ColumnRequest& request, System& run) {
  refuse(request);
  std::string formulation = formulation_for(request, run);
  if (!fit(*request.problem, formulation, View::residual).possible) formulation.clear();
  if (const ViewFit f = fit(*request.problem, formulation, View::residual); !f.possible)
    throw InvalidArgument(fmt::format("sensitivities: not with '{}' on this problem: {}",
                                      request.method.name, f.reason));
  refuse_step(request, formulation);
  return std::make_unique<RunColumns>(
      request, run, resolve(*request.problem, request.options.sensitivities, run), formulation);
}

}  // namespace daedalus
