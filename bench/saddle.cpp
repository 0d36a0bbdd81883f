// SPDX-License-Identifier: BSD-3-Clause
#include "saddle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <daedalus/solve.hpp>

namespace daedalus::bench {
namespace {

constexpr const char* usual_method = "hedop5";

struct Way {
  LinearAlgebra kind;
  const char* name;
};
constexpr Way ways[] = {{LinearAlgebra::dense, "dense"},
                        {LinearAlgebra::range_space, "range-space"},
                        {LinearAlgebra::null_space, "null-space"},
                        {LinearAlgebra::sparse, "sparse"}};

struct Measured {
  double seconds = 0.0;  // CPU time per step; the start and the first step are left out
  std::string solver;
  Eigen::VectorXd end;
};

// `left_out` first steps are not measured: those of a multistep method lay its start values.
Measured once(const Problem& problem, LinearAlgebra kind, double h, int steps,
              const char* method = usual_method, int left_out = 1) {
  std::clock_t first = 0, last = 0;
  Options o{.method = method, .output = Output::end, .fixed_step = h, .linear_algebra = kind};
  if (method != std::string_view(usual_method)) {
    // Links of length 1/n: what round-off leaves in angles is far above the standard tolerances.
    o.rtol = 1e-2;
    o.atol = 1e-2;
    o.method_options["newton_tolerance"] = 0.1;
  }
  long count = 0;
  o.progress = [&](const Progress&) {
    last = std::clock();
    if (++count == left_out) first = last;
  };
  const Solution s = solve(problem, {0.0, h * steps}, o);
  if (!s.ok()) throw std::runtime_error(name_of(problem) + ": " + s.message());
  return {
      static_cast<double>(last - first) / CLOCKS_PER_SEC / static_cast<double>(count - left_out),
      s.choice().linear_solver, s.end().y()};
}

// The fastest of several runs: other programs only ever add to the time.
Measured fastest(const Problem& problem, LinearAlgebra kind, double h, int steps, int runs) {
  Measured best = once(problem, kind, h, steps);
  for (int k = 1; k < runs; ++k) {
    Measured next = once(problem, kind, h, steps);
    if (next.seconds < best.seconds) best = std::move(next);
  }
  return best;
}

// A step that moves every link by the same share of its length.
double step_of(int n) { return 0.02 / n; }

Problem chain(int n) {
  return problems::find_problem("chain-planar")->problem({{"n", static_cast<double>(n)}});
}

void every_way(const std::filesystem::path& folder, const Provenance& from, int repetitions) {
  Csv csv(folder / "linear-algebra.csv",
          "problem,method,linear_algebra,seconds_per_step,difference_q_v,difference_lambda", from);
  fmt::print("{:<20} {:<12} {:>16} {:>26} {:>9}\n", "problem", "way", "us per step",
             "differs from the first: q, v", "lambda");
  const auto table = [&](const std::string& label, const Problem& problem, double h, int steps,
                         int few) {
    const MultibodyProblem& p = std::get<MultibodyProblem>(problem);
    Eigen::VectorXd first;
    for (const Way& way : ways) {
      const bool sparse = way.kind == LinearAlgebra::sparse;
      // Dense ways of a long chain take seconds per step: two steps, one of them measured.
      const int count = sparse || few == 0 ? steps : few;
      const Measured m = fastest(problem, way.kind, h, count, few == 0 ? repetitions : 1);
      // All after the same number of steps.
      const Eigen::VectorXd end =
          count == steps && few > 0 ? once(problem, way.kind, h, few).end : m.end;
      if (first.size() == 0) first = end;
      const Eigen::Index state = p.space.points() + p.velocities();
      const Eigen::ArrayXd difference = ((end - first).array() / (1.0 + first.array().abs())).abs();
      const double moved = difference.head(state).maxCoeff(),
                   forced = difference.tail(end.size() - state).maxCoeff();
      fmt::print("{:<20} {:<12} {:>16.2f} {:>28.1e} {:>9.1e}\n", label, m.solver, 1e6 * m.seconds,
                 moved, forced);
      csv.row(fmt::format("{},{},{},{:.6g},{:.3g},{:.3g}", label, usual_method, m.solver, m.seconds,
                          moved, forced));
    }
  };
  table("andrews", problems::find_problem("andrews")->problem(), 1e-5, 500, 0);
  table("chain-planar 1000", chain(1000), step_of(1000), 30, 2);
}

void print_exponent(const std::vector<int>& lengths, const std::vector<double>& seconds) {
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  const auto count = static_cast<double>(lengths.size());
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const double a = std::log(lengths[k]), b = std::log(seconds[k]);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  const double exponent = (count * xy - x * y) / (count * xx - x * x);
  const double ends = std::log(seconds.back() / seconds.front()) /
                      std::log(static_cast<double>(lengths.back()) / lengths.front());
  fmt::print(
      "time per step grows with n^{:.3f} (fit; from the first to the last n^{:.3f}), {} 1.15\n",
      exponent, ends, std::max(exponent, ends) <= 1.15 ? "at most" : "MORE THAN");
}

void growth(const std::filesystem::path& folder, const Provenance& from, int repetitions) {
  Csv csv(folder / "chain-growth.csv", "problem,links,method,linear_algebra,seconds_per_step",
          from);
  std::vector<double> seconds;
  const auto note = [&](const char* name, int n, const char* method, const Measured& m) {
    seconds.push_back(m.seconds);
    fmt::print("{}, n = {:>5} ({}, {}): {:>10.1f} us per step, {:.3f} us per link\n", name, n,
               method, m.solver, 1e6 * m.seconds, 1e6 * m.seconds / n);
    csv.row(fmt::format("{},{},{},{},{:.6g}", name, n, method, m.solver, m.seconds));
  };
  const std::vector<int> lengths{100, 316, 1000, 3162, 10000};
  for (const int n : lengths) {
    // As many steps for each length as take about the same time.
    const int steps = std::max(20, 30000 / n);
    note("chain-planar", n, usual_method,
         fastest(chain(n), LinearAlgebra::automatic, step_of(n), steps, repetitions));
  }
  print_exponent(lengths, seconds);
  // Rigid bodies on SE(3) with position constraints, implicit; one run each, since starting takes
  // longer than the steps.
  const char* on_group = "bliedf3";
  const std::vector<int> bodies{100, 1000, 10000};
  seconds.clear();
  for (const int n : bodies)
    note("chain-se3", n, on_group,
         once(problems::find_problem("chain-se3")->problem({{"n", static_cast<double>(n)}}),
              LinearAlgebra::sparse, step_of(n), 105, on_group, 5));
  print_exponent(bodies, seconds);
}

}  // namespace

void linear_algebra(const std::filesystem::path& folder, const Provenance& from, int repetitions) {
  fmt::print("\n[M G^T; G 0] with {}, CPU time\n", usual_method);
  every_way(folder, from, repetitions);
  growth(folder, from, repetitions);
}

}  // namespace daedalus::bench
