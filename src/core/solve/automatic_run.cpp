// SPDX-License-Identifier: BSD-3-Clause
#include "solve/automatic_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/diagnosis.hpp"
#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "formulation/multibody_form.hpp"
#include "formulation/problem_invariants.hpp"
#include "select/choose.hpp"
#include "select/stiffness.hpp"
#include "select/tested_part.hpp"
#include "sensitivity/make_columns.hpp"
#include "solve/check_options.hpp"
#include "system/mechanical_view.hpp"

namespace daedalus {
namespace {

constexpr int max_changes = 10;           // of the method in one run
constexpr long steps_between_looks = 50;  // a look is cheap beside so many steps
// Smooth problems of `core` take up to 111 steps of order 5 at 1e-7; another method and its start
// cost about 20.
constexpr long steps_of_a_short_run = 150;
constexpr int looks = 2;  // in succession, before the method changes
// h times the spectral radius, explicit methods take 3, with which they need no more steps than
// the implicit one; and the part of the 3 that accuracy alone does not use.
constexpr double calm = 3.0, at_boundary = 0.85;

RunTrace trace_of(Loop& loop, double t_end) {
  const SolutionData& data = loop.data();
  RunTrace run{data.status,
               data.start_time,
               data.end_time,
               t_end,
               data.start,
               data.end,
               {},
               loop.last_tried(),
               data.statistics.accepted,
               loop.impasse_named(),
               *loop.system().modes};
  if (!loop.system().model_system()) run.rates = loop.current().xd;
  return run;
}

// Those of the problem and of the run together, in order.
Options with_break_times(Options options, const Problem& problem) {
  const auto& own = std::visit(
      [](const auto& p) -> const std::vector<double>& { return p.break_times; }, problem);
  std::vector<double>& all = options.break_times;
  all.insert(all.end(), own.begin(), own.end());
  for (const double t : all)
    if (!std::isfinite(t))
      throw InvalidArgument(fmt::format("break_times: {} is not allowed; give finite times", t));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return options;
}

std::shared_ptr<const std::vector<double>> values_of_parameters(const Problem& problem) {
  auto values = std::make_shared<std::vector<double>>();
  std::visit(
      [&](const auto& p) {
        for (const Parameter& q : p.parameters) values->push_back(q.value);
      },
      problem);
  return values;
}

// Nothing to warn of.
bool planned(Course course) { return course == Course::long_run || course == Course::friction; }

std::string reason_of(Course course, const std::string& before, double t) {
  if (course == Course::friction) return "; not of order 8, since forces depend on multipliers";
  return fmt::format("; begun with {}: {} steps until t = {:.4g} show a long run", before,
                     steps_of_a_short_run, t);
}

// Start values that were taken as given may be why no step succeeds.
std::string what_a_check_says(const Problem& problem, Options options, double t0, double t_end) {
  options.start = StartStrategy::automatic;
  options.trace = {};
  Run checked(problem, options, t0);
  return checked.start(t_end) == Status::inconsistent_start ? " " + checked.loop().data().message
                                                            : std::string();
}

}  // namespace

Run::Run(const Problem& problem, const Options& options, double t0) : t0_(t0) {
  if (!std::isfinite(t0)) throw InvalidArgument("t0: the start time is not finite");
  if (std::visit([](const auto& p) { return bool(p.start); }, problem)) {
    Problem started = problem;
    apply_start(started);
    validate(started, t0);
    problem_ = std::make_shared<const Problem>(std::move(started));
  } else {
    validate(problem, t0);
    problem_ = std::shared_ptr<const Problem>(std::shared_ptr<const Problem>(), &problem);
  }
  const RunMemory::Scope scope(memory_);
  // With a history of its own, fixed steps or defects per step a method is not exchanged.
  automatic_ = options.method == "auto" && options.formulation == "auto" &&
               options.fixed_step == 0.0 && options.step_sequence.empty() && !options.known &&
               !options.defect && options.method_options.empty();
  loop_ = make(with_break_times(options, problem), Course::usual, nullptr);
  first_ = loop_->data().choice;
}

std::unique_ptr<Loop> Run::make(const Options& options, Course course,
                                std::shared_ptr<SolutionData> data) {
  const Choice choice = choose(problem(), options, course);
  check_formulation_options(choice.formulation, options.formulation_options);
  std::unique_ptr<System> system =
      lower(problem_, choice.formulation, choice.view, lowering_of(options), t0_);
  if (data && data->variables->names != system->variables->names) return nullptr;
  check_options(options, *system->variables, *choice.method);
  system->parameters = values_of_parameters(problem());
  system->invariants = problem_invariants(problem_, choice.formulation, *system, options);
  StartRequest start = initial_equations(problem_, *system);
  for (const std::string& name : options.fixed)
    start.fixed.push_back(system->variables->find(name));
  MethodChoice report{choice.method->name, choice.formulation, "", choice.reason,
                      choice.tolerance_share};
  StructureAnalysis analyse = tested_part(options, *choice.method, *system, index_of(problem()));
  auto loop = std::make_unique<Loop>(std::move(system), *choice.method, options, report,
                                     std::move(start), std::move(analyse), std::move(data));
  if (choice.method->stability == Stability::none) {
    loop->suggest_when_stiff(stiff_alternative(problem()));
    if (automatic_ && explicit_method(*choice.method)) {
      loop->pause_when_stiff();
      // Without constraints methods do not watch it themselves.
      if (const auto* body = std::get_if<MultibodyProblem>(&problem());
          body && body->multipliers() == 0)
        loop->pause_after(steps_between_looks);
    }
  }
  if (!options.sensitivities.empty())
    loop->carry(make_columns(
        {problem_, loop->options(), *choice.method, choice.formulation, lowering_of(options), t0_},
        loop->system()));
  short_runs_only_ = automatic_ && choice.for_short_runs;
  if (short_runs_only_) loop->pause_after(steps_of_a_short_run);
  method_ = choice.method;
  return loop;
}

bool Run::explicit_now() const { return explicit_method(*method_); }

Status Run::start(double towards) {
  const RunMemory::Scope scope(memory_);
  const Status s = loop_->start(model_start(loop_->system(), problem(), t0_), towards);
  if (s != Status::success) {
    explain(towards);
    return s;
  }
  if (remembers() && loop_->columns())
    throw InvalidArgument(
        "sensitivities: the model takes values of the past (delay), and derivatives by them are "
        "not computed; compare runs with other values");
  if (automatic_ && explicit_now()) {
    if (has_friction() && choose(problem(), loop_->options(), Course::friction).method != method_)
      change(Course::friction, towards, "");
    if (loop_->status() == Status::success) look_for_stiffness(towards);
  }
  return loop_->status();
}

// The equations tell, which are there once a run has started.
bool Run::has_friction() const {
  const MechanicalView* view = loop_->system().mechanical_view();
  return view && view->force_depends_on_lambda();
}

void Run::look_for_stiffness(double towards) {
  const double radius = spectral_radius(loop_->system(), loop_->current());
  const double steps = radius * std::abs(towards - t0_) / explicit_boundary;
  const bool mechanical = loop_->system().mechanical_view() != nullptr;
  if (steps > (mechanical ? bearable_steps : bearable_steps_of_index_2))
    change(Course::stiff, towards,
           fmt::format("eigenvalues of about {:.1e} at the start would limit its steps", radius));
}

bool Run::change(Course course, double t_end, const std::string& why) {
  if (changes_ >= max_changes) return false;
  const Method* const before = method_;
  const MethodChoice old = loop_->data().choice;
  std::shared_ptr<SolutionData> data = loop_->hand_over();
  std::unique_ptr<Loop> next;
  try {
    next = make(loop_->options(), course, data);
  } catch (const InvalidArgument&) {
    // What the user asked for suits the first method only (a way to solve [M G^T; G 0]).
  }
  if (!next || method_ == before) {
    method_ = before;
    data->choice = old;
    return false;
  }
  ++changes_;
  calm_ = limited_ = 0;
  const double t = loop_->t();
  if (planned(course))
    data->choice.reason += reason_of(course, old.method, t);
  else
    next->warn(fmt::format(
        "The method was changed from '{}' to '{}'{} at t = {:.6g}: {}.", old.method, method_->name,
        data->choice.formulation.empty() ? std::string()
                                         : fmt::format(" ({})", data->choice.formulation),
        t, why));
  if (loop_->options().trace)
    loop_->options().trace({data->statistics.steps(), t, 0.0, 0, 0.0, 0, "method_change", -1, ""});
  if (go_on_with(std::move(next), course, t_end) == Status::success && course == Course::stiff)
    loop_->pause_after(steps_between_looks);
  return true;
}

Status Run::go_on_with(std::unique_ptr<Loop> next, Course course, double t_end) {
  const Status s = next->resume(*loop_, t_end);
  std::swap(loop_, next);
  if (course == Course::stiff && course_ != Course::stiff) other_ = std::move(next);
  course_ = course;
  return s;
}

void Run::archive(Archive& a, double t_end) {
  const RunMemory::Scope scope(memory_);
  // What remembers has a mode (delay).
  if (!loop_->system().modes->empty()) memory_.archive(a);
  int changes = changes_;
  int course = static_cast<int>(course_);
  a.within(changes, 0, automatic_ ? max_changes : 0);
  a.within(course, 0, static_cast<int>(Course::friction));
  a(calm_, limited_, told_, long_since_);
  if (changes != changes_) {
    // The same equations and work arrays as after the last change; their contents follow.
    const auto then = static_cast<Course>(course);
    const std::shared_ptr<SolutionData> data = loop_->hand_over();
    go_on_with(make(loop_->options(), then, data), then, t_end);
    if (planned(then)) data->choice.reason += reason_of(then, first_.method, long_since_);
    changes_ = changes;
  }
  loop_->archive_run(a);
}

void Run::watch(double t_end) {
  if (!loop_->paused()) return;
  loop_->go_on();
  if (loop_->status() != Status::success || loop_->t() == t_end) return;
  if (short_runs_only_) return look_at_length(t_end);
  if (explicit_now()) {
    if (!loop_->limited_by_stability()) {
      const double fastest = spectral_radius(loop_->system(), loop_->current());
      const bool there = fastest * std::abs(loop_->next_step()) > at_boundary * explicit_boundary;
      limited_ = there ? limited_ + 1 : 0;
      loop_->pause_after(steps_between_looks);
      if (limited_ < looks) return;
    }
    change(Course::stiff, t_end, "stability and not accuracy limited its steps");
    return;
  }
  if (!other_) return;
  State there = other_->current();
  *other_->system().modes = *loop_->system().modes;
  Eigen::VectorXd model(loop_->system().variables->size());
  loop_->system().to_model(loop_->current(), model.data());
  other_->system().from_model(loop_->t(), model.data(), there);
  const double radius = spectral_radius(other_->system(), there);
  const double longest = loop_->options().max_step, proposed = std::abs(loop_->next_step());
  const double h = longest > 0.0 ? std::min(proposed, longest) : proposed;
  const bool mild = radius > 0.0 && radius * h < calm;
  calm_ = mild ? calm_ + 1 : 0;
  loop_->pause_after(steps_between_looks);
  const MechanicalView* view = other_->system().mechanical_view();
  if (calm_ >= looks)
    change(view && view->force_depends_on_lambda() ? Course::friction : Course::usual, t_end,
           fmt::format("the problem is not stiff any more, eigenvalues are about {:.1e}", radius));
}

// A run that has done less than half of its way expects as many steps again.
void Run::look_at_length(double t_end) {
  const double done = std::abs(loop_->t() - t0_), left = std::abs(t_end - loop_->t());
  if (left <= done) return;
  long_since_ = loop_->t();
  change(Course::long_run, t_end, "");
}

StepInfo Run::step(double t_end) {
  const RunMemory::Scope scope(memory_);
  const bool going = loop_->status() == Status::success;
  if (going) watch(t_end);
  const StepInfo info = loop_->step(t_end);
  if (going && info.status != Status::success) explain(t_end);
  return info;
}

std::shared_ptr<const SolutionData> Run::result(double seconds) {
  const RunMemory::Scope scope(memory_);
  return loop_->result(seconds);
}

Status Run::run(double t_end) {
  const RunMemory::Scope scope(memory_);
  if (loop_->status() != Status::success) return loop_->status();
  do {
    watch(t_end);
    loop_->run(t_end);
  } while (loop_->paused() && loop_->status() == Status::success && loop_->t() != t_end);
  explain(t_end);
  return loop_->status();
}

// What an analysis of the equations adds to the loop's own words.
void Run::explain(double t_end) {
  const Status status = loop_->status();
  if (status != Status::success && status != Status::stopped_by_event) {
    loop_->add_to_message(diagnose_failure(problem(), loop_->options(), trace_of(*loop_, t_end)));
    if (loop_->options().start == StartStrategy::given && loop_->data().statistics.accepted == 0)
      loop_->add_to_message(what_a_check_says(problem(), loop_->options(), t0_, t_end));
    return;
  }
  if (std::exchange(told_, true)) return;
  const Statistics& work = loop_->data().statistics;
  // A wrong derivative may show as stiffness or as steps that are rejected, or cost accuracy only:
  // matrices that a user wrote are compared with differences, which costs some evaluations.
  constexpr int always_compared = 100;
  const bool written = !std::holds_alternative<MultibodyProblem>(problem()) &&
                       loop_->system().variables->size() <= always_compared;
  const bool surprised = changes_ > 0 && !planned(course_);
  if (surprised || work.rejected > work.accepted || written)
    if (std::string text = diagnose_derivatives(problem(), t0_); !text.empty())
      loop_->warn(text.substr(1));
  const Rejections& rejected = loop_->rejections();
  if (rejected.count == 0 || loop_->system().model_system()) return;
  RunTrace run = trace_of(*loop_, t_end);
  run.t = rejected.at.t;
  run.rates = rejected.at.xd;
  run.last_step = rejected.h;
  loop_->system().to_model(rejected.at, run.end.data());
  if (std::string text = diagnose_rejections(problem(), loop_->options(), run); !text.empty())
    loop_->warn(fmt::format("Near t = {:.6g} {} steps were rejected.{}", rejected.at.t,
                            rejected.count, text));
}

}  // namespace daedalus
