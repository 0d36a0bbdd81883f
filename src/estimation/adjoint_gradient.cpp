// SPDX-License-Identifier: BSD-3-Clause
// Gradients by runs backwards:
//   dJ/dp = psi_p + integral (phi_p - l^T F_p) dt + l^T E s at the start + what the ends give.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <daedalus/integrator.hpp>
#include <daedalus/method.hpp>
#include <daedalus/solve.hpp>

#include "estimation/backward_problem.hpp"
#include "estimation/gradient_request.hpp"
#include "estimation/replayed_history.hpp"
#include "estimation/start_gradient.hpp"
#include "estimation/terminal.hpp"
#include "formulation/lower.hpp"
#include "integrate/solution_data.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int hessenberg_index(const Problem& problem) {
  const auto* p = std::get_if<SemiExplicitProblem>(&problem);
  if (!p) return 0;
  if (!p->hessenberg_blocks.empty()) return static_cast<int>(p->hessenberg_blocks.size()) + 1;
  return p->index;
}

// One functional: its ends, its run backwards, its integrals.
class Backwards {
 public:
  Backwards(const GradientRequest& request, bool multistep, StateHistory& states, AlongRun& along,
            GradientStatistics& statistics)
      : r_(request),
        multistep_(multistep),
        run_(states.ends()),
        states_(states),
        along_(along),
        statistics_(statistics) {}

  Eigen::VectorXd gradient(const Functional& f, const FunctionalTerms& terms);

 private:
  std::vector<double> nodes(const Functional& f) const;
  Eigen::VectorXd slopes(const Functional& f, const FunctionalTerms& terms, double t);
  Terminal end_at(double t, const Eigen::VectorXd& psi_x);
  void integrate(double from, double to, const FunctionalTerms& terms, Eigen::VectorXd& l);
  void add_step(const Integrator& run, double from, double to, const FunctionalTerms& terms);
  void add_part(const Integrator& run, double from, double to, const FunctionalTerms& terms);
  Options backward_options(double size) const;
  void window(double from, double to) { states_.window(to, from); }

  const GradientRequest& r_;
  bool multistep_;  // the run forwards
  const StateHistory::Ends& run_;
  StateHistory& states_;
  AlongRun& along_;
  GradientStatistics& statistics_;
  std::unique_ptr<BackwardProblem> problem_;
  Eigen::VectorXd total_;  // by everything asked for
  double size_ = 0.0;      // of the adjoint variables
};

// Where the adjoint variables start again, from the end to the start of the run.
std::vector<double> Backwards::nodes(const Functional& f) const {
  const double sign = run_.end_time >= run_.start_time ? 1.0 : -1.0;
  std::vector<double> times = f.at_times;
  const auto inside = [&](const std::vector<double>& list) {
    for (const double t : list)
      if (sign * (t - run_.start_time) > 0.0 && sign * (run_.end_time - t) > 0.0)
        times.push_back(t);
  };
  inside(r_.options.break_times);
  std::visit([&](const auto& p) { inside(p.break_times); }, *r_.problem);
  times.push_back(run_.end_time);
  times.push_back(run_.start_time);
  std::sort(times.begin(), times.end(), [&](double a, double b) { return sign * a > sign * b; });
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

// psi_x at a node, and psi_p added to the gradient.
Eigen::VectorXd Backwards::slopes(const Functional& f, const FunctionalTerms& terms, double t) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(along_.size()), one = sum;
  const Eigen::VectorXd y = along_.point(t).y;
  const auto add = [&](const ScalarFunction& term) {
    term.by_state(t, y, one);
    sum += one;
    term.add_by_parameters(1.0, t, y, total_);
  };
  if (terms.end && t == run_.end_time) add(terms.end);
  for (const double time : f.at_times)
    if (time == t) add(terms.at);
  return sum;
}

Terminal Backwards::end_at(double t, const Eigen::VectorXd& psi_x) {
  if (hessenberg_index(*r_.problem) != 2)
    return terminal_of_index_1(along_, along_.point(t), psi_x);
  const double h = std::abs(run_.last_step);
  const double step = 1e-3 * std::min(h, std::abs(run_.end_time - run_.start_time));
  return terminal_of_index_2(along_, along_.point(t), psi_x, step);
}

Options Backwards::backward_options(double size) const {
  Options o;
  // Whatever ran forwards: the error of its interpolant is tested as that of its steps is, and the
  // integrals are made of it.
  o.method = "bdf";
  o.rtol = r_.options.rtol;
  // In the rows of index 1 the adjoint variables of accelerations and multipliers tell the size,
  // and those of positions and velocities are smaller.
  const double share = std::holds_alternative<MultibodyProblem>(*r_.problem) ? 0.1 : 1.0;
  o.atol = std::max(r_.options.rtol * size * share, 1e-300);
  o.output = Output::none;
  o.start = StartStrategy::given;
  o.linear_algebra = r_.options.linear_algebra == LinearAlgebra::sparse ||
                             r_.options.linear_algebra == LinearAlgebra::dense
                         ? r_.options.linear_algebra
                         : LinearAlgebra::automatic;
  o.max_steps = r_.options.max_steps;
  o.cancel = r_.options.cancel;
  return o;
}

// A step backwards may be long where the adjoint variables are smooth, whatever the states do. With
// x = h lambda, a multistep formula of order 5 has x^6 = 13 rtol in a step, and two points on two
// of its steps x^5 / 135: less than rtol. Steps of other methods are longer by far.
void Backwards::add_step(const Integrator& run, double from, double to,
                         const FunctionalTerms& terms) {
  for (const double end : states_.parts(from, to, multistep_ ? 2 : 1)) {
    add_part(run, from, end, terms);
    from = end;
  }
}

void Backwards::add_part(const Integrator& run, double from, double to,
                         const FunctionalTerms& terms) {
  const GaussRule rule = gauss_rule(multistep_ ? 2 : r_.options.rtol < 1e-7 ? 4 : 3);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(total_.size());
  LinearPoint p;
  for (int i = 0; i < rule.count; ++i) {
    const double t = from + rule.nodes[i] * (to - from), w = rule.weights[i] * (to - from);
    along_.place(t, p);
    const Eigen::VectorXd l = problem_->adjoint_variables(run.interpolate(t).y());
    along_.add_products(w, p, l, sum);
    terms.along.add_by_parameters(-w, t, p.y, sum);
  }
  total_ += sum;  // the integral runs backwards, which turns the sign
}

void Backwards::integrate(double from, double to, const FunctionalTerms& terms,
                          Eigen::VectorXd& l) {
  const double largest_phi = along_.point(from).by_state.cwiseAbs().maxCoeff();
  size_ = std::max({size_, l.cwiseAbs().maxCoeff(), largest_phi * std::abs(to - from)});
  Integrator run(problem_->with_start(along_.point(from), l), backward_options(size_));
  Status status = run.initialize(from, to);
  double t = from;
  while (status == Status::success && t != to) {
    const StepInfo step = run.step(to);
    status = step.status;
    if (status != Status::success) break;
    ++statistics_.backward_steps;
    add_step(run, t, step.t, terms);
    t = step.t;
  }
  if (along_.trouble) std::rethrow_exception(std::exchange(along_.trouble, nullptr));
  if (status != Status::success)
    throw GradientFailure(fmt::format("The run backwards ended at t = {:.6g}: {}", run.t(),
                                      run.solution().message()));
  l = problem_->adjoint_variables(run.state().y());
}

Eigen::VectorXd Backwards::gradient(const Functional& f, const FunctionalTerms& terms) {
  total_.setZero(r_.asked.base());
  size_ = 0.0;
  along_.follow(terms.along ? &terms.along : nullptr);
  const std::vector<double> times = nodes(f);
  Eigen::VectorXd L = Eigen::VectorXd::Zero(along_.size()), l = L;
  const int count = static_cast<int>(times.size());
  for (int i = 0; i < count; ++i) {
    const double t = times[at(i)], next = times[at(std::min(i + 1, count - 1))];
    if (i + 1 < count) window(t, next);
    along_.forget();  // states on the other side of a node
    const Eigen::VectorXd psi_x = slopes(f, terms, t);
    const bool last = i + 1 == count;
    if (!last || (psi_x.array() != 0.0).any()) {
      const Terminal end = end_at(t, L + psi_x);
      total_.head(end.by_parameters.size()) += end.by_parameters;
      l = end.l;
    }
    if (!problem_)
      problem_ = std::make_unique<BackwardProblem>(along_, along_.point(t),
                                                   hessenberg_index(*r_.problem) == 2 ? 2 : 1);
    if (!last) integrate(t, next, terms, l);
    L = along_.times_e_transposed(along_.point(last ? t : next), l);
  }
  add_start(r_, along_, along_.point(times.back()), L, total_);
  return total_;
}

std::vector<double> samples_of(const StateHistory::Ends& run) {
  constexpr int count = 9;  // a choice: the ends and seven times between them
  std::vector<double> times;
  for (int i = 0; i < count; ++i)
    times.push_back(run.start_time + (run.end_time - run.start_time) * i / (count - 1.0));
  return times;
}

void run_backwards(const GradientRequest& r, ReplayedHistory& states, Gradient::Data& data) {
  const Method* const method = find_method(states.run().choice().method);
  const bool multistep = method && method->propagation == Propagation::multistep;
  states.whole();
  AlongRun along(r, states, samples_of(states.ends()));
  data.columns = described(r.asked, along.equations().differentiable());
  if (!along.constant_e() && !along.structured())
    throw GradientFailure(
        "The matrix by x' changes along the run and has a kernel that is no set of variables: such "
        "a problem has no adjoint run here; use the way `forward`.");
  if (along.constant_e() && !along.structured() && along.size() > 400)
    throw GradientFailure(
        "The matrix by x' has a kernel that is no set of variables, which takes dense matrices, "
        "for up to 400 variables; use the way `forward`.");
  for (std::size_t k = 0; k < r.functionals.size(); ++k) {
    FunctionalTerms terms(r.functionals[k], r, states.layout());
    terms.look(states.ends().start_time, states.ends().start);
    data.values[k] = value_of(r.functionals[k], terms, states);
    Backwards backwards(r, multistep, states, along, data.statistics);
    data.derivatives.row(static_cast<int>(k)) = backwards.gradient(r.functionals[k], terms);
    states.whole();
  }
  data.statistics.linearisations += along.linearisations();
  data.statistics.parameter_products += along.products();
}

// Null: it failed, and the data say how.
std::unique_ptr<ReplayedHistory> run_forwards(const GradientRequest& r, Gradient::Data& data) {
  Options options = r.options;
  options.sensitivities = {};
  auto history = std::make_unique<ReplayedHistory>(r.problem, r.interval, options, r.memory);
  const Solution& run = history->run();
  data.status = run.status();
  data.message = run.message();
  data.warnings = run.warnings();
  data.statistics.forward_steps = run.statistics().accepted;
  data.statistics.memory = history->max_bytes();
  return run.ok() ? std::move(history) : nullptr;
}

}  // namespace

std::string refusal(const GradientRequest& r) {
  for (const Event& e : r.options.events)
    if (e.action != EventAction::record)
      return fmt::format(
          "the event '{}' acts on the run, and runs backwards do not go through events; use the "
          "way `forward`",
          e.name);
  if (r.options.fixed_step > 0.0 || !r.options.step_sequence.empty())
    return "a run with given steps has no error control backwards; use the way `forward`";
  if (std::holds_alternative<MultibodyProblem>(*r.problem)) return {};
  const int hessenberg = hessenberg_index(*r.problem);
  if (hessenberg == 2 || index_of(*r.problem) <= 1) return {};
  return fmt::format(
      "a {} problem of index {} has no adjoint run here, only index 0 and 1, the Hessenberg form "
      "of "
      "index 2 and multibody problems have; use the way `forward`",
      form_of(*r.problem), index_of(*r.problem));
}

Gradient::Data gradient_by_adjoint(const GradientRequest& r) {
  constexpr int most_structures = 5;  // a choice: so often a changed structure starts again
  Gradient::Data data;
  data.way = GradientWay::adjoint;
  auto begin = std::chrono::steady_clock::now();
  const std::unique_ptr<ReplayedHistory> states = run_forwards(r, data);
  data.statistics.forward_seconds = seconds_since(begin);
  data.columns = described(r.asked, true);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  data.values.assign(r.functionals.size(), nan);
  data.derivatives.setConstant(static_cast<int>(r.functionals.size()), r.asked.base(), nan);
  if (!states) return data;
  begin = std::chrono::steady_clock::now();
  for (int i = 0; i < most_structures; ++i) try {
      run_backwards(r, *states, data);
      data.statistics.backward_seconds = seconds_since(begin);
      data.statistics.recomputed_steps = states->recomputed_steps();
      data.statistics.memory = states->max_bytes();
      return data;
    } catch (const StructureChanged&) {
    }
  throw GradientFailure("The structure of the equations keeps changing along the run.");
}

}  // namespace daedalus
