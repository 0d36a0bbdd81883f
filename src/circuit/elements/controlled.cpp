// SPDX-License-Identifier: BSD-3-Clause
// Controlled and behavioural sources: E G F H B.
#include <fmt/format.h>

#include <cmath>

#include "circuit/elements/part.hpp"

namespace daedalus::circuit {
namespace {

// A source whose voltage or current is an expression of unknowns.
class ControlledSource : public Part {
 public:
  bool voltage = false;
  int branch = -1;
  void declare(Context& c) override {
    if (voltage) branch = c.network.add_branch(name, false);
    edge(c, voltage ? EdgeKind::voltage : EdgeKind::current, nodes[0], nodes[1], true, branch);
  }
  void stamp(Context& c) override {
    Network& n = c.network;
    const Expr x = value(c);
    if (voltage) {
      n.branch_current(branch, nodes[0], nodes[1]);
      n.branch_row(branch, n.v(nodes[0], nodes[1]) - x);
    } else {
      n.current(nodes[0], nodes[1], x);
    }
  }

 protected:
  virtual Expr value(Context& c) = 0;
};

class VoltageControlled final : public ControlledSource {
 public:
  Value gain;
  Expr value(Context& c) override {
    return settable(c, *this, gain) * c.network.v(nodes[2], nodes[3]);
  }
  std::vector<int> control_nodes() const override { return {nodes[2], nodes[3]}; }
};

class CurrentControlled final : public ControlledSource {
 public:
  Value gain;
  std::string controller;
  Where controller_where{};
  Expr value(Context& c) override {
    const int control = c.branch_of(controller);
    if (control < 0) {
      c.files.error(
          controller_where,
          fmt::format("{} is controlled by {}, which is not a voltage source", written, controller),
          fmt::format("put V{} x y 0 in series with it", controller));
      return 0.0;
    }
    control_ = control;
    return settable(c, *this, gain) * c.network.i(control);
  }
  int control_branch() const override { return control_; }

 private:
  int control_ = -1;
};

class Behavioural final : public ControlledSource {
 public:
  Value expression;
  Expr value(Context& c) override {
    const Parameters::Signals signals = [&](const std::string& signal, Where at) {
      return find(c, signal, at);
    };
    c.network.compares = true;
    warn_of_powers(c);
    return c.level.parameters->formula(expression, &signals).value_or(0.0);
  }

 private:
  // (-2)^3 is -8 here, and +8 where |x|^y is taken: said once per netlist.
  void warn_of_powers(Context& c) {
    const model::Formula& f = expression.expression->formula;
    for (const model::Syntax& s : f.nodes) {
      if (c.network.warned_of_powers || s.kind != model::SyntaxKind::binary ||
          s.op != model::TokenKind::power)
        continue;
      const model::Syntax &base = f.at(s.a), &exponent = f.at(s.b);
      if (base.kind == model::SyntaxKind::number || exponent.kind != model::SyntaxKind::number ||
          std::fmod(std::fabs(exponent.value), 2.0) != 1.0 || exponent.value == 1.0)
        continue;
      c.network.warned_of_powers = true;
      c.files.warning(expression.where,
                      fmt::format("x^{:g} keeps the sign of x here; ngspice takes the power of |x|",
                                  exponent.value),
                      "write abs(x) where that is meant");
    }
  }

  static std::optional<Expr> find(Context& c, const std::string& signal, Where at) {
    if (signal == "time") return c.network.time();
    if (signal == "temper") return c.network.temperature - 273.15;
    if (signal.size() < 4 || signal[1] != '(') return std::nullopt;
    const std::string inside = signal.substr(2, signal.size() - 3);
    const std::size_t comma = inside.find(',');
    if (signal[0] == 'v') {
      const int a = c.existing_node(inside.substr(0, comma), at);
      const int b =
          comma == std::string::npos ? ground : c.existing_node(inside.substr(comma + 1), at);
      if (a == no_node || b == no_node) return std::nullopt;
      return c.network.v(a, b);
    }
    const int branch = c.branch_of(inside);
    if (branch < 0) {
      c.files.error(at, fmt::format("{} is not a voltage source or a coil", inside),
                    "currents are known of these alone; put a voltage source of 0 V in series");
      return std::nullopt;
    }
    return c.network.i(branch);
  }
};

// Monomials of one degree in the order of SPICE 2: x, y; x*x, x*y, y*y; ...
void monomials(const std::vector<std::string>& x, int degree, std::size_t first,
               const std::string& product, std::vector<std::string>& list) {
  if (degree == 0) return list.push_back(product);
  for (std::size_t k = first; k < x.size(); ++k)
    monomials(x, degree - 1, k, product.empty() ? x[k] : product + "*" + x[k], list);
}

// POLY(n) with its arguments and coefficients as an expression; empty: it cannot be read.
std::string written_poly(Cursor cursor, bool by_current) {
  // More controlling quantities are taken for a mistake.
  constexpr int max_arguments = 8;
  cursor.skip();
  cursor.skip_parentheses();
  const auto count = cursor.is_word() ? read_number(cursor.text()).value : std::nullopt;
  if (!count || *count < 1.0 || *count > max_arguments) return {};
  cursor.skip();
  cursor.skip_parentheses();
  std::vector<std::string> x;
  const auto word = [&cursor] {
    cursor.skip_parentheses();
    return cursor.is_word() ? cursor.take_lower() : std::string();
  };
  for (int k = 0; k < static_cast<int>(*count); ++k) {
    const std::string a = word(), b = by_current ? "" : word();
    if (a.empty()) return {};
    x.push_back(by_current ? "i(" + a + ")" : b == "0" ? "v(" + a + ")" : "v(" + a + "," + b + ")");
  }
  cursor.skip_parentheses();
  std::string text;
  std::vector<std::string> terms{""};
  for (std::size_t k = 0, degree = 1; cursor.is_word() && k < 200; ++k, cursor.skip()) {
    if (k == terms.size()) monomials(x, static_cast<int>(degree++), 0, "", terms);
    const std::string coefficient = cursor.lower();
    if (coefficient == "0") continue;
    text += (text.empty() ? "" : " + ") + coefficient + (terms[k].empty() ? "" : "*" + terms[k]);
  }
  return text;
}

// Polynomial sources of SPICE 2: told how to write them here.
bool refuse_poly(Context& c, Cursor& cursor, const Part& head) {
  if (!cursor.is(WordKind::word) || cursor.lower() != "poly") return false;
  const bool voltage = head.kind == 'e' || head.kind == 'h';
  const std::string text = written_poly(cursor, head.kind == 'f' || head.kind == 'h');
  const auto node = [&](std::size_t k) {
    return head.nodes[k] == ground ? std::string("0")
                                   : c.network.node_names[static_cast<std::size_t>(head.nodes[k])];
  };
  c.files.error(
      cursor.where(), fmt::format("{}: POLY sources are not supported", head.written),
      fmt::format("write B{} {} {} {}={}", head.written, node(0), node(1), voltage ? "V" : "I",
                  text.empty() ? "c0 + c1*v(a) + c2*v(b) + ..." : text));
  return true;
}

bool missing_value(Context& c, Cursor& cursor, const Part& head, const char* what) {
  if (cursor.is_value()) return false;
  c.files.error(head.where, fmt::format("{} has no {}", head.written, what),
                fmt::format("expected {}", element_kind(head.kind)->usage));
  return true;
}

}  // namespace

std::unique_ptr<Part> make_behavioural(Context& c, Cursor& cursor, const Part& head) {
  auto part = std::make_unique<Behavioural>();
  if (!cursor.is_assignment()) {
    c.files.error(cursor.where(),
                  fmt::format("{} needs V=expression or I=expression", head.written));
    return nullptr;
  }
  const std::string which = cursor.take_lower();
  cursor.skip();  // =
  const bool of_value = (which == "value" && head.kind != 'b') ||
                        (which == "vol" && head.kind == 'e') ||
                        (which == "cur" && head.kind == 'g');
  if (which != "v" && which != "i" && !of_value) {
    c.files.error(cursor.where(),
                  fmt::format("{} needs V=expression or I=expression", head.written));
    return nullptr;
  }
  part->voltage = of_value ? head.kind == 'e' : which == "v";
  if (cursor.done()) {
    c.files.error(head.where, fmt::format("{} has no expression", head.written));
    return nullptr;
  }
  part->expression.where = cursor.where();
  const Span span = cursor.is(WordKind::expression) ? cursor.now().span : cursor.rest();
  part->expression.expression = read_expression(c.files, cursor.statement(), span);
  if (!part->expression.expression) return nullptr;
  return part;
}

std::unique_ptr<Part> make_controlled(Context& c, Cursor& cursor, const Part& head) {
  if (refuse_poly(c, cursor, head)) return nullptr;
  if (cursor.is_assignment()) return make_behavioural(c, cursor, head);
  auto part = std::make_unique<VoltageControlled>();
  part->voltage = head.kind == 'e';
  part->nodes = head.nodes;
  for (int k = 0; k < 2; ++k) {
    cursor.skip_parentheses();
    if (missing_value(c, cursor, head, "controlling nodes")) return nullptr;
    part->nodes.push_back(c.node(cursor.take_lower()));
  }
  cursor.skip_parentheses();
  if (missing_value(c, cursor, head, "gain")) return nullptr;
  part->gain = cursor.value();
  if (!part->gain.good()) return nullptr;
  return part;
}

std::unique_ptr<Part> make_current_controlled(Context& c, Cursor& cursor, const Part& head) {
  if (refuse_poly(c, cursor, head)) return nullptr;
  auto part = std::make_unique<CurrentControlled>();
  part->voltage = head.kind == 'h';
  if (missing_value(c, cursor, head, "controlling source")) return nullptr;
  part->controller_where = cursor.where();
  part->controller = cursor.take_lower();
  if (missing_value(c, cursor, head, "gain")) return nullptr;
  part->gain = cursor.value();
  if (!part->gain.good()) return nullptr;
  return part;
}

}  // namespace daedalus::circuit
