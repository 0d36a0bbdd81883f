// SPDX-License-Identifier: BSD-3-Clause
// Objects after a move, times that are no numbers, and callables beside the model that throw:
// clear errors, no crash, nothing lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <daedalus/integrator.hpp>
#include <daedalus/long_run.hpp>

#include "loop/support.hpp"

namespace daedalus::loop_test {
namespace {

using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "no exception";
}

TEST(Moved, ASolutionSaysSo) {
  Solution s = solve(oscillator(), {0.0, 1.0}, {.method = "rodas4"});
  const Solution kept = std::move(s);
  EXPECT_TRUE(kept.ok());
  EXPECT_THAT(refusal([&] { (void)s.ok(); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { (void)s.times(); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { (void)s.end(); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { (void)s.at(0.5); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { (void)s.message(); }), HasSubstr("moved from"));
  s = kept;
  EXPECT_EQ(s.end_time(), 1.0);
}

TEST(Moved, AnIntegratorSaysSo) {
  Integrator a(oscillator(), {.method = "rodas4"});
  a.initialize(0.0, 1.0);
  a.step(1.0);
  Integrator b = std::move(a);
  EXPECT_GT(b.t(), 0.0);
  EXPECT_THAT(refusal([&] { a.step(1.0); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { a.run(1.0); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { (void)a.t(); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { (void)a.state(); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { (void)a.solution(); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { (void)a.statistics(); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { a.initialize(0.0); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { a.checkpoint(); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { a.resume(Checkpoint{}); }), HasSubstr("moved from"));
  a = std::move(b);
  EXPECT_EQ(a.run(1.0), Status::success);
}

TEST(Moved, AProblemIsRefused) {
  Problem p = oscillator();
  const Problem kept = std::move(p);
  EXPECT_THROW(solve(p, {0.0, 1.0}), InvalidArgument);
  EXPECT_TRUE(solve(kept, {0.0, 1.0}).ok());
  EXPECT_THROW(Integrator(p, {}).initialize(0.0), InvalidArgument);
}

TEST(Moved, AStateStaysWhatItWas) {
  ModelState a = solve(oscillator(), {0.0, 1.0}, {.method = "rodas4"}).end();
  const ModelState b = std::move(a);
  EXPECT_EQ(a["sine"], b["sine"]);
}

TEST(Times, ThatAreNoNumbersAreRefused) {
  const Solution s = solve(oscillator(), {0.0, 1.0}, {.method = "rodas4", .output = Output::dense});
  for (const double t : {nan, infinity, -infinity})
    EXPECT_THAT(refusal([&] { (void)s.at(t); }), HasSubstr("at: t = "));
  Integrator run(oscillator(), {.method = "rodas4"});
  EXPECT_THROW(run.initialize(nan), InvalidArgument);
  ASSERT_EQ(run.initialize(0.0, 1.0), Status::success);
  for (const double t : {nan, infinity, -infinity}) {
    EXPECT_THAT(refusal([&] { run.step(t); }), HasSubstr("step: t_end = "));
    EXPECT_THAT(refusal([&] { run.run(t); }), HasSubstr("run: t_end = "));
    EXPECT_THROW((void)run.interpolate(t), InvalidArgument);
  }
  EXPECT_EQ(run.run(1.0), Status::success) << "a refusal changes nothing";
  EXPECT_NEAR(run.state()["sine"], std::sin(1.0), 1e-4);
}

struct Hook {
  const char* name;
  std::function<void(Options&, std::function<void(double)>)> put;
};

class Hooks : public ::testing::TestWithParam<Hook> {};

TEST_P(Hooks, ThatThrowEndTheRunAndNothingIsLost) {
  Options o{.method = "rodas4"};
  double time = 0.0;
  o.progress = [&time](const Progress& p) { time = p.t; };
  const auto fuse = [&time](double t) {
    time = std::max(time, t);
    if (time > 0.5) throw std::runtime_error("the disk is full");
  };
  GetParam().put(o, fuse);
  const Solution s = solve(oscillator(), {0.0, 1.0}, o);
  EXPECT_EQ(s.status(), Status::callback_failed);
  EXPECT_THAT(s.message(), HasSubstr(GetParam().name));
  EXPECT_THAT(s.message(), HasSubstr("the disk is full"));
  ASSERT_TRUE(s.exception());
  EXPECT_THROW(std::rethrow_exception(s.exception()), std::runtime_error);
  EXPECT_GT(s.times().size(), 3u);
  EXPECT_GT(s.end_time(), 0.3);
  EXPECT_NEAR(s.end()["sine"], std::sin(s.end_time()), 1e-4);
  // One step at a time: the same, and the integrator stays where it was.
  time = 0.0;
  Integrator run(oscillator(), o);
  ASSERT_EQ(run.initialize(0.0, 1.0), Status::success);
  EXPECT_EQ(run.run(1.0), Status::callback_failed);
  EXPECT_NEAR(run.state()["sine"], std::sin(run.t()), 1e-4);
  EXPECT_EQ(run.step(1.0).status, Status::callback_failed);
}

INSTANTIATE_TEST_SUITE_P(
    All, Hooks,
    ::testing::Values(Hook{"progress",
                           [](Options& o, std::function<void(double)> fuse) {
                             o.progress = [fuse](const Progress& p) { fuse(p.t); };
                           }},
                      Hook{"cancel",
                           [](Options& o, std::function<void(double)> fuse) {
                             o.cancel = [fuse] { return fuse(0.0), false; };
                           }},
                      Hook{"trace",
                           [](Options& o, std::function<void(double)> fuse) {
                             o.trace = [fuse](const StepRecord& r) { fuse(r.t); };
                           }},
                      Hook{"sink",
                           [](Options& o, std::function<void(double)> fuse) {
                             o.sink = [fuse](const StateView& s) { fuse(s.t()); };
                           }}),
    [](const auto& hook) { return std::string(hook.param.name); });

// Values before or behind the start that multistep methods ask for; `solve` threw what they threw.
TEST(KnownValues, ThatThrowEndTheRun) {
  const auto thrown_from = [](const std::string& method, double t_last) {
    Options o{.method = method, .fixed_step = 0.01};
    o.known = [t_last](double t, Out y) {
      if (t > t_last) throw std::runtime_error("no data there");
      y << std::sin(t), std::cos(t);
      return true;
    };
    return solve(oscillator(), {0.0, 1.0}, o);
  };
  for (const double t_last : {0.0, 0.025}) {
    const Solution s = thrown_from("bdf", t_last);
    EXPECT_EQ(s.status(), Status::callback_failed) << t_last;
    EXPECT_THAT(s.message(), HasSubstr("'known'"));
    EXPECT_THAT(s.message(), HasSubstr("no data there"));
    ASSERT_TRUE(s.exception());
    EXPECT_THROW(std::rethrow_exception(s.exception()), std::runtime_error);
    EXPECT_NEAR(s.end()["sine"], std::sin(s.end_time()), 1e-3);
    EXPECT_LE(s.end_time(), t_last);
  }
  EXPECT_TRUE(thrown_from("bdf", 1.0).ok());
}

TEST(HooksAtTheEdges, ThrowWithoutHarm) {
  Options o{.method = "rodas4"};
  o.sink = [](const StateView&) { throw 1; };
  EXPECT_EQ(solve(oscillator(), {0.0, 1.0}, o).status(), Status::callback_failed);
  o.output = Output::end;
  const Solution s = solve(oscillator(), {0.0, 1.0}, o);
  EXPECT_EQ(s.status(), Status::callback_failed);
  EXPECT_EQ(s.end_time(), 1.0) << "the run itself went well, and is there";
}

// With atol = 0 a variable that starts at 0 has no scale.
TEST(Tolerances, AZeroScaleIsNamed) {
  for (const char* method : {"auto", "rodas4", "radau5", "bdf"}) {
    const std::string why = refusal([&] {
      solve(oscillator(), {0.0, 1.0}, {.method = method, .atol = 0.0});
    });
    EXPECT_THAT(why, HasSubstr("atol")) << method;
    EXPECT_THAT(why, HasSubstr("'sine'")) << method;
  }
  EXPECT_TRUE(solve(decay(), {0.0, 1.0}, {.method = "rodas4", .atol = 0.0}).ok());
}

}  // namespace
}  // namespace daedalus::loop_test
