// SPDX-License-Identifier: BSD-3-Clause
// daedalus check-table: own tables, built-in ones, claims, and messages that name the field.
#include <cmath>
#include <filesystem>
#include <functional>

#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

using Json = nlohmann::ordered_json;

const std::string source_folder = DAEDALUS_SOURCE_DIR;
const std::string example_folder = source_folder + "/examples/tables/";

Json example(const std::string& name) {
  return Json::parse(contents(example_folder + name + ".json"));
}

// The table written to a file of its own and checked.
Answer check(const Json& table, bool as_json = true) {
  const ScratchFolder folder;
  const std::string path = folder / "own.json";
  std::ofstream(path) << table;
  std::vector<std::string> arguments{"check-table", path};
  if (as_json) arguments.push_back("--json");
  return call(arguments);
}

TEST(CheckTable, ExamplesKeepTheirClaims) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(example_folder)) {
    const Answer answer = call({"check-table", file.path().string(), "--json"});
    EXPECT_EQ(answer.code, 0) << file.path() << answer.err;
    EXPECT_EQ(answer.err, "");
    EXPECT_GE(answer.json().at("claims").size(), 4u);
    ++count;
  }
  EXPECT_GE(count, 3);
}

TEST(CheckTable, JsonHoldsThePromisedKeys) {
  const Answer answer = call({"check-table", example_folder + "dae3s.json", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Json json = answer.json();
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("family"), "rosenbrock");
  EXPECT_EQ(json.at("order"), 3);
  EXPECT_EQ(json.at("a_stable"), true);
  EXPECT_NEAR(json.at("r_infinity").get<double>(), 13.0 / 48, 1e-15);  // Steinebach (1988), 7.2 a
  // Roche (1988); order 6 by the Euler transform, as tests/order_conditions computes it.
  EXPECT_EQ(json.at("tree_counts").at("y"), Json({1, 2, 10, 56, 372, 2652}));
  EXPECT_EQ(json.at("tree_counts").at("z"), Json({1, 5, 28, 186, 1326, 10103}));
  // Every tree up to order 4, one more than attained; fractions leave nothing but rounding.
  EXPECT_EQ(json.at("residuals").size(), 69u + 220u);
  for (const Json& residual : json.at("residuals")) {
    const int order = residual.at("order");
    const bool needed = order <= (residual.at("part") == "y" ? 3 : 2);
    if (needed) {
      EXPECT_LT(std::abs(residual.at("value").get<double>()), 1e-30) << residual;
    }
  }
}

// R(z) = 1 + w + w^2/10 - 11/150 w^3 with w = z/(1 - 0.4 z) (Steinebach 1988): the numerator is
// 1 - 0.2 z - 0.22 z^2 + (0.16 - 0.04 - 11/150 - 0.064) z^3.
TEST(CheckTable, StabilityFunctionOfDae3s) {
  const Json json = call({"check-table", example_folder + "dae3s.json", "--json"}).json();
  const Json& p = json.at("numerator");
  ASSERT_EQ(p.size(), 4u);
  EXPECT_EQ(p[0], 1.0);
  EXPECT_NEAR(p[1].get<double>(), -0.2, 1e-15);
  EXPECT_NEAR(p[2].get<double>(), -0.22, 1e-15);
  EXPECT_NEAR(p[3].get<double>(), 0.16 - 0.04 - 11.0 / 150 - 0.064, 1e-15);
  EXPECT_EQ(json.at("stability_angle"), 90.0);
  EXPECT_EQ(json.at("stiffly_accurate"), false);
}

// Visits every coefficient of a table: numbers and fractions of all fields but the claims.
void visit(Json& value, const std::string& where,
           const std::function<void(Json&, const std::string&)>& action) {
  if (!value.is_structured()) return action(value, where);
  for (auto entry = value.begin(); entry != value.end(); ++entry)
    visit(*entry, value.is_object() ? entry.key() : where, action);
}

double as_double(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string text = value;
  const std::size_t slash = text.find('/');
  const double numerator = std::stod(text);
  return slash == std::string::npos ? numerator : numerator / std::stod(text.substr(slash + 1));
}

// Changed coefficients whose claims still hold, by the name of their field.
std::vector<std::string> unnoticed(const std::string& name, int& changed) {
  std::vector<std::string> missed;
  Json table = example(name);
  for (const std::string field : {"gamma", "alpha", "gamma_ij", "mu", "mu_hat", "A", "C", "m", "e",
                                  "H", "abscissae", "time_weights"}) {
    if (!table.contains(field)) continue;
    visit(table.at(field), field, [&](Json& value, const std::string& where) {
      const Json before = value;
      value = as_double(before) + 1e-6;
      const Answer answer = check(table);
      ++changed;
      if (answer.code == 0) missed.push_back(where);
      value = before;
    });
  }
  return missed;
}

// The claims of these two examples pin every coefficient, zeros included: orders do not see all of
// them, R(infinity) of solution and embedded solution the rest.
TEST(CheckTable, AnyCoefficientChangedByOneMillionthBreaksAClaim) {
  int changed = 0;
  EXPECT_EQ(unnoticed("dae3s", changed), std::vector<std::string>{});
  EXPECT_EQ(changed, 1 + 3 + 3 + 3 + 3);
  EXPECT_EQ(unnoticed("dae3ns", changed), std::vector<std::string>{});
}

TEST(CheckTable, AFailedClaimIsNamedAndEndsWithCodeOne) {
  Json table = example("dae3s");
  // The misprint of 1988, one digit too many in gamma_31 / gamma.
  table["gamma_ij"][2][0] = 0.4 * -2.081711542553192;
  const Answer json = check(table);
  EXPECT_EQ(json.code, 1);
  EXPECT_EQ(json.json().at("status"), "claims_failed");
  EXPECT_EQ(json.json().at("order"), 1);
  EXPECT_NE(json.err.find("order: claimed 3, found 1"), std::string::npos) << json.err;
  const Json first = json.json().at("violations").at(0);
  EXPECT_EQ(first.at("tree"), "f[f]");
  // (6.12b): twice mu_3 times the change of gamma_31.
  const double change = 0.4 * -2.081711542553192 + 31309.0 / 37600;
  EXPECT_NEAR(first.at("value").get<double>(), 2 * 752.0 / 1593 * change, 1e-13);
  const Answer text = check(table, false);
  EXPECT_EQ(text.code, 1);
  EXPECT_NE(text.out.find("FAILS"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("f[f]"), std::string::npos) << text.out;
}

TEST(CheckTable, WithoutClaimsItReports) {
  Json table = example("dae3s");
  table.erase("claims");
  table["mu"][0] = 0;
  const Answer answer = check(table);
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.json().at("order"), 0);
}

// A part that is not there has no order.
TEST(CheckTable, ClaimsAboutMissingPartsFail) {
  Json table = example("dae3s");
  table.erase("mu_hat");
  const Answer answer = check(table);
  EXPECT_EQ(answer.code, 1);
  EXPECT_TRUE(answer.json().at("embedded").is_null());
  EXPECT_NE(answer.err.find("embedded_order: claimed 2, found none"), std::string::npos)
      << answer.err;
}

TEST(CheckTable, BothFormsOfATableGiveTheSame) {
  Json theory = example("rodas3");
  for (const char* field : {"A", "C", "m", "e", "H", "claims"}) theory.erase(field);
  // Gamma = (2 I - C)^-1, alpha = A Gamma, mu = m Gamma, by hand.
  theory["alpha"] = Json::parse(R"([[], [0], [1, 0], ["3/4", "-1/4", "1/2"]])");
  theory["gamma_ij"] = Json::parse(R"([[], [1], ["-1/4", "-1/4"], ["1/12", "1/12", "-2/3"]])");
  theory["b"] = Json::parse(R"(["5/6", "-1/6", "-1/6", "1/2"])");
  theory["b_hat"] = Json::parse(R"(["3/4", "-1/4", "1/2", 0])");
  const Answer answer = check(theory);
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Json one = call({"check-table", example_folder + "rodas3.json", "--json"}).json();
  const Json two = answer.json();
  for (const char* key : {"order", "orders", "embedded", "a_stable", "l_stable"})
    EXPECT_EQ(one.at(key), two.at(key)) << key;
  ASSERT_EQ(one.at("residuals").size(), two.at("residuals").size());
  for (std::size_t i = 0; i < one.at("residuals").size(); ++i)
    EXPECT_NEAR(one.at("residuals")[i].at("value").get<double>(),
                two.at("residuals")[i].at("value").get<double>(), 1e-28);
}

struct Slip {
  std::string name;
  std::function<void(Json&)> make;
  std::vector<std::string> message;  // parts of it
};

TEST(CheckTable, MalformedFieldsAreNamed) {
  const std::vector<Slip> slips{
      {"no kind", [](Json& t) { t.erase("kind"); }, {"kind", "missing", "rosenbrock-a"}},
      {"unknown kind",
       [](Json& t) { t["kind"] = "rosenbrok"; },
       {"kind", "rosenbrok", "rosenbrock-a", "rosenbrock-b"}},
      {"no gamma", [](Json& t) { t.erase("gamma"); }, {"gamma", "missing"}},
      {"gamma zero", [](Json& t) { t["gamma"] = 0; }, {"gamma", "zero"}},
      {"no weights", [](Json& t) { t.erase("mu"); }, {"mu", "missing"}},
      {"two names", [](Json& t) { t["b"] = t["mu"]; }, {"b: ", "same as mu"}},
      {"word", [](Json& t) { t["alpha"][1][0] = "three"; }, {"alpha[2][1]", "three", "1/3"}},
      {"division by zero", [](Json& t) { t["mu"][1] = "1/0"; }, {"mu[2]", "1/0"}},
      {"trailing letters", [](Json& t) { t["mu"][1] = "1/2x"; }, {"mu[2]", "1/2x"}},
      {"null", [](Json& t) { t["gamma_ij"][2][1] = nullptr; }, {"gamma_ij[3][2]", "null"}},
      {"short row", [](Json& t) { t["alpha"][2].erase(1); }, {"alpha[3]", "1 entries", "needs 2"}},
      {"missing row", [](Json& t) { t["alpha"].erase(0); }, {"alpha", "2 rows", "3"}},
      {"upper triangle",
       [](Json& t) {
         t["alpha"][1] = {0.5, 0, 0.25};
       },
       {"alpha[2][3]", "0.25"}},
      {"wrong diagonal",
       [](Json& t) {
         t["gamma_ij"][1] = {0.5, 0.25};
       },
       {"gamma_ij[2][2]"}},
      {"not a list", [](Json& t) { t["mu_hat"] = 1; }, {"mu_hat", "list"}},
      {"too few weights", [](Json& t) { t["mu_hat"].erase(0); }, {"mu_hat", "2 entries", "3"}},
      {"row sum",
       [](Json& t) {
         t["abscissae"] = {0, 0.75, 0.7};
       },
       {"abscissae[3]", "0.7", "row sum of alpha"}},
      {"unknown field", [](Json& t) { t["alpa"] = 1; }, {"alpa", "alpha"}},
      {"both forms", [](Json& t) { t["A"] = t["alpha"]; }, {"A: ", "not both"}},
      {"unknown claim", [](Json& t) { t["claims"]["a_stabel"] = true; }, {"a_stabel", "a_stable"}},
      {"claim of a wrong type",
       [](Json& t) { t["claims"]["order"] = "high"; },
       {"claims.order", "high"}},
      {"claims no object", [](Json& t) { t["claims"] = 3; }, {"claims", "object"}},
      {"no object",
       [](Json& t) {
         t = {1, 2};
       },
       {"object"}},
  };
  for (const Slip& slip : slips) {
    Json table = example("dae3s");
    slip.make(table);
    const Answer answer = check(table);
    EXPECT_EQ(answer.code, 2) << slip.name;
    EXPECT_EQ(answer.out, "") << slip.name;
    EXPECT_NE(answer.err.find("own.json"), std::string::npos) << slip.name << ": " << answer.err;
    for (const std::string& part : slip.message)
      EXPECT_NE(answer.err.find(part), std::string::npos) << slip.name << ": " << answer.err;
  }
}

TEST(CheckTable, FilesThatCannotBeReadEndWithCodeThree) {
  const ScratchFolder folder;
  EXPECT_EQ(call({"check-table", folder / "missing.json"}).code, 3);
  const std::string path = folder / "broken.json";
  std::ofstream(path) << "{\n  \"kind\": \n}\n";
  const Answer answer = call({"check-table", path});
  EXPECT_EQ(answer.code, 3);
  EXPECT_NE(answer.err.find("line 3"), std::string::npos) << answer.err;
}

TEST(CheckTable, UsageIsExplained) {
  EXPECT_EQ(call({"check-table"}).code, 2);
  EXPECT_EQ(call({"check-table", "x.json", "--method", "rodas4"}).code, 2);
  EXPECT_EQ(call({"check-table", "x.json", "--export", "y.json"}).code, 2);
  const Answer typo = call({"check-table", "--method", "rodass4"});
  EXPECT_EQ(typo.code, 2);
  EXPECT_NE(typo.err.find("rodas4"), std::string::npos) << typo.err;
  const Answer none = call({"check-table", "--method", "implicit-euler"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("no table"), std::string::npos) << none.err;
}

// What a template is for: written, read again, it passes, and it is the table of the method.
TEST(CheckTable, ExportedTablesPass) {
  const ScratchFolder folder;
  for (const std::string name : {"rodas4", "ros34pw2", "dae34ns"}) {
    const std::string path = folder / (name + ".json");
    const Answer built_in = call({"check-table", "--method", name, "--export", path, "--json"});
    ASSERT_EQ(built_in.code, 0) << built_in.err;
    const Answer read = call({"check-table", path, "--json"});
    EXPECT_EQ(read.code, 0) << read.err;
    EXPECT_EQ(read.out, built_in.out);
    const Json method = call({"show", name, "--json"}).json();
    EXPECT_EQ(read.json().at("order"), method.at("order"));
  }
}

TEST(SlowCheckTable, EveryBuiltInTableKeepsItsClaims) {
  const Json methods = call({"list", "methods", "--json"}).json();
  int count = 0;
  for (const Json& method : methods.at("methods")) {
    if (method.at("family") != "rosenbrock") continue;
    const Answer answer = call({"check-table", "--method", method.at("name"), "--json"});
    EXPECT_EQ(answer.code, 0) << method.at("name") << ": " << answer.err;
    EXPECT_EQ(answer.json().at("order"), method.at("order")) << method.at("name");
    ++count;
  }
  EXPECT_GE(count, 19);
}

// Any matrix for the Jacobian (Rang and Angermann 2005) and dense output (Hairer and Wanner II).
TEST(CheckTable, ReportsOrdersOfEveryPart) {
  const Json w = call({"check-table", "--method", "ros34pw2", "--json"}).json();
  EXPECT_EQ(w.at("orders").at("any_jacobian"), 3);
  EXPECT_EQ(w.at("embedded").at("any_jacobian"), 2);
  const Json rodas = call({"check-table", "--method", "rodas4", "--json"}).json();
  EXPECT_EQ(rodas.at("orders").at("any_jacobian"), 1);
  EXPECT_EQ(rodas.at("embedded").at("order"), 3);
  EXPECT_EQ(rodas.at("dense").at("order"), 3);
  ASSERT_EQ(rodas.at("dense").at("theta").size(), 4u);
  for (const Json& at : rodas.at("dense").at("theta")) {
    const Json& y = at.at("largest_residuals").at("y");
    for (int p = 0; p < 3; ++p) EXPECT_LT(y[p].get<double>(), 1e-10);
    if (at.at("theta") != 1.0) {
      EXPECT_GT(y[3].get<double>(), 1e-4);
    }
  }
  const Json b = call({"check-table", "--method", "dae34ns", "--json"}).json();
  EXPECT_TRUE(b.at("orders").at("any_jacobian").is_null());
  EXPECT_EQ(b.at("orders").at("ode"), 4);
  EXPECT_EQ(b.at("a_stable"), false);
}

// The text between ```<language> and ``` after a marker in a document.
std::string block(const std::string& document, const std::string& marker) {
  const std::size_t place = document.find("<!-- " + marker + " -->\n```");
  if (place == std::string::npos) return "no block " + marker;
  const std::size_t first = document.find('\n', document.find("\n```", place) + 1) + 1;
  return document.substr(first, document.find("```\n", first) - first);
}

TEST(CheckTable, TheDocumentShowsWhatTheToolReadsAndPrints) {
  const std::string document = contents(source_folder + "/docs/own-table.md");
  EXPECT_EQ(block(document, "examples/tables/dae3s.json"), contents(example_folder + "dae3s.json"));
  EXPECT_EQ(block(document, "examples/tables/rodas3.json"),
            contents(example_folder + "rodas3.json"));
  EXPECT_EQ(block(document, "check-table examples/tables/dae3s.json"),
            call({"check-table", example_folder + "dae3s.json"}).out);
}

}  // namespace
}  // namespace daedalus::cli
