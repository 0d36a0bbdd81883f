// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "circuit/netlist/lines.hpp"

namespace daedalus::circuit {
namespace {

struct Suffix {
  std::string_view letters;
  double factor;
};
// Longer ones first; m is milli in capitals as well.
constexpr std::array<Suffix, 14> suffixes{{{"meg", 1e6},
                                           {"mil", 25.4e-6},
                                           {"t", 1e12},
                                           {"g", 1e9},
                                           {"k", 1e3},
                                           {"m", 1e-3},
                                           {"u", 1e-6},
                                           {"\xC2\xB5", 1e-6},
                                           {"\xCE\xBC", 1e-6},
                                           {"n", 1e-9},
                                           {"p", 1e-12},
                                           {"f", 1e-15},
                                           {"a", 1e-18},
                                           {"", 1.0}}};
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

}  // namespace

NumberText read_number(std::string_view text) {
  NumberText result;
  const std::size_t length = plain_length(text);
  if (length == 0) return result;
  double value = 0.0;
  const char* begin = text.data() + (text[0] == '+' ? 1 : 0);
  const auto read = std::from_chars(begin, text.data() + length, value);
  if (read.ec == std::errc::result_out_of_range)
    value = std::strtod(std::string(text.substr(0, length)).c_str(), nullptr);
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
      result.value = value * s.factor;
      if (!std::isfinite(*result.value)) {
        result.value.reset();
        result.problem = fmt::format("the number '{}' is too large", text);
      }
      result.capital_milli = s.letters == "m" && rest[0] == 'M';
      result.plain_femto = small == "f";
      return result;
    }
  return result;
}

}  // namespace daedalus::circuit
