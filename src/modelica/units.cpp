// SPDX-License-Identifier: BSD-3-Clause
// Units of both sides of every equation, read off the formulas. Numbers and names without a unit
// are open: they fit everything, and so does what is computed with them. A warning needs two sides
// that are known from declarations alone.
#include <cmath>
#include <optional>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "kernel/at.hpp"
#include "modelica/checks.hpp"
#include "modelica/unit.hpp"

namespace daedalus::modelica {
namespace {

using graph::InputKind;
using graph::Op;

constexpr int max_formula_depth = 1000;  // deeper formulas are left out

struct Known {
  Unit unit;
  std::string text;  // "V.Ohm"
};

class UnitChecker {
 public:
  UnitChecker(const FlatModel& flat, Mistakes& mistakes)
      : flat_(flat), g_(*flat.graph), mistakes_(mistakes) {
    for (const FlatVariable& v : flat.variables) declare(v.value, v.unit, v.place);
    for (const FlatParameter& p : flat.parameters)
      if (!p.value.is_number() && g_.is_input(p.value)) declare(p.value, p.unit, p.place);
  }

  void run() {
    for (const FlatEquation& e : flat_.equations) {
      if (e.discrete ||
          (e.origin.kind != Origin::Kind::equation && e.origin.kind != Origin::Kind::binding))
        continue;
      const auto left = of(e.left), right = of(e.right);
      if (!left || !right || left->unit.same(right->unit)) continue;
      mistakes_.warning({Phase::units, e.origin.place,
                         fmt::format("{} on the left, {} on the right of '{}'", left->text,
                                     right->text, e.origin.text),
                         hint(e, *left, *right)});
    }
  }

 private:
  void declare(const Expr& input, const std::string& text, const Place& place) {
    if (text.empty()) return;
    if (const auto unit = parse_unit(text)) {
      declared_[input.node()] = {*unit, text};
    } else {
      mistakes_.warning({Phase::units, place, fmt::format("unknown unit '{}'", text),
                         "it is left out of the check of units"});
    }
  }

  std::optional<Known> of(const Expr& e) {
    if (e.is_number()) return std::nullopt;
    return of(e.node());
  }

  std::optional<Known> of(int node) {
    if (const auto known = memo_.find(node); known != memo_.end()) return known->second;
    if (depth_ > max_formula_depth) return std::nullopt;
    ++depth_;
    std::optional<Known> result = found(node);
    --depth_;
    return memo_[node] = std::move(result);
  }

  std::optional<Known> input(int node) {
    if (g_.kind(node) == InputKind::derivative) {
      const auto of_state = declared_.find(g_.input_node(InputKind::state, g_.number(node)));
      if (of_state == declared_.end()) return std::nullopt;
      return Known{of_state->second.unit / *parse_unit("s"), of_state->second.text + "/s"};
    }
    const auto known = declared_.find(node);
    return known == declared_.end() ? std::nullopt : std::optional(known->second);
  }

  std::optional<Known> found(int node) {
    const auto operands = g_.operands(node);
    switch (g_.node(node).op) {
      case Op::input:
        return input(node);
      case Op::negate:
      case Op::abs:
        return of(operands[0]);
      case Op::add:
      case Op::subtract: {
        const auto a = of(operands[0]), b = of(operands[1]);
        return a && b ? a : std::nullopt;
      }
      case Op::multiply: {
        const auto a = of(operands[0]), b = of(operands[1]);
        if (!a || !b) return std::nullopt;
        return Known{a->unit * b->unit, a->text + "." + b->text};
      }
      case Op::divide: {
        const auto a = of(operands[0]), b = of(operands[1]);
        if (!a || !b) return std::nullopt;
        return Known{a->unit / b->unit, a->text + "/(" + b->text + ")"};
      }
      case Op::select: {
        const auto a = of(operands[1]), b = of(operands[2]);
        return a && b ? a : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  // If a factor to the power -1 repairs it, that was meant.
  std::string hint(const FlatEquation& e, const Known& left, const Known& right) {
    const Unit ratio = right.unit / left.unit;
    if (!e.right.is_number() && g_.node(e.right.node()).op == Op::multiply) {
      const auto operands = g_.operands(e.right.node());
      for (const std::size_t k : {std::size_t{1}, std::size_t{0}}) {
        const auto factor = declared_.find(operands[k]);
        if (factor == declared_.end() || !factor->second.unit.to(2.0).same(ratio)) continue;
        return fmt::format("the sides differ by {}2: did you mean {}/{}?", factor->second.text,
                           g_.name(operands[1 - k]), g_.name(operands[k]));
      }
    }
    return "the sides of an equation have the same unit";
  }

  const FlatModel& flat_;
  const graph::Graph& g_;
  Mistakes& mistakes_;
  int depth_ = 0;
  std::unordered_map<int, Known> declared_;
  std::unordered_map<int, std::optional<Known>> memo_;
};

}  // namespace

void check_units(const FlatModel& flat, Mistakes& mistakes) { UnitChecker(flat, mistakes).run(); }

}  // namespace daedalus::modelica
