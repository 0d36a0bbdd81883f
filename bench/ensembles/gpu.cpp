// SPDX-License-Identifier: BSD-3-Clause
// daedalus_bench_gpu [gpu|lanes|threads|tasks] [RUNS] [CHECKED] [CASES] [THREADS] [BATCH]:
// trajectories per second from columns of numbers in the memory of the host to columns of end
// values there, copies included, and how far the first ones are from the library's own runs, in
// tolerances. The parameters are those that the rates of docs/ensembles.md were seen with: half to
// three halves of their standard, independently.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <daedalus/autodiff.hpp>
#include <daedalus/ensemble_stream.hpp>
#include <daedalus/solve.hpp>

namespace {

using namespace daedalus;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double uniform(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

struct Case {
  Problem problem;
  double end = 1.0;
  Options options{};
  // Start values of a run with these parameters; empty: those of the problem.
  std::function<void(const double* p, double* start)> start{};
  int start_count = 0;
};

SparseMatrix ones(int n, int differential) {
  SparseMatrix m(n, n);
  for (int i = 0; i < differential; ++i) m.insert(i, i) = 1.0;
  return m;
}

Options options_of(const std::string& method, const Eigen::VectorXd& atol) {
  Options o;
  o.method = method;
  o.rtol = 1e-6;
  o.atol = atol;
  return o;
}

Case robertson() {
  MassMatrixProblem p;
  p.name = "Robertson to 1e11";
  p.parameters = {{"k1", 0.04}, {"k2", 3e7}, {"k3", 1e4}};
  p.y0 = Eigen::Vector3d(1.0, 0.0, 0.0);
  p.index = 1;
  p.mass_matrix = ones(3, 2);
  p.rhs = autodiff([](const auto& x, auto& f) {
    const auto &y = x.y, &k = x.p;
    const auto a = k[0] * y[0], b = k[2] * (y[1] * y[2]);
    f[0] = b - a;
    f[1] = a - b - k[1] * (y[1] * y[1]);
    f[2] = y[0] + y[1] + y[2] - 1.0;
  });
  return {p, 1e11, options_of("rodas5p", Eigen::Vector3d(1e-14, 1e-19, 1e-6))};
}

Case hires() {
  MassMatrixProblem p;
  p.name = "HIRES";
  const char* names[] = {"k1", "k2", "k3", "k4", "k5", "k6", "kplus", "kminus", "kstar", "oks"};
  const double values[] = {1.71, 0.43, 8.32, 0.69, 0.035, 8.32, 280.0, 0.69, 0.69, 0.0007};
  for (int i = 0; i < 10; ++i) p.parameters.push_back({names[i], values[i]});
  p.y0 = Eigen::VectorXd::Zero(8);
  p.y0[0] = 1.0;
  p.y0[7] = 0.0057;
  p.index = 0;
  p.rhs = autodiff([](const auto& x, auto& f) {
    const auto &y = x.y, &k = x.p;
    const auto a = k[6] * (y[5] * y[7]);
    f[0] = k[1] * y[1] - k[0] * y[0] + k[5] * y[2] + k[9];
    f[1] = k[0] * y[0] - (k[1] + k[2]) * y[1];
    f[2] = k[1] * y[3] - (k[5] + k[0]) * y[2] + k[4] * y[4];
    f[3] = k[2] * y[1] + k[0] * y[2] - (k[3] + k[1]) * y[3];
    f[4] = k[1] * (y[5] + y[6]) - (k[0] + k[4]) * y[4];
    f[5] = k[3] * y[3] + k[0] * y[4] - k[1] * y[5] + k[7] * y[6] - a;
    f[6] = a - (k[1] + k[7] + k[8]) * y[6];
    f[7] = (k[1] + k[7] + k[8]) * y[6] - a;
  });
  return {p, 321.8122, options_of("rodas5p", Eigen::VectorXd::Constant(8, 1e-6))};
}

// Rows are divided by the capacities: the mass matrix does not depend on parameters.
Case amplifier() {
  MassMatrixProblem p;
  p.name = "transistor amplifier";
  for (int i = 0; i < 10; ++i)
    p.parameters.push_back({fmt::format("R{}", i), i == 0 ? 1000.0 : 9000.0});
  for (int i = 1; i <= 5; ++i) p.parameters.push_back({fmt::format("C{}", i), 1e-6 * i});
  p.index = 1;
  p.variable_index = std::vector<int>(8, 1);
  p.mass_matrix = SparseMatrix(8, 8);
  for (const auto& [i, j] : {std::pair{0, 1}, std::pair{3, 4}, std::pair{6, 7}}) {
    p.mass_matrix.insert(i, i) = -1.0;
    p.mass_matrix.insert(i, j) = 1.0;
    p.mass_matrix.insert(j, i) = 1.0;
    p.mass_matrix.insert(j, j) = -1.0;
  }
  for (const int i : {2, 5}) p.mass_matrix.insert(i, i) = -1.0;
  const auto start = [](const double* r, double* y) {
    const double first = 6.0 * r[1] / (r[1] + r[2]), second = 6.0 * r[5] / (r[5] + r[6]);
    const double all[] = {0.0, first, first, 6.0, second, second, 6.0, 0.0};
    std::copy(all, all + 8, y);
  };
  double r[10];
  for (int i = 0; i < 10; ++i) r[i] = p.parameters[static_cast<std::size_t>(i)].value;
  p.y0.resize(8);
  start(r, p.y0.data());
  p.rhs = autodiff([](const auto& x, auto& f) {
    using std::exp, std::sin;
    const auto &y = x.y, &k = x.p;
    constexpr double Ub = 6.0, UF = 0.026, alpha = 0.99, beta = 1e-6, amplitude = 0.1,
                     omega = 2.0 * 3.14159265358979323846 * 100.0;
    const auto i23 = beta * (exp((y[1] - y[2]) * (1.0 / UF)) - 1.0);
    const auto i56 = beta * (exp((y[4] - y[5]) * (1.0 / UF)) - 1.0);
    f[0] = (y[0] - amplitude * sin(omega * x.t)) / k[0] / k[10];
    f[1] = (y[1] * (1.0 / k[1] + 1.0 / k[2]) - Ub / k[2] + (1.0 - alpha) * i23) / k[10];
    f[2] = (y[2] / k[3] - i23) / k[11];
    f[3] = ((y[3] - Ub) / k[4] + alpha * i23) / k[12];
    f[4] = (y[4] * (1.0 / k[5] + 1.0 / k[6]) - Ub / k[6] + (1.0 - alpha) * i56) / k[12];
    f[5] = (y[5] / k[7] - i56) / k[13];
    f[6] = ((y[6] - Ub) / k[8] + alpha * i56) / k[14];
    f[7] = y[7] / k[9] / k[14];
  });
  return {p, 0.2, options_of("rodas5p", Eigen::VectorXd::Constant(8, 1e-6)), start, 8};
}

Case pendulum(const std::string& method) {
  MultibodyProblem p;
  p.name = "pendulum, " + method;
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.parameters = {{"length", 1.0}, {"gravity", 9.81}};
  p.force = autodiff([](const auto& x, auto& f) {
    f[0] = 0.0;
    f[1] = -x.p[1];
  });
  p.constraint = autodiff([](const auto& x, auto& g) {
    g[0] = 0.5 * (x.q[0] * x.q[0] + x.q[1] * x.q[1] - x.p[0] * x.p[0]);
  });
  p.q0 = Eigen::Vector2d(1.0, 0.0);
  p.v0 = Eigen::Vector2d(0.0, 0.0);
  p.lambda0 = Eigen::VectorXd::Zero(1);
  p.q_names = {"x", "y"};
  const auto start = [](const double* k, double* y) {
    y[0] = k[0];
    y[1] = y[2] = y[3] = 0.0;
  };
  return {p, 10.0, options_of(method, Eigen::VectorXd::Constant(5, 1e-6)), start, 4};
}

constexpr int repeats = 5;

struct Columns {
  std::vector<double> in, out;  // column by column
  std::size_t parameters = 0, starts = 0, variables = 0;
};

std::vector<Parameter> parameters_of(const Problem& problem) {
  return std::visit([](const auto& p) { return p.parameters; }, problem);
}

Columns columns_of(const Case& c, std::size_t runs, std::size_t variables) {
  const std::vector<Parameter> standard = parameters_of(c.problem);
  Columns columns{{}, {}, standard.size(), static_cast<std::size_t>(c.start_count), variables};
  columns.in.resize((columns.parameters + columns.starts) * runs);
  columns.out.assign(variables * runs, 0.0);
  std::vector<double> p(standard.size()), y(columns.starts);
  for (std::size_t i = 0; i < runs; ++i) {
    for (std::size_t k = 0; k < p.size(); ++k) {
      p[k] = standard[k].value * 0.5 * std::exp(std::log(3.0) * uniform(i * 64 + k));
      columns.in[k * runs + i] = p[k];
    }
    if (c.start) c.start(p.data(), y.data());
    for (std::size_t k = 0; k < y.size(); ++k) columns.in[(p.size() + k) * runs + i] = y[k];
  }
  return columns;
}

// The problem of a run with its parameters and start values.
Problem problem_of(const Case& c, const Columns& columns, std::size_t runs, std::size_t i) {
  Problem problem = c.problem;
  std::visit(
      [&](auto& p) {
        for (std::size_t k = 0; k < columns.parameters; ++k)
          p.parameters[k].value = columns.in[k * runs + i];
      },
      problem);
  const auto start = [&](Eigen::VectorXd& v, std::size_t first) {
    for (int k = 0; k < v.size(); ++k)
      v[k] = columns.in[(columns.parameters + first + static_cast<std::size_t>(k)) * runs + i];
  };
  if (auto* m = std::get_if<MassMatrixProblem>(&problem); m && columns.starts > 0) start(m->y0, 0);
  if (auto* b = std::get_if<MultibodyProblem>(&problem)) start(b->q0, 0), start(b->v0, 2);
  return problem;
}

// Largest errors over runs and variables, in tolerances.
struct Errors {
  double ours = 0.0, library = 0.0, difference = 0.0;  // difference: of both
};
Errors errors_of(const Case& c, const Columns& columns, std::size_t runs, std::size_t checked) {
  Errors e;
  for (std::size_t i = 0; i < checked; ++i) {
    const Problem problem = problem_of(c, columns, runs, i);
    const auto end = [&](double share) {
      Options o = c.options;
      o.rtol *= share;
      o.atol = Eigen::VectorXd(share * o.atol.values());
      o.method = share < 1.0 ? "auto" : o.method;
      o.output = Output::end;
      return Eigen::VectorXd(solve(problem, {0.0, c.end}, o).end().y());
    };
    const Eigen::VectorXd exact = end(1e-4), library = end(1.0);
    // Multipliers are not tested by the library either.
    const auto* multibody = std::get_if<MultibodyProblem>(&problem);
    const int tested = static_cast<int>(exact.size()) - (multibody ? multibody->multipliers() : 0);
    for (int k = 0; k < tested; ++k) {
      const double ours = columns.out[static_cast<std::size_t>(k) * runs + i],
                   unit = c.options.atol[k] + c.options.rtol * std::abs(exact[k]);
      e.ours = std::max(e.ours, std::abs(ours - exact[k]) / unit);
      e.library = std::max(e.library, std::abs(library[k] - exact[k]) / unit);
      e.difference = std::max(e.difference, std::abs(ours - library[k]) / unit);
    }
  }
  return e;
}

void measure(const Case& c, Engine engine, std::size_t runs, std::size_t checked, int threads,
             std::size_t batch) {
  std::vector<std::string> names;
  for (const Parameter& p : parameters_of(c.problem)) names.push_back(p.name);
  const Clock::time_point begin = Clock::now();
  EnsembleStream stream(c.problem, {0.0, c.end}, c.options,
                        {.engine = engine,
                         .parameters = names,
                         .starts = c.start_count > 0,
                         .threads = threads,
                         .batch = batch,
                         .in_order = false,
                         .expected = runs});
  const double making = seconds_since(begin);
  Columns columns = columns_of(c, runs, stream.variables());
  std::atomic<double> filling = 0.0, taking = 0.0;
  const auto fill = [&](const BatchInput& in) {
    const Clock::time_point here = Clock::now();
    for (std::size_t k = 0; k < columns.parameters; ++k)
      std::memcpy(in.parameter(k), &columns.in[k * runs + in.first], in.count * sizeof(double));
    for (std::size_t k = 0; k < columns.starts; ++k)
      std::memcpy(in.start(k), &columns.in[(columns.parameters + k) * runs + in.first],
                  in.count * sizeof(double));
    filling += seconds_since(here);
  };
  const auto take = [&](const BatchOutput& out) {
    const Clock::time_point here = Clock::now();
    for (std::size_t k = 0; k < out.variables; ++k)
      std::memcpy(&columns.out[k * runs + out.first], out.value(k), out.count * sizeof(double));
    taking += seconds_since(here);
  };
  StreamReport report = stream.run(runs, fill, take);
  const double first = report.seconds;
  std::vector<double> seconds{first};
  if (engine == Engine::gpu) {
    seconds.clear();
    filling = taking = 0.0;
    for (int k = 0; k < repeats; ++k) seconds.push_back(stream.run(runs, fill, take).seconds);
    std::sort(seconds.begin(), seconds.end());
  }
  const Errors e = errors_of(c, columns, runs, checked);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{:<22} {:>9.3f} ms  {:>9.3f} M/s (first {:.0f} ms, worst {:.3f} ms)  made in {:.2f} s  "
      "errors {:.3g} tol, the library's {:.3g}, difference {:.3g}, of {} runs  handed over {} "
      "failed {}  peak {} MB  filling {:.2f} ms, taking {:.2f} ms of all threads  {}\n",
      name_of(c.problem), 1e3 * seconds[seconds.size() / 2],
      1e-6 * static_cast<double>(runs) / seconds[seconds.size() / 2], 1e3 * first,
      1e3 * seconds.back(), making, e.ours, e.library, e.difference, checked, report.handed_over,
      report.failed, usage.ru_maxrss / 1024, 1e3 * filling / repeats, 1e3 * taking / repeats,
      stream.reason());
  std::fflush(stdout);
}

// The same with a task per run, as the tool makes them.
void measure_tasks(const Case& c, std::size_t runs) {
  const Columns columns = columns_of(c, runs, 0);
  const EnsembleResult result = solve_ensemble(
      runs,
      [&](std::size_t k) {
        return EnsembleTask{problem_of(c, columns, runs, k), {0.0, c.end}, c.options};
      },
      {.engine = Engine::gpu});
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:<22} tasks {:.3f} s  {:.3f} M/s  handed over {} failed {}  peak {} MB  {}\n",
             name_of(c.problem), result.seconds, 1e-6 * static_cast<double>(runs) / result.seconds,
             result.handed_over, result.failed, usage.ru_maxrss / 1024, result.reason);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string engine = argc > 1 ? argv[1] : "gpu";
  const std::size_t runs = argc > 2 ? std::stoul(argv[2]) : 1'000'000;
  const std::size_t checked = std::min<std::size_t>(runs, argc > 3 ? std::stoul(argv[3]) : 50);
  const std::string cases = argc > 4 ? argv[4] : "01234";
  const int threads = argc > 5 ? std::atoi(argv[5]) : 0;
  const std::size_t batch = argc > 6 ? std::stoul(argv[6]) : 0;
  const std::vector<std::function<Case()>> all{robertson, hires, amplifier,
                                               [] { return pendulum("phem56"); },
                                               [] { return pendulum("auto"); }};
  for (const char which : cases) try {
      if (engine == "tasks") {
        measure_tasks(all.at(static_cast<std::size_t>(which - '0'))(), runs);
        continue;
      }
      measure(all.at(static_cast<std::size_t>(which - '0'))(),
              engine == "gpu"     ? Engine::gpu
              : engine == "lanes" ? Engine::lanes
                                  : Engine::threads,
              runs, checked, threads, batch);
    } catch (const std::exception& error) {
      fmt::print("{}\n", error.what());
    }
}
