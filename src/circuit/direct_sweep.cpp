// SPDX-License-Identifier: BSD-3-Clause
// .dc: operating points along values of sources or parameters, each from its neighbour.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "circuit/circuit_data.hpp"

namespace daedalus {
namespace {

using namespace circuit;  // NOLINT

// A change of one step that is this many times larger than the one before it is a jump to another
// branch: a fold lies between.
constexpr double jump_ratio = 50.0;
constexpr double noticeable_jump = 0.1;  // V

std::vector<double> sweep_values(const SweepRequest& s) {
  std::vector<double> list;
  const auto count = static_cast<long>(std::floor((s.to - s.from) / s.step + 1e-9));
  for (long k = 0; k <= count; ++k) list.push_back(s.from + static_cast<double>(k) * s.step);
  return list;
}

constexpr const char* cancelled_message = "The sweep was cancelled.";

using Cancel = std::function<bool()>;

// True, and noted: the sweep is to end.
bool ends(const Cancel& cancel, DirectSweep& result) {
  if (!cancel || !cancel()) return false;
  result.complete = false;
  result.message = cancelled_message;
  return true;
}

class Sweeper {
 public:
  Sweeper(Circuit::Data& data, const Cancel& cancel)
      : cancel_(cancel),
        data_(data),
        net_(data.assembly->network),
        eq_(*data.equations),
        solver_(eq_, net_, conditions(data)) {}

  DirectSweep run() {
    const auto& request = data_.assembly->requests.sweep;
    result_.names = net_.unknown_names;
    for (const SweepRequest& s : request) {
      result_.swept_names.push_back(s.source);
      targets_.push_back(target(s));
    }
    start_values_ = eq_.source_values(net_);
    const std::vector<double> saved = eq_.parameters;
    x_ = data_.direct_point().x;
    eq_.modes = data_.direct_point().modes;
    result_.complete = true;
    // The second source is the outer loop.
    if (request.size() > 1) {
      for (const double outer : sweep_values(request[1])) {
        set(1, outer);
        inner(request[0], {outer});
      }
    } else if (!request.empty()) {
      inner(request[0], {});
    }
    eq_.parameters = saved;
    return std::move(result_);
  }

 private:
  static Conditions conditions(Circuit::Data& data) {
    Conditions c = start_conditions(*data.assembly, data.netlist->files, false);
    const std::vector<double> at_start = data.equations->source_values(data.assembly->network);
    const auto& sources = data.assembly->network.sources;
    for (std::size_t k = 0; k < sources.size(); ++k)
      if (sources[k].direct) sources[k].change(*sources[k].direct - at_start[k], c.added);
    return c;
  }

  // A source by its name, or else a parameter; -1: the other one.
  struct Target {
    int source = -1, parameter = -1;
    double value = 0.0;
  };
  Target target(const SweepRequest& s) const {
    for (std::size_t k = 0; k < net_.sources.size(); ++k)
      if (net_.sources[k].name == s.source) return {static_cast<int>(k), -1, 0.0};
    const int parameter = net_.parameter_number(s.source);
    if (parameter < 0)
      throw InvalidArgument(
          fmt::format(".dc: '{}' is no voltage source, current source or parameter", s.source));
    return {-1, parameter, 0.0};
  }

  void set(std::size_t k, double value) {
    targets_[k].value = value;
    if (targets_[k].parameter >= 0)
      eq_.parameters[static_cast<std::size_t>(targets_[k].parameter)] = value;
    solver_.added.clear();
    for (const Target& t : targets_)
      if (t.source >= 0) {
        const auto number = static_cast<std::size_t>(t.source);
        const IndependentSource& s = net_.sources[number];
        // What holds besides has its DC value in place of the shape already.
        s.change(t.value - s.direct.value_or(start_values_[number]), solver_.added);
      }
  }

  bool solve_at(double value, std::vector<double>& x) {
    set(0, value);
    return solver_.solve(x, 100, StaticSolver::Damping::junctions) ||
           solver_.solve(x, 200, StaticSolver::Damping::voltages);
  }

  // From the secant through the last two points; far off it the neighbour is the better start.
  bool predicted(double value) {
    if (previous_.size() != x_.size()) return false;
    std::vector<double> trial = x_;
    for (std::size_t k = 0; k < trial.size(); ++k) trial[k] += x_[k] - previous_[k];
    set(0, value);
    if (!solver_.solve(trial, 10, StaticSolver::Damping::junctions)) return false;
    double off = 0.0, step = 0.0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(net_.nodes()); ++k) {
      off = std::max(off, std::fabs(trial[k] - 2.0 * x_[k] + previous_[k]));
      step = std::max(step, std::fabs(x_[k] - previous_[k]));
    }
    if (off > std::max(2.0 * step, noticeable_jump)) return false;
    x_ = std::move(trial);
    return true;
  }

  // From `from` to `to` with halved increments; false: not even the smallest one succeeds.
  bool reach(double from, double to) {
    double done = from, part = 1.0;
    while (done != to) {
      const double next = part >= 1.0 ? to : done + part * (to - done);
      std::vector<double> trial = x_;
      if (solve_at(next, trial)) {
        x_ = std::move(trial);
        done = next;
        part = std::min(1.0, 2.0 * part);
      } else if ((part *= 0.5) < 1.0 / 256.0) {
        return false;
      }
    }
    return true;
  }

  void inner(const SweepRequest& s, const std::vector<double>& outer) {
    previous_.clear();
    double before = std::nan(""), change_before = -1.0;
    for (const double value : sweep_values(s)) {
      if (ends(cancel_, result_)) return;
      const std::vector<double> old = x_;
      const bool first = std::isnan(before);
      bool good = first ? solve_at(value, x_) : predicted(value) || reach(before, value);
      if (!good) {
        x_.assign(x_.size(), 0.0);
        good = solver_.solve(x_, 400, StaticSolver::Damping::voltages);
      }
      if (!good) {
        result_.complete = false;
        result_.message = fmt::format("No solution was found at {} = {:g}.", s.source, value);
        return;
      }
      double change = 0.0;
      for (int k = 0; k < net_.nodes(); ++k)
        change = std::max(
            change, std::fabs(x_[static_cast<std::size_t>(k)] - old[static_cast<std::size_t>(k)]));
      if (!first && change_before >= 0.0 && change > noticeable_jump &&
          change > jump_ratio * std::max(change_before, std::fabs(s.step)))
        result_.jumps.push_back(
            fmt::format("Between {} = {:g} and {:g} the solution jumps.", s.source, before, value));
      if (!first) change_before = change;
      before = value;
      previous_ = first ? std::vector<double>{} : old;
      DirectSweep::Point point;
      point.swept = {value};
      point.swept.insert(point.swept.end(), outer.begin(), outer.end());
      point.values.assign(x_.begin(), x_.begin() + net_.unknowns());
      result_.points.push_back(std::move(point));
    }
  }

  const Cancel& cancel_;
  Circuit::Data& data_;
  Network& net_;
  StaticEquations& eq_;
  StaticSolver solver_;
  std::vector<Target> targets_;
  std::vector<double> start_values_;  // of all sources
  std::vector<double> x_, previous_;
  DirectSweep result_;
};

}  // namespace

namespace {

// Temperatures are numbers inside the formulas of devices: the circuit is put together for each.
DirectSweep over_temperatures(Circuit::Data& data, const std::vector<SweepRequest>& request,
                              const Cancel& cancel) {
  if (request.size() > 1)
    throw InvalidArgument(".dc: temp is swept alone; use 'daedalus sweep' for further parameters");
  DirectSweep result;
  result.swept_names = {"temp"};
  result.names = data.assembly->network.unknown_names;
  result.complete = true;
  for (const double celsius : sweep_values(request[0])) {
    if (ends(cancel, result)) break;
    const auto at = read_circuit_data(data.netlist, data.file, {{"temp", celsius}});
    const StartPoint& point = at->direct_point();
    if (!point.report.found) {
      result.complete = false;
      result.message = fmt::format("No solution was found at temp = {:g}.", celsius);
      break;
    }
    result.points.push_back({{celsius}, point.x});
  }
  return result;
}

}  // namespace

DirectSweep Circuit::direct_sweep(const std::function<bool()>& cancel) const {
  const auto& request = data_->assembly->requests.sweep;
  if (request.empty()) throw InvalidArgument("a sweep needs a line .dc in the netlist");
  for (const SweepRequest& s : request)
    if (s.source == "temp" && data_->assembly->network.parameter_number("temp") < 0)
      return over_temperatures(*data_, request, cancel);
  return Sweeper(*data_, cancel).run();
}

}  // namespace daedalus
