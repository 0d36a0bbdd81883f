// SPDX-License-Identifier: BSD-3-Clause
// What callables of a run remember beside its state: lists of numbers, such as values of the past
// for delays. They belong to the run: another one of the same problem has lists of its own,
// whatever its thread, and checkpoints of runs with modes hold them.
#pragma once

#include <map>
#include <vector>

namespace daedalus {

class Archive;

class RunMemory {
 public:
  // Of the run whose callables this thread calls; null: of none.
  static RunMemory* current();

  std::vector<double>& list(int number) { return lists_[number]; }
  bool empty() const { return lists_.empty(); }
  void archive(Archive& a);

  // While it lives, callables that this thread calls belong to that run. One of them may make a run
  // of its own.
  class Scope {
   public:
    explicit Scope(RunMemory& memory);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    RunMemory* before_;
  };

 private:
  std::map<int, std::vector<double>> lists_;
};

}  // namespace daedalus
