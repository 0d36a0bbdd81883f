// SPDX-License-Identifier: BSD-3-Clause
// Systems that are not separated: Lemma 9.6, (9.9), the amplifier; claims 14 to 17.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulation/separated_system.hpp"
#include "reproduce/steinebach.hpp"
#include "reproduce/steinebach_support.hpp"

namespace daedalus::experiments::steinebach {
namespace {

// Columns "with SVD" are the formulation separated.
const Table& linear_table() {
  static const Table table{
      "9.9",
      "steinebach-linear",
      2.0,
      1e-4,
      1e-3,
      2,
      true,
      {{"DAE4SF without SVD", "dae4sf-1988", "auto", 0.0158, 2.0, 18, 0, 108, 72, {8.5e-4, 5.4e-4}},
       {"DAE4SF with SVD",
        "dae4sf-1988",
        "separated",
        0.0260,
        2.0,
        18,
        0,
        108,
        72,
        {8.4e-4, 5.4e-4}},
       {"DAE34NS with SVD", "dae34ns", "separated", 0.0273, 2.0, 18, 0, 144, 108, {1.7e-5, 1.1e-5}},
       {"DASSL without SVD", "", "auto", 0.0329, 2.0, 27, 1, 73, 49, {4.2e-4, 2.7e-4}}}};
  return table;
}

const Table& constant_input_table() {
  static const Table table{
      "amplifier-a",
      "amplifier-dc",
      1.0,
      1e-4,
      1e-9,
      8,
      false,
      {{"DAE4SF with SVD", "dae4sf-1988", "separated", 1.199, 1.0, 97, 17, 1215, 439, {}},
       {"DAE34NS with SVD", "dae34ns", "separated", 24.211, 1.0, 1940, 1054, 32430, 16910, {}},
       {"DAE4SF without SVD", "dae4sf-1988", "auto", 0.772, 1.0, 108, 20, 1356, 492, {}},
       {"DASSL without SVD", "", "auto", 0.807, 1.0, 198, 15, 810, 466, {}}}};
  return table;
}

const Table& sine_table() {
  static const Table table{
      "amplifier-b",
      "amplifier-100hz",
      0.1,
      1e-4,
      1e-9,
      9,
      false,
      {{"DAE4SF with SVD", "dae4sf-1988", "separated", 11.941, 0.1, 734, 133, 9942, 3335, {}},
       {"DAE34NS with SVD", "dae34ns", "separated", 13.335, 0.1, 1000, 141, 15706, 6706, {}},
       {"DAE4SF without SVD", "dae4sf-1988", "auto", 6.687, 0.1, 750, 119, 10107, 3357, {}},
       {"DASSL without SVD", "", "auto", 5.043, 0.1, 1009, 180, 5512, 2608, {}}}};
  return table;
}

// Numbers of a column that the report does not determine, side by side.
Claim beside(const std::string& id, const Table& table, const Column& c, const Run& r,
             const char* why) {
  Claim claim = open_claim(
      fmt::format("{}.{}.{}.printed", id, table.name, c.label),
      fmt::format("Table {}, {}: steps and evaluations as printed", table.name, c.label), why);
  claim.expected = Json{c.accepted, c.rejected, c.total, c.own};
  claim.measured = Json{r.accepted, r.rejected, r.total, r.own};
  return claim;
}

std::vector<Claim> lemma(Context&) {
  std::vector<Claim> claims;
  for (const char* name : {"dae4sf", "dae4sf-1988", "dae3s"}) {
    const Problem problem = catalogue_problem("transistor-amplifier");
    Bench direct(method(name), problem), separated(method(name), problem, "separated");
    const double h = 1e-5;
    if (!direct.attempt(h) || !separated.attempt(h)) throw InvalidArgument("a step failed");
    direct.accept();
    separated.accept();
    claims.push_back(number_claim(
        std::string("steinebach-14.step.") + name,
        fmt::format("Lemma 9.6, {}: one step on the amplifier, direct and separated (largest "
                    "difference)",
                    name),
        0.0, (direct.model_state() - separated.model_state()).cwiseAbs().maxCoeff(), 6e-14));
  }
  const Table& table = sine_table();
  const Run with = run(table, table.columns[0]), without = run(table, table.columns[2]);
  Claim more = fact_claim(
      "steinebach-14.more-steps",
      "Without separation, with the control (9.8), DAE4SF takes slightly more steps on amplifier b",
      without.accepted > with.accepted && without.accepted < 1.1 * with.accepted);
  more.remark = fmt::format("{} steps without, {} with", without.accepted, with.accepted);
  claims.push_back(std::move(more));
  return claims;
}

std::vector<Claim> linear_example(Context& context) {
  std::vector<Claim> claims;
  const Table& table = linear_table();
  compare(table, "steinebach-15",
          {{"DAE4SF with SVD/errors",
            "8.6e-4 here, as without SVD: by Lemma 9.6 both take the same steps. The report prints "
            "8.5e-4 without and 8.4e-4 with SVD"}},
          context, claims);
  const struct {
    int column;
    double y1, y2;
  } recomputed[] = {{0, 8.6e-4, 5.4e-4}, {1, 8.6e-4, 5.4e-4}, {2, 1.7e-5, 1.1e-5}};
  for (const auto& v : recomputed) {
    const Column& c = table.columns[static_cast<std::size_t>(v.column)];
    const Eigen::VectorXd e = errors_of(table, run(table, c));
    claims.push_back(list_claim(
        "steinebach-15.recomputed." + c.label,
        "Relative errors of an independent run of the same algorithm, " + c.label, {v.y1, v.y2},
        {e[0], e[1]}, "half a unit of the second digit",
        std::abs(e[0] - v.y1) <= 0.05 * std::pow(10.0, std::floor(std::log10(v.y1))) &&
            std::abs(e[1] - v.y2) <= 0.05 * std::pow(10.0, std::floor(std::log10(v.y2)))));
  }
  return claims;
}

Eigen::VectorXd accurate_end(const std::string& name, double t_end, double tolerance) {
  Options o{.method = "rodas5p", .rtol = tolerance, .atol = tolerance, .output = Output::end};
  return solve(catalogue_problem(name), {0.0, t_end}, o).end().y();
}

std::vector<Claim> sine_input(Context& context) {
  std::vector<Claim> claims;
  const std::string id = "steinebach-16";
  const Table& table = sine_table();
  const auto problem = std::get<MassMatrixProblem>(catalogue_problem("amplifier-100hz"));
  const Separation s = separate(Eigen::MatrixXd(problem.mass_matrix));
  claims.push_back(
      number_claim(id + ".rank", "The matrix of capacitances has rank 5", 5.0, s.rank, 0.0));
  for (const Column& c : table.columns) {
    if (c.method.empty()) continue;
    if (context.note) context.note("amplifier b, " + c.label);
    const Run r = run(table, c);
    const auto expected = static_cast<double>(c.accepted);
    const std::string stem = id + "." + c.label;
    claims.push_back(number_claim(stem + ".accepted",
                                  "Amplifier b, " + c.label + ": accepted steps, to 2 %", expected,
                                  static_cast<double>(r.accepted), 0.02 * expected));
    claims.push_back(list_claim(stem + ".rejected",
                                "Amplifier b, " + c.label +
                                    ": rejected steps between 100 and 170, depending on the "
                                    "increment of the differences",
                                {100, 170}, r.rejected, "between",
                                r.rejected >= 100 && r.rejected <= 170));
    claims.push_back(beside(id, table, c, r,
                            "the report does not give the increment of the differences, on which "
                            "the steps depend by some percent; evaluations follow from the steps"));
  }
  if (context.note) context.note("amplifier, accurate solutions");
  const struct {
    const char* name;
    double t_end;
    const char* what;
  } references[] = {{"amplifier-100hz", 0.1, "b) 100 Hz at t = 0.1"},
                    {"amplifier-1khz", 0.01, "c) 1000 Hz at t = 0.01"},
                    {"transistor-amplifier", 0.2, "the published start values at t = 0.2"}};
  for (const auto& r : references)
    claims.push_back(number_claim(
        id + ".reference." + r.name,
        fmt::format("Reference, {}: largest difference of rodas5p with tolerance 1e-10", r.what),
        0.0,
        (accurate_end(r.name, r.t_end, 1e-10) - exact_at(r.name, r.t_end)).cwiseAbs().maxCoeff(),
        1e-8));
  Options o{.method = "rodas5p", .rtol = 1e-7, .atol = 1e-7, .output = Output::steps};
  const Solution swing = solve(problem, {0.0, 0.1}, o);
  double least = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < swing.times().size(); ++i)
    if (swing.times()[i] >= 0.09) {
      least = std::min(least, swing.state(i)["U8"]);
      largest = std::max(largest, swing.state(i)["U8"]);
    }
  claims.push_back(
      number_claim(id + ".least", "Smallest output U8 in the last period", -3.02, least, 0.01));
  claims.push_back(
      number_claim(id + ".largest", "Largest output U8 in the last period", 1.45, largest, 0.01));
  list_open(table, id, claims);
  return claims;
}

std::vector<Claim> constant_input(Context& context) {
  std::vector<Claim> claims;
  const std::string id = "steinebach-17";
  const Table& table = constant_input_table();
  const char* const why =
      "the report chose consistent start values without stating them, and they decide how many "
      "steps the transient takes";
  for (const Column& c : table.columns) {
    if (c.method.empty()) continue;
    if (context.note) context.note("amplifier a, " + c.label);
    const Run r = run(table, c);
    const std::string stem = id + "." + c.label;
    if (c.method == "dae34ns") {
      claims.push_back(list_claim(stem + ".accepted",
                                  "Amplifier a: DAE34NS is limited by stability, about 1900 to "
                                  "1940 accepted steps",
                                  {1900, 1940}, r.accepted, "between",
                                  r.accepted >= 1900 && r.accepted <= 1940));
      claims.push_back(list_claim(stem + ".rejected", "and 1040 to 1055 rejected ones",
                                  {1040, 1055}, r.rejected, "between",
                                  r.rejected >= 1040 && r.rejected <= 1055));
    } else {
      claims.push_back(list_claim(stem + ".accepted",
                                  "Amplifier a, " + c.label + ": fewer than 110 accepted steps",
                                  110, r.accepted, "below", r.accepted < 110));
    }
    claims.push_back(fact_claim(stem + ".output",
                                "Amplifier a, " + c.label + ": the output U8 has fallen to zero",
                                r.status == Status::success && std::abs(r.end[7]) < 1e-3));
    claims.push_back(beside(id, table, c, r, why));
  }
  list_open(table, id, claims);
  return claims;
}

}  // namespace

std::vector<Experiment> amplifier_experiments() {
  return {
      {.id = "steinebach-14",
       .title = "Direct and separated form take the same steps (Lemma 9.6)",
       .source = source,
       .basis = Basis::theorem("Lemma 9.6"),
       .parts = {{"more-steps", Basis::printed("section 9.1, (9.8)")}},
       .seconds = 0.05,
       .run = lemma},
      {.id = "steinebach-15",
       .title = "Linear example (9.9) that is not separated",
       .source = source,
       .basis = Basis::printed("section 9.1, table of example (9.9)"),
       .parts = {{"recomputed", Basis::own("another program of the algorithm of section 7.1")}},
       .seconds = 0.01,
       .run = linear_example},
      {.id = "steinebach-16",
       .title = "Amplifier b and c: sine input",
       .source = source,
       .basis = Basis::printed("section 9.2, table b"),
       .parts = {{"rejected",
                  Basis::own("another program with four increments of the differences")},
                 {"reference.transistor-amplifier",
                  Basis::public_set("test set for initial value problems: transistor amplifier")},
                 {"reference", Basis::own("RODAS5P of another program, tolerances 1e-9 and 1e-10")},
                 {"least", Basis::own("RODAS5P of another program")},
                 {"largest", Basis::own("RODAS5P of another program")}},
       .seconds = 0.3,
       .run = sine_input},
      {.id = "steinebach-17",
       .title = "Amplifier a: constant input",
       .source = source,
       .basis = Basis::printed("section 9.2, table a and text on sketch 6"),
       .parts =
           {{"DAE34NS with SVD.accepted",
             Basis::own("another program with other consistent start values; printed is 1940")},
            {"DAE34NS with SVD.rejected",
             Basis::own("another program with other consistent start values; printed is 1054")}},
       .seconds = 0.1,
       .run = constant_input}};
}

}  // namespace daedalus::experiments::steinebach
