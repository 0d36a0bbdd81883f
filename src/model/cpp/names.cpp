// SPDX-License-Identifier: BSD-3-Clause
#include "model/cpp/names.hpp"

#include <cmath>

#include <fmt/format.h>

#include <daedalus/expr.hpp>

namespace daedalus::model {
namespace {

// Keywords, and names that exported programs use themselves.
constexpr std::string_view reserved_words =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl "
    "concept const consteval constexpr constinit continue co_await co_return co_yield decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend "
    "goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq "
    "private protected public register reinterpret_cast requires return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try typedef "
    "typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq "
    "m kernel indices main std daedalus der pre select asserted no_event time Expr Model edge "
    "change solve text graph gamma y0 y1 yn j0 j1 jn signal index ";

}  // namespace

Identifiers::Identifiers() {
  for (std::size_t begin = 1; begin < reserved_words.size();) {
    const std::size_t end = reserved_words.find(' ', begin);
    taken_.emplace(reserved_words.substr(begin, end - begin));
    begin = end + 1;
  }
  for (const std::string_view function_name : function_names()) taken_.emplace(function_name);
}

std::string Identifiers::make(std::string_view name) {
  std::string base;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (digit && base.empty()) base += "n";
    if (letter || digit)
      base += c;
    else if (!base.empty() && base.back() != '_')
      base += '_';
  }
  if (base.empty()) base = "value";
  std::string result = base;
  for (int k = 2; !taken_.insert(result).second; ++k)
    result = fmt::format("{}{}{}", base, base.back() == '_' ? "" : "_", k);
  return result;
}

std::string cpp_number(double value) {
  if (std::isnan(value)) return "std::numeric_limits<double>::quiet_NaN()";
  if (std::isinf(value))
    return value > 0.0 ? "std::numeric_limits<double>::infinity()"
                       : "-std::numeric_limits<double>::infinity()";
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits;
}

std::string cpp_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += ' ';
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace daedalus::model
