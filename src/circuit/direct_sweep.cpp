// SPDX-License-Identifier: BSD-3-Clause
// .dc: operating points along values of sources or parameters, each from its neighbour.
#include <fmt/format.h>

#include <cmath>

#include "circuit/circuit_data.hpp"

namespace daedalus {
namespace {

using namespace circuit;  // NOLINT

// A change of one step that is this many times larger than the one before it is a jump to another
// branch: a fold lies between.
constexpr double jump_ratio = 50.0;
constexpr double noticeable_jump = 0.1;  // V

class Sweeper {
 public:
  explicit Sweeper(Circuit::Data& data)
      : data_(data),
        net_(data.assembly->network),
        eq_(*data.equations),
        solver_(eq_, net_, start_conditions(*data.assembly, data.netlist->files)) {}

  DirectSweep run() {
    const auto& request = data_.assembly->requests.sweep;
    result_.names = net_.unknown_names;
    for (const SweepRequest& s : request) {
      result_.swept_names.push_back(s.source);
      const int branch = net_.find_branch(s.source);
      const bool source = branch >= 0 && s.source[0] == 'v';
      const int number = source ? net_.row_of_branch(branch) : net_.parameter_number(s.source);
      is_source_.push_back(source);
      if (number < 0)
        throw InvalidArgument(
            fmt::format(".dc: '{}' is neither a voltage source, a current source with a plain "
                        "value, nor a parameter",
                        s.source));
      numbers_.push_back(number);
    }
    const std::vector<double> saved = eq_.parameters;
    x_ = data_.operating_point().x;
    eq_.modes = data_.operating_point().modes;
    result_.complete = true;
    // The second source is the outer loop.
    if (request.size() > 1) {
      for (const double outer : values(request[1])) {
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
  static std::vector<double> values(const SweepRequest& s) {
    std::vector<double> list;
    const auto count = static_cast<long>(std::floor((s.to - s.from) / s.step + 1e-9));
    for (long k = 0; k <= count; ++k) list.push_back(s.from + static_cast<double>(k) * s.step);
    return list;
  }

  void set(std::size_t k, double value) {
    if (!is_source_[k]) {
      eq_.parameters[static_cast<std::size_t>(numbers_[k])] = value;
      return;
    }
    for (auto& [row, replaced] : solver_.replaced)
      if (row == numbers_[k]) {
        replaced = -value;
        return;
      }
    solver_.replaced.emplace_back(numbers_[k], -value);
  }

  bool solve_at(double value, std::vector<double>& x) {
    set(0, value);
    return solver_.solve(x, 100, StaticSolver::Damping::junctions) ||
           solver_.solve(x, 200, StaticSolver::Damping::voltages);
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
    double before = std::nan(""), change_before = -1.0;
    for (const double value : values(s)) {
      const std::vector<double> old = x_;
      const bool first = std::isnan(before);
      bool good = first ? solve_at(value, x_) : reach(before, value);
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
      DirectSweep::Point point;
      point.swept = {value};
      point.swept.insert(point.swept.end(), outer.begin(), outer.end());
      point.values.assign(x_.begin(), x_.begin() + net_.unknowns());
      result_.points.push_back(std::move(point));
    }
  }

  Circuit::Data& data_;
  Network& net_;
  StaticEquations& eq_;
  StaticSolver solver_;
  std::vector<int> numbers_;  // parameters, or rows of sources
  std::vector<bool> is_source_;
  std::vector<double> x_;
  DirectSweep result_;
};

}  // namespace

DirectSweep Circuit::direct_sweep() const {
  if (data_->assembly->requests.sweep.empty())
    throw InvalidArgument("a sweep needs a line .dc in the netlist");
  return Sweeper(*data_).run();
}

}  // namespace daedalus
