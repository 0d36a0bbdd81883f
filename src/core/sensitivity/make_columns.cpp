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
  const bool own = r.method.propagation == Propagation::multistep && !r.method.stabilised_only &&
                   !run.model_system();
  if (!multibody || own) return r.formulation;
  return std::get<MultibodyProblem>(*r.problem).multipliers() > 0 ? "index1" : r.formulation;
}

void refuse(const ColumnRequest& r) {
  const SensitivityOptions& o = r.options.sensitivities;
  if (r.options.linear_algebra == LinearAlgebra::krylov)
    throw InvalidArgument(
        "sensitivities: linear_algebra krylov makes no matrix for them; use sparse or dense");
  if (o.error_test)
    throw InvalidArgument(
        "sensitivities.error_test: derivatives do not take part in the step control yet; leave it "
        "off and tighten rtol");
  if (o.method == SensitivityMethod::simultaneous || o.method == SensitivityMethod::step)
    throw InvalidArgument(
        fmt::format("sensitivities.method: '{}' is not served; use staggered or automatic",
                    to_string(o.method)));
  if (const auto* p = std::get_if<ImplicitProblem>(r.problem.get()); p && p->leading_count > 0)
    throw InvalidArgument(
        "sensitivities: a stated leading term d(t, y) is not served; write F(t, y, y') = 0");
}

}  // namespace

std::unique_ptr<Columns> make_columns(const ColumnRequest& request, System& run) {
  refuse(request);
  std::string formulation = formulation_for(request, run);
  if (!fit(*request.problem, formulation, View::residual).possible) formulation.clear();
  if (const ViewFit f = fit(*request.problem, formulation, View::residual); !f.possible)
    throw InvalidArgument(fmt::format("sensitivities: not with '{}' on this problem: {}",
                                      request.method.name, f.reason));
  return std::make_unique<RunColumns>(
      request, run, resolve(*request.problem, request.options.sensitivities, run), formulation);
}

}  // namespace daedalus
