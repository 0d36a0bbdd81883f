// SPDX-License-Identifier: BSD-3-Clause
// daedalus solve --watch-drift and --project-invariants: report, document and picture.
#include <cmath>

#include "tool/plot.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

const std::vector<std::string> drifting{
    "solve", "pendulum",     "--set", "gravity=1", "--method", "rk4",           "--projection",
    "none",  "--fixed-step", "0.05",  "--t-end",   "40",       "--formulation", "index1"};

std::vector<std::string> with(std::vector<std::string> more) {
  std::vector<std::string> all = drifting;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(WatchDrift, TellsTheGrowth) {
  const Json json = call(with({"--watch-drift", "--json"})).json().at("constraints");
  EXPECT_NEAR(json.at("position_max").get<double>(), 3.80e-4, 0.04e-4);
  EXPECT_LT(json.at("acceleration_max").get<double>(), 1e-13);
  EXPECT_NEAR(json.at("drift").at("position_growth").get<double>(), 2.0, 0.1);
  EXPECT_NEAR(json.at("drift").at("velocity_growth").get<double>(), 1.0, 0.2);
  EXPECT_TRUE(json.at("drift").at("acceleration_growth").is_null());
  const Answer text = call(with({"--watch-drift"}));
  EXPECT_NE(text.out.find("|g| grows like t^2.0"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("leave out --projection"), std::string::npos);
  EXPECT_NE(text.out.find("or take ggl"), std::string::npos);
}

TEST(WatchDrift, IsNotPaidForUnasked) {
  const Json json = call(with({"--json"})).json().at("constraints");
  EXPECT_TRUE(json.at("acceleration_max").is_null());
  EXPECT_TRUE(json.at("drift").at("position_growth").is_null());
  EXPECT_EQ(call(with({})).out.find("drift"), std::string::npos);
}

TEST(WatchDrift, HasAPanelOfItsOwn) {
  Picture picture{"",
                  "",
                  {{"y"}, {0.0, 1.0}, {Eigen::VectorXd::Ones(1), Eigen::VectorXd::Ones(1)}},
                  {{"y", {0}}},
                  false,
                  {}};
  EXPECT_EQ(gnuplot_script(picture, PictureKind::svg).find("$drift"), std::string::npos);
  const double none = std::nan("");
  picture.drift = {{0.5, 1e-6, none, 0.0}, {1.0, 2e-6, none, 0.0}};
  const std::string script = gnuplot_script(picture, PictureKind::svg);
  EXPECT_NE(script.find("set logscale y"), std::string::npos);
  EXPECT_NE(script.find("title '|g|'"), std::string::npos);
  EXPECT_EQ(script.find("title '|dg/dt|'"), std::string::npos) << "there is no such level";
}

// No peak is lost when there are more samples than a picture can show.
TEST(WatchDrift, PictureKeepsThePeaks) {
  std::vector<DriftSample> drift;
  for (int i = 0; i < 10001; ++i) drift.push_back({i * 0.1, i == 7777 ? 5.0 : 1.0, 2.0, 3.0});
  const std::vector<DriftSample> thin = envelope(drift, 100);
  EXPECT_LE(thin.size(), 100u);
  EXPECT_EQ(thin.back().t, drift.back().t);
  double largest = 0.0;
  for (const DriftSample& s : thin) largest = std::max(largest, s.position);
  EXPECT_EQ(largest, 5.0);
  EXPECT_EQ(envelope(drift, 20000).size(), drift.size());
  EXPECT_TRUE(envelope({}).empty());
}

TEST(ProjectInvariants, ByName) {
  const Answer good = call({"solve", "pendulum", "--project-invariants", "energy", "--json"});
  EXPECT_EQ(good.code, 0) << good.err;
  const Answer bad = call({"solve", "pendulum", "--project-invariants", "enrgy"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("Did you mean 'energy'?"), std::string::npos) << bad.err;
}

}  // namespace
}  // namespace daedalus::cli
