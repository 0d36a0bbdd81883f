// SPDX-License-Identifier: BSD-3-Clause
#include "soak/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus::soak {

double StepSizes::at(double t) const {
  double smallest = std::numeric_limits<double>::infinity();
  auto next = std::lower_bound(steps_.begin(), steps_.end(), t,
                               [](const Step& s, double when) { return s.t + s.h < when; });
  for (int k = 0; k < 2 && next != steps_.end(); ++k, ++next)
    if (next->t <= t) smallest = std::min(smallest, std::abs(next->h));
  return smallest;
}

void Judgement::take(double value, const std::string& where) {
  if (!(value > error) && !std::isnan(value)) return;
  error = std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
  worst = where;
}

namespace {

// Of each variable in the formulation that the run chose.
std::vector<int> indices_of(const Variables& variables) {
  std::vector<int> all(static_cast<std::size_t>(variables.size()), 1);
  for (const Variables::Range& r : variables.ranges)
    std::fill_n(all.begin() + r.first, r.count, std::max(r.index, 1));
  return all;
}

}  // namespace

void judge_state(const Case& c, const StateView& state, double tolerance, const StepSizes& steps,
                 Judgement& judgement) {
  if (!c.solution) return;
  const double t = state.t();
  // Times found differ from the true ones by about the tolerance over the slope.
  const double near = 1e-9 + 1e2 * tolerance + 1e-3 * (c.t1 - c.t0);
  for (const double jump : c.jumps)
    if (std::abs(t - jump) < near) return;
  const Eigen::VectorXd exact = c.solution(t);
  // Auxiliary variables of a formulation stand behind those of the problem.
  Eigen::VectorXd error = state.y().head(exact.size()) - exact;
  Eigen::VectorXd size = exact.cwiseAbs();
  if (c.components.size() > 0) {
    error = c.components * error;
    size = (c.components * exact).cwiseAbs();
  }
  const std::vector<int> indices =
      c.component_index.empty() ? indices_of(state.variables()) : c.component_index;
  const double h = std::min(1.0, steps.at(t));
  const double grown = c.growth ? std::max(1.0, c.growth(t) / max_amplification) : 1.0;
  for (Eigen::Index i = 0; i < error.size(); ++i) {
    const int index = indices[static_cast<std::size_t>(i)];
    const double weight = std::pow(h, index - 1);
    judgement.take(std::abs(error[i]) * weight / (grown * tolerance * (1.0 + size[i])),
                   fmt::format("component {} (index {}) at t = {:.6g}", i, index, t));
  }
}

void judge_conserved(const Case& c, const StateView& start, const StateView& state,
                     double tolerance, Judgement& judgement) {
  for (const Conserved& q : c.conserved)
    judgement.take(std::abs(q.value(state) - q.value(start)) / (tolerance * q.scale),
                   fmt::format("{} at t = {:.6g}", q.name, state.t()));
}

void judge_events(const Case& c, const Solution& solution, double tolerance, Judgement& judgement) {
  for (const ExpectedEvents& expected : c.expected) {
    std::vector<double> found;
    for (const EventRecord& e : solution.events())
      if (e.name == expected.name) found.push_back(e.t);
    if (found.size() != expected.times.size()) {
      judgement.take(std::numeric_limits<double>::infinity(),
                     fmt::format("event '{}': {} found, {} there are", expected.name, found.size(),
                                 expected.times.size()));
      continue;
    }
    for (std::size_t i = 0; i < found.size(); ++i)
      judgement.take(std::abs(found[i] - expected.times[i]) * expected.slope / (2.0 * tolerance),
                     fmt::format("event '{}' at t = {:.9g}, found at {:.9g}", expected.name,
                                 expected.times[i], found[i]));
  }
}

}  // namespace daedalus::soak
