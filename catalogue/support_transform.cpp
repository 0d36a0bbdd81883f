// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_transform.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace daedalus::problems {
namespace {

using Complex = std::complex<double>;
constexpr double pi_of_transform = std::numbers::pi;
// From here on the butterflies of a prime factor cost more than the convolution.
constexpr int max_factor = 23;

// std::complex multiplies with checks for infinities.
Complex product(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// What is left of n without the prime factors up to `largest`.
int without_factors(int n, int largest) {
  for (int p = 2; p <= largest; ++p)
    while (n % p == 0) n /= p;
  return n;
}

}  // namespace

LineTransform::LineTransform(int length) : length_(length) {
  const auto n = static_cast<std::size_t>(length);
  if (without_factors(length, max_factor) > 1) {
    padded_ = 2 * length - 1;
    while (without_factors(padded_, 5) > 1) ++padded_;
    const auto m = static_cast<std::size_t>(padded_);
    for (std::size_t k = 0; k < n; ++k) {
      // k^2 modulo 2 n keeps the angle, and its digits, small.
      const auto square = static_cast<double>((std::uint64_t{k} * k) % (2 * n));
      chirp_.push_back(std::polar(1.0, -pi_of_transform * square / length));
    }
    work_.assign(m, Complex(0.0));
    spectrum_.resize(m);
    kernel_.resize(m);
    for (std::size_t k = 0; k < n; ++k) {
      work_[k] = std::conj(chirp_[k]);
      if (k > 0) work_[m - k] = work_[k];
    }
    transform_.fwd(kernel_.data(), work_.data(), padded_);
  }
  // Once each way, so that its tables exist.
  std::vector<Complex> in(n), out(n);
  forward(in.data(), out.data());
  backward(in.data(), out.data());
}

void LineTransform::forward(const Complex* in, Complex* out) {
  if (padded_ > 0)
    convolve(in, out, false);
  else if (length_ == 1)  // which the library below cannot do
    *out = *in;
  else
    transform_.fwd(out, in, length_);
}

void LineTransform::backward(const Complex* in, Complex* out) {
  if (padded_ > 0)
    convolve(in, out, true);
  else if (length_ == 1)
    *out = *in;
  else
    transform_.inv(out, in, length_);
}

// j k = (j^2 + k^2 - (k - j)^2) / 2 in the exponent. The inverse is that of conjugate numbers.
void LineTransform::convolve(const Complex* in, Complex* out, bool inverse) {
  const auto n = static_cast<std::size_t>(length_);
  for (std::size_t k = 0; k < n; ++k)
    work_[k] = product(inverse ? std::conj(in[k]) : in[k], chirp_[k]);
  std::fill(work_.begin() + length_, work_.end(), Complex(0.0));
  transform_.fwd(spectrum_.data(), work_.data(), padded_);
  for (std::size_t k = 0; k < spectrum_.size(); ++k)
    spectrum_[k] = product(spectrum_[k], kernel_[k]);
  transform_.inv(work_.data(), spectrum_.data(), padded_);
  for (std::size_t k = 0; k < n; ++k) {
    const Complex value = product(work_[k], chirp_[k]);
    out[k] = inverse ? std::conj(value) / static_cast<double>(length_) : value;
  }
}

CosineTransform::CosineTransform(int length, bool odd)
    : n_(length),
      sign_(odd ? -1.0 : 1.0),
      transform_(length),
      line_(static_cast<std::size_t>(length)),
      spectrum_(line_.size()) {
  for (int k = 0; k < length; ++k)
    turn_.push_back(std::polar(1.0, -pi_of_transform * k / (2.0 * length)));
}

void CosineTransform::forward(const double* a, const double* b, std::ptrdiff_t stride, double* of_a,
                              double* of_b) {
  for (int j = 0; j < n_; ++j) {
    const std::ptrdiff_t from = j * stride;
    const Complex value(a[from], b ? b[from] : 0.0);
    // Even places ascending, then odd ones descending.
    if (j % 2 == 0)
      line_[static_cast<std::size_t>(j / 2)] = value;
    else
      line_[static_cast<std::size_t>(n_ - 1 - j / 2)] = sign_ * value;
  }
  transform_.forward(line_.data(), spectrum_.data());
  for (int k = 0; k < n_; ++k) {
    const auto here = static_cast<std::size_t>(k), there = static_cast<std::size_t>(k ? n_ - k : 0);
    const Complex sum =
        product(turn_[here], spectrum_[here]) + product(std::conj(turn_[here]), spectrum_[there]);
    of_a[k] = 0.5 * sum.real();
    if (of_b) of_b[k] = 0.5 * sum.imag();
  }
}

void CosineTransform::backward(const double* of_a, const double* of_b, double* a, double* b,
                               std::ptrdiff_t stride) {
  for (int k = 0; k < n_; ++k) {
    const auto here = static_cast<std::size_t>(k);
    const Complex c(of_a[k], of_b ? of_b[k] : 0.0);
    const Complex other = k == 0 ? Complex(0.0) : Complex(of_a[n_ - k], of_b ? of_b[n_ - k] : 0.0);
    // c_k - i c_{n-k}
    spectrum_[here] =
        product(std::conj(turn_[here]), {c.real() + other.imag(), c.imag() - other.real()});
  }
  transform_.backward(spectrum_.data(), line_.data());
  for (int j = 0; j < n_; ++j) {
    const std::ptrdiff_t to = j * stride;
    const Complex value = j % 2 == 0 ? line_[static_cast<std::size_t>(j / 2)]
                                     : sign_ * line_[static_cast<std::size_t>(n_ - 1 - j / 2)];
    a[to] = value.real();
    if (b) b[to] = value.imag();
  }
}

}  // namespace daedalus::problems
