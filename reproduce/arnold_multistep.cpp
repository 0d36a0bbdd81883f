// SPDX-License-Identifier: BSD-3-Clause
// Partitioned linear multistep methods: claims MS-1 to MS-8 (Figs. 3.10 to 3.12).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <catalogue/index2.hpp>

#include "kernel/plmsm_roots.hpp"
#include "lab/plmsm_quadruple.hpp"
#include "lab/plmsm_study.hpp"
#include "reproduce/arnold.hpp"
#include "reproduce/arnold_support.hpp"

namespace daedalus::experiments::arnold {
namespace {

using plmsm::StudyMethod;
using plmsm::StudySetting;

constexpr const char* own_excitation =
    "the excitation of the thesis is not printed; with ours another program found these numbers";

struct Pair {
  double y = 0.0, z = 0.0;
};

// Errors on the manufactured problem index2-p3, in long double and, where that shows rounding
// errors, in quadruple precision.
template <class Real>
Pair errors_in(const StudySetting& s) {
  const auto e = plmsm::study<Real>(plmsm::HessenbergModel<Real, problems::index2::Third>{}, s);
  return {static_cast<double>(e.max_y()), static_cast<double>(e.max_w())};
}

Pair study_errors(StudyMethod method, int k, int steps, int correctors = 2) {
  StudySetting s;
  s.method = method;
  s.k = k;
  s.steps = steps;
  s.correctors = correctors;
  return k >= 6 ? errors_in<plmsm::Quadruple>(s) : errors_in<long double>(s);
}

Pair study_orders(StudyMethod method, int k, int correctors = 2, int steps = 80) {
  const Pair coarse = study_errors(method, k, steps, correctors),
             fine = study_errors(method, k, 2 * steps, correctors);
  return {std::log2(coarse.y / fine.y), std::log2(coarse.z / fine.z)};
}

Claim order_claim(const std::string& id, const std::string& text, Pair elsewhere, Pair measured,
                  std::string remark = {}) {
  return list_claim(
      id, text + ": orders in y and z between 80 and 160 steps", Json{elsewhere.y, elsewhere.z},
      Json{measured.y, measured.z}, 0.2,
      std::abs(elsewhere.y - measured.y) <= 0.2 && std::abs(elsewhere.z - measured.z) <= 0.2,
      std::move(remark));
}

std::vector<Claim> adams_orders(Context&) {
  std::vector<Claim> claims;
  const Pair elsewhere[] = {{1.99, 0.98}, {3.90, 2.00}, {3.95, 2.83}, {4.94, 4.00},
                            {5.86, 4.38}, {6.92, 5.99}, {8.62, 7.51}, {8.88, 7.96}};
  for (int k = 1; k <= 8; ++k) {
    const Pair r = study_orders(StudyMethod::adams_type, k);
    claims.push_back(order_claim(
        fmt::format("arnold-MS-1.{}", k), fmt::format("index2-p3, Adams type k = {}", k),
        elsewhere[k - 1], r,
        k == 2 || k == 7 ? "above the nominal order on this problem, where errors cancel" : ""));
    if (k == 2 || k == 5 || k == 7) continue;
    claims.push_back(list_claim(fmt::format("arnold-MS-1.{}.nominal", k),
                                fmt::format("Adams type k = {}: order k + 1 in y, k in z", k),
                                Json{k + 1, k}, Json{r.y, r.z}, 0.2,
                                std::abs(r.y - (k + 1)) <= 0.2 && std::abs(r.z - k) <= 0.2));
  }
  return claims;
}

std::vector<Claim> correctors(Context&) {
  std::vector<Claim> claims;
  for (const int k : {2, 3, 4}) {
    const Pair r = study_orders(StudyMethod::adams_type, k, 1, 320);
    claims.push_back(list_claim(
        fmt::format("arnold-MS-2.one.{}", k),
        fmt::format("k = {}: one corrector step keeps the orders {} and {} (320 and 640 steps)", k,
                    k + 1, k),
        Json{k + 1, k}, Json{r.y, r.z}, 0.2, r.y >= k + 0.8 && r.z >= k - 0.2));
  }
  for (const int k : {2, 3, 4, 6}) {
    const Pair two = study_errors(StudyMethod::adams_type, k, 160, 2),
               four = study_errors(StudyMethod::adams_type, k, 160, 4);
    claims.push_back(list_claim(fmt::format("arnold-MS-2.more.{}", k),
                                fmt::format("k = {}: more than two corrector steps change the "
                                            "error only slightly (ratio in y)",
                                            k),
                                1.0, four.y / two.y, 0.02, std::abs(four.y / two.y - 1.0) <= 0.02,
                                k == 2
                                    ? "on this problem the errors of two corrector steps cancel: "
                                      "another program found a factor of 7 as well"
                                    : ""));
  }
  return claims;
}

std::vector<Claim> divergence(Context&) {
  std::vector<Claim> claims;
  const double classical = study_errors(StudyMethod::adams_moulton, 2, 40).y,
               type = study_errors(StudyMethod::adams_type, 2, 40).y;
  claims.push_back(
      list_claim("arnold-MS-3.errors",
                 "index2-p3, 40 steps, k = 2: classical Adams-Moulton diverges, Adams "
                 "type does not (errors in y)",
                 "above 1, below 1e-3",
                 Json{std::isfinite(classical) ? Json(classical) : Json("overflow"), type}, Json(),
                 !(classical < 1.0) && type < 1e-3));
  const double elsewhere[] = {1.0, 1.7165, 2.3658, 2.9775};
  for (int k = 1; k <= 4; ++k) {
    const auto x = plmsm::equidistant<double>();
    claims.push_back(number_claim(
        fmt::format("arnold-MS-3.root.{}", k),
        fmt::format("Adams-Moulton k = {}: sigma has a root of this modulus", k), elsewhere[k - 1],
        plmsm::roots(plmsm::adams_moulton(x.data(), k).beta, k).largest(), 5e-5));
  }
  return claims;
}

std::vector<Claim> blocking(Context&) {
  std::vector<Claim> claims;
  const double kappa = plmsm::kappa_of_blocked_adams(3, -0.1);
  claims.push_back(list_claim(
      "arnold-MS-4.kappa", "Adams-Moulton k = 3 with tau = (0.1, -0.3, 0.3, -0.1): kappa > 0.71",
      0.71, kappa, "above, in the second digit", kappa > 0.71 && kappa < 0.72));
  for (int k = 1; k <= 6; ++k) {
    double best = 1e9;
    for (int i = -4000; i <= 4000; ++i)
      if (i != 0) best = std::min(best, plmsm::kappa_of_blocked_adams(k, i * 2.5e-4));
    claims.push_back(list_claim(
        fmt::format("arnold-MS-4.possible.{}", k),
        fmt::format("Adams-Moulton k = {} can{} be blocked: smallest kappa for |gamma| <= 1", k,
                    k <= 3 ? "" : "not"),
        k <= 3 ? "below 1" : "1 or above", best, Json(), k <= 3 ? best < 0.99 : best > 0.999));
  }
  const std::pair<int, Pair> corrected[] = {
      {2, {3.25, 1.99}}, {3, {3.96, 3.01}}, {6, {6.95, 6.01}}};
  for (const auto& [k, elsewhere] : corrected)
    claims.push_back(order_claim(fmt::format("arnold-MS-4.dcbdf.{}", k),
                                 fmt::format("index2-p3, blocked DCBDF k = {}", k), elsewhere,
                                 study_orders(StudyMethod::dcbdf_blocked, k)));
  claims.push_back(order_claim("arnold-MS-4.adams.3", "index2-p3, blocked Adams-Moulton k = 3",
                               {3.95, 3.01}, study_orders(StudyMethod::adams_blocked, 3)));
  const auto x = plmsm::equidistant<double>();
  claims.push_back(fact_claim("arnold-MS-4.dcbdf.limit",
                              "DCBDF: the root condition of rho holds for k = 6 and not for k = 7",
                              plmsm::root_condition(plmsm::bdf(x.data(), 6).alpha, 6) &&
                                  !plmsm::root_condition(plmsm::bdf(x.data(), 7).alpha, 7)));
  return claims;
}

// Relative round-off of lambda, which a step magnifies by 1/h: smaller errors are not compared.
constexpr double round_off_of_lambda = 1e-10;

struct TruckRow {
  const char *label, *method;
  std::map<std::string, double> settings;
  std::vector<std::pair<int, Pair>> elsewhere;
};

void truck_claims(const std::string& id, const std::vector<TruckRow>& rows, double factor,
                  std::vector<Claim>& claims) {
  for (const TruckRow& row : rows)
    for (const auto& [steps, elsewhere] : row.elsewhere) {
      const Run r = constant_steps("truck9", row.method, steps, row.settings);
      claims.push_back(list_claim(
          fmt::format("{}.{}.{}", id, row.label, steps),
          fmt::format("truck9, {}, {} steps: errors (3.80) in y and lambda", row.label, steps),
          Json{elsewhere.y, elsewhere.z}, Json{r.error.y, r.error.z},
          elsewhere.z < round_off_of_lambda
              ? Json{{"factor", factor}, {"lambda", "below round-off, not compared"}}
              : Json{{"factor", factor}},
          within(r.error.y, elsewhere.y, factor) &&
              (elsewhere.z < round_off_of_lambda || within(r.error.z, elsewhere.z, factor)),
          own_excitation));
    }
}

Run truck(const char* method, int steps, const std::map<std::string, double>& settings = {}) {
  return constant_steps("truck9", method, steps, settings);
}

std::vector<Claim> order_four(Context&) {
  std::vector<Claim> claims;
  truck_claims(
      "arnold-MS-5",
      {{"bdf-3", "bdf", {{"order", 3}}, {{400, {5.7e-4, 1.8e-4}}, {800, {7.2e-5, 2.7e-5}}}},
       {"adams-type-3", "adams-type-3", {}, {{400, {9.3e-6, 7.7e-6}}, {800, {4.5e-7, 4.2e-7}}}},
       {"adams-blocked-3",
        "adams-blocked-3",
        {{"gamma", -0.1}},
        {{400, {9.3e-6, 1.7e-5}}, {800, {4.5e-7, 1.5e-6}}}}},
      1.2, claims);
  for (const int n : {400, 800, 1600}) {
    const Run type = truck("adams-type-3", n),
              blocked = truck("adams-blocked-3", n, {{"gamma", -0.1}}),
              bdf = truck("bdf", n, {{"order", 3}});
    claims.push_back(list_claim(fmt::format("arnold-MS-5.equal.{}", n),
                                fmt::format("{} steps: Adams type and beta-blocked are equal in y "
                                            "(ratio)",
                                            n),
                                1.0, blocked.error.y / type.error.y, Json{{"factor", 1.5}},
                                within(blocked.error.y, type.error.y, 1.5)));
    claims.push_back(
        fact_claim(fmt::format("arnold-MS-5.bdf.{}", n),
                   fmt::format("{} steps: both are much better than BDF k = 3 in y (factor 10)", n),
                   10.0 * std::max(type.error.y, blocked.error.y) < bdf.error.y));
    claims.push_back(fact_claim(
        fmt::format("arnold-MS-5.z.{}", n),
        fmt::format("{} steps: Adams type has smaller errors in lambda than beta-blocked", n),
        type.error.z < blocked.error.z));
  }
  return claims;
}

std::vector<Claim> order_five(Context&) {
  std::vector<Claim> claims;
  const Run bdf = truck("bdf", 1600, {{"order", 5}}), adams = truck("adams-type-4", 1600),
            half = truck("hedop5", 800);
  claims.push_back(list_claim("arnold-MS-6.work",
                              "truck9 at 4800 f calls: errors in y of BDF k = 5, Adams type k = 4 "
                              "and HEDOP5 fall in this order",
                              Json{9.5e-9, 1.1e-9, 5.3e-10},
                              Json{bdf.error.y, adams.error.y, half.error.y}, Json{{"factor", 1.2}},
                              within(bdf.error.y, 9.5e-9, 1.2) &&
                                  within(adams.error.y, 1.1e-9, 1.2) &&
                                  within(half.error.y, 5.3e-10, 1.2),
                              own_excitation));
  claims.push_back(list_claim("arnold-MS-6.calls", "f calls of Adams type k = 4 and HEDOP5",
                              Json{4800, 4800}, Json{adams.f(), half.f()}, 30,
                              std::abs(adams.f() - 4800) <= 30 && std::abs(half.f() - 4800) <= 30));
  claims.push_back(fact_claim("arnold-MS-6.z",
                              "BDF k = 5 is not clearly better in lambda than Adams type k = 4, "
                              "although of order 5 there",
                              bdf.error.z > 0.5 * adams.error.z));
  return claims;
}

std::vector<Claim> higher_orders(Context&) {
  std::vector<Claim> claims;
  truck_claims(
      "arnold-MS-7",
      {{"adams-type-2", "adams-type-2", {}, {{400, {8.2e-5, 5.1e-5}}, {800, {1.2e-5, 1.2e-5}}}},
       {"adams-type-4", "adams-type-4", {}, {{400, {8.7e-7, 2.5e-7}}, {800, {3.2e-8, 1.4e-8}}}},
       {"adams-type-6", "adams-type-6", {}, {{400, {1.2e-8, 3.0e-9}}, {800, {1.2e-10, 2.3e-11}}}},
       {"adams-type-8", "adams-type-8", {}, {{400, {2.0e-10, 8.1e-11}}}}},
      1.3, claims);
  std::vector<double> e;
  for (const char* method : {"adams-type-2", "adams-type-4", "adams-type-6", "adams-type-8"})
    e.push_back(truck(method, 400).error.y);
  claims.push_back(list_claim("arnold-MS-7.falling",
                              "400 steps at equal cost: each higher k = 2, 4, 6, 8 gives an error "
                              "in y smaller by a factor 10 at least",
                              "factors above 10", e, Json(),
                              e[0] > 10 * e[1] && e[1] > 10 * e[2] && e[2] > 10 * e[3]));
  return claims;
}

std::vector<Claim> cost(Context&) {
  std::vector<Claim> claims;
  for (const int k : {1, 2, 4, 8}) {
    // Between two numbers of steps, so that the start does not count.
    const std::string method = fmt::format("adams-type-{}", k);
    const Run few = truck(method.c_str(), 400), many = truck(method.c_str(), 800);
    const double n = static_cast<double>(many.statistics.accepted - few.statistics.accepted);
    const double f = static_cast<double>(many.f() - few.f()) / n,
                 systems =
                     static_cast<double>(many.steps.factorisations - few.steps.factorisations) / n;
    claims.push_back(list_claim(fmt::format("arnold-MS-8.{}", k),
                                fmt::format("k = {}, two corrector steps: f calls and linear "
                                            "systems per step",
                                            k),
                                Json{3, 3}, Json{f, systems}, 0, f == 3.0 && systems == 3.0));
  }
  return claims;
}

}  // namespace

std::vector<Experiment> multistep_experiments() {
  const auto e = [](int n, const char* title, double seconds, std::vector<Claim> (*run)(Context&),
                    Basis basis, Parts parts = {}) -> Experiment {
    return {.id = fmt::format("arnold-MS-{}", n),
            .title = title,
            .source = source,
            .basis = std::move(basis),
            .parts = std::move(parts),
            .seconds = seconds,
            .run = run};
  };
  return {
      e(1, "Orders of the Adams type (Corollary 5)", 0.1, adams_orders,
        Basis::own("another program in 40-digit arithmetic on a problem of ours"),
        {{"nominal", Basis::theorem("Corollary 5")}}),
      e(2, "Number of corrector steps", 0.1, correctors, Basis::printed("section 3.3.3")),
      e(3, "Classical Adams-Moulton diverges", 0.01, divergence, Basis::printed("section 3.3.3"),
        {{"root", Basis::own("roots of sigma by another program")}}),
      e(4, "Beta-blocking", 0.5, blocking, Basis::printed("Remark 31 b and section 3.3.3"),
        {{"dcbdf.limit", Basis::printed("section 3.3.3: k <= 6")},
         {"dcbdf", Basis::own("another program in 40-digit arithmetic on a problem of ours")},
         {"adams", Basis::own("another program in 40-digit arithmetic on a problem of ours")}}),
      e(5, "Order 4 on the truck (Fig. 3.11)", 0.5, order_four,
        Basis::printed("section 3.3.3, text on Fig. 3.11"),
        {{"bdf-3", Basis::own("another program with an excitation of ours")},
         {"adams-type-3", Basis::own("another program with an excitation of ours")},
         {"adams-blocked-3", Basis::own("another program with an excitation of ours")}}),
      e(6, "Order 5 on the truck (Fig. 3.12)", 0.3, order_five,
        Basis::printed("section 3.3.3, text on Fig. 3.12"),
        {{"work", Basis::own("another program with an excitation of ours")},
         {"calls", Basis::own("work at which the errors are compared")}}),
      e(7, "Higher orders on the truck (Fig. 3.10)", 0.3, higher_orders,
        Basis::own("another program with an excitation of ours"),
        {{"falling", Basis::printed("section 3.3.3, text on Fig. 3.10")}}),
      e(8, "Cost per step", 0.1, cost, Basis::printed("section 3.3.3"))};
}

}  // namespace daedalus::experiments::arnold
