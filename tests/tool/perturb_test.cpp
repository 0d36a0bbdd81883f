// SPDX-License-Identifier: BSD-3-Clause
// `daedalus perturb`: the promised JSON, the table, and what it says to wrong usage.
#include <gmock/gmock.h>

#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

using testing::HasSubstr;

std::vector<std::string> example_eight(std::vector<std::string> more) {
  std::vector<std::string> all{"perturb", "arnold-8",  "--method", "implicit-euler",
                               "--theta", "1e-5,3e-6", "--h",      "1e-3,5e-4"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Perturb, GivesThePromisedFields) {
  const Answer answer = call(example_eight({"--json"}));
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto json = answer.json();
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("problem"), "arnold-8");
  ASSERT_EQ(json.at("components").size(), 2u);
  const auto& z = json.at("components").at(1);
  EXPECT_EQ(z.at("name"), "z");
  EXPECT_NEAR(z.at("theta_exponent").get<double>(), 1.0, 0.2);
  EXPECT_NEAR(z.at("h_exponent").get<double>(), -1.0, 0.2);  // theta/h
  EXPECT_EQ(z.at("theory_theta"), 1.0);
  EXPECT_EQ(z.at("theory_h"), -1.0);
  EXPECT_EQ(json.at("components").at(0).at("theory_h"), -2.0);  // mu (theta/h)^2
  for (const char* key : {"theta", "rising", "smallest_step", "text"})
    EXPECT_TRUE(json.at("regions").contains(key)) << key;
  for (const char* key : {"kappa", "theta", "too_loose", "limits", "verdict"})
    EXPECT_TRUE(json.at("kappa").contains(key)) << key;
  EXPECT_TRUE(json.at("sweep").is_null());
}

TEST(Perturb, PrintsATableWithTheTheoryBesideIt) {
  const Answer answer = call(example_eight({}));
  ASSERT_EQ(answer.code, 0) << answer.err;
  for (const char* text : {"theory", "theta/h", "as predicted", "region A", "kappa"})
    EXPECT_THAT(answer.out, HasSubstr(text));
}

TEST(Perturb, SweepsAParameterOfTheProblem) {
  const Answer answer =
      call({"perturb", "arnold-8", "--method", "implicit-euler", "--theta", "1e-6,1e-7", "--h",
            "2e-2,1e-2", "--sweep", "mu0=0.25,0.5,1", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto sweep = answer.json().at("sweep");
  EXPECT_EQ(sweep.at("index"), 2) << "theta/h in z whatever mu0 is";
  EXPECT_EQ(sweep.at("growth").at(0).at("constants").size(), 3u);
}

TEST(Perturb, ExplainsWrongUsage) {
  const Answer kind = call(example_eight({"--kind", "wild"}));
  EXPECT_EQ(kind.code, 2);
  EXPECT_THAT(kind.err, HasSubstr("alternating"));
  const Answer rows = call(example_eight({"--rows", "velocity"}));
  EXPECT_EQ(rows.code, 2);
  EXPECT_THAT(rows.err, HasSubstr("constraint"));
  const Answer sweep = call(example_eight({"--sweep", "beta=1,2,3"}));
  EXPECT_EQ(sweep.code, 2);
  EXPECT_THAT(sweep.err, HasSubstr("mu0"));
  EXPECT_EQ(call(example_eight({"--components", "w"})).code, 2);
}

}  // namespace
}  // namespace daedalus::cli
