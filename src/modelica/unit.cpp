// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/unit.hpp"

#include <cmath>
#include <numbers>
#include <unordered_map>

namespace daedalus::modelica {
namespace {

Unit of(std::array<double, 7> power, double factor = 1.0, double offset = 0.0) {
  return {power, factor, offset};
}

//                                        m  kg  s  A  K mol cd
const std::unordered_map<std::string_view, Unit>& symbols() {
  constexpr double pi = std::numbers::pi;
  static const std::unordered_map<std::string_view, Unit> all{
      {"1", of({})},
      {"m", of({1})},
      {"g", of({0, 1}, 1e-3)},
      {"s", of({0, 0, 1})},
      {"A", of({0, 0, 0, 1})},
      {"K", of({0, 0, 0, 0, 1})},
      {"mol", of({0, 0, 0, 0, 0, 1})},
      {"cd", of({0, 0, 0, 0, 0, 0, 1})},
      {"rad", of({})},
      {"sr", of({})},
      {"deg", of({}, pi / 180.0)},
      {"Hz", of({0, 0, -1})},
      {"N", of({1, 1, -2})},
      {"Pa", of({-1, 1, -2})},
      {"bar", of({-1, 1, -2}, 1e5)},
      {"J", of({2, 1, -2})},
      {"W", of({2, 1, -3})},
      {"VA", of({2, 1, -3})},
      {"var", of({2, 1, -3})},
      {"V", of({2, 1, -3, -1})},
      {"C", of({0, 0, 1, 1})},
      {"F", of({-2, -1, 4, 2})},
      {"Ohm", of({2, 1, -3, -2})},
      {"S", of({-2, -1, 3, 2})},
      {"H", of({2, 1, -2, -2})},
      {"Wb", of({2, 1, -2, -1})},
      {"T", of({0, 1, -2, -1})},
      {"lm", of({0, 0, 0, 0, 0, 0, 1})},
      {"lx", of({-2, 0, 0, 0, 0, 0, 1})},
      {"Bq", of({0, 0, -1})},
      {"Gy", of({2, 0, -2})},
      {"Sv", of({2, 0, -2})},
      {"kat", of({0, 0, -1, 0, 0, 1})},
      {"l", of({3}, 1e-3)},
      {"t", of({0, 1}, 1e3)},
      {"min", of({0, 0, 1}, 60.0)},
      {"h", of({0, 0, 1}, 3600.0)},
      {"d", of({0, 0, 1}, 86400.0)},
      {"eV", of({2, 1, -2}, 1.602176634e-19)},
      {"u", of({0, 1}, 1.66053906892e-27)},
      {"degC", of({0, 0, 0, 0, 1}, 1.0, 273.15)},
      {"degF", of({0, 0, 0, 0, 1}, 5.0 / 9.0, 459.67 * 5.0 / 9.0)},
      {"degRk", of({0, 0, 0, 0, 1}, 5.0 / 9.0)},
      {"rpm", of({0, 0, -1}, 2.0 * pi / 60.0)},
      {"%", of({}, 0.01)}};
  return all;
}

double prefix(char c) {
  switch (c) {
    case 'y': return 1e-24;
    case 'z': return 1e-21;
    case 'a': return 1e-18;
    case 'f': return 1e-15;
    case 'p': return 1e-12;
    case 'n': return 1e-9;
    case 'u': return 1e-6;
    case 'm': return 1e-3;
    case 'c': return 1e-2;
    case 'd': return 1e-1;
    case 'h': return 1e2;
    case 'k': return 1e3;
    case 'M': return 1e6;
    case 'G': return 1e9;
    case 'T': return 1e12;
    case 'P': return 1e15;
    case 'E': return 1e18;
    case 'Z': return 1e21;
    case 'Y': return 1e24;
    default: return 0.0;
  }
}

// [prefix] symbol [exponent]; a prefix only where the whole is no symbol.
std::optional<Unit> parse_factor(std::string_view text) {
  std::size_t end = text.size();
  while (end > 1 && ((text[end - 1] >= '0' && text[end - 1] <= '9') || text[end - 1] == '-' ||
                     text[end - 1] == '+'))
    --end;
  const std::string_view symbol = text.substr(0, end), digits = text.substr(end);
  double exponent = 1.0;
  if (!digits.empty()) {
    const bool negative = digits[0] == '-';
    double value = 0.0;
    for (const char c : digits.substr(negative || digits[0] == '+' ? 1 : 0)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = 10.0 * value + (c - '0');
    }
    exponent = negative ? -value : value;
  }
  if (const auto known = symbols().find(symbol); known != symbols().end())
    return exponent == 1.0 ? known->second : known->second.to(exponent);
  // "da" is the only prefix of two letters.
  const std::size_t length = symbol.substr(0, 2) == "da" ? 2 : 1;
  const double factor = length == 2 ? 10.0 : symbol.empty() ? 0.0 : prefix(symbol[0]);
  if (factor == 0.0 || symbol.size() <= length) return std::nullopt;
  const auto known = symbols().find(symbol.substr(length));
  if (known == symbols().end() || known->first == "1") return std::nullopt;
  Unit u = known->second;
  u.factor *= factor;
  return u.to(exponent);
}

std::optional<Unit> parse_product(std::string_view text) {
  Unit all;
  bool first = true;
  while (!text.empty() || first) {
    const std::size_t dot = text.find('.');
    const auto factor = parse_factor(text.substr(0, dot));
    if (!factor) return std::nullopt;
    all = first ? *factor : all * *factor;
    first = false;
    if (dot == std::string_view::npos) break;
    text = text.substr(dot + 1);
    if (text.empty()) return std::nullopt;
  }
  return all;
}

}  // namespace

Unit Unit::operator*(const Unit& b) const {
  Unit r;
  for (std::size_t k = 0; k < power.size(); ++k) r.power[k] = power[k] + b.power[k];
  r.factor = factor * b.factor;
  return r;
}

Unit Unit::operator/(const Unit& b) const { return *this * b.to(-1.0); }

Unit Unit::to(double exponent) const {
  Unit r;
  for (std::size_t k = 0; k < power.size(); ++k) r.power[k] = power[k] * exponent;
  r.factor = std::pow(factor, exponent);
  return r;
}

bool Unit::same(const Unit& b) const {
  for (std::size_t k = 0; k < power.size(); ++k)
    if (std::abs(power[k] - b.power[k]) > 1e-9) return false;
  return std::abs(factor - b.factor) <= 1e-6 * std::abs(factor) && offset == b.offset;
}

std::optional<Unit> parse_unit(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::size_t slash = text.find('/');
  const auto above = parse_product(text.substr(0, slash));
  if (!above || slash == std::string_view::npos) return above;
  std::string_view rest = text.substr(slash + 1);
  if (rest.size() > 2 && rest.front() == '(' && rest.back() == ')')
    rest = rest.substr(1, rest.size() - 2);
  if (rest.find('/') != std::string_view::npos) return std::nullopt;
  const auto below = parse_product(rest);
  return below ? std::optional(*above / *below) : std::nullopt;
}

}  // namespace daedalus::modelica
