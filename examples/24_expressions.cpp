// SPDX-License-Identifier: BSD-3-Clause
// 24: models as data: the expression graph that model files and languages end in.
//
// Model    a chain of masses between springs that harden, m x'' = F(right) - F(left),
//          F(e) = k e + c e^3, with a stop that pushes back beyond e = 1; written as formulas, not
//          as a callable.
//
// Builds on nothing. New: Expr, Graph, names and positions, assertions, tables, external functions,
// repeated equations (Kernel, Map).
#include <cmath>
#include <iostream>
#include <memory>
#include <span>
#include <string>

#include <daedalus/expr.hpp>
#include <daedalus/graph.hpp>
#include <daedalus/graph_table.hpp>

using daedalus::Expr;
using daedalus::graph::Graph;

namespace {

bool is(const std::string& got, const std::string& wanted) {
  if (got == wanted) return true;
  std::cerr << "got '" << got << "', expected '" << wanted << "'\n";
  return false;
}

}  // namespace

int main() {
  namespace graph = daedalus::graph;
  bool good = true;

  // [formula]
  Graph g;
  const Expr x = g.state("x"), k = g.parameter("k"), c = g.parameter("c");
  const Expr force = k * x + c * x * x * x;
  const Expr again = k * x + c * x * x * x;  // equal expressions are one node
  std::cout << text(force) << ", in LaTeX " << latex(force) << '\n';
  // [/formula]
  good = again.same(force) && is(text(der(x)), "der(x)") && good;

  // [nodes]
  const int file = g.add_file("chain.json");
  g.set_name(force, "F");
  g.set_position(force, graph::Position{file, 3, 14});
  const graph::Node& node = g.node(force.node());
  std::cout << g.name(force.node()) << " is a node '" << name_of(node.op) << "' from "
            << g.file(g.position(force.node()).file) << ':' << g.position(force.node()).line
            << '\n';
  // [/nodes]
  good = node.op == graph::Op::add && g.kind(x.node()) == graph::InputKind::state && good;

  // [branches]
  // Only the branch that is needed is evaluated. The comparison becomes a zero crossing of the
  // model unless it stands in no_event().
  const Expr stop = select(x > 1.0, 1e3 * (x - 1.0), 0.0);
  const Expr root = asserted(k > 0.0, sqrt(k), "the spring needs a positive stiffness");
  // [/branches]
  const graph::Assertion& assertion = g.assertion(0);
  good = is(text(stop), "if x > 1 then 1000*(x - 1) else 0") && !text(root).empty() && good;
  good = is(assertion.message, "the spring needs a positive stiffness") && good;

  // [outside]
  // Measured data, and a function that is computed outside; its derivative is another one.
  const auto measured = std::make_shared<const graph::Table>(
      "damping", std::vector<double>{0.0, 1.0, 2.0}, std::vector<double>{0.0, 0.5, 0.7});
  const auto slope = std::make_shared<const graph::External>(
      graph::External{"cosine", 1, [](std::span<const double> a) { return std::cos(a[0]); }, {}});
  const auto wave = std::make_shared<const graph::External>(graph::External{
      "sine", 1, [](std::span<const double> a) { return std::sin(a[0]); }, {slope}});
  const Expr time = g.time();
  const Expr drive = g.table(measured, x) + g.external(wave, std::span(&time, 1));
  // [/outside]
  good = !text(drive).empty() && good;

  // [rolled]
  // 10^5 springs are one formula with index tables, not 10^5 formulas.
  const int masses = 100'000;
  auto spring = std::make_shared<graph::Kernel>();
  const Expr left = spring->argument(0, "left"), right = spring->argument(1, "right");
  const Expr stiffness = spring->argument(2, "k");
  spring->add_result(stiffness * (right - left));
  std::vector<int> from, to, row;
  for (int i = 0; i + 1 < masses; ++i) from.push_back(i), to.push_back(i + 1), row.push_back(i);
  graph::Outputs outputs;
  outputs.count = masses - 1;
  outputs.maps.push_back(graph::Map{spring,
                                    masses - 1,
                                    {graph::MapArgument::of_input(graph::InputKind::position, from),
                                     graph::MapArgument::of_input(graph::InputKind::position, to),
                                     graph::MapArgument::of_scalar(k)},
                                    {row}});
  outputs.check(g);
  // [/rolled]
  std::cout << g.size() << " nodes for " << masses << " masses\n";
  return good && g.size() < 100 ? 0 : 1;
}
