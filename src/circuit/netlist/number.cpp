// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "circuit/netlist/lines.hpp"

namespace daedalus::circuit {
namespace {

// The factor is a power of ten, but for the thousandth of an inch.
struct Suffix {
  std::string_view letters;
  int power;
  double factor = 1.0;
};
// Longer ones first; m is milli in capitals as well.
constexpr std::array<Suffix, 14> suffixes{{{"meg", 6},
                                           {"mil", -6, 25.4},
                                           {"t", 12},
                                           {"g", 9},
                                           {"k", 3},
                                           {"m", -3},
                                           {"u", -6},
                                           {"\xC2\xB5", -6},
                                           {"\xCE\xBC", -6},
                                           {"n", -9},
                                           {"p", -12},
                                           {"f", -15},
                                           {"a", -18},
                                           {"", 0}}};
// Units that may follow a number without a suffix.
constexpr std::array<std::string_view, 9> bare_units{"v",  "volt", "volts", "ohm", "ohms",
                                                     "hz", "s",    "h",     "w"};

bool is_figure(char c) { return c >= '0' && c <= '9'; }

std::size_t plain_length(std::string_view text) {
  std::size_t k = 0, figures = 0;
  if (k < text.size() && (text[k] == '+' || text[k] == '-')) ++k;
  const auto digits = [&] {
    while (k < text.size() && is_figure(text[k])) ++k, ++figures;
  };
  digits();
  if (k < text.size() && text[k] == '.') ++k, digits();
  if (figures == 0) return 0;
  if (k < text.size() && (text[k] == 'e' || text[k] == 'E')) {
    std::size_t e = k + 1;
    if (e < text.size() && (text[e] == '+' || text[e] == '-')) ++e;
    if (e < text.size() && is_figure(text[e])) {
      while (e < text.size() && is_figure(text[e])) ++e;
      k = e;
    }
  }
  return k;
}

// The decimal number times 10^power, rounded once: 50u is 5e-5, which 50 * 1e-6 is not.
double decimal(std::string_view plain, int power) {
  if (plain[0] == '+') plain.remove_prefix(1);
  std::string text(plain);
  if (power != 0) {
    const std::size_t e = text.find_first_of("eE");
    // Larger exponents than these are zero or infinite with any suffix.
    const int own =
        e == std::string::npos ? 0 : std::clamp(std::atoi(text.c_str() + e + 1), -9999, 9999);
    text = fmt::format("{}e{}", text.substr(0, e), own + power);
  }
  double value = 0.0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc::result_out_of_range) value = std::strtod(text.c_str(), nullptr);
  return value;
}

}  // namespace

NumberText read_number(std::string_view text) {
  NumberText result;
  const std::size_t length = plain_length(text);
  if (length == 0) return result;
  const std::string_view rest = text.substr(length);
  const std::string small = lower_case(rest);
  for (const Suffix& s : suffixes)
    if (small.rfind(s.letters, 0) == 0) {
      const std::string_view unit = std::string_view(small).substr(s.letters.size());
      for (std::size_t k = 0; k < unit.size(); ++k)
        if (is_figure(unit[k])) {
          result.problem = fmt::format("value '{}': digits follow letters", text);
          if (unit.size() == 1)
            result.hint = fmt::format("write {}.{}{}", text.substr(0, length), unit, s.letters);
          return result;
        } else if (static_cast<unsigned char>(unit[k]) < 0x80 && (unit[k] < 'a' || unit[k] > 'z')) {
          result.problem = fmt::format("'{}' is not a number", text);
          return result;
        }
      if (s.letters.empty() && !unit.empty() &&
          std::find(bare_units.begin(), bare_units.end(), unit) == bare_units.end()) {
        result.problem = fmt::format(
            "value '{}': unit letters are ignored only after a suffix, and '{}' is none", text,
            rest);
        result.hint = fmt::format("nearest: {}u?", text.substr(0, length));
        return result;
      }
      result.value = s.factor * decimal(text.substr(0, length), s.power);
      if (!std::isfinite(*result.value)) {
        result.value.reset();
        result.problem = fmt::format("the number '{}' is too large", text);
      }
      result.capital_milli = s.letters == "m" && rest[0] == 'M';
      result.plain_femto = rest == "F";
      return result;
    }
  return result;
}

}  // namespace daedalus::circuit
