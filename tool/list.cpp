// SPDX-License-Identifier: BSD-3-Clause
// daedalus list methods|problems|formulations
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tool/describe.hpp"
#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/session.hpp"
#include "tool/table.hpp"

#include <daedalus/formulation.hpp>

namespace daedalus::cli {
namespace {

std::string order_text(const Method& method) {
  if (method.max_order > method.min_order)
    return fmt::format("{}..{}", method.min_order, method.max_order);
  return method.error_order > 0 ? fmt::format("{}({})", method.order, method.error_order)
                                : std::to_string(method.order);
}

int list_methods(Session& io, bool as_json) {
  Json list = Json::array();
  Table table({"name", "family", "order", "dense", "stability", "index", "forms"});
  for (const Method* method : all_methods()) {
    list.push_back(describe(*method));
    table.add({method->name, method->family, order_text(*method),
               method->dense_order > 0 ? std::to_string(method->dense_order) : "-",
               std::string(to_string(method->stability)), std::to_string(method->max_index),
               fmt::format("{}", fmt::join(problem_forms(*method), ", "))});
  }
  if (as_json) {
    Json json = document();
    json["methods"] = list;
    print(io.out, json);
  } else {
    table.print(io.out);
  }
  return exit_success;
}

int list_problems(Session& io, bool as_json) {
  Json list = Json::array();
  Table table({"name", "form", "index", "size", "t_end", "stiff", "reference", "title"},
              {Align::left, Align::left, Align::right, Align::right, Align::right});
  for (const problems::Entry* entry : problems::all_problems()) {
    const Problem problem = entry->problem();
    list.push_back(describe(*entry, problem));
    table.add({entry->name, entry->form, std::to_string(entry->index),
               std::to_string(model_variables(problem).size()), brief(entry->t_end),
               entry->stiff ? "stiff" : "-",
               entry->reference ? fmt::format("{} digits", entry->reference->digits)
                                : std::string(entry->exact ? "exact" : "-"),
               entry->title});
  }
  if (as_json) {
    Json json = document();
    json["problems"] = list;
    print(io.out, json);
  } else {
    table.print(io.out);
  }
  return exit_success;
}

int list_formulations(Session& io, bool as_json) {
  Json list = Json::array();
  Table table({"name", "index", "applies to", "reference"}, {Align::left, Align::right});
  for (const Formulation& formulation : all_formulations()) {
    list.push_back(describe(formulation));
    table.add({formulation.name, std::to_string(formulation.index), formulation.applies_to,
               formulation.reference});
  }
  if (as_json) {
    Json json = document();
    json["formulations"] = list;
    print(io.out, json);
  } else {
    table.print(io.out);
  }
  return exit_success;
}

// What there is to list, and how many of each.
int list_kinds(Session& io, bool as_json) {
  const std::size_t methods = method_names().size(), problems = problem_names().size(),
                    formulations = formulation_names().size();
  if (as_json) {
    Json json = document();
    json["lists"] =
        Json{{"methods", methods}, {"problems", problems}, {"formulations", formulations}};
    print(io.out, json);
    return exit_success;
  }
  Table table({"list", "names", "shown by"}, {Align::left, Align::right, Align::left});
  table.add({"methods", std::to_string(methods), "daedalus list methods"});
  table.add({"problems", std::to_string(problems), "daedalus list problems"});
  table.add({"formulations", std::to_string(formulations), "daedalus list formulations"});
  table.print(io.out);
  return exit_success;
}

int list(const std::string& what, Session& io, bool as_json) {
  if (what.empty()) return list_kinds(io, as_json);
  if (what == "methods") return list_methods(io, as_json);
  if (what == "problems") return list_problems(io, as_json);
  if (what == "formulations") return list_formulations(io, as_json);
  throw InvalidArgument(
      unknown_name("list", what, {"methods", "problems", "formulations"}, "daedalus list --help"));
}

}  // namespace

void add_list(CLI::App& app, Session& session) {
  struct Settings {
    std::string what;
    bool json = false;
  };
  const auto settings = std::make_shared<Settings>();
  CLI::App* command = app.add_subcommand("list", "List methods, problems or formulations");
  command->add_option("what", settings->what,
                      "methods, problems or formulations; without: how many there are");
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return list(settings->what, session, settings->json); };
  });
}

}  // namespace daedalus::cli
