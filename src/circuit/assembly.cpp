// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/assembly.hpp"

#include "circuit/netlist/constants.hpp"
#include "circuit/signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace daedalus::circuit {
namespace {

// Subcircuits that hold two of the next double with each line of a file.
constexpr std::size_t max_parts = 1'000'000;

class Assembler {
 public:
  Assembler(Netlist& netlist, const Values& values)
      : n_(netlist), values_(values), result_(std::make_shared<Assembly>(netlist.title)) {}

  std::shared_ptr<Assembly> run() {
    Assembly& a = *result_;
    Level& top = a.levels.emplace_back();
    top.body = &n_.top;
    top.parameters = std::make_unique<Parameters>(n_.files);
    top_parameters(*top.parameters);
    a.requests = read_requests(n_, *top.parameters);
    Network& net = a.network;
    net.nominal_temperature = a.requests.nominal_temperature;
    if (a.requests.transient) {
      net.tstep = a.requests.transient->step;
      net.tstop = a.requests.transient->stop;
    }
    if (const auto t = values_.find("temp"); t != values_.end() && !net.builder.find("temp"))
      a.requests.temperature = t->second + zero_celsius;
    net.temperature = a.requests.temperature;
    const auto given = values_.find("gmin");
    net.gmin = net.add_parameter(
        "gmin", given == values_.end() ? a.requests.gmin : given->second,
        {.min = 0.0, .unit = "S", .description = "conductance parallel to every junction"});
    note_currents(a.requests);
    // Large netlists are flat: tables that grow by doubling are copied out of the caches.
    const std::size_t count = n_.top.cards.size();
    names_.reserve(count);
    a.parts.reserve(count);
    net.reserve(count);
    expand(top);
    if (a.parts.empty() && !n_.files.wrong())
      n_.files.error({0, n_.title_span}, "the netlist has no elements",
                     "the first line is always the title");
    each([](Part& p, Context& c) { p.declare_all(c); });
    if (n_.files.wrong()) return std::move(result_);
    net.close_layout();
    each([](Part& p, Context& c) {
      if (p.kind != 'k') p.stamp_all(c);
    });
    each([](Part& p, Context& c) {
      if (p.kind == 'k') p.stamp(c);
    });
    if (a.requests.shunt)
      for (int k = 0; k < net.nodes(); ++k) net.current(k, ground, net.v(k) / *a.requests.shunt);
    net.extract_relations();
    for (const Signal& s : a.requests.printed) resolve(s, a, n_.files);  // warns
    return std::move(result_);
  }

 private:
  // Currents that are asked for become unknowns.
  void note_currents(const Requests& r) {
    const auto note = [this](const Signal& s) {
      if ((s.kind == "i" || s.kind == "p") && s.arguments.size() == 1)
        result_->sensed.insert(s.arguments[0]);
    };
    for (const Signal& s : r.printed) note(s);
    for (const MeasureRequest& m : r.measures)
      for (const Signal* s : {&m.signal, &m.when.signal, &m.to.signal}) note(*s);
  }

  void top_parameters(Parameters& p) {
    ModelBuilder& builder = result_->network.builder;
    for (const Assignment& a : n_.top.parameters) {
      const auto given = values_.find(a.written);
      if (given == values_.end() && !a.value.number) continue;
      const double value = given == values_.end() ? *a.value.number : given->second;
      if (!builder.find(a.written))
        p.define(a.name, value, result_->network.add_parameter(a.written, value));
    }
    p.define(n_.top.parameters);
    p.settle();
  }

  Context context(const Level& level) {
    return {result_->network, n_.files, level, n_, max_settable_elements, result_->sensed};
  }

  template <class F>
  void each(F f) {
    for (auto& part : result_->parts) {
      if (n_.files.full()) return;
      Context c = context(*part->level);
      f(*part, c);
    }
  }

  void expand(const Level& level) {
    for (const Card& card : level.body->cards) {
      if (n_.files.full()) return;
      if (card.kind == 'x')
        instance(level, card);
      else
        element(level, card);
    }
  }

  bool refused(const Card& card) {
    const Where where = card.statement.whole();
    switch (card.kind) {
      case 't':
      case 'o':
      case 'u':
      case 'y':
      case 'p':
        n_.files.error(
            where,
            fmt::format("{}: transmission lines need past values (delay differential "
                        "equations), which the methods here do not solve",
                        card.written),
            fmt::format("replace {} by a ladder of L and C: n sections with L = Z0 TD/n, "
                        "C = TD/(Z0 n)",
                        card.written));
        return true;
      case 'a':
        n_.files.error(where, fmt::format("{}: XSPICE models are not supported", card.written));
        return true;
      case 'n':
      case 'z':
        n_.files.error(where, fmt::format("{}: compiled device models (OSDI, MESFET) are not "
                                          "supported",
                                          card.written));
        return true;
      default:
        return false;
    }
  }

  void element(const Level& level, const Card& card) {
    if (refused(card)) return;
    const ElementKind* kind = element_kind(card.kind);
    const Where where = card.statement.whole();
    if (!kind) {
      n_.files.error(where, fmt::format("'{}' is no kind of element", card.written[0]));
      return;
    }
    struct Head final : Part {
      void stamp(Context&) override {}
    } head;
    head.kind = card.kind;
    head.name = level.prefix + card.name;
    head.written = level.prefix + card.written;
    head.where = where;
    head.level = &level;
    head.number = static_cast<int>(result_->parts.size());
    if (const auto [old, added] = names_.emplace(head.name, where); !added) {
      n_.files.error(where, fmt::format("{} is already defined at {}", head.written,
                                        n_.files.place(old->second)));
      return;
    }
    Cursor cursor(n_.files, card.statement, card.words, 1);
    Context c = context(level);
    for (int k = 0; k < kind->nodes; ++k) {
      cursor.skip_parentheses();
      if (!cursor.is(WordKind::word) || cursor.is_assignment()) {
        n_.files.error(where,
                       fmt::format("{} has {} node{}, expected {}", card.written, k,
                                   k == 1 ? "" : "s", kind->nodes),
                       fmt::format("expected {}", kind->usage));
        return;
      }
      head.nodes.push_back(c.node(cursor.take_lower()));
    }
    cursor.skip_parentheses();
    auto part = kind->make(c, cursor, head);
    if (!part) return;
    part->kind = head.kind;
    part->name = std::move(head.name);
    part->written = std::move(head.written);
    part->where = where;
    part->level = head.level;
    part->number = head.number;
    if (part->nodes.empty()) part->nodes = std::move(head.nodes);
    result_->parts.push_back(std::move(part));
  }

  bool recursive(const Level& level, const Subcircuit& s, Where where) {
    std::vector<std::string> chain;
    bool again = false;
    for (const Level* at = &level; at && at->subcircuit; at = at->above) {
      chain.push_back(at->subcircuit->written);
      if (at->subcircuit == &s) {
        again = true;
        break;
      }
    }
    if (!again) return false;
    std::reverse(chain.begin(), chain.end());
    chain.push_back(s.written);
    n_.files.error(where,
                   fmt::format("a subcircuit contains itself: {}", fmt::join(chain, " -> ")));
    return true;
  }

  void instance(const Level& level, const Card& card) {
    const Where where = card.statement.whole();
    Cursor cursor(n_.files, card.statement, card.words, 1);
    std::vector<std::pair<std::string, Where>> words;
    while (!cursor.done() && !cursor.is_assignment()) {
      if (cursor.is(WordKind::word) && cursor.lower() != "params:")
        words.emplace_back(cursor.lower(), cursor.where());
      cursor.skip();
    }
    auto given = std::make_unique<std::vector<Assignment>>();
    Assignment a;
    while (cursor.assignment(a)) given->push_back(std::move(a)), a = {};
    if (words.empty()) {
      n_.files.error(where, fmt::format("{} names no subcircuit", card.written));
      return;
    }
    const std::string type = words.back().first;
    const Level* around = nullptr;
    const auto* found = find_defined(level, type, &Body::subcircuits, &around);
    if (!found) {
      std::vector<std::string> known;
      for (const Level* at = &level; at; at = at->above)
        for (const auto& [name, sub] : at->body->subcircuits) known.push_back(name);
      n_.files.error(words.back().second, fmt::format("subcircuit {} is not defined", type),
                     model::name_hint(type, known));
      return;
    }
    const Subcircuit* s = found->get();
    words.pop_back();
    if (words.size() != s->ports.size()) {
      n_.files.error(where, fmt::format("{} has {} ports ({}) at {}, {} gives {}", s->written,
                                        s->ports.size(), fmt::join(s->ports, " "),
                                        n_.files.place(s->where), card.written, words.size()));
      return;
    }
    if (recursive(level, *s, where)) return;
    if (names_.size() >= max_parts) {
      n_.files.error(where, fmt::format("the subcircuits make more than {} elements", max_parts));
      return;
    }
    if (const auto [old, added] = names_.emplace(level.prefix + card.name, where); !added) {
      n_.files.error(where, fmt::format("{} is already defined at {}", card.written,
                                        n_.files.place(old->second)));
      return;
    }
    enter(level, *around, card, *s, words, std::move(given));
  }

  void enter(const Level& level, const Level& around, const Card& card, const Subcircuit& s,
             const std::vector<std::pair<std::string, Where>>& nodes,
             std::unique_ptr<std::vector<Assignment>> given) {
    Level& inner = result_->levels.emplace_back();
    inner.body = &s.body;
    inner.above = &level;
    inner.around = &around;
    inner.subcircuit = &s;
    inner.prefix = level.prefix + card.name + ".";
    inner.parameters = std::make_unique<Parameters>(n_.files, level.parameters.get());
    const Context outer = context(level);
    for (std::size_t k = 0; k < nodes.size(); ++k)
      inner.ports[s.ports[k]] = outer.node(nodes[k].first);
    for (const Assignment& a : *given) {
      const bool known = std::any_of(s.parameters.begin(), s.parameters.end(),
                                     [&](const Assignment& p) { return p.name == a.name; });
      if (!known) {
        std::vector<std::string> names;
        for (const Assignment& p : s.parameters) names.push_back(p.name);
        n_.files.error(a.where, fmt::format("{} has no parameter {}", s.written, a.written),
                       model::name_hint(a.name, names));
        continue;
      }
      const auto number = level.parameters->number(a.value);
      const auto formula = level.parameters->formula(a.value);
      if (number && formula) inner.parameters->define(a.name, *number, *formula);
    }
    inner.parameters->define(s.parameters);
    inner.parameters->define(s.body.parameters);
    inner.parameters->settle();
    expand(inner);
  }

  Netlist& n_;
  const Values& values_;
  std::shared_ptr<Assembly> result_;
  std::unordered_map<std::string, Where> names_;
};

}  // namespace

std::shared_ptr<Assembly> assemble(Netlist& netlist, const Values& values) {
  return Assembler(netlist, values).run();
}

}  // namespace daedalus::circuit
