// SPDX-License-Identifier: BSD-3-Clause
// The models in examples/models are the problems of the catalogue: solved to the same values.
#include <filesystem>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>

#include <catalogue/catalogue.hpp>
#include <daedalus/model_file.hpp>
#include <daedalus/solve.hpp>

namespace daedalus {
namespace {

std::string model_path(const std::string& name) {
  return std::string(DAEDALUS_SOURCE_DIR) + "/examples/models/" + name + ".json";
}

Solution solved(const Entry& e, double rtol, const std::string& method = "auto", double atol = 0.0,
                const Values& values = {}) {
  Options o;
  o.rtol = rtol;
  o.atol = atol > 0.0 ? atol : rtol;
  o.method = method;
  o.max_steps = 1'000'000;
  e.apply(o, values);
  return solve(e.problem(values), {e.t0, e.t_end}, o);
}

// Largest |difference| / (1 + |value|) over the variables that the reference names.
double deviation(const Solution& s, const Reference& r) {
  double largest = 0.0;
  for (const auto& [name, value] : r.values) {
    if (!r.counted.empty() &&
        std::find(r.counted.begin(), r.counted.end(), name) == r.counted.end())
      continue;
    largest = std::max(largest, std::fabs(s.end()[name] - value) / (1.0 + std::fabs(value)));
  }
  return largest;
}

struct Case {
  const char* name;
  const char* method;
  double rtol, atol, bound;
};

// Tolerances and bounds as the catalogue's own runs meet them, with a factor of some ten.
TEST(ModelFiles, MeetTheReferencesOfTheCatalogue) {
  for (const Case& c :
       {Case{"pendulum", "auto", 1e-10, 1e-10, 1e-7},
        Case{"transistor-amplifier", "radau", 1e-8, 1e-8, 1e-5},
        Case{"pollution", "radau", 1e-8, 1e-12, 1e-7}, Case{"andrews", "auto", 1e-10, 1e-10, 1e-5},
        Case{"transmission-line", "radau", 1e-9, 1e-9, 1e-7}}) {
    const ModelFile file = read_model_file(model_path(c.name));
    ASSERT_TRUE(file.entry.reference) << c.name;
    const Solution s = solved(file.entry, c.rtol, c.method, c.atol);
    ASSERT_TRUE(s.ok()) << c.name << ": " << s.message();
    EXPECT_LT(deviation(s, *file.entry.reference), c.bound) << c.name;
  }
}

TEST(ModelFiles, HaveTheFormsOfTheCatalogue) {
  for (const char* name : {"pendulum", "transistor-amplifier", "pollution", "andrews",
                           "ring-modulator", "transmission-line"}) {
    const ModelFile file = read_model_file(model_path(name));
    const problems::Entry* original = problems::find_problem(name);
    ASSERT_NE(original, nullptr);
    EXPECT_EQ(file.entry.form, original->form) << name;
    EXPECT_EQ(file.entry.index, original->index) << name;
    EXPECT_EQ(file.entry.t_end, original->t_end) << name;
    EXPECT_TRUE(file.warnings.empty()) << name;
  }
}

TEST(ModelFiles, ParametersChangeTheRun) {
  const ModelFile file = read_model_file(model_path("pendulum"));
  const problems::Entry* original = problems::find_problem("pendulum");
  const Values longer{{"length", 2.0}};
  const Solution a = solved(file.entry, 1e-9, "auto", 0.0, longer),
                 b = solved(*original, 1e-9, "auto", 0.0, longer);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NEAR(a.end()["x"], b.end()["x"], 1e-6);
  EXPECT_GT(std::fabs(a.end()["x"] - solved(file.entry, 1e-9).end()["x"]), 1e-3);
  EXPECT_THROW(file.entry.problem({{"lenght", 1.0}}), InvalidArgument);
}

TEST(ModelFiles, EventsSampledEventsAndStops) {
  const ModelFile ball = read_model_file(model_path("bouncing-ball"));
  const Solution s = solved(ball.entry, 1e-9);
  ASSERT_TRUE(s.ok()) << s.message();
  // Impacts at sqrt(2/g) and then after flights of 2 v/g with v = 0.8^k sqrt(2 g).
  ASSERT_GE(s.events().size(), 3u);
  const double first = std::sqrt(2.0 / 9.81), flight = 2.0 * 0.8 * std::sqrt(2.0 * 9.81) / 9.81;
  EXPECT_NEAR(s.events()[0].t, first, 1e-7);
  EXPECT_NEAR(s.events()[1].t, first + flight, 1e-7);
  EXPECT_EQ(s.events()[0].name, "impact");

  const ModelFile room = read_model_file(model_path("sampled-controller"));
  const Solution heated = solved(room.entry, 1e-8);
  ASSERT_TRUE(heated.ok()) << heated.message();
  EXPECT_NEAR(heated.end()["temperature"], 20.0, 2.5);

  const ModelFile stopping = read_model_text(
      R"json({"daedalus": "model", "interval": [0, 10], "variables": {"x": {"start": 0, "fixed": true}},
          "equations": ["der(x) = 1"], "events": [{"when": "x > 2", "stop": true}]})json",
      "stop.json");
  const Solution stopped = solved(stopping.entry, 1e-8);
  EXPECT_EQ(stopped.status(), Status::stopped_by_event);
  EXPECT_NEAR(stopped.end_time(), 2.0, 1e-7);
}

TEST(ModelFiles, OutputsDefinitionsAndDependentParameters) {
  const ModelFile file = read_model_text(
      R"json({"daedalus": "model", "interval": [0, 1],
          "parameters": {"twice": "2*rate", "rate": {"value": -1, "unit": "1/s"}, "k": [1, 2]},
          "variables": {"x": {"start": "k[2]", "fixed": true, "unit": "m"}},
          "definitions": {"slope": "twice*x/2"},
          "equations": ["der(x) = slope"],
          "outputs": {"square": {"value": "x^2", "unit": "m2"}, "sum": "square + k[1]"}})json",
      "small.json");
  const Solution s = solved(file.entry, 1e-10);
  ASSERT_TRUE(s.ok());
  const double x = 2.0 * std::exp(-1.0);
  EXPECT_NEAR(s.end()["x"], x, 1e-8);
  ASSERT_EQ(file.entry.outputs.size(), 2u);
  double out[2];
  file.entry.evaluate_outputs(file.entry.all_values(), s.end(), Out(out, 2));
  EXPECT_NEAR(out[0], x * x, 1e-8);
  EXPECT_NEAR(out[1], x * x + 1.0, 1e-8);
  EXPECT_EQ(file.entry.units.at("x"), "m");
  EXPECT_EQ(file.entry.units.at("square"), "m2");
}

// Written one by one and repeated: the same equations.
TEST(ModelFiles, RepeatedEquationsEqualTheSingleOnes) {
  const auto model = [](bool repeated) {
    std::string text =
        R"json({"daedalus": "model", "interval": [0, 1], "parameters": {"n": 20, "c": [1, 2, 3]},
            "variables": {"u": {"size": 20, "start": "sin(pi*i/21)"}, "mean": 0}, "equations": [)json";
    if (repeated) {
      text +=
          R"json({"for": {"i": [2, 19]}, "equation": "der(u[i]) = n^2*(u[i + 1] - 2*u[i] + u[i - 1]) +
                  mean*i"})json";
      text.erase(std::remove(text.begin(), text.end(), '\n'), text.end());
    } else {
      for (int i = 2; i <= 19; ++i) {
        const auto u = [](int k) { return "u[" + std::to_string(k) + "]"; };
        text += (i > 2 ? ", \"der(" : "\"der(") + u(i) + ") = n^2*(" + u(i + 1) + " - 2*" + u(i) +
                " + " + u(i - 1) + ") + mean*" + std::to_string(i) + "\"";
      }
    }
    return text + R"json(, "u[1] = 0", "u[20] = c[3]", "mean = (u[5] + u[10])/2"]})json";
  };
  const ModelFile a = read_model_text(model(true), "a"), b = read_model_text(model(false), "b");
  EXPECT_EQ(a.entry.form, b.entry.form);
  const Solution x = solved(a.entry, 1e-8, "radau"), y = solved(b.entry, 1e-8, "radau");
  ASSERT_TRUE(x.ok() && y.ok()) << x.message() << y.message();
  for (int i = 2; i <= 19; ++i) {  // u[1] is a number and eliminated
    const std::string name = "u[" + std::to_string(i) + "]";
    EXPECT_NEAR(x.end()[name], y.end()[name], 1e-9) << name;
  }
}

// The heat equation on a square: u = sin(pi x) sin(pi y) decays with one rate of the grid.
TEST(ModelFiles, ArraysOfTwoSubscripts) {
  const ModelFile file = read_model_text(
      R"json({"daedalus": "model", "interval": [0, 0.05], "parameters": {"h": 0.1, "c": [[1, 0], [0, 0.5]]},
        "variables": {"u": {"size": [11, 11], "start": "sin(pi*(i - 1)*h)*sin(pi*(j - 1)*h)"},
                      "x": {"size": [2, 2], "start": [[1, 2], [3, 4]], "fixed": true}},
        "equations": [
          {"for": {"i": [2, 10], "j": [2, 10]},
           "equation": "der(u[i,j]) = (u[i + 1,j] + u[i - 1,j] + u[i,j + 1] + u[i,j - 1] - 4*u[i,j])/h^2"},
          {"for": {"i": [1, 11]}, "equation": "u[i,1] = 0"}, {"for": {"i": [1, 11]}, "equation": "u[i,11] = 0"},
          {"for": {"j": [2, 10]}, "equation": "u[1,j] = 0"}, {"for": {"j": [2, 10]}, "equation": "u[11,j] = 0"},
          "der(x[1,1]) = -c[1,1]*x[1,1]", "der(x[1,2]) = 0", "der(x[2,1]) = c[1,2]",
          {"for": {"k": [2, 2]}, "equation": "der(x[k,k]) = -c[k,k]*x[k,k]"}]})json",
      "grid");
  const Solution s = solved(file.entry, 1e-8, "radau");
  ASSERT_TRUE(s.ok()) << s.message();
  const double pi = std::numbers::pi, rate = 800.0 * std::pow(std::sin(0.05 * pi), 2);
  for (const int i : {2, 6, 9})
    for (const int j : {3, 6}) {
      const double start = std::sin(pi * (i - 1) * 0.1) * std::sin(pi * (j - 1) * 0.1);
      EXPECT_NEAR(s.end()["u[" + std::to_string(i) + "," + std::to_string(j) + "]"],
                  start * std::exp(-0.05 * rate), 1e-7);
    }
  EXPECT_NEAR(s.end()["x[1,1]"], std::exp(-0.05), 1e-7);
  EXPECT_NEAR(s.end()["x[1,2]"], 2.0, 1e-12) << "rows of the start value come first";
  EXPECT_NEAR(s.end()["x[2,2]"], 4.0 * std::exp(-0.025), 1e-7);
}

// Sums over an array are the same in single and in repeated equations; outputs may be arrays, too.
TEST(ModelFiles, WholeArraysAndArraysOfOutputs) {
  const ModelFile file = read_model_text(
      R"json({"daedalus": "model", "interval": [0, 1], "parameters": {"k": [1, 2, 3]},
        "variables": {"x": {"size": 3, "start": "i", "fixed": true}, "total": 0,
                      "y": {"size": 3, "start": "i", "fixed": true}},
        "equations": [{"for": {"i": [1, 3]}, "equation": "der(x[i]) = -sum(k)*x[i] + max(x)*0"},
                      "total = sum(x)",
                      "der(y[1]) = -6*y[1]", "der(y[2]) = -sum(k)*y[2]", "der(y[3]) = -product(k)*y[3]"],
        "outputs": {"double": {"size": 3, "value": "2*x[i]", "unit": "m"}, "last": "double[3]",
                    "pair": {"size": 2, "value": ["min(x)", "max(x) - sum(y)"]},
                    "table": {"size": [2, 2], "value": "10*i + j"}}})json",
      "whole");
  const Solution s = solved(file.entry, 1e-10);
  ASSERT_TRUE(s.ok()) << s.message();
  const double decay = std::exp(-6.0);
  for (const int i : {1, 2, 3}) {
    EXPECT_NEAR(s.end()["x[" + std::to_string(i) + "]"], i * decay, 1e-9);
    EXPECT_NEAR(s.end()["y[" + std::to_string(i) + "]"], i * decay, 1e-9);
  }
  EXPECT_NEAR(s.end()["total"], 6.0 * decay, 1e-9);
  const std::vector<std::string> names{"double[1]",  "double[2]", "double[3]",  "last",
                                       "pair[1]",    "pair[2]",   "table[1,1]", "table[1,2]",
                                       "table[2,1]", "table[2,2]"};
  ASSERT_EQ(file.entry.outputs.size(), names.size());
  for (std::size_t k = 0; k < names.size(); ++k) EXPECT_EQ(file.entry.outputs[k].name, names[k]);
  std::vector<double> out(names.size());
  file.entry.evaluate_outputs(file.entry.all_values(), s.end(),
                              Out(out.data(), static_cast<Eigen::Index>(out.size())));
  const std::vector<double> expected{2.0 * decay,  4.0 * decay, 6.0 * decay, 6.0 * decay, decay,
                                     -3.0 * decay, 11.0,        12.0,        21.0,        22.0};
  for (std::size_t k = 0; k < out.size(); ++k) EXPECT_NEAR(out[k], expected[k], 1e-9) << names[k];
  EXPECT_EQ(file.entry.units.at("double[2]"), "m");
}

TEST(ModelFiles, TablesAreReadFromTheFolderAlone) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "daedalus-model-tables";
  std::filesystem::create_directories(folder / "inner");
  std::ofstream(folder / "force.csv") << "x,y\n0,0\n1,2\n2,2\n";
  std::ofstream(folder / "inner" / "force.csv") << "0 0\n1 2\n2 2\n";
  const auto model = [](const std::string& file) {
    return R"json({"daedalus": "model", "interval": [0, 1], "tables": {"force": {"file": ")json" +
           file +
           R"json("}}, "variables": {"x": {"start": 0, "fixed": true}}, "equations": ["der(x) = force(time)"]})json";
  };
  const std::string inner = (folder / "inner").string();
  const ModelFile file = read_model_text(model("force.csv"), "m", {}, inner);
  EXPECT_NEAR(solved(file.entry, 1e-9).end()["x"], 1.0, 1e-6);
  try {
    read_model_text(model("../force.csv"), "m", {}, inner);
    ADD_FAILURE() << "a file outside the folder was read";
  } catch (const InvalidModel& wrong) {
    EXPECT_NE(std::string(wrong.what()).find("--allow"), std::string::npos) << wrong.what();
  }
  ModelFileOptions allowed;
  allowed.allow_files = true;
  EXPECT_NO_THROW(read_model_text(model("../force.csv"), "m", allowed, inner));
  std::filesystem::create_symlink(folder / "force.csv", folder / "inner" / "link.csv");
  EXPECT_THROW(read_model_text(model("link.csv"), "m", {}, inner), InvalidModel);
  std::filesystem::remove_all(folder);
}

TEST(ModelFiles, ScenesFollowTheState) {
  const ModelFile file = read_model_file(model_path("pendulum"));
  ASSERT_TRUE(file.entry.scene);
  const Values values = file.entry.all_values({{"length", 2.0}});
  const Scene scene = file.entry.scene(values);
  ASSERT_EQ(scene.bodies.size(), 3u);
  EXPECT_EQ(scene.up, Eigen::Vector3d(0.0, 1.0, 0.0));
  EXPECT_NEAR(scene.bodies[2].size.at(0), 0.16, 1e-15);
  EXPECT_TRUE(scene.bodies[2].trail);
  const Solution s = solve(file.entry.problem(values), {0.0, 0.1}, {});
  std::vector<double> place(static_cast<std::size_t>(scene.bodies[2].motion_count));
  const ModelState end = s.end();
  scene.bodies[2].motion(end.view(), place.data());
  EXPECT_EQ(place[0], end["x"]);
  EXPECT_EQ(place[1], end["y"]);
}

}  // namespace
}  // namespace daedalus
