// SPDX-License-Identifier: BSD-3-Clause
// What the terminal shows: widths from 40 to 200 columns, the table of a sweep, curves of letters,
// why an order is missed.
#include <cstdlib>

#include "tool/order_remark.hpp"
#include "tool/table.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

// COLUMNS as long as it lives.
class Columns {
 public:
  explicit Columns(int columns) { setenv("COLUMNS", std::to_string(columns).c_str(), 1); }
  ~Columns() {
    unsetenv("COLUMNS");
    use_terminal_width(0);
  }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;
};

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) most = std::max(most, width_of(line));
  return most;
}

TEST(Widths, FollowTheTerminal) {
  for (const int columns : {40, 60, 80, 120, 200}) {
    const Columns here(columns);
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"solve", "pendulum", "--t-end", "1", "--ascii"},
             {"list", "problems"},
             {"list", "methods"},
             {"sweep", "pendulum", "--set", "length=1:2:3", "--t-end", "0.1"},
             {"order", "kvaerno-a", "--method", "rodas4", "--h", "2^-4:2^-6"},
             {"explain", "andrews"},
             {"--help"}}) {
      const Answer answer = call(arguments);
      EXPECT_EQ(answer.code, 0) << answer.err;
      EXPECT_LE(widest(answer.out), static_cast<std::size_t>(columns))
          << arguments[0] << ' ' << answer.out;
    }
  }
  const Columns wide(200);
  EXPECT_GT(widest(call({"list", "problems"}).out), 100u);
}

// Long texts are broken inside their column, then columns go below each other with the first one.
TEST(Widths, NothingOfATableIsLost) {
  Table table({"name", "value", "long text", "other"}, {Align::left, Align::right});
  table.add({"first", "1.25", "words that need many columns to be shown", "end1"});
  table.add({"second", "2.5", "short", "end2"});
  for (const std::size_t columns : {40, 50, 100}) {
    use_terminal_width(columns);
    std::ostringstream out;
    table.print(out);
    EXPECT_LE(widest(out.str()), columns);
    for (const char* word : {"first", "second", "1.25", "words", "columns", "shown", "end2"})
      EXPECT_NE(out.str().find(word), std::string::npos) << word << '\n' << out.str();
  }
  use_terminal_width(0);
}

TEST(SweepTable, ShowsParametersAndEndValues) {
  const Answer answer =
      call({"sweep", "pendulum", "--set", "length=1:2:5", "--t-end", "0.5", "--threads", "1"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto end = call({"solve", "pendulum", "--set", "length=1.75", "--t-end", "0.5", "--json"});
  const std::string x = fmt::format("{:.8g}", end.json().at("y").at("x").get<double>());
  const std::size_t row = answer.out.find("  1.75");
  ASSERT_NE(row, std::string::npos) << answer.out;
  const std::string line = answer.out.substr(row, answer.out.find('\n', row) - row);
  EXPECT_NE(line.find("success"), std::string::npos) << line;
  EXPECT_NE(line.find(x), std::string::npos) << line << " has no " << x;
}

TEST(SweepTable, SaysWhatIsLeftOut) {
  const Answer answer = call({"sweep", "pendulum", "--set", "length=1:2:40", "--t-end", "0.001"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_NE(answer.out.find("20 more runs"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("1 more variable;"), std::string::npos);
}

// Units are converted to those of the parameter, and refused where they measure something else.
TEST(Units, BehindSet) {
  const ScratchFolder folder;
  const std::string model = folder / "spring.json";
  std::ofstream(model) << R"({"daedalus": "model", "name": "spring", "interval": [0, 1],
    "parameters": {"mass": {"value": 1, "unit": "kg"}, "rest": {"value": 1, "unit": "mm"}},
    "variables": {"s": {"start": 0, "fixed": true}, "v": {"start": 0, "fixed": true}},
    "equations": ["der(s) = v", "mass*der(v) = rest - s"]})";
  const auto end = [&](const std::vector<std::string>& set) {
    std::vector<std::string> words{"solve", model, "--rtol", "1e-8", "--json"};
    for (const std::string& s : set) words.insert(words.end(), {"--set", s});
    const Answer answer = call(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer.json().at("y").at("s").get<double>();
  };
  const double plain = end({"mass=2", "rest=30"});
  EXPECT_EQ(end({"mass=2000g", "rest=30"}), plain);
  EXPECT_NEAR(end({"mass=2kg", "rest=3cm"}), plain, 1e-12 * plain);
  const Answer wrong = call({"solve", model, "--set", "mass=2m"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("'2m', but the parameter is measured in kg"), std::string::npos)
      << wrong.err;
  // In a netlist the suffix is that of SPICE.
  const std::string net = folder / "rc.cir";
  std::ofstream(net) << "rc\nV1 a 0 1\nR1 a b 1k\nC1 b 0 1u\n.tran 1u 1m\n.end\n";
  const auto b = [&](const std::string& set) {
    const Answer answer = call({"solve", net, "--set", set, "--json"});
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer.json().at("y").at("v(b)").get<double>();
  };
  EXPECT_EQ(b("R1=2k"), b("R1=2000"));
}

TEST(AsciiPlot, DrawsTheCurves) {
  const Answer answer = call({"solve", "pendulum", "--t-end", "2", "--ascii"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_NE(answer.out.find("* x"), std::string::npos) << answer.out;
  // Twelve rows between two labels, both marks in them, and the axis of time.
  EXPECT_NE(answer.out.find("+-----"), std::string::npos);
  std::istringstream lines(answer.out);
  int stars = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bar = line.find(" |");
    if (bar != std::string::npos && line.find('*', bar) != std::string::npos) ++stars;
  }
  EXPECT_GE(stars, 8);
}

// Errors that are made up: every reason is told from what the errors show.
TEST(OrderRemarks, NameTheReason) {
  const Method* rodas4 = find_method("rodas4");
  ASSERT_NE(rodas4, nullptr);
  const auto remark = [&](const std::vector<double>& h, const std::vector<double>& errors,
                          double length) {
    testing::OrderStudy study;
    study.steps = h;
    study.errors["y"] = errors;
    study.orders["y"] = testing::observed_order(h, errors, 0.0);
    const auto remarks = order_remarks(study, rodas4, {0.0, length});
    return remarks.empty() ? std::string() : remarks.front();
  };
  const std::vector<double> h{0.1, 0.05, 0.025, 0.0125};
  const std::vector<double> good{1.6e-5, 1e-6, 6.25e-8, 3.9e-9};
  EXPECT_EQ(remark(h, good, 1.0), "");
  EXPECT_NE(remark(h, {1.6e-12, 1e-13, 1.1e-13, 1.2e-13}, 1.0).find("round-off"),
            std::string::npos);
  EXPECT_NE(remark(h, {1.6e-3, 1e-3, 9e-4, 8.9e-4}, 1.0).find("whatever the step"),
            std::string::npos);
  EXPECT_NE(remark(h, {1e-4, 9e-5, 6e-6, 3.75e-7}, 1.0).find("too large"), std::string::npos);
  EXPECT_NE(remark(h, {8e-3, 2e-3, 5e-4, 1.25e-4}, 1.03).find("does not divide"),
            std::string::npos);
  EXPECT_NE(remark(h, {8e-3, 2e-3, 5e-4, 1.25e-4}, 1.0).find("stiff"), std::string::npos);
}

TEST(OrderRemarks, AreInTextAndDocument) {
  const std::vector<std::string> tiny{"order",  "kvaerno-a", "--method",
                                      "rodas5", "--h",       "2^-9:2^-12"};
  std::vector<std::string> json = tiny;
  json.emplace_back("--json");
  const auto remarks = call(json).json().at("remarks");
  ASSERT_FALSE(remarks.empty());
  EXPECT_NE(remarks[0].get<std::string>().find("instead of"), std::string::npos) << remarks;
  EXPECT_NE(call(tiny).out.find("remark"), std::string::npos);
}

}  // namespace
}  // namespace daedalus::cli
