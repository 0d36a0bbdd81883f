// SPDX-License-Identifier: BSD-3-Clause
// Checks of half-explicit Runge-Kutta tables for daedalus check-table: exact order conditions over
// index-2 trees, contractivity, leading error coefficients, claims.
#include "tool/check_table_herk.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/herk_order.hpp"
#include "tool/check_table_kinds.hpp"
#include "tool/numbers.hpp"

namespace daedalus::cli {
namespace {

using analysis::all_index2_trees;
using analysis::ConditionCount;
using analysis::HerkConditions;
using analysis::HerkOrders;
using analysis::Index2Root;
using analysis::Index2Trees;

constexpr int max_y = Index2Trees::max_known_order, max_z = max_y - 1;
constexpr std::size_t herk_violations_per_part = 2;

// Conditions of one part, order by order up to the first that fails.
struct PartCounts {
  std::vector<ConditionCount> orders;

  std::string text() const {
    std::vector<int> fulfilled;
    std::vector<std::string> parts;
    for (const ConditionCount& c : orders) {
      if (c.failing == 0 && c.order == static_cast<int>(fulfilled.size()) + 1)
        fulfilled.push_back(c.trees);
      else
        parts.push_back(fmt::format("order {}: {} of {} fail", c.order, c.failing, c.trees));
    }
    if (!fulfilled.empty())
      parts.insert(parts.begin(), fmt::format("order 1 to {}: all {} hold", fulfilled.size(),
                                              fmt::join(fulfilled, ", ")));
    return fmt::format("{}", fmt::join(parts, "; "));
  }

  Json json() const {
    Json list = Json::array();
    for (const ConditionCount& c : orders)
      list.push_back({{"order", c.order},
                      {"trees", c.trees},
                      {"failing", c.failing},
                      {"plain_trees", c.plain},
                      {"plain_failing", c.plain_failing},
                      {"largest_residual", number(c.largest)}});
    return list;
  }
};

// Up to the attained order all trees, and of the order after it those that still matter.
PartCounts count_y(HerkConditions& conditions, int attained, int weights) {
  PartCounts counts;
  for (int order = 1; order <= std::min(attained + 1, max_y); ++order)
    counts.orders.push_back(
        conditions.count(Index2Root::y, order, weights, order == attained + 1 && order > 1));
  return counts;
}

PartCounts count_z(HerkConditions& conditions, int attained) {
  PartCounts counts;
  for (int order = 1; order <= std::min(std::max(attained, 0) + 1, max_z); ++order)
    counts.orders.push_back(conditions.count(Index2Root::z, order));
  return counts;
}

// The trees of the first order that fails, of those with the same residual the shortest.
void add_herk_violations(TableReport& report, HerkConditions& conditions, const std::string& part,
                         Index2Root root, int attained, int weights) {
  const int order = std::max(attained, 0) + 1;
  if (order > (root == Index2Root::y ? max_y : max_z)) return;
  const Index2Trees& trees = all_index2_trees();
  std::vector<Violation> found;
  // Where trees f[u] of the order before end the list, they fail first.
  std::vector<int> candidates;
  if (root == Index2Root::y && order > 1)
    for (const int tree : trees.of(root, order - 1)) candidates.push_back(tree);
  for (const int tree : root == Index2Root::y ? trees.plain(order) : trees.of(root, order))
    candidates.push_back(tree);
  for (const int tree : candidates) {
    if (conditions.holds(tree, weights)) continue;
    const double residual = conditions.residual(tree, weights);
    const std::string text = trees.text(tree);
    const auto same = std::find_if(found.begin(), found.end(), [&](const Violation& v) {
      return std::abs(v.residual - residual) <= 1e-12 * (1 + std::abs(residual));
    });
    if (same == found.end())
      found.push_back({part, root == Index2Root::y ? 'y' : 'z', trees[tree].order, text, residual});
    else if (text.size() < same->tree.size())
      same->tree = text;
  }
  std::stable_sort(found.begin(), found.end(), [](const Violation& a, const Violation& b) {
    return std::abs(a.residual) > std::abs(b.residual);
  });
  found.resize(std::min(found.size(), herk_violations_per_part));
  report.violations.insert(report.violations.end(), found.begin(), found.end());
}

// Every condition up to the orders attained, and those of the next order that fail.
Json list_herk_residuals(HerkConditions& conditions, const HerkOrders& orders) {
  const Index2Trees& trees = all_index2_trees();
  Json residuals = Json::array();
  const auto add = [&](std::span<const int> list, const char* part, bool only_failing) {
    for (const int tree : list) {
      if (only_failing && conditions.holds(tree)) continue;
      residuals.push_back({{"tree", trees.text(tree)},
                           {"order", trees[tree].order},
                           {"value", number(conditions.residual(tree))},
                           {"part", part}});
    }
  };
  for (int p = 1; p <= std::min(orders.q_y + 1, max_y); ++p)
    add(p <= orders.q_y ? trees.of(Index2Root::y, p) : trees.plain(p), "y", p > orders.q_y);
  for (int p = 1; p <= std::min(std::max(orders.q_z, 0) + 1, max_z); ++p)
    add(trees.of(Index2Root::z, p), "z", p > orders.q_z);
  return residuals;
}

Json herk_tree_counts() {
  const Index2Trees& trees = all_index2_trees();
  Json counts{{"y", Json::array()}, {"z", Json::array()}};
  for (int p = 1; p <= max_y; ++p) counts["y"].push_back(trees.of(Index2Root::y, p).size());
  for (int p = 1; p <= max_z; ++p) counts["z"].push_back(trees.of(Index2Root::z, p).size());
  return counts;
}

void report_leading_errors(TableReport& report, HerkConditions& conditions,
                           const HerkOrders& orders, int ode) {
  Json& json = report.details["leading_error"] =
      Json{{"y", nullptr}, {"z", nullptr}, {"ode", nullptr}};
  std::vector<std::string> texts;
  const auto add = [&](const char* key, int order, const analysis::LeadingError& error) {
    json[key] = {
        {"order", order}, {"norm", number(error.norm)}, {"largest", number(error.largest)}};
    texts.push_back(
        fmt::format("{} {:.3g} (order {}, largest {:.3g})", key, error.norm, order, error.largest));
  };
  const int y = orders.q_y + 1, z = std::max(orders.q_z, 0) + 1;
  if (y <= max_y) add("y", y, conditions.leading_error(Index2Root::y, y));
  if (z <= max_z) add("z", z, conditions.leading_error(Index2Root::z, z));
  if (ode < max_y) add("ode", ode + 1, conditions.classical_error(ode + 1));
  report.stability.emplace_back("error", fmt::format("{}", fmt::join(texts, ", ")));
}

void report_herk_solution(TableReport& report, HerkConditions& conditions,
                          const HerkOrders& orders) {
  const int ode = conditions.classical_order();
  report.order = orders.y;
  report.order_rows.push_back({"solution", std::to_string(orders.y), std::to_string(orders.z),
                               std::to_string(orders.q_y), std::to_string(orders.q_z),
                               std::to_string(ode)});
  const PartCounts y = count_y(conditions, orders.q_y, 0), z = count_z(conditions, orders.q_z);
  report.stability.emplace_back("y-trees", y.text());
  report.stability.emplace_back("z-trees", z.text());
  report.details["orders"] = {{"y", orders.y},     {"z", orders.z}, {"q_y", orders.q_y},
                              {"q_z", orders.q_z}, {"ode", ode},    {"reason", orders.reason}};
  report.details["conditions"] = {{"y", y.json()}, {"z", z.json()}};
  add_herk_violations(report, conditions, "solution", Index2Root::y, orders.q_y, 0);
  add_herk_violations(report, conditions, "solution", Index2Root::z, orders.q_z, 0);
  report_leading_errors(report, conditions, orders, ode);
}

void report_herk_embedded(TableReport& report, HerkConditions& conditions,
                          const HerkOrders& orders) {
  report.details["embedded"] = nullptr;
  if (!orders.embedded) return;
  const int weights = conditions.embedded(), ode = conditions.classical_order(weights);
  const HerkTable& table = conditions.table();
  std::optional<int> multiplier;
  if (daedalus::number<long double>(table.embedded.back()) != 0)
    multiplier =
        HerkConditions(analysis::with_embedded_row(table), conditions.bound()).local_order_z();
  const auto shown = [](std::optional<int> order) {
    return order ? std::to_string(*order) : std::string("-");
  };
  report.order_rows.push_back({"embedded", shown(orders.embedded), "-", shown(orders.embedded),
                               shown(multiplier), std::to_string(ode)});
  const PartCounts counts = count_y(conditions, *orders.embedded, weights);
  report.details["embedded"] = {{"order", *orders.embedded},
                                {"q_z", multiplier ? Json(*multiplier) : Json(nullptr)},
                                {"ode", ode},
                                {"conditions", counts.json()}};
  add_herk_violations(report, conditions, "embedded", Index2Root::y, *orders.embedded, weights);
}

TableReport check_herk(TableFields& fields) {
  const ReadHerkTable read = read_herk(fields);
  Claims claims(fields);
  fields.refuse_unknown();
  HerkConditions conditions = [&] {
    try {
      return HerkConditions(read.table, read.residual_bound);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fields.source() + ": " + error.what());
    }
  }();
  const HerkOrders orders = analysis::herk_orders(conditions);
  const HerkNumbers<double> numbers(read.table);

  TableReport report;
  report.family = "half-explicit";
  report.stages = read.table.stages();
  report.facts.emplace_back(
      "table",
      fmt::format(
          "{} stages, {} of them for y; {} first stage{}; {}", report.stages, numbers.weights,
          conditions.explicit_first() ? "explicit" : "no explicit",
          numbers.first_same_as_last ? ", first same as last" : "",
          read.residual_bound > 0
              ? fmt::format("decimals, residuals up to {:g} count as zero", read.residual_bound)
              : std::string("exact arithmetic")));
  report.stability.emplace_back("kappa", conditions.kappa());
  report.stability.emplace_back("orders by", orders.reason);
  report.order_columns = {"", "y", "z", "q_y", "q_z", "ODE"};
  Json& json = report.details;
  json["orders"] = nullptr;
  json["kappa"] = number(conditions.kappa_number());
  json["kappa_exact"] = conditions.kappa();
  json["explicit_first_stage"] = conditions.explicit_first();
  json["next_point"] = numbers.next_point;
  json["first_same_as_last"] = numbers.first_same_as_last;
  json["converges"] = orders.y > 0;
  json["residual_bound"] = number(read.residual_bound);
  json["a_stable"] = false;
  json["w"] = conditions.w();
  report_herk_solution(report, conditions, orders);
  report_herk_embedded(report, conditions, orders);
  json["tree_counts"] = herk_tree_counts();
  json["residuals"] = list_herk_residuals(conditions, orders);

  claims.at_least("order", orders.y);
  claims.at_least("z_order", orders.z);
  claims.at_least("q_y", orders.q_y);
  claims.at_least("q_z", std::max(orders.q_z, 0));
  claims.at_least("ode_order", conditions.classical_order());
  claims.at_least("embedded_order", orders.embedded);
  claims.equal("kappa", conditions.kappa_number(), std::max(1e-14, read.residual_bound));
  claims.flag("explicit_first_stage", conditions.explicit_first());
  claims.flag("next_point", numbers.next_point);
  claims.flag("first_same_as_last", numbers.first_same_as_last);
  report.claims = claims.result();
  report.legend =
      "y, z: orders of convergence on index-2 systems y' = f(y,z), 0 = g(y); q_y, q_z: local\n"
      "orders; embedded: after projection onto the constraint. Trees: f[f,g[f,f]] is the mixed\n"
      "derivative of f by y and z, applied to f and to the solution w of g_y f_z w = -g_yy(f,f).\n"
      "Residuals: left side minus right side of the condition. error: root of the sum of squares\n"
      "of residual / symmetry over the trees of that order. Of the first order of y-trees that\n"
      "fails, those of the form f[u] with a z-tree u are left out: they count one order later.";
  return report;
}

}  // namespace

TableKind herk_tables() {
  return {"herk", "half-explicit Runge-Kutta for index-2 systems", check_herk, exported_herk};
}

}  // namespace daedalus::cli
