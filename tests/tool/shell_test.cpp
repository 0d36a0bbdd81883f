// SPDX-License-Identifier: BSD-3-Clause
// Help, completion, manual, colours, figures and `daedalus bench`, as a newcomer meets them.
#include <cstdlib>
#include <map>

#include "tool/bench.hpp"
#include "tool/plot.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli::shell_test {
namespace {

const std::vector<std::string>& commands() {
  static const std::vector<std::string> all{"list",        "show",        "solve",      "order",
                                            "check",       "check-table", "explain",    "eigen",
                                            "sensitivity", "bench",       "compare",    "perturb",
                                            "reproduce",   "convert",     "completion", "man"};
  return all;
}

std::vector<std::string> example_lines(const std::string& command) {
  std::vector<std::string> lines;
  std::istringstream help(call({command, "--help"}).out);
  bool inside = false;
  for (std::string line; std::getline(help, line);) {
    if (line == "Examples:")
      inside = true;
    else if (inside && line.rfind("  daedalus ", 0) == 0)
      lines.push_back(line.substr(11));
    else
      inside = false;
  }
  return lines;
}

TEST(Shell, EveryCommandShowsExamples) {
  const std::string help = call({"--help"}).out;
  for (const std::string& command : commands()) {
    EXPECT_TRUE(has(help, "  " + command)) << command;
    EXPECT_FALSE(example_lines(command).empty()) << command;
  }
}

void run_examples(bool slow) {
  const ScratchFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  const std::vector<std::string> long_ones{"bench", "compare", "perturb", "order", "reproduce"};
  for (const std::string& command : commands()) {
    const bool is_long = std::find(long_ones.begin(), long_ones.end(), command) != long_ones.end();
    if (is_long != slow) continue;
    for (const std::string& line : example_lines(command)) {
      // All problems by all methods, for hours; regret_test and peers_test have parts of them.
      if (has(line, "--regret") || has(line, "--peers")) continue;
      std::vector<std::string> words;
      std::istringstream in(line);
      for (std::string word; in >> word;) words.push_back(word);
      const Answer answer = call(words);
      EXPECT_EQ(answer.code, 0) << line << '\n' << answer.err;
    }
  }
  std::filesystem::current_path(before);
}

TEST(Shell, ExamplesRun) { run_examples(false); }
TEST(SlowShell, LongExamplesRun) { run_examples(true); }

// What bash would offer for a command line that ends with the last word.
std::string bash_offers(const std::string& script, const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += " '" + word + "'";
  const std::string code = "source '" + script + "'; COMP_WORDS=(" + list +
                           "); COMP_CWORD=" + std::to_string(words.size() - 1) +
                           "; compopt() { :; }; _daedalus; echo \" ${COMPREPLY[*]} \"";
  const ScratchFolder folder;
  std::ofstream(folder / "code") << code;
  EXPECT_EQ(
      std::system(("bash '" + (folder / "code") + "' > '" + (folder / "out") + "' 2>&1").c_str()),
      0);
  return contents(folder / "out");
}

TEST(Shell, BashCompletes) {
  const ScratchFolder folder;
  const std::string script = folder / "daedalus.bash";
  std::ofstream(script) << call({"completion", "bash"}).out;
  EXPECT_TRUE(has(bash_offers(script, {"daedalus", "so"}), " solve "));
  EXPECT_TRUE(has(bash_offers(script, {"daedalus", "solve", "pend"}), " pendulum "));
  EXPECT_TRUE(has(bash_offers(script, {"daedalus", "solve", "pendulum", "--meth"}), " --method "));
  EXPECT_TRUE(
      has(bash_offers(script, {"daedalus", "solve", "pendulum", "--method", "rod"}), " rodas4 "));
  EXPECT_TRUE(has(bash_offers(script, {"daedalus", "solve", "pendulum", "--projection", "every"}),
                  " every-step "));
  EXPECT_TRUE(has(bash_offers(script, {"daedalus", "bench", "jay", "--methods", "bdf,rod"}),
                  " bdf,rodas4 "));
  EXPECT_TRUE(has(bash_offers(script, {"daedalus", "reproduce", "wieloch-"}), " wieloch-1 "));
  EXPECT_EQ(bash_offers(script, {"daedalus", "solve", "--rtol", ""}), "  \n");
}

TEST(Shell, ZshReadsItsCompletion) {
  const std::string text = call({"completion", "zsh"}).out;
  EXPECT_EQ(text.rfind("#compdef daedalus\n", 0), 0u);
  EXPECT_TRUE(has(text, "pendulum") && has(text, "--checkpoint"));
  if (std::system("zsh --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "zsh is not installed";
  const ScratchFolder folder;
  std::ofstream(folder / "_daedalus") << text;
  EXPECT_EQ(std::system(("zsh -n '" + (folder / "_daedalus") + "'").c_str()), 0);
}

TEST(Shell, ManualHasEveryCommandAndIsSoundRoff) {
  const std::string text = call({"man"}).out;
  EXPECT_EQ(text.rfind(".TH DAEDALUS 1", 0), 0u);
  for (const std::string& command : commands()) {
    std::string name;
    for (const char c : command) name += c == '-' ? std::string("\\-") : std::string(1, c);
    EXPECT_TRUE(has(text, ".SS daedalus " + name)) << command;
  }
  if (std::system("groff --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "groff is not installed";
  const ScratchFolder folder;
  std::ofstream(folder / "daedalus.1") << text;
  EXPECT_EQ(std::system(("groff -man -Tascii -ww -z '" + (folder / "daedalus.1") + "' > '" +
                         (folder / "log") + "' 2>&1")
                            .c_str()),
            0);
  EXPECT_EQ(contents(folder / "log"), "");
}

TEST(Shell, ColoursOnlyWhereTheyAreWanted) {
  const std::vector<std::string> run{"solve", "pendulum", "--t-end", "0.1"};
  EXPECT_FALSE(has(call(run).out, "\033["));  // no terminal
  std::vector<std::string> always = run;
  always.insert(always.end(), {"--color", "always"});
  EXPECT_TRUE(has(call(always).out, "\033[32msuccess"));
  always.back() = "never";
  EXPECT_FALSE(has(call(always).out, "\033["));
  always.back() = "sometimes";
  EXPECT_EQ(call(always).code, 2);
}

TEST(Bench, CountsAndErrorsAreThoseOfTheRuns) {
  const Answer answer = call({"bench", "pendulum", "--methods", "rodas4,bdf", "--rtol", "1e-3:1e-5",
                              "--repetitions", "1", "--json", "--summary"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto runs = answer.json().at("runs");
  ASSERT_EQ(runs.size(), 6u);  // two methods at three tolerances
  const auto solved = call({"solve", "pendulum", "--method", "bdf", "--rtol", "1e-5", "--json"});
  const auto& last = runs.back();
  EXPECT_EQ(last.at("solver"), "bdf");
  EXPECT_EQ(last.at("steps"), solved.json().at("statistics").at("steps"));
  EXPECT_NEAR(last.at("mescd").get<double>(), solved.json().at("error").at("mescd").get<double>(),
              1e-9);
  // Tighter tolerances give more digits and more steps.
  EXPECT_GT(runs[2].at("mescd"), runs[0].at("mescd"));
  EXPECT_GT(runs[2].at("steps"), runs[0].at("steps"));
  EXPECT_EQ(call({"bench", "pendulum", "--rtol", "1e-3:0"}).code, 2);
  EXPECT_EQ(call({"bench", "pendulun"}).code, 2);
}

TEST(Bench, TimeAtADigitIsInterpolated) {
  BenchLine line{nullptr, "x", {}};
  for (const double digits : {3.0, 5.0}) {
    bench::Run run;
    run.ok = true;
    run.mescd = digits;
    run.seconds = std::pow(10.0, digits - 4.0);
    line.runs.push_back(run);
  }
  EXPECT_NEAR(seconds_at(line, 4.0), 1.0, 1e-12);  // half-way between 0.1 and 10
  EXPECT_TRUE(std::isnan(seconds_at(line, 6.0)));
}

TEST(Figures, AreDrawnAsSvgAndPdfWithDashesAndMarkers) {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "gnuplot is not installed";
  const ScratchFolder folder;
  const std::string svg = folder / "order.svg", pdf = folder / "order.pdf";
  const std::vector<std::string> order{"order", "jay", "--method", "bdf", "--h", "2^-6:2^-9"};
  for (const std::string& path : {svg, pdf}) {
    std::vector<std::string> arguments = order;
    arguments.insert(arguments.end(), {"--plot", path});
    const Answer answer = call(arguments);
    EXPECT_EQ(answer.code, 0) << answer.err;
  }
  EXPECT_EQ(contents(pdf).rfind("%PDF", 0), 0u);
  EXPECT_TRUE(has(contents(svg), "stroke-dasharray"));
  EXPECT_TRUE(has(contents(svg), "slope"));
  EXPECT_EQ(
      call({"bench", "kvaerno-a", "--methods", "rodas4", "--rtol", "1e-3:1e-4", "--repetitions",
            "1", "--plot", folder / "bench.pdf", "--csv", folder / "bench.csv"})
          .code,
      0);
  EXPECT_EQ(contents(folder / "bench.pdf").rfind("%PDF", 0), 0u);
  EXPECT_EQ(call({"order", "jay", "--method", "bdf", "--plot", folder / "order.png"}).code, 2);
}

// The tolerances of the catalogue per variable are those of the model; formulations have more.
TEST(Bench, TakesFormulationsWithVariablesOfTheirOwn) {
  const Answer answer = call(
      {"bench", "suspension", "--methods", "odassl", "--rtol", "1e-2,1e-3", "--repetitions", "1"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_TRUE(has(answer.out, "odassl")) << answer.out;
}

// A legend of 60 letters, or of three columns, once took nearly all of the panel, and 57 names lay
// upon each other.
TEST(Figures, LegendsLeaveRoomForTheCurves) {
  const auto room = [](std::size_t curves, std::size_t letters, std::size_t names = 0) {
    Figure figure{.title = "t", .x_label = "x", .y_label = "y"};
    figure.x_names.assign(names, "name");
    figure.curves.assign(curves, {std::string(letters, 'a'), {1e-3, 1.0}, {1.0, 2.0}});
    const std::string script = figure_script({figure}, PictureKind::svg);
    const auto number_after = [&](const std::string& text) {
      const std::size_t at = script.find(text);
      return at == std::string::npos ? 0.0 : std::stod(script.substr(at + text.size()));
    };
    const double width = number_after("set terminal svg size ");
    // The legend begins behind the curves and has 9 pixels per letter and column of 12 names.
    const double legend = number_after("set key at screen ");
    EXPECT_GT(legend, number_after("set rmargin at screen "));
    EXPECT_GE((1.0 - legend) * width, 9.0 * static_cast<double>(letters * ((curves + 11) / 12)));
    return (number_after("set rmargin at screen ") - number_after("set lmargin at screen ")) *
           width;
  };
  EXPECT_NEAR(room(1, 10), 400.0, 0.1);
  EXPECT_NEAR(room(1, 60), 400.0, 0.1);
  EXPECT_NEAR(room(40, 20), 400.0, 0.1);
  EXPECT_NEAR(room(2, 8, 57), 1140.0, 0.1);  // names below the axis are 20 pixels apart
}

// Labels of decades once ran into one another; on an axis that runs backwards there were none.
TEST(Figures, AxesHaveLabelsThatCanBeRead) {
  const auto script = [](double least, double highest) {
    Figure figure{.title = "t", .x_label = "x", .y_label = "y"};
    figure.curves = {{"a", {least, 1.0}, {1.0, highest}}};
    return figure_script({figure}, PictureKind::svg);
  };
  const std::string few = script(1e-3, 10.0), many = script(1e-12, 1.001);
  EXPECT_TRUE(has(few, "set xtics ('1e-3' 1e-3, '1e-2' 1e-2, '1e-1' 1e-1, '1e0' 1e0)")) << few;
  EXPECT_TRUE(has(few, "set ytics ('1e0' 1e0, '2e0' 2e0, '5e0' 5e0, '1e1' 1e1)")) << few;
  EXPECT_TRUE(has(many, "set xtics ('1e-12' 1e-12, '1e-10' 1e-10, '1e-8' 1e-8")) << many;
  EXPECT_TRUE(has(many, "set ytics autofreq\nset format y '%.1e'")) << many;
  if (find_gnuplot().empty()) GTEST_SKIP() << "no gnuplot";
  const ScratchFolder folder;
  Figure errors{.title = "t", .x_label = "error", .y_label = "y", .reverse_x = true};
  errors.curves = {{"a", {1e-9, 1e-2}, {200.0, 100.0}}};
  AtomicFile file(folder / "errors.svg");
  draw({errors}, file);
  for (const char* label : {"1e-8", "1e-6", "1e-4", "1e-2"})
    EXPECT_TRUE(has(contents(folder / "errors.svg"), label)) << label;
}

TEST(Mends, NumbersThatDoNotExistAreSaidInWords) {
  const Answer absolute = call({"solve", "pendulum", "--rtol", "0", "--atol", "1e-6"});
  EXPECT_EQ(absolute.code, 0) << absolute.err;
  EXPECT_TRUE(has(absolute.out, "mescd not defined (rtol is 0)")) << absolute.out;
  const Answer zero = call({"solve", "arnold-19"});
  EXPECT_FALSE(has(zero.out, "nan")) << zero.out;
  EXPECT_FALSE(has(absolute.out, "nan")) << absolute.out;
}

TEST(Mends, IgnoredOptionsAreNamed) {
  const Answer answer = call({"solve", "robertson", "--t-end", "1", "--watch-drift"});
  EXPECT_EQ(answer.code, 0);
  EXPECT_TRUE(has(answer.err, "--watch-drift has nothing to watch")) << answer.err;
  EXPECT_FALSE(has(call({"solve", "pendulum", "--watch-drift"}).err, "nothing to watch"));
}

TEST(Mends, JsonHasThePhases) {
  const auto statistics = call({"solve", "pendulum", "--json"}).json().at("statistics");
  long sum = 0;
  for (const auto& [phase, counts] : statistics.at("phases").items())
    sum += counts.at("factorisations").get<long>();
  EXPECT_EQ(statistics.at("phases").size(), 5u);
  EXPECT_EQ(sum, statistics.at("factorisations").get<long>());
}

TEST(Mends, ShowListsEveryFormulationThatTheMethodTakes) {
  const std::string text = call({"show", "bdf"}).out;
  for (const char* name : {"index3", "index2", "index1", "ggl", "baumgarte"})
    EXPECT_TRUE(has(text, name)) << name;
}

}  // namespace
}  // namespace daedalus::cli::shell_test
