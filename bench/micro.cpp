// SPDX-License-Identifier: BSD-3-Clause
// Google Benchmark: whole runs with their time per step, and the pieces a step is made of.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <variant>

#include "formulation/lower.hpp"
#include "linalg/dense_lu.hpp"
#include "micro.hpp"
#include "runs.hpp"
#include "system/system.hpp"

namespace daedalus::bench {
namespace {

void report(benchmark::State& state, const Run& run) {
  if (!run.ok) {
    state.SkipWithError(run.message.c_str());
    return;
  }
  const auto steps = static_cast<double>(run.accepted);
  state.counters["steps"] = steps;
  state.counters["rejected"] = static_cast<double>(run.rejected);
  state.counters["f"] = static_cast<double>(run.evaluations);
  state.counters["LU"] = static_cast<double>(run.factorisations);
  state.counters["per_step"] = benchmark::Counter(
      steps, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void solve_ours(benchmark::State& state, const std::string& name, double tol) {
  const problems::Entry& entry = *problems::find_problem(name);
  const Problem problem = entry.problem();
  Run run;
  for (auto _ : state) run = run_ours(entry, problem, "rodas4", tol);
  report(state, run);
}

void solve_peer(benchmark::State& state, const std::string& name, double tol, bool tight_newton) {
  const problems::Entry& entry = *problems::find_problem(name);
  const std::unique_ptr<Peer> peer = make_peer(entry, entry.problem());
  Run run;
  for (auto _ : state) run = peer->run(tol, tight_newton);
  report(state, run);
}

// The system rodas4 sees, at its start values.
struct Prepared {
  std::unique_ptr<System> system;
  daedalus::State at;
  Eigen::VectorXd out;

  explicit Prepared(const problems::Entry& entry) {
    const auto problem = std::make_shared<const Problem>(entry.problem());
    const bool multibody = std::holds_alternative<MultibodyProblem>(*problem);
    system = lower(problem, multibody ? "index1" : "", View::linear, {}, entry.t0);
    at = model_start(*system, *problem, entry.t0);
    system->prepare(at);
    out.setZero(system->layout.tangents());
  }
};

void right_hand_side(benchmark::State& state, const std::string& name) {
  Prepared p(*problems::find_problem(name));
  LinearView& view = *p.system->linear_view();
  for (auto _ : state) {
    benchmark::DoNotOptimize(view.rhs(p.at.t, p.at.x.data(), p.out.data()));
    benchmark::ClobberMemory();
  }
}

void jacobian(benchmark::State& state, const std::string& name) {
  Prepared p(*problems::find_problem(name));
  LinearView& view = *p.system->linear_view();
  const long before = p.system->counter.now().jacobian_columns;
  for (auto _ : state) {
    benchmark::DoNotOptimize(view.linearise(p.at.t, p.at.x.data()));
    benchmark::ClobberMemory();
  }
  state.counters["directions"] =
      benchmark::Counter(static_cast<double>(p.system->counter.now().jacobian_columns - before),
                         benchmark::Counter::kAvgIterations);
}

// Full matrices with a weak diagonal, so that rows are exchanged.
Eigen::MatrixXd test_matrix(int n) {
  Eigen::MatrixXd a(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) a(i, j) = std::cos(1.0 + i * n + j * j) + (i == j ? 0.5 : 0.0);
  return a;
}

void lu_factorise(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const Eigen::MatrixXd a = test_matrix(n);
  DenseLu lu(n);
  for (auto _ : state) {
    std::copy_n(a.data(), a.size(), lu.data());
    benchmark::DoNotOptimize(lu.factorise());
    benchmark::ClobberMemory();
  }
}

void lu_solve(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const Eigen::MatrixXd a = test_matrix(n);
  DenseLu lu(n);
  std::copy_n(a.data(), a.size(), lu.data());
  lu.factorise();
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(n);
  Eigen::VectorXd x(n);
  for (auto _ : state) {
    std::copy_n(b.data(), n, x.data());
    lu.solve(x.data());
    benchmark::ClobberMemory();
  }
}

struct Case {
  const char* problem;
  const char* text;
  double tol;
};
constexpr Case cases[] = {{"transistor-amplifier", "1e-4", 1e-4},
                          {"transistor-amplifier", "1e-6", 1e-6},
                          {"akzo", "1e-6", 1e-6},
                          {"pendulum", "1e-6", 1e-6},
                          {"andrews", "1e-6", 1e-6}};

}  // namespace

void register_micro() {
  using benchmark::RegisterBenchmark;
  for (const Case& c : cases) {
    const std::string name = std::string("/") + c.problem + "/" + c.text;
    RegisterBenchmark(("rodas4" + name).c_str(), [c](benchmark::State& s) {
      solve_ours(s, c.problem, c.tol);
    })->Unit(benchmark::kMillisecond);
    const problems::Entry& entry = *problems::find_problem(c.problem);
    if (!make_peer(entry, entry.problem())) continue;
    for (const bool tight : {false, true})
      RegisterBenchmark(((tight ? "IDA-tight-newton" : "IDA") + name).c_str(),
                        [c, tight](benchmark::State& s) { solve_peer(s, c.problem, c.tol, tight); })
          ->Unit(benchmark::kMillisecond);
  }
  for (const char* name : {"transistor-amplifier", "akzo", "andrews"}) {
    RegisterBenchmark((std::string("f/") + name).c_str(),
                      [name](benchmark::State& s) { right_hand_side(s, name); });
    RegisterBenchmark((std::string("jacobian/") + name).c_str(),
                      [name](benchmark::State& s) { jacobian(s, name); });
  }
  RegisterBenchmark("lu/factorise", lu_factorise)->Arg(8)->Arg(27);
  RegisterBenchmark("lu/solve", lu_solve)->Arg(8)->Arg(27);
}

}  // namespace daedalus::bench
