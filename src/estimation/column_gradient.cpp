// SPDX-License-Identifier: BSD-3-Clause
// Gradients from columns s = dx/dp of one run:
//   dJ/dp = psi_x s(T) + psi_p + integral (phi_x s + phi_p) + sums of (phi- - phi+) tau_p at
//   events.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <daedalus/solve.hpp>

#include "ensemble/run_task.hpp"
#include "estimation/gradient_request.hpp"
#include "integrate/solution_data.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

constexpr int points = 5;  // of Gauss, per piece of the dense output

// dJ/dp of one term at one state, added with a factor.
void add_term(const ScalarFunction& f, double factor, double t, const Eigen::VectorXd& y,
              const Eigen::MatrixXd& s, Eigen::Ref<Eigen::VectorXd> out) {
  Eigen::VectorXd by_state(s.rows());
  f.by_state(t, y, by_state);
  out += factor * (s.transpose() * by_state);
  f.add_by_parameters(factor, t, y, out);
}

Eigen::MatrixXd columns_at(const ColumnPiece& p, double t, Eigen::Index rows, Eigen::Index cols) {
  const double theta = (t - p.t0) / p.h;
  Eigen::VectorXd sum = p.c.col(p.c.cols() - 1);
  for (auto j = p.c.cols() - 2; j >= 0; --j) sum = theta * sum + p.c.col(j);
  return Eigen::Map<const Eigen::MatrixXd>(sum.data(), rows, cols);
}

void add_integral(const ScalarFunction& phi, const Solution& run, KeptHistory& history,
                  Eigen::Ref<Eigen::VectorXd> out) {
  const SensitivityData& s = run.data().sensitivities;
  const GaussRule rule = gauss_rule(points);
  Eigen::VectorXd y, rates;
  for (const ColumnPiece& p : s.pieces) {
    history.window(p.t0, p.t0 + p.h);
    for (int i = 0; i < rule.count; ++i) {
      const double t = p.t0 + rule.nodes[i] * p.h;
      history.at(t, y, rates);
      add_term(phi, rule.weights[i] * p.h, t, y, columns_at(p, t, s.start.rows(), s.start.cols()),
               out);
    }
  }
}

// An event moves with the parameters, and with it the place where phi jumps.
void add_events(const ScalarFunction& phi, const GradientRequest& r, const Solution& run,
                KeptHistory& history, Eigen::Ref<Eigen::VectorXd> out) {
  const auto acts = [&](const EventRecord& e) {
    return std::any_of(r.options.events.begin(), r.options.events.end(), [&](const Event& o) {
      return o.name == e.name && o.action == EventAction::handle;
    });
  };
  Eigen::VectorXd before, after, rates;
  for (const EventRecord& e : run.events()) {
    if (!acts(e) || e.time_derivative.size() != out.size()) continue;
    history.window(run.data().start_time, e.t);
    history.at(e.t, before, rates);
    if (e.t == run.end_time()) continue;
    history.window(e.t, run.end_time());
    history.at(e.t, after, rates);
    out += (phi.value(e.t, before) - phi.value(e.t, after)) * e.time_derivative;
  }
}

}  // namespace

FunctionalTerms::FunctionalTerms(const Functional& f, const GradientRequest& r, const Layout& model)
    : end(f.name, f.at_end, *r.problem, model, r.asked),
      along(f.name, f.along, *r.problem, model, r.asked),
      at(f.name, f.at, *r.problem, model, r.asked) {}

void FunctionalTerms::look(double t, const Eigen::VectorXd& y) {
  end.look(t, y);
  along.look(t, y);
  at.look(t, y);
}

double value_of(const Functional& f, const FunctionalTerms& terms, StateHistory& history) {
  double sum = 0.0;
  Eigen::VectorXd y, rates;
  history.whole();
  if (terms.end) sum += terms.end.value(history.ends().end_time, history.ends().end);
  if (terms.at)
    for (const double t : f.at_times) {
      history.at(t, y, rates);
      sum += terms.at.value(t, y);
    }
  if (!terms.along) return sum;
  Eigen::VectorXd w, slope;
  const Layout layout = history.layout();
  history.each_piece([&](const Interpolant& p) {
    const GaussRule rule = gauss_rule(std::clamp((p.degree + 3) / 2, 3, points));
    for (int i = 0; i < rule.count; ++i) {
      const double t = p.t0 + rule.nodes[i] * p.h;
      evaluate(layout, p, t, w, slope, y, rates);
      sum += rule.weights[i] * p.h * terms.along.value(t, y);
    }
  });
  return sum;
}

Gradient::Data gradient_by_columns(const GradientRequest& r) {
  Gradient::Data data;
  data.way = GradientWay::forward;
  const auto begin = std::chrono::steady_clock::now();
  Options options = r.options;
  options.output = Output::dense;
  const Solution run = solve(*r.problem, r.interval, options);
  lacks_no_memory(run);
  data.statistics.forward_steps = run.statistics().accepted;
  data.status = run.status();
  data.message = run.message();
  data.warnings = run.warnings();
  data.columns = run.sensitivities().columns;
  const int count = static_cast<int>(data.columns.size());
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  data.values.assign(r.functionals.size(), nan);
  data.derivatives.setConstant(static_cast<int>(r.functionals.size()), count, nan);
  if (!run.ok()) return data;
  KeptHistory history(run);
  for (std::size_t k = 0; k < r.functionals.size(); ++k) {
    const Functional& f = r.functionals[k];
    FunctionalTerms terms(f, r, history.layout());
    terms.look(run.data().start_time, run.start().y());
    data.values[k] = value_of(f, terms, history);
    Eigen::VectorXd d = Eigen::VectorXd::Zero(count);
    if (terms.end)
      add_term(terms.end, 1.0, run.end_time(), run.end().y(),
               run.sensitivity(run.end_time()).matrix(), d);
    if (terms.at)
      for (const double t : f.at_times)
        add_term(terms.at, 1.0, t, run.at(t).y(), run.sensitivity(t).matrix(), d);
    if (terms.along) {
      add_integral(terms.along, run, history, d);
      add_events(terms.along, r, run, history, d);
    }
    data.derivatives.row(static_cast<int>(k)) = d;
  }
  data.statistics.forward_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return data;
}

}  // namespace daedalus
