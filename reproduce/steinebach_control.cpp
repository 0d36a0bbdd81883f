// SPDX-License-Identifier: BSD-3-Clause
// Counters and step-size control: claims 12 and 13.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/steinebach.hpp"
#include "reproduce/steinebach_support.hpp"

namespace daedalus::experiments::steinebach {
namespace {

// Evaluations per step.
long stages_that_evaluate(const std::string& method) {
  if (method == "dae4sf-1988" || method == "dae33ns") return 4;
  if (method == "dae34ns") return 6;
  return method == "dae3ns" ? 3 : 2;
}

std::vector<Claim> counters(Context& context) {
  std::vector<Claim> claims;
  long columns = 0, columns_agree = 0, runs = 0, calls_agree = 0, jacobians_agree = 0;
  for (const Table& table : example_tables())
    for (const Column& c : table.columns) {
      if (c.method.empty()) continue;
      if (context.note) context.note("counters of " + c.label + ", table " + table.name);
      const long s = stages_that_evaluate(c.method);
      const bool stopped = c.last_time < table.t_end;
      const bool approach_b = method(c.method).view == View::partitioned;
      const auto own = [&](long accepted, long rejected) {
        return accepted * s + rejected * (s - 1) + (stopped && approach_b ? 1 : 0);
      };
      const auto total = [&](long accepted, long rejected) {
        return own(accepted, rejected) + table.unknowns * (accepted + (stopped ? 1 : 0)) +
               (stopped && !approach_b ? 1 : 0);
      };
      ++columns;
      columns_agree +=
          c.own == own(c.accepted, c.rejected) && c.total == total(c.accepted, c.rejected);
      const Run r = run(table, c);
      ++runs;
      calls_agree +=
          r.own == own(r.accepted, r.rejected) && r.total == total(r.accepted, r.rejected);
      jacobians_agree += r.jacobians == r.accepted + (stopped ? 1 : 0);
    }
  claims.push_back(list_claim(
      "steinebach-12.tables",
      "Printed numbers of evaluations follow from printed steps: acc s + rej (s - 1) by the "
      "method, n acc more for Jacobians; runs that stop have begun one more step (columns that "
      "agree)",
      columns, columns_agree, 0, columns_agree == columns));
  claims.push_back(list_claim("steinebach-12.runs",
                              "The same holds for the counters of our runs (columns that agree)",
                              runs, calls_agree, 0, calls_agree == runs));
  claims.push_back(
      list_claim("steinebach-12.jacobians",
                 "One Jacobian per accepted step, kept after rejections (columns that agree)", runs,
                 jacobians_agree, 0, jacobians_agree == runs));
  return claims;
}

// (7.6), (7.7) written anew on single attempts, without the library's control.
struct Rule {
  double power_y, power_z;
  bool look_ahead = true;
};

Rule rule_of(const std::string& name) {
  if (name == "dae33ns") return {3.0, 3.0};
  if (name == "dae4sf-1988" || name == "dae34ns") return {4.0, 3.0};
  return {3.0, 2.0};
}

struct Loop {
  Run run;
  std::vector<double> steps;  // accepted
};

Loop loop_by_hand(const Table& table, const std::string& name, const Rule& rule,
                  double increment_of_differences = increment) {
  Bench bench(method(name), catalogue_problem(table.problem), "", increment_of_differences);
  Loop result;
  const Eigen::Index ny = bench.differential_count();
  Eigen::VectorXd scale = bench.state().cwiseAbs().cwiseMax(1.0);
  double h = table.first_step, t = 0.0;
  while (t < table.t_end) {
    const double rest = table.t_end - t;
    double now = std::min(h, rest);
    if (rule.look_ahead && h < rest && 2.0 * h > rest) now = 0.5 * rest;
    if (now < rest) now = (t + now) - t;  // what the rounded times leave of it
    double ratio = 0.5;
    bool accepted = false;
    Eigen::VectorXd larger = scale;
    if (bench.attempt(now)) {
      larger = scale.cwiseMax(bench.trial().cwiseAbs());
      const Eigen::VectorXd e = bench.estimate().cwiseAbs().cwiseQuotient(larger);
      const double e_y = std::max(e.head(ny).maxCoeff(), 1e-30),
                   e_z = std::max(e.tail(e.size() - ny).maxCoeff(), 1e-30);
      ratio = 0.9 * std::min(std::pow(table.tolerance / e_y, 1.0 / rule.power_y),
                             std::pow(table.tolerance / e_z, 1.0 / rule.power_z));
      ratio = std::isfinite(ratio) ? std::clamp(ratio, 0.5, 1.5) : 0.5;
      accepted = std::max(e_y, e_z) <= table.tolerance;
    }
    h = ratio * now;
    if (!accepted) {
      ++result.run.rejected;
      if (h > min_step_share * table.t_end) continue;
      result.run.status = Status::step_too_small;
      break;
    }
    bench.accept();
    scale = larger;
    t = now >= rest ? table.t_end : t + now;
    ++result.run.accepted;
    result.steps.push_back(now);
  }
  result.run.t = t;
  result.run.end = bench.state();
  return result;
}

// With exact derivatives: differences would amplify rounding.
std::vector<double> steps_of_library(const Table& table, const std::string& name) {
  std::vector<double> steps;
  Options o = report_options(name, table.tolerance, table.first_step);
  o.min_step = min_step_share * table.t_end;
  o.difference_increment = 0.0;
  o.trace = [&steps](const StepRecord& r) {
    if (r.outcome == "accepted") steps.push_back(r.h);
  };
  (void)solve(catalogue_problem(table.problem), {0.0, table.t_end}, o);
  return steps;
}

struct Agreement {
  int counts = 0, errors = 0, columns = 0;
};

// How many columns of the six tables the rule meets.
Agreement agreement(bool look_ahead) {
  Agreement a;
  for (const Table& table : example_tables())
    for (const Column& c : table.columns) {
      if (c.method.empty()) continue;
      Rule rule = rule_of(c.method);
      rule.look_ahead = look_ahead;
      const Run r = loop_by_hand(table, c.method, rule).run;
      ++a.columns;
      a.counts += same_steps(c, r);
      a.errors += same_errors(table, c, r);
    }
  return a;
}

// What the tables say about the exponents 1/p_y and 1/p_z.
void add_exponents(std::vector<Claim>& claims) {
  const Table& strict = example_table("2b-strict");
  const struct {
    const char* method;
    double z;
    long steps, slack;
  } others[] = {{"dae4sf-1988", 2, 180, 0}, {"dae4sf-1988", 4, 193, 0}, {"dae3s", 3, 942, 0},
                {"dae34ns", 2, 173, 1},     {"dae34ns", 4, 185, 1},     {"dae33ns", 2, 357, 0},
                {"dae33ns", 4, 383, 0},     {"dae3ns", 3, 428, 0}};
  for (const auto& o : others) {
    const Rule rule{rule_of(o.method).power_y, o.z};
    claims.push_back(number_claim(
        fmt::format("steinebach-13.exponents.{}.{}", o.method, o.z),
        fmt::format("{} with the exponent 1/{} for z takes other steps than table 2b, tolerance "
                    "1e-6",
                    o.method, o.z),
        static_cast<double>(o.steps),
        static_cast<double>(loop_by_hand(strict, o.method, rule).run.accepted),
        static_cast<double>(o.slack)));
  }
  for (const char* name : {"dae4sf-1988", "dae3s", "dae34ns", "dae33ns", "dae3ns"}) {
    const auto agreeing = [&](const Rule& rule) {
      int count = 0;
      for (const Table& table : example_tables())
        for (const Column& c : table.columns) {
          if (c.method != name) continue;
          const Run r = loop_by_hand(table, name, rule).run;
          count += same_steps(c, r) + same_errors(table, c, r);
        }
      return count;
    };
    const int own = agreeing(rule_of(name));
    int best = 0, equal = 0;
    for (const double y : {2.0, 3.0, 4.0, 5.0})
      for (const double z : {1.0, 2.0, 3.0, 4.0}) {
        const Rule rule{y, z};
        if (y == rule_of(name).power_y && z == rule_of(name).power_z) continue;
        const int other = agreeing(rule);
        best = std::max(best, other);
        equal += other == own;
      }
    Claim claim = fact_claim(
        fmt::format("steinebach-13.best.{}", name),
        fmt::format("{}: no other pair 1/2..1/5 for y, 1..1/4 for z meets more steps and errors of "
                    "the tables than the one in use",
                    name),
        own >= best);
    claim.remark = fmt::format("{} agreements; {} other pairs have as many", own, equal);
    claims.push_back(std::move(claim));
  }
}

std::vector<Claim> control(Context& context) {
  std::vector<Claim> claims;
  if (context.note) context.note("the control against a loop written anew");
  double difference = 0.0;
  bool same_count = true, ratios = true;
  for (const char* name : {"2b-strict", "1a"}) {
    const Table& table = example_table(name);
    for (const Column& c : table.columns) {
      if (c.method.empty()) continue;
      const std::vector<double> ours = steps_of_library(table, c.method),
                                by_hand =
                                    loop_by_hand(table, c.method, rule_of(c.method), 0.0).steps;
      same_count = same_count && ours.size() == by_hand.size();
      for (std::size_t i = 0; i < std::min(ours.size(), by_hand.size()); ++i)
        difference = std::max(difference, std::abs(ours[i] / by_hand[i] - 1.0));
      for (std::size_t i = 1; i + 2 < ours.size(); ++i)
        ratios = ratios && ours[i] <= 1.5 * ours[i - 1] * (1.0 + 1e-12);
    }
  }
  claims.push_back(fact_claim(
      "steinebach-13.count",
      "The control takes as many steps as 0.9 h min((TOL/EST_y)^(1/p), (TOL/EST_z)^(1/(p-1))) "
      "within [0.5 h, 1.5 h], running maxima as scale and the look-ahead of two steps at the end",
      same_count));
  claims.push_back(number_claim("steinebach-13.steps",
                                "and the same ones (largest relative difference)", 0.0, difference,
                                1e-7));
  claims.push_back(
      fact_claim("steinebach-13.growth", "No step is more than 1.5 times the one before", ratios));
  const Agreement ahead = agreement(true), plain = agreement(false);
  const Json columns = ahead.columns;
  claims.push_back(list_claim("steinebach-13.look-ahead",
                              "With the look-ahead 21 to 23 of 29 columns have the printed steps "
                              "and 23 to 25 the printed errors",
                              {21, 23}, {ahead.counts, ahead.errors}, "at least",
                              ahead.counts >= 21 && ahead.errors >= 23));
  claims.push_back(list_claim("steinebach-13.plain-end",
                              "With h = min(h, rest) only 14 to 15 columns have the printed steps "
                              "and 8 to 9 the printed errors",
                              {15, 9}, {plain.counts, plain.errors}, "at most",
                              plain.counts <= 15 && plain.errors <= 9));
  claims.push_back(
      list_claim("steinebach-13.columns", "Columns compared", 29, columns, 0, columns == 29));
  if (context.note) context.note("other exponents");
  add_exponents(claims);
  return claims;
}

}  // namespace

std::vector<Experiment> control_experiments() {
  return {
      {.id = "steinebach-12",
       .title = "Counters of evaluations",
       .source = source,
       .basis = Basis::own(
           "rule of counting found in the tables of section 8.1, which all columns obey"),
       .seconds = 0.1,
       .run = counters},
      {.id = "steinebach-13",
       .title = "Step-size control",
       .source = source,
       .basis = Basis::printed("section 7.1, (7.6), (7.7)"),
       .parts = {{"look-ahead",
                  Basis::own("end of the interval, not stated: rules tried by another program")},
                 {"plain-end",
                  Basis::own("end of the interval, not stated: rules tried by another program")},
                 {"columns", Basis::own("columns of section 8.1 that can be run")},
                 {"exponents", Basis::own("exponents tried by another program")},
                 {"best",
                  Basis::own("exponents, not stated for each method: which fit the tables best")}},
       .seconds = 0.3,
       .run = control}};
}

}  // namespace daedalus::experiments::steinebach
