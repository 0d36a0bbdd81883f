// SPDX-License-Identifier: BSD-3-Clause
// Evaluations of a fit, each made once: what a journal has is not made again.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "estimation/fit_task.hpp"
#include "io/journal.hpp"

namespace daedalus::estimation {

struct EvaluationCounts {
  long evaluations = 0, runs = 0, failed_runs = 0, known = 0;
};

class Evaluator {
 public:
  explicit Evaluator(const FitTask& task);  // throws FileError for the journal
  // From any thread. Cancelled: `ok` is false.
  Evaluation evaluate(const Eigen::VectorXd& u, bool with_columns, Accuracy accuracy,
                      std::size_t threads);
  EvaluationCounts counts() const;

 private:
  using Key = std::pair<Accuracy, std::vector<double>>;
  void keep(const Key& key, const Evaluation& made);
  void count(const Evaluation& made, bool known);

  const FitTask& task_;
  mutable std::mutex mutex_;
  std::map<Key, Evaluation> known_;  // of the journal
  std::unique_ptr<Journal> journal_;
  EvaluationCounts counts_;
  std::size_t lines_ = 0;
};

}  // namespace daedalus::estimation
