// SPDX-License-Identifier: BSD-3-Clause
#include "tool/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <daedalus/types.hpp>

namespace daedalus::cli {
namespace {

[[noreturn]] void not_a_number(const std::string& option, const std::string& text) {
  throw InvalidArgument(
      fmt::format("{} has '{}', which is not a finite number (allowed: 0.1, 1e-3, 2^-3, 0.2/8000)",
                  option, text));
}

double plain_number(const std::string& option, const std::string& whole, std::string_view part) {
  if (!part.empty() && part.front() == '+') part.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (part.empty() || error != std::errc() || end != part.data() + part.size())
    not_a_number(option, whole);
  return value;
}

}  // namespace

double parse_number(const std::string& option, const std::string& text) {
  const std::size_t sign = text.find_first_of("^/");
  double value = 0.0;
  if (sign == std::string::npos) {
    value = plain_number(option, text, text);
  } else {
    const double left = plain_number(option, text, std::string_view(text).substr(0, sign));
    const double right = plain_number(option, text, std::string_view(text).substr(sign + 1));
    value = text[sign] == '^' ? std::pow(left, right) : left / right;
  }
  if (!std::isfinite(value)) not_a_number(option, text);
  return value;
}

long parse_whole(const std::string& option, const std::string& text, long min, long max) {
  double value = 0.5;
  try {
    value = parse_number(option, text);
  } catch (const InvalidArgument&) {  // the message below tells more
  }
  if (value != std::floor(value) || value < static_cast<double>(min) ||
      value > static_cast<double>(max))
    throw InvalidArgument(fmt::format("{} has '{}'; allowed are whole numbers from {} to {}",
                                      option, text, brief_whole(min), brief_whole(max)));
  return static_cast<long>(value);
}

std::string brief_whole(long value) {
  int zeros = 0;
  long rest = value;
  for (; rest > 1 && rest % 10 == 0; rest /= 10) ++zeros;
  return rest == 1 && zeros > 4 ? fmt::format("1e{}", zeros) : std::to_string(value);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (true) {
    const std::size_t to = text.find(separator, from);
    parts.push_back(text.substr(from, to - from));
    if (to == std::string::npos) return parts;
    from = to + 1;
  }
}

std::vector<double> parse_list(const std::string& option, const std::string& text) {
  std::vector<double> values;
  for (const std::string& part : split(text, ',')) values.push_back(parse_number(option, part));
  return values;
}

std::vector<double> parse_steps(const std::string& option, const std::string& text) {
  std::vector<double> steps;
  const std::vector<std::string> ends = split(text, ':');
  if (ends.size() > 2)
    throw InvalidArgument(fmt::format("{} has '{}'; a range is FROM:TO", option, text));
  if (ends.size() == 2) {
    const double a = parse_number(option, ends[0]), b = parse_number(option, ends[1]);
    if (!(std::min(a, b) > 0.0))
      throw InvalidArgument(fmt::format("{} has '{}'; both ends must be positive", option, text));
    // A thousandth of a halving forgives decimal ends such as 0.1:0.00078125.
    for (double h = std::max(a, b); h >= 0.999 * std::min(a, b); h *= 0.5) steps.push_back(h);
  } else {
    steps = parse_list(option, text);
  }
  for (const double h : steps)
    if (!(h > 0.0))
      throw InvalidArgument(fmt::format("{} has '{}'; steps must be positive", option, text));
  return steps;
}

std::pair<std::string, std::string> split_assignment(const std::string& option,
                                                     const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0)
    throw InvalidArgument(fmt::format("{} has '{}'; it must be name=value", option, text));
  return {text.substr(0, sign), text.substr(sign + 1)};
}

std::pair<std::string, double> parse_assignment(const std::string& option,
                                                const std::string& text) {
  const auto [name, value] = split_assignment(option, text);
  return {name, parse_number(option + " " + name, value)};
}

std::string brief(double value) {
  std::string text = fmt::format("{:.6g}", value);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  const std::size_t digits = text.find_first_not_of("+-0", exponent + 1);
  return text.substr(0, exponent + 1) + (text[exponent + 1] == '-' ? "-" : "") +
         text.substr(digits);
}

std::string brief_time(double seconds) {
  if (!(seconds >= 0.0)) return "unknown";
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 1.0) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 60.0) return fmt::format("{:.3g} s", seconds);
  return fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / 60.0), std::fmod(seconds, 60.0));
}

}  // namespace daedalus::cli
