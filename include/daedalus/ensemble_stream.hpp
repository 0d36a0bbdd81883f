// SPDX-License-Identifier: BSD-3-Clause
// One problem for columns of numbers: parameters and start values go in, end values come out, a
// batch at a time. Memory does not grow with the number of runs, and nothing is made per run; on a
// GPU that is what takes the time otherwise (docs/ensembles.md).
//
//   EnsembleStream stream(problem, {0.0, 10.0}, options, {.parameters = {"k1", "k2"}});
//   StreamStatistics statistics(stream.variables());
//   stream.run(1'000'000,
//              [&](const BatchInput& in) {
//                for (std::size_t i = 0; i < in.count; ++i) in.parameter(0)[i] = k1(in.first + i);
//                ...
//              },
//              [&](const BatchOutput& out) { statistics.add(out); });
//   statistics.mean(0), statistics.quantile(0, 0.95), statistics.failed();
//
// The numbers of a run depend neither on threads nor on batches or the other runs.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <daedalus/ensemble.hpp>

namespace daedalus {

// Run first + i is at place i of every column; all of them are to be written.
struct BatchInput {
  std::size_t first = 0, count = 0;
  double *parameters = nullptr, *starts = nullptr;
  double* parameter(std::size_t k) const { return parameters + k * count; }
  // Of variable k: y, or (q, v). Where StreamSettings::starts asks for them.
  double* start(std::size_t k) const { return starts + k * count; }
};

// What the library's loop did; all other runs succeeded.
struct LibraryRun {
  std::size_t run = 0;
  EnsembleRun result{};
};
struct BatchOutput {
  std::size_t first = 0, count = 0, variables = 0;
  const double* values = nullptr;  // end values; NaN where a run failed
  std::span<const LibraryRun> by_library{};
  // Null where they are not asked for: states at StreamSettings::times, NaN at those that a run did
  // not reach; times at which runs ended, where conditions end them; the functional at the end.
  const double *series = nullptr, *ended = nullptr, *functional = nullptr;
  const double* value(std::size_t variable) const { return values + variable * count; }
  const double* value_at(std::size_t time, std::size_t variable) const {
    return series + (time * variables + variable) * count;
  }
};

struct StreamSettings {
  Engine engine = Engine::automatic;  // as in EnsembleSettings
  // Those that the columns give, in their order; the others stay as they are.
  std::vector<std::string> parameters{};
  bool starts = false;  // start values are columns; false: those of the problem
  // As in EnsembleTask.
  std::vector<double> times{};
  std::vector<EnsembleStop> stops{};
  Function<slot::Functional> functional{};
  int threads = 0;        // 0: one per core; with a GPU 16 per device
  std::size_t batch = 0;  // runs; 0: 16384, on a GPU 8192, or as many as 256 MB of all batches hold
  // Batches are taken one at a time in their order; false: from all threads as they come.
  bool in_order = true;
  std::size_t expected = 1'000'000;  // runs, for the choice of an engine
  std::function<bool()> cancel{};    // asked between batches
};

struct StreamReport {
  std::size_t done = 0, failed = 0, handed_over = 0;  // handed over: to the library's loop
  double seconds = 0.0;
};

class EnsembleStream {
 public:
  // Throws InvalidArgument for a parameter that the problem does not have, and where the engine
  // that is asked for cannot.
  EnsembleStream(const Problem& problem, Interval interval, const Options& options,
                 const StreamSettings& settings = {});
  ~EnsembleStream();
  EnsembleStream(EnsembleStream&&) noexcept;
  EnsembleStream& operator=(EnsembleStream&&) noexcept;

  Engine engine() const;
  const std::string& reason() const;  // why this engine
  std::size_t variables() const;      // columns of results

  // `fill` is called from all threads. What the functions throw ends the stream and reaches the
  // caller. May be called again, which finds everything made.
  StreamReport run(std::size_t count, const std::function<void(const BatchInput&)>& fill,
                   const std::function<void(const BatchOutput&)>& take);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Quantiles of numbers that are not kept: a few thousand of each power of two of their count.
// The place of a quantile in the sorted list is right to about 0.1 % of their number.
class QuantileSketch {
 public:
  void add(double x);                         // NaN is left out
  double quantile(double probability) const;  // NaN without numbers
  std::size_t count() const { return count_; }

 private:
  void shrink(std::size_t level);
  std::vector<std::vector<double>> levels_{{}};  // numbers of level k stand for 2^k
  std::vector<char> odd_{0};
  std::size_t count_ = 0;
  double least_ = 0.0, most_ = 0.0;
};

// What end values say together, found as batches pass by. The same batches in the same order give
// the same bits.
class StreamStatistics {
 public:
  explicit StreamStatistics(std::size_t variables) : variables_(variables) {}
  void add(const BatchOutput& batch);

  std::size_t runs() const { return runs_; }
  std::size_t failed() const { return failed_; }
  const std::map<std::string, std::size_t>& failures() const { return failures_; }  // by status
  double mean(std::size_t variable) const { return variables_[variable].mean; }
  double deviation(std::size_t variable) const;  // of the sample
  double quantile(std::size_t variable, double probability) const {
    return variables_[variable].sketch.quantile(probability);
  }

 private:
  struct Variable {
    double mean = 0.0, squares = 0.0;
    QuantileSketch sketch{};
  };
  std::vector<Variable> variables_;
  std::size_t runs_ = 0, failed_ = 0;
  std::map<std::string, std::size_t> failures_;
};

}  // namespace daedalus
