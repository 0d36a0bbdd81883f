// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/changing_mass_system.hpp"
#include "formulation/constant_mass.hpp"
#include "formulation/default_names.hpp"
#include "formulation/first_order_maps.hpp"
#include "formulation/lower_forms.hpp"
#include "formulation/lowered_layout.hpp"
#include "formulation/separated_system.hpp"

namespace daedalus {
namespace {

std::unique_ptr<System> lower_separated(std::shared_ptr<const MassMatrixProblem> p,
                                        const SparseMatrix& M, Layout layout,
                                        std::shared_ptr<std::vector<double>> modes,
                                        const LoweringOptions& options) {
  const int n = static_cast<int>(p->y0.size());
  auto variables_of_model = model_variables(layout, n);
  auto system = SeparatedSystem::make(p, modes, M, std::move(layout), options);
  system->modes = modes;
  system->variables = std::move(variables_of_model);
  for (int i = 0; i < n; ++i)
    system->equations.push_back(i < system->differential_count()
                                    ? "rate of xi" + std::to_string(i + 1)
                                    : "algebraic combination " +
                                          std::to_string(i + 1 - system->differential_count()));
  return system;
}

// F = M y' - f: the given df/dy enters with a minus sign.
GivenJacobian residual_jacobian(std::shared_ptr<const MassMatrixProblem> p, Modes modes,
                                const Eigen::MatrixXd& M) {
  const int n = static_cast<int>(p->y0.size());
  auto parameters = std::make_shared<ParameterSet>(p->parameters, modes);
  return [p, parameters, n, M](double t, const double* x, const double*, SparseValues& dx,
                               SparseValues& dxd) {
    const Eval e =
        p->jacobian(state_arguments<double>(*parameters, t, x, n), dx.values.data(), n, n);
    for (double& v : dx.values) v = -v;
    std::copy(M.data(), M.data() + M.size(), dxd.values.begin());
    return e;
  };
}

GivenJacobian rate_jacobian(std::shared_ptr<const MassMatrixProblem> p, Modes modes) {
  const int n = static_cast<int>(p->y0.size());
  auto parameters = std::make_shared<ParameterSet>(p->parameters, modes);
  return [p, parameters, n](double t, const double* x, const double*, SparseValues& dx,
                            SparseValues&) {
    return p->jacobian(state_arguments<double>(*parameters, t, x, n), dx.values.data(), n, n);
  };
}

}  // namespace

std::unique_ptr<System> lower_mass(std::shared_ptr<const MassMatrixProblem> p, bool separated,
                                   View view, const LoweringOptions& options, double t0) {
  const int n = static_cast<int>(p->y0.size());
  auto modes = modes_of(*p);
  const auto variables = default_names(p->variables, "y", n);
  auto equations = default_names(p->equations, "equation ", n);
  Layout layout = indexed_layout(p->variable_index, n, variables);
  auto constant = constant_mass(*p, modes, t0);
  if (separated) return lower_separated(p, *constant, std::move(layout), modes, options);
  const bool given = p->jacobian && constant && !options.differences;
  if (view == View::residual)
    return complete_system(
        std::make_unique<FirstOrderSystem>(
            std::move(layout), std::make_unique<MassMap>(p, modes, true), options,
            given ? residual_jacobian(p, modes, *constant) : GivenJacobian()),
        modes, n, std::move(equations));
  if (constant)
    return complete_system(
        std::make_unique<FirstOrderSystem>(
            std::move(layout), std::make_unique<MassMap>(p, modes, false), std::move(*constant),
            options, given ? rate_jacobian(p, modes) : GivenJacobian()),
        modes, n, std::move(equations));
  auto system = ChangingMassSystem::make(p, modes, std::move(layout), options, t0);
  std::vector<std::string> rows;
  for (const std::string& v : variables) rows.push_back("definition of d(" + v + ")/dt");
  rows.insert(rows.end(), equations.begin(), equations.end());
  return complete_system(std::move(system), modes, n, rows);
}

}  // namespace daedalus
