// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cctype>

#include <daedalus/graph_table.hpp>

#include "graph/operations.hpp"
#include "graph/printer.hpp"

namespace daedalus {
namespace graph {
namespace {

constexpr std::array<std::string_view, 28> greek{
    "alpha",  "beta",  "gamma", "delta", "epsilon", "zeta", "eta",   "theta", "iota", "kappa",
    "lambda", "mu",    "nu",    "xi",    "pi",      "rho",  "sigma", "tau",   "phi",  "chi",
    "psi",    "omega", "Delta", "Gamma", "Omega",   "Phi",  "Psi",   "Theta"};
// Functions that LaTeX knows by the same name.
constexpr std::array<std::string_view, 13> latex_functions{
    "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "min", "max", "ln", "arg", "det"};

template <class List>
bool holds_word(const List& list, std::string_view word) {
  for (const std::string_view entry : list)
    if (entry == word) return true;
  return false;
}

std::string latex_word(std::string_view name) {
  if (holds_word(greek, name)) return "\\" + std::string(name);
  if (name.size() <= 1) return std::string(name);
  bool number = true;
  for (const char c : name) number = number && std::isdigit(static_cast<unsigned char>(c));
  return number ? std::string(name) : "\\mathrm{" + std::string(name) + "}";
}

// a_b_c as a with the subscript "b, c"; x1 as x with the subscript 1; v[3] likewise.
std::string latex_symbol(std::string_view name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    const bool cut = c == '_' || c == '[' || c == '.' || c == ',';
    const bool digit = std::isdigit(static_cast<unsigned char>(c));
    if (cut || (digit && parts.size() == 1 && !parts[0].empty())) parts.emplace_back();
    if (!cut && c != ']' && c != ' ') parts.back() += c;
  }
  std::string out = latex_word(parts[0]), below;
  for (std::size_t k = 1; k < parts.size(); ++k)
    if (!parts[k].empty()) below += (below.empty() ? "" : ", ") + latex_word(parts[k]);
  return below.empty() ? out : out + "_{" + below + "}";
}

std::string number_latex(double value) {
  const std::string plain = number_text(value);
  const auto e = plain.find('e');
  if (e == std::string::npos) return plain;
  const std::string mantissa = plain.substr(0, e);
  const std::string power = "10^{" + std::to_string(std::stoi(plain.substr(e + 1))) + "}";
  if (mantissa == "1") return power;
  return mantissa == "-1" ? "-" + power : mantissa + " \\cdot " + power;
}

std::string leaf_latex(const Graph& g, int node) {
  if (g.node(node).op == Op::constant) return number_latex(g.constant_value(node));
  switch (g.kind(node)) {
    case InputKind::time:
      return "t";
    case InputKind::derivative:
      return "\\dot{" + latex_symbol(input_name(g, node)) + "}";
    case InputKind::previous:
      return "\\operatorname{pre}\\left(" + leaf_latex(g, g.previous_of(g.number(node))) +
             "\\right)";
    default:
      return latex_symbol(input_name(g, node));
  }
}

void latex_call(Printer& p, const std::string& name, std::span<const std::int32_t> arguments) {
  p.put((holds_word(latex_functions, name) ? "\\" + name : "\\operatorname{" + name + "}") +
        "\\left(");
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (k > 0) p.put(std::string(", "));
    p.put(arguments[k], binding::open);
  }
  p.put(std::string("\\right)"));
}

void put_around(Printer& p, std::string left, int node, std::string right) {
  p.put(std::move(left));
  p.put(node, binding::open);
  p.put(std::move(right));
}

void relation_latex(Printer& p, const Node& n) {
  const std::string_view sign = n.op == Op::less            ? " < "
                                : n.op == Op::less_equal    ? " \\le "
                                : n.op == Op::greater       ? " > "
                                : n.op == Op::greater_equal ? " \\ge "
                                : n.op == Op::equal         ? " = "
                                                            : " \\ne ";
  p.put(n.x[0], binding::sum, sign, n.x[1], binding::sum);
}

// True where the operation is written by signs rather than as a function.
bool latex_signs(Printer& p, const Node& n) {
  using namespace binding;
  switch (n.op) {
    case Op::add:
      p.put(n.x[0], sum, " + ", n.x[1], term);
      return true;
    case Op::subtract:
      p.put(n.x[0], sum, " - ", n.x[1], term);
      return true;
    case Op::multiply: {
      const bool number = p.graph().node(n.x[0]).op == Op::constant;
      const bool both = number && p.graph().node(n.x[1]).op == Op::constant;
      p.put(n.x[0], number ? open : term, both ? " \\cdot " : " \\, ", n.x[1], power);
      return true;
    }
    case Op::divide:
      put_around(p, "\\frac{", n.x[0], "}{");
      p.put(n.x[1], open);
      p.put(std::string("}"));
      return true;
    case Op::power:
      p.put(n.x[0], atom);
      put_around(p, "^{", n.x[1], "}");
      return true;
    case Op::negate:
      p.put(std::string("-"));
      p.put(n.x[0], term);
      return true;
    case Op::logical_and:
      p.put(n.x[0], conjunction, " \\land ", n.x[1], negation);
      return true;
    case Op::logical_or:
      p.put(n.x[0], disjunction, " \\lor ", n.x[1], conjunction);
      return true;
    case Op::logical_not:
      p.put(std::string("\\lnot "));
      p.put(n.x[0], atom);
      return true;
    default:
      return false;
  }
}

void expand_latex(Printer& p, int node) {
  const Graph& g = p.graph();
  const Node& n = g.node(node);
  int own = binding_of(g, node);
  if (n.op == Op::constant || n.op == Op::input) {
    p.put(leaf_latex(g, node));
  } else if (latex_signs(p, n)) {
    // A fraction needs no parentheses in a product; as the base of a power it does.
    if (n.op == Op::divide) own = binding::power;
  } else if (n.op >= Op::less && n.op <= Op::not_equal) {
    relation_latex(p, n);
  } else if (n.op == Op::sqrt) {
    put_around(p, "\\sqrt{", n.x[0], "}");
  } else if (n.op == Op::cbrt) {
    put_around(p, "\\sqrt[3]{", n.x[0], "}");
  } else if (n.op == Op::abs) {
    put_around(p, "\\left|", n.x[0], "\\right|");
  } else if (n.op == Op::no_event) {
    p.put(n.x[0], p.wanted());
    return;
  } else if (n.op == Op::assertion) {
    p.put(n.x[1], p.wanted());
    return;
  } else if (n.op == Op::select) {
    put_around(p, "\\begin{cases}", n.x[1], " & \\text{if } ");
    p.put(n.x[0], binding::open, " \\\\ ", n.x[2], binding::open);
    p.put(std::string(" & \\text{otherwise}\\end{cases}"));
    own = binding::term;
  } else if (n.op == Op::table) {
    latex_call(p, g.table_of(node).name(), g.operands(node));
  } else if (n.op == Op::external) {
    latex_call(p, g.external_of(node).name, g.operands(node));
  } else {
    latex_call(p, std::string(info(n.op).name), g.operands(node));
  }
  p.enclose(own, "\\left(", "\\right)");
}

}  // namespace
}  // namespace graph

std::string latex(const Expr& x, std::size_t max_length) {
  if (x.is_number()) return graph::number_latex(x.number());
  graph::Printer printer(*x.graph());
  return printer.print(x.node(), max_length, [&](int node) { graph::expand_latex(printer, node); });
}

}  // namespace daedalus
