// SPDX-License-Identifier: BSD-3-Clause
// Checks of Rosenbrock tables for daedalus check-table: orders of all parts, stability, claims.
#include "tool/check_table_rosenbrock.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "lab/da_trees.hpp"
#include "lab/rosenbrock_order.hpp"
#include "lab/stability_angle.hpp"
#include "tool/check_table_kinds.hpp"
#include "tool/numbers.hpp"

namespace daedalus::cli {
namespace {

using namespace analysis;

constexpr int max_order = TreeSet::max_known_order;
constexpr double allowed_residual = order_tolerance;
constexpr std::size_t violations_per_part = 2;

// The last row of alpha + Gamma that is not for the dense output alone is the row of weights.
bool stiffly_accurate(const RosenbrockScheme& scheme) {
  const int s = scheme.stages;
  for (int i = s - 1; i >= 0; --i) {
    double difference = 0;
    for (int j = 0; j < s; ++j) {
      const auto entry = scheme.alpha[i * s + j] + scheme.gamma[i * s + j] - scheme.mu[j];
      difference = std::max(difference, std::abs(static_cast<double>(entry)));
    }
    if (difference <= 1e-12) return true;
  }
  return false;
}

// The first orders at which conditions fail; of those with the same residual the shortest tree.
void add_violations(std::vector<Violation>& list, const std::string& part, char variable,
                    int attained, const std::vector<OrderCondition>& conditions) {
  std::vector<Violation> found;
  for (const OrderCondition& c : conditions) {
    if (c.kind != variable || c.order != attained + 1 || std::abs(c.residual) <= allowed_residual)
      continue;
    const auto same = std::find_if(found.begin(), found.end(), [&](const Violation& v) {
      return std::abs(v.residual - c.residual) <= 1e-12 * (1 + std::abs(c.residual));
    });
    if (same == found.end())
      found.push_back({part, variable, c.order, c.tree, c.residual});
    else if (c.tree.size() < same->tree.size())
      same->tree = c.tree;
  }
  std::stable_sort(found.begin(), found.end(), [](const Violation& a, const Violation& b) {
    return std::abs(a.residual) > std::abs(b.residual);
  });
  found.resize(std::min(found.size(), violations_per_part));
  list.insert(list.end(), found.begin(), found.end());
}

Json order_json(const AttainedOrder& order, std::optional<int> any_jacobian) {
  return {{"order", order.convergence()},
          {"y", order.y},
          {"z", order.z},
          {"ode", order.ode},
          {"any_jacobian", any_jacobian ? Json(*any_jacobian) : Json(nullptr)}};
}

void add_order_row(TableReport& report, const std::string& part, const AttainedOrder& order,
                   std::optional<int> any_jacobian) {
  report.order_rows.push_back({part, std::to_string(order.convergence()), std::to_string(order.y),
                               std::to_string(order.z), std::to_string(order.ode),
                               any_jacobian ? std::to_string(*any_jacobian) : std::string("-")});
}

// One part: attained orders into table and JSON, first violations into the list.
AttainedOrder report_part(TableReport& report, const RosenbrockScheme& scheme, Weights weights,
                          const std::string& part) {
  const AttainedOrder order = attained_order(scheme, weights);
  std::optional<int> any_jacobian;
  if (!scheme.explicit_in_y) any_jacobian = attained_w_order(scheme, weights);
  add_order_row(report, part, order, any_jacobian);
  report.details[part == "solution" ? "orders" : part] = order_json(order, any_jacobian);
  const int shown = std::min(std::max(order.y, order.z) + 1, max_order);
  const auto conditions = order_conditions(scheme, weights, shown);
  add_violations(report.violations, part, 'y', order.y, conditions);
  add_violations(report.violations, part, 'z', order.z, conditions);
  // Order 1 only: the method is not meant for other matrices, and its failures are no news.
  if (any_jacobian && *any_jacobian > 1 && *any_jacobian < max_order)
    add_violations(report.violations, part, 'w', *any_jacobian,
                   w_order_conditions(scheme, weights, *any_jacobian + 1));
  return order;
}

AttainedOrder report_dense(TableReport& report, const RosenbrockScheme& scheme) {
  const AttainedOrder order = attained_dense_order(scheme);
  add_order_row(report, "dense output", order, {});
  Json& json = report.details["dense"] = order_json(order, {});
  const int shown = std::min(std::max(order.y, order.z) + 1, max_order);
  for (const double theta : {0.25, 0.5, 0.75, 1.0}) {
    const auto conditions = dense_order_conditions(scheme, theta, shown);
    Json largest{{"y", Json::array()}, {"z", Json::array()}};
    for (const char variable : {'y', 'z'}) {
      for (int p = 1; p <= shown; ++p) {
        double worst = 0;
        for (const OrderCondition& c : conditions)
          if (c.kind == variable && c.order == p) worst = std::max(worst, std::abs(c.residual));
        largest[std::string(1, variable)].push_back(number(worst));
      }
    }
    json["theta"].push_back(Json{{"theta", theta}, {"largest_residuals", largest}});
    if (theta == 0.5) {
      add_violations(report.violations, "theta = 1/2", 'y', order.y, conditions);
      add_violations(report.violations, "theta = 1/2", 'z', order.z, conditions);
    }
  }
  return order;
}

std::string rational_function(const StabilityFunction& function, int stages) {
  std::string text;
  const auto p = function.numerator();
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (std::abs(p[k]) < 1e-13) continue;
    const std::string power = k == 0 ? "" : k == 1 ? "z" : fmt::format("z^{}", k);
    const std::string size = std::abs(p[k]) == 1 && k > 0 ? "" : brief(std::abs(p[k]));
    text += text.empty() ? (p[k] < 0 ? "-" : "") : p[k] < 0 ? " - " : " + ";
    text += size + (size.empty() || power.empty() ? "" : " ") + power;
  }
  return fmt::format("R(z) = ({}) / (1 - {} z)^{}", text, brief(function.gamma()), stages);
}

void report_stability(TableReport& report, const ReadTable& table, Claims& claims) {
  const RosenbrockScheme& scheme = table.scheme;
  const StabilityFunction function(scheme, Weights::main);
  const StabilityScan scan = scan_stability(function);
  const double angle = stability_angle(function);
  const bool accurate = stiffly_accurate(scheme);
  const double embedded = StabilityFunction(scheme, Weights::embedded).at_infinity();
  const bool converges = std::abs(scan.r_infinity) < 1;

  if (scheme.explicit_in_y) {
    report.stability.emplace_back("stability", "explicit in y, not for stiff differential parts");
  } else {
    std::string kind = scan.l_stable   ? "L-stable"
                       : scan.a_stable ? "A-stable"
                       : angle > 0 ? fmt::format("A(alpha)-stable, alpha = {:.2f} degrees", angle)
                                   : std::string("not A(alpha)-stable for any alpha");
    if (!scan.a_stable)
      kind +=
          fmt::format("; largest |R(iy)| = {:.6g} at y = {:.4g}", scan.max_on_axis, scan.worst_y);
    report.stability.emplace_back("stability", kind);
    report.stability.emplace_back("", rational_function(function, scheme.stages));
  }
  const auto shown = [](double r) { return brief(std::abs(r) < 1e-13 ? 0 : r); };
  std::string r_text = fmt::format("R(infinity) = {}", shown(scan.r_infinity));
  if (table.embedded) r_text += fmt::format(", embedded {}", shown(embedded));
  if (!converges) r_text += "; |R(infinity)| < 1 is needed for convergence on index-1 problems";
  report.stability.emplace_back("", r_text);
  report.stability.emplace_back("", accurate ? "stiffly accurate" : "not stiffly accurate");

  Json& json = report.details;
  json["r_infinity"] = number(scan.r_infinity);
  json["a_stable"] = scan.a_stable;
  json["l_stable"] = scan.l_stable;
  json["stability_angle"] = scheme.explicit_in_y ? Json(nullptr) : number(angle);
  json["largest_on_imaginary_axis"] =
      scheme.explicit_in_y ? Json(nullptr)
                           : Json{{"value", number(scan.max_on_axis)}, {"y", number(scan.worst_y)}};
  json["numerator"] = numbers(function.numerator());
  json["embedded_r_infinity"] = table.embedded ? number(embedded) : Json(nullptr);
  json["stiffly_accurate"] = accurate;
  json["converges"] = converges;
  claims.equal("r_infinity", scan.r_infinity, allowed_residual);
  claims.equal("embedded_r_infinity",
               table.embedded ? std::optional<double>(embedded) : std::nullopt, allowed_residual);
  claims.flag("a_stable", scan.a_stable);
  claims.flag("l_stable", scan.l_stable);
  claims.flag("stiffly_accurate", accurate);
}

// Every condition of the order attained and of the next one.
void list_residuals(TableReport& report, const RosenbrockScheme& scheme, int order) {
  Json residuals = Json::array();
  for (const OrderCondition& c :
       order_conditions(scheme, Weights::main, std::min(order + 1, max_order))) {
    residuals.push_back({{"tree", c.tree},
                         {"order", c.order},
                         {"value", number(c.residual)},
                         {"part", std::string(1, c.kind)}});
  }
  report.details["residuals"] = std::move(residuals);
  Json counts{{"y", Json::array()}, {"z", Json::array()}};
  for (int p = 1; p <= max_order; ++p) {
    counts["y"].push_back(all_trees(TreeFamily::da).count(p, Vertex::thin));
    counts["z"].push_back(all_trees(TreeFamily::da).count(p, Vertex::fat));
  }
  report.details["tree_counts"] = std::move(counts);
}

TableReport check(TableFields& fields, bool explicit_in_y) {
  const ReadTable table = read_rosenbrock(fields, explicit_in_y);
  const RosenbrockScheme& scheme = table.scheme;
  Claims claims(fields);
  fields.refuse_unknown();

  TableReport report;
  report.family = "rosenbrock";
  report.stages = scheme.stages;
  const auto gamma = static_cast<double>(scheme.gamma[0]);
  report.facts.emplace_back(
      "table",
      fmt::format("{} stages, gamma = {}, {}", scheme.stages, brief(gamma),
                  explicit_in_y ? "explicit in y (approach B)" : "linearly implicit (approach A)"));
  report.details["gamma"] = number(gamma);
  report.details["orders"] = nullptr;
  report.details["embedded"] = nullptr;
  report.details["dense"] = nullptr;
  report.order_columns = {"", "index 1", "y", "z", "ODE", "any Jacobian"};
  const AttainedOrder main = report_part(report, scheme, Weights::main, "solution");
  report.order = main.convergence();
  claims.at_least("order", report.order);
  claims.at_least("y_order", main.y);
  claims.at_least("z_order", main.z);
  claims.at_least("ode_order", main.ode);
  std::optional<AttainedOrder> embedded, dense;
  if (table.embedded) embedded = report_part(report, scheme, Weights::embedded, "embedded");
  if (scheme.dense_rows > 0) dense = report_dense(report, scheme);
  const auto if_there = [](const auto& part, auto value) {
    return part ? std::optional<int>(value(*part)) : std::nullopt;
  };
  const auto convergence = [](const AttainedOrder& order) { return order.convergence(); };
  claims.at_least("embedded_order", if_there(embedded, convergence));
  claims.at_least("embedded_ode_order",
                  if_there(embedded, [](const AttainedOrder& order) { return order.ode; }));
  claims.at_least("dense_order", if_there(dense, convergence));
  std::optional<int> w, embedded_w;
  if (!explicit_in_y) w = attained_w_order(scheme, Weights::main);
  if (!explicit_in_y && table.embedded) embedded_w = attained_w_order(scheme, Weights::embedded);
  claims.at_least("w_order", w);
  claims.at_least("embedded_w_order", embedded_w);
  list_residuals(report, scheme, report.order);
  report_stability(report, table, claims);
  report.claims = claims.result();
  report.legend =
      "index 1: order of convergence, y up to that order and z up to one less. Trees: f is the\n"
      "right-hand side, g the constraint, A the matrix used for the Jacobian; f[f,g[f,f]] is the\n"
      "derivative of f by y and z, applied to f and to g[f,f]. Residuals: left side minus right\n"
      "side of the condition, scaled so that the right side is 1 (0 for trees with A, theta^order\n"
      "in the dense output). Conditions are evaluated with 33 digits, orders above 6 not at all.";
  return report;
}

}  // namespace

TableKind rosenbrock_a_tables() {
  return {"rosenbrock-a", "linearly implicit in all variables (Rosenbrock-Wanner)",
          [](TableFields& fields) { return check(fields, false); }, exported_rosenbrock_a};
}

TableKind rosenbrock_b_tables() {
  return {"rosenbrock-b", "explicit in y, linearly implicit in z",
          [](TableFields& fields) { return check(fields, true); }, exported_rosenbrock_b};
}

}  // namespace daedalus::cli
