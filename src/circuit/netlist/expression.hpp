// SPDX-License-Identifier: BSD-3-Clause
// Values of a netlist: numbers with suffixes, and expressions in braces. Expressions are respelt
// (5meg, v(a,b)) and read by the parser of formulas that all model files share.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <daedalus/expr.hpp>

#include "circuit/netlist/lines.hpp"
#include "model/text/lower.hpp"

namespace daedalus::circuit {

// A formula with its text. Names in it are small letters; v(a,b) and i(v1) are names, too.
struct Expression {
  int file = 0;
  Fragment fragment;
  model::Formula formula;
};

struct Value {
  Where where{};
  std::optional<double> number;
  std::shared_ptr<const Expression> expression;  // where there is no number
  NumberText text{};                             // remarks about the spelling
  bool good() const { return number || expression; }
};

// What is wrong is reported and gives nothing.
std::shared_ptr<const Expression> read_expression(Files& files, const Statement& statement,
                                                  Span own);
Value read_value(Files& files, const Statement& statement, const Word& word);

struct Assignment {
  std::string name;     // small letters
  std::string written;  // as it stands in the file
  Where where{};
  Value value;
};

// Parameters of one level of the hierarchy, each known as a number and as a formula of the
// model's parameters. Those of the levels above are visible, too.
class Parameters {
 public:
  explicit Parameters(Files& files, const Parameters* above = nullptr)
      : files_(&files), above_(above) {}

  void define(const std::string& name, double number, Expr formula);
  void define(const std::vector<Assignment>& list);  // in any order; evaluated when asked for
  // Evaluates all of them; wrong ones are reported.
  void settle();

  struct Known {
    double number = 0.0;
    Expr formula;
  };
  std::optional<Known> find(const std::string& name) const;
  bool is_wrong(const std::string& name) const;  // has been reported
  std::vector<std::string> names() const;

  // Other names that may stand in an expression: signals of B sources.
  using Signals = std::function<std::optional<Expr>(const std::string& name, Where where)>;
  // Reported where wrong. `signals` null: none are known.
  std::optional<Expr> formula(const Value& value, const Signals* signals = nullptr) const;
  std::optional<double> number(const Value& value) const;

 private:
  struct Item {
    const Assignment* text = nullptr;
    enum { unknown, busy, known, wrong } state = unknown;
    Known value;
  };
  void settle(const std::string& name, Item& item) const;
  friend class ExpressionScope;

  Files* files_;
  const Parameters* above_;
  mutable std::map<std::string, Item, std::less<>> items_;
  mutable std::vector<std::string> chain_;  // being evaluated, to name cycles
};

}  // namespace daedalus::circuit
