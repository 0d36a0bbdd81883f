// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: a run that is killed and resumed is the run that was never interrupted, bit for bit.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <catalogue/catalogue.hpp>
#include <daedalus/checkpoint_file.hpp>
#include <daedalus/integrator.hpp>
#include <daedalus/long_run.hpp>
#include <daedalus/recommend.hpp>
#include <daedalus/trajectory_file.hpp>

#include "scratch_folder.hpp"

namespace daedalus::checkpoint_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Case {
  std::string problem, method, formulation = "auto";
  double t_end;
  Options options{};
};

Interval interval_of(const Case& c) {
  const problems::Entry& e = *problems::find_problem(c.problem);
  return {e.t0, c.t_end};
}
Problem problem_of(const Case& c) { return problems::find_problem(c.problem)->problem(); }

Options options_of(const Case& c) {
  Options o = c.options;
  o.method = c.method;
  o.formulation = c.formulation;
  return o;
}

// The run in a process of its own that is killed after `steps` accepted steps, as by kill -9.
// Returns false when it ended before.
bool killed(const Case& c, long steps, LongRun run, const std::string& out) {
  const pid_t child = fork();
  if (child == 0) {
    Options o = options_of(c);
    o.progress = [&](const Progress& p) {
      if (p.steps == steps) raise(SIGKILL);
    };
    TrajectoryFile file(out, true);
    file.attach(o, run);
    const Solution s = solve(problem_of(c), interval_of(c), o, run);
    _exit(s.ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

void expect_same(const Solution& a, const Solution& b, const std::string& where) {
  EXPECT_EQ(a.status(), b.status()) << where << b.message();
  EXPECT_EQ(a.times(), b.times()) << where;
  ASSERT_EQ(a.end_time(), b.end_time()) << where;
  const ModelState ea = a.end(), eb = b.end();
  EXPECT_EQ(0, std::memcmp(ea.y().data(), eb.y().data(), sizeof(double) * ea.y().size())) << where;
  const Statistics &sa = a.statistics(), &sb = b.statistics();
  EXPECT_EQ(sa.accepted, sb.accepted) << where;
  EXPECT_EQ(sa.rejected, sb.rejected) << where;
  EXPECT_EQ(sa.restarts, sb.restarts) << where;
  EXPECT_EQ(sa.order_histogram, sb.order_histogram) << where;
  EXPECT_EQ(sa.total().function_evaluations, sb.total().function_evaluations) << where;
  EXPECT_EQ(sa.total().residual_evaluations, sb.total().residual_evaluations) << where;
  EXPECT_EQ(sa.total().factorisations, sb.total().factorisations) << where;
  EXPECT_EQ(a.events().size(), b.events().size()) << where;
  EXPECT_EQ(a.warnings(), b.warnings()) << where;
}

// Killed after a number of steps drawn from `seed`, resumed, killed again and resumed to the end.
void expect_resumable(const Case& c, unsigned seed) {
  const ScratchFolder folder;
  const std::string name = c.method + " on " + c.problem + " " + c.formulation + ", ";
  LongRun whole;
  Options o = options_of(c);
  TrajectoryFile whole_file(folder / "whole.csv");
  whole_file.attach(o, whole);
  const Solution expected = solve(problem_of(c), interval_of(c), o, whole);
  ASSERT_TRUE(expected.ok()) << name << expected.message();
  whole_file.commit();
  const long n = expected.statistics().accepted;
  ASSERT_GE(n, 4) << name << "too few steps to interrupt";
  std::mt19937 random(seed);
  LongRun run;
  run.checkpoint = folder / "run.check";
  run.checkpoint_steps = 1 + static_cast<long>(random() % 2);
  const long first = 2 + static_cast<long>(random() % static_cast<unsigned long>(n - 3));
  ASSERT_TRUE(killed(c, first, run, folder / "run.csv")) << name;
  if (!fs::exists(run.checkpoint)) return;  // killed before the first one
  run.resume = run.checkpoint;
  const long second = std::min(n - 1, first + 1 + static_cast<long>(random() % 5));
  if (second > first) {
    ASSERT_TRUE(killed(c, second, run, folder / "run.csv")) << name;
  }
  Options again = options_of(c);
  TrajectoryFile file(folder / "run.csv", true);
  file.attach(again, run);
  const Solution resumed = solve(problem_of(c), interval_of(c), again, run);
  file.commit();
  expect_same(expected, resumed,
              name + "killed after steps " + std::to_string(first) + " and " +
                  std::to_string(second) + " of " + std::to_string(n) + ": ");
  EXPECT_EQ(bytes(folder / "whole.csv"), bytes(folder / "run.csv")) << name;
}

// Which problem and length suits a method: the first of these that it takes.
Case case_for(const Method& method) {
  const std::vector<std::pair<std::string, double>> candidates{
      {"pendulum", 0.4},  {"heavy-top-r3xso3", 0.02}, {"jay", 0.3},       {"index2-p2", 0.3},
      {"kvaerno-a", 0.3}, {"heavy-top-so3", 0.02},    {"robertson", 1e-2}};
  for (const auto& [problem, length] : candidates) {
    const problems::Entry* entry = problems::find_problem(problem);
    if (entry == nullptr) continue;
    Case c{problem, method.name, "auto", entry->t0 + length, {}};
    c.options.rtol = 1e-4;
    c.options.atol = 1e-6;
    if (method.error_order == 0 || method.fixed_step_only || method.equal_steps_only)
      c.options.fixed_step = length / 16.0;
    try {
      Options o = options_of(c);
      recommend(problem_of(c), o);
      const Solution s = solve(problem_of(c), interval_of(c), o);
      if (s.ok() && s.statistics().accepted >= 6) return c;
    } catch (const InvalidArgument&) {
    }
  }
  return {"", method.name, "auto", 0.0, {}};
}

std::string name_of_method(const ::testing::TestParamInfo<const Method*>& method) {
  std::string name = method.param->name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

class EveryMethod : public ::testing::TestWithParam<const Method*> {};

TEST_P(EveryMethod, GoesOnWhereItWasKilled) {
  const Case c = case_for(*GetParam());
  ASSERT_NE(c.problem, "") << "no problem found for " << GetParam()->name;
  expect_resumable(c, 7);
}

INSTANTIATE_TEST_SUITE_P(Checkpoint, EveryMethod,
                         ::testing::ValuesIn(all_methods().begin(), all_methods().end()),
                         name_of_method);

class SlowEveryMethod : public EveryMethod {};

TEST_P(SlowEveryMethod, GoesOnFromAnyStep) {
  const Case c = case_for(*GetParam());
  ASSERT_NE(c.problem, "");
  for (unsigned seed = 1; seed <= 12 && !HasFailure(); ++seed) expect_resumable(c, seed);
}

INSTANTIATE_TEST_SUITE_P(Checkpoint, SlowEveryMethod,
                         ::testing::ValuesIn(all_methods().begin(), all_methods().end()),
                         name_of_method);

TEST(Checkpoint, HoldsDenseOutput) {
  Case c{"pendulum", "rodas4", "auto", 1.0, {}};
  c.options.output = Output::dense;
  const ScratchFolder folder;
  const Solution whole = solve(problem_of(c), interval_of(c), options_of(c));
  LongRun run;
  run.checkpoint = folder / "run.check";
  run.checkpoint_steps = 3;
  ASSERT_TRUE(killed(c, 8, run, folder / "run.csv"));
  run.resume = run.checkpoint;
  Options o = options_of(c);
  TrajectoryFile file(folder / "run.csv", true);
  file.attach(o, run);
  const Solution resumed = solve(problem_of(c), interval_of(c), o, run);
  expect_same(whole, resumed, "dense ");
  for (int i = 0; i <= 50; ++i) {
    const ModelState a = whole.at(0.02 * i), b = resumed.at(0.02 * i);
    EXPECT_EQ(Eigen::VectorXd(a.y()), Eigen::VectorXd(b.y())) << i;
  }
}

// A ball that bounces: handlers change the state, the method starts again, and the work arrays are
// those of the last restart.
MultibodyProblem ball() {
  MultibodyProblem p;
  p.name = "ball";
  p.space = euclidean(1);
  p.mass = [](double, In, MatrixOut m) { m(0, 0) = 1.0; };
  p.force = [](double, In, In, Out f) { f[0] = -9.81; };
  p.q0 = Eigen::VectorXd::Constant(1, 1.0);
  p.v0 = Eigen::VectorXd::Zero(1);
  p.q_names = {"height"};
  p.v_names = {"speed"};
  return p;
}
Options bouncing() {
  Options o;
  o.rtol = 1e-6;
  o.events = {{.name = "ground",
               .when = [](const StateView& s) { return s.q()[0]; },
               .direction = Crossing::falling,
               .action = EventAction::handle,
               .handler =
                   [](EventContext& e) {
                     e.of(VariableClass::q)[0] = 0.0;
                     e.of(VariableClass::v)[0] *= -0.8;
                   }}};
  return o;
}

TEST(Checkpoint, HoldsEventsAndRestarts) {
  for (const char* method : {"bdf", "rodas4", "rk4", "hedop5"}) {
    const ScratchFolder folder;
    Options o = bouncing();
    o.method = method;
    if (o.method == "rk4") o.fixed_step = 0.01;
    const Solution whole = solve(ball(), {0.0, 2.0}, o);
    ASSERT_TRUE(whole.ok()) << method << whole.message();
    ASSERT_GE(whole.events().size(), 3u);
    for (long stop = 5; stop < whole.statistics().accepted; stop += 7) {
      Integrator a(ball(), o);
      a.initialize(0.0, 2.0);
      for (long i = 0; i < stop; ++i) a.step(2.0);
      write_checkpoint(folder / "ball.check", a.checkpoint());
      Integrator b(ball(), o);
      b.resume(read_checkpoint(folder / "ball.check"));
      EXPECT_EQ(b.t(), a.t());
      b.run(2.0);
      const Solution rest = b.solution();
      EXPECT_EQ(rest.times(), whole.times()) << method << " " << stop;
      const ModelState x = whole.end(), y = rest.end();
      EXPECT_EQ(x["speed"], y["speed"]) << method << " " << stop;
      ASSERT_EQ(rest.events().size(), whole.events().size());
      EXPECT_EQ(rest.events().back().t, whole.events().back().t);
      EXPECT_EQ(rest.statistics().restarts, whole.statistics().restarts);
    }
  }
}

// With given steps the iteration leaves no remainder for the sake of an old matrix (GroupNewton);
// a resumed run that took them for chosen ones after the event would differ by 4e-9 here.
TEST(Checkpoint, HoldsThatStepsAreGivenAfterAnEvent) {
  const ScratchFolder folder;
  const Problem top = problems::find_problem("heavy-top-r3xso3")->problem();
  const double end = 0.3, h = 2e-3;
  Options o;
  o.method = "bliedf3";
  o.fixed_step = h;
  o.rtol = 1e-9;
  o.atol = 1e-9;
  o.events = {{.name = "brake",
               .when = [](const StateView& s) { return s.t() - 0.0501; },
               .direction = Crossing::rising,
               .action = EventAction::handle,
               .handler =
                   [](EventContext& e) {
                     for (double& v : e.of(VariableClass::v)) v *= 0.9;
                   }}};
  const Solution whole = solve(top, {0.0, end}, o);
  ASSERT_TRUE(whole.ok()) << whole.message();
  ASSERT_EQ(whole.events().size(), 1u);
  for (long stop = 32; stop < whole.statistics().accepted; stop += 3) {
    Integrator a(top, o);
    a.initialize(0.0, end);
    for (long i = 0; i < stop; ++i) a.step(end);
    write_checkpoint(folder / "top.check", a.checkpoint());
    Integrator b(top, o);
    b.resume(read_checkpoint(folder / "top.check"));
    b.run(end);
    expect_same(whole, b.solution(), "stopped after step " + std::to_string(stop) + ": ");
  }
}

class Damaged : public ::testing::Test {
 protected:
  void SetUp() override {
    run.checkpoint = folder / "run.check";
    run.checkpoint_steps = 3;
    Options o = options_of(c);
    solve(problem_of(c), interval_of(c), o, run);
    ASSERT_TRUE(fs::exists(run.checkpoint));
    run.resume = run.checkpoint;
    good = bytes(run.checkpoint);
  }
  std::string refusal(const std::string& content, const Case& other) {
    std::ofstream(run.checkpoint, std::ios::binary) << content;
    try {
      solve(problem_of(other), interval_of(other), options_of(other), run);
    } catch (const FileError& e) {
      return std::string("file: ") + e.what();
    } catch (const InvalidArgument& e) {
      return std::string("argument: ") + e.what();
    }
    return "accepted";
  }
  ScratchFolder folder;
  Case c{"pendulum", "rodas4", "auto", 1.0, {}};
  LongRun run;
  std::string good;
};

TEST_F(Damaged, FilesAreRefusedWithThePlace) {
  EXPECT_EQ(refusal(good, c), "accepted");
  EXPECT_THAT(refusal("", c), HasSubstr("not a checkpoint"));
  EXPECT_THAT(refusal("t,x\n0,1\n", c), HasSubstr("byte 0"));
  // Every place: a byte changed, or the file cut off there.
  for (std::size_t k = 0; k < good.size(); k += 1 + good.size() / 97) {
    std::string bad = good;
    bad[k] = static_cast<char>(bad[k] ^ 0x10);
    const std::string changed = refusal(bad, c), cut = refusal(good.substr(0, k), c);
    for (const std::string& message : {changed, cut}) {
      EXPECT_THAT(message, HasSubstr("file: '" + run.checkpoint + "'")) << k;
      EXPECT_THAT(message, HasSubstr("byte")) << k;
    }
  }
  EXPECT_THAT(refusal(good + "x", c), HasSubstr("follows the end"));
}

TEST_F(Damaged, AnotherRunIsRefusedWithTheDifference) {
  Case other = c;
  other.method = "bdf";
  EXPECT_THAT(refusal(good, other), HasSubstr("method is 'rodas4' there and 'bdf' here"));
  other = c;
  other.options.rtol = 1e-7;
  EXPECT_THAT(refusal(good, other), HasSubstr("rtol is "));
  other = c;
  other.t_end = 2.0;
  EXPECT_THAT(refusal(good, other), HasSubstr("t_end is '1' there and '2' here"));
  other = c;
  other.problem = "car-axis";
  EXPECT_THAT(refusal(good, other), HasSubstr("problem is 'pendulum' there and 'car-axis' here"));
}

TEST_F(Damaged, StatesBesideTheCheckpointAreChecked) {
  const std::string out = folder / "run.csv";
  LongRun fresh;
  fresh.checkpoint = folder / "states.check";
  fresh.checkpoint_steps = 3;
  ASSERT_TRUE(killed(c, 9, fresh, out));
  fresh.resume = fresh.checkpoint;
  const std::string part = bytes(out + ".part");
  const auto refused = [&](const std::string& content) -> std::string {
    std::ofstream(out + ".part", std::ios::binary) << content;
    try {
      Options o = options_of(c);
      TrajectoryFile file(out, true);
      LongRun again = fresh;
      file.attach(o, again);
      solve(problem_of(c), interval_of(c), o, again);
    } catch (const FileError& e) {
      return e.what();
    }
    return "accepted";
  };
  std::string bad = part;
  bad[bad.size() / 3] = static_cast<char>(bad[bad.size() / 3] ^ 1);
  EXPECT_THAT(refused(bad), HasSubstr("check sum"));
  EXPECT_THAT(refused(part.substr(0, part.size() / 2)), HasSubstr("ends after"));
  EXPECT_THAT(refused("t,x\n"), HasSubstr("byte 0"));
  fs::remove(out + ".part");
  try {
    Options o = options_of(c);
    TrajectoryFile file(out, true);
    LongRun again = fresh;
    file.attach(o, again);
    solve(problem_of(c), interval_of(c), o, again);
    ADD_FAILURE() << "the states before the checkpoint are not there";
  } catch (const FileError& e) {
    EXPECT_THAT(e.what(), HasSubstr(".part' does not exist: it held the first 7 states"));
  }
  EXPECT_FALSE(fs::exists(out + ".part"));  // nothing is left that looks like them
  EXPECT_EQ(refused(part), "accepted");
}

}  // namespace
}  // namespace daedalus::checkpoint_test
