// SPDX-License-Identifier: BSD-3-Clause
// The gradient of two numbers that a run gives, with respect to all parameters: by one run
// backwards for each number, whatever the number of parameters.
#include <cmath>
#include <iostream>

#include <daedalus/adjoint.hpp>
#include <daedalus/daedalus.hpp>

using namespace daedalus;

int main() {
  // y1' = -a y1 + z, y2' = b y1 - y2, 0 = y1 - p cos(w t): index 2.
  SemiExplicitProblem circuit;
  circuit.name = "index 2";
  circuit.f = autodiff([](const auto& x, auto& f) {
    f[0] = -x.p[0] * x.y[0] + x.z[0];
    f[1] = x.p[1] * x.y[0] - x.y[1];
  });
  circuit.g = autodiff([](const auto& x, auto& g) {
    using std::cos;
    g[0] = x.y[0] - x.p[2] * cos(x.p[3] * x.t);
  });
  circuit.hessenberg_blocks = {2};
  circuit.y0 = Eigen::Vector2d(0.5, 0.0);
  circuit.z0 = Eigen::VectorXd::Constant(1, 1.0);
  circuit.parameters = {{"a", 2.0}, {"b", 3.0}, {"p", 0.5}, {"w", 4.0}};
  circuit.start = autodiff([](const auto& x, auto& out) {
    out[0] = x.p[2];
    out[1] = 0.0;
    out[2] = x.p[0] * x.p[2];
  });
  // [gradient]
  Functional end, load;
  end.name = "y2 at the end";
  end.at_end = autodiff([]<class S>(const FunctionalPoint<S>& x, auto& J) { J[0] = x.y[1]; });
  load.name = "load";
  load.along = autodiff([](const auto& x, auto& J) { J[0] = x.y[1] + x.z[0] * x.z[0]; });
  const Options options{.rtol = 1e-8, .atol = 1e-8};
  AdjointOptions asked;
  asked.parameters = {"*"};
  asked.way = GradientWay::adjoint;
  const Gradient g = adjoint(circuit, {0.0, 1.5}, {end, load}, options, asked);
  if (!g.ok()) std::cerr << g.message() << "\n";
  const GradientStatistics& work = g.statistics();
  std::cout << "load " << g.value("load") << ", by p " << g("load", "p") << "\n"
            << work.forward_steps << " steps forwards, " << work.backward_steps << " backwards\n";
  // [/gradient]
  const bool good = g.ok() && std::abs(g.value("load") - 3.740374382303646) < 1e-5 &&
                    std::abs(g("load", "p") - 15.10389058822370) < 1e-4 &&
                    std::abs(g("y2 at the end", "w") - 0.5364569683566350) < 1e-5;
  return good ? 0 : 1;
}
