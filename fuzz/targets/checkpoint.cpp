// SPDX-License-Identifier: BSD-3-Clause
// The state of a run, changed behind the check sums: the run is refused, fails or goes on, and
// touches no memory that is not its own. The first byte chooses problem and method, the others are
// put over the state of a run that was interrupted.
#include <array>
#include <cstring>

#include <catalogue/catalogue.hpp>
#include <daedalus/integrator.hpp>
#include <daedalus/solve.hpp>

#include "fuzz/target.hpp"

namespace {

using namespace daedalus;

struct Case {
  const char *problem, *method, *formulation;
  double fixed_step;
};
constexpr std::array cases{Case{"pendulum", "bdf", "ggl", 0.0},
                           Case{"pendulum", "radau5", "index2", 0.0},
                           Case{"pendulum", "hedop5", "index1", 0.0},
                           Case{"pendulum", "rodas4", "baumgarte", 0.0},
                           Case{"pendulum", "bdf", "state-space", 0.0},
                           Case{"heavy-top-r3xso3", "auto", "auto", 0.0},
                           Case{"heavy-top-r3xso3", "generalised-alpha", "auto", 1e-3},
                           Case{"ring-modulator", "radau", "auto", 0.0},
                           Case{"kvaerno-a", "auto", "auto", 0.0},
                           Case{"andrews", "bdf", "auto", 0.0}};

struct Interrupted {
  Problem problem;
  Options options;
  Checkpoint checkpoint;
  double t_end = 0.0;
};

Interrupted interrupted(const Case& c) {
  const problems::Entry* entry = problems::find_problem(c.problem);
  if (!entry) return {};
  Interrupted run{entry->problem(), {}, {}, 0.0};
  entry->apply(run.options);
  run.options.method = c.method;
  run.options.formulation = c.formulation;
  run.options.rtol = 1e-4;
  run.options.atol = 1e-4;
  run.options.fixed_step = c.fixed_step;
  run.options.max_steps = 40;
  try {
    run.t_end = entry->t_end;
    Integrator integrator(run.problem, run.options);
    integrator.initialize(entry->t0, run.t_end);
    for (int k = 0; k < 7; ++k) integrator.step(run.t_end);
    run.checkpoint = integrator.checkpoint();
  } catch (const InvalidArgument&) {
    run.checkpoint = {};  // the method does not fit; the other cases do
  }
  return run;
}

const Interrupted& at(std::size_t k) {
  static const std::array<Interrupted, cases.size()> runs = [] {
    std::array<Interrupted, cases.size()> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = interrupted(cases[i]);
    return all;
  }();
  return runs[k % runs.size()];
}

}  // namespace

namespace daedalus::fuzz {

static void checkpoint_read(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return;
  const Interrupted& run = at(data[0]);
  if (run.checkpoint.state.empty()) return;
  Checkpoint changed = run.checkpoint;
  // Records of place (2 bytes), length (1) and bytes; at the end, what is cut off.
  std::size_t i = 1;
  while (i + 3 < size) {
    const std::size_t place =
        (data[i] | static_cast<std::size_t>(data[i + 1]) << 8) % changed.state.size();
    const std::size_t length = std::min<std::size_t>(
        {std::size_t{data[i + 2]} % 16, size - i - 3, changed.state.size() - place});
    std::memcpy(changed.state.data() + place, data + i + 3, length);
    i += 3 + length;
  }
  if (data[size - 1] == 255) changed.state.resize(changed.state.size() / 2);
  reads([&] {
    Integrator integrator(run.problem, run.options);
    integrator.resume(changed);
    for (int k = 0; k < 5; ++k)
      if (integrator.step(run.t_end).status != Status::success) break;
  });
}

extern const Target checkpoint_target{"checkpoint", checkpoint_read, nullptr};

}  // namespace daedalus::fuzz
