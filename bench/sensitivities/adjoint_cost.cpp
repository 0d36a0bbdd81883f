// SPDX-License-Identifier: BSD-3-Clause
// What a gradient by a run backwards costs: processor time of the whole (forwards and backwards)
// over that of the plain run, least of several repetitions in turns, for one and for all
// parameters.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include <daedalus/adjoint.hpp>
#include <daedalus/solve.hpp>

#include "catalogue/catalogue.hpp"

namespace {

using namespace daedalus;

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class F>
double seconds(const F& f) {
  const double begin = processor_seconds();
  f();
  return processor_seconds() - begin;
}

// A line of n cells, each with a resistance of its own: C u_k' = (u_(k-1) - u_k)/R_k - ... .
Problem line(int n) {
  MassMatrixProblem p;
  p.name = "line";
  p.rhs = autodiff([n](const auto& x, auto& f) {
    using std::sin;
    for (int k = 0; k < n; ++k) {
      const auto left = (k == 0 ? sin(x.t) - x.y[0] : x.y[k - 1] - x.y[k]) * x.p[k];
      f[k] = left * static_cast<double>(n);
      if (k + 1 < n) f[k] -= (x.y[k] - x.y[k + 1]) * x.p[k + 1] * static_cast<double>(n);
    }
  });
  p.y0 = Eigen::VectorXd::Zero(n);
  for (int k = 0; k < n; ++k) p.parameters.push_back({"g" + std::to_string(k), 1.0});
  p.index = 0;
  return p;
}

void measure(const std::string& name, const Problem& problem, Interval interval,
             const Options& options, const std::string& functional,
             const std::vector<std::string>& all) {
  constexpr int repetitions = 5;
  const std::vector<Functional> J{parse_functional(functional, problem)};
  double plain = 1e300, one = 1e300, many = 1e300;
  const auto gradient = [&](std::vector<std::string> names) {
    AdjointOptions asked;
    asked.parameters = std::move(names);
    asked.way = GradientWay::adjoint;
    const Gradient g = adjoint(problem, interval, J, options, asked);
    if (!g.ok()) fmt::print("{}: {}\n", name, g.message());
  };
  for (int i = 0; i < repetitions; ++i) {
    plain = std::min(plain, seconds([&] { solve(problem, interval, options); }));
    one = std::min(one, seconds([&] { gradient({all[0]}); }));
    many = std::min(many, seconds([&] { gradient(all); }));
  }
  fmt::print("{},{},{:.3f},{:.2f},{:.2f},{:.2f}\n", name, all.size(), 1e3 * plain, one / plain,
             many / plain, many / one);
}

}  // namespace

int main() {
  fmt::print("problem,p,plain_ms,ratio_1,ratio_all,all_over_1\n");
  for (const auto& [name, functional] :
       {std::pair("akzo", "integral(y5)"), std::pair("pollution", "integral(y4)"),
        std::pair("hires", "integral(y1)")}) {
    const Entry* entry = problems::find_problem(name);
    if (!entry) continue;
    Options options;
    options.method = "bdf";
    options.output = Output::end;
    entry->apply(options);
    std::vector<std::string> all;
    for (const Parameter& p : entry->parameters) all.push_back(p.name);
    measure(name, entry->problem(), {entry->t0, entry->t_end}, options, functional, all);
  }
  Options options;
  options.method = "bdf";
  options.output = Output::end;
  for (const int n : {100, 1000}) {
    std::vector<std::string> all;
    for (int k = 0; k < n; ++k) all.push_back("g" + std::to_string(k));
    const Problem p = line(n);
    measure("line" + std::to_string(n), p, {0.0, 2.0}, options,
            "integral(" + std::string("y") + std::to_string(n / 2) + ")", all);
  }
  return 0;
}
