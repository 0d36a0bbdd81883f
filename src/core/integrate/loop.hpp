// SPDX-License-Identifier: BSD-3-Clause
// The loop: every method of every family runs through it. It knows neither a family nor a problem
// form; measure, control, end rule, projection, events and output are stages of their own.
#pragma once

#include <limits>
#include <memory>
#include <optional>

#include <daedalus/integrator.hpp>
#include <daedalus/method.hpp>
#include <daedalus/options.hpp>

#include <daedalus/stepper.hpp>
#include "control/policy.hpp"
#include "integrate/accumulation.hpp"
#include "integrate/between_steps.hpp"
#include "integrate/columns.hpp"
#include "integrate/corner.hpp"
#include "integrate/events.hpp"
#include "integrate/recorder.hpp"
#include "integrate/solution_data.hpp"
#include "integrate/watches.hpp"
#include "nonlinear/round_off.hpp"
#include "start/consistent.hpp"
#include "system/system.hpp"

namespace daedalus {
class GuardedNumbers;

// Looks at the equations at the consistent start and tells the measure what to test.
using StructureAnalysis = std::function<void(System&, const State&, Measure&)>;

class Loop {
 public:
  // `data`: of a run that this one goes on with.
  Loop(std::unique_ptr<System> system, const Method& method, Options options, MethodChoice choice,
       StartRequest start_request, StructureAnalysis analyse = {},
       std::shared_ptr<SolutionData> data = nullptr);

  // Derivatives that the run carries along; before start().
  void carry(std::unique_ptr<Columns> columns);
  const Columns* columns() const { return columns_.get(); }

  // Makes `state` consistent and starts the method; `towards` gives direction and scale.
  Status start(State state, double towards);
  StepInfo step(double t_end);
  // Until t_end, a failure, or a step after which another method should go on.
  Status run(double t_end);

  // Change of method at a step boundary (change_method.cpp). A loop made with the data of `before`
  // goes on from its last state: counts, output and events continue.
  Status resume(Loop& before, double t_end);
  std::shared_ptr<SolutionData> hand_over();
  // When stability limits the steps the run pauses instead of warning, once.
  void pause_when_stiff() { pause_when_stiff_ = true; }
  void pause_after(long steps) { pause_at_ = data_->statistics.accepted + steps; }
  bool paused() const { return paused_; }
  bool limited_by_stability() const { return stability_.certain(); }
  void go_on() { paused_ = false; }

  double t() const { return current_.t; }
  const State& current() const { return current_; }
  System& system() { return *system_; }
  Status status() const { return data_->status; }
  double last_tried() const { return last_tried_; }
  double next_step() const { return h_; }
  // What an analysis after the run has to add.
  void add_to_message(const std::string& sentences);
  void warn(std::string sentence);
  const Rejections& rejections() const { return rejections_.worst(); }
  // Whether the message names an algebraic equation that lost its hold on a variable.
  bool impasse_named() const { return impasse_named_; }
  Recorder& recorder() { return *recorder_; }
  // Everything so far, not copied. The loop may go on afterwards: it copies then what somebody
  // still holds.
  std::shared_ptr<const SolutionData> result(double seconds);
  // The dense output recorded so far; the loop keeps none of it.
  std::vector<Interpolant> take_interpolants();
  // Of the last step, whatever the output: an integrator may be asked for values inside it.
  void keep_interpolants() { keep_interpolants_ = true; }
  // It is asked for one: that is looked at, and the steps that follow are tested inside. Until then
  // its steps are those of solve().
  void ask_inside(double t);
  const Interpolant& last_interpolant() const { return interpolant_; }
  const SolutionData& data() const { return *data_; }
  const Method& method() const { return method_; }
  const Options& options() const { return options_; }
  Statistics statistics() const;
  void archive(Archive& a);
  // Everything, recorded results included: a loop of the same problem and options that was started
  // goes on from there. Between two steps.
  void archive_run(Archive& a);
  // The method to name when stability limits the steps.
  void suggest_when_stiff(std::string method) { stiff_alternative_ = std::move(method); }

 private:
  // Where a step has to end at the latest: the end of the run, a break time or an event before it.
  struct Goal {
    double t_end, barrier;
    double break_time = 0.0;  // that the barrier lies just before
    bool at_break = false;
    bool landing = false;  // the last attempt told where an event is
  };
  // One attempted step on its way through the stages.
  struct Trial {
    StepRequest request;
    Attempt attempt{};
    std::span<const ErrorTest> tests{};
    Decision decision{};
    bool amended = false;  // by the projection
    bool inside = false;   // values inside are asked for
    bool rough = false;    // good at its end, not inside
    bool columns = false;  // are computed for this step
    bool solved() const { return attempt.outcome == Outcome::ok; }
    bool accepted() const { return decision.verdict == Verdict::accept; }
  };
  enum class Search { nothing_inside, event_inside, failed };

  void configure_control();
  void configure_output();

  // The stages of a step, in this order. Those that return bool end the run with false.
  bool may_step(double t_end);
  bool may_go_on(double t_end);
  StepRequest limit(const Goal& goal);
  Trial attempt(const StepRequest& request);
  void judge(Trial& trial);
  void settle(Trial& trial);
  void project(Trial& trial);
  void note_why_shorter(const Trial& trial);
  bool prepare_retry(const Trial& trial);
  bool wants_values_inside(const Trial& trial) const;
  bool interpolate(Trial& trial);
  void look_between(Trial& trial, const Goal& goal);
  double between_noise(double h, int order);
  void look_at_end(Trial& trial);
  static double roundings(int order);
  Search search_events(const Trial& trial, Goal& goal);
  void advance_columns(const Trial& trial);
  Outcome compute_columns(const Trial& trial);
  void test_columns(Trial& trial);
  void commit_columns();
  void take_column_warnings();
  bool report_inside(const Trial& trial);
  void commit(const Trial& trial, const Goal& goal);
  StepInfo finish(const Trial& trial, double t_end);
  StepInfo ended() const { return {current_.t, 0.0, order_, data_->status}; }

  Decision decide(const Trial& trial) const;
  double first_step(double towards);
  double end_of_step(double h, const Goal& goal) const;
  // `given` in the coordinates of the system where start values are made consistent; `state` in
  // those of the run.
  StartReport consistent(State given, State& state);
  // After a jump: what is differentiated stays as the model state has it, unless nothing else is
  // consistent (restart.cpp).
  enum class Jump { handler, equations, break_time };  // equations: a handler left the rest to them
  StartReport consistent_after_jump(const State& given, Jump jump);
  StartReport nearly_keeping(const std::vector<int>& kept, const std::vector<int>& firm,
                             const State& given);
  StartReport with_strategy(StartStrategy strategy, const State& given, State& state);
  std::vector<int> differentiated(System& where, const State& s);
  // "'x' from 1 to 0.5, ...": those of the variables that left the tolerance around `before`.
  std::string changes_of(const Eigen::VectorXd& before, const std::vector<int>& variables);
  void name_changed_start(const StartReport& report);
  void name_changes(const std::string& list, const std::string& where);
  // The method starts again from the model state in model_, at time t; `where` opens the messages.
  Status start_again(double t, Jump jump, const std::string& where);
  void report_jump(const Eigen::VectorXd& before, Jump jump);
  Status start_columns();
  Status move_columns(double t, Jump jump, const std::string& where);
  // Break times: the next one that a step may meet, and what follows at one.
  Goal towards(double t_end) const;
  bool at_break() const;
  double beside_break(double t) const;
  Status cross_break();
  Status fail(Status status, std::string message);
  Status fail(Outcome outcome, const Attempt& attempt, std::span<const ErrorTest> tests, double h);
  void remember(const Trial& trial);
  Status restart(StartReason reason);
  Status hold_invariants();
  void need_scales();
  bool repair();  // solves for the algebraic variables again
  // A failed error test that shorter steps do not mend.
  bool left_by_earlier_steps(std::span<const ErrorTest> tests, double h);
  // True: rounding errors explain what the test sees, and the trial is accepted.
  bool hidden_in_round_off(Trial& trial);
  // What a failure says of rounding errors (attainable.cpp); empty: nothing.
  std::string below_round_off();
  std::string what_keeps_steps_short() const;
  std::string below_round_off_of_time();
  std::string round_off_limit();
  bool is_algebraic(int coordinate);
  bool tests_all() const;
  Status leave_jump();
  bool may_enter_corner() const;  // corner.cpp
  bool enter_corner(const Trial& trial);
  bool fails_in_algebraic(std::span<const ErrorTest> tests) const;
  Status leave_corner();
  Status renew_chart();
  Outcome hand_over_past(int most);
  bool trace(const Trial& trial, std::string_view outcome);
  // Calls what the user gave to watch the run; false: it threw, and the run has ended. What was
  // computed so far stays.
  template <class Call>
  bool hook(const char* name, Call&& call) {
    try {
      call();
      return true;
    } catch (...) {
      system_->failure.exception = std::current_exception();
      return end_by_hook(name);
    }
  }
  bool end_by_hook(const char* name);
  bool sink_is_well();
  void tell_stiffness();
  void record_events();
  void keep_past();
  void watch_structure();
  void take_warnings();  // of the system, which come up during a run as well
  Status fire();
  Status fire_here();
  bool call_handlers(bool& handled);
  bool call_handler(const Event& event, const std::function<void(EventContext&)>& handler);
  bool stayed_inside(const Event& event, const GuardedNumbers& y, const GuardedNumbers& modes,
                     const GuardedNumbers& p);
  // An event happens ever faster: true, and the run goes on with its resting phase, or it ends.
  bool rests(int event);
  Status leave_stuck_event(int event);
  Status start_after_handlers();
  Status fail_event();
  void tell_events_at_start();
  void tell_sum_of_errors();
  void tell_growth();
  void tell_resolution();
  bool warn_once(Once what);  // false: it was said before
  void own_data();            // before the data change: nobody else sees it

  std::unique_ptr<System> system_;
  const Method& method_;
  Options options_;
  const ControlPolicy& policy_;
  MethodSettings settings_;
  std::unique_ptr<Stepper> stepper_;
  std::shared_ptr<SolutionData> data_;
  std::weak_ptr<const void> lent_;  // alive while somebody holds a result
  Measure measure_;
  std::optional<RoundOff> round_off_;  // of methods on the residual view, for tests that fail
  Control control_;
  ControlParameters parameters_;
  ControlHistory history_;
  StartRequest start_request_;
  std::vector<int> kept_, firm_;  // variables that new start values must hardly change, or less
  StructureAnalysis analyse_;
  std::unique_ptr<EventMonitor> events_;
  Jump jump_ = Jump::handler;  // what the handlers of the present event left
  bool handler_stops_ = false;
  AccumulationWatch accumulation_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Columns> columns_;
  Eigen::VectorXd model_before_;  // of a jump
  std::vector<double> modes_before_;
  std::vector<int> handled_;
  Interpolant interpolant_;
  std::unique_ptr<BetweenSteps> between_;
  // Of the last attempt whose values inside were too far off, and where it began.
  double rough_at_ = std::numeric_limits<double>::quiet_NaN(), rough_value_ = 0.0;
  State current_;
  Trajectory known_;
  std::optional<Failure> known_failed_;  // Options::known threw
  std::vector<State> past_;  // before current_, newest first; kept for charts and multistep methods
  int past_count_ = 0;
  Trajectory in_new_chart_;  // past_ and current_, and what known_ knows
  double h_ = 0.0, t_start_ = 0.0, length_ = 0.0, direction_ = 1.0, fixed_origin_ = 0.0;
  int order_ = 1;
  long number_ = 0;  // accepted steps since the last start
  long attempts_ = 0, repairs_ = 0;
  long named_changes_ = 0;          // restarts that moved differentiated variables
  std::size_t warnings_taken_ = 0;  // of the system's
  double last_tried_ = 0.0;
  // Why the last attempt that failed did, and the variable; -1: not known. Of runs that use up
  // their steps.
  enum class Shortening { none, test, equations, inside } shortened_by_ = Shortening::none;
  int shortened_for_ = -1;
  RejectionWatch rejections_;
  StayWatch stays_;
  double error_sum_ = 0.0;  // of accepted steps, in tolerances
  StabilityWatch stability_;
  State given_;  // what start values were last made consistent from, and how
  StartStrategy given_strategy_ = StartStrategy::automatic;
  bool restructured_ = false;  // from given_: by the handler of an event, or another method before
  State scratch_;
  Eigen::VectorXd model_, tangent_;
  bool fixed_ = false, keep_interpolants_ = false, impasse_named_ = false;
  bool asked_inside_ = false;
  bool jumped_ = false;  // an algebraic variable, in the last attempt
  CornerWatch corners_;
  bool crossing_ = false;  // the stepper is that of a step over a corner
  std::string stiff_alternative_;
  bool pause_when_stiff_ = false, paused_ = false;
  long pause_at_ = -1;
};

}  // namespace daedalus
