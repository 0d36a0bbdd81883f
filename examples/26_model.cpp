// SPDX-License-Identifier: BSD-3-Clause
// 26: a model as formulas: equations in, a problem with names, index and exact derivatives out.
//
// Model    pendulum in Cartesian coordinates as five equations, index 3:
//          x' = u, y' = v, u' = -lambda x, v' = -lambda y - g, x^2 + y^2 = L^2.
//
// Builds on 24 (expressions). New: ModelBuilder, Model, parameters, structure, entries, mistakes.
#include <cmath>
#include <iostream>
#include <memory>
#include <string>

#include <daedalus/model.hpp>
#include <daedalus/solve.hpp>

using namespace daedalus;

int main() {
  // [build]
  ModelBuilder m("pendulum");
  m.set_interval({0.0, 10.0});
  const Expr L = m.parameter("L", 1.0, ParameterOptions{.min = 0.0, .unit = "m"});
  const Expr g = m.parameter("g", 9.81, {.unit = "m/s2"});
  const Expr x = m.variable("x", VariableOptions{.start = L, .fixed = true, .unit = "m"});
  const Expr y = m.variable("y"), u = m.variable("u");
  const Expr v = m.variable("v", {.start = 0.0, .fixed = true});
  const Expr lambda = m.variable("lambda");
  m.equation(der(x), u);
  m.equation(der(y), v);
  m.equation(der(u), -lambda * x);
  m.equation(der(v), -lambda * y - g);
  m.equation(pow(x, 2) + pow(y, 2), pow(L, 2), ItemOptions{.name = "rod"});
  m.output("angle", atan2(x, -y), {.unit = "rad"});
  // [/build]

  // [solve]
  const std::shared_ptr<const Model> model = m.model(ModelOptions{.machine_code = true});
  const Values values{{"L", 2.0}};  // nothing is built anew
  Options options;
  model->apply(options, values);  // which start values hold, and which are guesses
  const Solution solution = solve(model->problem(values), {0.0, 1.0}, options);
  std::cout << "x = " << solution.end()["x"] << '\n';
  // [/solve]
  const double rod = std::hypot(solution.end()["x"], solution.end()["y"]);
  bool good = solution.ok() && std::abs(rod - 2.0) < 1e-4;

  // [structure]
  const StructureReport& structure = model->structure();
  std::cout << structure.text << '\n';  // ... Differentiating "x^2 + y^2 = L^2" twice ...
  // [/structure]
  good = good && structure.index == 3 && structure.hidden.size() == 3;

  // [derivatives]
  // Every entry of the Jacobian is a formula; its structure holds in all branches.
  const auto problem = std::get<SemiExplicitProblem>(model->problem());
  const SparseDerivatives* known = problem.f.sparse_derivatives();
  // [/derivatives]
  good = good && known != nullptr;

  // [entry]
  // As tools see it: like a problem of the catalogue.
  const Entry entry = model->entry();
  Eigen::VectorXd out(static_cast<int>(entry.outputs.size()));
  const ModelState end = solution.end();
  entry.evaluate_outputs(entry.all_values(values), end, Out(out.data(), out.size()));
  for (std::size_t i = 0; i < entry.outputs.size(); ++i) {
    const ModelOutput& about = entry.outputs[i];
    std::cout << about.name << " = " << out[static_cast<int>(i)] << ' ' << about.unit << '\n';
  }
  const std::optional<Reference> reference = entry.reference;  // none is known
  // [/entry]
  good = good && !reference && entry.parameters.size() == 2;

  // [mistakes]
  ModelBuilder wrong("wrong");
  const Expr a = wrong.variable("a"), b = wrong.variable("b");
  wrong.equation(a + b, 1.0);
  wrong.equation(a * b, 2.0);
  wrong.equation(a - b, 3.0);
  try {
    wrong.model();
  } catch (const ModelError& error) {
    for (const Diagnostic& d : error.diagnostics) std::cout << d.message << '\n';
    good = good && error.diagnostics.size() == 2;
  }
  // [/mistakes]
  return good ? 0 : 1;
}
