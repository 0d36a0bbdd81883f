// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/default_names.hpp"
#include "formulation/first_order_maps.hpp"
#include "formulation/lower_forms.hpp"
#include "formulation/lowered_layout.hpp"

namespace daedalus {

std::unique_ptr<System> lower_implicit(std::shared_ptr<const ImplicitProblem> p, View view,
                                       const LoweringOptions& options) {
  const int n = static_cast<int>(p->y0.size());
  auto modes = modes_of(*p);
  const auto variables = default_names(p->variables, "y", n);
  const auto equations = default_names(p->equations, "equation ", n);
  Layout layout = indexed_layout(p->variable_index, n, variables);
  if (view == View::linear) {
    std::vector<std::string> rates, rows;
    for (const std::string& v : variables) rates.push_back("d(" + v + ")/dt");
    for (const std::string& r : rates) rows.push_back("definition of " + r);
    rows.insert(rows.end(), equations.begin(), equations.end());
    layout.add(VariableClass::a, 1, euclidean(n), rates, false);
    SparseMatrix mass(2 * n, 2 * n);
    for (int i = 0; i < n; ++i) mass.insert(i, i) = 1.0;
    auto map = std::make_unique<ImplicitRatesMap>(p, modes);
    return complete_system(std::make_unique<FirstOrderSystem>(std::move(layout), std::move(map),
                                                              std::move(mass), options),
                           modes, n, rows);
  }
  GivenJacobian given;
  if (p->jacobian_y && p->jacobian_yp && !options.differences && p->leading_count == 0) {
    auto parameters = std::make_shared<ParameterSet>(p->parameters, modes);
    given = [p, parameters, n](double t, const double* x, const double* xd, SparseValues& dx,
                               SparseValues& dxd) {
      const auto a = state_arguments<double>(*parameters, t, x, n, nullptr, 0, xd, n);
      if (const Eval e = p->jacobian_y(a, dx.values.data(), n, n); e != Eval::ok) return e;
      return p->jacobian_yp(a, dxd.values.data(), n, n);
    };
  }
  LeadingTerm leading;
  if (p->leading_count > 0) leading = {p->leading_count, std::make_unique<LeadingMap>(p, modes)};
  return complete_system(
      std::make_unique<FirstOrderSystem>(std::move(layout), std::make_unique<ImplicitMap>(p, modes),
                                         options, given, std::move(leading)),
      modes, n, equations);
}

}  // namespace daedalus
