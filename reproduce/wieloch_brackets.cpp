// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/wieloch_brackets.hpp"

#include <array>

namespace daedalus::experiments::wieloch {
namespace {

// The cross product, counted.
struct CountedBracket {
  mutable long calls = 0;
  void operator()(const double* a, const double* b, double* out) const {
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
                 z = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y, out[2] = z;
    ++calls;
  }
};
constexpr std::array<double, 3> some{0.1, 0.2, 0.4}, other{0.3, -0.1, 0.2};

}  // namespace

double brackets_of_bliedf(const lie::CorrectionSet& set, double iterations) {
  const CountedBracket counted;
  lie::CorrectionTerm term{lie::Bracket(3, counted), set};
  std::array<const double*, 7> v{}, omega{};
  v.fill(some.data());
  omega.fill(other.data());
  std::array<double, 3> out{};
  term.prepare(0.1, v.data(), omega.data());
  term.evaluate(some.data(), other.data(), out.data());
  const auto calls = static_cast<double>(counted.calls);
  return set.is_explicit() ? calls : calls * iterations;
}

double brackets_of_mkbdf(int k, double iterations) {
  const CountedBracket counted;
  lie::Series series{lie::Bracket(3, counted)};
  std::array<double, 3> out{};
  series.dexpinv(k, some.data(), other.data(), out.data());
  const auto inverse = static_cast<double>(counted.calls);
  counted.calls = 0;
  series.bch(k, some.data(), other.data(), out.data());
  return inverse * iterations + static_cast<double>(counted.calls) * (k - 2);
}

}  // namespace daedalus::experiments::wieloch
