// The loop: every method of every family runs through it. It knows neither a family nor a problem
// form; measure, control, end rule, projection, events and output are stages of their own.
#pragma once

#include <memory>
#include <optional>

#include <daedalus/integrator.hpp>
#include <daedalus/method.hpp>
#include <daedalus/options.hpp>

#include "control/controller.hpp"
#include "control/measure.hpp"
#include "integrate/events.hpp"
#include "integrate/recorder.hpp"
#include "integrate/solution_data.hpp"
#include "start/consistent.hpp"
#include "system/stepper.hpp"
#include "system/system.hpp"

namespace daedalus {

// Looks at the equations at the consistent start and tells the measure what to test.
using StructureAnalysis = std::function<void(System&, const State&, Measure&)>;

class Loop {
 public:
  // `data`: of a run that this one goes on with.
  Loop(std::unique_ptr<System> system, const Method& method, Options options, MethodChoice choice,
       StartRequest start_request, StructureAnalysis analyse = {},
       std::shared_ptr<SolutionData> data = nullptr);

  // Makes `state` consistent and starts the method; `towards` gives direction and scale.
  Status start(State state, double towards);
  StepInfo step(double t_end);
  // Until t_end, a failure, or a step after which another method should go on.
  Status run(double t_end);

  // Change of method at a step boundary (change_method.cpp). A loop made with the data of `before`
  // goes on from its last state: counts, output and events continue.
  Status resume(Loop& before, double t_end);
  std::shared_ptr<SolutionData> hand_over() { return data_; }
  // When stability limits the steps the run pauses instead of warning, once.
  void pause_when_stiff() { pause_when_stiff_ = true; }
  void pause_after(long steps) { pause_at_ = data_->statistics.accepted + steps; }
  bool paused() const { return paused_; }
  bool limited_by_stability() const { return stiffness_.told; }
  void go_on() { paused_ = false; }

  double t() const { return current_.t; }
  const State& current() const { return current_; }
  System& system() { return *system_; }
  Status status() const { return data_->status; }
  double last_tried() const { return last_tried_; }
  double next_step() const { return h_; }
  // What an analysis after the run has to add.
  void add_to_message(const std::string& sentences) { data_->message += sentences; }
  void warn(std::string sentence) { data_->warnings.push_back(std::move(sentence)); }
  // The place with the most rejected steps within the first of them, if there were many.
  struct Rejections {
    int count = 0;
    double h = 0.0;  // the first one rejected
    State at;
  };
  const Rejections& rejections() const { return rejections_; }
  Recorder& recorder() { return *recorder_; }
  // Everything so far; the loop may go on afterwards.
  std::shared_ptr<const SolutionData> result(double seconds);
  void keep_interpolants() { keep_interpolants_ = true; }  // of the last step, whatever the output
  const Interpolant& last_interpolant() const { return interpolant_; }
  const SolutionData& data() const { return *data_; }
  const Method& method() const { return method_; }
  const Options& options() const { return options_; }
  const Statistics& statistics();
  void archive(Archive& a);
  // Everything, recorded results included: a loop of the same problem and options that was started
  // goes on from there. Between two steps.
  void archive_run(Archive& a);
  // The method to name when stability limits the steps.
  void suggest_when_stiff(std::string method) { stiff_alternative_ = std::move(method); }

 private:
  struct Target {
    double h, t_new;
  };
  Target limit(double t_end, double barrier) const;
  double first_step(double towards);
  // `given` in the coordinates of the system where start values are made consistent; `state` in
  // those of the run.
  StartReport consistent(State given, State& state);
  StartReport consistent_after_handler(State given);
  Status fail(Status status, std::string message);
  Status fail(Outcome outcome, const Attempt& attempt, std::span<const ErrorTest> tests, double h);
  void remember(std::span<const ErrorTest> tests, const Decision& decision, double h, int order);
  Status restart(StartReason reason);
  Status hold_invariants();
  bool repair();  // solves for the algebraic variables again
  // A failed error test that shorter steps do not mend.
  bool left_by_earlier_steps(std::span<const ErrorTest> tests, double h);
  Status renew_chart();
  Outcome hand_over_past(int most);
  void trace(const StepRequest& r, const Attempt& a, std::span<const ErrorTest> tests,
             std::string_view outcome);
  void watch_stiffness(double value);
  void watch_structure();
  void take_warnings();  // of the system, which come up during a run as well
  void note_rejection(double h);
  Status fire();
  Status fail_event();

  std::unique_ptr<System> system_;
  const Method& method_;
  Options options_;
  MethodSettings settings_;
  std::unique_ptr<Stepper> stepper_;
  std::shared_ptr<SolutionData> data_;
  Measure measure_;
  Control control_;
  EndRule end_rule_ = EndRule::stretch;
  double least_step_ = 0.0;    // share of the interval below which a run ends
  double largest_step_ = 0.0;  // share of the interval that no step exceeds; 0: none
  int most_rejections_ = 0;
  ControlParameters parameters_;
  ControlHistory history_;
  StartRequest start_request_;
  StructureAnalysis analyse_;
  std::unique_ptr<EventMonitor> events_;
  std::unique_ptr<Recorder> recorder_;
  Interpolant interpolant_;
  State current_;
  Trajectory known_;
  std::vector<State> past_;  // before current_, newest first; kept for charts and multistep methods
  int past_count_ = 0;
  Trajectory in_new_chart_;  // past_ and current_, and what known_ knows
  double h_ = 0.0, t_start_ = 0.0, length_ = 0.0, direction_ = 1.0, fixed_origin_ = 0.0;
  int order_ = 1;
  long number_ = 0;  // accepted steps since the last start
  long attempts_ = 0, repairs_ = 0;
  std::size_t warnings_taken_ = 0;  // of the system's
  double last_tried_ = 0.0;
  struct {
    double t = 0.0, h = 0.0;
    int count = 0;
  } rejected_;
  Rejections rejections_;
  struct {
    double t = 0.0, h = 0.0, value = 0.0;
    int count = 0;
  } stays_;      // within one step
  State given_;  // what start values were last made consistent from, and how
  StartStrategy given_strategy_ = StartStrategy::automatic;
  bool restructured_ = false;  // from given_: by the handler of an event, or another method before
  State scratch_;
  Eigen::VectorXd model_, tangent_;
  bool fixed_ = false, keep_interpolants_ = false;
  struct {
    int at_boundary = 0, away = 0;
    double since = 0.0;
    bool told = false;
  } stiffness_;
  std::string stiff_alternative_;
  bool pause_when_stiff_ = false, paused_ = false;
  long pause_at_ = -1;
};

}  // namespace daedalus
