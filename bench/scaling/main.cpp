// SPDX-License-Identifier: BSD-3-Clause
// daedalus_scaling growth [LARGEST]       cost of start-up and per step of the transmission lines,
//                                         pde-1d and the chains up to LARGEST cells (100000)
// daedalus_scaling stokes [CELLS...]      pde-2d on grids of these many cells each way (32 64 128):
//                                         bdf with sparse LU and with Krylov, IDA with KLU
// daedalus_scaling mechanisms [LARGEST]   assembly and steps of chains, trees and parallelograms up
//                                         to LARGEST bodies (6400)
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include <catalogue/catalogue.hpp>
#include <catalogue/preconditioner.hpp>

#include "growth.hpp"
#include "mechanisms.hpp"

namespace {

using namespace daedalus;
using namespace daedalus::scaling;

constexpr double tolerance = 1e-4;

Options options_of(const char* method, LinearAlgebra algebra) {
  Options o;
  o.method = method;
  o.rtol = tolerance;
  o.atol = tolerance;
  o.output = Output::none;
  o.linear_algebra = algebra;
  return o;
}

void print(const Measured& m) {
  fmt::print("| {} | {} | {:.0f} | {:.3g} | {:.3g} | {:.4g} | {:.4g} | {} | {} | {} | {:.1e} |{}\n",
             m.problem, m.solver, m.size, m.start.instructions * 1e-9, m.start.seconds,
             m.step.instructions * 1e-6, m.step.seconds * 1e3, m.steps, m.counts.factorisations,
             m.counts.krylov_iterations, m.error, m.failure.empty() ? "" : " " + m.failure);
  std::fflush(stdout);
}

void head() {
  fmt::print(
      "| problem | solver | unknowns | start, 10^9 instructions | start, s | step, 10^6 "
      "instructions | step, ms | steps | factorisations | Krylov products | error |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
}

void growth(const Meter& meter, double largest) {
  struct Case {
    const char *problem, *method;
    double cells;  // as many as have the unknowns of one cell of a line
  };
  head();
  std::vector<std::string> exponents;
  for (const Case& c : {Case{"transmission-line", "bdf", 1.0},
                        {"transmission-line-index2", "bdf", 1.0},
                        {"transmission-line", "rodas4", 1.0},
                        {"pde-1d", "bdf", 2.0},
                        {"chain-planar", "bdf", 0.5}}) {
    const problems::Entry& entry = *problems::find_problem(c.problem);
    std::vector<double> sizes;
    std::vector<Cost> starts, steps;
    for (double n = 1000.0; n <= largest; n *= std::sqrt(10.0)) {
      const Measured m = measure(meter, entry.problem({{"n", std::round(c.cells * n)}}),
                                 options_of(c.method, LinearAlgebra::sparse), entry.t_end, 40);
      print(m);
      if (!m.failure.empty()) continue;
      sizes.push_back(m.size);
      starts.push_back(m.start);
      steps.push_back(m.step);
    }
    if (sizes.size() > 1)
      exponents.push_back(fmt::format("{} with {}: start-up n^{:.2f}, step n^{:.2f}", c.problem,
                                      c.method, exponent(sizes, starts), exponent(sizes, steps)));
  }
  fmt::print("\n");
  for (const std::string& line : exponents) fmt::print("{}\n", line);
}

void stokes(const Meter& meter, const std::vector<double>& grids) {
  const problems::Entry& entry = *problems::find_problem("pde-2d");
  head();
  for (const double n : grids) {
    const problems::Values values{{"n", n}, {"nu", 1.0}};
    const Problem problem = entry.problem(values);
    const auto exact = entry.exact(entry.t_end, values);
    Eigen::VectorXd end;
    const auto report = [&](Measured m) {
      const auto velocities = static_cast<Eigen::Index>(2.0 * n * (n - 1.0));
      for (Eigen::Index k = 0; k < velocities && m.failure.empty(); ++k)
        m.error = std::max(m.error, std::abs(end[k] - exact[static_cast<std::size_t>(k)].second));
      print(m);
    };
    Measured lu =
        measure(meter, problem, options_of("bdf", LinearAlgebra::sparse), entry.t_end, 0, &end);
    lu.solver = "bdf, sparse";
    report(lu);
    Options krylov = options_of("bdf", LinearAlgebra::krylov);
    krylov.krylov.preconditioner = problems::preconditioner_of(entry, values);
    Measured free = measure(meter, problem, krylov, entry.t_end, 0, &end);
    free.solver = "bdf, krylov";
    report(free);
    if (have_ida() && n <= 150.0)
      for (const bool suppress : {true, false})
        report(measure_ida(meter, problem, tolerance, entry.t_end, suppress, &end));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<double> numbers;
  for (int i = 2; i < argc; ++i) {
    double value = 0.0;
    const char* last = argv[i] + std::strlen(argv[i]);
    if (std::from_chars(argv[i], last, value).ptr != last || !(value >= 2.0)) {
      fmt::print(stderr, "daedalus_scaling: '{}' is not a number above 1\n", argv[i]);
      return 2;
    }
    numbers.push_back(value);
  }
  const std::string part = argc > 1 ? argv[1] : "";
  const Meter meter;
  if (part == "growth") {
    growth(meter, numbers.empty() ? 1e5 : numbers.front());
  } else if (part == "stokes") {
    if (numbers.empty()) numbers = {32.0, 64.0, 128.0};
    stokes(meter, numbers);
  } else if (part == "mechanisms") {
    mechanisms(meter, numbers.empty() ? 6400 : static_cast<int>(numbers.front()));
  } else {
    fmt::print(stderr,
               "daedalus_scaling: give growth [LARGEST], stokes [CELLS...] or mechanisms "
               "[LARGEST]\n");
    return 2;
  }
  return 0;
}
