// SPDX-License-Identifier: BSD-3-Clause
// Step counts of DAE2SOL for the linear example: claims R12, R13.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reproduce/tischendorf.hpp"
#include "reproduce/tischendorf_program.hpp"

namespace daedalus::experiments::tischendorf {
namespace {

const std::vector<double> tolerances{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
const std::vector<long> printed_1{22, 24, 28, 31, 35, 38}, printed_2{22, 26, 36, 40, 47, 676};

std::vector<Run> runs(const Setting& setting) {
  std::vector<Run> all;
  for (const double tolerance : tolerances)
    all.push_back(run("tischendorf-linear", 1.0, tolerance, setting));
  return all;
}

// As the thesis seems to count: the first step is three steps of implicit Euler, one of length h
// and two of h / 2. With one instead of three every number of Control 1 would be two too small.
std::vector<long> counted(const std::vector<Run>& all) {
  std::vector<long> list;
  for (const Run& r : all) list.push_back(r.accepted + 2);
  return list;
}

bool near_all(const std::vector<long>& a, const std::vector<long>& b, long distance) {
  bool near = true;
  for (std::size_t i = 0; i < a.size(); ++i) near = near && std::abs(a[i] - b[i]) <= distance;
  return near;
}

std::vector<Claim> control_1(Context&) {
  std::vector<Claim> claims;
  const std::vector<Run> all = runs({});
  const std::vector<long> steps = counted(all);
  const bool near = near_all(steps, printed_1, 1);
  bool ended = true;
  for (const Run& r : all) ended = ended && r.status == Status::success;
  claims.push_back(list_claim(
      "tischendorf-R12.steps", "linear example, Control 1: steps for tolerances 1e-1 to 1e-6",
      printed_1, steps, 1, near,
      "the interval and the rules for the step are not stated: [-1, 1], at most a twentieth of the "
      "interval, beginning with that; the first test as printed; its three steps of implicit Euler "
      "are counted. At 1e-6 " +
          spread("tischendorf-linear", 1.0, 1e-6)));
  const std::vector<long> projected = counted(runs({.first_test_of_all = false}));
  claims.push_back(list_claim(
      "tischendorf-R12.first-test",
      "the printed growth with the tolerance needs a first test of all variables: with P x alone "
      "1e-6 takes less than 10 steps more than 1e-2",
      "below 10", projected, Json(), projected[5] - projected[1] < 10));
  claims.push_back(
      number_claim("tischendorf-R12.decade",
                   "a tenth of the tolerance costs log2(10) steps more (mean of 1e-2 to 1e-6)",
                   static_cast<double>(printed_1[5] - printed_1[1]) / 4.0,
                   static_cast<double>(steps[5] - steps[1]) / 4.0, 0.5));
  claims.push_back(fact_claim("tischendorf-R12.success", "all runs reach the end", ended));
  // Order 1 is wrong by the current step size, order 2 and more are exact.
  Options o =
      constant_steps(1, 0.05, [](double t, Out y) { y = exact_at("tischendorf-linear", t); });
  Solution s = solve(catalogue_problem("tischendorf-linear"), {-1.0, 1.0}, o);
  claims.push_back(
      number_claim("tischendorf-R12.order-1", "order 1: x1 and x2 are wrong by the step size 0.05",
                   0.05, (s.end().y() - exact_at("tischendorf-linear", 1.0)).maxCoeff(), 1e-9));
  o.method_options["order"] = 2;
  s = solve(catalogue_problem("tischendorf-linear"), {-1.0, 1.0}, o);
  claims.push_back(number_claim(
      "tischendorf-R12.order-2", "order 2: exact up to rounding", 0.0,
      (s.end().y() - exact_at("tischendorf-linear", 1.0)).cwiseAbs().maxCoeff(), 1e-9));
  return claims;
}

std::vector<Claim> control_2(Context& context) {
  std::vector<Claim> claims;
  const std::vector<long> first = counted(runs({}));
  if (context.note) context.note("Control 2");
  const std::vector<Run> all = runs({.mode = 2});
  const std::vector<long> second = counted(all);
  bool more = true;
  for (std::size_t i = 0; i < first.size(); ++i) more = more && second[i] >= first[i];
  claims.push_back(list_claim("tischendorf-R13.more",
                              "Control 2 takes at least as many steps as Control 1 for every "
                              "tolerance",
                              first, second, "at least", more));
  const bool stalls = all.back().status != Status::success;
  claims.push_back(list_claim(
      "tischendorf-R13.explosion",
      "at 1e-6 it takes over 5 times as many (printed: 676 against 38) and gets to the end",
      676.0 / 38.0, static_cast<double>(second.back()) / static_cast<double>(first.back()),
      "above 5", !stalls && second.back() > 5 * first.back(),
      stalls ? fmt::format("stopped after {} attempts at t = {:.4f}", max_attempts, all.back().t)
             : ""));
  const char* const why =
      "what the program does after a rejection is not stated, and in x1 and x2 the estimate jumps "
      "by the change of the step: which steps follow depends on that rule alone";
  claims.push_back(list_claim(
      "tischendorf-R13.steps", "Control 2: steps for tolerances 1e-1 to 1e-6", printed_2, second, 4,
      near_all(second, printed_2, 4),
      fmt::format("{}. With h times eta, as printed: {}", why,
                  fmt::join(counted(runs({.control = "dae2sol-printed", .mode = 2})), ", "))));
  return claims;
}

}  // namespace

std::vector<Experiment> linear_experiments() {
  return {
      {.id = "tischendorf-R12",
       .title = "Linear example, Control 1",
       .source = source,
       .basis = Basis::printed("section 4.5, table of the linear example"),
       .parts = {{"first-test", Basis::own("readings of the first step run by another program")},
                 {"order-1", Basis::own("closed form of the BDF solution derived by us")},
                 {"order-2", Basis::own("closed form of the BDF solution derived by us")}},
       .seconds = 0.01,
       .run = control_1},
      {.id = "tischendorf-R13",
       .title = "Linear example, Control 2",
       .source = source,
       .basis = Basis::printed("section 4.5, table of the linear example"),
       .seconds = 0.1,
       .run = control_2}};
}

}  // namespace daedalus::experiments::tischendorf
