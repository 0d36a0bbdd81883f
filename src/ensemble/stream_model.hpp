// SPDX-License-Identifier: BSD-3-Clause
// What a stream solves, and how runs of its columns become tasks.
#pragma once

#include <vector>

#include <daedalus/ensemble_stream.hpp>

namespace daedalus {

using FillBatch = std::function<void(const BatchInput&)>;
using TakeBatch = std::function<void(const BatchOutput&)>;

struct StreamModel {
  // Throws InvalidArgument for a parameter that the problem does not have.
  StreamModel(const Problem& problem, Interval interval, const Options& options,
              const StreamSettings& settings);

  EnsembleTask task(const BatchInput& in, std::size_t i) const;  // run i of a batch
  // Tasks that differ in all that differs between runs: the same ones for all batches.
  std::vector<EnsembleTask> probes() const;
  EnsembleTask plain_task() const;  // with the problem's own parameters
  // Of run i of a batch at its end; p: work space.
  double functional(const BatchInput& in, std::size_t i, double t, const double* x,
                    std::vector<double>& p) const;
  // As the problem has them; where they are a function of parameters, one call per run.
  std::vector<double> starts() const;
  void starts(const BatchInput& in, const std::function<double*(std::size_t)>& column) const;
  std::vector<char> varied() const;  // by parameter of the problem

  Problem problem;
  Interval interval;
  Options options;
  StreamSettings settings;
  std::vector<std::size_t> places;  // of the columns in the problem's parameters
  std::size_t start_count = 0, variables = 0;
  bool start_function = false;
};

}  // namespace daedalus
