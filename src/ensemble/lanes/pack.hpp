// SPDX-License-Identifier: BSD-3-Clause
// Numbers side by side, as vectors of the compiler, with the functions that steps call most. For
// the files that are compiled once per instruction set; they have the same bits in all of them,
// since no operation is contracted (compile with -ffp-contract=off) and each function is the same
// polynomial everywhere. Errors of exp, log, sin and cos are below 1.5 units in the last place.
#pragma once

#include <cmath>
#include <cstdint>

namespace daedalus::lanes::DAEDALUS_LANES_SET {
namespace {

template <int W>
struct Pack {
  typedef double Real __attribute__((vector_size(W * 8), aligned(8), may_alias));
  typedef std::int64_t Whole __attribute__((vector_size(W * 8), aligned(8), may_alias));
};
template <>
struct Pack<1> {
  using Real = double;
  using Whole = std::int64_t;
};
template <int W>
using Real = typename Pack<W>::Real;
template <int W>
using Whole = typename Pack<W>::Whole;

template <int W>
inline Real<W> spread(double x) {
  return x - Real<W>{};
}
template <int W>
inline Whole<W> spread_whole(std::int64_t x) {
  return x - Whole<W>{};
}
// The bits of a number, and back.
template <int W>
inline Whole<W> bits_of(Real<W> x) {
  return __builtin_bit_cast(Whole<W>, x);
}
template <int W>
inline Real<W> from_bits(Whole<W> b) {
  return __builtin_bit_cast(Real<W>, b);
}
template <int W>
inline auto blend(auto mask, Real<W> a, Real<W> b) {
  return mask ? a : b;
}
template <int W>
inline double& lane(Real<W>& x, int i) {
  return reinterpret_cast<double*>(&x)[i];
}
template <int W>
inline bool any_lane(Whole<W> mask) {
  if constexpr (W == 1) {
    return mask != 0;
  } else {
    std::int64_t all = 0;
    for (int i = 0; i < W; ++i) all |= mask[i];
    return all != 0;
  }
}
// Comparisons of plain numbers are bools, those of vectors masks of -1.
template <int W>
inline Whole<W> mask_of(auto comparison) {
  if constexpr (W == 1)
    return comparison ? -1 : 0;
  else
    return comparison;
}

// Adding and subtracting it rounds to a whole number; its last bits are then that number.
inline constexpr double rounder = 0x1.8p52;

template <int W>
inline Real<W> vector_exp(Real<W> x) {
  // Beyond these the result is 0 or infinite anyway.
  const Real<W> low = spread<W>(-750.0), high = spread<W>(720.0);
  const Real<W> y = blend<W>(x < low, low, blend<W>(x > high, high, x));
  const Real<W> shifted = y * 0x1.71547652b82fep0 + rounder;  // 1/ln 2
  const Real<W> k = shifted - rounder;
  // ln 2 in two parts: k times the first is exact.
  const Real<W> r = (y - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
  Real<W> sum = spread<W>(1.0 / 6227020800.0);  // 1/13!; |r| < 0.35
  constexpr double factorials[] = {479001600.0, 39916800.0, 3628800.0, 362880.0, 40320.0, 5040.0,
                                   720.0,       120.0,      24.0,      6.0,      2.0};
  for (const double f : factorials) sum = sum * r + 1.0 / f;
  sum = 1.0 + (r + r * r * sum);
  // 2^k in two factors: k reaches below the exponents of normal numbers.
  const Whole<W> whole = bits_of<W>(shifted) - spread_whole<W>(0x4338000000000000);
  const Whole<W> half = whole >> 1;
  const Real<W> first = from_bits<W>((half + 1023) << 52),
                second = from_bits<W>((whole - half + 1023) << 52);
  const Real<W> value = sum * first * second;
  return blend<W>(x == x, value, x);
}

template <int W>
inline Real<W> vector_log(Real<W> x) {
  const auto tiny = x < 0x1p-1022;
  const Real<W> y = blend<W>(tiny, x * 0x1p54, x);
  // The mantissa between sqrt(1/2) and sqrt(2), and its exponent.
  const Whole<W> shifted = bits_of<W>(y) - spread_whole<W>(0x3fe6a09e667f3bcd);
  const Whole<W> exponent = shifted >> 52;
  const Real<W> m = from_bits<W>(bits_of<W>(y) - (exponent << 52));
  // A whole number as a real one: its bits behind those of 1.5 * 2^52.
  const Real<W> k = (from_bits<W>(exponent + spread_whole<W>(0x4338000000000000)) - rounder) -
                    blend<W>(tiny, spread<W>(54.0), spread<W>(0.0));
  const Real<W> f = m - 1.0, s = f / (2.0 + f), z = s * s;
  Real<W> sum = spread<W>(2.0 / 23.0);  // 2 artanh(s) = 2 s + 2 s^3/3 + ..., |s| < 0.172
  for (int n = 21; n >= 3; n -= 2) sum = sum * z + 2.0 / n;
  // 2 s = f - s f: the leading part is exact.
  const Real<W> tail = s * (z * sum - f);
  const Real<W> value = k * 0x1.62e42feep-1 + (f + (tail + k * 0x1.a39ef35793c76p-33));
  const Real<W> at_ends =
      blend<W>(x == 0.0, spread<W>(-HUGE_VAL), blend<W>(x < 0.0, spread<W>(std::nan("")), x));
  return blend<W>(x > 0.0, blend<W>(x < HUGE_VAL, value, x), at_ends);
}

// Sine (quadrants = 0) or cosine (1).
template <int W>
inline Real<W> vector_wave(Real<W> x, int quadrants) {
  constexpr double largest = 1e5;  // quadrants times the parts of pi/2 are exact up to here
  const Real<W> shifted = x * 0x1.45f306dc9c883p-1 + rounder;  // 2/pi
  const Real<W> k = shifted - rounder;
  // pi/2 in parts of 33 bits.
  const Real<W> r = ((x - k * 0x1.921fb544p0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
  const Real<W> z = r * r;
  Real<W> odd = spread<W>(1.0 / 355687428096000.0);  // 1/17!
  constexpr double odds[] = {-1307674368000.0, 6227020800.0, -39916800.0, 362880.0,
                             -5040.0,          120.0,        -6.0};
  for (const double f : odds) odd = odd * z + 1.0 / f;
  Real<W> even = spread<W>(1.0 / -6402373705728000.0);  // 1/18!
  constexpr double evens[] = {20922789888000.0, -87178291200.0, 479001600.0, -3628800.0,
                              40320.0,          -720.0,         24.0};
  for (const double f : evens) even = even * z + 1.0 / f;
  const Real<W> sine = r + r * (z * odd);
  const Real<W> half = 0.5 * z, w = 1.0 - half;
  const Real<W> cosine = w + (((1.0 - w) - half) + z * z * even);
  const Whole<W> quadrant = bits_of<W>(shifted) + quadrants;
  const Real<W> size =
      blend<W>((quadrant & spread_whole<W>(1)) != spread_whole<W>(0), cosine, sine);
  const Whole<W> sign = (quadrant & spread_whole<W>(2)) << 62;
  Real<W> value = from_bits<W>(bits_of<W>(size) ^ sign);
  const Real<W> magnitude = from_bits<W>(bits_of<W>(x) & spread_whole<W>(INT64_MAX));
  if (any_lane<W>(~mask_of<W>(magnitude <= largest)))
    for (int i = 0; i < W; ++i) {
      Real<W> copy = x;
      const double xi = lane<W>(copy, i);
      if (!(std::abs(xi) <= largest)) lane<W>(value, i) = quadrants ? std::cos(xi) : std::sin(xi);
    }
  return value;
}

}  // namespace
}  // namespace daedalus::lanes::DAEDALUS_LANES_SET
