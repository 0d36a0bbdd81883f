#include "integrate/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/messages.hpp"
#include "system/invariants.hpp"
#include "system/model_size.hpp"

namespace daedalus {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
// Halving so often in a row cannot be the error test of a smooth solution.
constexpr int usual_rejections = 60;
// So many failed error tests in a row call for a look at the algebraic equations: the step is a
// millionth of what it was.
constexpr int rejections_before_repair = 8;
// So many within the length of the first rejected step, in a run that goes well otherwise: the
// place is kept for a second look.
constexpr int suspicious_rejections = 6;
// Automatic projection acts when the drift is seen in the error test.
constexpr double automatic_threshold = 0.1;

const NamedControl& control_of(const Options& o, const Method& method) {
  return *find_control(o.control == "auto" ? method.control : o.control);
}

MeasureOptions measure_options(const Options& o, const NamedControl& control, System& system,
                               double share) {
  MeasureOptions m;
  m.rtol = share * o.rtol;
  m.norm = o.norm;
  m.index_weights = o.index_weights;
  if (control.differential_only) m.norm = ErrorNorm::maximum;
  if (control.report) {
    m.norm = ErrorNorm::maximum;
    m.scale = ScaleRule::larger_part;
    m.split = true;
  }
  const int n = system.layout.tangents();
  m.atol = Eigen::VectorXd::Constant(n, share * o.atol.values().minCoeff());
  if (!system.in_model_coordinates()) {
    // Combinations of model variables, in charts those of one class: the smallest tolerance holds.
    for (const LayoutBlock& b : system.layout.blocks())
      if (const Variables::Range* r = system.variables->range_of(b.cls);
          r && system.model_system() && !o.atol.scalar())
        m.atol.segment(b.tangent, b.space.tangents())
            .setConstant(share * o.atol.values().segment(r->first, r->count).minCoeff());
    return m;
  }
  // A model variable's tolerance applies to its tangent coordinates; rates kept as extra variables
  // are not tested. On a group one tolerance serves the whole block.
  int point = 0;
  for (const LayoutBlock& b : system.layout.blocks()) {
    if (b.point >= system.variables->size() || b.cls == VariableClass::eta) break;
    for (int i = 0; i < b.space.tangents(); ++i)
      m.atol[b.tangent + i] = share * o.atol[b.space.is_euclidean() ? point + i : point];
    point += b.space.points();
  }
  for (const std::string& name : o.untested)
    for (LayoutBlock& b : system.layout.blocks())
      for (int i = 0; i < b.space.tangents(); ++i)
        if (system.layout.name(b.tangent + i) == name)
          m.atol[b.tangent + i] = std::numeric_limits<double>::max();
  return m;
}

}  // namespace

Loop::Loop(std::unique_ptr<System> system, const Method& method, Options options,
           MethodChoice choice, StartRequest start_request, StructureAnalysis analyse,
           std::shared_ptr<SolutionData> data)
    : system_(std::move(system)),
      method_(method),
      options_(std::move(options)),
      data_(data ? std::move(data) : std::make_shared<SolutionData>()),
      measure_(
          measure_options(options_, control_of(options_, method), *system_, choice.tolerance_share),
          system_->layout),
      start_request_(std::move(start_request)),
      analyse_(std::move(analyse)) {
  const bool fresh = data_->variables == nullptr;
  data_->choice = std::move(choice);
  std::vector<long>& orders = data_->statistics.order_histogram;
  orders.resize(std::max(orders.size(), static_cast<std::size_t>(
                                            std::max({method.order, method.highest_order, 1}) + 1)),
                0);
  if (fresh) {
    data_->variables = system_->variables;
    data_->layout = system_->model_layout();
    data_->statistics.position_residual = std::numeric_limits<double>::quiet_NaN();
    data_->statistics.velocity_residual = std::numeric_limits<double>::quiet_NaN();
  }
  settings_ = [this](std::string_view key) {
    const auto given = options_.method_options.find(std::string(key));
    if (given != options_.method_options.end()) return given->second;
    for (const MethodOption& o : method_.options)
      if (o.key == key) return o.standard;
    throw InvalidArgument(
        fmt::format("method_options: '{}' has no option '{}'", method_.name, key));
  };
  fixed_ = options_.fixed_step > 0.0 || !options_.step_sequence.empty();
  const NamedControl& control = control_of(options_, method);
  control_ = fixed_ ? prescribed_control : control.decide;
  parameters_.shrink = control.shrink;
  parameters_.grow = control.grow;
  parameters_.grow_after_rejection = control.report;
  end_rule_ = control.end;
  least_step_ = control.least_step;
  largest_step_ = control.largest_step;
  // With ratios near one many rejections in a row are no sign of trouble.
  most_rejections_ = control.report ? 1000 : usual_rejections;
  if (options_.safety > 0.0) parameters_.safety = options_.safety;
  if (options_.least_ratio > 0.0) parameters_.shrink = options_.least_ratio;
  if (options_.largest_ratio > 0.0) parameters_.grow = options_.largest_ratio;
  parameters_.stabilisation = options_.stabilisation;
  parameters_.variable_order = method.highest_order > method.lowest_order;
  if (!options_.step_sequence.empty()) parameters_.prescribed = &options_.step_sequence;
  start_request_.strategy = options_.start;
  model_.setZero(system_->variables->size());
  tangent_.setZero(system_->layout.tangents());
  scratch_.x.setZero(system_->layout.points());
  recorder_ = std::make_unique<Recorder>(options_, *system_, *data_);
  events_ = std::make_unique<EventMonitor>(options_.events, *system_);
  if (options_.defect) system_->set_defect(&options_.defect);
  if (options_.known)
    known_ = [this](double t, State& s) {
      model_.setZero();  // eta vanishes on exact solutions
      if (!options_.known(t, Out(model_.data(), model_size(*system_->variables)))) return false;
      system_->from_model(t, model_.data(), s);
      return true;
    };
}

StartReport Loop::consistent(State given, State& state) {
  System* const model = system_->model_system();
  System& where = model ? *model : *system_;
  // Start values are judged by the whole tolerance, whatever a step may take of it.
  std::optional<Measure> whole;
  if (model || data_->choice.tolerance_share != 1.0)
    whole.emplace(measure_options(options_, control_of(options_, method_), where, 1.0),
                  where.layout);
  Measure& measure = whole ? *whole : measure_;
  measure.begin(given, 1.0);
  start_request_.weight = measure.scale();
  given_ = given;
  given_strategy_ = start_request_.strategy;
  where.prepare(given);
  StartReport report = make_consistent(*system_, given, start_request_);
  if (report.changed && report.status == Status::success)
    data_->warnings.push_back(report.message.empty()
                                  ? "The start values were changed to make them consistent."
                                  : report.message);
  if (!model || report.status == Status::success) {
    state = std::move(given);
  } else if (state.x.size() == 0) {  // there is no chart that it could be a state of
    state.x.setZero(system_->layout.points());
    state.xd.setZero(system_->layout.tangents());
  }
  return report;
}

Status Loop::fail(Status status, std::string message) {
  data_->status = status;
  data_->message = std::move(message);
  const bool thrown = status == Status::callback_failed || status == Status::left_domain;
  data_->exception = thrown ? system_->failure.exception : nullptr;
  return status;
}

Status Loop::fail(Outcome outcome, const Attempt& attempt, std::span<const ErrorTest> tests,
                  double h) {
  std::string message = explain_failure(*system_, outcome, attempt, tests, current_.t, h);
  if (data_->statistics.accepted > 0 && !system_->model_system()) {
    State begin = current_;
    system_->from_model(data_->start_time, data_->start.data(), begin);
    message += explain_impasse(*system_, outcome, begin, current_);
  }
  return fail(status_of(outcome), std::move(message));
}

Status Loop::start(State state, double towards) {
  direction_ = towards >= state.t ? 1.0 : -1.0;
  length_ = std::abs(towards - state.t);
  t_start_ = fixed_origin_ = current_.t = state.t;
  const StartReport report = consistent(std::move(state), current_);
  data_->choice.linear_solver = system_->linear_solver();
  if (report.status != Status::success) {
    recorder_->begin(current_, direction_);
    return fail(report.status, report.message);
  }
  if (const Status held = hold_invariants(); held != Status::success) {
    recorder_->begin(current_, direction_);
    return held;
  }
  if (options_.max_step == 0.0 && largest_step_ > 0.0) options_.max_step = largest_step_ * length_;
  if (analyse_) {
    const PhaseScope phase(system_->counter, Phase::start);
    analyse_(*system_, current_, measure_);
  }
  stepper_ = method_.make(*system_, settings_);
  interpolant_.reserve(system_->layout, stepper_->interpolant_degree());
  if (system_->model_system() && method_.highest_order > 0 && method_.stability == Stability::none)
    past_.assign(static_cast<std::size_t>(method_.highest_order + 1), current_);
  rejections_.at = current_;
  recorder_->begin(current_, direction_);
  const Status s = restart(StartReason::begin);
  if (s != Status::success) return s;
  data_->statistics.restarts = 0;
  h_ = first_step(towards);
  take_warnings();
  return Status::success;
}

void Loop::take_warnings() {
  for (; warnings_taken_ < system_->warnings.size(); ++warnings_taken_)
    data_->warnings.push_back(system_->warnings[warnings_taken_]);
}

// At the accepted steps 2, 4, 8, ..., and then at every 64th; after rejected ones anyway.
void Loop::watch_structure() {
  constexpr long rarely = 64;
  const long n = number_;
  if (n > 1 && (n % rarely == 0 || (n < rarely && (n & (n - 1)) == 0)))
    system_->doubt_structure(current_);
  take_warnings();
}

// What the projection holds from here on; an event may have changed it.
Status Loop::hold_invariants() {
  if (!system_->invariants) return Status::success;
  const Outcome o = system_->invariants->mark(current_, system_->failure);
  if (o == Outcome::ok) return Status::success;
  system_->failure.function = "invariants";
  return fail(o, {}, {}, 0.0);
}

Status Loop::restart(StartReason reason) {
  const PhaseScope phase(system_->counter, Phase::start);
  // Without an error test nothing chooses an order: the highest one that the method is set to.
  order_ = method_.lowest_order == 0 ? method_.order
           : fixed_                  ? method_.highest_order
                                     : method_.lowest_order;
  history_ = {};
  number_ = 0;
  past_count_ = 0;
  fixed_origin_ = current_.t;
  ++data_->statistics.restarts;
  const Outcome o = stepper_->start({reason, current_, known_ ? &known_ : nullptr, fixed_});
  if (o != Outcome::ok) return fail(o, {}, {}, 0.0);
  measure_.begin(current_, 1.0);
  if (!events_->begin(current_)) return fail_event();
  return Status::success;
}

// The change in the first step should be a hundredth of the size of the solution, both measured in
// the error scale (Hairer, Noersett, Wanner I, section II.4), and no more than the scale itself
// allows for a method of this order.
double Loop::first_step(double towards) {
  const double length = std::abs(towards - current_.t);
  if (!options_.step_sequence.empty()) return options_.step_sequence.front();
  if (options_.fixed_step > 0.0) return direction_ * options_.fixed_step;
  if (options_.initial_step > 0.0) return direction_ * std::min(options_.initial_step, length);
  const Layout& l = system_->layout;
  Eigen::VectorXd size(l.tangents());
  l.magnitude(current_.x.data(), size.data());
  const double d0 = measure_.norm(size.data());
  const double d1 = measure_.norm(current_.xd.data());
  double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 * length : 0.01 * d0 / d1;
  if (d1 > 0.0) {
    const double p = method_.lowest_order > 0 ? method_.lowest_order : method_.order;
    // h x' in units of the tolerance, taken as the size of the first neglected term.
    h = std::min(h, std::pow(100.0, 1.0 / (p + 1.0)) / std::pow(d1, 1.0 / (p + 1.0)) *
                        std::pow(length, p / (p + 1.0)));
  }
  h = std::min({h, 0.1 * length, options_.max_step > 0.0 ? options_.max_step : length});
  return direction_ * std::max(h, 32.0 * epsilon * std::abs(current_.t));
}

Loop::Target Loop::limit(double t_end, double barrier) const {
  double h = h_;
  const double largest = options_.max_step;
  if (!fixed_ && largest > 0.0 && std::abs(h) > largest) h = direction_ * largest;
  const double remaining = barrier - current_.t;
  double t_new = current_.t + h;
  if (options_.fixed_step > 0.0)
    t_new = fixed_origin_ + static_cast<double>(number_ + 1) * direction_ * options_.fixed_step;
  const bool look_ahead = !fixed_ && end_rule_ == EndRule::look_ahead;
  const double stretch = fixed_ ? 1e-9 : look_ahead ? 0.0 : 0.01;
  if (barrier != t_end || direction_ * (t_new - barrier) >= -stretch * std::abs(h))
    t_new = barrier;
  else if (!fixed_ && std::abs(remaining) < 2.0 * std::abs(h))
    t_new = current_.t + 0.5 * remaining;  // two equal steps rather than a tiny last one
  return {t_new - current_.t, t_new};
}

void Loop::trace(const StepRequest& r, const Attempt& a, std::span<const ErrorTest> tests,
                 std::string_view outcome) {
  if (!options_.trace) return;
  double error = 0.0;
  int worst = a.culprit.kind == Culprit::Kind::variable ? a.culprit.index : -1;
  for (const ErrorTest& t : tests)
    if (t.order == r.order && t.value >= error) error = t.value, worst = t.worst;
  const std::string_view name = worst >= 0 && worst < system_->layout.tangents()
                                    ? std::string_view(system_->layout.name(worst))
                                    : std::string_view();
  options_.trace({attempts_, r.t, r.h, r.order, error, a.newton_iterations, outcome, worst, name});
}

void Loop::remember(std::span<const ErrorTest> tests, const Decision& d, double h, int order) {
  Statistics& s = data_->statistics;
  ++s.accepted;
  if (pause_at_ >= 0 && s.accepted >= pause_at_) {
    paused_ = true;
    pause_at_ = -1;
  }
  const auto bin = static_cast<std::size_t>(order);
  if (bin < s.order_histogram.size()) ++s.order_histogram[bin];
  const double size = std::abs(h);
  s.h_min = s.accepted == 1 ? size : std::min(s.h_min, size);
  s.h_max = std::max(s.h_max, size);
  s.last_step = h;
  history_.since_change =
      std::abs(h - history_.h_last) > 1e-9 * size ? 1 : history_.since_change + 1;
  history_.h_last = h;
  history_.error_before = history_.error_last;
  double error = 0.0;
  for (const ErrorTest& t : tests)
    if (t.order == order) error = std::max(error, t.value);
  s.last_error = error;
  // Gustafsson: a very small error must not make the next prediction run away.
  history_.error_last = std::max(error, 1e-2);
  history_.rejections = 0;
  ++history_.accepted;
  history_.at_order = d.order == order ? history_.at_order + 1 : 0;
  history_.rising = history_.rising && d.order >= order;
}

void Loop::note_rejection(double h) {
  if (rejected_.count == 0 || std::abs(current_.t - rejected_.t) > std::abs(rejected_.h))
    rejected_ = {current_.t, h, 0};
  if (++rejected_.count < suspicious_rejections || rejected_.count <= rejections_.count) return;
  rejections_.count = rejected_.count;
  rejections_.h = rejected_.h;
  rejections_.at = current_;
}

// Fifteen steps at the stability boundary with never six in a row away from it (Hairer, Wanner II,
// section IV.2).
void Loop::watch_stiffness(double value) {
  constexpr int many = 15, enough_away = 6;
  if (value <= 0.0 || stiffness_.told) return;
  if (value <= 1.0) {
    if (++stiffness_.away == enough_away) stiffness_ = {};
    return;
  }
  if (stiffness_.at_boundary++ == 0) stiffness_.since = current_.t;
  stiffness_.away = 0;
  if (stiffness_.at_boundary < many) return;
  stiffness_.told = true;
  if (pause_when_stiff_) {
    paused_ = true;
    return;
  }
  data_->warnings.push_back(fmt::format(
      "From about t = {:.4g} on, stability and not accuracy limits the steps of '{}': the problem "
      "is stiff there.{}",
      stiffness_.since, method_.name,
      stiff_alternative_.empty()
          ? std::string(" A method for stiff problems may need fewer steps.")
          : fmt::format(" A method for stiff problems may need fewer steps: try '{}'.",
                        stiff_alternative_)));
}

StepInfo Loop::step(double t_end) {
  const auto ended = [&](Status s) { return StepInfo{current_.t, 0.0, order_, s}; };
  if (data_->status != Status::success) return ended(data_->status);
  if (current_.t == t_end) return ended(Status::success);
  if (!stepper_) throw InvalidArgument("step: initialize() has not been called");
  if (direction_ * (t_end - current_.t) < 0.0)
    throw InvalidArgument(fmt::format("step: t_end = {} lies behind t = {}", t_end, current_.t));
  if (const Status s = renew_chart(); s != Status::success) return ended(s);
  double barrier = t_end;
  bool landing = false;
  for (;;) {
    if (options_.cancel && options_.cancel())
      return ended(
          fail(Status::cancelled, fmt::format("The run was cancelled at t = {:g}.", current_.t)));
    if (attempts_ >= options_.max_steps)
      return ended(fail(Status::too_many_steps,
                        fmt::format("{} steps were not enough: t = {:g} of {:g} was reached. Raise "
                                    "max_steps, loosen the tolerances, or choose a method that "
                                    "suits the problem better.",
                                    options_.max_steps, current_.t, t_end)));
    const Target target = limit(t_end, barrier);
    ++attempts_;
    last_tried_ = target.h;
    system_->at_step(number_, current_.t, target.h);
    const Eigen::VectorXd& weight = measure_.begin(current_, target.h);
    StepRequest request{number_, current_.t, target.h, target.t_new, order_, weight};
    Attempt attempt;
    std::span<const ErrorTest> tests;
    bool amended = false;
    {
      const PhaseScope phase(system_->counter, Phase::step);
      attempt = stepper_->attempt(request);
    }
    // A multistep method uses a lower order than asked for until it has enough values.
    if (attempt.order > 0) request.order = attempt.order;
    const int used = request.order;
    if (attempt.outcome == Outcome::ok && !fixed_)
      tests = measure_.measure(attempt.estimates, stepper_->trial(), target.h);
    ControlReport report{attempt.outcome, number_, target.h, used, tests, attempt.advice};
    Decision decision = control_(parameters_, history_, report);
    if (decision.verdict != Verdict::accept && attempt.outcome == Outcome::ok &&
        left_by_earlier_steps(tests, target.h)) {
      tests = measure_.passed(tests.size());
      report.tests = tests;
      decision = control_(parameters_, history_, report);
    }

    if (decision.verdict == Verdict::accept && system_->has_projection() &&
        options_.projection != ProjectionWhen::none) {
      const PhaseScope phase(system_->counter, Phase::projection);
      const double threshold =
          options_.projection == ProjectionWhen::every_step ? 0.0 : automatic_threshold;
      const ProjectionResult p = system_->project(stepper_->trial(), measure_.scale(), threshold);
      amended = p.amended;
      if (p.outcome != Outcome::ok) {
        ++data_->statistics.projection_failures;
        report.outcome = attempt.outcome = p.outcome;
        report.advice.after_failure = 0.5;
        decision = control_(parameters_, history_, report);
      } else if (p.amended) {
        ++data_->statistics.projections;
      }
    }
    if (decision.verdict != Verdict::accept) {
      trace(request, attempt, tests,
            attempt.outcome == Outcome::ok ? "error_test" : to_string(attempt.outcome));
      ++data_->statistics.rejected;
      if (attempt.outcome == Outcome::ok) ++data_->statistics.error_test_failures;
      ++history_.rejections;
      history_.rising = false;
      system_->doubt_structure(current_);
      note_rejection(target.h);
      const double size = std::abs(current_.t);
      const double round_off = least_step_ > 0.0
                                   ? std::max(least_step_ * length_, 2.0 * epsilon * size)
                                   : 16.0 * epsilon * size;
      const double floor = std::max(options_.min_step, round_off);
      if (attempt.outcome == Outcome::ok && history_.rejections == rejections_before_repair &&
          repair()) {
        if (data_->status != Status::success) return ended(data_->status);
        landing = false;
        barrier = t_end;
        continue;
      }
      if (attempt.outcome == Outcome::callback_failed || decision.verdict == Verdict::give_up ||
          std::abs(decision.h) <= floor || history_.rejections > most_rejections_)
        return ended(fail(attempt.outcome, attempt, tests, target.h));
      h_ = decision.h;
      order_ = decision.order;
      landing = false;
      barrier = t_end;
      if (attempt.outcome != Outcome::ok)
        if (const Status s = renew_chart(); s != Status::success) return ended(s);
      continue;
    }

    const bool watch = !events_->empty();
    if (watch || keep_interpolants_ || recorder_->wants_interpolant(target.t_new)) {
      const PhaseScope phase(system_->counter, Phase::output);
      if (const Outcome o = stepper_->interpolant(interpolant_); o != Outcome::ok)
        return ended(fail(o, attempt, tests, target.h));
    }
    if (watch && !landing) {
      if (!events_->scan(interpolant_, stepper_->trial())) return ended(fail_event());
      if (!events_->acting().empty() &&
          direction_ * (target.t_new - events_->landing_time()) > 0.0) {
        // The attempt is repeated so that a step ends at the event.
        trace(request, attempt, tests, "event_inside");
        landing = true;
        barrier = events_->landing_time();
        continue;
      }
    }
    trace(request, attempt, tests, "accepted");
    if (recorder_->wants_interpolant(target.t_new)) recorder_->inside(interpolant_, target.t_new);
    if (watch)
      for (const Located& e : events_->recorded()) {
        interpolant_.evaluate(system_->layout, e.t, tangent_, scratch_.x.data());
        scratch_.t = e.t;
        system_->to_model(scratch_, model_.data());
        data_->events.push_back({events_->event(e.event).name, e.t, model_});
        ++data_->statistics.events;
      }
    stepper_->commit(amended);
    if (!past_.empty()) {
      std::rotate(past_.begin(), past_.end() - 1, past_.end());
      std::swap(past_.front(), current_);
      past_count_ = std::min(past_count_ + 1, static_cast<int>(past_.size()));
    }
    current_.t = stepper_->trial().t;
    current_.x = stepper_->trial().x;
    current_.xd = stepper_->trial().xd;
    ++number_;
    remember(tests, decision, target.h, used);
    watch_stiffness(attempt.stiffness);
    watch_structure();
    const bool acted = watch && !events_->acting().empty();
    // A step cut short by the end or an event says nothing against the step size in use.
    const bool cut =
        !fixed_ && end_rule_ == EndRule::stretch && std::abs(target.h) < 0.99 * std::abs(h_);
    h_ = cut ? direction_ * std::max(std::abs(h_), std::abs(decision.h)) : decision.h;
    if (fixed_) h_ = decision.h;
    if (!fixed_) order_ = decision.order;
    if (watch && !events_->advance(current_, acted)) return ended(fail_event());
    recorder_->accepted(current_);
    if (options_.progress)
      options_.progress({current_.t, t_end, target.h, data_->statistics.accepted});
    if (acted) {
      if (const Status s = fire(); s != Status::success) return {current_.t, target.h, used, s};
    }
    return {current_.t, target.h, used, Status::success};
  }
}

Status Loop::run(double t_end) {
  while (data_->status == Status::success && current_.t != t_end && !paused_) step(t_end);
  return data_->status;
}

const Statistics& Loop::statistics() {
  data_->statistics.phases = system_->counter.phases();
  double& proposed = data_->statistics.proposed_step;
  proposed = std::abs(h_);
  if (!fixed_ && options_.max_step > 0.0) proposed = std::min(proposed, options_.max_step);
  return data_->statistics;
}

std::shared_ptr<const SolutionData> Loop::result(double seconds) {
  recorder_->end(current_);
  take_warnings();
  statistics();
  data_->statistics.seconds = seconds;
  if (data_->status == Status::success && data_->message.empty())
    data_->message = fmt::format("Reached t = {:.10g}.", current_.t);
  return std::make_shared<const SolutionData>(*data_);
}

void Loop::archive(Archive& a) {
  a(current_.t, current_.x, current_.xd, h_, order_, number_, attempts_, direction_, fixed_origin_,
    history_);
  measure_.archive(a);
  system_->archive(a);
  if (system_->invariants) system_->invariants->archive(a);
  a(past_count_);
  for (State& s : past_) a(s.t, s.x, s.xd);
  stepper_->archive(a);
}

}  // namespace daedalus
