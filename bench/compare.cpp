// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include <fmt/format.h>

#include <vector>

namespace daedalus::bench {
namespace {

constexpr const char* problem_name = "transistor-amplifier";
constexpr double tolerances[] = {1e-4, 1e-5, 1e-6};

void keep_faster(Run& best, Run run) {
  if (best.solver.empty() || (run.ok && run.seconds < best.seconds)) best = std::move(run);
}

void print(double tol, const Run& r) {
  if (!r.ok) {
    fmt::print("{:<7.0e} {:<19} failed: {}\n", tol, r.solver, r.message);
    return;
  }
  fmt::print(
      "{:<7.0e} {:<19} {:>7} {:>8} {:>7} {:>6} {:>6} {:>9.3f} {:>11.3f} {:>10.3f} {:>6.2f}\n", tol,
      r.solver, r.accepted, r.rejected, r.evaluations, r.jacobians, r.factorisations,
      1e6 * r.step_time(), 1e6 * r.attempt_time(), 1e3 * r.seconds, r.mescd);
}

}  // namespace

void compare_with_peers(const std::filesystem::path& folder, const Provenance& from,
                        int repetitions) {
  const problems::Entry& entry = *problems::find_problem(problem_name);
  const Problem problem = entry.problem();
  const std::unique_ptr<Peer> peer = make_peer(entry, problem);
  Csv csv(folder / "compare.csv",
          "problem,tol,solver,accepted,rejected,evaluations,jacobians,factorisations,"
          "seconds_per_step,seconds_per_attempt,seconds,mescd,repetitions",
          from);
  fmt::print("\n{}, CPU time, minimum of {} interleaved repetitions; {}, commit {}\n", problem_name,
             repetitions, from.machine, from.commit);
  if (peer) fmt::print("{}: dense solver, exact Jacobian, same tolerances\n", peer_version());
  fmt::print("{:<7} {:<19} {:>7} {:>8} {:>7} {:>6} {:>6} {:>9} {:>11} {:>10} {:>6}\n", "tol",
             "solver", "steps", "rejected", "f", "J", "LU", "us/step", "us/attempt", "total[ms]",
             "mescd");
  std::vector<std::string> summary;
  for (const double tol : tolerances) {
    Run ours, plain, tight;
    for (int i = 0; i < repetitions; ++i) {
      keep_faster(ours, run_ours(entry, problem, "rodas4", tol));
      if (!peer) continue;
      keep_faster(plain, peer->run(tol, false));
      keep_faster(tight, peer->run(tol, true));
    }
    for (const Run* r : {&ours, &plain, &tight}) {
      if (r->solver.empty()) continue;
      print(tol, *r);
      if (r->ok)
        csv.row(fmt::format("{},{:.0e},{},{},{},{},{},{},{:.6e},{:.6e},{:.6e},{:.3f},{}",
                            problem_name, tol, r->solver, r->accepted, r->rejected, r->evaluations,
                            r->jacobians, r->factorisations, r->step_time(), r->attempt_time(),
                            r->seconds, r->mescd, repetitions));
    }
    if (peer && ours.ok && plain.ok && tight.ok)
      summary.push_back(fmt::format(
          "time per step [us], tol {:.0e}: rodas4 {:.3f}, IDA {:.3f}, ratio {:.2f}; IDA (tight "
          "Newton) {:.3f}, ratio {:.2f}",
          tol, 1e6 * ours.step_time(), 1e6 * plain.step_time(),
          ours.step_time() / plain.step_time(), 1e6 * tight.step_time(),
          ours.step_time() / tight.step_time()));
  }
  fmt::print("\n");
  for (const std::string& line : summary) fmt::print("{}\n", line);
  if (!peer) fmt::print("no peer: SUNDIALS (libsundials-dev) was not found when this was built\n");
}

}  // namespace daedalus::bench
