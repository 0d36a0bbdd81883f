// SPDX-License-Identifier: BSD-3-Clause
// Example 8: an index-2 system with the noise of single precision in its constraint, claims 1 to 5
// (Figs. 2.2 and 2.3).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "reproduce/arnold_theory.hpp"

namespace daedalus::experiments::theory {
namespace {

struct NoiseErrors {
  double y1 = 0.0, z = 0.0;  // largest over all steps
};

constexpr const char* other_program =
    "the figures have no printed data; the numbers come from another program with 80-bit "
    "arithmetic";

// theta = 6 (sin t in single precision - sin t); BDF starts with two exact values.
NoiseErrors noise_errors(const std::string& method, double mu0, double h, bool perturbed) {
  static std::map<std::tuple<std::string, double, double, bool>, NoiseErrors> known;
  const auto key = std::tuple(method, mu0, h, perturbed);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  Study s{.problem = "arnold-8", .values = {{"mu0", mu0}}, .h = h};
  if (method == "bdf2") {
    s.method = "bdf";
    s.order = 2;
    s.further.known = [](double t, Out y) {
      y[0] = std::sin(t);
      y[1] = 2.0 * std::sin(t);
      y[2] = std::cos(t);
      return true;
    };
  }
  if (perturbed)
    s.residuals = {
        {"constraint", [](long, double t) { return single_precision(6.0, std::sin(t)); }}};
  const Solution solution = run(s);
  NoiseErrors e;
  for (std::size_t i = 0; i < solution.times().size(); ++i) {
    const double t = solution.times()[i];
    const ModelState state = solution.state(i);
    e.y1 = std::max(e.y1, std::abs(state.y()[0] - std::sin(t)));
    e.z = std::max(e.z, std::abs(state.y()[2] - std::cos(t)));
  }
  return known[key] = e;
}

struct NoiseColumns {
  std::vector<double> y1, z;
};
NoiseColumns noise_columns(const std::string& method, double mu0, const std::vector<double>& steps,
                           bool perturbed) {
  NoiseColumns c;
  for (const double h : steps) {
    const NoiseErrors e = noise_errors(method, mu0, h, perturbed);
    c.y1.push_back(e.y1);
    c.z.push_back(e.z);
  }
  return c;
}

const double root10 = std::sqrt(10.0);

std::vector<Claim> euler_converges(Context&) {
  const std::vector<double> steps{1e-3, 1e-4, 1e-5};
  const NoiseColumns c = noise_columns("implicit-euler", 1.0, steps, false);
  const NoiseErrors finest = noise_errors("implicit-euler", 1.0, 1e-6, false);
  return {slope_claim("arnold-theory-1.y",
                      "implicit Euler on Example 8 without perturbations: order 1 in y", 1.0,
                      slope(steps, c.y1)),
          slope_claim("arnold-theory-1.z",
                      "implicit Euler on Example 8 without perturbations: order 1 in z", 1.0,
                      slope(steps, c.z)),
          table_claim("arnold-theory-1.finest",
                      "mu0 = 1, h = 1e-6 without perturbations: largest errors of y1 and z",
                      {6.94e-7, 8.09e-6}, {finest.y1, finest.z}, 1.01, other_program)};
}

std::vector<Claim> bdf2_converges(Context&) {
  std::vector<Claim> claims;
  const std::vector<double> coarse{1e-2, 3e-3, 1e-3};
  const NoiseColumns plain = noise_columns("bdf2", 1.0, coarse, false);
  claims.push_back(slope_claim("arnold-theory-2.y", "BDF2 on Example 8: order 2 in y", 2.0,
                               slope(coarse, plain.y1)));
  claims.push_back(slope_claim("arnold-theory-2.z", "BDF2 on Example 8: order 2 in z", 2.0,
                               slope(coarse, plain.z)));
  const NoiseErrors a = noise_errors("bdf2", 1.0, 3e-3, true),
                    b = noise_errors("bdf2", 1.0, 1e-4, true),
                    c = noise_errors("bdf2", 1.0, 1e-5, true);
  claims.push_back(fact_claim(
      "arnold-theory-2.takes-over",
      "with theta in the constraint z follows h^2 only until theta/h takes over: its error falls "
      "from h = 1e-2 to 3e-3 and rises from 1e-4 to 1e-5",
      noise_errors("bdf2", 1.0, 1e-2, true).z > 5.0 * a.z && c.z > 5.0 * b.z));
  const std::vector<double> steps{1e-2, 1e-3, 1e-1 / std::pow(10.0, 2.5), 1e-4, 1e-5, 1e-6};
  const NoiseColumns one = noise_columns("bdf2", 1.0, steps, true),
                     zero = noise_columns("bdf2", 0.0, steps, true);
  const char* text =
      "BDF2 with theta, mu0 = {}: largest error of {} for h = 1e-2, 1e-3, 3.16e-4, "
      "1e-4, 1e-5, 1e-6";
  const auto row = [&](const char* id, int mu0, const char* what, std::vector<double> elsewhere,
                       const std::vector<double>& measured) {
    claims.push_back(table_claim(id, fmt::format(fmt::runtime(text), mu0, what), elsewhere,
                                 measured, 2.0, other_program));
  };
  row("arnold-theory-2.table.y1", 1, "y1", {5.96e-5, 6.95e-7, 1.37e-7, 3.91e-7, 3.67e-5, 3.90e-3},
      one.y1);
  row("arnold-theory-2.table.z", 1, "z", {6.80e-4, 8.10e-5, 2.69e-4, 9.12e-4, 7.59e-3, 1.09e-1},
      one.z);
  row("arnold-theory-2.table.linear.y1", 0, "y1",
      {5.16e-5, 5.89e-7, 8.58e-8, 2.36e-8, 2.50e-8, 2.27e-8}, zero.y1);
  row("arnold-theory-2.table.linear.z", 0, "z",
      {9.95e-4, 1.57e-4, 5.37e-4, 1.72e-3, 1.34e-2, 1.34e-1}, zero.z);
  return claims;
}

std::vector<Claim> three_regions(Context&) {
  std::vector<Claim> claims;
  const std::vector<double> steps{1e-2, 1e-3, 1e-4, 1e-5, 1e-5 / root10, 1e-6, 1e-6 / root10};
  const NoiseColumns c = noise_columns("implicit-euler", 1.0, steps, true);
  claims.push_back(slope_claim("arnold-theory-3.y",
                               "mu0 = 1, h = 3.16e-6 to 3.16e-7: slope of the error of y1", -2.0,
                               slope({steps[4], steps[5], steps[6]}, {c.y1[4], c.y1[5], c.y1[6]})));
  claims.push_back(slope_claim("arnold-theory-3.z",
                               "mu0 = 1, h = 1e-5 to 1e-6: slope of the error of z", -1.0,
                               slope({steps[3], steps[4], steps[5]}, {c.z[3], c.z[4], c.z[5]})));
  const bool a = c.y1[1] < c.y1[0] && c.z[1] < c.z[0], b = c.y1[3] < c.y1[2] && c.z[3] > c.z[2],
             last = c.y1[5] > c.y1[4] && c.z[5] > c.z[4] && c.y1[5] / c.y1[4] > c.z[5] / c.z[4] &&
                    c.y1[5] < c.z[5];
  claims.push_back(list_claim(
      "arnold-theory-3.regions",
      "A (1e-2 to 1e-3): errors of y and z fall with h; B (1e-4 to 1e-5): y falls, z rises; C "
      "(3.16e-6 to 1e-6): both rise, y faster and still smaller",
      Json{true, true, true}, Json{a, b, last}, Json(), a && b && last));
  claims.push_back(table_claim(
      "arnold-theory-3.table.y1", "mu0 = 1: largest error of y1 for h = 1e-2 to 3.16e-7",
      {9.01e-3, 7.11e-4, 6.97e-5, 1.83e-5, 1.17e-4, 1.17e-3, 1.42e-2}, c.y1, 2.0, other_program));
  claims.push_back(table_claim(
      "arnold-theory-3.table.z", "mu0 = 1: largest error of z for h = 1e-2 to 3.16e-7",
      {9.95e-2, 8.20e-3, 1.20e-3, 4.94e-3, 1.66e-2, 5.81e-2, 2.38e-1}, c.z, 2.0, other_program));
  return claims;
}

std::vector<Claim> nonlinearity(Context&) {
  std::vector<Claim> claims;
  std::vector<double> y, z;
  for (const double mu0 : {1.0, 0.1, 0.01, 0.001, 0.0}) {
    const NoiseErrors e = noise_errors("implicit-euler", mu0, 1e-6, true);
    y.push_back(e.y1);
    z.push_back(e.z);
  }
  claims.push_back(list_claim(
      "arnold-theory-4.z",
      "h = 1e-6: errors of z for mu0 = 1, 0.1, 0.01, 0.001, 0 are nearly "
      "equal, 5.8e-2 to 8.9e-2 (ends within a factor 2)",
      Json{5.81e-2, 8.92e-2}, z, Json{{"factor", 2}},
      within(z.front(), 5.81e-2, 2.0) && within(z.back(), 8.92e-2, 2.0) &&
          *std::max_element(z.begin(), z.end()) < 2.0 * *std::min_element(z.begin(), z.end()),
      other_program));
  claims.push_back(
      table_claim("arnold-theory-4.y", "h = 1e-6: errors of y1 for mu0 = 1, 0.1, 0.01, 0.001, 0",
                  {1.17e-3, 4.83e-4, 6.04e-5, 6.75e-6, 6.29e-7}, y, 2.0, other_program));
  claims.push_back(table_claim(
      "arnold-theory-4.proportional",
      "the error of y1 is roughly proportional to mu0 <= 0.1: factors 0.1/0.01 and 0.01/0.001",
      {8.0, 9.0}, {y[1] / y[2], y[2] / y[3]}, 1.3));
  claims.push_back(table_claim("arnold-theory-4.saturated",
                               "from mu0 = 1 to 0.1 the error of y1 falls by a factor of only 2.4",
                               {2.4}, {y[0] / y[1]}, 1.3));
  const NoiseErrors linear = noise_errors("bdf2", 0.0, 1e-6, true);
  claims.push_back(list_claim(
      "arnold-theory-4.linear",
      "mu0 = 0: the error of y1 stays below theta = 1.8e-7 (BDF2, where the discretisation error "
      "is gone)",
      "below 1.8e-7", linear.y1, Json(), linear.y1 < 1.8e-7));
  claims.push_back(table_claim("arnold-theory-4.linear.size",
                               "mu0 = 0, BDF2, h = 1e-6: largest error of y1", {2.3e-8},
                               {linear.y1}, 2.0, other_program));
  return claims;
}

std::vector<Claim> both_methods(Context&) {
  std::vector<Claim> claims;
  for (const double h : {1e-5, 1e-6}) {
    const NoiseErrors e = noise_errors("implicit-euler", 1.0, h, true),
                      e0 = noise_errors("implicit-euler", 1.0, h, false),
                      b = noise_errors("bdf2", 1.0, h, true);
    const double y = b.y1 / std::max(e.y1 - e0.y1, e0.y1), z = b.z / e.z;
    claims.push_back(list_claim(
        fmt::format("arnold-theory-5.{}", h),
        fmt::format("h = {}: what theta adds to y1 and z is nearly identical with implicit Euler "
                    "and BDF2 (ratios BDF2/Euler)",
                    h),
        Json{1.0, 1.0}, Json{y, z}, Json{{"factor", 2}}, within(y, 1.0, 2.0) && within(z, 1.0, 2.0),
        "a residual of alternating sign is divided by h with the weights 1, -1 of implicit Euler "
        "and 3/2, -2, 1/2 of BDF2: up to twice as much reaches z, and its square, up to 4 times as "
        "much, y1; over the five decades of the figure the curves lie side by side"));
  }
  return claims;
}

}  // namespace

std::vector<Experiment> noise_experiments() {
  const Basis program =
      Basis::own("another program with 80-bit arithmetic; the figures have no printed data");
  return {
      experiment(1, "Implicit Euler converges with order 1 on index 2", 0.5, euler_converges,
                 Basis::theorem("Theorem 5"), {{"finest", program}}),
      experiment(2, "BDF2 until theta/h takes over (Fig. 2.2)", 1.5, bdf2_converges,
                 Basis::printed("Example 8, text on Fig. 2.2"), {{"table", program}}),
      experiment(3, "Slopes and regions of the step size (Fig. 2.2)", 3.0, three_regions,
                 Basis::printed("Example 8, text on Fig. 2.2"), {{"table", program}}),
      experiment(4, "Nonlinearity in z (Fig. 2.3)", 2.5, nonlinearity, program,
                 {{"size", program}, {"linear", Basis::printed("Example 8, text on Fig. 2.3")}}),
      experiment(5, "Perturbations with implicit Euler and BDF2", 1.5, both_methods,
                 Basis::printed("Example 8, text on Fig. 2.2: nearly identical"))};
}

}  // namespace daedalus::experiments::theory
