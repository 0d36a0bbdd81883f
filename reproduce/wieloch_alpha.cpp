// SPDX-License-Identifier: BSD-3-Clause
// Generalised-alpha on constant steps: claims 13 and 21.
#include <fmt/format.h>

#include "reproduce/wieloch.hpp"
#include "reproduce/wieloch_support.hpp"

namespace daedalus::experiments::wieloch {
namespace {

std::vector<Claim> start_of_alpha(Context&) {
  std::vector<Claim> claims;
  const struct {
    const char* id;
    HeavyTop form;
    bool corrected;
    double lambda;
    const char* what;
  } cases[] = {
      {"r3xso3", HeavyTop::r3xso3, true, 2.0, "R^3 x SO(3), corrected start values"},
      {"r3xso3.uncorrected", HeavyTop::r3xso3, false, 1.0, "R^3 x SO(3), v_0 as given"},
      {"se3", HeavyTop::se3, true, 2.0, "SE(3)"},
  };
  for (const auto& c : cases) {
    const std::string id = fmt::format("wieloch-13.{}", c.id);
    const std::string what = fmt::format("generalised-alpha, rho = 0.8, {}", c.what);
    const Comparison found = compare(id, what, rows_of(c.form, "generalised-alpha", c.corrected));
    claims.insert(claims.end(), found.claims.begin(), found.claims.end());
    claims.push_back(
        order_claim(id + ".order", "order of " + what, {2.0, 2.0, c.lambda}, found.runs));
  }
  std::vector<Run> stabilised;
  for (const int n : {2000, 4000})
    stabilised.push_back(run(
        {.method = "generalised-alpha", .n = n, .settings = {{"rho", 0.8}}, .formulation = "ggl"}));
  claims.push_back(order_claim("wieloch-13.ggl.order",
                               "order of generalised-alpha, rho = 0.8, stabilised index 2",
                               {2.0, 2.0, 2.0}, stabilised));
  return claims;
}

// Errors of an independent program in 80-bit arithmetic, n = 8000.
constexpr struct {
  double rho;
  Errors errors;
} by_rho[] = {{0.0, {1.2438e-3, 8.3557e-3, 5.3553e-1}},
              {0.1, {9.5042e-4, 6.4269e-3, 4.1069e-1}},
              {0.5, {4.5898e-4, 3.1627e-3, 1.9997e-1}},
              {0.8, {3.7283e-4, 2.5839e-3, 1.6270e-1}},
              {0.9, {3.6451e-4, 2.5277e-3, 1.5909e-1}}};
constexpr Errors errors_of_bdf2{1.0236e-3, 6.9538e-3, 4.4209e-1};

std::vector<Claim> alpha_against_bdf2(Context&) {
  std::vector<Claim> claims;
  const Run bdf2 = run({.method = "bliedf2", .n = 8000});
  claims.push_back(value_claim("wieloch-21.bdf2.values", "BDF2 on R^3 x SO(3), errors for n = 8000",
                               errors_of_bdf2, bdf2.largest, 8000));
  Json measured{{"BDF2", numbers(bdf2.largest, true)}};
  bool q_better = true, lambda_worse = true;
  for (const auto& row : by_rho) {
    const Run r = run({.method = "generalised-alpha", .n = 8000, .settings = {{"rho", row.rho}}});
    claims.push_back(value_claim(
        fmt::format("wieloch-21.rho{}.values", row.rho),
        fmt::format("generalised-alpha on R^3 x SO(3), rho = {}, errors for n = 8000", row.rho),
        row.errors, r.largest, 8000));
    measured[fmt::format("rho = {}", row.rho)] = numbers(r.largest, true);
    if (row.rho == 0.0) continue;
    q_better = q_better && bdf2.largest.q < r.largest.q;
    lambda_worse = lambda_worse && bdf2.largest.lambda > r.largest.lambda;
  }
  claims.push_back(list_claim(
      "wieloch-21.q", "Fig. 6.7: on R^3 x SO(3) BDF2 is more accurate in q than generalised-alpha",
      "error of q: BDF2 below generalised-alpha", measured, nullptr, q_better,
      "rho is not stated. For rho = 0.1 to 0.9 generalised-alpha is more accurate in q, for rho = "
      "0 "
      "less, but then in lambda too: no rho gives both statements on the figure"));
  claims.push_back(fact_claim(
      "wieloch-21.lambda",
      "Fig. 6.7: generalised-alpha is more accurate in lambda than BDF2 (here for rho >= 0.1)",
      lambda_worse));
  return claims;
}

}  // namespace

std::vector<Experiment> alpha_experiments() {
  return {
      experiment(
          13, "Generalised-alpha, corrected and given start values", 1.5, start_of_alpha,
          Basis::printed("section 3.3.2"),
          {{"values", Basis::own("another program in 80-bit arithmetic")},
           {"slopes", Basis::own("another program in 80-bit arithmetic")},
           {"ggl",
            Basis::own(
                "another program in 80-bit arithmetic; the dissertation only names this form")}}),
      experiment(21, "Generalised-alpha beside BDF2", 1.0, alpha_against_bdf2,
                 Basis::printed("section 6.2, text on Fig. 6.7"),
                 {{"values", Basis::own("another program in 80-bit arithmetic")}})};
}

}  // namespace daedalus::experiments::wieloch
