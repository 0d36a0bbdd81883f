// SPDX-License-Identifier: BSD-3-Clause
// A repeated equation as one kernel over index tables: each name in it becomes an argument, read
// from another place in every instance. Nothing is written out, so that 10^5 equations cost as much
// as their index tables.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/json/affine.hpp"
#include "model/json/reader.hpp"

namespace daedalus::model {
namespace {

// Equations of one text that have it as their name; beyond that its line stands for it.
constexpr int max_full_names = 1000;

using graph::InputKind;
using graph::MapArgument;

// Visits all instances, the last index fastest.
template <class Visit>
void for_instances(const std::vector<LoopIndex>& loop, Visit&& visit) {
  std::vector<double> i;
  for (const LoopIndex& index : loop) i.push_back(static_cast<double>(index.first));
  for (;;) {
    visit(i);
    std::size_t k = loop.size();
    while (k-- > 0) {
      if (++i[k] <= static_cast<double>(loop[k].last)) break;
      i[k] = static_cast<double>(loop[k].first);
    }
    if (k == static_cast<std::size_t>(-1)) return;
  }
}

// Names become arguments of the kernel; the same text is the same argument.
class KernelScope : public Scope {
 public:
  KernelScope(ModelScope& outer, const std::vector<LoopIndex>& loop, const Formula& formula)
      : outer_(outer),
        loop_(loop),
        affine_(formula, loop),
        kernel_(std::make_shared<graph::Kernel>()) {
    count_ = 1;
    for (const LoopIndex& index : loop) count_ *= static_cast<int>(index.last - index.first + 1);
    inside_der_.assign(formula.nodes.size(), false);
    inside_subscript_.assign(formula.nodes.size(), false);
    whole_.assign(formula.nodes.size(), false);
    for (const Syntax& node : formula.nodes) {
      if (outer.takes_array(formula, node))
        whole_[static_cast<std::size_t>(formula.operand(node, 0))] = true;
      if (node.kind == SyntaxKind::call && node.operands == 1 && formula.plain_name(node) == "der")
        inside_der_[static_cast<std::size_t>(formula.operand(node, 0))] = true;
    }
    for (const NamePart& part : formula.parts)
      for (int s = 0; s < part.count; ++s)
        mark(formula, formula.lists[static_cast<std::size_t>(part.list + s)]);
  }

  std::shared_ptr<graph::Kernel> kernel() { return kernel_; }
  std::vector<MapArgument>& arguments() { return arguments_; }
  int count() const { return count_; }

  std::optional<Expr> name(const Written& w, int node, std::span<const Expr>) override {
    if (inside_der_[static_cast<std::size_t>(node)] ||
        inside_subscript_[static_cast<std::size_t>(node)])
      return 0.0;
    if (whole_[static_cast<std::size_t>(node)]) return 0.0;
    return argument(w, node, false);
  }

  bool call(const Written& w, int node, std::span<const Expr> arguments,
            std::optional<Expr>& result) override {
    const Syntax& syntax = w.formula.at(node);
    const std::string name = w.formula.plain_name(syntax);
    if (inside_subscript_[static_cast<std::size_t>(node)]) return result = 0.0, true;
    if (outer_.takes_array(w.formula, syntax)) return result = over_array(w, syntax), true;
    if (name == "der" && arguments.size() == 1) {
      const int operand = w.formula.operand(syntax, 0);
      if (w.formula.at(operand).kind == SyntaxKind::name) {
        result = argument(w, operand, true);
      } else {
        w.error(syntax.span, "in repeated equations der() is taken of a variable",
                "name the expression by a variable of its own");
      }
      return true;
    }
    if (name == "pre" || name == "sample" || name == "initial" || name == "edge" ||
        name == "change") {
      w.error(syntax.span, "'" + name + "' cannot stand in a repeated equation");
      return true;
    }
    return false;
  }

 private:
  // The same number in every instance: computed once, outside of the kernel.
  std::optional<Expr> over_array(const Written& w, const Syntax& call) {
    const std::string key(w.fragment.text().substr(call.span.begin, call.span.length));
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const std::optional<Expr> value = outer_.over_array(w, call);
    if (!value) return std::nullopt;
    if (value->is_number()) return known_[key] = *value;
    const Expr e = kernel_->argument(static_cast<int>(arguments_.size()), key);
    arguments_.push_back(MapArgument::of_scalar(*value));
    return known_[key] = e;
  }

  void mark(const Formula& formula, int root) {
    std::vector<int> open{root};
    while (!open.empty()) {
      const int i = open.back();
      open.pop_back();
      inside_subscript_[static_cast<std::size_t>(i)] = true;
      const Syntax& node = formula.at(i);
      for (const int operand : {node.a, node.b, node.c})
        if (operand >= 0) open.push_back(operand);
      if (node.kind == SyntaxKind::call)
        for (int k = 0; k < node.operands; ++k) open.push_back(formula.operand(node, k));
    }
  }

  std::optional<Expr> argument(const Written& w, int node, bool derivative) {
    const Syntax& syntax = w.formula.at(node);
    std::string key = derivative ? "der " : "";
    key += w.fragment.text().substr(syntax.span.begin, syntax.span.length);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    std::optional<MapArgument> made = make(w, node, derivative);
    if (!made) return std::nullopt;
    if (made->source == MapArgument::Source::scalar && made->scalar.is_number())
      return known_[key] = made->scalar;
    const Expr e = kernel_->argument(static_cast<int>(arguments_.size()), key);
    arguments_.push_back(std::move(*made));
    return known_[key] = e;
  }

  std::optional<MapArgument> make(const Written& w, int node, bool derivative) {
    const Formula& formula = w.formula;
    const Syntax& syntax = formula.at(node);
    const NamePart& last = formula.parts[static_cast<std::size_t>(syntax.first + syntax.count - 1)];
    const std::string name = formula.plain_name(syntax);
    if (last.count == 0) return scalar(w, syntax, name, derivative);
    const Array* array = outer_.array(name);
    if (!array) {
      outer_.report_unknown(w, syntax, name);
      return std::nullopt;
    }
    std::vector<Affine> subscripts;
    for (int s = 0; s < last.count; ++s) {
      const int subscript = formula.lists[static_cast<std::size_t>(last.list + s)];
      subscripts.push_back(affine_.at(subscript));
      if (subscripts.back().good) continue;
      w.error(formula.at(subscript).span,
              "a subscript in a repeated equation is a sum of indices and numbers",
              "write u[i + 1] or u[2*i - 1]");
      return std::nullopt;
    }
    return elements(w, syntax, name, *array, subscripts, derivative);
  }

  std::optional<MapArgument> elements(const Written& w, const Syntax& syntax,
                                      const std::string& name, const Array& array,
                                      const std::vector<Affine>& subscripts, bool derivative) {
    const graph::Graph& g = outer_.builder().graph();
    const std::vector<Expr>& all = array.elements;
    if (all.empty() ||
        !std::all_of(all.begin(), all.end(), [&](const Expr& e) { return g.is_input(e); })) {
      w.error(syntax.span, "'" + name + "' has elements that are no variables or parameters",
              "in repeated equations write them out, or declare a parameter for them");
      return std::nullopt;
    }
    const InputKind kind = g.kind(all.front().node());
    std::vector<int> index;
    index.reserve(static_cast<std::size_t>(count_));
    bool good = true;
    std::vector<double> at(subscripts.size());
    for_instances(loop_, [&](const std::vector<double>& i) {
      if (!good) return;
      for (std::size_t s = 0; s < at.size(); ++s) {
        at[s] = subscripts[s].constant;
        for (std::size_t k = 0; k < i.size(); ++k) at[s] += subscripts[s].slopes[k] * i[k];
      }
      if (const auto place = array.place(at)) {
        index.push_back(g.number(all[*place].node()));
        return;
      }
      good = false;
      for (std::size_t k = 0; k < i.size(); ++k) outer_.set_index(loop_[k].name, i[k]);
      outer_.element(w, syntax, name, at);
      for (const LoopIndex& l : loop_) outer_.remove_index(l.name);
    });
    if (!good || !rate_exists(w, syntax, kind, derivative)) return std::nullopt;
    return MapArgument::of_input(derivative ? InputKind::derivative : kind, std::move(index));
  }

  bool rate_exists(const Written& w, const Syntax& syntax, InputKind kind, bool derivative) {
    if (!derivative || kind == InputKind::state) return true;
    w.error(syntax.span, "der() is taken of a variable");
    return false;
  }

  std::optional<MapArgument> scalar(const Written& w, const Syntax& syntax, const std::string& name,
                                    bool derivative) {
    for (std::size_t k = 0; k < loop_.size(); ++k)
      if (loop_[k].name == name && !derivative) {
        std::vector<double> values;
        for_instances(loop_, [&](const std::vector<double>& i) { values.push_back(i[k]); });
        return MapArgument::of_values(std::move(values));
      }
    const std::optional<Expr> value = outer_.find(name);
    if (!value) {
      outer_.report_unknown(w, syntax, name);
      return std::nullopt;
    }
    const graph::Graph& g = outer_.builder().graph();
    const bool variable =
        !value->is_number() && g.is_input(*value) && g.kind(value->node()) == InputKind::state;
    if (derivative && !variable) return MapArgument::of_scalar(der(*value));
    if (!variable) return MapArgument::of_scalar(*value);
    return MapArgument::of_input(
        derivative ? InputKind::derivative : InputKind::state,
        std::vector<int>(static_cast<std::size_t>(count_), g.number(value->node())));
  }

  ModelScope& outer_;
  const std::vector<LoopIndex>& loop_;
  AffineReader affine_;
  std::shared_ptr<graph::Kernel> kernel_;
  std::vector<MapArgument> arguments_;
  std::unordered_map<std::string, Expr> known_;
  std::vector<bool> inside_der_, inside_subscript_, whole_;
  int count_ = 1;
};

}  // namespace

bool Reader::rolled(const JsonValue& text, const Formula& formula,
                    const std::vector<LoopIndex>& loop, const ItemOptions& item) {
  const Fragment fragment = text.fragment();
  KernelScope inner(*scope_, loop, formula);
  const auto values = lower({fragment, formula, diagnostics_}, inner);
  if (!values) return false;
  const Syntax& root = formula.at(formula.root());
  inner.kernel()->add_result((*values)[static_cast<std::size_t>(root.a)] -
                             (*values)[static_cast<std::size_t>(root.b)]);
  ItemOptions named = item;
  // The text of so many equations, once for each of them, is most of what a model is in memory.
  if (inner.count() > max_full_names && item.name == text.string)
    named.name = fmt::format("line {}", item.position.line);
  guarded(text.span, [&] {
    builder_->equations(inner.kernel(), inner.count(), std::move(inner.arguments()), named);
  });
  return true;
}

}  // namespace daedalus::model
