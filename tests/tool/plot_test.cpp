// SPDX-License-Identifier: BSD-3-Clause
#include "tool/plot.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tool/files.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

Trajectory constant(const std::vector<std::string>& names, const Eigen::VectorXd& y) {
  return {names, {0.0, 1.0}, {y, y}};
}

TEST(Panels, SeparateClassesAndSizes) {
  const Variables variables{{"a", "b", "c", "d", "p"},
                            {{VariableClass::y, 1, 0, 4}, {VariableClass::z, 1, 4, 1}}};
  Eigen::VectorXd y(5);
  y << 1.0, 1e-6, 0.5, 2e-6, 3.0;  // b and d would lie on the axis of a and c
  const std::vector<Panel> panels = arrange(variables, constant(variables.names, y));
  ASSERT_EQ(panels.size(), 3u);
  EXPECT_EQ(panels[0].variables, (std::vector<int>{0, 2}));
  EXPECT_EQ(panels[1].variables, (std::vector<int>{1, 3}));
  EXPECT_EQ(panels[2].label, "z");
}

TEST(Panels, HoldNoMoreCurvesThanColours) {
  Variables variables{{}, {{VariableClass::y, 1, 0, 200}}};
  for (int i = 0; i < 200; ++i) variables.names.push_back("y" + std::to_string(i));
  const auto panels = arrange(variables, constant(variables.names, Eigen::VectorXd::Ones(200)));
  EXPECT_EQ(panels.size(), 12u);
  for (const Panel& panel : panels) EXPECT_LE(panel.variables.size(), 7u);
}

TEST(Panels, TimeIsLogarithmicForStiffDecay) {
  EXPECT_TRUE(logarithmic_time({0.0, 1e-6, 1e-3, 1.0, 1e5, 1e11}));
  EXPECT_FALSE(logarithmic_time({0.0, 1.0, 2.0, 3.0}));
  EXPECT_FALSE(logarithmic_time({-1.0, -0.999, -0.998, 1e6}));  // no logarithm of negative times
}

TEST(Script, QuotesWhatPeopleWrite) {
  const Picture picture{
      "Kepler's law", "", constant({"it's"}, Eigen::VectorXd::Ones(1)), {{"y", {0}}}, false};
  const std::string script = gnuplot_script(picture, PictureKind::svg);
  EXPECT_NE(script.find("'Kepler''s law'"), std::string::npos);
  EXPECT_NE(script.find("title 'it''s'"), std::string::npos);
}

// Where a legend begins and where its column of panels ends, in pixels.
std::pair<double, double> legend_of(const std::string& script, int columns) {
  double width = 0.0, begin = 0.0;
  EXPECT_EQ(std::sscanf(script.c_str(), "set terminal svg size %lf", &width), 1);
  const std::size_t key = script.find("set key at screen ");
  EXPECT_NE(key, std::string::npos);
  EXPECT_EQ(std::sscanf(script.c_str() + key, "set key at screen %lf", &begin), 1);
  return {begin * width, width / columns};
}

TEST(Script, GivesLegendsTheRoomOfTheirNames) {
  // 14 pixels high, letters are 7.5 wide on average; before them stands a piece of the curve.
  for (const char* name : {"x", "emitter_follower.collector_current"}) {
    const Picture picture{"t", "", constant({name}, Eigen::VectorXd::Ones(1)), {{"y", {0}}}, false};
    const auto [begin, end] = legend_of(gnuplot_script(picture, PictureKind::svg), 1);
    EXPECT_GE(end - begin, 36.0 + 7.5 * static_cast<double>(std::string(name).size())) << name;
  }
  const std::string endless(300, 'n');
  const Picture picture{
      "t", "", constant({endless}, Eigen::VectorXd::Ones(1)), {{"y", {0}}}, false};
  EXPECT_EQ(gnuplot_script(picture, PictureKind::svg).find(endless), std::string::npos);
}

TEST(Script, WritesTheNumbersOfARowInOneFormat) {
  Eigen::VectorXd y(4);
  y << 2e-5, 1.0, 3.0, 4.0;
  const Picture picture{"t",
                        "",
                        constant({"small", "b", "c", "d"}, y),
                        {{"y", {0}}, {"y", {1}}, {"y", {2}}, {"y", {3}}},
                        false};
  const std::string script = gnuplot_script(picture, PictureKind::svg);
  std::vector<std::string> formats;  // panels run down the columns: 0 and 2 stand in the first row
  for (std::size_t at = script.find("set format y"); at != std::string::npos;
       at = script.find("set format y", at + 1))
    formats.push_back(script.substr(at, script.find('\n', at) - at));
  ASSERT_EQ(formats.size(), 4u);
  EXPECT_EQ(formats[0], formats[2]);
  EXPECT_EQ(formats[1], formats[3]);
  EXPECT_NE(formats[0], formats[1]);
}

TEST(Plot, IsDrawnWhenGnuplotIsThere) {
  if (find_gnuplot().empty()) GTEST_SKIP() << "gnuplot is not installed";
  const ScratchFolder folder;
  const std::string path = folder / "it's a run.svg";
  const Answer answer = call({"solve", "pendulum", "--json", "--plot", path});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const std::string svg = contents(path);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  for (const char* word : {"lambda", "Mathematical pendulum", "rtol = 1e-6"})
    EXPECT_NE(svg.find(word), std::string::npos) << word;
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Plot, MissingFolderEndsWithThree) {
  if (find_gnuplot().empty()) GTEST_SKIP() << "gnuplot is not installed";
  const ScratchFolder folder;
  EXPECT_EQ(call({"solve", "pendulum", "--plot", folder / "missing/run.svg"}).code, 3);
}

// Sets PATH for the length of a test.
class SearchPath {
 public:
  explicit SearchPath(const std::string& path) : before_(std::getenv("PATH")) {
    setenv("PATH", path.c_str(), 1);
  }
  ~SearchPath() { setenv("PATH", before_.c_str(), 1); }
  SearchPath(const SearchPath&) = delete;
  SearchPath& operator=(const SearchPath&) = delete;

 private:
  std::string before_;
};

TEST(Plot, MissingGnuplotIsSaidAfterTheResults) {
  const ScratchFolder folder;
  const SearchPath path(folder / "nothing-here");
  const Answer answer = call(
      {"solve", "pendulum", "--json", "--out", folder / "run.csv", "--plot", folder / "run.svg"});
  EXPECT_EQ(answer.code, 3);
  EXPECT_EQ(answer.json().at("status"), "success");
  EXPECT_NE(answer.err.find("gnuplot-nox"), std::string::npos) << answer.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "run.csv"));
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Plot, GnuplotsOwnWordsAreShown) {
  const ScratchFolder folder;
  std::ofstream(folder / "gnuplot") << "#!/bin/sh\necho 'out of ink' >&2\nexit 1\n";
  std::filesystem::permissions(folder / "gnuplot", std::filesystem::perms::owner_all);
  const SearchPath path(folder / "");
  const Picture picture{"", "", constant({"y"}, Eigen::VectorXd::Ones(1)), {{"y", {0}}}, false};
  try {
    AtomicFile file(folder / "run.svg");
    draw(picture, file);
    FAIL() << "a failing gnuplot was not noticed";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("out of ink"), std::string::npos) << error.what();
  }
  EXPECT_EQ(folder.files(), 1u);
}

}  // namespace
}  // namespace daedalus::cli
