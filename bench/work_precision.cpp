#include "work_precision.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include <daedalus/method.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::bench {
namespace {

constexpr int loosest = 2, tightest = 9;  // tol = 10^-k
// A method of order 1 would need hours for the tight end: its line stops after a run this long.
constexpr double longest_run = 0.25;
constexpr long most_steps = 300000;
constexpr int repetitions = 3;

bool fits(const Problem& problem, const Method& method) {
  Options o;
  o.method = method.name;
  try {
    recommend(problem, o);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

// One line of the diagram; returns the number of its points.
int line(Csv& csv, const problems::Entry& entry, const std::function<Run(double)>& run) {
  int points = 0;
  for (int k = loosest; k <= tightest; ++k) {
    const double tol = std::pow(10.0, -k);
    Run best = run(tol);
    if (!best.ok) break;
    for (int i = 1; i < repetitions && best.seconds < longest_run; ++i)
      best.seconds = std::min(best.seconds, run(tol).seconds);
    csv.row(fmt::format("{},{},{},{:.0e},{:.4f},{},{},{},{},{},{:.6e}", entry.name, best.solver,
                        best.formulation, tol, best.mescd, best.accepted, best.rejected,
                        best.evaluations, best.jacobians, best.factorisations, best.seconds));
    ++points;
    if (best.seconds > longest_run) break;
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
      if (fits(problem, *method))
        points += line(csv, *entry, [&](double tol) {
          return run_ours(*entry, problem, method->name, tol, most_steps);
        });
    if (const std::unique_ptr<Peer> peer = make_peer(*entry, problem))
      points += line(csv, *entry, [&](double tol) { return peer->run(tol, false); });
  }
  return points;
}

}  // namespace daedalus::bench
