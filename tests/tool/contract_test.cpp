// SPDX-License-Identifier: BSD-3-Clause
// The JSON of every command holds the promised keys, and standard output holds nothing else.
#include <cmath>

#include "tool/names.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

using Json = nlohmann::ordered_json;
using Keys = std::vector<std::string>;

void expect_keys(const Json& json, const Keys& keys, const std::string& where) {
  ASSERT_TRUE(json.is_object()) << where;
  for (const std::string& key : keys) EXPECT_TRUE(json.contains(key)) << where << ": " << key;
}

struct Promise {
  std::vector<std::string> arguments;
  Keys keys;
  std::string list;  // a key whose elements hold `element_keys`
  Keys element_keys;
};

class Contract : public ::testing::TestWithParam<Promise> {};

TEST_P(Contract, KeysAreThere) {
  const Promise& promise = GetParam();
  std::vector<std::string> arguments = promise.arguments;
  arguments.push_back("--json");
  const Answer answer = call(arguments);
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Json json = answer.json();
  EXPECT_EQ(json.at("version"), 1);
  expect_keys(json, promise.keys, arguments.front());
  if (promise.list.empty()) return;
  ASSERT_FALSE(json.at(promise.list).empty());
  for (const Json& element : json.at(promise.list))
    expect_keys(element, promise.element_keys, promise.list);
}

INSTANTIATE_TEST_SUITE_P(
    Tool, Contract,
    ::testing::Values(Promise{{"list", "methods"},
                              {"methods"},
                              "methods",
                              {"name", "family", "order", "error_order", "dense_order", "stability",
                               "largest_index", "problem_forms", "reference"}},
                      Promise{{"list", "problems"},
                              {"problems"},
                              "problems",
                              {"name", "title", "form", "index", "size", "t0", "t_end", "stiff",
                               "source", "has_reference", "suites", "expected_status"}},
                      Promise{{"list", "formulations"},
                              {"formulations"},
                              "formulations",
                              {"name", "index", "applies_to", "reference"}},
                      Promise{{"show", "robertson"},
                              {"name", "title", "form", "index", "size", "t0", "t_end", "stiff",
                               "source", "has_reference", "suites", "expected_status", "parameters",
                               "atol_scale", "reference"},
                              "variables",
                              {"name", "class", "index", "start"}},
                      Promise{{"show", "rodas4"},
                              {"name", "family", "order", "error_order", "dense_order", "stability",
                               "largest_index", "problem_forms", "reference", "options"},
                              "",
                              {}},
                      Promise{{"solve", "pendulum"},
                              {"problem", "method", "formulation", "reason", "status", "message",
                               "t", "y", "error", "constraints", "statistics", "events"},
                              "",
                              {}},
                      Promise{{"order", "brenan", "--method", "rodas4"},
                              {"method", "problem", "steps", "errors", "orders"},
                              "",
                              {}},
                      Promise{{"check", "pendulum"},
                              {"index", "degrees_of_freedom", "consistent", "residuals", "jacobian",
                               "stiffness", "warnings"},
                              "residuals",
                              {"equation", "value"}},
                      Promise{{"explain", "pendulum", "--rtol", "1e-8"},
                              {"method", "formulation", "linear_solver", "reason", "alternatives"},
                              "alternatives",
                              {"method", "formulation", "reason"}},
                      Promise{
                          {"check-table", "--method", "rodas4"},
                          {"family", "order", "residuals", "tree_counts", "r_infinity", "a_stable"},
                          "residuals",
                          {"tree", "order", "value"}},
                      Promise{{"reproduce", "--list"}, {"experiments"}, "", {}},
                      Promise{{"reproduce", "steinebach-1"},
                              {"id", "source"},
                              "claims",
                              {"id", "claim", "expected", "measured", "tolerance", "verdict",
                               "holds", "remark"}}));

TEST(Solve, ReportsEveryPromisedNumber) {
  const Answer answer = call({"solve", "pendulum", "--rtol", "1e-8", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Json json = answer.json();
  EXPECT_EQ(json.at("status"), "success");
  EXPECT_EQ(json.at("t"), 10.0);
  expect_keys(json.at("y"), {"x", "y", "u", "v", "lambda"}, "y");
  expect_keys(json.at("error"), {"relative", "scd", "mescd", "per_class"}, "error");
  expect_keys(json.at("error").at("per_class"), {"q", "v", "lambda"}, "per_class");
  expect_keys(json.at("constraints"), {"position_max", "velocity_max"}, "constraints");
  expect_keys(json.at("statistics"),
              {"steps",
               "accepted",
               "rejected",
               "residual_evaluations",
               "function_evaluations",
               "jacobian_evaluations",
               "jacobian_columns",
               "mass_evaluations",
               "constraint_evaluations",
               "constraint_jacobian_evaluations",
               "curvature_evaluations",
               "factorisations",
               "solves",
               "newton_iterations",
               "newton_failures",
               "projections",
               "chart_changes",
               "restarts",
               "events",
               "order_histogram",
               "h_min",
               "h_max",
               "seconds"},
              "statistics");
  const Json& s = json.at("statistics");
  EXPECT_EQ(s.at("steps").get<long>(), s.at("accepted").get<long>() + s.at("rejected").get<long>());
  EXPECT_GT(json.at("error").at("mescd").get<double>(), 5.0);
  EXPECT_NEAR(json.at("error").at("scd").get<double>(),
              -std::log10(json.at("error").at("relative").get<double>()), 1e-12);
}

TEST(Solve, ErrorIsNullWithoutReference) {
  const Json json = call({"solve", "pendulum", "--t-end", "1", "--json"}).json();
  EXPECT_TRUE(json.at("error").is_null());
  EXPECT_EQ(json.at("t"), 1.0);
  EXPECT_FALSE(json.at("constraints").is_null());
  const Json other = call({"solve", "pendulum", "--set", "length=2", "--json"}).json();
  EXPECT_TRUE(other.at("error").is_null());
  // Start and motion follow the parameter: the pendulum stays on the circle of radius 2.
  const double x = other.at("y").at("x"), y = other.at("y").at("y");
  EXPECT_NEAR(std::hypot(x, y), 2.0, 1e-4);
}

TEST(Solve, ConstraintsAreNullWhereThereAreNone) {
  const Json json = call({"solve", "hires", "--json"}).json();
  EXPECT_TRUE(json.at("constraints").is_null());
}

TEST(Solve, ScalarAbsoluteToleranceIsScaledByTheCatalogue) {
  const Json json =
      call({"solve", "robertson", "--rtol", "1e-6", "--atol", "1e-6", "--t-end", "1", "--json"})
          .json();
  // Robertson: factors 1e-8, 1e-13, 1 on y1, y2, y3.
  ASSERT_EQ(json.at("atol").size(), 3u);
  EXPECT_NEAR(json.at("atol")[0].get<double>(), 1e-14, 1e-28);
  EXPECT_NEAR(json.at("atol")[1].get<double>(), 1e-19, 1e-33);
  EXPECT_EQ(json.at("atol")[2], 1e-6);
}

TEST(Solve, FixedStepsAreCounted) {
  const Json json =
      call({"solve", "brenan", "--method", "rodas4", "--fixed-step", "2^-4", "--json"}).json();
  const Json facts = call({"show", "brenan", "--json"}).json();
  const double length = facts.at("t_end").get<double>() - facts.at("t0").get<double>();
  EXPECT_EQ(json.at("statistics").at("accepted").get<double>(), length * 16.0);
  EXPECT_EQ(json.at("statistics").at("rejected"), 0);
}

TEST(Show, VariablesAreThoseOfTheSolution) {
  for (const std::string& name : problem_names()) {
    const Json shown = call({"show", name, "--json"}).json();
    const double t0 = shown.at("t0"), t_end = shown.at("t_end");
    const std::string soon = std::to_string(t0 + 1e-6 * (t_end - t0));
    const Json solved = call({"solve", name, "--t-end", soon, "--json"}).json();
    std::vector<std::string> expected, found;
    for (const Json& variable : shown.at("variables")) expected.push_back(variable.at("name"));
    ASSERT_TRUE(solved.at("y").is_object()) << name;
    for (const auto& [variable, value] : solved.at("y").items()) found.push_back(variable);
    EXPECT_EQ(expected, found) << name;
    EXPECT_EQ(shown.at("size"), found.size()) << name;
  }
}

TEST(Order, MeasuresTheOrderOfRodas4) {
  for (const char* norm : {"maximum", "err1", "err2", "relative"}) {
    const Answer answer = call(
        {"order", "brenan", "--method", "rodas4", "--h", "2^-4:2^-8", "--norm", norm, "--json"});
    ASSERT_EQ(answer.code, 0) << answer.err;
    const Json json = answer.json();
    ASSERT_EQ(json.at("steps").size(), 5u);
    EXPECT_EQ(json.at("errors").at("y").size(), 5u);
    EXPECT_NEAR(json.at("orders").at("y").get<double>(), 4.0, 0.25) << norm;
  }
}

TEST(Order, PrintsSlopesForPeople) {
  const Answer answer = call({"order", "brenan", "--method", "rodas4", "--h", "2^-4:2^-8"});
  EXPECT_EQ(answer.code, 0);
  for (const char* word : {"slope", "fit", "claimed", "rodas4", "0.0625"})
    EXPECT_NE(answer.out.find(word), std::string::npos) << word << '\n' << answer.out;
}

TEST(Check, FindsThePendulumInOrder) {
  const Json json = call({"check", "pendulum", "--json"}).json();
  EXPECT_EQ(json.at("consistent"), true);
  EXPECT_LT(json.at("jacobian").at("max_error").get<double>(), 1e-5);
  expect_keys(json.at("index"), {"structural", "numerical", "gap"}, "index");
  const Answer text = call({"check", "pendulum"});
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("consistent"), std::string::npos);
}

// z = cos t vanishes at pi / 2, where the circle does not determine it.
TEST(Check, LooksAlongASolution) {
  const Answer answer = call({"check", "steinebach-1", "--t-end", "2", "--along", "4", "--json"});
  const Json along = answer.json().at("along");
  expect_keys(along, {"points", "changes", "reached", "ended"}, "along");
  EXPECT_EQ(along.at("points").size(), 5u);
  EXPECT_EQ(along.at("points")[0].at("index"), 1);
  EXPECT_FALSE(along.at("changes").empty()) << answer.out;
  const std::string text = call({"check", "pendulum", "--t-end", "1", "--along", "2"}).out;
  EXPECT_NE(text.find("index 3 at 3 points of the solution, t = 0 to 1"), std::string::npos)
      << text;
}

TEST(Text, EveryCommandWritesForPeople) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"list", "methods"},
                                             {"list", "problems"},
                                             {"list", "formulations"},
                                             {"show", "pendulum"},
                                             {"show", "rodas4"},
                                             {"show", "index3"},
                                             {"explain", "pendulum"},
                                             {"check-table", "--method", "dae3s"},
                                             {"reproduce", "--list"},
                                             {"reproduce", "steinebach-1"}}) {
    const Answer answer = call(arguments);
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_NE(answer.out, "") << arguments.front();
    EXPECT_EQ(answer.err, "") << arguments.front();
    EXPECT_EQ(answer.out.find('\033'), std::string::npos) << "colour outside a terminal";
  }
  const Answer answer = call({"solve", "pendulum", "--rtol", "1e-8"});
  for (const char* word : {"method", "status", "success at t = 10", "steps", "evaluations",
                           "constraints", "mescd", "reference", "lambda", "time"})
    EXPECT_NE(answer.out.find(word), std::string::npos) << word << '\n' << answer.out;
}

}  // namespace
}  // namespace daedalus::cli
