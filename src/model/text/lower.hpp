// SPDX-License-Identifier: BSD-3-Clause
// From a formula as written to expressions of a graph. What names mean is up to a Scope.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <daedalus/expr.hpp>
#include <daedalus/graph.hpp>

#include "model/text/syntax.hpp"

namespace daedalus::model {

// Where a formula stands: its text, what was parsed, and who hears of mistakes.
struct Written {
  const Fragment& fragment;
  const Formula& formula;
  Diagnostics& diagnostics;

  void error(const Span& span, std::string message, std::string hint = {}) const {
    diagnostics.error(fragment.in_source(span), std::move(message), std::move(hint));
  }
};

class Scope {
 public:
  virtual ~Scope() = default;
  // The name at a node; `values` are those of the nodes before it, its subscripts among them.
  // What is unknown is reported and gives nothing.
  virtual std::optional<Expr> name(const Written& written, int node,
                                   std::span<const Expr> values) = 0;
  // Functions of its own; false: not one of them.
  virtual bool call(const Written&, int /*node*/, std::span<const Expr> /*arguments*/,
                    std::optional<Expr>& /*result*/) {
    return false;
  }
  virtual std::vector<std::string> functions() const { return {}; }  // names of these
};

// Values of all nodes; nothing if something was wrong, which is reported. An equation has no value
// of its own: its sides are nodes a and b of the root.
std::optional<std::vector<Expr>> lower(const Written& written, Scope& scope);

// "tank[3].level" with the values of its subscripts; empty, and reported, if one is no integer.
std::string canonical_name(const Written& written, int node, std::span<const Expr> values);

}  // namespace daedalus::model
