// SPDX-License-Identifier: BSD-3-Clause
// Long runs: states that go to a file instead of memory, and checkpoints.
//
// The planar pendulum of example 01, x^2 + y^2 = 1, over many periods. Its states are written to
// 20_long_runs.npz while it runs; it is interrupted on the way and goes on from its last
// checkpoint. Both ways give the same file, bit for bit.
#include <cmath>
#include <cstdio>
#include <filesystem>

#include <catalogue/catalogue.hpp>
#include <daedalus/daedalus.hpp>

using namespace daedalus;

int main() {
  const Problem pendulum = problems::find_problem("pendulum")->problem();
  const Interval interval{0.0, 20.0};
  // [stream]
  Options options{.method = "bdf", .rtol = 1e-6, .atol = 1e-8};
  LongRun run{.keep_states = false};  // memory does not grow with the run
  TrajectoryFile file("20_long_runs.npz", true);
  file.attach(options, run);
  run.checkpoint = "20_long_runs.check";
  run.checkpoint_seconds = 60;  // or, whatever the time:
  run.checkpoint_steps = 100;
  // [/stream]
  bool stop = false;
  options.cancel = [&] { return stop; };
  options.progress = [&](const Progress& p) { stop = p.t > 10.0; };
  const Solution first = solve(pendulum, interval, options, run);
  if (first.status() != Status::cancelled) return 1;

  // [resume]
  stop = false;
  options.progress = {};
  run.resume = run.checkpoint;
  const Solution rest = solve(pendulum, interval, options, run);
  file.commit("{}", rest.ok());
  // [/resume]
  if (!rest.ok() || !rest.times().empty()) return 1;
  std::filesystem::remove(run.checkpoint);

  // [read]
  const FileTrajectory states = read_trajectory("20_long_runs.npz");
  std::printf("%zu states of %zu variables\n", states.t.size(), states.names.size());
  // [/read]
  const Solution whole = solve(pendulum, interval, {.method = "bdf", .rtol = 1e-6, .atol = 1e-8});
  if (states.t != whole.times()) return 1;
  const ModelState end = whole.end();
  for (std::size_t j = 0; j < states.names.size(); ++j)
    if (states.at(states.t.size() - 1, j) != end.y()[static_cast<Eigen::Index>(j)]) return 1;

  // The same for an integrator that is driven step by step, and states between the steps.
  Integrator by_hand(pendulum, {.method = "rodas4"});
  by_hand.initialize(0.0, 1.0);
  by_hand.step(1.0);
  const Checkpoint halfway = by_hand.checkpoint();
  write_checkpoint("20_step.check", halfway);
  Integrator later(pendulum, {.method = "rodas4"});
  later.resume(read_checkpoint("20_step.check"));
  if (later.t() != by_hand.t()) return 1;
  std::filesystem::remove("20_step.check");
  LongRun between{.times_between = {0.25, 0.5}};
  const Solution more = solve(pendulum, {0.0, 1.0}, {.method = "rodas4"}, between);
  // [failures]
  try {
    read_trajectory("missing.csv");
  } catch (const FileError& error) {
    std::printf("%s\n", error.what());
  }
  // [/failures]
  // What killed runs left beside their output; here there is none.
  for (const std::filesystem::path& part : leftovers("20_other.npz")) {
    const Recovered recovered = recover_trajectory(part, "20_recovered.npz");
    std::printf("%ld states, %zu bytes lost\n", recovered.states, recovered.lost_bytes);
  }
  return more.at(0.25).t() == 0.25 ? 0 : 1;
}
