// SPDX-License-Identifier: BSD-3-Clause
// 25: formulas evaluated and differentiated, by an interpreter or as machine code.
//
// Model    a pendulum of length L with friction that sets in above a limit, as expressions:
//          phi' = omega,   omega' = -g/L sin(phi) - (d omega where |omega| > limit, else 0),
//          and a chain of 1000 masses between springs, one formula used 1000 times.
//
// Builds on 24 (expressions). New: Evaluator, differentiate(), Jacobian.
#include <cmath>
#include <iostream>
#include <memory>
#include <vector>

#include <daedalus/daedalus.hpp>
#include <daedalus/graph_evaluator.hpp>
#include <daedalus/graph_table.hpp>

namespace {

using daedalus::Expr;
using daedalus::graph::Evaluator;
using daedalus::graph::EvaluatorOptions;
using daedalus::graph::Graph;
using daedalus::graph::InputKind;
using daedalus::graph::Jacobian;
using daedalus::graph::Outputs;

bool pendulum() {
  // [build]
  Graph graph;
  const Expr phi = graph.state("phi"), omega = graph.state("omega");
  const Expr g = graph.parameter("g"), L = graph.parameter("L"), d = graph.parameter("d");
  Outputs rates;
  rates.add(omega);
  rates.add(-g / L * sin(phi) - select(abs(omega) > 0.5, d * omega, 0.0));
  std::cout << text(rates.single[1].value) << '\n' << latex(rates.single[1].value) << '\n';
  // [/build]

  // [evaluate]
  const Jacobian J = differentiate(graph, rates, InputKind::state, 2);
  Evaluator f(graph, rates), entries(graph, J.entries, EvaluatorOptions{.machine_code = false});
  const std::vector<double> y{0.3, 1.0}, p{9.81, 2.0, 0.1};
  std::vector<double> value(2), slope(J.inner.size());
  for (Evaluator* e : {&f, &entries}) {
    e->set(InputKind::state, y);
    e->set(InputKind::parameter, p);
  }
  if (!f.run(value) || !entries.run(slope)) return false;
  // [/evaluate]
  std::cout << value[1] << (f.uses_machine_code() ? " by machine code\n" : " interpreted\n");
  return std::abs(value[1] + 9.81 / 2.0 * std::sin(0.3) + 0.1) < 1e-14 &&
         J.outer == std::vector<int>{0, 1, 3} &&
         std::abs(slope[0] + 9.81 / 2.0 * std::cos(0.3)) < 1e-14 && slope[2] == -0.1;
}

// Tables, functions from outside, conditions that must hold, and where a formula was written.
bool pieces() {
  using daedalus::graph::Assertion;
  using daedalus::graph::External;
  using daedalus::graph::Node;
  using daedalus::graph::Op;
  using daedalus::graph::Position;
  using daedalus::graph::Table;
  Graph graph;
  const Expr x = graph.state("x");
  const auto table = std::make_shared<Table>("stiffness", std::vector<double>{0.0, 1.0, 2.0},
                                             std::vector<double>{1.0, 3.0, 4.0});
  const auto slope = std::make_shared<External>(
      External{"two", 1, [](std::span<const double>) { return 2.0; }, {}});
  const auto twice = std::make_shared<External>(
      External{"twice", 1, [](std::span<const double> v) { return 2.0 * v[0]; }, {slope}});
  const Expr arguments[] = {x};
  const Expr force = graph.table(table, x) * graph.external(twice, arguments);
  const Expr checked = asserted(x >= 0.0, force, "x must not be negative");
  graph.set_position(checked, Position{graph.add_file("spring.model"), 3, 7});
  const Node& node = graph.node(checked.node());
  const Assertion& assertion = graph.assertion(node.x[2]);
  Outputs rows;
  rows.add(checked);
  Evaluator f(graph, rows);
  std::vector<double> at{0.5}, value(1);
  f.set(InputKind::state, at);
  const bool good = f.run(value) && value[0] == 2.0;
  at[0] = -1.0;
  const bool failed = !f.run(value) && f.message() == assertion.message;
  return good && failed && node.op == Op::assertion && graph.position(checked.node()).line == 3;
}

bool chain(int n) {
  using daedalus::graph::Kernel;
  using daedalus::graph::Map;
  using daedalus::graph::MapArgument;
  // [map]
  auto spring = std::make_shared<Kernel>();
  const Expr left = spring->argument(0), here = spring->argument(1), right = spring->argument(2);
  spring->add_result(left - 2.0 * here + right - 0.1 * pow(here, 3.0));
  Graph graph;
  Map map;
  map.kernel = spring;
  map.count = n;
  std::vector<int> before, own, after;
  for (int i = 0; i < n; ++i) {
    before.push_back(i == 0 ? n - 1 : i - 1);
    own.push_back(i);
    after.push_back(i == n - 1 ? 0 : i + 1);
  }
  map.arguments = {MapArgument::of_input(InputKind::state, before),
                   MapArgument::of_input(InputKind::state, own),
                   MapArgument::of_input(InputKind::state, after)};
  map.rows = {own};
  Outputs forces;
  forces.count = n;
  forces.maps = {map};
  const Jacobian J = differentiate(graph, forces, InputKind::state, n);
  // [/map]
  std::cout << n << " equations, " << J.inner.size() << " entries, " << graph.size() << " nodes\n";
  return J.inner.size() == 3u * static_cast<std::size_t>(n);
}

}  // namespace

int main() { return pendulum() && pieces() && chain(1000) ? 0 : 1; }
