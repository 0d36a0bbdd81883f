// SPDX-License-Identifier: BSD-3-Clause
#include "work_precision.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include <daedalus/method.hpp>

namespace daedalus::bench {
namespace {

constexpr int loosest = 2, tightest = 9;  // tol = 10^-k
// A line stops after a run this long.
constexpr double longest_run = 0.25;
constexpr long max_steps = 300000;
constexpr int repetitions = 3;

// One line of the diagram; returns the number of its points.
int write_line(Csv& csv, const problems::Entry& entry, const std::function<Run(double)>& run) {
  Line settings{.tolerances = {}, .longest_seconds = longest_run, .repetitions = repetitions};
  for (int k = loosest; k <= tightest; ++k) settings.tolerances.push_back(std::pow(10.0, -k));
  int points = 0;
  for (const Run& r : line(settings, run)) {
    if (!r.ok) break;
    csv.row(fmt::format("{},{},{},{:.0e},{:.4f},{},{},{},{},{},{:.6e}", entry.name, r.solver,
                        r.formulation, r.tol, r.mescd, r.accepted, r.rejected, r.evaluations,
                        r.jacobians, r.factorisations, r.seconds));
    ++points;
  }
  return points;
}

}  // namespace

int work_precision(const std::filesystem::path& folder, const Provenance& from) {
  Csv csv(folder / "work-precision.csv",
          "problem,solver,formulation,tol,mescd,accepted,rejected,evaluations,jacobians,"
          "factorisations,seconds",
          from);
  int points = 0;
  for (const problems::Entry* entry : problems::all_problems()) {
    if (entry->stiff || !entry->reference || entry->expected_status != "success") continue;
    const Problem problem = entry->problem();
    for (const Method* method : all_methods())
      if (fits(problem, method->name))
        points += write_line(csv, *entry, [&](double tol) {
          return run_ours(*entry, problem, method->name, tol, max_steps);
        });
    if (const std::unique_ptr<Peer> peer = make_peer(*entry, problem))
      points += write_line(csv, *entry, [&](double tol) { return peer->run(tol, false); });
  }
  return points;
}

}  // namespace daedalus::bench
