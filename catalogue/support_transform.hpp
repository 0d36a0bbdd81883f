// SPDX-License-Identifier: BSD-3-Clause
// Discrete Fourier transforms of any length, and cosine transforms of real lines by one transform
// of their own length.
#pragma once

#include <complex>
#include <vector>

#include <unsupported/Eigen/FFT>

namespace daedalus::problems {

// out_k = sum_j in_j exp(-2 pi i j k / n), and its inverse. Lengths with a large prime factor, for
// which a mixed-radix transform would take n p operations, go through a convolution of a length
// that has none (Bluestein 1970): O(n log n) for every n. Nothing is allocated after construction.
class LineTransform {
 public:
  using Complex = std::complex<double>;
  explicit LineTransform(int length);

  int length() const { return length_; }
  int padded() const { return padded_; }  // of the convolution; 0: none
  void forward(const Complex* in, Complex* out);
  void backward(const Complex* in, Complex* out);

 private:
  void convolve(const Complex* in, Complex* out, bool inverse);

  int length_, padded_ = 0;
  std::vector<Complex> chirp_, kernel_, work_, spectrum_;
  Eigen::FFT<double> transform_;
};

// Coefficients c_k = sum_j x_j cos(pi k (2 j + 1) / (2 n)) and back, two real lines at a time as
// real and imaginary part (Makhoul 1980). With alternating signs of x_j these are the sines sin(pi
// (n - k) (2 j + 1) / (2 n)): lines that are odd beyond their ends.
class CosineTransform {
 public:
  using Complex = std::complex<double>;
  CosineTransform(int length, bool odd);

  // Lines a and b (b may be null), whose values lie `stride` apart; n coefficients each.
  void forward(const double* a, const double* b, std::ptrdiff_t stride, double* of_a, double* of_b);
  void backward(const double* of_a, const double* of_b, double* a, double* b,
                std::ptrdiff_t stride);

 private:
  int n_;
  double sign_;
  LineTransform transform_;
  std::vector<Complex> turn_, line_, spectrum_;
};

}  // namespace daedalus::problems
