#include "kernel/exact_number.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <daedalus/types.hpp>

#include "kernel/herk_table.hpp"

namespace daedalus {
namespace {

// The C interface of the library has temporaries of its own to be cleared.
struct Scratch {
  mpq_t value;
  Scratch() { mpq_init(value); }
  ~Scratch() { mpq_clear(value); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
};

std::string digits_of(const mpq_t value) {
  std::vector<char> buffer(mpz_sizeinbase(mpq_numref(value), 10) +
                           mpz_sizeinbase(mpq_denref(value), 10) + 3);
  return mpq_get_str(buffer.data(), 10, value);
}

// target += x y n
void add_product(mpq_t target, const mpq_t x, const mpq_t y, int n) {
  Scratch product;
  mpq_mul(product.value, x, y);
  if (n != 1) {
    Scratch scale;
    mpq_set_si(scale.value, n, 1);
    mpq_mul(product.value, product.value, scale.value);
  }
  mpq_add(target, target, product.value);
}

}  // namespace

ExactNumber::ExactNumber(long long value) {
  mpq_inits(rational_, factor_, nullptr);
  // Two halves: the C interface takes long, which has 32 bits on some systems.
  const bool negative = value < 0;
  const unsigned long long size = negative ? 0ULL - static_cast<unsigned long long>(value)
                                           : static_cast<unsigned long long>(value);
  mpz_set_ui(mpq_numref(rational_), static_cast<unsigned long>(size >> 32));
  mpz_mul_2exp(mpq_numref(rational_), mpq_numref(rational_), 32);
  mpz_add_ui(mpq_numref(rational_), mpq_numref(rational_),
             static_cast<unsigned long>(size & 0xffffffffULL));
  if (negative) mpq_neg(rational_, rational_);
}

ExactNumber::ExactNumber(const ExactNumber& other) : root_(other.root_) {
  mpq_inits(rational_, factor_, nullptr);
  mpq_set(rational_, other.rational_);
  if (root_ != 0) mpq_set(factor_, other.factor_);
}

ExactNumber::ExactNumber(ExactNumber&& other) noexcept : root_(std::exchange(other.root_, 0)) {
  mpq_inits(rational_, factor_, nullptr);
  mpq_swap(rational_, other.rational_);
  mpq_swap(factor_, other.factor_);
}

ExactNumber& ExactNumber::operator=(const ExactNumber& other) {
  mpq_set(rational_, other.rational_);
  mpq_set(factor_, other.factor_);
  root_ = other.root_;
  return *this;
}

ExactNumber& ExactNumber::operator=(ExactNumber&& other) noexcept {
  mpq_swap(rational_, other.rational_);
  mpq_swap(factor_, other.factor_);
  std::swap(root_, other.root_);
  return *this;
}

ExactNumber::~ExactNumber() { mpq_clears(rational_, factor_, nullptr); }

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
  mpq_set_si(result.factor_, outside, 1);
  result.root_ = n;
  return result;
}

int ExactNumber::common_root(int one, int other) {
  if (one == 0 || other == 0 || one == other) return one == 0 ? other : one;
  throw InvalidArgument("a table may contain one square root, not both sqrt(" +
                        std::to_string(one) + ") and sqrt(" + std::to_string(other) + ")");
}

void ExactNumber::drop_root() {
  if (mpq_sgn(factor_) == 0) root_ = 0;
}

ExactNumber& ExactNumber::operator+=(const ExactNumber& other) {
  root_ = common_root(root_, other.root_);
  mpq_add(rational_, rational_, other.rational_);
  if (other.root_ != 0) mpq_add(factor_, factor_, other.factor_);
  drop_root();
  return *this;
}

ExactNumber& ExactNumber::operator-=(const ExactNumber& other) {
  root_ = common_root(root_, other.root_);
  mpq_sub(rational_, rational_, other.rational_);
  if (other.root_ != 0) mpq_sub(factor_, factor_, other.factor_);
  drop_root();
  return *this;
}

ExactNumber& ExactNumber::operator*=(const ExactNumber& other) {
  if (root_ == 0 && other.root_ == 0) {
    mpq_mul(rational_, rational_, other.rational_);
    return *this;
  }
  if (this == &other) return *this *= ExactNumber(other);
  root_ = common_root(root_, other.root_);
  Scratch cross;
  add_product(cross.value, rational_, other.factor_, 1);
  add_product(cross.value, factor_, other.rational_, 1);
  mpq_mul(rational_, rational_, other.rational_);
  add_product(rational_, factor_, other.factor_, root_);
  mpq_swap(factor_, cross.value);
  drop_root();
  return *this;
}

ExactNumber& ExactNumber::operator/=(const ExactNumber& other) {
  if (other.is_zero()) throw InvalidArgument("division of " + text() + " by zero");
  if (root_ == 0 && other.root_ == 0) {
    mpq_div(rational_, rational_, other.rational_);
    return *this;
  }
  // 1 / (p + q sqrt(n)) = (p - q sqrt(n)) / (p^2 - n q^2), whose divisor is not zero.
  ExactNumber conjugate(other);
  mpq_neg(conjugate.factor_, conjugate.factor_);
  const ExactNumber norm = other * conjugate;
  *this *= conjugate;
  mpq_div(rational_, rational_, norm.rational_);
  mpq_div(factor_, factor_, norm.rational_);
  return *this;
}

double ExactNumber::to_double() const {
  const double p = mpq_get_d(rational_);
  if (root_ == 0) return p;
  const double q = mpq_get_d(factor_) * std::sqrt(static_cast<double>(root_));
  if (p == 0 || (p > 0) == (q > 0)) return p + q;
  // (p^2 - n q^2) / (p - q sqrt(n)): no cancellation in the divisor, none but exact in the other.
  ExactNumber conjugate(*this);
  mpq_neg(conjugate.factor_, conjugate.factor_);
  return mpq_get_d((*this * conjugate).rational_) / (p - q);
}

std::string ExactNumber::text() const {
  if (root_ == 0) return digits_of(rational_);
  const std::string root = " sqrt(" + std::to_string(root_) + ")";
  if (mpq_sgn(rational_) == 0) return digits_of(factor_) + root;
  Scratch size;
  mpq_abs(size.value, factor_);
  return digits_of(rational_) + (mpq_sgn(factor_) < 0 ? " - " : " + ") + digits_of(size.value) +
         root;
}

bool operator==(const ExactNumber& x, const ExactNumber& y) {
  return x.root_ == y.root_ && mpq_equal(x.rational_, y.rational_) != 0 &&
         (x.root_ == 0 || mpq_equal(x.factor_, y.factor_) != 0);
}

}  // namespace daedalus
