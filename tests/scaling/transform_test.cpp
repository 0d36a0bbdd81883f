// SPDX-License-Identifier: BSD-3-Clause
// Transforms of the Stokes preconditioner against their defining sums, and what they cost for grids
// whose number of cells is prime.
#include <gtest/gtest.h>

#include <cmath>

#include <catalogue/support_transform.hpp>

namespace daedalus::transform_test {
namespace {

using problems::CosineTransform;
using problems::LineTransform;
using Complex = std::complex<double>;
constexpr double pi = 3.14159265358979323846;

std::vector<double> some_line(int n, double phase) {
  std::vector<double> x;
  for (int j = 0; j < n; ++j) x.push_back(std::sin(phase + 1.7 * j) + 0.1 * j / n);
  return x;
}

TEST(Transform, OfEveryLengthIsItsSumAndHasAnInverse) {
  // 29, 31, 74 and 577 have a prime factor above 23.
  for (const int n : {1, 2, 3, 12, 23, 29, 31, 74, 577}) {
    const std::vector<double> re = some_line(n, 0.3), im = some_line(n, 1.1);
    std::vector<Complex> in, out(re.size()), back(re.size());
    for (std::size_t j = 0; j < re.size(); ++j) in.emplace_back(re[j], im[j]);
    LineTransform t(n);
    t.forward(in.data(), out.data());
    t.backward(out.data(), back.data());
    double error = 0.0, defect = 0.0;
    for (int k = 0; k < n; k += 1 + n / 40) {
      Complex sum = 0.0;
      for (int j = 0; j < n; ++j)
        sum += in[std::size_t(j)] * std::polar(1.0, -2.0 * pi * (long(j) * k % n) / n);
      error = std::max(error, std::abs(sum - out[std::size_t(k)]));
    }
    for (std::size_t j = 0; j < in.size(); ++j)
      defect = std::max(defect, std::abs(in[j] - back[j]));
    EXPECT_LT(error, 1e-12 * n) << n;
    EXPECT_LT(defect, 1e-13 * (1.0 + std::log(n))) << n;
  }
}

int max_prime(int n) {
  int largest = 1;
  for (int p = 2; p <= n; ++p)
    while (n % p == 0) n /= p, largest = p;
  return largest;
}

// A mixed-radix transform takes n times the sum of the prime factors: on 577 cells this was fifty
// times the cost of 576.
TEST(Transform, NoLengthHasALargePrimeFactor) {
  for (int n = 1; n <= 1500; ++n) {
    const int padded = LineTransform(n).padded();
    EXPECT_LE(max_prime(padded > 0 ? padded : n), padded > 0 ? 5 : 23) << n;
    EXPECT_TRUE(padded == 0 || (padded >= 2 * n - 1 && padded < 2.3 * n)) << n;
  }
}

TEST(Transform, CosinesAndSinesOfTwoLinesAtOnce) {
  for (const int n : {2, 5, 8, 29})
    for (const bool odd : {false, true}) {
      const int stride = 3;
      std::vector<double> a(std::size_t(n * stride), 7.0), b = a;
      std::vector<double> of_a(std::size_t(n), 0.0), of_b = of_a;
      const std::vector<double> x = some_line(n, 0.2), y = some_line(n, 2.0);
      for (int j = 0; j < n; ++j) {
        a[std::size_t(j * stride)] = x[std::size_t(j)];
        b[std::size_t(j * stride)] = y[std::size_t(j)];
      }
      CosineTransform t(n, odd);
      t.forward(a.data(), b.data(), stride, of_a.data(), of_b.data());
      for (int k = 0; k < n; ++k) {
        double sum_a = 0.0, sum_b = 0.0;
        for (int j = 0; j < n; ++j) {
          const double angle = pi * (odd ? n - k : k) * (2 * j + 1) / (2.0 * n);
          const double wave = odd ? std::sin(angle) : std::cos(angle);
          sum_a += x[std::size_t(j)] * wave, sum_b += y[std::size_t(j)] * wave;
        }
        EXPECT_NEAR(of_a[std::size_t(k)], sum_a, 1e-12) << n << ' ' << odd << ' ' << k;
        EXPECT_NEAR(of_b[std::size_t(k)], sum_b, 1e-12) << n << ' ' << odd << ' ' << k;
      }
      std::fill(a.begin(), a.end(), 7.0);
      t.backward(of_a.data(), nullptr, a.data(), nullptr, stride);
      for (int j = 0; j < n; ++j) {
        EXPECT_NEAR(a[std::size_t(j * stride)], x[std::size_t(j)], 1e-13);
        EXPECT_EQ(a[std::size_t(j * stride + 1)], 7.0);  // what lies between is not touched
      }
    }
}

}  // namespace
}  // namespace daedalus::transform_test
