// SPDX-License-Identifier: BSD-3-Clause
// A Modelica text: a pendulum with its constraint as written, index 3. The energy stays.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/modelica.hpp>

using namespace daedalus;

int main() {
  const ModelicaFile file = read_modelica_text(R"(
model Pendulum
  parameter Real L = 1;
  Real x(start = L), y(start = 0, fixed = true), vx, vy(start = 0, fixed = true), lambda;
  output Real energy = (vx^2 + vy^2)/2 + 9.81*y;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - 9.81;
  x^2 + y^2 = L^2;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end Pendulum;
)",
                                               "Pendulum.mo");
  const Values values{{"L", 2.0}};
  Options options{.rtol = file.tolerance, .atol = file.tolerance};
  file.entry.apply(options, values);
  const Solution s = solve(file.entry.problem(values), {file.entry.t0, file.entry.t_end}, options);
  const double energy =
      (std::pow(s.end()["vx"], 2) + std::pow(s.end()["vy"], 2)) / 2 + 9.81 * s.end()["y"];
  std::cout << "index " << file.entry.index << ", method " << s.choice().method << ", energy "
            << energy << "\n";
  return s.ok() && file.entry.index == 3 && std::abs(energy) < 1e-5 ? 0 : 1;
}
