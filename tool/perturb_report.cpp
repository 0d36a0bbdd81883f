// SPDX-License-Identifier: BSD-3-Clause
#include "tool/perturb_report.hpp"

#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include "tool/numbers.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

Json describe_component(const PerturbedComponent& c) {
  const bool known = !c.terms.empty();
  Json json{{"name", c.name},
            {"theta_exponent", number(c.theta_exponent)},
            {"h_exponent", number(c.h_exponent)},
            {"theory_theta", known ? number(c.dominating.theta_exponent) : Json(nullptr)},
            {"theory_h", known ? number(c.dominating.h_exponent) : Json(nullptr)},
            {"constant", number(c.constant)},
            {"points", c.points},
            {"misfit", number(c.misfit)},
            {"reason", text_or_null(c.reason)},
            {"theory", text_or_null(c.theory)},
            {"source", text_or_null(c.source)},
            {"verdict", text_or_null(c.verdict)},
            {"index", c.index > 0 ? Json(c.index) : Json(nullptr)}};
  Json& errors = json["errors"] = Json::array();
  for (int i = 0; i < c.errors.rows(); ++i) {
    errors.push_back(Json::array());
    for (int j = 0; j < c.errors.cols(); ++j) errors.back().push_back(number(c.errors(i, j)));
  }
  return json;
}

Json describe_regions(const StepRegions& r, const std::vector<double>& steps) {
  Json json{{"theta", number(r.theta)},
            {"order", r.order},
            {"rising", r.rising > 0.0 ? number(r.rising) : Json(nullptr)},
            {"smallest_step", r.smallest > 0.0 ? number(r.smallest) : Json(nullptr)}};
  Json& list = json["steps"] = Json::array();
  for (const double h : steps)
    list.push_back(Json{{"h", number(h)}, {"region", std::string(1, r.region(h))}});
  json["text"] = text_or_null(r.text);
  return json;
}

Json describe_budget(const ConstraintBudget& b) {
  Json json{{"tolerance", number(b.tolerance)},
            {"h", number(b.h)},
            {"kappa", number(b.kappa)},
            {"kappa_differential", number(b.kappa_differential)},
            {"theta", number(b.theta)},
            {"too_loose", number(b.too_loose)},
            {"too_loose_differential", number(b.too_loose_differential)}};
  Json& limits = json["limits"] = Json::object();
  for (const ConstraintBudget::Limit& limit : b.limits)
    limits[limit.component] = number(limit.theta);
  json["verdict"] = text_or_null(b.verdict);
  return json;
}

Json describe_sensitivity(const PerturbationSensitivity& s) {
  if (!s.reason.empty()) return Json{{"mu", nullptr}, {"nu", nullptr}, {"reason", s.reason}};
  return Json{{"mu", number(s.mu)},
              {"nu", number(s.nu)},
              {"linear", s.linear},
              {"constant", s.constant},
              {"algebraic_count", s.algebraic_count},
              {"exact", s.exact},
              {"reason", nullptr}};
}

Json describe_sweep(const UniformIndex& u) {
  Json json{{"parameter", u.parameter},
            {"values", numbers(u.values)},
            {"index", u.index > 0 ? Json(u.index) : Json(nullptr)},
            {"worst", text_or_null(u.worst)},
            {"warnings", u.warnings}};
  Json& growth = json["growth"] = Json::array();
  for (const UniformIndex::Growth& g : u.growth)
    growth.push_back(Json{{"m", g.m},
                          {"constants", numbers(g.constants)},
                          {"exponent", number(g.exponent)},
                          {"text", g.text}});
  return json;
}

std::string exponent(double value) {
  return std::isfinite(value) ? fmt::format("{:.2f}", value) : "-";
}

// Of a study that did not come to its end: what was measured.
void print_errors(const PerturbationReport& report, std::ostream& out) {
  Table table({"", "theta", "h", "error"}, {Align::left, Align::right, Align::right, Align::right});
  bool any = false;
  for (const PerturbedComponent& c : report.components)
    for (int j = 0; j < c.errors.cols(); ++j)
      for (int i = 0; i < c.errors.rows(); ++i)
        if (std::isfinite(c.errors(i, j))) {
          any = true;
          table.add({c.name, brief(report.thetas[static_cast<std::size_t>(i)]),
                     brief(report.steps[static_cast<std::size_t>(j)]), brief(c.errors(i, j))});
        }
  if (!any) return;
  out << '\n';
  table.print(out);
}

void print_components(const PerturbationReport& report, std::ostream& out) {
  using enum Align;
  Table table({"", "theta^", "theory", "h^", "theory", "C", "bound", "verdict", "index"},
              {left, right, right, right, right, right, left, left, right});
  for (const PerturbedComponent& c : report.components) {
    const bool known = !c.terms.empty();
    table.add({c.name, exponent(c.theta_exponent), known ? brief(c.dominating.theta_exponent) : "-",
               exponent(c.h_exponent), known ? brief(c.dominating.h_exponent) : "-",
               std::isfinite(c.constant) ? fmt::format("{:.2g}", c.constant) : "-",
               known ? c.theory : "not known", c.verdict.empty() ? "-" : c.verdict,
               c.index > 0 ? std::to_string(c.index) : "-"});
  }
  table.print(out);
  for (const PerturbedComponent& c : report.components)
    if (!c.reason.empty()) out << c.name << ": " << c.reason << '\n';
}

std::string sensitivity_text(const PerturbationSensitivity& s, bool multibody) {
  if (!s.reason.empty()) return s.reason;
  const char* z = multibody ? "lambda" : "z";
  const std::string dependence = !s.linear     ? fmt::format("f is not linear in {}", z)
                                 : !s.constant ? fmt::format("f is linear in {}", z)
                                               : fmt::format("f_{} is constant", z);
  return fmt::format(
      "{0}: mu = max |f_({1},{1})| = {2:.2g}, nu = max |f_({3},{1})| = {4:.2g}; {5} such "
      "variable{6}{7}",
      dependence, z, s.mu, multibody ? "v" : "y", s.nu, s.algebraic_count,
      s.algebraic_count == 1 ? "" : "s", s.exact ? "" : " (by differences)");
}

void print_sweep(const UniformIndex& u, std::ostream& out) {
  out << '\n';
  std::vector<std::string> header{u.parameter};
  for (const UniformIndex::Growth& g : u.growth) header.push_back(fmt::format("C_{}", g.m));
  Table table(header, std::vector<Align>(header.size(), Align::right));
  for (std::size_t i = 0; i < u.values.size(); ++i) {
    std::vector<std::string> row{brief(u.values[i])};
    for (const UniformIndex::Growth& g : u.growth)
      row.push_back(fmt::format("{:.3g}", g.constants[i]));
    table.add(row);
  }
  std::vector<std::string> row{"growth"};
  for (const UniformIndex::Growth& g : u.growth) row.push_back(g.text);
  table.add(row);
  table.print(out);
  out << labelled("uniform", u.index > 0
                                 ? fmt::format("C_m = max error h^(m-1)/theta stays bounded from "
                                               "m = {0} on: uniform perturbation index {0}",
                                               u.index)
                             : u.growth.front().text == "not known"
                                 ? std::string("not known: runs failed")
                                 : std::string("no C_m stays bounded: none"));
  for (const std::string& warning : u.warnings) out << labelled("warning", warning);
}

}  // namespace

Json describe_perturbation(const PerturbationOutcome& outcome) {
  const PerturbationReport& r = outcome.report;
  Json json = document();
  json["problem"] = outcome.problem;
  json["model_kind"] = outcome.origin ? outcome.origin->kind : "catalogue";
  json["file"] = outcome.origin ? Json(outcome.origin->file) : Json(nullptr);
  json["method"] = r.method;
  json["formulation"] = text_or_null(r.formulation);
  json["kind"] = outcome.kind;
  json["rows"] = r.rows;
  json["thetas"] = numbers(r.thetas);
  json["steps"] = numbers(r.steps);
  json["components"] = Json::array();
  for (const PerturbedComponent& c : r.components)
    json["components"].push_back(describe_component(c));
  const bool done = r.failure.empty();
  json["index"] = r.index > 0 ? Json(r.index) : Json(nullptr);
  json["sensitivity"] = done ? describe_sensitivity(r.sensitivity) : Json(nullptr);
  json["regions"] = done ? describe_regions(r.regions, r.steps) : Json(nullptr);
  if (done) json["regions"]["imposed"] = describe_regions(r.imposed, r.steps);
  json["kappa"] = done ? describe_budget(r.budget) : Json(nullptr);
  json["sweep"] = outcome.sweep ? describe_sweep(*outcome.sweep) : Json(nullptr);
  json["status"] = done ? "success" : "failed";
  json["message"] = text_or_null(r.failure);
  return json;
}

void print_perturbation(const PerturbationOutcome& outcome, Session& io) {
  const PerturbationReport& r = outcome.report;
  std::ostream& out = io.out;
  std::string rows;
  for (std::size_t i = 0; i < r.rows.size() && i < 6; ++i) rows += (i ? ", " : "") + r.rows[i];
  if (r.rows.size() > 6) rows += fmt::format(" and {} more", r.rows.size() - 6);
  out << labelled("problem", io.paint.bold(outcome.problem) + ": " + outcome.title)
      << labelled("method", r.formulation.empty() ? r.method : r.method + ", " + r.formulation)
      << labelled("perturbed", fmt::format("{} ({})", rows, outcome.kind));
  if (!r.failure.empty()) return print_errors(r, out);
  out << labelled("structure", sensitivity_text(r.sensitivity, outcome.multibody)) << '\n';
  print_components(r, out);
  out << '\n' << labelled("imposed", r.imposed.text);
  if (r.regions.theta != r.imposed.theta) out << labelled("left", r.regions.text);
  out << labelled("kappa",
                  r.budget.too_loose > 1.0 ? io.paint.bad(r.budget.verdict) : r.budget.verdict);
  if (outcome.sweep) print_sweep(*outcome.sweep, out);
}

}  // namespace daedalus::cli
