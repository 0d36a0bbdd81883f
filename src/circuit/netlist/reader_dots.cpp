// SPDX-License-Identifier: BSD-3-Clause
// Dot lines: models, subcircuits, parameters, analyses.
#include <fmt/format.h>

#include <array>

#include "circuit/netlist/reader.hpp"
#include "kernel/nearest.hpp"

namespace daedalus::circuit {
namespace {

constexpr std::array<std::string_view, 15> analyses{"op",   "dc",      "tran",  "ac",   "pz",
                                                    "ic",   "nodeset", "print", "plot", "save",
                                                    "meas", "measure", "probe", "temp", "four"};
struct RefusedLine {
  std::string_view name, why;
};
constexpr std::array<RefusedLine, 8> refused_lines{
    {{"noise", "noise analysis is not supported"},
     {"disto", "distortion analysis is not supported"},
     {"tf", "transfer functions are not supported; .ac at a low frequency gives the gain"},
     {"sens", "not supported yet: 'daedalus sweep' with --set shows what a value does"},
     {"four", "not supported yet: Fourier analysis comes later"},
     {"step", "not supported yet: use 'daedalus sweep'"},
     {"func", "not supported yet: write the expression out"},
     {"hdl", "Verilog-A is not supported"}}};

}  // namespace

void NetlistReader::refused(const std::string& name, const Statement& statement) {
  for (const RefusedLine& r : refused_lines)
    if (r.name == name) {
      n_.files.error(statement.whole(), fmt::format(".{}: {}", name, r.why));
      return;
    }
  // Written by schematic editors at the end of every netlist.
  if (name == "backanno") {
    n_.files.warning(statement.whole(), ".backanno has no effect here");
    return;
  }
  std::vector<std::string> known{"model", "subckt",  "ends",   "param", "include",
                                 "lib",   "options", "global", "end",   "title"};
  for (const std::string_view a : analyses) known.emplace_back(a);
  n_.files.error(statement.whole(), fmt::format("'.{}' is not known", name),
                 model::name_hint(name, known));
}

void NetlistReader::dot(Statement statement) {
  const std::vector<Word> words = split(n_.files, statement);
  if (words.empty() || words[0].kind != WordKind::word) return;
  const Span first = words[0].span;
  const std::string name = lower_case(
      std::string_view(statement.fragment.text()).substr(first.begin + 1, first.length - 1));
  if (name == "endl" && files_.size() > 1) {
    in_section_ = false;
    return;
  }
  if (name == "lib" && files_.size() > 1 && words.size() == 2) {
    const Span s = words[1].span;
    in_section_ =
        section_.empty() ||
        lower_case(std::string_view(statement.fragment.text()).substr(s.begin, s.length)) ==
            section_;
    return;
  }
  if (!in_section_) return;
  if (structure(name, statement, words)) return;
  for (const std::string_view a : analyses)
    if (a == name && a != "four") {
      Command command{name == "measure" ? "meas" : name, std::move(statement), words};
      command.words.erase(command.words.begin());
      n_.commands.push_back(std::move(command));
      return;
    }
  refused(name, statement);
}

bool NetlistReader::structure(const std::string& name, Statement& statement,
                              const std::vector<Word>& words) {
  Cursor cursor(n_.files, statement, words, 1);
  if (name == "model") {
    model(statement, words);
  } else if (name == "subckt") {
    subcircuit(statement, words);
  } else if (name == "ends") {
    ends(statement, words);
  } else if (name == "param") {
    assignments(cursor, body().parameters, &Cursor::parameter);
  } else if (name == "options" || name == "option" || name == "opt") {
    while (!cursor.done()) {
      Assignment a;
      if (cursor.is_assignment() && lower_case(cursor.text()) == "method") {
        a.where = cursor.where();
        a.name = "method";
        cursor.skip(), cursor.skip();
        if (!cursor.done()) a.written = cursor.take_lower();
        n_.options.push_back(std::move(a));
      } else if (cursor.assignment(a)) {
        n_.options.push_back(std::move(a));
      } else {
        if (cursor.is_word()) {
          a.where = cursor.where();
          a.name = a.written = cursor.lower();
          n_.options.push_back(std::move(a));
        }
        cursor.skip();
      }
    }
  } else if (name == "global") {
    for (; !cursor.done(); cursor.skip()) n_.globals.push_back(cursor.lower());
  } else if (name == "include" || name == "inc") {
    include(statement, words, false);
  } else if (name == "lib") {
    include(statement, words, true);
  } else if (name == "control") {
    in_control_ = true;
    control_.clear();
    control_where_ = statement.whole();
  } else if (name == "title") {
    const Span rest = cursor.rest();
    n_.title = statement.fragment.text().substr(rest.begin);
  } else if (name != "end") {
    return false;
  }
  return true;
}

void NetlistReader::model(const Statement& statement, const std::vector<Word>& words) {
  Cursor cursor(n_.files, statement, words, 1);
  ModelCard card;
  if (!cursor.is_word()) {
    n_.files.error(statement.whole(), ".model needs a name, a type and its parameters",
                   ".model QN NPN(BF=100)");
    return;
  }
  card.where = cursor.where();
  card.written = std::string(cursor.text());
  card.name = cursor.take_lower();
  if (!cursor.is_word()) {
    n_.files.error(card.where, fmt::format("model {} has no type", card.written));
    return;
  }
  card.type = cursor.take_lower();
  assignments(cursor, card.values);
  if (const auto old = body().models.find(card.name); old != body().models.end()) {
    n_.files.error(card.where, fmt::format("model {} is already defined at {}", card.written,
                                           n_.files.place(old->second.where)));
    return;
  }
  body().models.emplace(card.name, std::move(card));
}

void NetlistReader::subcircuit(const Statement& statement, const std::vector<Word>& words) {
  Cursor cursor(n_.files, statement, words, 1);
  auto s = std::make_shared<Subcircuit>();
  s->where = statement.whole();
  if (!cursor.is_word()) {
    n_.files.error(statement.whole(), ".subckt needs a name and its ports");
    return;
  }
  s->written = std::string(cursor.text());
  s->name = cursor.take_lower();
  while (cursor.is_word()) {
    const std::string port = cursor.take_lower();
    if (port == "params:") break;
    s->ports.push_back(port);
  }
  assignments(cursor, s->parameters);
  body().subcircuits[s->name] = s;
  open_.push_back(std::move(s));
}

void NetlistReader::ends(const Statement& statement, const std::vector<Word>& words) {
  if (open_.empty()) {
    n_.files.error(statement.whole(), ".ends without .subckt");
    return;
  }
  if (words.size() > 1) {
    const Span s = words[1].span;
    const std::string name =
        lower_case(std::string_view(statement.fragment.text()).substr(s.begin, s.length));
    if (name != open_.back()->name)
      n_.files.error(statement.whole(),
                     fmt::format(".ends {} closes .subckt {} of {}", name, open_.back()->written,
                                 n_.files.place(open_.back()->where)));
  }
  open_.pop_back();
}

}  // namespace daedalus::circuit
