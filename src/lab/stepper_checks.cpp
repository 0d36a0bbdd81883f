// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/testing/stepper.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>

#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "integrate/loop.hpp"
#include "integrate/solution_data.hpp"
#include "select/choose.hpp"
#include "select/tested_part.hpp"

namespace daedalus::testing {
namespace {

// A run below the public interface: its state can be archived and its stepper asked again.
struct Run {
  std::shared_ptr<const Problem> problem;
  Choice choice;
  std::unique_ptr<Loop> loop;

  Run(const Problem& p, const Options& options, double t0)
      : problem(std::make_shared<const Problem>(p)), choice(choose(p, options)) {
    validate(p, t0);
    auto system = lower(problem, choice.formulation, choice.view, lowering_of(options), t0);
    StartRequest start = initial_equations(problem, *system);
    StructureAnalysis analyse = tested_part(options, *choice.method, *system, index_of(p));
    loop = std::make_unique<Loop>(
        std::move(system), *choice.method, options,
        MethodChoice{choice.method->name, choice.formulation, "", choice.reason}, std::move(start),
        std::move(analyse));
  }
  // In the coordinates that start() takes.
  State state() const {
    const System& system = loop->system();
    const System* model = system.model_system();
    if (!model) return loop->current();
    Eigen::VectorXd y(system.variables->size());
    system.to_model(loop->current(), y.data());
    State s;
    model->from_model(loop->t(), y.data(), s);
    return s;
  }
  Status begin(Interval interval) {
    return loop->start(model_start(loop->system(), *problem, interval.from), interval.to);
  }
};

std::string difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return fmt::format("{:.3g}", (a - b).cwiseAbs().maxCoeff());
}

bool failed(ContractReport& report, const Run& run, Status s) {
  if (s == Status::success) return false;
  report.violations.push_back(
      fmt::format("{}: the run itself failed, {}", run.choice.method->name, to_string(s)));
  return true;
}

}  // namespace

std::string ContractReport::text() const {
  std::string all;
  for (const std::string& v : violations) all += v + "\n";
  return all;
}

ContractReport check_interpolant_ends(const Problem& problem, Interval interval,
                                      const Options& options, double round_off) {
  ContractReport report;
  Options o = options;
  o.output = Output::dense;
  o.events.clear();
  const Solution s = solve(problem, interval, o);
  const SolutionData& d = s.data();
  if (!s.ok()) report.violations.push_back("the run failed: " + s.message());
  if (d.interpolants.size() + 1 != d.times.size())
    report.violations.push_back(fmt::format("{} interpolants for {} reported states",
                                            d.interpolants.size(), d.times.size()));
  Eigen::VectorXd w(d.layout.tangents()), x(d.layout.points());
  for (std::size_t k = 0; report.ok() && k < d.interpolants.size(); ++k)
    for (std::size_t end = 0; end < 2; ++end) {
      const ModelState state = s.state(k + end);
      d.interpolants[k].evaluate(d.layout, state.t(), w, x.data());
      for (int i = 0; i < x.size(); ++i)
        if (!(std::abs(x[i] - state.y()[i]) <= round_off * (1.0 + std::abs(state.y()[i]))))
          report.violations.push_back(
              fmt::format("step {}: '{}' at its {} is {:.17g}, the interpolant says {:.17g}", k + 1,
                          s.variables().names[static_cast<std::size_t>(i)],
                          end ? "end" : "beginning", state.y()[i], x[i]));
    }
  return report;
}

ContractReport check_rejections(const Problem& problem, Interval interval, const Options& options,
                                double iteration) {
  ContractReport report;
  const Choice choice = choose(problem, options);
  validate(problem, interval.from);
  const auto owned = std::make_shared<const Problem>(problem);
  // Two copies of the same run: `plain` never sees the additional attempts.
  struct Side {
    std::unique_ptr<System> system;
    std::unique_ptr<Stepper> stepper;
    State state;
  };
  const auto standard = [&](std::string_view key) {
    const auto given = options.method_options.find(std::string(key));
    if (given != options.method_options.end()) return given->second;
    for (const MethodOption& m : choice.method->options)
      if (m.key == key) return m.standard;
    return 0.0;
  };
  std::array<Side, 2> sides;
  std::unique_ptr<Measure> measure;
  for (Side& s : sides) {
    s.system = lower(owned, choice.formulation, choice.view, lowering_of(options), interval.from);
    s.state = model_start(*s.system, problem, interval.from);
    MeasureOptions tolerances;
    tolerances.rtol = options.rtol;
    tolerances.atol =
        Eigen::VectorXd::Constant(s.system->layout.tangents(), options.atol.values().minCoeff());
    measure = std::make_unique<Measure>(tolerances, s.system->layout);
    s.system->prepare(s.state);
    StartRequest start = initial_equations(owned, *s.system);
    measure->begin(s.state, 1.0);
    start.weight = measure->scale();
    if (make_consistent(*s.system, s.state, start).status != Status::success) {
      report.violations.push_back("the start values are not consistent");
      return report;
    }
    s.stepper = choice.method->make(*s.system, standard);
    s.stepper->start({StartReason::begin, s.state, nullptr, options.fixed_step > 0.0});
  }
  const double h =
      options.fixed_step > 0.0 ? options.fixed_step : (interval.to - interval.from) / 100.0;
  const int order = choice.method->min_order > 0 ? choice.method->min_order : choice.method->order;
  double t = interval.from;
  Side &plain = sides[0], &tried = sides[1];
  Eigen::VectorXd apart(plain.system->layout.tangents());
  for (long n = 0; t + h <= interval.to && report.ok(); ++n, t += h) {
    // In local charts: as far as the first one reaches.
    plain.state.t = tried.state.t = t;
    tried.state.x = plain.state.x;
    const bool left = plain.system->chart_degraded(plain.state);
    if (tried.system->chart_degraded(tried.state) || left) break;
    const Eigen::VectorXd& weight = measure->begin(plain.state, h);
    const auto attempt = [&](Side& s, double length) {
      s.system->at_step(n, t, length);
      return s.stepper->attempt({n, t, length, t + length, order, weight});
    };
    const Attempt once = attempt(plain, h);
    for (const double factor : {1.0, 0.5, 2.0}) attempt(tried, factor * h);
    const Attempt again = attempt(tried, h);
    if (once.outcome != Outcome::ok || again.outcome != Outcome::ok) {
      report.violations.push_back(fmt::format("attempt at t = {:g}: {} and, after others, {}", t,
                                              to_string(once.outcome), to_string(again.outcome)));
      break;
    }
    const Eigen::VectorXd &a = plain.stepper->trial().x, &b = tried.stepper->trial().x;
    plain.system->layout.minus(a.data(), b.data(), apart.data());
    const bool same = once.newton_iterations > 0
                          ? (apart.array().abs() <= iteration * weight.array()).all()
                          : a == b;
    if (!same)
      report.violations.push_back(fmt::format(
          "step {} at t = {:g} differs by {} after other attempts, {:.2g} in units of "
          "the tolerance",
          n + 1, t, difference(a, b), apart.cwiseQuotient(weight).cwiseAbs().maxCoeff()));
    plain.state.x = a;
    plain.stepper->commit(false);
    tried.stepper->commit(false);
    // Both go on from the same state, so that remainders of iterations do not add up.
    Archive save;
    plain.stepper->archive(save);
    Archive load(save.bytes());
    tried.stepper->archive(load);
  }
  return report;
}

ContractReport check_same_bits(const Problem& problem, Interval interval, const Options& options) {
  ContractReport report;
  const Solution a = solve(problem, interval, options), b = solve(problem, interval, options);
  if (a.times() != b.times() || a.data().states != b.data().states || a.end().y() != b.end().y())
    report.violations.push_back("two runs with the same input differ");
  if (a.statistics().accepted == 0) report.violations.push_back("no step was made");
  return report;
}

ContractReport check_resume(const Problem& problem, Interval interval, const Options& options) {
  ContractReport report;
  Options o = options;
  o.output = Output::none;
  Run whole(problem, o, interval.from);
  if (failed(report, whole, whole.begin(interval))) return report;
  std::vector<std::vector<char>> saved;
  while (whole.loop->t() != interval.to) {
    if (failed(report, whole, whole.loop->step(interval.to).status)) return report;
    Archive archive;
    whole.loop->archive(archive);
    saved.push_back(archive.bytes());
  }
  for (std::size_t k = 0; k < saved.size() && report.ok(); ++k) {
    Run rest(problem, o, interval.from);
    if (failed(report, rest, rest.begin(interval))) return report;
    Archive archive(saved[k]);
    rest.loop->archive(archive);
    rest.loop->run(interval.to);
    if (rest.loop->current().x != whole.loop->current().x)
      report.violations.push_back(
          fmt::format("resumed after step {} the run ends {} away", k + 1,
                      difference(rest.loop->current().x, whole.loop->current().x)));
  }
  return report;
}

ContractReport check_backward(const Problem& problem, Interval interval, const Options& options,
                              double tolerance) {
  ContractReport report;
  Options o = options;
  o.output = Output::none;
  Run there(problem, o, interval.from);
  if (failed(report, there, there.begin(interval))) return report;
  const Eigen::VectorXd start = there.state().x;
  if (failed(report, there, there.loop->run(interval.to))) return report;
  for (double& h : o.step_sequence) h = -h;
  o.start = StartStrategy::given;  // the end of a run has drifted off hidden constraints
  Run back(problem, o, interval.from);
  if (failed(report, back, back.loop->start(there.state(), interval.from))) return report;
  if (failed(report, back, back.loop->run(interval.from))) return report;
  const Eigen::VectorXd end = back.state().x;
  const System* model = back.loop->system().model_system();
  for (const LayoutBlock& b : (model ? *model : back.loop->system()).layout.blocks()) {
    if (b.cls == VariableClass::a) continue;  // rates are not variables of the model
    for (int i = b.point; i < b.point + b.space.points(); ++i)
      if (!(std::abs(end[i] - start[i]) <= tolerance * (1.0 + std::abs(start[i]))))
        report.violations.push_back(
            fmt::format("coordinate {} of class {} began at {:.10g} and came back to {:.10g}", i,
                        to_string(b.cls), start[i], end[i]));
  }
  return report;
}

ContractReport check_gives_up(const Problem& problem, Interval interval, const Options& options) {
  ContractReport report;
  Options o = options;
  bool over = false;
  o.trace = [&](const StepRecord& r) {
    if (over) report.violations.push_back(fmt::format("attempt {} follows a failure", r.number));
    over = over || r.outcome != "accepted";
  };
  const Solution s = solve(problem, interval, o);
  if (o.fixed_step <= 0.0 && o.step_sequence.empty())
    report.violations.push_back("the check needs fixed_step or step_sequence");
  if (s.ok()) report.violations.push_back("the run did not fail");
  if (!over || s.statistics().rejected != 1)
    report.violations.push_back(
        fmt::format("{} rejected attempts instead of 1", s.statistics().rejected));
  if (s.message().empty()) report.violations.push_back("the failure has no message");
  return report;
}

}  // namespace daedalus::testing
