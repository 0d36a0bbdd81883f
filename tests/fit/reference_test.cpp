// SPDX-License-Identifier: BSD-3-Clause
// Fits of eight data files against optima found by scipy's least_squares with tolerances of 1e-15
// (two or three starts that agree to 1e-9): estimates to 1e-6, standard deviations to 1e-3, costs
// to 1e-8, correlations to 1e-3.
#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/fit.hpp>
#include <daedalus/model_file.hpp>

namespace daedalus::fit_test {
namespace {

class FitReference : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_fit()) GTEST_SKIP() << "built without Ceres";
  }
};

const std::string data = std::string(DAEDALUS_SOURCE_DIR) + "/tests/fit/data/";
const std::string models = std::string(DAEDALUS_SOURCE_DIR) + "/examples/models/";

struct Expected {
  std::vector<double> estimates, sd;
  double cost;
  long points;
  std::vector<std::vector<double>> correlation{};
};

void compare(const FitResult& r, const Expected& e) {
  ASSERT_TRUE(r.ok()) << to_string(r.status) << ": " << r.message;
  EXPECT_EQ(r.points, e.points);
  EXPECT_NEAR(r.cost / e.cost, 1.0, 1e-8);
  ASSERT_EQ(r.estimates.size(), e.estimates.size());
  for (std::size_t i = 0; i < e.estimates.size(); ++i) {
    EXPECT_NEAR(r.estimates[i].value / e.estimates[i], 1.0, 1e-6) << r.estimates[i].name;
    if (i < e.sd.size()) {
      EXPECT_NEAR(r.estimates[i].sd / e.sd[i], 1.0, 1e-3) << r.estimates[i].name;
    }
  }
  for (std::size_t i = 0; i < e.correlation.size(); ++i)
    for (std::size_t j = 0; j < e.correlation.size(); ++j)
      EXPECT_NEAR(r.correlation(static_cast<int>(i), static_cast<int>(j)), e.correlation[i][j],
                  1e-3);
}

Entry model(const std::string& file) { return read_model_file(file).entry; }

Fit reactions(const DataOptions& options) {
  Fit fit{.model = model(models + "reactions.json")};
  fit.experiments = {read_experiment(data + "abc.csv", options)};
  return fit;
}
const DataOptions abc{.sigma = {{"A", 0.01}, {"B", 0.01}, {"C", 0.01}}};

TEST_F(FitReference, ConsecutiveReactions) {
  Fit fit = reactions(abc);
  fit.free = {parse_free("k1=1"), parse_free("k2=0.1")};
  const FitResult r = daedalus::fit(fit);
  compare(r, {{0.7026487519633438, 0.20000686698484504},
              {0.0063811133273396275, 0.0011065370125438487},
              37.86748759414391,
              72,
              {{1.0, -0.3654382568193041}, {-0.3654382568193041, 1.0}}});
  EXPECT_TRUE(r.sigma_known);
  EXPECT_NEAR(r.singular_values[0] / 200.94027139641938, 1.0, 1e-3);
  EXPECT_NEAR(r.singular_values[1] / 106.40960291266168, 1.0, 1e-3);
}

TEST_F(FitReference, AStartValueIsFreeAsWell) {
  Fit fit = reactions(abc);
  fit.free = {parse_free("k1=1"), parse_free("k2=0.1"), parse_free("A0")};
  compare(daedalus::fit(fit), {{0.702498808013191, 0.19998140965064629, 1.0003901808178368},
                               {0.006467043190268241, 0.0011215397105904035, 0.0028436261746480644},
                               37.85807767286191,
                               72,
                               {{1.0, -0.32762709546973595, -0.1666587980778545},
                                {-0.3276270954697354, 1.0, -0.16612228935191103},
                                {-0.16665879807785555, -0.1661222893519105, 1.0}}});
}

TEST_F(FitReference, NamesWhatNoValueDependsOn) {
  Fit fit = reactions({.sigma = {{"A", 0.01}}, .ignore = {"B", "C"}});
  fit.free = {parse_free("k1=1"), parse_free("k2=0.1")};
  const FitResult r = daedalus::fit(fit);
  ASSERT_TRUE(r.ok()) << r.message;
  EXPECT_EQ(r.points, 24);
  EXPECT_NEAR(r.cost / 11.824976583187508, 1.0, 1e-8);
  EXPECT_NEAR(r["k1"].value / 0.6985296867657358, 1.0, 1e-6);
  EXPECT_NEAR(r["k1"].sd / 0.008260398218521108, 1.0, 1e-3);
  EXPECT_EQ(r["k2"].value, 0.1) << "minimum norm: it stays where it was";
  EXPECT_TRUE(std::isinf(r["k2"].sd));
  ASSERT_EQ(r.undetermined.size(), 1u);
  EXPECT_EQ(r.undetermined[0].sentence, "no value depends on k2: fix it");
  EXPECT_EQ(r.undetermined[0].combination, "k2");
  EXPECT_TRUE(std::isnan(r.correlation(0, 1)));
}

Fit enzyme(Loss loss) {
  Fit fit{.model = model(models + "enzyme.json"), .loss = loss};
  const DataOptions options{.sigma = {{"S", 0.005}, {"P", 0.005}}};
  fit.experiments = {read_experiment(data + "enzyme-1.csv", options),
                     read_experiment(data + "enzyme-2.csv", options)};
  fit.free = {parse_free("kf=5"), parse_free("kr=2"), parse_free("kcat=1.5")};
  return fit;
}

TEST_F(FitReference, EnzymeWithAnOutlier) {
  const FitResult r = daedalus::fit(enzyme(Loss::linear));
  compare(r, {{9.494326439962636, 0.8912587708631, 2.032789661934326},
              {0.21593528189963226, 0.07215421597012284, 0.01786841334376774},
              478.9295113444492,
              75,
              {{1.0, 0.8115513828889174, -0.19127906858475716},
               {0.8115513828889268, 1.0, 0.3588423077657393},
               {-0.19127906858474492, 0.35884230776575127, 1.0}}});
  // The outlier of 30 sigmas is found.
  double worst = 0.0;
  for (const FittedOutput& o : r.experiments[1].outputs)
    for (const double residual : o.residual) worst = std::max(worst, std::abs(residual));
  EXPECT_GT(worst, 25.0);
}

TEST_F(FitReference, EnzymeWithRobustLosses) {
  compare(daedalus::fit(enzyme(Loss::huber)),
          {{9.66094160, 0.94914455, 2.02796791}, {}, 64.7337573622, 75});
  compare(daedalus::fit(enzyme(Loss::soft_l1)),
          {{9.665108244968643, 0.9507062128989351, 2.027198112777662},
           {0.2238627777418501, 0.07491106300374184, 0.017805457283162164},
           58.45987756613087,
           75});
  compare(daedalus::fit(enzyme(Loss::cauchy)),
          {{9.666870197169404, 0.9478626275666991, 2.030149886909847},
           {0.22378422956283492, 0.07486589000565873, 0.017842828913428244},
           24.81754569499103,
           75});
}

TEST_F(FitReference, Robertson) {
  Fit fit{.model = *problems::find_problem("robertson")};
  fit.experiments = {read_experiment(data + "robertson.csv")};
  fit.free = {parse_free("k1=1e-3..1@0.1"), parse_free("k2=1e5..1e9@1e7"),
              parse_free("k3=1e2..1e6@3e3")};
  fit.options.atol = {1e-12, 1e-16, 1e-12};
  const FitResult r = daedalus::fit(fit);
  compare(
      r, {{0.04088440860443268, 30073280.211269755, 10298.143934742206},
          {0.000516114111, 318568.295, 182.914858},
          34.198200953592455,
          75,
          {{1, 0.47515386, 0.90496045}, {0.47515386, 1, 0.59435681}, {0.90496045, 0.59435681, 1}}});
  EXPECT_TRUE(r["k1"].log && r["k2"].log && r["k3"].log);
  // By its logarithm: the interval is wider above.
  const ParameterEstimate& k3 = r["k3"];
  EXPECT_GT(k3.interval[1] - k3.value, k3.value - k3.interval[0]);
}

TEST_F(FitReference, PendulumOfIndexThree) {
  Fit fit{.model = *problems::find_problem("pendulum")};
  fit.experiments = {
      read_experiment(data + "pendulum-xy.csv", {.sigma = {{"x", 0.002}, {"y", 0.002}}})};
  fit.free = {parse_free("length=1.03"), parse_free("gravity=9.6")};
  compare(daedalus::fit(fit), {{0.9999037929637629, 9.810760973384943},
                               {0.0002828427124745009, 0.002950993616903964},
                               43.13186007062947,
                               100,
                               {{1.0, 0.9404185831052903}, {0.9404185831052903, 1.0}}});
}

TEST_F(FitReference, OnlyAQuotientIsDetermined) {
  Fit fit{.model = model(data + "swing.json")};
  fit.experiments = {read_experiment(data + "pendulum-angle.csv", {.sigma = {{"theta", 0.01}}})};
  fit.free = {parse_free("length=1.1"), parse_free("gravity=9.6")};
  const FitResult r = daedalus::fit(fit);
  ASSERT_TRUE(r.ok()) << r.message;
  EXPECT_NEAR(r["gravity"].value / r["length"].value / 9.811047951222326, 1.0, 1e-6);
  EXPECT_NEAR(r.cost / 20.362426604378413, 1.0, 1e-8);
  EXPECT_NEAR(r.singular_values[0] / 2330.599368779468, 1.0, 1e-3);
  EXPECT_LT(r.singular_values[1], 1e-6 * r.singular_values[0]);
  ASSERT_EQ(r.undetermined.size(), 1u);
  EXPECT_EQ(r.undetermined[0].combination, "length * gravity");
  EXPECT_EQ(r.undetermined[0].sentence.substr(0, 61),
            "the data determine gravity/length but not length * gravity (r");
  EXPECT_NEAR(std::abs(r.undetermined[0].vector[0]), std::sqrt(0.5), 1e-4);
  EXPECT_TRUE(std::isinf(r["length"].sd) && std::isinf(r["gravity"].sd));
}

TEST_F(FitReference, BallThroughFiveImpacts) {
  Fit fit{.model = model(data + "ball.json")};
  fit.experiments = {read_experiment(data + "ball.csv")};
  fit.free = {parse_free("h=1.02"), parse_free("e=0.79"), parse_free("g=9.7")};
  compare(daedalus::fit(fit),
          {{0.9999158425452254, 0.7997017239937183, 9.79483259060364},
           {0.0016946426429151214, 0.00037724113986178074, 0.017704362357439565},
           30.803815530127356,
           60,
           {{1.0, -0.3513139233507311, 0.7647007787636467},
            {-0.3513139233507261, 1.0, 0.2467421060190945},
            {0.7647007787636512, 0.24674210601908908, 1.0}}});
}

}  // namespace
}  // namespace daedalus::fit_test
