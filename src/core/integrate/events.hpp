// Event functions along a step: sign changes are looked for at a few points of the interpolant and
// located on it. Acting events end a step exactly; recorded ones do not disturb it.
#pragma once

#include <vector>

#include <daedalus/event.hpp>

#include "system/system.hpp"

namespace daedalus {

struct Located {
  int event;
  double t;
};

class EventMonitor {
 public:
  EventMonitor(const std::vector<Event>& events, System& system);
  bool empty() const { return events_.empty(); }

  // Values at the beginning of a run or after a jump; events that have just fired count as zero, so
  // that the same crossing is not seen twice.
  // False here and below: a function threw or was not finite; failed() tells which.
  bool begin(const State& s);
  // Looks along the interpolant of an accepted attempt. If an acting event lies inside, acting() is
  // not empty and landing_time() is where the step has to end.
  bool scan(const Interpolant& interpolant, const State& trial);
  double landing_time() const { return landing_time_; }
  // Recorded events up to t; valid after scan().
  const std::vector<Located>& recorded() const { return recorded_; }
  // After the step that lands at landing_time(): which act there.
  const std::vector<Located>& acting() const { return acting_; }
  // The step was taken: its end becomes the beginning of the next one.
  bool advance(const State& at, bool landed);
  int failed() const { return failed_; }
  void archive(Archive& a) { a(before_, after_, fired_); }
  const Event& event(int i) const { return events_[static_cast<std::size_t>(i)]; }
  double value(int i, const State& s);

 private:
  static constexpr int samples = 4;  // subintervals per step that are searched for sign changes
  double on(const Interpolant& p, int i, double t);
  void locate(const Interpolant& p, int i, double a, double fa, double b, double fb);

  const std::vector<Event>& events_;
  System& system_;
  std::vector<double> before_, after_;
  std::vector<Located> recorded_, acting_, found_;
  std::vector<int> fired_;
  double landing_time_ = 0.0;
  int failed_ = -1;
  State scratch_;
  Eigen::VectorXd model_, tangent_;
};

}  // namespace daedalus
