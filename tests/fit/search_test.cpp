// SPDX-License-Identifier: BSD-3-Clause
// The search: starts, failures of runs, interruption, journals, and statistics in words.
#include <atomic>
#include <fstream>

#include <daedalus/trajectory_file.hpp>

#include "estimation/starts.hpp"
#include "estimation/statistics.hpp"
#include "fit/decay.hpp"
#include "scratch_folder.hpp"

namespace daedalus::fit_test {
namespace {

class FitSearch : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_fit()) GTEST_SKIP() << "built without Ceres";
  }
};

TEST_F(FitSearch, FindsParametersOfAProblem) {
  const FitResult r = fit(decay_fit());
  ASSERT_TRUE(r.ok()) << r.message;
  EXPECT_NEAR(r["rate"].value, 0.8, 4.0 * r["rate"].sd);
  EXPECT_NEAR(r["offset"].value, 0.1, 4.0 * r["offset"].sd);
  EXPECT_GT(r.runs, 4);
  EXPECT_EQ(r.failed_runs, 0);
  EXPECT_THROW(r["rat"], InvalidArgument);
}

// The bits are those of one thread, and of one start among several.
TEST_F(FitSearch, DoesNotDependOnThreads) {
  Fit f = decay_fit();
  f.experiments.push_back(measured_decay());
  f.experiments[1].name = "other";
  f.starts = 4;
  f.threads = 1;
  const FitResult one = fit(f);
  f.threads = 3;
  const FitResult three = fit(f);
  ASSERT_TRUE(one.ok()) << one.message;
  EXPECT_EQ(one["rate"].value, three["rate"].value);
  EXPECT_EQ(one.cost, three.cost);
  EXPECT_EQ(one.starts.size(), 4u);
  EXPECT_EQ(one.reached_best, 4);
}

TEST_F(FitSearch, StartValuesAndExperimentsHaveTheirOwn) {
  Fit f = decay_fit();
  f.experiments.push_back(measured_decay(2.0));
  f.experiments[1].name = "second";
  f.free.push_back(parse_free("second.start:x=0.1..5@1"));
  const FitResult r = fit(f);
  ASSERT_TRUE(r.ok()) << r.message;
  EXPECT_NEAR(r["second.start:x"].value, 2.0, 4.0 * r["second.start:x"].sd);
  EXPECT_NEAR(r["rate"].value, 0.8, 4.0 * r["rate"].sd);
}

TEST_F(FitSearch, AnOutputMayBeACallable) {
  Fit f = decay_fit();
  f.outputs = {{"twice", [](const StateView& s, const Values& p) {
                  return 2.0 * s.y()[0] + 0.0 * p.at("rate");
                }}};
  f.experiments[0].outputs[0].name = "twice";
  for (double& v : f.experiments[0].outputs[0].value) v *= 2.0;
  f.experiments[0].outputs[0].sigma = {0.02};
  const FitResult twice = fit(f), once = fit(decay_fit());
  ASSERT_TRUE(twice.ok()) << twice.message;
  EXPECT_NEAR(twice["rate"].value, once["rate"].value, 1e-7);
  EXPECT_NEAR(twice["rate"].sd / once["rate"].sd, 1.0, 1e-5);
}

TEST_F(FitSearch, NamesParametersAtTheirBounds) {
  Fit f = decay_fit();
  f.free[0] = parse_free("rate=1..10@3");
  const FitResult r = fit(f);
  EXPECT_EQ(r.status, FitStatus::at_bound);
  EXPECT_TRUE(r["rate"].at_bound);
  EXPECT_FALSE(r["offset"].at_bound);
  EXPECT_NE(r.message.find("rate is at a bound"), std::string::npos) << r.message;
  EXPECT_TRUE(r.ok());
}

// Runs with a rate below 1 end as failures: the minimum lies behind a wall.
Problem walled(double wall) {
  MassMatrixProblem p = std::get<MassMatrixProblem>(decay());
  p.rhs = autodiff([wall](const auto& x, auto& f) -> Eval {
    f[0] = -x.p[0] * x.y[0] + x.p[1];
    return x.p[0] < wall ? Eval::reject : Eval::ok;
  });
  return p;
}

TEST_F(FitSearch, SaysThatItIsBlockedByRunsThatFail) {
  Fit f = decay_fit();
  f.model = fit_model(walled(1.5), {0.0, 5.0});
  const FitResult r = fit(f);
  EXPECT_EQ(r.status, FitStatus::blocked) << to_string(r.status);
  EXPECT_FALSE(r.ok());
  EXPECT_NE(r.message.find("rate = "), std::string::npos) << r.message;
  EXPECT_GT(r.failed_runs, 0);
  EXPECT_GE(r["rate"].value, 1.5);
}

TEST_F(FitSearch, BeginsElsewhereWhereTheStartFails) {
  Fit f = decay_fit();
  f.model = fit_model(walled(0.5), {0.0, 5.0});
  f.free[0] = parse_free("rate=0.1..10@0.2");
  const FitResult r = fit(f);
  ASSERT_TRUE(r.ok()) << to_string(r.status) << ": " << r.message;
  EXPECT_NEAR(r["rate"].value, fit(decay_fit())["rate"].value, 1e-6);
  ASSERT_FALSE(r.warnings.empty());
  EXPECT_NE(r.warnings[0].find("the run at the start values fails"), std::string::npos);
  // Without bounds there is no other start.
  f.free = {parse_free("rate=0.2"), parse_free("offset=0.5")};
  const FitResult none = fit(f);
  EXPECT_EQ(none.status, FitStatus::failed);
  EXPECT_FALSE(none.message.empty());
}

TEST_F(FitSearch, KeepsTheBestWhenInterrupted) {
  Fit f = decay_fit();
  std::atomic<bool> stop = false;
  int iterations = 0;
  f.cancel = [&] { return stop.load(); };
  f.progress = [&](const FitProgress& p) {
    if (++iterations == 3) stop = true;
    EXPECT_LE(p.best, p.cost);
  };
  const FitResult r = fit(f);
  EXPECT_EQ(r.status, FitStatus::cancelled);
  ASSERT_FALSE(r.starts.empty());
  EXPECT_LT(r.starts[0].cost, r.starts[0].costs.front());
  EXPECT_NE(r.starts[0].end, r.starts[0].start);
}

// Wherever a fit was killed, the same call gives the same bits and makes no run again.
TEST_F(FitSearch, GoesOnWhereItsJournalEnds) {
  const ScratchFolder folder;
  Fit f = decay_fit();
  f.starts = 2;
  const FitResult plain = fit(f);
  f.journal = folder / "fit.jsonl";
  const FitResult whole = fit(f);
  EXPECT_EQ(whole["rate"].value, plain["rate"].value);
  std::ifstream in(f.journal);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_GT(lines.size(), 8u);
  for (const std::size_t kept : {std::size_t{1}, lines.size() / 2, lines.size()}) {
    std::ofstream out(f.journal, std::ios::trunc);
    for (std::size_t k = 0; k < kept; ++k) out << lines[k] << '\n';
    if (kept < lines.size()) out << lines[kept].substr(0, 30);  // cut off
    out.close();
    const FitResult again = fit(f);
    EXPECT_EQ(again["rate"].value, whole["rate"].value) << kept;
    EXPECT_EQ(again["rate"].sd, whole["rate"].sd);
    EXPECT_EQ(again.cost, whole.cost);
    if (kept == lines.size()) {
      EXPECT_EQ(again.known_evaluations, again.evaluations);
    }
    EXPECT_EQ(again.known_evaluations > 0, kept > 1);
  }
  f.loss = Loss::huber;
  try {
    fit(f);
    ADD_FAILURE() << "the journal of another fit was taken";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("loss: \"linear\" there, \"huber\" here"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(FitSearch, ResidualsBeyondNumbersAreFailures) {
  Fit f = decay_fit();
  f.experiments[0].outputs[0].sigma = {1e-320};
  const FitResult r = fit(f);
  EXPECT_EQ(r.status, FitStatus::failed) << to_string(r.status);
  EXPECT_NE(r.message.find("the residual of 'x' at t = 0.4"), std::string::npos) << r.message;
}

TEST_F(FitSearch, ScreensPointsThatFillTheBounds) {
  const Fit f = decay_fit();
  const estimation::FitTask task(f);
  const std::size_t count = 16;
  const auto points = estimation::latin_hypercube(task, count, 1);
  for (int i = 0; i < 2; ++i) {
    const estimation::Quantity& q = task.free[static_cast<std::size_t>(i)];
    std::vector<int> filled(count, 0);
    for (const Eigen::VectorXd& u : points) {
      const double share = (u[i] - q.to_u(q.lower)) / (q.to_u(q.upper) - q.to_u(q.lower));
      ++filled[static_cast<std::size_t>(share * count)];
    }
    EXPECT_EQ(filled, std::vector<int>(count, 1)) << "each part holds one";
  }
  EXPECT_NE(estimation::latin_hypercube(task, count, 2)[0], points[0]);
  EXPECT_EQ(estimation::latin_hypercube(task, count, 1)[0], points[0]);
}

TEST(FitStatistics, CombinationsAreWrittenAsProducts) {
  using estimation::product_of_powers;
  const std::vector<std::string> names{"a", "b", "c"};
  EXPECT_EQ(product_of_powers(names, Eigen::Vector3d(-0.7, -0.7, 0.0)), "a * b");
  EXPECT_EQ(product_of_powers(names, Eigen::Vector3d(0.4, -0.8, 0.01)), "a^0.5/b");
  EXPECT_EQ(product_of_powers(names, Eigen::Vector3d(1.0, -0.5, -0.5)), "a/(b^0.5 * c^0.5)");
  Eigen::MatrixXd two(2, 3);  // spans a*b and c
  two << 0.5, 0.5, 0.7, 0.5, 0.5, -0.7;
  const Eigen::MatrixXd basis = estimation::sparse_basis(two);
  EXPECT_NEAR(basis.row(0).cwiseAbs().minCoeff(), 0.0, 1e-12);
  EXPECT_NEAR(basis.row(1).cwiseAbs().minCoeff(), 0.0, 1e-12);
}

TEST(FitStatistics, QuantilesAreStudents) {
  EXPECT_NEAR(estimation::student_quantile(0.95, 10), 2.228138852, 1e-8);  // tables
  EXPECT_NEAR(estimation::student_quantile(0.95, 1), 12.70620474, 1e-7);
  EXPECT_TRUE(std::isinf(estimation::student_quantile(0.95, 0)));
}

TEST(FitStatistics, LossesAreThoseOfTheirNames) {
  for (const Loss loss : {Loss::linear, Loss::huber, Loss::soft_l1, Loss::cauchy})
    for (const double a : {0.5, 1.0, 3.0})
      for (const double s : {0.01, 0.9, 4.0, 100.0}) {
        const double d = 1e-4 * s;
        EXPECT_NEAR((loss_value(loss, a, s + d) - loss_value(loss, a, s - d)) / (2 * d),
                    loss_slope(loss, a, s), 1e-7)
            << to_string(loss);
        EXPECT_LE(loss_value(loss, a, s), s);
      }
  EXPECT_EQ(loss_value(Loss::huber, 1.0, 9.0), 5.0);  // 2 sqrt(9) - 1
}

}  // namespace
}  // namespace daedalus::fit_test
