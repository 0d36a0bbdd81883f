// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <vector>

#include "compare.hpp"

namespace daedalus::bench {
namespace {

constexpr const char* names[] = {"akzo", "robertson", "transistor-amplifier"};
constexpr int loosest = 6, tightest = 21;  // tol = 10^-(k/2)
// Runs of IDA at tight tolerances take millions of steps on the amplifier.
constexpr double longest_run = 1.0;
constexpr double digits[] = {4.0, 5.0, 6.0, 7.0, 8.0};

// The cheapest run with at least so many digits; 0: none.
long cheapest(const std::vector<Run>& runs, double mescd) {
  long least = 0;
  for (const Run& r : runs)
    if (r.mescd >= mescd && (least == 0 || r.work < least)) least = r.work;
  return least;
}

std::vector<Run> ladder(Csv& csv, const char* problem, const std::function<Run(double)>& run) {
  std::vector<Run> runs;
  for (int k = loosest; k <= tightest; ++k) {
    const double tol = std::pow(10.0, -0.5 * k);
    const Run r = run(tol);
    if (!r.ok) continue;
    csv.row(fmt::format("{},{},{:.1e},{:.3f},{},{},{},{},{}", problem, r.solver, tol, r.mescd,
                        r.work, r.evaluations, r.jacobians, r.accepted, r.rejected));
    runs.push_back(r);
    if (r.seconds > longest_run) break;
  }
  return runs;
}

}  // namespace

void compare_work(const std::filesystem::path& folder, const Provenance& from) {
  Csv csv(folder / "work.csv",
          "problem,solver,tol,mescd,work,evaluations,jacobians,accepted,rejected", from);
  fmt::print(
      "\nwork = evaluations + Jacobian columns of the cheapest run with at least so many "
      "digits\n{:<22} {:<19}",
      "problem", "solver");
  for (const double d : digits) fmt::print(" {:>9.0f}", d);
  fmt::print("\n");
  for (const char* name : names) {
    const problems::Entry& entry = *problems::find_problem(name);
    const Problem problem = entry.problem();
    const std::unique_ptr<Peer> peer = make_peer(entry, problem);
    const auto ours = [&](double tol) { return run_ours(entry, problem, "bdf", tol); };
    const auto plain = [&](double tol) { return peer->run(tol, false); };
    const auto tight = [&](double tol) { return peer->run(tol, true); };
    std::vector<std::vector<Run>> all{ladder(csv, name, ours)};
    if (peer) all.push_back(ladder(csv, name, plain)), all.push_back(ladder(csv, name, tight));
    for (const std::vector<Run>& runs : all) {
      if (runs.empty()) continue;
      fmt::print("{:<22} {:<19}", name, runs.front().solver);
      for (const double d : digits) fmt::print(" {:>9}", cheapest(runs, d));
      fmt::print("\n");
      if (&runs == &all.front()) continue;
      fmt::print("{:<22} {:<19}", "", "bdf / " + runs.front().solver);
      for (const double d : digits) {
        const long peers = cheapest(runs, d), own = cheapest(all.front(), d);
        if (peers > 0 && own > 0)
          fmt::print(" {:>9.2f}", static_cast<double>(own) / static_cast<double>(peers));
        else
          fmt::print(" {:>9}", "-");
      }
      fmt::print("\n");
    }
  }
}

}  // namespace daedalus::bench
