// SPDX-License-Identifier: BSD-3-Clause
// Samples of uncertain parameters: laws against their moments, equal parts of Latin hypercubes,
// nets of Sobol sequences, and that random points have neither.
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedalus/parameter_plan.hpp>

namespace daedalus::sampling_test {
namespace {

using ::testing::HasSubstr;

std::vector<UncertainParameter> unit_cube(std::size_t dimensions) {
  std::vector<UncertainParameter> all;
  for (std::size_t d = 0; d < dimensions; ++d)
    all.push_back({"p" + std::to_string(d), value_law("uniform(0, 1)")});
  return all;
}

// How many of `parts` equal parts of an axis hold a point.
std::size_t filled(const ParameterPlan& plan, std::size_t axis, std::size_t parts) {
  std::set<std::size_t> found;
  for (std::size_t i = 0; i < plan.size(); ++i)
    found.insert(static_cast<std::size_t>(plan.point(i)[axis] * static_cast<double>(parts)));
  return found.size();
}

// How many of the 2^a x 2^b boxes over two axes hold a point.
std::size_t boxes(const ParameterPlan& plan, std::size_t x, std::size_t y, int a, int b) {
  std::set<std::pair<int, int>> found;
  for (std::size_t i = 0; i < plan.size(); ++i)
    found.insert({static_cast<int>(std::ldexp(plan.point(i)[x], a)),
                  static_cast<int>(std::ldexp(plan.point(i)[y], b))});
  return found.size();
}

TEST(ValueLaw, HasTheMomentsItSays) {
  struct Case {
    const char* text;
    double mean, deviation;
  };
  const double s = 0.3;
  for (const Case& c :
       {Case{"uniform(1, 4)", 2.5, 3.0 / std::sqrt(12.0)},
        Case{"loguniform(1, 10)", 9.0 / std::log(10.0),
             std::sqrt(99.0 / (2.0 * std::log(10.0)) - std::pow(9.0 / std::log(10.0), 2))},
        Case{"triangular(0, 1, 5)", 2.0, std::sqrt((0.0 + 1 + 25 - 0 - 0 - 5) / 18.0)},
        Case{"normal(-2, 0.5)", -2.0, 0.5},
        Case{"lognormal(2, 0.3)", 2.0 * std::exp(s * s / 2.0),
             2.0 * std::exp(s * s / 2.0) * std::sqrt(std::expm1(s * s))},
        Case{"exponential(3)", 3.0, 3.0},
        Case{"weibull(2, 1)", std::sqrt(M_PI) / 2.0, std::sqrt(1.0 - M_PI / 4.0)}}) {
    const ValueLaw law = value_law(c.text);
    // The mean of quantiles in the middle of many equal parts.
    constexpr int parts = 200000;
    double sum = 0.0, square = 0.0;
    for (int i = 0; i < parts; ++i) {
      const double x = law.quantile((i + 0.5) / parts);
      sum += x;
      square += x * x;
    }
    const double mean = sum / parts;
    EXPECT_NEAR(mean, c.mean, 2e-4 * c.deviation) << c.text;
    EXPECT_NEAR(std::sqrt(square / parts - mean * mean), c.deviation, 2e-3 * c.deviation) << c.text;
  }
  EXPECT_DOUBLE_EQ(value_law("lognormal(1,0.1)").quantile(0.5), 1.0);
  EXPECT_DOUBLE_EQ(value_law("lognormal(3,0.1)").quantile(0.5), 3.0);
}

TEST(ValueLaw, SaysWhatIsWrong) {
  const auto message = [](const char* text) -> std::string {
    try {
      value_law(text);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "understood";
  };
  EXPECT_THAT(message("gauss(0, 1)"), HasSubstr("'gauss' is not known"));
  EXPECT_THAT(message("normal(0)"), HasSubstr("normal has 2 values, and 1 is given"));
  EXPECT_THAT(message("normal(0, 1, 2)"), HasSubstr("3 are given"));
  EXPECT_THAT(message("normal(0, x)"), HasSubstr("'x' is no number"));
  EXPECT_THAT(message("normal(0, inf)"), HasSubstr("'inf' is no number"));
  EXPECT_THAT(message("normal(0, -1)"), HasSubstr("deviation must be positive"));
  EXPECT_THAT(message("uniform(2, 1)"), HasSubstr("FROM must be less"));
  EXPECT_THAT(message("lognormal(0, 1)"), HasSubstr("positive"));
  EXPECT_THAT(message("normal"), HasSubstr("brackets"));
  EXPECT_THAT(message("normal(0, 1"), HasSubstr("brackets"));
}

TEST(Sample, ALatinHypercubeFillsEveryPartOfEveryAxis) {
  const ParameterPlan plan =
      sample(unit_cube(5), {.samples = 97, .sampling = Sampling::latin_hypercube});
  const ParameterPlan random = sample(unit_cube(5), {.samples = 97, .sampling = Sampling::random});
  for (std::size_t axis = 0; axis < 5; ++axis) {
    EXPECT_EQ(filled(plan, axis, 97), 97u);
    EXPECT_LT(filled(random, axis, 97), 80u) << "independent points leave a third empty";
  }
}

TEST(Sample, ASobolSequenceIsANet) {
  const ParameterPlan plan = sample(unit_cube(3), {.samples = 256, .sampling = Sampling::sobol});
  for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_EQ(filled(plan, axis, 256), 256u);
  // Every elementary box of the first two dimensions has its point, whatever its shape.
  for (int a = 0; a <= 8; ++a) EXPECT_EQ(boxes(plan, 0, 1, a, 8 - a), 256u) << a;
  const ParameterPlan other =
      sample(unit_cube(3), {.samples = 256, .sampling = Sampling::latin_hypercube});
  EXPECT_LT(boxes(other, 0, 1, 4, 4), 200u) << "a Latin hypercube is none";
}

// The mean of a smooth function of 4 parameters: what the better points are for.
TEST(Sample, BetterPointsGiveBetterMeans) {
  const auto error = [](Sampling sampling) {
    double worst = 0.0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const ParameterPlan plan =
          sample(unit_cube(4), {.samples = 1024, .sampling = sampling, .seed = seed});
      double sum = 0.0;
      for (std::size_t i = 0; i < plan.size(); ++i) {
        double product = 1.0;
        for (const double x : plan.point(i)) product *= 1.0 + (x - 0.5);
        sum += product;
      }
      worst = std::max(worst, std::abs(sum / 1024.0 - 1.0));
    }
    return worst;
  };
  const double random = error(Sampling::random), lhs = error(Sampling::latin_hypercube),
               sobol = error(Sampling::sobol);
  // Without the additive part of the function, 34 % of the deviation is left.
  EXPECT_LT(lhs, 0.6 * random);
  EXPECT_LT(sobol, 0.1 * random);
}

TEST(Sample, TheSeedAloneDecides) {
  for (const Sampling kind : {Sampling::random, Sampling::latin_hypercube, Sampling::sobol}) {
    const auto first = [&](std::uint64_t seed) {
      const ParameterPlan plan =
          sample(unit_cube(2), {.samples = 8, .sampling = kind, .seed = seed});
      return std::vector<double>(plan.point(3).begin(), plan.point(3).end());
    };
    EXPECT_EQ(first(7), first(7));
    EXPECT_NE(first(7), first(8));
  }
  // Written down: a library that changes these changes everybody's results.
  const ParameterPlan plan = sample(unit_cube(2), {.samples = 2, .sampling = Sampling::random});
  EXPECT_DOUBLE_EQ(plan.point(0)[0], 0.13387664401253274);
  EXPECT_THROW(sample({}, {}), InvalidArgument);
  EXPECT_THROW(sample(unit_cube(1), {.samples = 0}), InvalidArgument);
}

TEST(ParameterPlan, CombinesPointsWithTheSecondFastest) {
  ParameterPlan a({"a"}), b({"b", "c"});
  a.add(std::vector{1.0});
  a.add(std::vector{2.0});
  b.add(std::vector{3.0, 4.0});
  b.add(std::vector{5.0, 6.0});
  const ParameterPlan all = combinations(a, b);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all.parameters(1)[2].value, 6.0);
  EXPECT_EQ(all.parameters(2)[0].value, 2.0);
  EXPECT_THROW(combinations(a, a), InvalidArgument);
  EXPECT_THROW(a.add(std::vector{1.0, 2.0}), InvalidArgument);
  EXPECT_THROW(a.add(std::vector{std::nan("")}), InvalidArgument);
  EXPECT_EQ(ParameterPlan().size(), 1u);
  EXPECT_EQ(combinations(ParameterPlan(), b).size(), 2u);
}

}  // namespace
}  // namespace daedalus::sampling_test
