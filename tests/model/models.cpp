// SPDX-License-Identifier: BSD-3-Clause
#include "model/models.hpp"

#include <array>
#include <string>

namespace daedalus::testing_models {

ModelBuilder pendulum() {
  ModelBuilder m("pendulum");
  m.set_interval({0.0, 10.0});
  const Expr L = m.parameter("L", 1.0), g = m.parameter("gravity", 9.81);
  const Expr x = m.variable("x", {.start = L, .fixed = true}), y = m.variable("y");
  const Expr u = m.variable("u"), v = m.variable("v", {.start = 0.0, .fixed = true});
  const Expr lambda = m.variable("lambda");
  m.equation(der(x), u);
  m.equation(der(y), v);
  m.equation(der(u), -lambda * x);
  m.equation(der(v), -lambda * y - g);
  m.equation(pow(x, 2.0) + pow(y, 2.0), pow(L, 2.0));
  return m;
}

ModelBuilder amplifier() {
  ModelBuilder m("transistor-amplifier");
  m.set_interval({0.0, 0.2});
  const Expr Ub = m.parameter("Ub", 6.0), UF = m.parameter("UF", 0.026);
  const Expr alpha = m.parameter("alpha", 0.99), beta = m.parameter("beta", 1e-6);
  std::array<Expr, 10> R;
  for (std::size_t i = 0; i < R.size(); ++i)
    R[i] = m.parameter("R" + std::to_string(i), i == 0 ? 1000.0 : 9000.0);
  std::array<Expr, 6> C;
  for (std::size_t i = 1; i < C.size(); ++i)
    C[i] = m.parameter("C" + std::to_string(i), 1e-6 * static_cast<double>(i));
  const Expr first = Ub * R[1] / (R[1] + R[2]), second = Ub * R[5] / (R[5] + R[6]);
  const std::array<Expr, 8> starts{0.0, first, first, Ub, second, second, Ub, 0.0};
  std::array<Expr, 9> U;
  for (std::size_t i = 1; i < U.size(); ++i)
    U[i] = m.variable("U" + std::to_string(i), {.start = starts[i - 1], .unit = "V"});
  const Expr Ue = 0.1 * sin(200.0 * 3.14159265358979323846 * m.time());
  const auto diode = [&](const Expr& x) { return beta * (exp(x / UF) - 1.0); };
  const Expr g23 = diode(U[2] - U[3]), g56 = diode(U[5] - U[6]);
  m.equation(-C[1] * (der(U[1]) - der(U[2])), (U[1] - Ue) / R[0]);
  m.equation(C[1] * (der(U[1]) - der(U[2])),
             U[2] / R[1] + (U[2] - Ub) / R[2] + (1.0 - alpha) * g23);
  m.equation(-C[2] * der(U[3]), U[3] / R[3] - g23);
  m.equation(-C[3] * (der(U[4]) - der(U[5])), (U[4] - Ub) / R[4] + alpha * g23);
  m.equation(C[3] * (der(U[4]) - der(U[5])),
             U[5] / R[5] + (U[5] - Ub) / R[6] + (1.0 - alpha) * g56);
  m.equation(-C[4] * der(U[6]), U[6] / R[7] - g56);
  m.equation(-C[5] * (der(U[7]) - der(U[8])), (U[7] - Ub) / R[8] + alpha * g56);
  m.equation(C[5] * (der(U[7]) - der(U[8])), U[8] / R[9]);
  return m;
}

ModelBuilder transmission_line(int n) {
  using graph::InputKind;
  using graph::MapArgument;
  ModelBuilder m("transmission-line");
  m.set_interval({0.0, 2.0});
  const Expr L = m.parameter("L", 1.0), C = m.parameter("C", 1.0), R = m.parameter("R", 0.1);
  const Expr G = m.parameter("G", 0.1), G3 = m.parameter("G3", 1.0);
  const Expr leak = m.parameter("leak", 1.0);
  const Expr r_source = m.parameter("r_source", 0.5), r_load = m.parameter("r_load", 2.0);
  const double d = 1.0 / n;
  const int a = m.variables("a", n), u = m.variables("u", n), b = m.variables("b", n),
            w = m.variables("w", n);
  const auto range = [](int first, int count) {
    std::vector<int> index;
    for (int i = 0; i < count; ++i) index.push_back(first + i);
    return index;
  };
  const auto state = [&](int first, int count) {
    return MapArgument::of_input(InputKind::state, range(first, count));
  };
  const auto rate = [&](int first, int count) {
    return MapArgument::of_input(InputKind::derivative, range(first, count));
  };
  const Expr s = sin(3.14159265358979323846 * m.time());
  const Expr a1 = m.variable_at(a), u1 = m.variable_at(u);
  m.equation(0.5 * L * d * der(a1), s * s - r_source * a1 - 0.5 * R * d * a1 - u1);
  // m x' = from - (R d/2) x - to: the coils.
  auto coil = std::make_shared<graph::Kernel>();
  coil->add_result(coil->argument(0, "inductance") * coil->argument(1, "dx") -
                   (coil->argument(2, "from") -
                    coil->argument(3, "resistance") * coil->argument(4, "x") -
                    coil->argument(5, "to")));
  const auto coils = [&](int x, int from, int to, int count) {
    m.equations(coil, count,
                {MapArgument::of_scalar(0.5 * L * d), rate(x, count), state(from, count),
                 MapArgument::of_scalar(0.5 * R * d), state(x, count), state(to, count)},
                {.name = "coil"});
  };
  coils(a + 1, w, u + 1, n - 1);
  auto node = std::make_shared<graph::Kernel>();
  const Expr x = node->argument(2, "u");
  node->add_result(node->argument(0, "capacity") * node->argument(1, "du") -
                   (node->argument(3, "a") - node->argument(4, "b") -
                    (node->argument(5, "G") + node->argument(6, "G3") * x * x) * x));
  m.equations(node, n,
              {MapArgument::of_scalar(C * d), rate(u, n), state(u, n), state(a, n), state(b, n),
               MapArgument::of_scalar(G * d), MapArgument::of_scalar(G3 * d)},
              {.name = "node"});
  coils(b, u, w, n);
  auto junction = std::make_shared<graph::Kernel>();
  junction->add_result(junction->argument(0, "b") - junction->argument(1, "a") -
                       junction->argument(2, "leak") * junction->argument(3, "w"));
  m.equations(
      junction, n - 1,
      {state(b, n - 1), state(a + 1, n - 1), MapArgument::of_scalar(leak * d), state(w, n - 1)},
      {.name = "junction"});
  m.equation(m.variable_at(b + n - 1) - m.variable_at(w + n - 1) / r_load, 0.0);
  return m;
}

ModelBuilder bouncing_ball() {
  ModelBuilder m("ball");
  const Expr g = m.parameter("g", 9.81), e = m.parameter("e", 0.8), h0 = m.parameter("h0", 1.0);
  const Expr h = m.variable("h", {.start = h0, .fixed = true});
  const Expr v = m.variable("v", {.start = 0.0, .fixed = true});
  const Expr bounces = m.discrete("bounces");
  m.equation(der(h), v);
  m.equation(der(v), -g);
  m.when(h < 0.0).reinit(v, -e * pre(v)).set(bounces, pre(bounces) + 1.0);
  return m;
}

}  // namespace daedalus::testing_models
