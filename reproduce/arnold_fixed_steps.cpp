// SPDX-License-Identifier: BSD-3-Clause
// Constant steps on the seven-body mechanism and the truck: claims HE-8, HE-9 (Figs. 3.5, 3.6).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reproduce/arnold.hpp"
#include "reproduce/arnold_support.hpp"

namespace daedalus::experiments::arnold {
namespace {

struct Ladder {
  std::string problem;
  std::vector<int> steps;
};
const Ladder& mechanism() {
  static const Ladder l{"andrews", {300, 600, 1200, 2400}};
  return l;
}
const Ladder& truck() {
  static const Ladder l{"truck9", {100, 200, 400, 800}};
  return l;
}

using Curves = std::map<std::string, std::vector<Run>>;

Curves curves_of(const Ladder& ladder, Context& context) {
  Curves all;
  for (const char* method : {"henew4", "hem4", "hedop5", "hem5", "phem56"}) {
    if (context.note) context.note(fmt::format("{} {}", ladder.problem, method));
    for (const int n : ladder.steps)
      all[method].push_back(constant_steps(ladder.problem, method, n));
  }
  return all;
}

// e at a number of f calls, by interpolation in the logarithms.
double error_at(const std::vector<Run>& runs, double calls, double Errors::*part) {
  for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
    const double a = static_cast<double>(runs[i].f()), b = static_cast<double>(runs[i + 1].f());
    if (calls < a || calls > b) continue;
    const double share = std::log(calls / a) / std::log(b / a);
    return std::exp((1.0 - share) * std::log(runs[i].error.*part) +
                    share * std::log(runs[i + 1].error.*part));
  }
  return std::nan("");
}

void add_table(const std::string& id, const Ladder& ladder, Curves& curves,
               const std::map<std::string, std::vector<double>>& elsewhere,
               std::vector<Claim>& claims) {
  for (const auto& [method, errors] : elsewhere) {
    std::vector<double> measured;
    bool all = true;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      measured.push_back(curves[method][i].error.y);
      all = all && within(measured.back(), errors[i], 1.1);
    }
    claims.push_back(list_claim(
        fmt::format("{}.table.{}.{}", id, ladder.problem, method),
        fmt::format("{}, {}: error (3.80) in y with {} to {} constant steps", ladder.problem,
                    method, ladder.steps.front(), ladder.steps.back()),
        errors, measured, Json{{"factor", 1.1}}, all,
        "the figures have no printed data; the numbers come from another program with the same "
        "coefficients"));
  }
}

std::vector<Claim> figures(Context& context) {
  std::vector<Claim> claims;
  Curves a = curves_of(mechanism(), context);
  Curves t = curves_of(truck(), context);
  add_table("arnold-HE-8", mechanism(), a,
            {{"henew4", {2.60e-4, 1.02e-5, 4.37e-7, 2.10e-8}},
             {"hem4", {1.61e-4, 6.23e-6, 2.69e-7, 1.31e-8}},
             {"hedop5", {3.68e-6, 1.07e-7, 3.34e-9, 1.05e-10}},
             {"hem5", {6.59e-6, 2.09e-7, 6.57e-9, 2.05e-10}},
             {"phem56", {1.49e-6, 6.43e-8, 2.18e-9, 7.1e-11}}},
            claims);
  add_table("arnold-HE-8", truck(), t,
            {{"henew4", {7.69e-4, 3.55e-5, 1.82e-6, 1.01e-7}},
             {"hem4", {3.27e-4, 1.59e-5, 8.55e-7, 4.90e-8}},
             {"hedop5", {8.88e-6, 4.63e-7, 1.63e-8, 5.27e-10}},
             {"hem5", {2.40e-5, 9.92e-7, 3.33e-8, 1.07e-9}},
             {"phem56", {8.88e-6, 4.63e-7, 1.63e-8, 5.27e-10}}},
            claims);
  for (auto* set : {&a, &t}) {
    Curves& c = *set;
    const std::string name = set == &a ? "andrews" : "truck9";
    // f calls that HEM5 spends with its second and third number of steps.
    const double few = static_cast<double>(c["hem5"][1].f()),
                 many = static_cast<double>(c["hem5"][2].f());
    const double four =
        error_at(c["henew4"], few, &Errors::y) / error_at(c["hem4"], few, &Errors::y);
    claims.push_back(list_claim("arnold-HE-8." + name + ".order-4",
                                name + ": HEM4 and HENEW4 about equal in y at equal f calls "
                                       "(ratio of errors)",
                                "between 1/3 and 3", four, Json{{"factor", 3}},
                                within(four, 1.0, 3.0)));
    for (const double calls : {few, many}) {
      claims.push_back(fact_claim(
          fmt::format("arnold-HE-8.{}.order-5.{:.0f}", name, calls),
          fmt::format("{}: at {:.0f} f calls both methods of order 5 are more accurate in y than "
                      "both of order 4",
                      name, calls),
          std::max(error_at(c["hedop5"], calls, &Errors::y),
                   error_at(c["hem5"], calls, &Errors::y)) <
              std::min(error_at(c["henew4"], calls, &Errors::y),
                       error_at(c["hem4"], calls, &Errors::y))));
      const double gain =
          error_at(c["hem5"], calls, &Errors::y) / error_at(c["hedop5"], calls, &Errors::y);
      claims.push_back(list_claim(
          fmt::format("arnold-HE-8.{}.hedop5.{:.0f}", name, calls),
          fmt::format("{}: at {:.0f} f calls HEDOP5 is clearly more accurate in y than HEM5 (ratio "
                      "of errors)",
                      name, calls),
          "above 2", gain, Json(), gain > 2.0));
      const double z4 = error_at(c["hem4"], calls, &Errors::z) /
                        error_at(c["henew4"], calls, &Errors::z),
                   z5 = error_at(c["hem5"], calls, &Errors::z) /
                        error_at(c["hedop5"], calls, &Errors::z);
      Claim z = list_claim(
          fmt::format("arnold-HE-8.{}.z.{:.0f}", name, calls),
          fmt::format(
              "{}: at {:.0f} f calls HENEW4 and HEDOP5 are far more accurate in lambda than "
              "HEM4 and HEM5 (ratios of errors)",
              name, calls),
          "above 3", Json{z4, z5}, Json(), z4 > 3.0 && z5 > 3.0);
      if (name == "truck9")
        z.remark =
            "excitation of our own, the thesis' is not printed: errors of lambda change "
            "sign on some grids";
      claims.push_back(std::move(z));
    }
  }
  return claims;
}

std::vector<Claim> straight_lines(Context&) {
  std::vector<Claim> claims;
  const auto slopes_of = [&](const Ladder& ladder, const char* method) {
    std::vector<double> e;
    for (const int n : ladder.steps) e.push_back(constant_steps(ladder.problem, method, n).error.y);
    return rates(e);
  };
  struct Line {
    const Ladder& ladder;
    const char* method;
    int order;
    double tolerance;
    const char* remark;
  };
  const Line lines[] = {
      {mechanism(), "hedop5", 5, 0.2, ""},
      {mechanism(), "hem5", 5, 0.2, ""},
      {mechanism(), "phem56", 5, 0.2, ""},
      {mechanism(), "henew4", 4, 0.5, "still 4.4 at these steps, in another program too"},
      {mechanism(), "hem4", 4, 0.5, "still 4.4 at these steps, in another program too"},
      {truck(), "hedop5", 5, 0.2, ""},
      {truck(), "hem5", 5, 0.2, ""},
      {truck(), "henew4", 4, 0.3, ""},
      {truck(), "hem4", 4, 0.3, ""},
  };
  for (const Line& line : lines) {
    const std::vector<double> r = slopes_of(line.ladder, line.method);
    claims.push_back(list_claim(
        fmt::format("arnold-HE-9.{}.{}", line.ladder.problem, line.method),
        fmt::format("{}, {}: the error in y follows a straight line of slope {} (the last of three "
                    "slopes)",
                    line.ladder.problem, line.method, line.order),
        line.order, r.back(), line.tolerance, std::abs(r.back() - line.order) <= line.tolerance,
        line.remark));
  }
  return claims;
}

}  // namespace

std::vector<Experiment> fixed_step_experiments() {
  return {
      {.id = "arnold-HE-8",
       .title = "Constant steps: seven-body mechanism and truck (Figs. 3.5, 3.6)",
       .source = source,
       .basis = Basis::printed("section 3.3.1, text on Figs. 3.5 and 3.6"),
       .parts = {{"table",
                  Basis::own("another program with the same coefficients; the figures are lost")}},
       .seconds = 1.0,
       .run = figures},
      {.id = "arnold-HE-9",
       .title = "Straight lines of slope q",
       .source = source,
       .basis = Basis::printed("section 3.3.1, text on Figs. 3.5 and 3.6"),
       .seconds = 1.0,
       .run = straight_lines}};
}

}  // namespace daedalus::experiments::arnold
