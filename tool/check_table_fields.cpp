// SPDX-License-Identifier: BSD-3-Clause
#include "tool/check_table_fields.hpp"

#include <cctype>
#include <optional>

#include <fmt/format.h>

#include <daedalus/types.hpp>

#include "tool/names.hpp"

namespace daedalus::cli {
namespace {

constexpr const char* number_rule =
    "must be a number or a string with a decimal or a fraction, such as \"1/3\"";

// The powers of ten that quadruple precision holds exactly end at 48, beyond any sensible table.
constexpr int max_exponent = 48;

Quadruple power_of_ten(int exponent) {
  Quadruple result = Quadruple(1);
  for (int n = 0; n < exponent; ++n) result *= Quadruple(10);
  return result;
}

// [-+]digits[.digits][e[-+]digits], nothing else.
std::optional<Quadruple> parse_decimal(std::string_view text) {
  std::size_t at = 0;
  const auto sign = [&] {
    const bool negative = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    return negative;
  };
  const auto digit = [&] {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  const bool negative = sign();
  Quadruple value = Quadruple(0);
  int digits = 0, exponent = 0;
  const auto take_digits = [&](int shift) {
    for (; digit(); ++at, ++digits) {
      value = value * Quadruple(10) + Quadruple(text[at] - '0');
      exponent += shift;
    }
  };
  take_digits(0);
  if (at < text.size() && text[at] == '.') {
    ++at;
    take_digits(-1);
  }
  if (digits == 0) return {};
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    const bool minus = sign();
    int written = 0;
    if (!digit()) return {};
    for (; digit() && written <= 1000; ++at) written = 10 * written + (text[at] - '0');
    exponent += minus ? -written : written;
  }
  if (at != text.size() || exponent < -max_exponent || exponent > max_exponent) return {};
  value = exponent < 0 ? value / power_of_ten(-exponent) : value * power_of_ten(exponent);
  return negative ? -value : value;
}

std::optional<Quadruple> parse_text(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return parse_decimal(text);
  const auto numerator = parse_decimal(text.substr(0, slash));
  const auto denominator = parse_decimal(text.substr(slash + 1));
  if (!numerator || !denominator || *denominator == Quadruple(0)) return {};
  return *numerator / *denominator;
}

std::string entry(const std::string& field, std::size_t i) {
  return fmt::format("{}[{}]", field, i + 1);
}

}  // namespace

TableFields::TableFields(const Json& table, std::string source)
    : table_(table), source_(std::move(source)) {
  if (!table.is_object())
    throw InvalidArgument(source_ + ": must be a JSON object with fields such as \"kind\"");
}

void TableFields::refuse(const std::string& field, const std::string& why) const {
  throw InvalidArgument(fmt::format("{}: {}: {}", source_, field, why));
}

bool TableFields::has(const std::string& field) {
  known_.insert(field);
  return table_.contains(field);
}

std::string TableFields::either(const std::string& field, const std::string& other) {
  const bool first = has(field), second = has(other);
  if (first && second) refuse(other, fmt::format("means the same as {}; give one of them", field));
  return first ? field : second ? other : std::string();
}

void TableFields::refuse_unknown() const {
  for (const auto& [name, value] : table_.items()) {
    if (known_.count(name) > 0) continue;
    throw InvalidArgument(
        source_ + ": " +
        unknown_name("field", name, {known_.begin(), known_.end()}, "docs/own-table.md"));
  }
}

const Json& TableFields::require(const std::string& field) {
  if (!has(field)) refuse(field, "is missing");
  return table_.at(field);
}

std::string TableFields::text(const std::string& field, const std::string& absent) {
  if (!has(field)) return absent;
  const Json& value = table_.at(field);
  if (!value.is_string()) refuse(field, line(value) + ": must be a text");
  return value.get<std::string>();
}

Quadruple TableFields::parse(const Json& value, const std::string& field) const {
  std::optional<Quadruple> result;
  if (value.is_string()) result = parse_text(value.get_ref<const std::string&>());
  if (value.is_number()) result = parse_decimal(line(value));
  if (!result) refuse(field, fmt::format("{}: {}", line(value), number_rule));
  return *result;
}

Quadruple TableFields::number(const std::string& field) { return parse(require(field), field); }

const Json& TableFields::array(const Json& value, const std::string& field) const {
  if (!value.is_array()) refuse(field, line(value) + ": must be a list");
  return value;
}

Numbers TableFields::numbers(const std::string& field, int count) {
  const Json& list = array(require(field), field);
  if (count >= 0 && static_cast<int>(list.size()) != count)
    refuse(field, fmt::format("has {} entries; one per stage is needed: {}", list.size(), count));
  Numbers result;
  for (std::size_t i = 0; i < list.size(); ++i) result.push_back(parse(list[i], entry(field, i)));
  return result;
}

Numbers TableFields::lower_triangle(const std::string& field, int stages, Quadruple diagonal) {
  const Json& list = array(require(field), field);
  if (static_cast<int>(list.size()) != stages)
    refuse(field, fmt::format("has {} rows; one per stage is needed: {}, the first one empty: []",
                              list.size(), stages));
  Numbers result(static_cast<std::size_t>(stages) * stages, Quadruple(0));
  for (int i = 0; i < stages; ++i) {
    const std::string row_name = entry(field, i);
    const Json& row = array(list[i], row_name);
    const int length = static_cast<int>(row.size());
    if (length < i || length > stages)
      refuse(row_name, fmt::format("has {} entries; row {} needs {}", length, i + 1, i));
    for (int j = 0; j < length; ++j) {
      const std::string name = entry(row_name, j);
      const Quadruple value = parse(row[j], name);
      if (j < i) {
        result[i * stages + j] = value;
      } else if (const auto gap = static_cast<double>(value - diagonal);
                 value != Quadruple(0) && !(j == i && gap <= 1e-15 && -gap <= 1e-15)) {
        refuse(name, line(row[j]) + ": must be zero or left out, " + field +
                         " is strictly lower triangular");
      }
    }
  }
  return result;
}

Numbers TableFields::rows(const std::string& field, int columns, int max_rows) {
  const Json& list = array(require(field), field);
  if (static_cast<int>(list.size()) > max_rows)
    refuse(field, fmt::format("has {} rows; at most {} are possible", list.size(), max_rows));
  Numbers result;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string row_name = entry(field, i);
    const Json& row = array(list[i], row_name);
    if (static_cast<int>(row.size()) != columns)
      refuse(row_name,
             fmt::format("has {} entries; one per stage is needed: {}", row.size(), columns));
    for (std::size_t j = 0; j < row.size(); ++j)
      result.push_back(parse(row[j], entry(row_name, j)));
  }
  return result;
}

}  // namespace daedalus::cli
