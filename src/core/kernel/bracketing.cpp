// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/bracketing.hpp"

#include <algorithm>
#include <boost/math/policies/policy.hpp>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>

namespace daedalus {

double bracketed_root(const std::function<double(double)>& f, const Bracket& bracket,
                      double tolerance) {
  using namespace boost::math::policies;
  using quiet = policy<domain_error<ignore_error>, evaluation_error<ignore_error>>;
  if (bracket.fa == 0.0) return bracket.a;
  if (bracket.fb == 0.0) return bracket.b;
  const bool forward = bracket.a < bracket.b;
  const double low = forward ? bracket.a : bracket.b, high = forward ? bracket.b : bracket.a;
  const double f_low = forward ? bracket.fa : bracket.fb;
  const double f_high = forward ? bracket.fb : bracket.fa;
  // Bisection alone would reach any tolerance in fewer: it halves every third evaluation at worst.
  std::uintmax_t evaluations = 3 * 128;
  const auto [left, right] = boost::math::tools::toms748_solve(
      std::cref(f), low, high, f_low, f_high,
      [tolerance](double x, double y) { return std::abs(y - x) <= tolerance; }, evaluations,
      quiet{});
  const double a = forward ? left : right, b = forward ? right : left;
  return a != b && std::abs(f(a)) < std::abs(f(b)) ? a : b;
}

double lowest_point(const std::function<double(double)>& f, double a, double b) {
  constexpr int half_of_the_digits = std::numeric_limits<double>::digits / 2;
  std::uintmax_t evaluations = 40;
  return boost::math::tools::brent_find_minima(std::cref(f), std::min(a, b), std::max(a, b),
                                               half_of_the_digits, evaluations)
      .first;
}

}  // namespace daedalus
