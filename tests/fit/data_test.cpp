// SPDX-License-Identifier: BSD-3-Clause
// Data files and free quantities as people write them; mistakes are named with their place.
#include <cmath>

#include <daedalus/fit.hpp>
#include <daedalus/model_file.hpp>
#include <daedalus/trajectory_file.hpp>

namespace daedalus::fit_test {
namespace {

Experiment parse(const std::string& text, const DataOptions& options = {}) {
  return parse_experiment(text, "run.csv", options);
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Data, HasTimesValuesSigmasAndSettings) {
  const Experiment e =
      parse("# set: S0 = 0.3\n# a comment\nt,x [mm],x.sigma,y\r\n2,4,0.1,\n1,3,0.2,7\n1,nan,,NA\n",
            {.sigma = {{"y", 0.5}}, .scale = {{"x", 1e-3}}});
  EXPECT_EQ(e.name, "run");
  EXPECT_EQ(e.set.at("S0"), 0.3);
  EXPECT_EQ(e.t, (std::vector<double>{2, 1, 1}));
  EXPECT_EQ(e.line, (std::vector<long>{4, 5, 6}));
  ASSERT_EQ(e.outputs.size(), 2u);
  EXPECT_EQ(e.outputs[0].name, "x");
  EXPECT_DOUBLE_EQ(e.outputs[0].value[0], 4e-3);
  EXPECT_DOUBLE_EQ(e.outputs[0].sigma[1], 2e-4);
  EXPECT_TRUE(std::isnan(e.outputs[0].value[2]));
  EXPECT_TRUE(std::isnan(e.outputs[1].value[0]));
  EXPECT_EQ(e.outputs[1].sigma, (std::vector<double>{0.5}));
}

TEST(Data, OptionsWinOverTheFile) {
  EXPECT_EQ(parse("# set: S0 = 0.3\nt,x\n1,2\n", {.set = {{"S0", 2.0}}}).set.at("S0"), 2.0);
  EXPECT_EQ(parse("t,x,note\n1,2,hello\n", {.ignore = {"note"}}).outputs.size(), 1u);
}

TEST(Data, MistakesHaveTheirPlace) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"x,t\n1,2\n", "'run.csv', line 1, column 1: the first column is 'x'"},
      {"t,x\n1,2,3\n", "'run.csv', line 2: the line has 3 values"},
      {"t,x\n1,2\n2,abc\n", "'run.csv', line 3, column 2: 'abc' is no number"},
      {"t,x\nnow,2\n", "'run.csv', line 2, column 1: 'now' is no time"},
      {"t,x,x.sigma\n1,2,0\n", "'run.csv', line 2, column 3: a standard deviation is positive"},
      {"t,x,x.sigma\n1,2,\n", "'run.csv', line 2: 'x' has a value here"},
      {"t,x,y.sigma\n1,2,3\n", "'run.csv', line 1, column 3: 'y.sigma' belongs to no column 'y'"},
      {"t,x,x\n1,2,3\n", "'run.csv', line 1, column 3: there are two columns 'x'"},
      {"# set: S0\nt,x\n1,2\n", "'run.csv', line 1: '# set: S0' is not understood"},
      {"t,x\n1,inf\n", "'run.csv', line 2, column 2: 'inf' is no number"},
      {"t,x\n1,1e400\n", "'run.csv', line 2, column 2: '1e400' is out of the range of numbers"},
      {"t,\"x\n1,2\n", "'run.csv', line 1, column 2: a quote is not closed"},
      {"t,x\n", "'run.csv', line 1: there are no data"},
      {"t\n1\n", "'run.csv', line 1: there is no column of data"}};
  for (const auto& item : cases) {
    const std::string wanted = item.second;
    const std::string said = message_of([&] { parse(item.first); });
    EXPECT_EQ(said.substr(0, wanted.size()), wanted) << said;
  }
}

TEST(Free, IsReadInAllItsForms) {
  EXPECT_TRUE(std::isnan(parse_free("k1").start));
  EXPECT_EQ(parse_free("k1=0.5").start, 0.5);
  const FreeQuantity q = parse_free("k1=0.1..10@2:log");
  EXPECT_EQ(q.name, "k1");
  EXPECT_EQ(q.lower, 0.1);
  EXPECT_EQ(q.upper, 10.0);
  EXPECT_EQ(q.start, 2.0);
  EXPECT_EQ(q.log, true);
  EXPECT_EQ(parse_free("k1=1..1e6:linear").log, false);
  EXPECT_EQ(parse_free("run2.start:x=-2..2").name, "run2.start:x");
  for (const char* wrong : {"", "=1", "k=", "k=a", "k=1..", "k=1..2@", "k=1..2:cubic"})
    EXPECT_THROW(parse_free(wrong), InvalidArgument) << wrong;
}

Fit oscillator() {
  const ModelFile file = read_model_text(R"({"daedalus": "model", "name": "decay",
    "parameters": {"rate": 1, "other": 2}, "variables": {"x": {"start": 1, "fixed": true, "unit": "m"}},
    "equations": ["der(x) = -rate*x"]})",
                                         "decay.json");
  Fit fit{.model = file.entry};
  fit.experiments = {parse("t,x\n0,1\n1,0.3\n2,0.1\n")};
  fit.free = {parse_free("rate")};
  return fit;
}

std::string said_by(const std::function<void(Fit&)>& change) {
  Fit fit = oscillator();
  change(fit);
  return message_of([&] { daedalus::fit(fit); });
}

TEST(Fit, MistakesAreNamedBeforeAnythingRuns) {
  using testing::HasSubstr;
  EXPECT_THAT(said_by([](Fit& f) { f.free = {parse_free("rats")}; }),
              HasSubstr("there is no parameter 'rats'; did you mean rate?"));
  EXPECT_THAT(said_by([](Fit& f) { f.free = {parse_free("start:z")}; }),
              HasSubstr("there is no start value 'z'"));
  EXPECT_THAT(said_by([](Fit& f) {
                f.free = {parse_free("rate"), parse_free("rate=2")};
              }),
              HasSubstr("the same quantity"));
  EXPECT_THAT(said_by([](Fit& f) { f.free = {parse_free("rate=2..1")}; }),
              HasSubstr("from 2 to 1"));
  EXPECT_THAT(said_by([](Fit& f) { f.free = {parse_free("rate=1..2@3")}; }),
              HasSubstr("outside of"));
  EXPECT_THAT(said_by([](Fit& f) { f.experiments = {parse("t,position\n1,2\n")}; }),
              HasSubstr("'run.csv', line 1, column 2: there is no variable or output 'position'"));
  EXPECT_THAT(said_by([](Fit& f) { f.experiments = {parse("t,x\n1,2\n-1,2\n")}; }),
              HasSubstr("'run.csv', line 3: the time -1 lies before the start 0"));
  EXPECT_THAT(said_by([](Fit& f) { f.experiments = {parse("t,x [mm]\n1,2\n")}; }),
              HasSubstr("'x' is measured in mm and the model has it in m"));
  EXPECT_THAT(said_by([](Fit& f) { f.starts = 5; }), HasSubstr("'rate' has no bounds"));
  EXPECT_THAT(said_by([](Fit& f) { f.set = {{"rat", 1.0}}; }), HasSubstr("did you mean rate?"));
}

TEST(Fit, SaysSoWhereItIsBuiltWithoutCeres) {
  if (can_fit()) GTEST_SKIP() << "built with Ceres";
  const FitResult r = fit(oscillator());
  EXPECT_EQ(r.status, FitStatus::failed);
  EXPECT_THAT(r.message, testing::HasSubstr("install libceres-dev"));
}

}  // namespace
}  // namespace daedalus::fit_test
