// SPDX-License-Identifier: BSD-3-Clause
#include "graph_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <catalogue/catalogue.hpp>

#include "fastest.hpp"
#include "formulation/callables.hpp"
#include "function/colouring.hpp"
#include "graph/jacobian.hpp"
#include "graph/lower.hpp"
#include "graph/machine_code.hpp"
#include "graph/roll.hpp"

namespace daedalus::bench {
namespace {

using graph::MachineCode;
using graph::Program;
using graph::Workspace;

// Jacobians by all vectors of a callable side by side, as one list of entries.
struct Joint {
  graph::Outputs entries;
  SparsePattern pattern;
};

Joint joint_jacobian(RecordedCallable& c, const graph::Outputs& rows, const CallPoint& at) {
  Joint joint;
  joint.pattern.rows = rows.count;
  joint.pattern.start.assign(1, 0);
  for (std::size_t k = 0; k < at.x.size(); ++k) {
    const int n = static_cast<int>(at.x[k].size());
    const graph::Jacobian j = graph::jacobian(c.recording->graph(), rows, c.kinds[k], n);
    const int first = joint.entries.count;
    for (int i = 0; i < n; ++i)
      joint.pattern.start.push_back(first + j.outer[static_cast<std::size_t>(i) + 1]);
    joint.pattern.row.insert(joint.pattern.row.end(), j.inner.begin(), j.inner.end());
    joint.pattern.cols += n;
    for (auto s : j.entries.single) {
      s.row += first;
      joint.entries.single.push_back(s);
    }
    for (graph::Map m : j.entries.maps) {
      for (auto& list : m.rows)
        for (int& row : list) row += first;
      joint.entries.maps.push_back(std::move(m));
    }
    joint.entries.count += j.entries.count;
  }
  return joint;
}

// Interpreter and machine code of the same rows.
class Evaluators {
 public:
  Evaluators(graph::Graph& g, const graph::Outputs& rows, const graph::Point<double>& point)
      : program_(g, rows),
        compiled_(g, rows, MachineCode::program_options()),
        workspace_(program_),
        compiled_workspace_(compiled_),
        code_(MachineCode::compile(compiled_)),
        point_(point),
        out_(static_cast<std::size_t>(rows.count) + 1) {}
  bool interpret() { return workspace_.run(program_, point_, out_.data()) < 0; }
  bool execute() {
    return code_ && code_->run(compiled_, compiled_workspace_, point_, out_.data()) < 0;
  }
  long operations() const {
    long count = 0;
    for (const auto& i : compiled_.instructions().list)
      count += i.code != graph::code_of(graph::Code::end);
    for (const auto& m : compiled_.maps())
      count += static_cast<long>(m.kernel.list.size() - 3) * m.count;
    return count;
  }

 private:
  Program program_, compiled_;
  Workspace<double> workspace_, compiled_workspace_;
  std::shared_ptr<const MachineCode> code_;
  graph::Point<double> point_;
  std::vector<double> out_;
};

// The Jacobian as the library takes it from a callable: four colours at a time.
template <class Slot>
class Coloured {
 public:
  Coloured(const Function<Slot>& f, const CallPoint& at, int rows, int cols,
           const SparsePattern& pattern)
      : f_(f), at_(at), rows_(rows), cols_(cols), pattern_(pattern), out_(size()) {
    colouring_ = colour_columns(pattern);
    values_.resize(pattern.row.size());
    at.over(storage_);
  }
  bool run() {
    for (int first = 0; first < colouring_.colours; first += 4) {
      each(first, [&](std::size_t c, std::size_t d) { storage_[1 + c].d[d] = 1.0; });
      const Eval e =
          f_(at_.arguments(static_cast<const Dual4*>(storage_.data())), out_.data(), rows_, cols_);
      each(first, [&](std::size_t c, std::size_t d) {
        storage_[1 + c].d[d] = 0.0;
        for (int k = pattern_.start[c]; k < pattern_.start[c + 1]; ++k)
          values_[static_cast<std::size_t>(k)] =
              out_[static_cast<std::size_t>(pattern_.row[static_cast<std::size_t>(k)])].d[d];
      });
      if (e != Eval::ok) return false;
    }
    return true;
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(rows_ * cols_); }
  template <class Do>
  void each(int first, Do&& act) {
    for (std::size_t c = 0; c < colouring_.colour.size(); ++c) {
      const int d = colouring_.colour[c] - first;
      if (d >= 0 && d < 4) act(c, static_cast<std::size_t>(d));
    }
  }
  const Function<Slot>& f_;
  const CallPoint& at_;
  int rows_, cols_;
  const SparsePattern& pattern_;
  Colouring colouring_;
  std::vector<Dual4> storage_, out_;
  std::vector<double> values_;
};

struct Costs {
  std::string problem, callable;
  long operations = 0, jacobian_operations = 0;
  // Seconds: values by C++, interpreter, machine code; Jacobians by dual numbers, interpreter,
  // machine code.
  std::array<double, 6> seconds{};
};

template <class Slot>
bool measure(const Function<Slot>& f, const CallPoint& at, int rows, int cols, bool rolled,
             Costs& costs) {
  if (!f.differentiable()) return false;
  RecordedCallable c = record(f, at, rows, cols);
  // What holds at its point only (a search done while it was recorded) replaces no evaluation.
  if (c.eval != Eval::ok || !c.recording->holds_elsewhere()) return false;
  graph::Graph& g = c.recording->graph();
  graph::Outputs values = c.outputs;
  values.single.resize(static_cast<std::size_t>(c.rows));  // without the guards
  values.count = c.rows;
  values = graph::lower(g, values);
  if (rolled) values = graph::roll(g, values);
  const Joint joint = joint_jacobian(c, values, at);
  if (joint.entries.count == 0) return false;
  const graph::Point<double> point = graph_point(at, c.kinds);
  Evaluators of_f(g, values, point), of_j(g, joint.entries, point);
  Coloured<Slot> coloured(f, at, rows, cols, joint.pattern);
  std::vector<double> storage, out(static_cast<std::size_t>(rows * cols));
  const Arguments<double> arguments = at.over(storage);
  const std::vector<double> seconds =
      fastest({[&] { return f(arguments, out.data(), rows, cols) == Eval::ok; },
               [&] { return of_f.interpret(); }, [&] { return of_f.execute(); },
               [&] { return coloured.run(); }, [&] { return of_j.interpret(); },
               [&] { return of_j.execute(); }});
  std::copy(seconds.begin(), seconds.end(), costs.seconds.begin());
  costs.operations = of_f.operations();
  costs.jacobian_operations = of_j.operations();
  return true;
}

void print(const Costs& c) {
  fmt::print("{:<34} {:>7}/{:<7}", c.problem + ": " + c.callable, c.operations,
             c.jacobian_operations);
  for (const double s : c.seconds) fmt::print(" {:>9.0f}", 1e9 * s);
  fmt::print("\n");
}

// Sums over the callables of each problem.
using Sums = std::map<std::string, std::array<double, 6>>;

// At most this, as a geometric mean over all problems: below it machine code pays for deriving.
constexpr double max_jacobian_ratio = 0.5;

// C++ and dual numbers are 1. Problems without a number are named, not left out in silence.
void print_means(const Sums& sums) {
  std::array<double, 6> log_sum{};
  std::string missing;
  int count = 0, slower = 0;
  for (const auto& [name, seconds] : sums) {
    if (std::any_of(seconds.begin(), seconds.end(), [](double s) { return !(s > 0.0); })) {
      missing += (missing.empty() ? "" : ", ") + name;
      continue;
    }
    ++count;
    slower += seconds[5] > max_jacobian_ratio * seconds[3];
    for (std::size_t k = 0; k < 6; ++k) log_sum[k] += std::log(seconds[k] / seconds[k < 3 ? 0 : 3]);
  }
  if (!missing.empty()) fmt::print("not measured: {}\n", missing);
  if (count == 0) return;
  const auto mean = [&](std::size_t k) { return std::exp(log_sum[k] / count); };
  fmt::print(
      "geometric means over {} problems, C++ and dual numbers 1: f interpreter {:.2f}, machine "
      "code {:.2f}; Jacobian interpreter {:.2f}, machine code {:.2f}\n",
      count, mean(1), mean(2), mean(4), mean(5));
  fmt::print("Jacobian by machine code, at most {}: {} ({:.3f}; {} of {} problems above)\n",
             max_jacobian_ratio, mean(5) <= max_jacobian_ratio ? "met" : "missed", mean(5), slower,
             count);
}

struct Named {
  const char* problem;
  const char* callable;
  problems::Values values;
};

}  // namespace

void graph_costs(const std::filesystem::path& folder, const Provenance& from) {
  Csv csv(folder / "graph.csv",
          "problem,callable,operations,jacobian_operations,f_cpp,f_interpreter,f_machine_code,"
          "jacobian_dual,jacobian_interpreter,jacobian_machine_code",
          from);
  fmt::print("\n{:<34} {:>15} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "expression graphs, ns",
             "operations f/J", "f: C++", "interp.", "machine", "J: dual", "interp.", "machine");
  Sums sums;
  const auto take = [&](const problems::Entry& entry, const problems::Values& values,
                        const char* only, bool counted) {
    const Problem problem = entry.problem(values);
    for_each_callable(
        problem, entry.t0,
        [&](const char* name, const auto& f, const CallPoint& at, int rows, int cols) {
          if (only && std::string(only) != name) return;
          Costs c;
          c.problem = entry.name;
          for (const auto& [parameter, value] : values) c.problem += fmt::format(" {}", value);
          c.callable = name;
          if (!measure(f, at, rows, cols, rows * cols >= 512, c)) return;
          print(c);
          csv.row(fmt::format("{},{},{},{},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g}", c.problem,
                              name, c.operations, c.jacobian_operations, c.seconds[0], c.seconds[1],
                              c.seconds[2], c.seconds[3], c.seconds[4], c.seconds[5]));
          if (counted)
            for (std::size_t k = 0; k < 6; ++k) sums[c.problem][k] += c.seconds[k];
        });
  };
  for (const Named& n : {Named{"transmission-line", "rhs", {{"n", 1000.0}}},
                         Named{"transmission-line", "rhs", {{"n", 10000.0}}}})
    if (const auto* entry = problems::find_problem(n.problem))
      take(*entry, n.values, n.callable, false);
  for (const problems::Entry* entry : problems::all_problems()) take(*entry, {}, nullptr, true);
  print_means(sums);
}

}  // namespace daedalus::bench
