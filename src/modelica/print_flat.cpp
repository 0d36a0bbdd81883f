// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "modelica/compile.hpp"

namespace daedalus::modelica {
namespace {

// Longer texts of one equation are cut.
constexpr std::size_t max_text = 2000;

std::string_view type_of(const FlatVariable& v) {
  if (v.type) return v.type->name;
  return v.base == Base::real ? "Real" : v.base == Base::integer ? "Integer" : "Boolean";
}

std::string attributes(const FlatVariable& v) {
  std::vector<std::string> list;
  if (v.explicit_start) list.push_back("start = " + text(v.start, 200));
  if (v.fixed) list.push_back("fixed = true");
  if (v.nominal != 1.0) list.push_back(fmt::format("nominal = {}", v.nominal));
  if (!v.unit.empty()) list.push_back(fmt::format("unit = \"{}\"", v.unit));
  return list.empty() ? std::string() : fmt::format("({})", fmt::join(list, ", "));
}

std::string from(const Origin& o, const Files& files) {
  static constexpr std::string_view kinds[] = {"", "binding, ", "connection, ", "flow balance, ",
                                               "algorithm, "};
  std::string text =
      fmt::format("  // {}{}", kinds[static_cast<std::size_t>(o.kind)], files.where(o.place));
  if (!o.component.empty()) text += " in " + o.component;
  return text + ": " + o.text + "\n";
}

std::string where(const Origin& o, const Files& files) {
  return files.where(o.place) + (o.component.empty() ? "" : " in " + o.component);
}

}  // namespace

ModelicaFlat parts_of(const FlatModel& flat, const Files& files) {
  ModelicaFlat p;
  for (const auto* list : {&flat.variables, &flat.discretes})
    for (const FlatVariable& v : *list) {
      p.variables.push_back(
          {v.name, v.discrete ? "discrete" : "continuous", v.unit, text(v.start, max_text)});
      if (v.fixed) p.starts.push_back(fmt::format("{} = {}", v.name, text(v.start, max_text)));
    }
  for (const FlatParameter& q : flat.parameters)
    p.variables.push_back({q.name, "parameter", q.unit,
                           q.settable ? fmt::format("{}", q.number) : text(q.value, max_text)});
  for (const FlatEquation& e : flat.equations)
    p.equations.push_back(
        {text(e.left, max_text) + " = " + text(e.right, max_text), where(e.origin, files)});
  for (const FlatFamily& f : flat.families)
    p.equations.push_back(
        {fmt::format("{} rows: 0 = {}", f.count, text(f.kernel->results().front(), max_text)),
         where(f.origin, files)});
  for (const FlatEquation& e : flat.initial_equations)
    p.starts.push_back(text(e.left, max_text) + " = " + text(e.right, max_text));
  for (const auto& clause : flat.whens)
    for (const FlatBranch& b : clause) p.whens.push_back(text(b.condition, max_text));
  return p;
}

std::string text_of(const FlatModel& flat, const Files& files) {
  std::string out = fmt::format("model {}{}\n", flat.name,
                                flat.comment.empty() ? "" : fmt::format(" \"{}\"", flat.comment));
  for (const FlatParameter& p : flat.parameters)
    out += fmt::format(
        "  parameter {} = {};{}\n", p.name,
        p.settable && !p.value.is_number() ? fmt::format("{}", p.number) : text(p.value, max_text),
        p.structural ? "  // decides the structure" : "");
  for (const auto* list : {&flat.variables, &flat.discretes})
    for (const FlatVariable& v : *list)
      out += fmt::format("  {}{} {}{}{};\n", v.discrete && v.base == Base::real ? "discrete " : "",
                         type_of(v), v.name, attributes(v),
                         v.comment.empty() ? "" : fmt::format(" \"{}\"", v.comment));
  const auto rows = [&](const std::vector<FlatEquation>& list) {
    for (const FlatEquation& e : list)
      out += from(e.origin, files) +
             fmt::format("  {} = {};\n", text(e.left, max_text), text(e.right, max_text));
  };
  if (!flat.initial_equations.empty()) {
    out += "initial equation\n";
    rows(flat.initial_equations);
  }
  out += "equation\n";
  rows(flat.equations);
  for (const FlatFamily& f : flat.families)
    out += from(f.origin, files) + fmt::format("  for {} rows: 0 = {};\n", f.count,
                                               text(f.kernel->results().front(), max_text));
  for (const auto& clause : flat.whens) {
    bool first = true;
    for (const FlatBranch& b : clause) {
      out += fmt::format("{}  {} {} then\n", from(b.origin, files), first ? "when" : "elsewhen",
                         text(b.condition, max_text));
      first = false;
      for (const FlatAction& a : b.actions)
        out +=
            a.kind == FlatAction::Kind::stop ? fmt::format("    terminate(\"{}\");\n", a.message)
            : a.kind == FlatAction::Kind::reinit
                ? fmt::format("    reinit({}, {});\n", text(a.target, max_text),
                              text(a.value, max_text))
                : fmt::format("    {} = {};\n", text(a.target, max_text), text(a.value, max_text));
    }
    out += "  end when;\n";
  }
  out += fmt::format("  annotation(experiment(StartTime = {}, StopTime = {}, Tolerance = {}));\n",
                     flat.start_time, flat.stop_time, flat.tolerance);
  return out + fmt::format("end {};\n", flat.name);
}

}  // namespace daedalus::modelica
