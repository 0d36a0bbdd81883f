// SPDX-License-Identifier: BSD-3-Clause
// Exact numbers p + q sqrt(n): fractions of any length and one square root, for coefficient tables
// and their order conditions. The root is free of squares; numbers with different roots do not mix.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <string>
#include <string_view>

namespace daedalus {

class ExactNumber {
 public:
  ExactNumber(long long value = 0) : rational_(value) {}

  // Reads an ExactText; throws InvalidArgument naming the text.
  static ExactNumber from_text(std::string_view text);
  static ExactNumber square_root(int n);  // n >= 0
  // Of two roots of one table, where 0 is none; InvalidArgument if they are different.
  static int common_root(int one, int other);

  // With another root than that of this number, or division by zero: InvalidArgument.
  ExactNumber& operator+=(const ExactNumber& other);
  ExactNumber& operator-=(const ExactNumber& other);
  ExactNumber& operator*=(const ExactNumber& other);
  ExactNumber& operator/=(const ExactNumber& other);

  bool is_zero() const { return root_ == 0 && rational_.is_zero(); }
  int root() const { return root_; }  // 0: a fraction
  double to_double() const;
  std::string text() const;  // "-7/108 sqrt(3)", which from_text reads

  friend bool operator==(const ExactNumber& x, const ExactNumber& y) {
    return x.root_ == y.root_ && x.rational_ == y.rational_ && x.factor_ == y.factor_;
  }
  friend bool operator!=(const ExactNumber& x, const ExactNumber& y) { return !(x == y); }

 private:
  using Fraction = boost::multiprecision::cpp_rational;

  ExactNumber conjugate() const;
  void drop_root() {
    if (factor_.is_zero()) root_ = 0;
  }

  Fraction rational_, factor_;
  int root_ = 0;  // not zero exactly when the factor is not
};

inline ExactNumber operator+(ExactNumber x, const ExactNumber& y) { return x += y; }
inline ExactNumber operator-(ExactNumber x, const ExactNumber& y) { return x -= y; }
inline ExactNumber operator*(ExactNumber x, const ExactNumber& y) { return x *= y; }
inline ExactNumber operator/(ExactNumber x, const ExactNumber& y) { return x /= y; }
inline ExactNumber operator-(const ExactNumber& x) { return ExactNumber(0) - x; }

}  // namespace daedalus
