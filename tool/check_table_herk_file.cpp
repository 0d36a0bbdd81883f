// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <daedalus/types.hpp>

#include "kernel/herk_families.hpp"
#include "tool/check_table_herk.hpp"
#include "tool/names.hpp"

namespace daedalus::cli {
namespace {

using ExactRow = std::vector<ExactText>;

// For built-in tables that are known as decimals only: the digits of HEM5 leave 6e-12.
constexpr double bound_of_decimals = 1e-11;

class HerkReader {
 public:
  explicit HerkReader(TableFields& fields) : fields_(fields) {}

  HerkTable rows() {
    HerkTable table;
    table.a = triangle("a", 0);
    table.gamma = triangle("gamma", 1);
    if (table.gamma.size() != table.a.size())
      fields_.refuse("gamma", fmt::format("has {} rows and a has {}; both need one per stage",
                                          table.gamma.size(), table.a.size()));
    table.b = list("b");
    if (table.b.empty() || table.b.size() > table.a.size())
      fields_.refuse("b", fmt::format("has {} entries; 1 to {} are possible, one per stage",
                                      table.b.size(), table.a.size()));
    table.d = one_per_stage("d", table);
    if (fields_.has("embedded")) table.embedded = one_per_stage("embedded", table);
    return table;
  }

  HerkTable family() {
    for (const char* field : {"a", "gamma", "b", "d", "embedded"})
      if (fields_.has(field))
        fields_.refuse(field, "a table is either a family with parameters or rows, not both");
    const std::string name = fields_.text("family", "");
    std::vector<std::string> names;
    for (const HerkFamily& family : herk_families()) {
      if (family.name == name) return of_family(family);
      names.emplace_back(family.name);
    }
    fields_.refuse("family",
                   fmt::format("\"{}\": must be one of {}", name, fmt::join(names, ", ")));
  }

  void compare(const std::string& field, const std::vector<long double>& expected,
               const char* meaning) {
    if (!fields_.has(field)) return;
    const ExactRow given = list(field);
    if (given.size() != expected.size())
      fields_.refuse(field, fmt::format("has {} entries; one per stage is needed: {}", given.size(),
                                        expected.size()));
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto have = daedalus::number<long double>(given[i]);
      // Sixteen printed digits of the rows leave this much in their sums.
      if (std::abs(have - expected[i]) <= 1e-12L) continue;
      fields_.refuse(fmt::format("{}[{}]", field, i + 1),
                     fmt::format("{}: must be {:.16g}, {}", given[i],
                                 static_cast<double>(expected[i]), meaning));
    }
  }

 private:
  HerkTable of_family(const HerkFamily& family) {
    static const Json none = Json::object();
    const Json& given = fields_.has("parameters") ? fields_.table().at("parameters") : none;
    if (!given.is_object())
      fields_.refuse("parameters", line(given) + ": must be an object such as {\"c2\": \"1/2\"}");
    std::vector<std::string> names;
    ExactRow values;
    for (const HerkParameter& parameter : family.parameters) {
      const std::string name(parameter.name);
      names.push_back(name);
      if (given.contains(name))
        values.push_back(exact(given.at(name), "parameters." + name));
      else if (!parameter.usual.empty())
        values.emplace_back(parameter.usual);
      else
        fields_.refuse("parameters." + name, fmt::format("is missing; {} needs it", family.name));
    }
    for (const auto& [name, value] : given.items())
      if (std::find(names.begin(), names.end(), name) == names.end())
        throw InvalidArgument(fields_.source() + ": parameters: " +
                              unknown_name("parameter", name, names, "docs/own-table.md"));
    try {
      return family.make(values);
    } catch (const InvalidArgument& error) {
      fields_.refuse("parameters", error.what());
    }
  }

  const Json& array(const Json& value, const std::string& field) const {
    if (!value.is_array()) fields_.refuse(field, line(value) + ": must be a list");
    return value;
  }

  const Json& require(const std::string& field) {
    if (!fields_.has(field)) fields_.refuse(field, "is missing");
    return array(fields_.table().at(field), field);
  }

  // Numbers are the decimals they are written as.
  ExactText exact(const Json& value, const std::string& field) const {
    if (!value.is_string() && !value.is_number())
      fields_.refuse(field, line(value) + ": must be a number or a text such as \"3/40\"");
    const ExactText text = value.is_string() ? value.get<std::string>() : line(value);
    try {
      daedalus::number<double>(text);
    } catch (const InvalidArgument& error) {
      fields_.refuse(field, error.what());
    }
    return text;
  }

  ExactRow entries(const Json& row, const std::string& name) const {
    ExactRow result;
    for (std::size_t j = 0; j < row.size(); ++j)
      result.push_back(exact(row[j], fmt::format("{}[{}]", name, j + 1)));
    return result;
  }

  ExactRow list(const std::string& field) { return entries(require(field), field); }

  ExactRow one_per_stage(const std::string& field, const HerkTable& table) {
    ExactRow row = list(field);
    if (row.size() != table.a.size())
      fields_.refuse(field, fmt::format("has {} entries; one per stage is needed: {}", row.size(),
                                        table.a.size()));
    return row;
  }

  // Row i has i - 1 + diagonal entries; zeros after them are left out.
  std::vector<ExactRow> triangle(const std::string& field, std::size_t diagonal) {
    const Json& matrix = require(field);
    std::vector<ExactRow> rows;
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      const std::string name = fmt::format("{}[{}]", field, i + 1);
      ExactRow row = entries(array(matrix[i], name), name);
      const std::size_t length = i + diagonal;
      if (row.size() < length)
        fields_.refuse(name,
                       fmt::format("has {} entries; row {} needs {}", row.size(), i + 1, length));
      for (std::size_t j = length; j < row.size(); ++j)
        if (daedalus::number<long double>(row[j]) != 0)
          fields_.refuse(fmt::format("{}[{}]", name, j + 1),
                         row[j] + ": must be zero or left out, " + field + " is lower triangular");
      row.resize(length);
      rows.push_back(std::move(row));
    }
    if (rows.empty()) fields_.refuse(field, "has no rows; one per stage is needed");
    return rows;
  }

  TableFields& fields_;
};

bool has_long_decimals(const HerkTable& table) {
  const auto is_long = [](const ExactText& text) {
    const std::size_t point = text.find('.');
    return point != std::string::npos && text.size() - point > 12;
  };
  const auto in_row = [&](const ExactRow& row) {
    return std::any_of(row.begin(), row.end(), is_long);
  };
  return std::any_of(table.a.begin(), table.a.end(), in_row) || in_row(table.b);
}

}  // namespace

ReadHerkTable read_herk(TableFields& fields) {
  ReadHerkTable result;
  HerkReader reader(fields);
  result.table = fields.has("family") ? reader.family() : reader.rows();
  result.table.name = fields.text("name", result.table.name);
  if (fields.has("residual_bound")) {
    result.residual_bound = static_cast<double>(fields.number("residual_bound"));
    if (!(result.residual_bound > 0 && result.residual_bound <= 1e-8))
      fields.refuse("residual_bound",
                    fmt::format("{:g}: must be positive and at most 1e-8", result.residual_bound));
  }
  const HerkNumbers<long double> numbers(result.table);
  reader.compare("abscissae", numbers.c, "the row sum of a");
  reader.compare("constraint_abscissae", numbers.c_hat, "the row sum of gamma");
  return result;
}

Json exported_herk(const Method& method) {
  if (method.family != "half-explicit" || method.table == nullptr) return nullptr;
  const auto& table = *static_cast<const HerkTable*>(method.table);
  Json json{{"name", method.name}, {"kind", "herk"}, {"reference", method.reference}};
  json["a"] = table.a;
  json["gamma"] = table.gamma;
  json["b"] = table.b;
  json["d"] = table.d;
  if (!table.embedded.empty()) json["embedded"] = table.embedded;
  if (has_long_decimals(table)) json["residual_bound"] = bound_of_decimals;
  // Orders are what the method says, structure and contractivity what its engine relies on.
  const HerkNumbers<long double> numbers(table);
  Json& claims = json["claims"] = Json{{"order", method.order}};
  if (const double z = method.orders[VariableClass::z]; z > 0)
    claims["z_order"] = static_cast<int>(z);
  if (!table.embedded.empty() && method.error_order > 0)
    claims["embedded_order"] = method.error_order;
  claims["kappa"] = 0;
  claims["explicit_first_stage"] = numbers.explicit_first;
  claims["next_point"] = numbers.next_point;
  claims["first_same_as_last"] = numbers.first_same_as_last;
  return json;
}

}  // namespace daedalus::cli
