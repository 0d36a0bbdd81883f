// SPDX-License-Identifier: BSD-3-Clause
// What the experiments on Arnold (1998) share: runs of catalogue problems with a reference, the
// error norm (3.80), and work at equal accuracy.
#pragma once

#include <string>
#include <vector>

#include <daedalus/solve.hpp>

#include "reproduce/experiment.hpp"
#include "reproduce/support.hpp"

namespace daedalus::experiments::arnold {

using Json = nlohmann::ordered_json;

inline constexpr const char* source = "Arnold (1998), habilitation thesis, Rostock";

// (3.80): root mean square of e_i / (1e-8 + |y_i|) at the end, over the differential variables and
// over the algebraic ones.
struct Errors {
  double y = 0.0, z = 0.0;
};
Errors errors_at_end(const Solution& s, const problems::Entry& entry);

struct Run {
  bool ok = false;
  Errors error{};
  Counts steps{};  // of the steps alone: start, projections and output not counted
  Statistics statistics{};
  std::string message{};
  long f() const { return steps.function_evaluations; }
};

// Constant steps, formulation index2, no projection. `settings`: options of the method.
Run constant_steps(const std::string& problem, const std::string& method, int steps,
                   const std::map<std::string, double>& settings = {});
// Variable steps with atol = 0.1 rtol as in section 3.3.2.
Run variable_steps(const std::string& problem, const std::string& method, double rtol,
                   const Options& further = {});

// Work (f calls) at which a method reaches an error, by interpolation in the logarithms over runs
// of falling error; not a number outside of them.
using Work = double (*)(const Run&);
double calls_of_f(const Run& run);
double work_at(const std::vector<Run>& runs, double error, Work work = calls_of_f);

// Rates log2(e_i / e_{i+1}) of runs with doubled steps.
std::vector<double> rates(const std::vector<double>& errors);

}  // namespace daedalus::experiments::arnold
