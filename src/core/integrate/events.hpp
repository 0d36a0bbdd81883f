// SPDX-License-Identifier: BSD-3-Clause
// Event functions along a step: sign changes are looked for at a few points of the interpolant and
// located on it. Acting events end a step exactly; recorded ones do not disturb it. A function that
// touches zero without a change of sign is no event.
#pragma once

#include <vector>

#include <daedalus/event.hpp>

#include "kernel/crossings.hpp"
#include "system/system.hpp"

namespace daedalus {

struct Located {
  int event;
  double t;
  int direction;  // 1: rising, -1: falling
};

class EventMonitor {
 public:
  EventMonitor(const std::vector<Event>& events, System& system);
  bool empty() const { return events_.empty(); }

  // Values at the beginning of a run or after a jump; events that have just fired count as zero, so
  // that the same crossing is not seen twice, unless a handler moved their function away from zero.
  // False here and below: a function threw or was not finite; failed() tells which.
  bool begin(const State& s);
  // Looks along the interpolant of an accepted attempt from `from`. If an acting event lies inside,
  // acting() is not empty and landing_time() is where the step has to end.
  bool scan(const Interpolant& interpolant, const State& from, const State& trial);
  // Once more after the step to landing_time(), whose values differ from those of the scan by as
  // much as the tolerance allows: what is recorded is what this step passes, and other events that
  // act, which it has just passed, act with those that it landed at.
  bool land(const Interpolant& interpolant, const State& from, const State& trial);
  // After scan(): an event whose handler turned the state back, or stopped it, and that is on the
  // side beyond the event all the same, however near to its time; -1: none.
  int stuck() const { return stuck_; }
  // Acting events of one direction whose functions leave zero in it where the run starts.
  std::vector<int> leaving_zero(const Interpolant& p);
  // Before handlers act: how fast the events at hand came to zero on the interpolant.
  void note_slopes(const Interpolant& p, const State& at);
  // The handlers changed neither state nor modes: what start values make of the functions is error,
  // unless a function moved by itself (a clock that its handler set).
  void note_unchanged_state(const Eigen::VectorXd& model, double t);
  // Where handlers left the functions of the acting events, before new start values.
  void note_handled(const Eigen::VectorXd& model, double t);
  // From a start behind an event: what the motion until its next time, so much later, makes of the
  // function is less than rounding errors and what new start values did to it.
  bool below_noise(int event, const State& start, double interval);
  // Throws InvalidArgument where the value of an event depends on numbers beside the state.
  void refuse_reads_outside(const State& s);
  // Its times have nearly come to a limit: what is behind it then does not come back.
  void near_limit(int i, bool near) { state(i).near_limit = near; }
  // It is not looked for until wake() (Event::rest).
  void sleep(int i) { state(i).asleep = true; }
  void wake();
  void resume(const EventMonitor& before);  // of the same run with another system
  double landing_time() const { return landing_time_; }
  // Recorded events up to t; valid after scan() and land().
  const std::vector<Located>& recorded() const { return recorded_; }
  // After the step that lands at landing_time(): which act there.
  const std::vector<Located>& acting() const { return acting_; }
  // The step was taken: its end becomes the beginning of the next one.
  bool advance(const State& at, bool landed);
  int failed() const { return failed_; }
  void archive(Archive& a) {
    a(before_, after_);
    a.grows(fired_);
    for (const Located& f : fired_)
      a.require(f.event >= 0 && static_cast<std::size_t>(f.event) < events_.size(),
                "there is no such event");
    for (PerEvent& s : states_)
      a(s.slope, s.span, s.flatness, s.asleep, s.untouched, s.jumps, s.rough, s.pending,
        s.returning, s.near_limit);
  }
  const Event& event(int i) const { return events_[static_cast<std::size_t>(i)]; }
  double value(int i, const State& s);

 private:
  struct PerEvent {
    // Of its function along the solution when it last fired: over this span, and the power of the
    // span with which it falls (0: a simple zero).
    double slope = 0.0, span = 1.0, flatness = 0.0;
    bool asleep = false;
    bool untouched = false;  // by the handlers when it last fired
    bool jumps = false;      // across zero, when it last fired
    bool rough = false;      // slope and flatness are of differences near round-off
    // It has fired in this direction, and new start values put its function back before zero: the
    // next crossing in this direction is the same one.
    int pending = 0;
    // It has fired in this direction and was turned back, but the error of the step left it behind
    // zero: it has to come back.
    int returning = 0;
    bool near_limit = false;  // of a series of its times
    double counted = 0.0;     // where that crossing lies on the interpolant; NaN: not on it
  };
  struct Landed {
    double f, notable, in_state, handled, noise;
  };
  double noise(int i, const State& s);  // of the function, by rounding errors of the state
  PerEvent& state(int i) { return states_[static_cast<std::size_t>(i)]; }
  double value_in_model(int i, double t);
  double on(const Interpolant& p, int i, double t);
  double slope(int i, const State& s, double dt);
  void look_along(const Interpolant& p, int i, const State& from, const State& trial);
  // Where the search of an event that has just fired begins: past its time, on the side the handler
  // put it.
  CrossingSample leave(const Interpolant& p, int i, const State& from);
  CrossingSample come_back(const Interpolant& p, int i, double beyond);
  void watch_return(int i);
  bool was_moved(int i) const;
  void sort_found(const Interpolant& p);
  bool lands_at(int i) const;

  const std::vector<Event>& events_;
  System& system_;
  std::vector<double> before_, after_;
  std::vector<Located> recorded_, acting_, found_;
  std::vector<Located> fired_;
  std::vector<PerEvent> states_;
  // Of events that act: their functions on the interpolant, a change of them that only a handler
  // makes, and their functions in the state that the step led to; NaN while none has acted.
  std::vector<Landed> landed_;
  int stuck_ = -1;
  double landing_time_ = 0.0;
  double begin_ = 0.0;  // of the interpolant that scan() saw last
  int failed_ = -1;
  State scratch_, moved_;
  Eigen::VectorXd model_, tangent_;
};

}  // namespace daedalus
