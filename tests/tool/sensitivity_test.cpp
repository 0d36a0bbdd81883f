// SPDX-License-Identifier: BSD-3-Clause
// daedalus sensitivity: the fields of the contract, files, checks and bad requests.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scratch_folder.hpp"
#include "tool/json.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

TEST(Sensitivity, TellsTheFieldsOfTheContract) {
  const auto r = call({"sensitivity", "robertson", "--parameters", "k1,k2,k3", "--t-end", "0.4",
                       "--rtol", "1e-7", "--atol", "1e-10", "--at", "0.2,0.4", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = parse_json(r.out, "out");
  EXPECT_EQ(json["parameters"], Json({"k1", "k2", "k3"}));
  EXPECT_NEAR(json["sensitivities"]["y1"]["k1"].get<double>(), -0.3559525659828556, 1e-4);
  EXPECT_NEAR(json["sensitivities"]["y1"]["k3"].get<double>() / 9.542381427849769e-8, 1.0, 1e-3);
  ASSERT_EQ(json["samples"].size(), 2u);
  EXPECT_EQ(json["samples"][1]["sensitivities"]["y1"]["k1"], json["sensitivities"]["y1"]["k1"]);
  EXPECT_EQ(json["sensitivity"]["columns"][0]["derivative"], "rebuilt");
  EXPECT_EQ(json["sensitivity"]["matrix"].size(), 3u);
}

TEST(Sensitivity, TellsGradients) {
  const auto r = call({"sensitivity", "akzo", "--adjoint", "integral(y5)", "--parameters", "k1,klA",
                       "--rtol", "1e-7", "--atol", "1e-10", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = parse_json(r.out, "out");
  EXPECT_NEAR(json["value"].get<double>(), 2.745764959666190, 1e-4);
  EXPECT_NEAR(json["gradient"]["k1"].get<double>(), -0.06635268426747715, 1e-5);
  EXPECT_NEAR(json["gradient"]["klA"].get<double>(), 0.1264755130223833, 1e-5);
  EXPECT_EQ(json["way"], "adjoint");
  EXPECT_EQ(json["functionals"][0]["functional"], "integral(y5)");
  const auto table = call({"sensitivity", "akzo", "--gradient", "end(y5^2)", "--parameters", "*"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("*"), std::string::npos) << table.out;
  const auto wrong = call({"sensitivity", "akzo", "--adjoint", "end(y55)", "--parameters", "k1"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("Did you mean 'y5'?"), std::string::npos) << wrong.err;
  EXPECT_EQ(call({"sensitivity", "akzo", "--adjoint", "sum(y5)", "--parameters", "k1"}).code, 2);
  EXPECT_EQ(call({"sensitivity", "akzo", "--adjoint", "end(y5)", "--parameters", "k9"}).code, 2);
}

TEST(Sensitivity, ChecksItsColumnsAndWritesFiles) {
  const auto check = call(
      {"sensitivity", "robertson", "--parameters", "k1", "--t-end", "0.4", "--check", "--json"});
  ASSERT_EQ(check.code, 0) << check.err;
  EXPECT_LT(parse_json(check.out, "out")["worst"].get<double>(), 1e-2) << check.out;
  const ScratchFolder folder;
  const std::string path = (folder.path() / "run.csv").string();
  const auto r =
      call({"sensitivity", "robertson", "--parameters", "k1", "--t-end", "0.4", "--out", path});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("variable"), std::string::npos) << r.out;
  std::ifstream file(path);
  std::string header;
  std::getline(file, header);
  EXPECT_EQ(header, "t,y1,y2,y3,d(y1)/d(k1),d(y2)/d(k1),d(y3)/d(k1)");
}

TEST(Sensitivity, RanksTestsColumnsAndWritesAllFormats) {
  const ScratchFolder folder;
  const std::string path = (folder.path() / "run.npz").string();
  const auto r = call({"sensitivity", "robertson", "--parameters", "*", "--t-end", "0.4", "--out",
                       path, "--scheme", "simultaneous", "--json", "--error-test"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = parse_json(r.out, "out")["sensitivity"];
  EXPECT_EQ(json["error_test"], true);
  EXPECT_EQ(json["method"], "simultaneous");
  ASSERT_EQ(json["ranking"].size(), 3u);
  EXPECT_GE(json["ranking"][0]["influence"].get<double>(),
            json["ranking"][1]["influence"].get<double>());
  EXPECT_TRUE(std::filesystem::exists(path));
  const auto named = call({"sensitivity", "robertson", "--parameters", "k1", "--t-end", "0.4",
                           "--error-test", "derivatives"});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_NE(named.out.find("influence"), std::string::npos) << named.out;
  const auto part = call({"sensitivity", "robertson", "--parameters", "k1", "--t-end", "0.4",
                          "--error-test", "all", "--json"});
  ASSERT_EQ(part.code, 0) << part.err;
  EXPECT_EQ(parse_json(part.out, "out")["sensitivity"]["error_test"], false);
}

TEST(Sensitivity, AnswersBadRequests) {
  const auto scheme =
      call({"sensitivity", "robertson", "--parameters", "k1", "--scheme", "staged"});
  EXPECT_EQ(scheme.code, 2);
  EXPECT_NE(scheme.err.find("simultaneous"), std::string::npos) << scheme.err;
  const auto step = call({"sensitivity", "robertson", "--parameters", "k1", "--scheme", "step",
                          "--method", "rodas5p"});
  EXPECT_EQ(step.code, 2);
  EXPECT_NE(step.err.find("staggered"), std::string::npos) << step.err;
  const auto unknown = call({"sensitivity", "robertson", "--parameters", "k9"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("k1, k2, k3"), std::string::npos) << unknown.err;
  EXPECT_EQ(call({"sensitivity", "robertson"}).code, 2);
  EXPECT_EQ(call({"sensitivity", "robertson", "--parameters", "k1", "--out", "run.xyz"}).code, 2);
  EXPECT_EQ(call({"sensitivity", "robertson", "--parameters", "k1,k1"}).code, 2);
}

}  // namespace
}  // namespace daedalus::cli
