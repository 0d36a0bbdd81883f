// SPDX-License-Identifier: BSD-3-Clause
// 33: one problem, many methods: a table of cost and digits, and what the automatic choice costs.
//
// Model    y' = -1000 (y - cos t) - sin t, y(0) = 1: stiff, with the solution cos t.
//
// Builds on 09 (the laboratory). New: compare_methods, measure_regret.
#include <cmath>
#include <cstdio>

#include <daedalus/comparison.hpp>
#include <daedalus/daedalus.hpp>

int main() {
  // [compare]
  const daedalus::MassMatrixProblem problem{.name = "stiff",
                                            .rhs = daedalus::autodiff([](const auto& x, auto& f) {
                                              using std::cos, std::sin;
                                              f[0] = -1000.0 * (x.y[0] - cos(x.t)) - sin(x.t);
                                            }),
                                            .y0 = Eigen::VectorXd::Ones(1)};
  const daedalus::Options options{.rtol = 1e-6, .atol = 1e-6};
  const daedalus::Digits digits = [](const daedalus::Solution& s) {
    return -std::log10(std::abs(s.end().y()[0] - std::cos(s.end_time())));
  };
  daedalus::ComparisonSettings settings{
      .methods = {"bdf", "radau", "rodas4", "rodas5p"}, .formulations = {"auto"}, .digits = digits};
  const auto runs = daedalus::compare_methods(problem, {0.0, 10.0}, options, settings);
  for (const daedalus::MeasuredRun& run : runs)
    std::printf("%-8s %4ld steps %9.2e s %5.1f digits\n", run.method.c_str(),
                run.statistics.steps(), run.seconds, run.digits);
  // [/compare]

  // [regret]
  const daedalus::RegretSettings contest{
      .enough = 5.0, .repetitions = 3, .methods = settings.methods};
  const daedalus::Regret regret =
      daedalus::measure_regret(problem, {0.0, 10.0}, options, digits, contest);
  const daedalus::RegretSummary summary = daedalus::summarise({regret});
  std::printf("automatic choice: %s, %.2f times the time of %s; median %.2f\n",
              regret.chosen.solver.c_str(), regret.ratio(), regret.best.method.c_str(),
              summary.median);
  // [/regret]
  bool good = runs.size() == 4 && regret.competitors > 0;
  for (const daedalus::MeasuredRun& run : runs) good = good && run.ok && run.digits > 4.0;
  return good ? 0 : 1;
}
