// SPDX-License-Identifier: BSD-3-Clause
// Many runs at once: sweeps over parameters, Monte Carlo, fits. Each run is the library's own loop
// on one thread, or, where the model allows it, one of several side by side in the lanes of vector
// instructions (docs/ensembles.md).
//
//   const ParameterGrid grid{{"length", equidistant(0.5, 2.0, 16)}, {"mass", {1.0, 3.0}}};
//   const EnsembleResult result = solve_ensemble(pendulum, {0.0, 5.0}, options, grid);
//   for (std::size_t k = 0; k < grid.size(); ++k)
//     if (result.runs[k].ok) use(grid.point(k), result.runs[k].y);
//
// The numbers of a run depend neither on the number of threads nor on the other runs; those of
// lanes and of the library's loop agree to the tolerance. A run that fails is kept with its status
// and message; the others go on.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/event.hpp>
#include <daedalus/functional.hpp>
#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>

namespace daedalus {

// Both ends included; throws InvalidArgument for fewer than two values, and for logarithmic ends
// that are not positive.
std::vector<double> equidistant(double from, double to, std::size_t count);
std::vector<double> logarithmic(double from, double to, std::size_t count);  // equal quotients

// All combinations of values of parameters, the last parameter fastest.
class ParameterGrid {
 public:
  struct Axis {
    std::string name;
    std::vector<double> values;
  };
  // More runs than this are a mistake in a range: a day at a hundred runs a second.
  static constexpr std::size_t max_runs = 10'000'000;

  ParameterGrid() = default;
  ParameterGrid(std::initializer_list<Axis> axes);
  // Throws InvalidArgument for a name that is there already, no values, or too many runs.
  void add(Axis axis);

  const std::vector<Axis>& axes() const { return axes_; }
  std::size_t size() const { return size_; }                 // number of runs; 1 without axes
  std::vector<double> point(std::size_t run) const;          // one value for each axis
  std::vector<Parameter> parameters(std::size_t run) const;  // the same with names

 private:
  std::vector<Axis> axes_;
  std::size_t size_ = 1;
};

// A run ends where `when` crosses zero, as with an Event that stops it; in autodiff() lanes and
// GPUs know it, too.
struct EnsembleStop {
  std::string name{};
  Function<slot::Functional> when{};
  Crossing direction = Crossing::any;
};

// One run to be made. What it reports is its end, and states at `times` where there are some:
// Options::output is set accordingly.
struct EnsembleTask {
  Problem problem;
  Interval interval;
  Options options{};
  std::vector<double> times{};  // in their order, inside the interval
  std::vector<EnsembleStop> stops{};
  Function<slot::Functional> functional{};  // of the state at the end
};

// The status of a run for which there was not enough memory. That is no property of the run: it may
// go well when it is made again.
inline constexpr const char* out_of_memory = "out_of_memory";

// threads: the library's loop; lanes: small systems that are formulas, several at a time; gpu: the
// same on NVIDIA GPUs. automatic: a GPU from 20000 runs on, lanes from 1000, where they can.
enum class Engine { automatic, threads, lanes, gpu };
std::string_view to_string(Engine engine);

struct EnsembleRun {
  bool done = false;  // false: cancelled, or not begun
  bool ok = false;
  // Of the solution; "invalid_argument": its task could not be made; `out_of_memory`.
  std::string status{};
  std::string message{};  // of a failed run
  double t = 0.0, seconds = 0.0;
  std::vector<double> y{};  // at t, in model variables
  // At those of the task's times that the run reached, one row of model variables each.
  std::vector<double> series{};
  double functional = std::numeric_limits<double>::quiet_NaN();  // of the task, where it has one
  Engine engine = Engine::threads;                               // that did it
};

struct EnsembleSettings {
  int threads = 0;  // 0: as many as the machine has cores
  // Asked in every step, from all threads; true ends the ensemble.
  std::function<bool()> cancel{};
  // After every run, one at a time and in the order in which they end. What it throws ends the
  // ensemble and reaches the caller.
  std::function<void(std::size_t run, const EnsembleRun&)> finished{};
  // Runs of an earlier call: those that are done are not made again. Empty, or one for each.
  std::vector<EnsembleRun> known{};
  // lanes and gpu: InvalidArgument with the reason where they cannot.
  Engine engine = Engine::automatic;
  // Tasks that differ in all that differs between runs, for lanes to be made from. They decide
  // about the numbers in the last digits: the same ones give the same bits for parts of an
  // ensemble. Empty: some of the tasks.
  std::function<std::vector<EnsembleTask>()> probes{};
  // Runs of the ensemble that these are a part of, so that parts choose as the whole does; 0:
  // these.
  std::size_t whole = 0;
};

struct EnsembleResult {
  std::vector<EnsembleRun> runs{};  // in the order of the tasks
  std::size_t done = 0, failed = 0;
  int threads = 0;  // that were used
  double seconds = 0.0;
  Engine engine = Engine::threads;
  std::string reason{};         // why this engine
  std::size_t handed_over = 0;  // runs that lanes left to the library's loop
};

// Tasks are made on the threads, when their turn comes.
EnsembleResult solve_ensemble(std::size_t count,
                              const std::function<EnsembleTask(std::size_t run)>& task,
                              const EnsembleSettings& settings = {});
// One problem with other values of its parameters; throws InvalidArgument if it does not have one.
// Start values are those of the problem: where they depend on parameters, make tasks.
EnsembleResult solve_ensemble(const Problem& problem, Interval interval, const Options& options,
                              const ParameterGrid& grid, const EnsembleSettings& settings = {});

}  // namespace daedalus
