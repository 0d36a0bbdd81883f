// SPDX-License-Identifier: BSD-3-Clause
// 55: an ensemble on all ranks that a launcher started: mpirun -n 4 55_ensemble_on_ranks. Without a
// launcher it is one rank.
//
// Model    y' = -rate y, y(0) = 1, for 200 rates.
// Known    y(1) = exp(-rate).
//
// Builds on 32 (ensembles). New: Ranks, start_ranks, EnsembleTask::functional.
#include <algorithm>
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/distributed.hpp>

int main() {
  // [ranks]
  const std::unique_ptr<daedalus::Ranks> ranks = daedalus::start_ranks();
  const std::vector<double> rates = daedalus::equidistant(0.1, 20.0, 200);
  const auto task = [&](std::size_t run) -> daedalus::EnsembleTask {
    const daedalus::MassMatrixProblem decay{
        .name = "decay",
        .rhs = daedalus::autodiff([](const auto& x, auto& f) { f[0] = -x.p[0] * x.y[0]; }),
        .y0 = Eigen::VectorXd::Ones(1),
        .parameters = {{"rate", rates[run]}}};
    daedalus::EnsembleTask made{decay, {0.0, 1.0}, {.rtol = 1e-8, .atol = 1e-10}};
    made.functional =
        daedalus::autodiff([](const auto& x, auto& slope) { slope[0] = -x.p[0] * x.y[0]; });
    return made;
  };
  const daedalus::EnsembleResult result = ranks->solve_ensemble(rates.size(), task);
  if (ranks->rank() > 0) return 0;  // rank 0 has all runs
  // [/ranks]
  double worst = result.failed > 0 ? 1.0 : 0.0;
  for (std::size_t k = 0; k < rates.size() && result.failed == 0; ++k)
    worst = std::max({worst, std::abs(result.runs[k].y[0] - std::exp(-rates[k])),
                      std::abs(result.runs[k].functional + rates[k] * std::exp(-rates[k]))});
  std::cout << rates.size() << " runs on " << ranks->size() << " ranks, largest error " << worst
            << '\n';
  return worst < 1e-6 ? 0 : 1;
}
