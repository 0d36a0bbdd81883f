// SPDX-License-Identifier: BSD-3-Clause
// daedalus show NAME: one problem, method or formulation, whole.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tool/describe.hpp"
#include "tool/models.hpp"
#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/session.hpp"
#include "tool/table.hpp"

#include <daedalus/formulation.hpp>

namespace daedalus::cli {
namespace {

std::string heading(const Session& io, const std::string& name, const std::string& title) {
  return io.paint.bold(name) + (title.empty() ? "" : ": " + title) + "\n";
}

std::string found_in(const std::map<std::string, std::string>& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? std::string() : found->second;
}

void print_variables(std::ostream& out, const std::vector<VariableFacts>& variables,
                     const problems::Entry& entry) {
  const std::optional<problems::Reference>& reference = entry.reference;
  out << "\nvariables\n";
  std::vector<std::string> header{"name", "class", "index", "start"};
  std::vector<Align> align{Align::left, Align::left, Align::right, Align::right};
  const bool units = !entry.units.empty();
  if (units) header.push_back("unit"), align.push_back(Align::left);
  if (reference) header.push_back(fmt::format("reference at t = {}", brief(reference->t)));
  align.push_back(Align::right);
  Table table(header, align);
  for (const VariableFacts& v : variables) {
    std::string value;
    if (reference)
      for (const auto& [name, number] : reference->values)
        if (name == v.name) value = fmt::format("{:.16g}", number);
    std::vector<std::string> row{
        v.name, std::string(to_string(v.cls)), std::to_string(v.index),
        std::isnan(v.start) ? std::string("computed") : fmt::format("{:.10g}", v.start)};
    if (units) row.push_back(found_in(entry.units, v.name));
    row.push_back(value);
    table.add(row);
  }
  table.print(out, "  ");
}

void print_parameters(std::ostream& out, const problems::Entry& entry) {
  out << "\nparameters (change with --set name=value)\n";
  const bool units = !entry.units.empty();
  std::vector<std::string> header{"name", "value"};
  if (units) header.push_back("unit");
  Table table(header, {Align::left, Align::right, Align::left});
  for (const Parameter& p : entry.parameters) {
    std::vector<std::string> row{p.name, fmt::format("{:.10g}", p.value)};
    if (units) row.push_back(found_in(entry.units, p.name));
    table.add(row);
  }
  table.print(out, "  ");
}

// Of models as data: what happens at events, and what is shown besides the variables.
void print_rest(std::ostream& out, const problems::Entry& entry) {
  constexpr std::size_t most = 50;
  const auto list = [&](const char* title, const std::vector<std::string>& names) {
    if (names.empty()) return;
    const std::size_t shown = std::min(most, names.size());
    out << "\n" << title << "\n";
    for (std::size_t k = 0; k < shown; ++k) out << "  " << names[k] << "\n";
    if (names.size() > shown) out << fmt::format("  ... and {} more\n", names.size() - shown);
  };
  std::vector<std::string> events, outputs;
  if (entry.build_events)
    for (const Event& e : entry.events()) events.push_back(e.name);
  for (const ModelOutput& o : entry.outputs)
    outputs.push_back(o.unit.empty() ? o.name : fmt::format("{} [{}]", o.name, o.unit));
  list("events", events);
  list("outputs and discrete variables", outputs);
}

void print_problem(const problems::Entry& entry, const Problem& problem, Session& io) {
  const std::vector<VariableFacts> variables = model_variables(problem);
  std::ostream& out = io.out;
  out << heading(io, entry.name, entry.title)
      << labelled("form", fmt::format("{}, index {}, {} variables{}", entry.form, entry.index,
                                      variables.size(), entry.stiff ? ", stiff" : ""))
      << labelled("interval", fmt::format("t = {} .. {}", brief(entry.t0), brief(entry.t_end)));
  if (!entry.source.empty()) out << labelled("source", entry.source);
  if (!entry.suites.empty())
    out << labelled("suites", fmt::format("{}", fmt::join(entry.suites, ", ")));
  if (entry.expected_status != "success")
    out << labelled("expected", "ends with " + entry.expected_status);
  if (entry.reference)
    out << labelled("reference", entry.reference->digits > 0
                                     ? fmt::format("{} digits; {}", entry.reference->digits,
                                                   entry.reference->source)
                                     : "given; " + entry.reference->source);
  if (entry.exact) out << labelled("exact", "an exact solution is known");
  if (!entry.equations.empty()) out << "\nequations\n" << indented(entry.equations, "  ");
  if (!entry.parameters.empty()) print_parameters(out, entry);
  print_variables(out, variables, entry);
  print_rest(out, entry);
  if (!entry.atol_scale.empty()) {
    out << "\nfactors on a scalar --atol\n";
    Table table({"variable", "factor"}, {Align::left, Align::right});
    for (const auto& [name, factor] : entry.atol_scale) table.add({name, brief(factor)});
    table.print(out, "  ");
  }
}

void print_options(const char* flag, const std::vector<MethodOption>& options, std::ostream& out) {
  if (options.empty()) return;
  out << fmt::format("\noptions ({} key=value)\n", flag);
  Table table({"key", "values", "default", "meaning"});
  for (const MethodOption& o : options) table.add({o.key, o.values, brief(o.standard), o.help});
  table.print(out, "  ");
}

void print_method(const Method& method, Session& io) {
  std::ostream& out = io.out;
  std::string claims = fmt::format("order {}", method.order);
  if (method.max_order > method.min_order)
    claims = fmt::format("orders {} to {}", method.min_order, method.max_order);
  claims += method.error_order > 0 ? fmt::format(", embedded order {}", method.error_order)
                                   : std::string(", no error estimate");
  if (method.dense_order > 0)
    claims += fmt::format(", dense output of order {}", method.dense_order);
  std::string stability(to_string(method.stability));
  if (method.stiffly_accurate) stability += ", stiffly accurate";
  out << heading(io, method.name, "family " + method.family) << labelled("claims", claims)
      << labelled("stability", stability)
      << labelled("index", fmt::format("up to {}", method.max_index))
      << labelled("forms", fmt::format("{} ({} view)", fmt::join(problem_forms(method), ", "),
                                       to_string(method.view)));
  if (const auto accepted = accepted_formulations(method); !accepted.empty())
    out << labelled("formulations", fmt::format("{}{}", fmt::join(accepted, ", "),
                                                accepted.size() > 1 ? " (preferred first)" : ""));
  if (method.fixed_step_only) out << labelled("steps", "constant only (--fixed-step)");
  out << labelled("source", method.reference);
  Table orders({"class", "order"}, {Align::left, Align::right});
  for (int i = 0; i < class_count; ++i) {
    const auto cls = static_cast<VariableClass>(i);
    if (method.orders[cls] > 0.0)
      orders.add({std::string(to_string(cls)), brief(method.orders[cls])});
  }
  if (orders.rows() > 0) {
    out << "\norder with constant steps, per class of variables\n";
    orders.print(out, "  ");
  }
  print_options("--option", method.options, out);
}

void print_formulation(const Formulation& formulation, Session& io) {
  io.out << heading(io, formulation.name, "formulation")
         << labelled("index", std::to_string(formulation.index))
         << labelled("applies to", formulation.applies_to)
         << labelled("source", formulation.reference);
  print_options("--formulation-option", formulation.options, io.out);
}

Json whole(const std::string& kind, const Json& entry, const Json& extra) {
  Json json = document();
  json["kind"] = kind;
  json.update(entry);
  json.update(extra);
  return json;
}

int show_problem(const problems::Entry& entry, Session& io, bool as_json) {
  const Problem problem = entry.problem();
  if (!as_json) {
    print_problem(entry, problem, io);
    return exit_success;
  }
  const LoadedProblem* from = loaded_from_file(entry);
  Json json =
      whole(from ? from->kind : "problem", describe(entry, problem), details(entry, problem));
  json["file"] = from ? Json(from->file) : Json(nullptr);
  if (from && from->mechanism)
    json["document"] =
        Json::parse(mechanism_text(*from->mechanism(entry.all_values()), entry.t_end));
  print(io.out, json);
  return exit_success;
}

int show(const std::string& name, Session& io, bool as_json) {
  if (const problems::Entry* entry = problems::find_problem(name))
    return show_problem(*entry, io, as_json);
  if (const Method* method = find_method(name)) {
    if (as_json)
      print(io.out, whole("method", describe(*method), details(*method)));
    else
      print_method(*method, io);
    return exit_success;
  }
  for (const Formulation& formulation : all_formulations()) {
    if (formulation.name != name) continue;
    if (as_json)
      print(io.out, whole("formulation", describe(formulation), Json::object()));
    else
      print_formulation(formulation, io);
    return exit_success;
  }
  if (names_file(name)) return show_problem(require_problem(name), io, as_json);
  std::vector<std::string> names = problem_names();
  for (const auto& more : {method_names(), formulation_names()})
    names.insert(names.end(), more.begin(), more.end());
  throw InvalidArgument(unknown_name("problem, method or formulation", name, names,
                                     "daedalus list problems|methods|formulations"));
}

}  // namespace

void add_show(CLI::App& app, Session& session) {
  struct Settings {
    std::string name;
    bool json = false;
  };
  const auto settings = std::make_shared<Settings>();
  CLI::App* command =
      app.add_subcommand("show", "Show a problem, method or formulation with its sources");
  command->add_option("name", settings->name, "Name from one of the lists, or a model file")
      ->required();
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return show(settings->name, session, settings->json); };
  });
}

}  // namespace daedalus::cli
