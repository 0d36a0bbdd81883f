// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <type_traits>

#include <daedalus/types.hpp>

#include "kernel/herk_table.hpp"

namespace daedalus {
namespace herk_detail {

// Sum of terms [+-] [number [/ number]] [*] [sqrt(n)].
template <class Field, class Root>
class ExactReader {
 public:
  ExactReader(std::string_view text, Root& root) : text_(text), root_(root) {}

  Field read() {
    Field sum(0);
    bool first = true;
    skip();
    while (first || at_ < text_.size()) {
      const bool minus = accept('-');
      if (!minus && !accept('+') && !first) fail();
      const Field term = product();
      sum = minus ? Field(sum - term) : Field(sum + term);
      first = false;
    }
    return sum;
  }

 private:
  Field product() {
    Field value(1);
    const bool has_number = at_ < text_.size() && text_[at_] != 's';
    bool times = false;
    if (has_number) {
      value = decimal();
      if (accept('/')) value = Field(value / divisor());
      times = accept('*');
    }
    if (text_.substr(at_, 5) == "sqrt(") {
      at_ += 5;
      value = Field(value * root_(small()));
      if (!accept(')')) fail();
      if (accept('/')) value = Field(value / divisor());
    } else if (!has_number || times) {
      fail();
    }
    return value;
  }

  Field divisor() {
    const Field value = decimal();
    if (value == Field(0)) fail();
    return value;
  }

  // digits [. digits] [e [+-] digits]
  Field decimal() {
    Field value(0);
    digits(value);
    int exponent = 0;
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      exponent = -digits(value, false);
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      const bool minus = at_ < text_.size() && text_[at_] == '-';
      if (minus || (at_ < text_.size() && text_[at_] == '+')) ++at_;
      const int written = small();
      if (written > max_digits) fail();
      exponent += minus ? -written : written;
    }
    skip();
    if (exponent == 0) return value;
    const Field scale = power_of_ten(exponent < 0 ? -exponent : exponent);
    return exponent < 0 ? Field(value / scale) : Field(value * scale);
  }

  // Appends the digits to the value and counts them. Fractions of tables made from parameters are
  // longer than any integer type; 18 of them at a time keep a floating-point value accurate.
  int digits(Field& value, bool first = true) {
    int read = 0;
    while (at_ < text_.size() && is_digit()) {
      long long part = 0;
      int taken = 0;
      for (; taken < 18 && at_ < text_.size() && is_digit(); ++at_, ++taken)
        part = 10 * part + (text_[at_] - '0');
      // Most numbers are short, and powers of ten in exact arithmetic are what reading costs.
      value = first && read == 0 ? Field(part)
                                 : Field(Field(value * power_of_ten(taken)) + Field(part));
      read += taken;
      if (read > max_digits) fail();
    }
    if (read == 0) fail();
    return read;
  }

  int small() {
    int value = 0, read = 0;
    for (; at_ < text_.size() && is_digit(); ++at_) {
      if (++read > 9) fail();
      value = 10 * value + (text_[at_] - '0');
    }
    if (read == 0) fail();
    return value;
  }

  static Field power_of_ten(int exponent) {
    Field result(1);
    for (int n = 0; n < exponent; ++n) result = Field(result * Field(10));
    return result;
  }

  bool is_digit() const { return text_[at_] >= '0' && text_[at_] <= '9'; }
  bool accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip();
    return true;
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  [[noreturn]] void fail() const {
    throw InvalidArgument("coefficient '" + std::string(text_) +
                          "': expected fractions, decimals or multiples of a square root, such "
                          "as \"3/40\", \"0.25\" or \"1/6 - 1/108 sqrt(3)\"");
  }

  // Well within the range of long double, in which powers of ten are formed too.
  static constexpr int max_digits = 400;

  std::string_view text_;
  Root& root_;
  std::size_t at_ = 0;
};

}  // namespace herk_detail

template <class Field, class Root>
Field exact_value(std::string_view text, Root&& root) {
  return herk_detail::ExactReader<Field, std::remove_reference_t<Root>>(text, root).read();
}

template <class S>
S number(std::string_view text) {
  // Long double first, so that a double is the text rounded once (almost).
  const long double value =
      exact_value<long double>(text, [](int n) { return std::sqrt(static_cast<long double>(n)); });
  return static_cast<S>(value);
}

template <class S>
HerkNumbers<S>::HerkNumbers(const HerkTable& t)
    : stages(t.stages()), weights(static_cast<int>(t.b.size())) {
  const auto n = static_cast<std::size_t>(stages);
  const auto row = [&](const std::vector<ExactText>& texts) {
    std::vector<S> values(n, S(0));
    for (std::size_t j = 0; j < texts.size() && j < n; ++j) values[j] = number<S>(texts[j]);
    return values;
  };
  const auto rows = [&](const std::vector<std::vector<ExactText>>& texts, std::vector<S>& sums) {
    std::vector<std::vector<S>> values;
    for (const auto& r : texts) {
      values.push_back(row(r));
      S sum(0);
      for (const S& x : values.back()) sum += x;
      sums.push_back(sum);
    }
    return values;
  };
  a = rows(t.a, c);
  gamma = rows(t.gamma, c_hat);
  b = row(t.b);
  d = row(t.d);
  if (!t.embedded.empty()) embedded = row(t.embedded);
  explicit_first = n > 0 && gamma[0][0] == S(0);
  next_point = true;
  for (std::size_t i = explicit_first ? 1 : 0; i + 1 < n; ++i)
    next_point = next_point && gamma[i] == a[i + 1];
  first_same_as_last = n >= 2 && explicit_first && gamma[n - 2] == b && a[n - 1] == b;
  for (std::size_t j = 0; j < n; ++j)
    first_same_as_last = first_same_as_last && d[j] == S(j + 1 == n ? 1 : 0);
}

}  // namespace daedalus
