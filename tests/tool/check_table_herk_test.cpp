// SPDX-License-Identifier: BSD-3-Clause
// daedalus check-table for half-explicit Runge-Kutta tables: rows, families, claims, messages.
#include <chrono>
#include <cmath>
#include <functional>

#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

using Json = nlohmann::ordered_json;

const std::string herk_folder = std::string(DAEDALUS_SOURCE_DIR) + "/examples/tables/";

Json herk_example(const std::string& name) {
  return Json::parse(contents(herk_folder + name + ".json"));
}

Answer check_herk(const Json& table, bool as_json = true) {
  const ScratchFolder folder;
  const std::string path = folder / "own.json";
  std::ofstream(path) << table;
  std::vector<std::string> arguments{"check-table", path};
  if (as_json) arguments.push_back("--json");
  return call(arguments);
}

Json family(const std::string& name, const Json& parameters) {
  return {{"kind", "herk"}, {"family", name}, {"parameters", parameters}};
}

TEST(CheckHerkTable, JsonHoldsThePromisedKeys) {
  const auto start = std::chrono::steady_clock::now();
  const Answer answer = check_herk(family("hedop5", Json::object()));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 2.0);
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Json json = answer.json();
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("kind"), "herk");
  EXPECT_EQ(json.at("family"), "half-explicit");
  EXPECT_EQ(json.at("stages"), 7);
  EXPECT_EQ(json.at("order"), 5);
  EXPECT_TRUE(json.at("r_infinity").is_null());
  EXPECT_EQ(json.at("a_stable"), false);
  EXPECT_EQ(json.at("tree_counts").at("y"), Json({1, 3, 22, 192, 1972, 22057}));
  EXPECT_EQ(json.at("tree_counts").at("z"), Json({2, 13, 112, 1131, 12579}));
  const Json& orders = json.at("orders");
  EXPECT_EQ(orders.at("y"), 5);
  EXPECT_EQ(orders.at("z"), 4);
  EXPECT_EQ(orders.at("q_y"), 5);
  EXPECT_EQ(orders.at("q_z"), 3);
  EXPECT_EQ(orders.at("ode"), 5);
  EXPECT_EQ(json.at("kappa"), 0.0);
  EXPECT_EQ(json.at("first_same_as_last"), true);
  EXPECT_EQ(json.at("embedded").at("order"), 4);
  EXPECT_EQ(json.at("embedded").at("q_z"), 2);
  const Json& z = json.at("conditions").at("z");
  ASSERT_EQ(z.size(), 4u);
  EXPECT_EQ(z[3].at("failing"), 290);
  EXPECT_EQ(z[3].at("trees"), 1131);
  EXPECT_NEAR(json.at("leading_error").at("z").at("norm").get<double>(), 3.60e-2, 5e-5);
  EXPECT_NEAR(json.at("leading_error").at("ode").at("norm").get<double>(), 3.991e-4, 5e-8);
  // Exact zeros up to the orders attained, after them only what fails.
  int fulfilled = 0, failing_z = 0;
  for (const Json& residual : json.at("residuals")) {
    const int order = residual.at("order");
    const bool z_tree = residual.at("part") == "z";
    const bool needed = order <= (z_tree ? 3 : 5);
    EXPECT_EQ(residual.at("value") == 0.0, needed) << residual;
    fulfilled += needed;
    failing_z += z_tree && !needed;
  }
  EXPECT_EQ(fulfilled, 1 + 3 + 22 + 192 + 1972 + 2 + 13 + 112);
  EXPECT_EQ(failing_z, 290);
}

TEST(CheckHerkTable, FamiliesWithAnyParameters) {
  const auto order = [](const std::string& name, const Json& parameters) {
    const Answer answer = check_herk(family(name, parameters));
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer.code == 0 ? answer.json().at("order").get<int>() : -1;
  };
  EXPECT_EQ(order("herk2", {{"c2", 1}}), 2);
  EXPECT_EQ(order("herk2", {{"c2", 0.6}}), 2);
  EXPECT_EQ(order("herk3", {{"c2", "1/3"}}), 3);
  EXPECT_EQ(order("henew4", {{"c6", "1/2 + 1/6 sqrt(3)"}}), 4);
  EXPECT_EQ(order("henew4", {{"c2", "1/3"}, {"c6", "1/4"}, {"a62", "-1/7"}}), 4);
  EXPECT_EQ(order("hedop5", {{"c8", "9/10"}, {"a87", "-1/20"}}), 5);
}

// Sign and size: b_2 c_2 = 1/2 changes by 1e-6 / 2.
TEST(CheckHerkTable, AFailedClaimIsNamed) {
  Json table{{"kind", "herk"},
             {"a", Json::parse(R"([[], ["1.000001"]])")},
             {"gamma", Json::parse(R"([[0], ["1/2", "1/2"]])")},
             {"b", {"1/2", "1/2"}},
             {"d", {"1/2", "1/2"}},
             {"claims", {{"order", 2}, {"kappa", 0}}}};
  const Answer answer = check_herk(table);
  EXPECT_EQ(answer.code, 1);
  EXPECT_NE(answer.err.find("order: claimed 2, found 0"), std::string::npos) << answer.err;
  const Json first = answer.json().at("violations").at(0);
  EXPECT_EQ(first.at("tree"), "f[f]");
  EXPECT_DOUBLE_EQ(first.at("value").get<double>(), 0.5e-6);
  table["a"][1][0] = 1;
  EXPECT_EQ(check_herk(table).code, 0);
}

// Changed coefficients whose claims still hold, by the name of their field.
std::vector<std::string> unnoticed_changes(const std::string& name, int& changed) {
  Json table = herk_example(name);
  std::vector<std::string> missed;
  const std::function<void(Json&, const std::string&)> visit = [&](Json& value,
                                                                   const std::string& field) {
    if (value.is_array()) {
      for (Json& entry : value) visit(entry, field);
      return;
    }
    const Json before = value;
    value = (before.is_string() ? before.get<std::string>() : before.dump()) + " + 0.000001";
    if (check_herk(table).code != 1) missed.push_back(field + ": " + value.dump());
    value = before;
    ++changed;
  };
  for (const std::string field : {"a", "gamma", "b", "d"}) visit(table.at(field), field);
  return missed;
}

// Every number, zeros too, is pinned by the claims of the file.
TEST(CheckHerkTable, AnyCoefficientChangedByOneMillionthBreaksAClaim) {
  int changed = 0;
  EXPECT_EQ(unnoticed_changes("henew4", changed), std::vector<std::string>{});
  EXPECT_EQ(changed, 10 + 15 + 4 + 5);
}

TEST(SlowCheckHerkTable, AnyDecimalChangedByOneMillionthBreaksAClaim) {
  int changed = 0;
  EXPECT_EQ(unnoticed_changes("hem5", changed), std::vector<std::string>{});
  EXPECT_EQ(changed, 28 + 36 + 8 + 8);
}

TEST(CheckHerkTable, ReportForPeople) {
  const Answer answer = check_herk(family("hedop5", Json::object()), false);
  ASSERT_EQ(answer.code, 0) << answer.err;
  for (const char* part : {"7 stages, 6 of them for y", "explicit first stage", "Theorem 12",
                           "1, 3, 22, 192, 1972", "290 of 1131 fail", "solution  5  4    5    3"})
    EXPECT_NE(answer.out.find(part), std::string::npos) << part << '\n' << answer.out;
  // kappa = 1 and its reason.
  Json table = herk_example("henew4");
  table.erase("claims");
  table["a"].erase(4);
  table["gamma"].erase(4);
  table["d"] = {0, 0, 0, 1};
  const Answer reduced = check_herk(table, false);
  ASSERT_EQ(reduced.code, 0) << reduced.err;
  EXPECT_NE(reduced.out.find("kappa = 1: errors in z add up"), std::string::npos) << reduced.out;
  EXPECT_EQ(check_herk(table).json().at("converges"), false);
}

TEST(CheckHerkTable, MalformedFieldsAreNamed) {
  struct Slip {
    std::string name;
    std::function<void(Json&)> make;
    std::vector<std::string> message;
  };
  const auto member = [](Json& t, const char* name, const Json& parameters) {
    t = family(name, parameters);
  };
  const std::vector<Slip> slips{
      {"word", [](Json& t) { t["a"][2][0] = "half"; }, {"a[3][1]", "half", "3/40"}},
      {"division by zero", [](Json& t) { t["gamma"][1][0] = "1/0"; }, {"gamma[2][1]", "1/0"}},
      {"null", [](Json& t) { t["b"][1] = nullptr; }, {"b[2]", "null"}},
      {"short row", [](Json& t) { t["a"][3].erase(0); }, {"a[4]", "2 entries", "needs 3"}},
      {"upper triangle",
       [](Json& t) {
         t["a"][1] = {"2/5", 1};
       },
       {"a[2][2]", "lower triangular"}},
      {"rows differ", [](Json& t) { t["gamma"].erase(4); }, {"gamma", "4 rows", "5"}},
      {"no rows", [](Json& t) { t["a"] = Json::array(); }, {"a: ", "no rows"}},
      {"not a list", [](Json& t) { t["d"] = 1; }, {"d: ", "list"}},
      {"few weights", [](Json& t) { t["d"].erase(0); }, {"d: ", "4 entries", "5"}},
      {"many weights", [](Json& t) { t["b"] = Json(6, 0); }, {"b: "}},
      {"missing", [](Json& t) { t.erase("b"); }, {"b: is missing"}},
      {"embedded", [](Json& t) { t["embedded"] = {1}; }, {"embedded", "1 entries"}},
      {"zero diagonal", [](Json& t) { t["gamma"][2][2] = 0; }, {"gamma[3][3]", "zero"}},
      {"two roots", [](Json& t) { t["a"][2][0] = "sqrt(6)"; }, {"sqrt(6)", "sqrt(3)"}},
      {"row sum",
       [](Json& t) {
         t["abscissae"] = {0, "2/5", "1/2", 1, "9/10"};
       },
       {"abscissae[5]", "9/10", "row sum of a"}},
      {"bound", [](Json& t) { t["residual_bound"] = 0.1; }, {"residual_bound", "1e-8"}},
      {"field", [](Json& t) { t["gama"] = 1; }, {"gama", "gamma"}},
      {"claim", [](Json& t) { t["claims"]["kapa"] = 0; }, {"kapa", "kappa"}},
      {"both", [](Json& t) { t["family"] = "hedop5"; }, {"a: ", "not both"}},
      {"no family", [&](Json& t) { member(t, "hedop", {}); }, {"family", "hedop", "hedop5"}},
      {"parameter",
       [&](Json& t) {
         member(t, "hedop5", {{"c9", 1}});
       },
       {"c9", "c8"}},
      {"needed", [&](Json& t) { member(t, "herk3", Json::object()); }, {"parameters.c2"}},
      {"singular c8",
       [&](Json& t) {
         member(t, "hedop5", {{"c8", 1}});
       },
       {"c8 = 1"}},
      {"singular c6",
       [&](Json& t) {
         member(t, "henew4", {{"c6", "1/2"}});
       },
       {"c6 = 1/2"}},
      {"parameters", [&](Json& t) { member(t, "herk2", 3); }, {"parameters", "object"}},
      {"text",
       [&](Json& t) {
         member(t, "herk2", {{"c2", "x"}});
       },
       {"parameters.c2", "'x'"}},
  };
  for (const Slip& slip : slips) {
    Json table = herk_example("henew4");
    slip.make(table);
    const Answer answer = check_herk(table);
    EXPECT_EQ(answer.code, 2) << slip.name << answer.out.substr(0, 200);
    for (const std::string& part : slip.message)
      EXPECT_NE(answer.err.find(part), std::string::npos) << slip.name << ": " << answer.err;
  }
}

// Whole rows with zeros, row sums and numbers in place of texts mean the same.
TEST(CheckHerkTable, OtherWaysToWriteATable) {
  Json table = herk_example("henew4");
  const Json before = check_herk(table).json();
  for (const std::string matrix : {"a", "gamma"})
    for (Json& row : table[matrix])
      while (row.size() < 5) row.push_back(0);
  table["a"][1][0] = 0.4;
  table["a"][3][1] = -1.25;
  table["abscissae"] = {0, 0.4, 0.5, 1, 1};
  table["constraint_abscissae"] = {0, 0.5, 1, 1, "1/2 - sqrt(3)/6"};
  const Answer after = check_herk(table);
  ASSERT_EQ(after.code, 0) << after.err;
  EXPECT_EQ(after.json(), before);
}

// The text between ``` and ``` after a marker in docs/own-table.md.
std::string shown(const std::string& marker) {
  const std::string document = contents(std::string(DAEDALUS_SOURCE_DIR) + "/docs/own-table.md");
  const std::size_t place = document.find("<!-- " + marker + " -->\n```");
  if (place == std::string::npos) return "no block " + marker;
  const std::size_t first = document.find('\n', document.find("\n```", place) + 1) + 1;
  return document.substr(first, document.find("```\n", first) - first);
}

TEST(CheckHerkTable, TheDocumentShowsWhatTheToolReadsAndPrints) {
  for (const std::string name : {"henew4", "hedop5-other-row"})
    EXPECT_EQ(shown("examples/tables/" + name + ".json"), contents(herk_folder + name + ".json"));
  EXPECT_EQ(shown("check-table examples/tables/henew4.json"),
            call({"check-table", herk_folder + "henew4.json"}).out);
}

// Built-in tables, as a template too.
TEST(CheckHerkTable, BuiltInMethods) {
  const ScratchFolder folder;
  const Json methods = call({"list", "methods", "--json"}).json();
  int count = 0;
  for (const Json& method : methods.at("methods")) {
    const std::string name = method.at("name");
    if (method.at("family") != "half-explicit") continue;
    const std::string path = folder / (name + ".json");
    const Answer built_in = call({"check-table", "--method", name, "--export", path, "--json"});
    if (built_in.err.find("no table") != std::string::npos) continue;  // mdop5 is no such method
    ASSERT_EQ(built_in.code, 0) << built_in.err;
    ++count;
    EXPECT_EQ(built_in.json().at("order"), method.at("order")) << name;
    EXPECT_EQ(call({"check-table", path, "--json"}).out, built_in.out) << name;
  }
  EXPECT_GE(count, 7);
}

}  // namespace
}  // namespace daedalus::cli
