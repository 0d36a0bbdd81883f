// SPDX-License-Identifier: BSD-3-Clause
// Order conditions of the printed coefficient sets in exact arithmetic: claim HE-1.
#include <fmt/format.h>

#include <cmath>

#include "kernel/herk_families.hpp"
#include "lab/herk_order.hpp"
#include "reproduce/arnold.hpp"
#include "reproduce/arnold_support.hpp"

#include <daedalus/method.hpp>

namespace daedalus::experiments::arnold {
namespace {

using analysis::HerkConditions;
using analysis::Index2Root;

HerkTable built_in_table(const char* method) {
  const Method* m = find_method(method);
  if (m == nullptr || m->table == nullptr)
    throw InvalidArgument(fmt::format("method '{}' shows no table", method));
  return *static_cast<const HerkTable*>(m->table);
}

struct Expected {
  std::string label;
  HerkTable table;
  int y, z;            // all trees up to this order hold
  int z_failing;       // of the next order of T_z; -1: not stated
  double bound = 0.0;  // residual that decimals leave
};

std::vector<Expected> coefficient_sets() {
  std::vector<Expected> list;
  for (const char* c2 : {"1", "1/2", "2/3"})
    list.push_back({fmt::format("herk2.c2={}", c2), herk2_table(c2), 2, 0, -1});
  for (const char* c2 : {"1/2", "1/3", "1"})
    list.push_back({fmt::format("herk3.c2={}", c2), herk3_table(c2), 3, 1, -1});
  list.push_back({"henew4", built_in_table("henew4"), 4, 2, 32});
  list.push_back({"hedop5", built_in_table("hedop5"), 5, 3, 290});
  list.push_back({"phem56", built_in_table("phem56"), 5, 3, -1});
  list.push_back({"hem4", built_in_table("hem4"), 4, 1, 4});
  list.push_back({"hem5", built_in_table("hem5"), 5, 2, -1, 6e-12});
  return list;
}

std::vector<Claim> order_conditions(Context& context) {
  std::vector<Claim> claims;
  const auto& trees = analysis::all_index2_trees();
  for (const auto& [root, name, expected] :
       {std::tuple{Index2Root::y, "y", std::vector<int>{1, 3, 22, 192, 1972}},
        std::tuple{Index2Root::z, "z", std::vector<int>{2, 13, 112, 1131}}}) {
    std::vector<int> found;
    for (int q = 1; q <= static_cast<int>(expected.size()); ++q)
      found.push_back(static_cast<int>(trees.of(root, q).size()));
    claims.push_back(list_claim(fmt::format("arnold-HE-1.trees.{}", name),
                                fmt::format("number of trees T_{} by order", name), expected, found,
                                0, found == expected,
                                "the thesis prints no numbers; they follow from its rules"));
  }
  for (const Expected& e : coefficient_sets()) {
    if (context.note) context.note(e.label);
    HerkConditions c(e.table, e.bound);
    std::vector<int> failing;
    for (int q = 1; q <= e.y; ++q) failing.push_back(c.count(Index2Root::y, q).failing);
    for (int q = 1; q <= e.z; ++q) failing.push_back(c.count(Index2Root::z, q).failing);
    int bad = 0;
    for (const int n : failing) bad += n;
    claims.push_back(list_claim(
        "arnold-HE-1." + e.label,
        fmt::format("{}: conditions of all trees T_y up to order {} and T_z up to {} hold{}",
                    e.label, e.y, e.z,
                    e.bound > 0.0 ? " (coefficients known as decimals)" : " exactly"),
        0, bad, e.bound > 0.0 ? Json{{"residual", e.bound}} : Json(0), bad == 0));
    claims.push_back(number_claim("arnold-HE-1." + e.label + ".kappa",
                                  e.label + ": kappa = 0, errors of z are forgotten", 0.0,
                                  c.kappa_number(), e.bound > 0.0 ? 1e-11 : 0.0));
    if (e.z_failing >= 0)
      claims.push_back(
          number_claim("arnold-HE-1." + e.label + ".next",
                       fmt::format("{}: conditions of T_z of order {} that fail", e.label, e.z + 1),
                       e.z_failing, c.count(Index2Root::z, e.z + 1).failing, 0));
  }
  HerkConditions hedop5(built_in_table("hedop5"));
  const int embedded = hedop5.embedded();
  const auto at_four = hedop5.count(Index2Root::y, 4, embedded);
  claims.push_back(list_claim(
      "arnold-HE-1.embedded",
      "hedop5, embedded weights: trees of order 4 that fail, and those among them of another form "
      "than [u]",
      Json{32, 0}, Json{at_four.failing, at_four.plain_failing}, 0,
      at_four.failing == 32 && at_four.plain_failing == 0));
  return claims;
}

}  // namespace

std::vector<Experiment> condition_experiments() {
  return {
      {.id = "arnold-HE-1",
       .title = "Order conditions of half-explicit Runge-Kutta methods",
       .source = source,
       .basis = Basis::printed("Theorems 16 to 18, Example 22, Table 3.5"),
       .parts = {{"trees",
                  Basis::own("trees counted by a program from rules i to iv of section 3.3.1")},
                 {"next", Basis::own("exact arithmetic by another program")},
                 {"embedded",
                  Basis::own("exact arithmetic by another program; Remark 28 states the orders")}},
       .seconds = 1.0,
       .run = order_conditions}};
}

}  // namespace daedalus::experiments::arnold
