// SPDX-License-Identifier: BSD-3-Clause
// Coefficients against published ones in exact arithmetic, orders of the formulas, root conditions,
// and the constant kappa of beta-blocking.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernel/exact_number.hpp"
#include "kernel/plmsm.hpp"
#include "kernel/plmsm_roots.hpp"

namespace daedalus::plmsm {
namespace {

// k = 1, ..., 10, from the oldest value to the newest (Hairer, Noersett, Wanner I, section III.1).
const std::vector<std::vector<const char*>> published_moulton{
    {"1/2", "1/2"},
    {"-1/12", "2/3", "5/12"},
    {"1/24", "-5/24", "19/24", "3/8"},
    {"-19/720", "53/360", "-11/30", "323/360", "251/720"},
    {"3/160", "-173/1440", "241/720", "-133/240", "1427/1440", "95/288"},
    {"-863/60480", "263/2520", "-6737/20160", "586/945", "-15487/20160", "2713/2520",
     "19087/60480"},
    {"275/24192", "-11351/120960", "1537/4480", "-88547/120960", "123133/120960", "-4511/4480",
     "139849/120960", "5257/17280"},
    {"-33953/3628800", "156437/1814400", "-645607/1814400", "1573169/1814400", "-31457/22680",
     "2797679/1814400", "-2302297/1814400", "2233547/1814400", "1070017/3628800"},
    {"8183/1036800", "-116687/1451520", "335983/907200", "-462127/453600", "6755041/3628800",
     "-8641823/3628800", "200029/90720", "-1408913/907200", "9449717/7257600", "25713/89600"},
    {"-3250433/479001600", "9071219/119750400", "-12318413/31933440", "23643791/19958400",
     "-21677723/8870400", "2227571/623700", "-33765029/8870400", "12051709/3991680",
     "-296725183/159667200", "164046413/119750400", "26842253/95800320"},
};
const std::vector<std::vector<const char*>> published_bashforth{
    {"1"},
    {"-1/2", "3/2"},
    {"5/12", "-4/3", "23/12"},
    {"-3/8", "37/24", "-59/24", "55/24"},
    {"251/720", "-637/360", "109/30", "-1387/360", "1901/720"},
    {"-95/288", "959/480", "-3649/720", "4991/720", "-2641/480", "4277/1440"},
    {"19087/60480", "-5603/2520", "135713/20160", "-10754/945", "235183/20160", "-18637/2520",
     "198721/60480"},
    {"-5257/17280", "32863/13440", "-115747/13440", "2102243/120960", "-296053/13440",
     "242653/13440", "-1152169/120960", "16083/4480"},
    {"1070017/3628800", "-4832053/1814400", "19416743/1814400", "-45586321/1814400", "862303/22680",
     "-69927631/1814400", "47738393/1814400", "-21562603/1814400", "14097247/3628800"},
    {"-25713/89600", "20884811/7257600", "-2357683/181440", "15788639/453600", "-222386081/3628800",
     "269181919/3628800", "-28416361/453600", "6648317/181440", "-104995189/7257600",
     "4325321/1036800"},
};
const std::vector<std::vector<const char*>> published_bdf{
    {"-1", "1"},
    {"1/2", "-2", "3/2"},
    {"-1/3", "3/2", "-3", "11/6"},
    {"1/4", "-4/3", "3", "-4", "25/12"},
    {"-1/5", "5/4", "-10/3", "5", "-5", "137/60"},
    {"1/6", "-6/5", "15/4", "-20/3", "15/2", "-6", "49/20"},
    {"-1/7", "7/6", "-21/5", "35/4", "-35/3", "21/2", "-7", "363/140"},
    {"1/8", "-8/7", "14/3", "-56/5", "35/2", "-56/3", "14", "-8", "761/280"},
    {"-1/9", "9/8", "-36/7", "14", "-126/5", "63/2", "-28", "18", "-9", "7129/2520"},
    {"1/10", "-10/9", "45/8", "-120/7", "35", "-252/5", "105/2", "-40", "45/2", "-10", "7381/2520"},
};

ExactNumber fraction(const char* text) { return ExactNumber::from_text(text); }

void expect_row(const std::vector<const char*>& published, const Row<ExactNumber>& computed) {
  const std::size_t n = published.size();
  for (std::size_t j = 0; j < n; ++j)
    EXPECT_EQ(computed[n - 1 - j].text(), fraction(published[j]).text()) << "of " << n << ": " << j;
}

TEST(Coefficients, AreThePublishedFractions) {
  const Row<ExactNumber> x = equidistant<ExactNumber>();
  for (int k = 1; k <= 10; ++k) {
    const auto i = static_cast<std::size_t>(k - 1);
    expect_row(published_moulton[i], adams_moulton(x.data(), k).beta);
    expect_row(published_bashforth[i], adams_bashforth(x.data() + 1, k));
    expect_row(published_bdf[i], bdf(x.data(), k).alpha);
  }
}

// sum alpha_j = 0, sum alpha_j j^q = q sum beta_j j^(q-1) for q = 1, ..., p.
template <class S>
int order_of(const Formula<S>& f, const Row<S>& x) {
  const auto moment = [&](const Row<S>& w, int q) {
    S sum(0);
    for (int j = 0; j <= f.steps; ++j) {
      S power(1);
      for (int i = 0; i < q; ++i) power = power * x[static_cast<std::size_t>(j)];
      sum = sum + w[static_cast<std::size_t>(j)] * power;
    }
    return sum;
  };
  if (!(moment(f.alpha, 0) == S(0))) return -1;
  for (int q = 1;; ++q)
    if (!(moment(f.alpha, q) == S(q) * moment(f.beta, q - 1))) return q - 1;
}

TEST(Coefficients, HaveTheirOrderOnEveryGrid) {
  Row<ExactNumber> uneven{};
  for (int j = 0; j < max_nodes; ++j)
    uneven[static_cast<std::size_t>(j)] = j == 0 ? ExactNumber(1)
                                                 : ExactNumber(-j * j) / ExactNumber(3) +
                                                       ExactNumber(j - 1) / ExactNumber(7) +
                                                       ExactNumber(1) / ExactNumber(3);
  for (const Row<ExactNumber>& x : {equidistant<ExactNumber>(), uneven})
    for (int k = 1; k <= max_steps; ++k) {
      EXPECT_EQ(order_of(adams_moulton(x.data(), k), x), k + 1);
      EXPECT_EQ(order_of(bdf(x.data(), k), x), k);
      EXPECT_EQ(order_of(difference_corrected_bdf(x.data(), k), x), k + 1);
    }
  // A coefficient that is off shows.
  Row<ExactNumber> x = equidistant<ExactNumber>();
  Formula<ExactNumber> wrong = adams_moulton(x.data(), 4);
  wrong.beta[2] = wrong.beta[2] + ExactNumber(1) / ExactNumber(1000000);
  EXPECT_EQ(order_of(wrong, x), 0);
}

// sigma = xi^k - (xi - 1)^k / (k + 1), and blocked it is xi^k.
TEST(Coefficients, OfDifferenceCorrectedBdf) {
  const Row<ExactNumber> x = equidistant<ExactNumber>();
  for (int k = 1; k <= 6; ++k) {
    const Formula<ExactNumber> f = difference_corrected_bdf(x.data(), k);
    const Row<ExactNumber> tau = blocking(f);
    ExactNumber binomial(1);
    for (int j = 0; j <= k; ++j) {
      const auto i = static_cast<std::size_t>(j);
      const ExactNumber power = j % 2 == 0 ? binomial : -binomial;  // of (xi - 1)^k
      const ExactNumber first(j == 0 ? 1 : 0);
      EXPECT_EQ(f.beta[i], first - power / ExactNumber(k + 1));
      EXPECT_EQ(tau[i], -power / ExactNumber(k + 1));
      EXPECT_EQ(f.beta[i] - tau[i], first);
      binomial = binomial * ExactNumber(k - j) / ExactNumber(j + 1);
    }
  }
}

TEST(Coefficients, InDoubleAreAccurateToRounding) {
  const Row<ExactNumber> exact = equidistant<ExactNumber>();
  const Row<double> x = equidistant<double>();
  for (int k = 1; k <= max_steps; ++k) {
    const auto a = adams_moulton(exact.data(), k);
    const auto b = adams_moulton(x.data(), k);
    for (int j = 0; j <= k; ++j) {
      const auto i = static_cast<std::size_t>(j);
      EXPECT_NEAR(b.beta[i], a.beta[i].to_double(), 1e-14 * std::abs(b.beta[i])) << k << " " << j;
    }
  }
}

TEST(RootCondition, OfBdfHoldsUpToSixSteps) {
  const Row<double> x = equidistant<double>();
  for (int k = 1; k <= 8; ++k) {
    EXPECT_EQ(root_condition(bdf(x.data(), k).alpha, k), k <= 6) << k;
    EXPECT_TRUE(root_condition(adams_moulton(x.data(), k).alpha, k)) << k;
  }
}

// Largest root of sigma: what plain Adams-Moulton multiplies errors of z with (Arnold 1998, 3.3.3).
TEST(RootCondition, OfSigmaFailsForAdamsMoulton) {
  const Row<double> x = equidistant<double>();
  const double expected[] = {1.0, 1.7165, 2.3658, 2.9775};
  for (int k = 1; k <= 4; ++k)
    EXPECT_NEAR(kappa(adams_moulton(x.data(), k).beta, {}, k), expected[k - 1], 1e-4) << k;
}

TEST(Kappa, OfBlockedAdamsMoulton) {
  EXPECT_NEAR(kappa_of_blocked_adams(3, -0.1), 0.7101605741693, 1e-12);  // tau of Fig. 3.11
  EXPECT_NEAR(kappa_of_blocked_adams(1, -0.5), 0.0, 1e-12);
  EXPECT_NEAR(kappa_of_blocked_adams(2, -0.146), 0.334, 1e-3);
  EXPECT_NEAR(kappa_of_blocked_adams(3, -0.0915), 0.675, 1e-3);
}

// Stable for k = 1 below 0, k = 2 below -1/12, k = 3 between -1/4 and -1/12.
TEST(Kappa, StableRanges) {
  constexpr double e = 1e-3;
  EXPECT_LT(kappa_of_blocked_adams(1, -e), 1.0);
  EXPECT_GT(kappa_of_blocked_adams(1, e), 1.0);
  EXPECT_GT(kappa_of_blocked_adams(1, 0.5), 1.0);  // the new value drops out
  EXPECT_LT(kappa_of_blocked_adams(2, -1.0 / 12 - e), 1.0);
  EXPECT_GT(kappa_of_blocked_adams(2, -1.0 / 12 + e), 1.0);
  EXPECT_LT(kappa_of_blocked_adams(3, -1.0 / 12 - e), 1.0);
  EXPECT_GT(kappa_of_blocked_adams(3, -1.0 / 12 + e), 1.0);
  EXPECT_LT(kappa_of_blocked_adams(3, -0.25 + e), 1.0);
  EXPECT_GT(kappa_of_blocked_adams(3, -0.25 - e), 1.0);
  for (double gamma = -3.0; gamma <= 3.0; gamma += 0.005)
    EXPECT_GE(kappa_of_blocked_adams(4, gamma), 1.0 - 1e-6) << gamma;
  EXPECT_NEAR(kappa_of_blocked_adams(4, -49.0 / 720), 1.0, 1e-6);
  double least = 1e9;
  for (double gamma = -0.2; gamma <= 0.2; gamma += 0.0005)
    least = std::min(least, kappa_of_blocked_adams(5, gamma));
  EXPECT_NEAR(least, 1.317, 0.01);
}

}  // namespace
}  // namespace daedalus::plmsm
