// SPDX-License-Identifier: BSD-3-Clause
// The fields of a table file: numbers without loss, and messages that name the field.
//
// A number is a JSON number, taken as the decimal it is written as (up to 17 digits), or a string
// with a fraction or a decimal of any length: "1/3", "-31309/15040",
// "0.43586652150845899941601945".
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lab/rosenbrock_order.hpp"
#include "tool/json.hpp"

namespace daedalus::cli {

using analysis::Quadruple;
using Numbers = std::vector<Quadruple>;

// All members throw InvalidArgument with source, field, value and what is allowed.
class TableFields {
 public:
  // `source` is the name of the file. The table must be an object and outlive this.
  TableFields(const Json& table, std::string source);

  const Json& table() const { return table_; }
  const std::string& source() const { return source_; }
  [[noreturn]] void refuse(const std::string& field, const std::string& why) const;

  // Names asked for count as known; `refuse_unknown` names the first field that is not.
  bool has(const std::string& field);
  // The one of two names for the same thing that is there, or empty.
  std::string either(const std::string& field, const std::string& other);
  void refuse_unknown() const;

  std::string text(const std::string& field, const std::string& absent);
  Quadruple number(const std::string& field);
  Numbers numbers(const std::string& field, int count = -1);
  // Row by row, stages x stages. Row i has i - 1 entries, or more when the rest are zeros; the
  // diagonal may be given if it is `diagonal`. The result has zeros from the diagonal on.
  Numbers lower_triangle(const std::string& field, int stages, Quadruple diagonal);
  // Any number of rows of `columns` entries, row by row.
  Numbers rows(const std::string& field, int columns, int max_rows);
  // Parses one number; `field` for the message.
  Quadruple parse(const Json& value, const std::string& field) const;

 private:
  const Json& require(const std::string& field);
  const Json& array(const Json& value, const std::string& field) const;

  const Json& table_;
  std::string source_;
  std::set<std::string> known_;
};

}  // namespace daedalus::cli
