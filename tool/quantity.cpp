// SPDX-License-Identifier: BSD-3-Clause
#include "tool/quantity.hpp"

#include <charconv>

#include <fmt/format.h>

#include <daedalus/types.hpp>

#include "circuit/netlist/lines.hpp"
#include "modelica/unit.hpp"
#include "tool/models.hpp"
#include "tool/numbers.hpp"

namespace daedalus::cli {
namespace {

// Where the number ends and its unit begins; 0: there is no number.
std::size_t number_length(const std::string& text) {
  const std::size_t sign = !text.empty() && text[0] == '+' ? 1 : 0;
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data() + sign, text.data() + text.size(), value);
  return error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0;
}

bool same_dimension(const modelica::Unit& a, const modelica::Unit& b) {
  for (std::size_t k = 0; k < a.power.size(); ++k)
    if (a.power[k] != b.power[k]) return false;
  return true;
}

}  // namespace

double parse_quantity(const problems::Entry& entry, const std::string& parameter,
                      const std::string& text) {
  const std::string option = "--set " + parameter;
  const std::size_t length = number_length(text);
  const bool power_or_quotient =
      length > 0 && length < text.size() && (text[length] == '^' || text[length] == '/');
  if (length == 0 || length == text.size() || power_or_quotient) return parse_number(option, text);
  if (const LoadedProblem* file = loaded_from_file(entry); file && file->circuit) {
    if (const auto number = circuit::read_number(text).value) return *number;
    return parse_number(option, text);
  }
  const std::string suffix = text.substr(length);
  const double number = parse_number(option, text.substr(0, length));
  const auto given = modelica::parse_unit(suffix);
  if (!given)
    throw InvalidArgument(fmt::format(
        "{} has '{}': '{}' is no unit; known are those of SI with prefixes (2m, 5cm, 30deg, 3kN, "
        "10m/s2)",
        option, text, suffix));
  const auto stated = entry.units.find(parameter);
  const auto own =
      stated == entry.units.end() ? std::nullopt : modelica::parse_unit(stated->second);
  if (own && !same_dimension(*own, *given))
    throw InvalidArgument(fmt::format("{} has '{}', but the parameter is measured in {}", option,
                                      text, stated->second));
  const double si = number * given->factor + given->offset;
  return own ? (si - own->offset) / own->factor : si;
}

}  // namespace daedalus::cli
