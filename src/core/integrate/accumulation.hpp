// SPDX-License-Identifier: BSD-3-Clause
// Infinitely many events in a finite time (Zeno): the times of one event come closer and closer
// like a geometric series, t_k -> T with t_{k+1} - t_k = r (t_k - t_{k-1}), r < 1.
#pragma once

#include <vector>

#include <daedalus/stepper/archive.hpp>

namespace daedalus {

class AccumulationWatch {
 public:
  AccumulationWatch(std::size_t events, double rtol) : of_(events), rtol_(rtol) {}

  // Event i fired at t. True: what is left until the limit is below the tolerance of the time that
  // the series has taken so far.
  bool add(int i, double t);
  double limit() const { return limit_; }  // of the last add()
  double ratio() const { return ratio_; }  // 0: the events did not move in time
  // The length of the next interval where a series has begun; 0: none.
  double next_interval(int i) const;
  // The limit is so near, beside what the series has taken, that events may be lost in noise.
  bool nearly_over(int i);
  void forget(int i) { at(i) = {}; }
  void archive(Archive& a) { a(of_); }

 private:
  struct Series {
    double first = 0.0, last = 0.0;  // times
    double interval = 0.0, ratio = 0.0;
    int fired = 0, shrinking = 0, still = 0;
  };
  Series& at(int i) { return of_[static_cast<std::size_t>(i)]; }
  std::vector<Series> of_;
  double rtol_;
  double limit_ = 0.0, ratio_ = 0.0;
};

}  // namespace daedalus
