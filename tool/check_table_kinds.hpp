// SPDX-License-Identifier: BSD-3-Clause
// Kinds of tables that daedalus check-table knows. A new kind is one more file with a function that
// returns a TableKind, named in check_table_kinds.cpp; reading the file, claims, printing and exit
// codes are the same for all.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <daedalus/method.hpp>

#include "tool/check_table_fields.hpp"
#include "tool/json.hpp"

namespace daedalus::cli {

struct TableClaim {
  std::string key, claimed, found;
  bool holds;
};

// An order condition that is not fulfilled.
struct Violation {
  std::string part;  // solution, embedded, ...
  char variable;     // y, z, ...
  int order;
  std::string tree;
  double residual;
};

struct TableReport {
  std::string family;  // of methods
  int stages = 0;
  int order = 0;  // of convergence
  // Label and text, shown first and last.
  std::vector<std::pair<std::string, std::string>> facts, stability;
  std::vector<std::string> order_columns;
  std::vector<std::vector<std::string>> order_rows;  // the first entry is the part
  std::vector<Violation> violations;
  std::string legend;  // how to read trees and residuals
  std::vector<TableClaim> claims;
  Json details = Json::object();  // all further keys of the JSON
};

struct TableKind {
  std::string_view name;   // the field "kind"
  std::string_view title;  // for lists
  // Reads every field of this kind, so that unknown ones can be named, and checks the table.
  TableReport (*check)(TableFields& fields);
  // The table of a built-in method as a file of this kind; null if it has none.
  Json (*exported)(const Method& method);
};

std::span<const TableKind> table_kinds();
const TableKind& require_kind(TableFields& fields);

// The field "claims": each call checks one claim if it is there.
class Claims {
 public:
  explicit Claims(TableFields& fields);
  // Nothing found, for a claim about a part that the table does not have, never holds.
  void at_least(const std::string& key, std::optional<int> found);
  void equal(const std::string& key, std::optional<double> found, double tolerance);
  void flag(const std::string& key, bool found);
  // Throws InvalidArgument if a claim has a name that no call asked for.
  std::vector<TableClaim> result() const;

 private:
  const Json* find(const std::string& key);

  TableFields& fields_;
  const Json* claims_ = nullptr;
  std::vector<std::string> known_;
  std::vector<TableClaim> result_;
};

TableKind rosenbrock_a_tables();
TableKind rosenbrock_b_tables();
TableKind herk_tables();

}  // namespace daedalus::cli
