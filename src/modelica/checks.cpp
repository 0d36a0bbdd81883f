// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/checks.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/structure_signature.hpp"
#include "graph/incidence.hpp"
#include "kernel/at.hpp"

namespace daedalus::modelica {
namespace {

using graph::InputKind;

// More names hide the first ones.
constexpr std::size_t max_listed = 8;
// Larger models are left to the checks of the compiled model.
constexpr int max_rows = 20'000;

std::string quoted(const std::vector<std::string>& names, std::string_view between) {
  std::vector<std::string> list;
  for (std::size_t k = 0; k < std::min(names.size(), max_listed); ++k)
    list.push_back("'" + names[k] + "'");
  if (names.size() > max_listed) {
    list.push_back(fmt::format("{} more", names.size() - max_listed));
  }
  if (list.empty()) return "no variable";
  if (list.size() == 1 || between == ", ") return fmt::format("{}", fmt::join(list, between));
  const std::string last = list.back();
  list.pop_back();
  return fmt::format("{} {} {}", fmt::join(list, ", "), between, last);
}

std::string number_of(std::size_t n, const std::string& one) {
  return n == 1 ? "one " + one : fmt::format("{} {}s", n, one);
}

class Checker {
 public:
  Checker(FlatModel& flat, Mistakes& mistakes)
      : flat_(flat), mistakes_(mistakes), files_(mistakes.files()) {}

  void run() {
    collect();
    const int n = static_cast<int>(flat_.variables.size());
    const Transversal with = max_transversal(signature_, n);
    if (!with.complete || static_cast<int>(signature_.size()) != n) {
      blame(with);
      return;
    }
    check_start(with);
  }

 private:
  void collect() {
    graph::Outputs rows;
    for (std::size_t k = 0; k < flat_.equations.size(); ++k) {
      const FlatEquation& e = flat_.equations[k];
      if (e.discrete) continue;
      rows.add(e.left - e.right);
      origins_.push_back(&e.origin);
    }
    for (const FlatFamily& f : flat_.families) {
      graph::Map map{f.kernel, f.count, f.arguments, {}, false};
      auto& list = map.rows.emplace_back();
      for (int i = 0; i < f.count; ++i) {
        list.push_back(rows.count++);
        origins_.push_back(&f.origin);
      }
      rows.maps.push_back(std::move(map));
    }
    const graph::Graph& g = *flat_.graph;
    const auto states = graph::incidence(g, rows, InputKind::state);
    const auto rates = graph::incidence(g, rows, InputKind::derivative);
    signature_.resize(states.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
      for (const int j : rates[i]) signature_[i].push_back({j, 1});
      for (const int j : states[i])
        if (!std::binary_search(rates[i].begin(), rates[i].end(), j))
          signature_[i].push_back({j, 0});
    }
    // Unknown parameters are constant.
    for (std::size_t j = 0; j < flat_.variables.size(); ++j)
      if (flat_.variables[j].unknown_parameter) {
        signature_.push_back({{static_cast<int>(j), 1}});
        origins_.push_back(&constant_);
      }
  }

  std::string line(int row) const { return std::to_string(files_.line(origins_[at(row)]->place)); }

  std::string lines(const std::vector<int>& rows) const {
    std::vector<std::string> list;
    for (const int r : rows) {
      const std::string l = line(r);
      if (list.empty() || list.back() != l) list.push_back(l);
    }
    if (list.size() > max_listed) {
      list.resize(max_listed);
      return fmt::format("lines {}, ...", fmt::join(list, ", "));
    }
    if (list.empty()) return "no line";
    if (list.size() == 1) return "line " + list.front();
    const std::string last = list.back();
    list.pop_back();
    return fmt::format("lines {} and {}", fmt::join(list, ", "), last);
  }

  std::vector<std::string> names(const std::vector<int>& variables) const {
    std::vector<std::string> list;
    for (const int j : variables) list.push_back(flat_.variables[at(j)].name);
    return list;
  }

  // Equations without derivatives are the suspects: the others give the rates.
  std::vector<int> suspects(const std::vector<int>& rows) const {
    std::vector<int> list;
    for (const int r : rows)
      if (std::none_of(signature_[at(r)].begin(), signature_[at(r)].end(),
                       [](const SignatureRow& e) { return e.order == 1; }))
        list.push_back(r);
    return list.empty() ? rows : list;
  }

  std::vector<std::string> in_no_equation() const {
    std::vector<char> used(flat_.variables.size(), 0);
    for (const auto& row : signature_)
      for (const SignatureRow& e : row) used[at(e.variable)] = 1;
    std::vector<std::string> list;
    for (std::size_t j = 0; j < used.size(); ++j)
      if (!used[j]) list.push_back(flat_.variables[j].name);
    return list;
  }

  std::string equation_list(const std::vector<int>& rows) const {
    std::vector<std::string> list;
    for (std::size_t k = 0; k < std::min(rows.size(), max_listed); ++k) {
      const Origin& o = *origins_[at(rows[k])];
      list.push_back(k == 0 ? fmt::format("'{}'", o.text)
                            : fmt::format("'{}' ({})", o.text,
                                          files_.seen_from(origins_[at(rows[0])]->place, o.place)));
    }
    if (rows.size() > max_listed) list.push_back(fmt::format("{} more", rows.size() - max_listed));
    return fmt::format("{}", fmt::join(list, ", "));
  }

  void blame(const Transversal& with) {
    const int n = static_cast<int>(flat_.variables.size());
    const std::size_t m = signature_.size();
    StructuralAnalysis::Block over = overdetermined_part(signature_, with);
    StructuralAnalysis::Block under = underdetermined_part(signature_, n, with);
    std::sort(over.equations.begin(), over.equations.end());
    std::sort(over.variables.begin(), over.variables.end());
    std::sort(under.variables.begin(), under.variables.end());
    if (m < at(n)) return too_few(m, n, under);
    if (m > at(n)) return too_many(m, n, over);
    singular(over);
  }

  void too_few(std::size_t m, int n, const StructuralAnalysis::Block& under) {
    const std::size_t missing = at(n) - m;
    const std::vector<std::string> unused = in_no_equation();
    std::vector<std::string> all = names(under.variables);
    std::string text = fmt::format("{} unknowns and {} equations: {} {} missing", n, m,
                                   number_of(missing, "equation"), missing == 1 ? "is" : "are");
    std::string hint = "undetermined: " + quoted(all, ", ");
    if (!unused.empty()) {
      const std::string none = fmt::format("{} occur{} in no equation", quoted(unused, "and"),
                                           unused.size() == 1 ? "s" : "");
      text += "; " + none;
      hint += ": " + none;
    }
    text += fmt::format("; undetermined are {}", quoted(all, "and"));
    mistakes_.error({Phase::balance, flat_.cls->place, text, hint});
  }

  void too_many(std::size_t m, int n, const StructuralAnalysis::Block& over) {
    const std::size_t extra = m - at(n);
    const std::vector<int> list = suspects(over.equations);
    mistakes_.error({Phase::balance,
                     list.empty() ? flat_.cls->place : origins_[at(list.front())]->place,
                     fmt::format("{} unknowns and {} equations: {} too many: {}", n, m,
                                 extra == 1 ? "one equation" : fmt::format("{} equations", extra),
                                 equation_list(list)),
                     fmt::format("the equations of {} determine only {}", lines(over.equations),
                                 quoted(names(over.variables), "and"))});
  }

  void singular(const StructuralAnalysis::Block& over) {
    const std::vector<int> list = suspects(over.equations);
    const std::vector<std::string> unused = in_no_equation();
    const std::string contain =
        fmt::format("the equations of {} contain only {}", lines(over.equations),
                    quoted(names(over.variables), "and"));
    const std::string none = unused.empty()
                                 ? std::string()
                                 : fmt::format("{} occur{} in no equation", quoted(unused, "and"),
                                               unused.size() == 1 ? "s" : "");
    mistakes_.error(
        {Phase::structure, list.empty() ? flat_.cls->place : origins_[at(list.front())]->place,
         fmt::format("the model is structurally singular: the equations {} are about {} only{}",
                     equation_list(list), quoted(names(over.variables), "and"),
                     none.empty() ? std::string() : "; " + none),
         none.empty() ? contain : none + "; " + contain});
  }

  // Fixed start values that a constraint relates to each other.
  void check_start(const Transversal& with) {
    const int n = static_cast<int>(flat_.variables.size());
    const Offsets o = min_offsets(signature_, n, with);
    int freedom = 0;
    for (const int d : o.d) freedom += d;
    for (const int c : o.c) freedom -= c;
    int fixed = static_cast<int>(flat_.initial_equations.size());
    for (const FlatVariable& v : flat_.variables) fixed += v.fixed;
    if (fixed <= freedom) return;
    // The equations that are differentiated most often, and hold no derivatives, are constraints.
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < signature_.size(); ++i)
      if (o.c[i] > 0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return o.c[a] > o.c[b]; });
    for (const std::size_t i : order) {
      std::vector<std::string> bound;
      bool all = true;
      for (const SignatureRow& e : signature_[i]) {
        const FlatVariable& v = flat_.variables[at(e.variable)];
        if (v.fixed) bound.push_back(v.name);
        all = all && v.fixed && e.order == 0;
      }
      if (!all || bound.size() < 2) continue;
      mistakes_.error(
          {Phase::start, origins_[i]->place,
           fmt::format("{} start values are fixed, the model has {} degrees of freedom: {} "
                       "contradict each other through {}",
                       fixed, freedom, quoted(bound, ", "), origins_[i]->text),
           fmt::format("set fixed = false for {}", quoted(bound, "or"))});
      return;
    }
  }

  FlatModel& flat_;
  Mistakes& mistakes_;
  const Files& files_;
  Signature signature_;
  std::vector<const Origin*> origins_;
  Origin constant_;
};

}  // namespace

void check_model(FlatModel& flat, Mistakes& mistakes) {
  const graph::Graph& g = *flat.graph;
  // Only differentiated variables start anew.
  for (const auto& clause : flat.whens)
    for (const FlatBranch& b : clause)
      for (const FlatAction& a : b.actions) {
        if (a.kind != FlatAction::Kind::reinit) continue;
        const int k = flat.number_of(a.target);
        if (g.input_node(InputKind::derivative, k) >= 0) continue;
        bool in_family = false;
        for (const FlatFamily& f : flat.families)
          for (const graph::MapArgument& m : f.arguments)
            in_family =
                in_family || (m.kind == InputKind::derivative &&
                              std::find(m.index.begin(), m.index.end(), k) != m.index.end());
        if (in_family) continue;
        const std::string& name = flat.variables[at(k)].name;
        std::string from;
        for (const FlatEquation& e : flat.equations)
          if (e.left.same(a.target))
            from = fmt::format("; '{}' follows from {} in {}", name, e.origin.text,
                               mistakes.files().seen_from(a.place, e.origin.place));
        mistakes.error({Phase::events, a.place,
                        fmt::format("reinit: '{}' is not differentiated", name),
                        "only variables that occur in der() can be set" + from});
      }
  if (mistakes.errors() > 0) return;
  int rows = static_cast<int>(flat.equations.size());
  for (const FlatFamily& f : flat.families) rows += f.count;
  if (rows <= max_rows) Checker(flat, mistakes).run();
}

}  // namespace daedalus::modelica
