// SPDX-License-Identifier: BSD-3-Clause
// 03: a half-wave rectifier, M y' = f(t, y) with singular M, in the point form with parameters.
//
// Model    a sinusoidal source drives a diode (node 1 to node 2), a capacitor and a load resistor
//          stand between node 2 and ground; i is the current through the source.
// Symbols  y = (u1, u2, i): node voltages and source current.
// Equations (index 1)
//                 0 = i - d(u1 - u2)              current at node 1
//          C u2' = d(u1 - u2) - u2/R             current at node 2
//                 0 = u1 - A sin(2 pi f t)        the source
//          d(u) = I_s (exp(u/U_T) - 1)           diode
// M has one non-zero entry, C in row 2; its callable is
// recognised as constant.
//
// Builds on 02 (automatic differentiation). New: MassMatrixProblem, parameters with names, the
// point form f(x, out), a given Jacobian, output at given times, a sink, linear algebra, the trace.
#include <cmath>
#include <iostream>
#include <numbers>

#include <daedalus/daedalus.hpp>

namespace {

enum : int { amplitude, frequency, capacity, resistance };  // places of the parameters in x.p

// exp that a wild iterate cannot overflow: "outside my domain" asks for a smaller step.
constexpr double max_exponent = 80.0;
constexpr double saturation = 1e-9, thermal = 0.026;  // I_s, U_T of the diode

daedalus::MassMatrixProblem rectifier() {
  // [problem]
  return {.name = "rectifier",
          .mass = daedalus::autodiff([](const auto& x, auto& M) {
            M.setZero();
            M(1, 1) = x.p[capacity];
          }),
          .rhs = daedalus::autodiff([](const auto& x, auto& f) -> daedalus::Eval {
            using std::exp, std::sin;
            const auto drop = (x.y[0] - x.y[1]) / thermal;
            if (daedalus::value_of(drop) > max_exponent) return daedalus::Eval::reject;
            const auto diode = saturation * (exp(drop) - 1.0);
            const auto source = x.p[amplitude] * sin(2.0 * std::numbers::pi * x.p[frequency] * x.t);
            f[0] = x.y[2] - diode;
            f[1] = diode - x.y[1] / x.p[resistance];
            f[2] = x.y[0] - source;
            return daedalus::Eval::ok;
          }),
          .y0 = Eigen::Vector3d::Zero(),
          .variables = {"u1", "u2", "i"},
          .equations = {"node 1", "node 2", "source"},
          .parameters = {
              {"amplitude", 5.0}, {"frequency", 50.0}, {"capacity", 1e-5}, {"resistance", 1e4}}};
  // [/problem]
}

}  // namespace

int main() {
  // [parameters]
  daedalus::Problem problem = rectifier();
  daedalus::set_parameter(problem, "resistance", 5e3);
  for (const daedalus::Parameter& p : std::get<daedalus::MassMatrixProblem>(problem).parameters)
    std::cout << p.name << " = " << p.value << '\n';
  // [/parameters]

  // [options]
  std::vector<double> peaks;
  for (int k = 0; k < 5; ++k) peaks.push_back(0.005 + 0.02 * k);
  long reported = 0, rejected = 0;
  daedalus::Options options{.rtol = 1e-5,
                            .atol = 1e-7,
                            .output = daedalus::Output::times,
                            .output_times = peaks,
                            .initial_step = 1e-6,
                            .max_step = 2e-3,
                            .min_step = 1e-15,
                            .max_steps = 100000,
                            .control = "filter",  // smooth step sequences
                            .safety = 0.85,
                            .linear_algebra = daedalus::LinearAlgebra::sparse};
  options.sink = [&](const daedalus::StateView& s) {
    ++reported;
    std::cout << "t = " << s.t() << "  u2 = " << s["u2"] << "  i = " << s["i"] << '\n';
  };
  options.trace = [&](const daedalus::StepRecord& r) { rejected += r.outcome != "accepted"; };
  const daedalus::Solution solution = daedalus::solve(problem, {0.0, 0.1}, options);
  // [/options]
  if (!solution.ok()) {
    std::cerr << solution.status() << ": " << solution.message() << '\n';
    return 1;
  }
  std::cout << solution.choice().linear_solver << ", " << solution.statistics() << '\n';

  // The same with derivatives from differences: what exact ones save, and that both agree.
  options.derivatives = daedalus::DerivativeSource::differences;
  options.difference_increment = 1e-7;  // times max(1, |u|); 0, the default, suits each variable
  options.linear_algebra = daedalus::LinearAlgebra::dense;
  options.sink = {};
  const daedalus::Solution differences = daedalus::solve(problem, {0.0, 0.1}, options);
  const double apart = std::abs(solution.end()["u2"] - differences.end()["u2"]);
  std::cout << "differences: " << differences.statistics() << "\nthe two differ by " << apart
            << '\n';
  const bool good = differences.ok() && apart < 1e-3 && reported == 5 &&
                    rejected >= solution.statistics().rejected && solution.state(4)["u2"] > 4.0 &&
                    solution.state(4)["u2"] < 5.0;
  return good ? 0 : 1;
}
