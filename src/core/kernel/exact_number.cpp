// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/exact_number.hpp"

#include <cmath>

#include <daedalus/types.hpp>

#include "kernel/herk_table.hpp"

namespace daedalus {

ExactNumber ExactNumber::from_text(std::string_view text) {
  return exact_value<ExactNumber>(text, [](int n) { return square_root(n); });
}

ExactNumber ExactNumber::square_root(int n) {
  if (n < 0)
    throw InvalidArgument("sqrt(" + std::to_string(n) + "): the radicand must not be negative");
  int outside = 1;
  for (long long k = 2; k * k <= n; ++k) {
    while (n % (k * k) == 0) {
      n /= static_cast<int>(k * k);
      outside *= static_cast<int>(k);
    }
  }
  if (n <= 1) return ExactNumber(n * outside);
  ExactNumber result;
  result.factor_ = outside;
  result.root_ = n;
  return result;
}

int ExactNumber::common_root(int one, int other) {
  if (one == 0 || other == 0 || one == other) return one == 0 ? other : one;
  throw InvalidArgument("a table may contain one square root, not both sqrt(" +
                        std::to_string(one) + ") and sqrt(" + std::to_string(other) + ")");
}

ExactNumber ExactNumber::conjugate() const {
  ExactNumber result(*this);
  result.factor_ = -factor_;
  return result;
}

ExactNumber& ExactNumber::operator+=(const ExactNumber& other) {
  root_ = common_root(root_, other.root_);
  rational_ += other.rational_;
  if (other.root_ != 0) factor_ += other.factor_;
  drop_root();
  return *this;
}

ExactNumber& ExactNumber::operator-=(const ExactNumber& other) {
  root_ = common_root(root_, other.root_);
  rational_ -= other.rational_;
  if (other.root_ != 0) factor_ -= other.factor_;
  drop_root();
  return *this;
}

ExactNumber& ExactNumber::operator*=(const ExactNumber& other) {
  if (root_ == 0 && other.root_ == 0) {
    rational_ *= other.rational_;
    return *this;
  }
  root_ = common_root(root_, other.root_);
  const Fraction cross = rational_ * other.factor_ + factor_ * other.rational_;
  rational_ = rational_ * other.rational_ + factor_ * other.factor_ * root_;
  factor_ = cross;
  drop_root();
  return *this;
}

ExactNumber& ExactNumber::operator/=(const ExactNumber& other) {
  if (other.is_zero()) throw InvalidArgument("division of " + text() + " by zero");
  if (root_ == 0 && other.root_ == 0) {
    rational_ /= other.rational_;
    return *this;
  }
  // 1 / (p + q sqrt(n)) = (p - q sqrt(n)) / (p^2 - n q^2), whose divisor is not zero.
  const ExactNumber conjugate = other.conjugate();
  const Fraction norm = (other * conjugate).rational_;
  *this *= conjugate;
  rational_ /= norm;
  factor_ /= norm;
  return *this;
}

double ExactNumber::to_double() const {
  const double p = rational_.convert_to<double>();
  if (root_ == 0) return p;
  const double q = factor_.convert_to<double>() * std::sqrt(static_cast<double>(root_));
  if (p == 0 || (p > 0) == (q > 0)) return p + q;
  // (p^2 - n q^2) / (p - q sqrt(n)): no cancellation in the divisor, none but exact in the other.
  return (*this * conjugate()).rational_.convert_to<double>() / (p - q);
}

std::string ExactNumber::text() const {
  if (root_ == 0) return rational_.str();
  const std::string root = " sqrt(" + std::to_string(root_) + ")";
  if (rational_.is_zero()) return factor_.str() + root;
  const bool negative = factor_ < 0;
  const Fraction size = negative ? Fraction(-factor_) : factor_;
  return rational_.str() + (negative ? " - " : " + ") + size.str() + root;
}

}  // namespace daedalus
