// SPDX-License-Identifier: BSD-3-Clause
// Reports: the file of a run holds what its page shows, the page holds what the file says, scenes
// agree with the constraints of their problems.
#include "tool/run_document.hpp"

#include <cstdint>
#include <cstring>

#include <catalogue/catalogue.hpp>
#include <daedalus/solve.hpp>

#include "tool/files.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli::report_test {
namespace {

Json solved(const ScratchFolder& folder, std::vector<std::string> words) {
  const std::string path = folder / "run.json";
  words.insert(words.end(), {"--quiet", "--out", path});
  const Answer answer = call(words);
  EXPECT_LE(answer.code, 1) << answer.err;
  return Json::parse(contents(path));
}

double largest(const Json& column) {
  double value = 0.0;
  for (const Json& entry : column)
    if (!entry.is_null()) value = std::max(value, std::abs(entry.get<double>()));
  return value;
}

TEST(Report, FileHoldsStepsResidualsInvariantsAndScene) {
  const ScratchFolder folder;
  const Json run = solved(folder, {"solve", "pendulum", "--t-end", "2", "--watch-drift"});
  const Json &statistics = run.at("statistics"), &steps = run.at("steps");
  const std::size_t attempts = statistics.at("steps");
  for (const char* column : {"t", "h", "order", "error", "newton_iterations", "outcome"})
    EXPECT_EQ(steps.at(column).size(), attempts) << column;
  std::size_t accepted = 0;
  double sum = 0.0;
  for (std::size_t i = 0; i < attempts; ++i)
    if (steps.at("outcome")[i] == "accepted") {
      ++accepted;
      sum += steps.at("h")[i].get<double>();
    }
  EXPECT_EQ(accepted, statistics.at("accepted").get<std::size_t>());
  EXPECT_NEAR(sum, 2.0, 1e-12);  // accepted steps fill the interval
  EXPECT_EQ(largest(run.at("residuals").at("position")),
            run.at("constraints").at("position_max").get<double>());
  EXPECT_EQ(largest(run.at("residuals").at("acceleration")),
            run.at("constraints").at("acceleration_max").get<double>());
  // At rest at the height of the pivot: kinetic and potential energy are zero, and stay small
  // beside m g l = 9.81 at rtol 1e-6.
  const Json& energy = run.at("invariants").at("energy");
  EXPECT_EQ(energy.size(), run.at("trajectory").at("t").size());
  EXPECT_EQ(energy[0].get<double>(), 0.0);
  EXPECT_LT(largest(energy), 1e-3);
  EXPECT_GT(largest(energy), 0.0);
  EXPECT_EQ(run.at("model").at("title"), "Mathematical pendulum in Cartesian coordinates");
  EXPECT_EQ(run.at("parameters").at("length"), 1.0);
  EXPECT_EQ(run.at("variables").at(4).at("class"), "lambda");
  // Without dense output the frames are the steps; the bob is where x and y are.
  const Json& bob = run.at("scene").at("bodies").at(2);
  ASSERT_EQ(bob.at("name"), "bob");
  const Json &y = run.at("trajectory").at("y"), &motion = bob.at("motion");
  const std::size_t frames = run.at("scene").at("t").size();
  ASSERT_EQ(motion.size(), 3 * frames);
  ASSERT_EQ(frames, run.at("trajectory").at("t").size());
  for (std::size_t i = 0; i < frames; ++i) {
    EXPECT_NEAR(motion[3 * i].get<double>(), y.at("x")[i].get<double>(), 1e-6);  // seven digits
    EXPECT_NEAR(motion[3 * i + 1].get<double>(), y.at("y")[i].get<double>(), 1e-6);
  }
  EXPECT_EQ(run.at("scene").at("bodies").at(0).at("motion").size(), 3u);  // fixed: one frame
}

TEST(Report, ProblemsWithoutBodiesOrConstraintsHaveNoneInTheFile) {
  const ScratchFolder folder;
  const Json run = solved(folder, {"solve", "robertson", "--watch-drift"});
  EXPECT_TRUE(run.at("scene").is_null());
  EXPECT_TRUE(run.at("invariants").is_object());
}

// The doubles behind {"$f64": base64}.
std::vector<double> unpacked(const Json& column) {
  const std::string text = column.at("$f64"),
                    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t word = 0;
    int padding = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      padding += text[i + k] == '=' ? 1 : 0;
      word = word << 6 |
             (text[i + k] == '=' ? 0u : static_cast<std::uint32_t>(digits.find(text[i + k])));
    }
    for (int k = 0; k < 3 - padding; ++k)
      bytes.push_back(static_cast<std::uint8_t>(word >> (16 - 8 * k)));
  }
  std::vector<double> values(bytes.size() / 8);
  std::memcpy(values.data(), bytes.data(), 8 * values.size());
  return values;
}

Json page_data(const std::string& page) {
  const std::string mark = "<script type=\"application/json\" id=\"run\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(Report, PageHoldsTheNumbersOfTheFileToTheLastBit) {
  const ScratchFolder folder;
  const std::string path = folder / "run.json", page = folder / "run.html";
  Json run = solved(folder, {"solve", "pendulum", "--points", "50"});
  run["trajectory"]["y"]["x"][7] = 0.1234567890123456;
  run["trajectory"]["y"]["y"][8] = nullptr;
  run["statistics"]["factorisations"] = 424242;
  run["model"]["title"] = "</script> & <b>";
  std::ofstream(path) << run;
  const Answer answer = call({"report", path, "--json"});
  if (!missing_report_page().empty()) {  // built without Node.js: said so, and no file
    EXPECT_EQ(answer.code, 3);
    EXPECT_NE(answer.err.find("built without its report page"), std::string::npos) << answer.err;
    EXPECT_NE(answer.err.find("nodejs"), std::string::npos);
    EXPECT_EQ(folder.files(), 1u);
    return;
  }
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.json().at("report"), page);
  const Json data = page_data(contents(page));
  const std::vector<double> x = unpacked(data.at("trajectory").at("y").at("x"));
  ASSERT_EQ(x.size(), 50u);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(x[i], run["trajectory"]["y"]["x"][i].get<double>()) << i;
  EXPECT_TRUE(std::isnan(unpacked(data.at("trajectory").at("y").at("y"))[8]));
  EXPECT_EQ(data.at("statistics"), run.at("statistics"));
  EXPECT_EQ(data.at("model").at("title"), "</script> & <b>");
}

TEST(Report, SolveMakesThePageWithEverythingInIt) {
  const ScratchFolder folder;
  const std::string page = folder / "run.html";
  const Answer answer =
      call({"solve", "andrews", "--max-steps", "40", "--quiet", "--report", page});
  if (!missing_report_page().empty()) {
    EXPECT_EQ(answer.code, 3);
    return;
  }
  EXPECT_EQ(answer.code, 1);  // stopped after 40 steps, and reported
  const Json data = page_data(contents(page));
  EXPECT_EQ(data.at("status"), "too_many_steps");
  EXPECT_NE(data.at("command").get<std::string>().find("daedalus solve andrews --max-steps 40"),
            std::string::npos);
  EXPECT_EQ(unpacked(data.at("steps").at("h")).size(), 40u);
  EXPECT_FALSE(data.at("residuals").is_null());
  // Points between the steps: at least a thousand.
  EXPECT_GE(unpacked(data.at("trajectory").at("t")).size(), 1000u);
  EXPECT_EQ(unpacked(data.at("scene").at("t")).size(), 2000u);
  EXPECT_EQ(contents(page).find("http-equiv"), std::string::npos);
}

TEST(Report, WrongFilesAreNamedWithTheirFault) {
  if (!missing_report_page().empty()) GTEST_SKIP() << missing_report_page();
  const ScratchFolder folder;
  const std::string path = folder / "run.json";
  Json run = solved(folder, {"solve", "pendulum", "--t-end", "0.5"});
  const std::string text = run.dump();
  const auto fault = [&](const std::string& content) {
    std::ofstream(path, std::ios::trunc) << content;
    const Answer answer = call({"report", path});
    EXPECT_EQ(answer.code, 3);
    EXPECT_NE(answer.err.find(path), std::string::npos) << answer.err;
    EXPECT_EQ(folder.files(), 1u);
    return answer.err;
  };
  EXPECT_NE(fault(text.substr(0, text.size() / 2)).find("column"), std::string::npos);
  EXPECT_NE(fault("[1, 2]").find("no object"), std::string::npos);
  EXPECT_NE(fault("{\"version\": 7}").find("'version'"), std::string::npos);
  Json shorter = run;
  shorter["trajectory"]["y"]["u"].erase(0);
  EXPECT_NE(fault(shorter.dump()).find("trajectory.y.u"), std::string::npos);
  run.erase("trajectory");
  EXPECT_NE(fault(run.dump()).find("'trajectory'"), std::string::npos);
  const Answer absent = call({"report", folder / "nowhere.json"});
  EXPECT_EQ(absent.code, 3);
  const Answer ending = call({"solve", "pendulum", "--report", folder / "run.pdf"});
  EXPECT_EQ(ending.code, 2);
  EXPECT_NE(ending.err.find(".html"), std::string::npos);
}

// Numbers of all bodies at the start of a problem, by name.
std::map<std::string, std::vector<double>> at_start(const problems::Entry& entry,
                                                    const problems::Values& values = {}) {
  const Problem problem = entry.problem(values);
  Options options;
  options.max_steps = 1;
  const Solution solution = solve(problem, {entry.t0, entry.t_end}, options);
  const ModelState start = solution.start();
  std::map<std::string, std::vector<double>> result;
  for (const Body& body : entry.scene(values).bodies) {
    std::vector<double> x(static_cast<std::size_t>(body.motion_count), std::nan(""));
    body.motion(start.view(), x.data());
    result[body.name] = x;
  }
  return result;
}

double distance(const std::vector<double>& a, std::size_t i, const std::vector<double>& b,
                std::size_t j) {
  double sum = 0.0;
  for (std::size_t k = 0; k < 3; ++k) sum += (a[i + k] - b[j + k]) * (a[i + k] - b[j + k]);
  return std::sqrt(sum);
}

TEST(Scenes, EveryBodyHasAPlace) {
  int count = 0;
  for (const problems::Entry* entry : problems::all_problems()) {
    if (!entry->scene) continue;
    ++count;
    for (const auto& [name, x] : at_start(*entry)) {
      for (const double value : x) EXPECT_TRUE(std::isfinite(value)) << entry->name << ' ' << name;
      if (x.size() == 7) {
        EXPECT_NEAR(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6], 1.0, 1e-12) << name;
      }
    }
  }
  EXPECT_GE(count, 16);  // the mechanical problems named in docs/reports.md
}

// Where bodies are joined, their ends meet to the accuracy of consistent start values.
TEST(Scenes, JointsMeet) {
  auto squeezer = at_start(*problems::find_problem("andrews"));
  const std::vector<double>& P = squeezer.at("P");
  for (const char* body : {"K2", "K4", "K6"}) EXPECT_LT(distance(squeezer.at(body), 3, P, 0), 1e-9);
  // The corner (0, -ss) of K3: B + ss (sin gamma, -cos gamma), gamma = 2 atan2(z, w).
  const std::vector<double>& plate = squeezer.at("K3");
  const double gamma = 2.0 * std::atan2(plate[6], plate[3]), ss = 0.035;
  EXPECT_NEAR(plate[0] + ss * std::sin(gamma), P[0], 1e-9);
  EXPECT_NEAR(plate[1] - ss * std::cos(gamma), P[1], 1e-9);

  auto bars = at_start(*problems::find_problem("four-bar"));
  EXPECT_LT(distance(bars.at("crank"), 3, bars.at("coupler"), 0), 1e-9);
  EXPECT_LT(distance(bars.at("coupler"), 3, bars.at("rocker"), 3), 1e-9);
  EXPECT_LT(distance(bars.at("rocker"), 0, bars.at("D"), 0), 1e-9);

  auto axis = at_start(*problems::find_problem("car-axis"));
  EXPECT_NEAR(distance(axis.at("chassis"), 0, axis.at("chassis"), 3), 1.0, 1e-9);  // L

  auto crank = at_start(*problems::find_problem("slider-crank"));
  const std::vector<double>& rod = crank.at("rod, bending x 20");
  EXPECT_LT(distance(rod, 0, crank.at("pin"), 0), 1e-9);
  EXPECT_LT(distance(rod, rod.size() - 3, crank.at("slider"), 0), 1e-8);  // published to 9 digits

  for (const double closed : {0.0, 1.0})
    for (const char* name : {"chain-planar", "chain-spatial"}) {
      const auto chain = at_start(*problems::find_problem(name), {{"closed", closed}});
      const std::vector<double>& points = chain.at("chain");
      for (std::size_t i = 0; i + 3 < points.size(); i += 3)
        EXPECT_NEAR(distance(points, i, points, i + 3), 0.1, 1e-9) << name << ' ' << i;  // length/n
    }
}

TEST(Scenes, FormsOfTheHeavyTopShowTheSameBody) {
  const auto first = at_start(*problems::find_problem("heavy-top-so3"));
  for (const char* form : {"s3", "r3xso3", "r3xs3", "se3", "s3-semidirect"}) {
    const auto other = at_start(*problems::find_problem(std::string("heavy-top-") + form));
    EXPECT_LT(distance(first.at("centre of mass"), 0, other.at("centre of mass"), 0), 1e-9) << form;
    const std::vector<double>&a = first.at("top"), &b = other.at("top");
    EXPECT_LT(distance(a, 0, b, 0), 1e-9) << form;
    double product = 0.0;  // of unit quaternions, which may differ in sign
    for (std::size_t k = 3; k < 7; ++k) product += a[k] * b[k];
    EXPECT_NEAR(std::abs(product), 1.0, 1e-12) << form;
  }
}

TEST(Scenes, MisuseNamesTheBody) {
  using namespace shapes;
  const auto message = [](const auto& make) -> std::string {
    try {
      make();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  const PointOf origin = fixed_point(0.0, 0.0);
  EXPECT_EQ(message([&] { sphere("bob", -1.0, origin); }),
            "body 'bob': radius is -1, allowed: a positive length");
  EXPECT_EQ(message([&] { rod("rod", 0.1, origin, PointOf{}); }),
            "body 'rod': its place is not given");
  EXPECT_EQ(message([] {
              plate("link", {{0.0, 0.0}, {1.0, 0.0}}, 0.1, [](const StateView&) { return Pose{}; });
            }),
            "body 'link': outline has 2 points, allowed: at least 3");
}

}  // namespace
}  // namespace daedalus::cli::report_test
