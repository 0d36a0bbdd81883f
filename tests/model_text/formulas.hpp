// SPDX-License-Identifier: BSD-3-Clause
// Formulas as text over a few variables: read into a graph, or what is wrong with them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <daedalus/graph.hpp>

#include "model/text/lower.hpp"

namespace daedalus::model {

class NamedScope : public Scope {
 public:
  explicit NamedScope(graph::Graph& g) : graph_(g) {}
  Expr state(const std::string& name) { return known_[name] = graph_.state(name); }
  void add(const std::string& name, const Expr& value) { known_[name] = value; }
  std::optional<Expr> name(const Written& w, int node, std::span<const Expr> values) override {
    const std::string full = canonical_name(w, node, values);
    if (full.empty()) return std::nullopt;
    if (full == "time") return graph_.time();
    if (const auto found = known_.find(full); found != known_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [other, value] : known_) names.push_back(other);
    w.error(w.formula.at(node).span, "there is no variable '" + full + "'", name_hint(full, names));
    return std::nullopt;
  }

 private:
  graph::Graph& graph_;
  std::map<std::string, Expr> known_;
};

struct ReadFormula {
  std::optional<Expr> value;
  std::vector<SourceDiagnostic> wrong;
};

inline ReadFormula read_formula(const std::string& content, Scope& scope,
                                Want want = Want::expression) {
  Diagnostics diagnostics(std::make_shared<Source>("formula", content));
  const Fragment fragment(content, 0);
  ReadFormula result;
  if (const auto formula = parse(fragment, want, diagnostics))
    if (const auto values = lower({fragment, *formula, diagnostics}, scope)) {
      const Syntax& root = formula->at(formula->root());
      result.value = want == Want::equation ? (*values)[static_cast<std::size_t>(root.a)] ==
                                                  (*values)[static_cast<std::size_t>(root.b)]
                                            : values->back();
    }
  result.wrong = diagnostics.sorted();
  return result;
}

}  // namespace daedalus::model
