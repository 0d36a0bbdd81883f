// SPDX-License-Identifier: BSD-3-Clause
// A for-equation of many passes as one kernel over index tables. Whatever does not fit (subscripts
// that are not affine, arrays within the equation, functions) is left to the unrolled way, which
// also tells what is wrong.
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "kernel/at.hpp"
#include "modelica/builtins.hpp"
#include "modelica/flatten.hpp"

namespace daedalus::modelica {
namespace {

using ast::Expression;
using graph::InputKind;
using graph::MapArgument;

// Shorter loops are cheaper unrolled: common subexpressions are found across passes.
constexpr int min_rolled = 64;

struct Affine {
  double slope = 0.0, offset = 0.0;
};

class Roller {
 public:
  Roller(Context& c, const Env& env, std::string index, std::vector<double> values)
      : c_(c),
        env_(env),
        index_(std::move(index)),
        values_(std::move(values)),
        kernel_(std::make_shared<graph::Kernel>()) {}

  bool equation(const ast::Equation& e) {
    const std::optional<Expr> left = convert(*e.left), right = convert(*e.right);
    if (!left || !right) return false;
    kernel_->add_result(*left - *right);
    return true;
  }

  std::shared_ptr<graph::Kernel> kernel() { return kernel_; }
  std::vector<MapArgument>& arguments() { return arguments_; }

 private:
  std::optional<Expr> convert(const Expression& e) {
    switch (e.kind) {
      case ast::Kind::number:
        return Expr(e.value);
      case ast::Kind::reference:
        return argument(e, false);
      case ast::Kind::tuple:
        return e.operands.size() == 1 ? convert(*e.operands.front()) : std::nullopt;
      case ast::Kind::negate: {
        const auto a = convert(*e.operands.front());
        return a ? std::optional(-*a) : std::nullopt;
      }
      case ast::Kind::plus:
        return convert(*e.operands.front());
      case ast::Kind::binary:
        return binary(e);
      case ast::Kind::call:
        return call(e);
      default:
        return std::nullopt;
    }
  }

  std::optional<Expr> binary(const Expression& e) {
    const auto a = convert(*e.operands[0]), b = convert(*e.operands[1]);
    if (!a || !b) return std::nullopt;
    if (e.text == "+") return *a + *b;
    if (e.text == "-") return *a - *b;
    if (e.text == "*") return *a * *b;
    if (e.text == "/") return *a / *b;
    if (e.text == "^") return pow(*a, *b);
    return std::nullopt;
  }

  std::optional<Expr> call(const Expression& e) {
    if (e.parts.size() != 1 || !e.iterators.empty()) return std::nullopt;
    const std::string& name = e.parts.front().name;
    if (name == "der" && e.operands.size() == 1 && e.operands.front()->kind == ast::Kind::reference)
      return argument(*e.operands.front(), true);
    static const std::array<std::string_view, 16> plain{
        "sin",  "cos",  "tan", "asin", "acos", "atan",  "sinh", "cosh",
        "tanh", "sqrt", "exp", "log",  "abs",  "log10", "min",  "max"};
    if (std::find(plain.begin(), plain.end(), name) == plain.end() ||
        function_arity(name) != static_cast<int>(e.operands.size()))
      return std::nullopt;
    std::vector<Expr> arguments;
    for (const Expression* o : e.operands) {
      const auto a = convert(*o);
      if (!a) return std::nullopt;
      arguments.push_back(*a);
    }
    return function(name, arguments);
  }

  bool mentions_index(const Expression& e) const {
    if (e.kind == ast::Kind::reference || e.kind == ast::Kind::call) {
      if (e.parts.front().name == index_ && e.kind == ast::Kind::reference) return true;
      for (const ast::Part& p : e.parts)
        for (const Expression* s : p.subscripts)
          if (mentions_index(*s)) return true;
    }
    for (const Expression* o : e.operands)
      if (mentions_index(*o)) return true;
    return false;
  }

  std::optional<Affine> affine(const Expression& e) {
    if (!mentions_index(e)) {
      const Value v = c_.evaluate(e, env_);
      if (!v.scalar() || v.base != Base::integer || !v.e.front().is_number()) return std::nullopt;
      return Affine{0.0, v.e.front().number()};
    }
    if (e.kind == ast::Kind::reference && e.parts.size() == 1) return Affine{1.0, 0.0};
    if (e.kind == ast::Kind::tuple && e.operands.size() == 1) return affine(*e.operands.front());
    if (e.kind == ast::Kind::negate) {
      const auto a = affine(*e.operands.front());
      return a ? std::optional(Affine{-a->slope, -a->offset}) : std::nullopt;
    }
    if (e.kind != ast::Kind::binary) return std::nullopt;
    const auto a = affine(*e.operands[0]), b = affine(*e.operands[1]);
    if (!a || !b) return std::nullopt;
    if (e.text == "+") return Affine{a->slope + b->slope, a->offset + b->offset};
    if (e.text == "-") return Affine{a->slope - b->slope, a->offset - b->offset};
    if (e.text == "*" && a->slope == 0.0)
      return Affine{a->offset * b->slope, a->offset * b->offset};
    if (e.text == "*" && b->slope == 0.0)
      return Affine{b->offset * a->slope, b->offset * a->offset};
    return std::nullopt;
  }

  std::optional<Expr> argument(const Expression& e, bool derivative) {
    const std::string key = (derivative ? "der " : "") + c_.files.text(e.place);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    std::optional<MapArgument> made = make(e, derivative);
    if (!made) return std::nullopt;
    if (made->source == MapArgument::Source::scalar && made->scalar.is_number())
      return known_[key] = made->scalar;
    const Expr x = kernel_->argument(static_cast<int>(arguments_.size()), key);
    arguments_.push_back(std::move(*made));
    return known_[key] = x;
  }

  std::optional<MapArgument> make(const Expression& e, bool derivative) {
    if (e.parts.size() == 1 && e.parts.front().name == index_ && !derivative)
      return MapArgument::of_values(values_);
    if (!mentions_index(e)) return shared(e, derivative);
    if (e.parts.size() != 1 || e.parts.front().subscripts.size() != 1 || e.global)
      return std::nullopt;
    const auto subscript = affine(*e.parts.front().subscripts.front());
    if (!subscript) return std::nullopt;
    Instance* i = c_.find_component(e.parts.front().name, env_.scope, e.place);
    if (!i || !i->simple() || i->off || i->shape.size() != 1) return std::nullopt;
    return elements(c_.value_of(*i), *subscript, derivative);
  }

  std::optional<MapArgument> elements(const Value& array, const Affine& subscript,
                                      bool derivative) {
    if (array.base != Base::real) return std::nullopt;
    std::vector<int> index;
    std::vector<double> numbers;
    index.reserve(values_.size());
    std::optional<InputKind> kind;
    for (const double i : values_) {
      const double k = subscript.slope * i + subscript.offset;
      if (k < 1.0 || k > static_cast<double>(array.e.size())) return std::nullopt;
      const Expr& x = array.e[static_cast<std::size_t>(k) - 1];
      if (x.is_number()) {
        numbers.push_back(x.number());
        continue;
      }
      if (!c_.graph->is_input(x)) return std::nullopt;
      if (kind && *kind != c_.graph->kind(x.node())) return std::nullopt;
      kind = c_.graph->kind(x.node());
      index.push_back(c_.graph->number(x.node()));
    }
    if (!numbers.empty())
      return index.empty() && !derivative ? std::optional(MapArgument::of_values(numbers))
                                          : std::nullopt;
    if (derivative && kind != InputKind::state) return std::nullopt;
    return MapArgument::of_input(derivative ? InputKind::derivative : *kind, std::move(index));
  }

  std::optional<MapArgument> shared(const Expression& e, bool derivative) {
    const Value v = c_.evaluate(e, env_);
    if (!v.scalar() || !v.numeric()) return std::nullopt;
    const Expr& x = v.e.front();
    const bool state =
        !x.is_number() && c_.graph->is_input(x) && c_.graph->kind(x.node()) == InputKind::state;
    if (!state) return MapArgument::of_scalar(derivative ? der(x) : x);
    return MapArgument::of_input(derivative ? InputKind::derivative : InputKind::state,
                                 std::vector<int>(values_.size(), c_.graph->number(x.node())));
  }

  Context& c_;
  Env env_;
  std::string index_;
  std::vector<double> values_;
  std::shared_ptr<graph::Kernel> kernel_;
  std::vector<MapArgument> arguments_;
  std::unordered_map<std::string, Expr> known_;
};

}  // namespace

bool Flattener::rolled(const ast::Equation& e, const Env& env) {
  const ast::Iterator& iterator = e.iterators.front();
  if (!iterator.range || iterator.range->kind != ast::Kind::range) return false;
  for (const ast::Equation* inner : e.branches.front().body)
    if (inner->kind != ast::Equation::Kind::equal || inner->left->kind == ast::Kind::tuple)
      return false;
  const Value range = c_.evaluate(*iterator.range, env);
  if (range.base != Base::integer || static_cast<int>(range.e.size()) < min_rolled) return false;
  std::vector<double> values;
  for (const Expr& x : range.e) values.push_back(x.number());
  std::vector<FlatFamily> families;
  for (const ast::Equation* inner : e.branches.front().body) {
    Roller roller(c_, env, iterator.name, values);
    if (!roller.equation(*inner)) return false;
    FlatFamily f;
    f.kernel = roller.kernel();
    f.count = static_cast<int>(values.size());
    f.arguments = std::move(roller.arguments());
    f.origin = origin_of(*inner, env);
    families.push_back(std::move(f));
  }
  for (FlatFamily& f : families) flat_.families.push_back(std::move(f));
  return true;
}

}  // namespace daedalus::modelica
