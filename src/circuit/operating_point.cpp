// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/operating_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/types.hpp>

namespace daedalus::circuit {
namespace {

// Switches that still change after this drive each other.
constexpr int max_switch_changes = 10;
constexpr double first_gmin = 1e-2;       // S: every junction is a resistor beside it
constexpr double smallest_factor = 1.01;  // of gmin from one solution to the next
constexpr double smallest_lambda = 1e-5;  // increment of the sources
// F at every node: time constants of nanoseconds beside usual resistances.
constexpr double pseudo_capacitance = 1e-12;

class PointSearch {
 public:
  PointSearch(StaticEquations& eq, const Network& net, const Conditions& conditions,
              const OperatingPointOptions& options)
      : eq_(eq),
        net_(net),
        options_(options),
        solver_(eq, net, conditions),
        gmin_(eq.gmin_number() >= 0 ? eq.parameters[static_cast<std::size_t>(eq.gmin_number())]
                                    : 0.0) {}

  bool run(std::vector<double>& x, const std::vector<double>& start, OperatingPoint& report) {
    struct Way {
      const char* name;
      bool (PointSearch::*go)(std::vector<double>&);
    };
    const Way ways[] = {{"newton", &PointSearch::newton},
                        {"gmin stepping", &PointSearch::gmin_stepping},
                        {"source stepping", &PointSearch::source_stepping},
                        {"homotopy", &PointSearch::homotopy},
                        {"pseudo-transient", &PointSearch::pseudo_transient}};
    for (const Way& way : ways) {
      if (std::find(options_.skip.begin(), options_.skip.end(), way.name) != options_.skip.end())
        continue;
      x = start;
      const int before = solver_.iterations;
      const bool found = (this->*way.go)(x);
      restore();
      report.attempts.push_back(
          {way.name, solver_.iterations - before, found ? "converged" : solver_.failure});
      report.iterations = solver_.iterations;
      if (found) {
        report.method = way.name;
        return true;
      }
    }
    const int row = solver_.worst_row();
    report.message = fmt::format("No operating point was found; the largest imbalance is in '{}'.",
                                 net_.row_names[static_cast<std::size_t>(row)]);
    for (const OperatingPoint::Attempt& a : report.attempts)
      report.message += fmt::format(" {}: {}.", a.method, a.reached);
    return false;
  }

 private:
  using Damping = StaticSolver::Damping;

  void set_gmin(double g) {
    if (eq_.gmin_number() >= 0) eq_.parameters[static_cast<std::size_t>(eq_.gmin_number())] = g;
  }
  void restore() {
    set_gmin(gmin_);
    solver_.shunt = solver_.anchor = 0.0;
    solver_.factor = 1.0;
  }
  bool either(std::vector<double>& x) {
    std::vector<double> trial = x;
    if (solver_.solve(trial, options_.max_iterations, Damping::junctions)) {
      x = trial;
      return true;
    }
    return solver_.solve(x, 2 * options_.max_iterations, Damping::voltages);
  }
  bool newton(std::vector<double>& x) { return either(x); }

  bool gmin_stepping(std::vector<double>& x) {
    double g = first_gmin, factor = 10.0;
    solver_.shunt = g;
    set_gmin(std::max(gmin_, g));
    if (!either(x)) return false;
    while (g > gmin_ && g > 1e-14) {
      const double next = g / factor;
      solver_.shunt = next;
      set_gmin(std::max(gmin_, next));
      std::vector<double> trial = x;
      if (solver_.solve(trial, options_.max_iterations, Damping::voltages)) {
        x = trial;
        g = next;
        factor = std::min(factor * factor, 100.0);
      } else {
        factor = std::sqrt(factor);
        if (factor < smallest_factor) {
          solver_.failure = fmt::format("stuck at gmin = {:.2g}", g);
          return false;
        }
      }
    }
    restore();
    return either(x);
  }

  bool source_stepping(std::vector<double>& x) {
    double done = 0.0, increment = 0.1;
    solver_.factor = 0.0;
    if (!either(x)) return false;
    for (int step = 0; done < 1.0; ++step) {
      if (step >= options_.max_source_steps) {
        solver_.failure = fmt::format("at {:.4g} of the sources after {} steps", done, step);
        return false;
      }
      solver_.factor = std::min(1.0, done + increment);
      std::vector<double> trial = x;
      if (solver_.solve(trial, options_.max_iterations, Damping::voltages)) {
        x = trial;
        done = solver_.factor;
        increment *= 2.0;
      } else {
        increment *= 0.25;
        if (increment < smallest_lambda) {
          solver_.failure = fmt::format("stuck at {:.4g} of the sources", done);
          return false;
        }
      }
    }
    return true;
  }

  bool homotopy(std::vector<double>& x) {
    double reached = 0.0;
    if (!solver_.follow_path(x, reached)) {
      solver_.failure = fmt::format("stuck at lambda = {:.4g}", reached);
      return false;
    }
    return solver_.solve(x, options_.max_iterations, Damping::voltages);
  }

  // Implicit Euler with a small capacitance at every node and growing steps.
  bool pseudo_transient(std::vector<double>& x) {
    double h = 1e-12;
    for (int k = 0; k < 500; ++k) {
      solver_.anchor = pseudo_capacitance / h;
      solver_.anchored = x;
      std::vector<double> trial = x;
      if (!solver_.solve(trial, 50, Damping::voltages)) {
        h *= 0.1;
        if (h < 1e-24) return false;
        continue;
      }
      x = trial;
      h *= 3.0;
      if (h > 1e6) break;
    }
    restore();
    return either(x);
  }

  StaticEquations& eq_;
  const Network& net_;
  const OperatingPointOptions& options_;
  StaticSolver solver_;
  double gmin_;
};

// Guesses of .nodeset: held in a first solution, then let go.
std::vector<double> guessed(StaticEquations& eq, const Network& net, const Conditions& conditions,
                            const std::vector<NodeGuess>& guesses) {
  std::vector<double> x(static_cast<std::size_t>(net.unknowns()), 0.0);
  if (guesses.empty()) return x;
  Conditions held = conditions;
  for (const NodeGuess& g : guesses) held.clamps.push_back({g.node, g.value});
  StaticSolver solver(eq, net, held);
  std::vector<double> trial = x;
  if (solver.solve(trial, 200, StaticSolver::Damping::voltages)) {
    trial.resize(x.size());
    return trial;
  }
  for (const NodeGuess& g : guesses) x[static_cast<std::size_t>(g.node)] = g.value;
  return x;
}

// Being on or off follows from the controls, and so do comparisons; true: something changed.
bool settle_modes(StaticEquations& eq, const Network& net, std::vector<char>& first,
                  std::string& flips) {
  bool changed = false;
  for (std::size_t k = 0; k < net.relations.all.size(); ++k) {
    const graph::Relation& r = net.relations.all[k];
    double& mode = eq.modes[static_cast<std::size_t>(r.mode)];
    const double next = graph::outcome(r.op, eq.control(net.switches.size() + k)) ? 1.0 : 0.0;
    if (next == mode) continue;
    changed = true;
    flips = fmt::format("'{}'", r.text);
    mode = next;
  }
  for (std::size_t k = 0; k < net.switches.size(); ++k) {
    const Switch& s = net.switches[k];
    double& mode = eq.modes[static_cast<std::size_t>(s.on.graph()->number(s.on.node()))];
    const double control = eq.control(k);
    double next = first[k] ? (s.starts_on ? 1.0 : 0.0) : mode;
    if (control > s.rises_at) next = 1.0;
    if (control < s.falls_at) next = 0.0;
    first[k] = 0;
    if (next != mode) {
      changed = true;
      flips = s.name;
    }
    mode = next;
  }
  return changed;
}

}  // namespace

StartPoint find_operating_point(StaticEquations& eq, const Network& net,
                                const Conditions& conditions, const std::vector<NodeGuess>& guesses,
                                const OperatingPointOptions& options) {
  StartPoint result;
  OperatingPoint& report = result.report;
  const std::vector<double> start = guessed(eq, net, conditions, guesses);
  PointSearch search(eq, net, conditions, options);
  std::vector<char> first(net.switches.size(), 1);
  for (int changes = 0;; ++changes) {
    report.attempts.clear();
    report.found = search.run(result.x, start, report);
    if (!report.found || eq.modes.empty()) break;
    std::string flips;
    if (!settle_modes(eq, net, first, flips)) break;
    if (changes > max_switch_changes) {
      report.found = false;
      report.message = fmt::format(
          "{} switches itself: its control depends on its state without delay; add a capacitor.",
          flips);
      break;
    }
  }
  result.x.resize(static_cast<std::size_t>(net.unknowns()));
  result.modes = eq.modes;
  for (int k = 0; k < net.unknowns(); ++k)
    report.values.emplace_back(net.unknown_names[static_cast<std::size_t>(k)],
                               result.x[static_cast<std::size_t>(k)]);
  if (report.found && report.method != "newton")
    report.message =
        fmt::format("Found by {}; Newton's method alone did not converge.", report.method);
  return result;
}

}  // namespace daedalus::circuit

namespace daedalus {

double OperatingPoint::operator[](const std::string& name) const {
  for (const auto& [own, value] : values)
    if (own == name) return value;
  throw InvalidArgument(fmt::format("the operating point has no variable '{}'", name));
}

}  // namespace daedalus
