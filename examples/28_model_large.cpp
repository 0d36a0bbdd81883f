// SPDX-License-Identifier: BSD-3-Clause
// 28: models of many equal equations, and mechanisms as formulas.
//
// Model    heat in a rod of n pieces, T_i' = n^2 (T_(i-1) - 2 T_i + T_(i+1)), ends at 0 and 1; a
//          pendulum by its mass, force and constraint.
//
// Builds on 26. New: maps of a kernel, multibody models.
#include <cmath>
#include <iostream>
#include <memory>
#include <vector>

#include <daedalus/model.hpp>
#include <daedalus/solve.hpp>

using namespace daedalus;

int main() {
  // [rolled]
  using graph::InputKind;
  using graph::MapArgument;
  const int n = 1000;
  ModelBuilder rod("rod");
  const int first = rod.variables("T", n);
  auto piece = std::make_shared<graph::Kernel>();  // one formula for all of them
  const Expr rate = piece->argument(0), left = piece->argument(1), T = piece->argument(2),
             right = piece->argument(3);
  piece->add_result(rate - double(n) * n * (left - 2.0 * T + right));
  std::vector<int> at, before, after;
  for (int i = 1; i + 1 < n; ++i) {
    at.push_back(first + i);
    before.push_back(first + i - 1);
    after.push_back(first + i + 1);
  }
  rod.equations(
      piece, n - 2,
      {MapArgument::of_input(InputKind::derivative, at),
       MapArgument::of_input(InputKind::state, before), MapArgument::of_input(InputKind::state, at),
       MapArgument::of_input(InputKind::state, after)},
      {.name = "heat"});
  rod.equation(rod.variable_at(first), 0.0);
  rod.equation(rod.variable_at(first + n - 1), 1.0);
  const std::shared_ptr<const Model> heat = rod.model();
  // [/rolled]
  Options options;
  options.method = "radau";
  heat->apply(options);
  const Solution warm = solve(heat->problem(), {0.0, 1.0}, options);
  bool good = warm.ok() && std::abs(warm.end()["T[500]"] - 499.0 / 999.0) < 1e-3;
  std::cout << "T in the middle: " << warm.end()["T[500]"] << '\n';

  // [multibody]
  ModelBuilder m("pendulum");
  const Expr mass = m.parameter("mass", 1.0), length = m.parameter("length", 1.0);
  const Coordinate x = m.coordinate("x", "u", {.start = length}), y = m.coordinate("y", "v");
  m.mass(x, x, mass);
  m.mass(y, y, mass);
  m.force(y, -9.81 * mass);
  m.constraint(0.5 * (x.q * x.q + y.q * y.q - length * length), "lambda");
  const Solution swung = solve(m.problem(), {0.0, 1.0});
  // [/multibody]
  good =
      good && swung.ok() && std::abs(std::hypot(swung.end()["x"], swung.end()["y"]) - 1.0) < 1e-5;
  return good ? 0 : 1;
}
