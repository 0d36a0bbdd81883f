// SPDX-License-Identifier: BSD-3-Clause
// Our methods against other libraries: times at a number of digits, who wins, and what the tool
// says about it. The measuring program is replaced by a script, so no other library is needed.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tool.hpp"
#include "tool/peers.hpp"
#include "tool/run_line.hpp"

namespace daedalus::cli::peers_test {
namespace {

using bench::Duel;

using bench::WorkCurve;

bench::Run run_with(double mescd, double seconds, const std::string& solver = "x") {
  bench::Run r;
  r.ok = true;
  r.status = "success";
  r.solver = r.asked = solver;
  r.mescd = mescd;
  r.seconds = seconds;
  r.tol = std::pow(10.0, -mescd);
  return r;
}

WorkCurve curve(const std::string& problem, const std::string& library, const std::string& solver,
                std::vector<bench::Run> runs) {
  for (bench::Run& r : runs) r.solver = r.asked = solver, r.library = library;
  return {problem, library, solver, "", std::move(runs)};
}

const Duel& at(const std::vector<Duel>& list, const std::string& problem, double mescd) {
  for (const Duel& d : list)
    if (d.problem == problem && d.mescd == mescd) return d;
  throw std::out_of_range(problem);
}

TEST(WorkCurve, TimeIsInterpolatedInItsLogarithm) {
  const std::vector<bench::Run> runs{run_with(3.0, 0.1), run_with(5.0, 10.0)};
  // Half-way in mescd is half-way in log(time): 1, where a straight line in the time gives 5.05.
  EXPECT_NEAR(bench::time_at(runs, 4.0), 1.0, 1e-12);
  EXPECT_NEAR(bench::time_at(runs, 3.5), std::pow(10.0, -0.5), 1e-12);
  EXPECT_DOUBLE_EQ(bench::time_at(runs, 5.0), 10.0);
  // More digits than asked for are enough; fewer are not.
  EXPECT_DOUBLE_EQ(bench::time_at(runs, 2.0), 0.1);
  EXPECT_TRUE(std::isnan(bench::time_at(runs, 5.1)));
}

TEST(WorkCurve, TheCheapestWayToTheDigitsCounts) {
  // A tighter tolerance that was cheaper and better wins over the interpolation to its left, and a
  // failed run joins nothing.
  EXPECT_DOUBLE_EQ(
      bench::time_at({run_with(3.0, 1.0), run_with(5.0, 4.0), run_with(6.0, 0.5)}, 4.0), 0.5);
  bench::Run failed = run_with(4.0, 0.01);
  failed.ok = false;
  EXPECT_DOUBLE_EQ(bench::time_at({run_with(3.0, 1.0), failed, run_with(5.0, 4.0)}, 4.0), 4.0);
  bench::Run unknown = run_with(std::nan(""), 0.01);
  EXPECT_TRUE(std::isnan(bench::time_at({unknown}, 4.0)));
}

TEST(Duels, TakeTheFastestOfEachSideAndTheAutomaticChoice) {
  const std::vector<WorkCurve> curves{
      curve("a", "daedalus", "auto", {run_with(4.0, 2.0), run_with(6.0, 4.0)}),
      curve("a", "daedalus", "bdf", {run_with(4.0, 1.0), run_with(6.0, 5.0)}),
      curve("a", "other", "slow", {run_with(4.0, 8.0), run_with(6.0, 10.0)}),
      curve("a", "other", "quick", {run_with(4.0, 4.0), run_with(6.0, 16.0)}),
      curve("b", "daedalus", "auto", {run_with(6.0, 3.0)}),
      curve("c", "daedalus", "auto", {run_with(4.0, 1.0)}),
      curve("c", "other", "quick", {run_with(6.0, 2.0)})};
  const auto list = bench::duels(curves);
  ASSERT_EQ(list.size(), 12u);  // three problems at four numbers of digits
  const Duel& four = at(list, "a", 4.0);
  EXPECT_EQ(four.best, "bdf");
  EXPECT_EQ(four.peer, "quick");
  EXPECT_DOUBLE_EQ(four.automatic_ratio(), 0.5);
  EXPECT_DOUBLE_EQ(four.best_ratio(), 0.25);
  EXPECT_EQ(at(list, "a", 6.0).best, "auto");
  EXPECT_EQ(at(list, "a", 6.0).peer, "slow");
  EXPECT_DOUBLE_EQ(at(list, "a", 6.0).automatic_ratio(), 0.4);
  EXPECT_TRUE(at(list, "b", 6.0).won_outright());
  EXPECT_TRUE(at(list, "c", 6.0).lost_outright());
  EXPECT_FALSE(at(list, "c", 4.0).lost_outright());
}

TEST(Duels, ProblemsThatNoPeerSolvesStayOutOfTheMean) {
  const std::vector<Duel> list{{"a", 6.0, "x", "x", "p", 1.0, 2.0, 4.0},
                               {"b", 6.0, "x", "x", "p", 1.0, 1.0, 0.5},
                               {"c", 6.0, "x", "x", "", 1.0, 1e-9, std::nan("")},
                               {"d", 6.0, "", "", "p", std::nan(""), std::nan(""), 1.0},
                               {"a", 8.0, "x", "x", "p", 1.0, 1.0, 100.0}};
  const auto all = bench::standings(list);
  ASSERT_EQ(all.size(), bench::summary_digits.size());
  const bench::Standing& six = all[1];
  EXPECT_EQ(six.mescd, 6.0);
  EXPECT_EQ(six.problems, 2);
  // sqrt(0.5 * 2) = 1; the arithmetic mean would be 1.25, and c would make it 1e-3.
  EXPECT_NEAR(six.automatic_mean, 1.0, 1e-12);
  EXPECT_NEAR(six.best_mean, std::sqrt(0.25 * 2.0), 1e-12);
  EXPECT_DOUBLE_EQ(six.worst, 2.0);
  EXPECT_EQ(six.worst_problem, "b");
  EXPECT_THAT(six.won, testing::ElementsAre("c"));
  EXPECT_THAT(six.lost, testing::ElementsAre("d"));
  EXPECT_NEAR(all[2].automatic_mean, 0.01, 1e-12);
  EXPECT_EQ(all[3].problems, 0);
  EXPECT_TRUE(std::isnan(all[3].automatic_mean));
}

TEST(RunLine, ComesBackAsItWas) {
  bench::Run run = run_with(6.25, 1.0 / 3.0, "ida-klu");
  run.library = "SUNDIALS IDA 6.4.1";
  run.formulation = "ggl";
  run.message = "two\nlines\tand a tab";
  run.accepted = 12, run.rejected = 3, run.evaluations = 45, run.jacobians = 6;
  run.factorisations = 7;
  const std::optional<bench::Run> back = bench::from_line(bench::to_line(run));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->seconds, run.seconds);
  EXPECT_EQ(back->mescd, run.mescd);
  EXPECT_EQ(back->library, run.library);
  EXPECT_EQ(back->formulation, "ggl");
  EXPECT_EQ(back->asked, "ida-klu");
  EXPECT_EQ(back->message, "two lines and a tab");
  EXPECT_EQ(back->accepted, 12);
  EXPECT_EQ(back->factorisations, 7);
  EXPECT_TRUE(back->ok);
  EXPECT_FALSE(bench::from_line("--- warning of some library ---"));
}

TEST(BenchPeers, TellsWhatTheProgramMeasured) {
  const ScratchFolder folder;
  const std::string program = folder / "peers", csv = folder / "peers.csv";
  {
    std::ofstream script(program);
    script << "#!/bin/sh\n[ \"$1\" = jay ] && exit 7\n"
              "case \"$*\" in *--peer=radau5=a.so*--peer=daskr=b.so*) ;; *) exit 8;; esac\n"
              "cat <<'END'\nnoise of a library\n";
    for (const double digits : {4.0, 6.0}) {
      bench::Run ours = run_with(digits, 0.001 * digits, "rodas4");
      ours.asked = "auto";
      bench::Run peer = run_with(digits, 0.004 * digits, "ida-dense");
      peer.library = "SUNDIALS IDA";
      peer.formulation = "ggl";
      script << bench::to_line(ours) << "\n" << bench::to_line(peer) << "\n";
    }
    script << "END\n";
  }
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::vector<std::string> arguments{"bench",           "hires",     "--peers", "--summary",
                                           "--peers-program", program,     "--peer",  "radau5=a.so",
                                           "--peer",          "daskr=b.so"};
  std::vector<std::string> as_json = arguments;
  as_json.insert(as_json.end(), {"--json", "--csv", csv});
  const Answer answer = call(as_json);
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto json = answer.json();
  EXPECT_EQ(json.at("runs").size(), 4u);
  EXPECT_EQ(json.at("runs").back().at("library"), "SUNDIALS IDA");
  EXPECT_EQ(json.at("summary").at(1).at("mescd"), 6.0);
  EXPECT_NEAR(json.at("summary").at(1).at("automatic_ratio").get<double>(), 0.25, 1e-12);
  EXPECT_EQ(json.at("summary").at(1).at("peer"), "ida-dense ggl");
  EXPECT_NEAR(json.at("standings").at(1).at("automatic_mean").get<double>(), 0.25, 1e-12);
  std::ifstream file(csv);
  std::string header;
  std::getline(file, header);
  EXPECT_THAT(header, testing::HasSubstr("library"));
  const Answer text = call(arguments);
  EXPECT_THAT(text.out,
              testing::HasSubstr("geometric mean over 1 problems: automatic choice 0.25"));
  // A problem on which the program dies is named; the others are there all the same.
  std::vector<std::string> two = arguments;
  two.insert(two.begin() + 2, "jay");
  const Answer partly = call(two);
  EXPECT_EQ(partly.code, 1);
  EXPECT_THAT(partly.err, testing::HasSubstr("jay: the program of the peers ended with code 7"));
  EXPECT_THAT(partly.out, testing::HasSubstr("automatic choice 0.25"));
}

TEST(BenchPeers, SaysHowToBuildWhatIsNotThere) {
  const Answer answer = call({"bench", "hires", "--peers", "--peers-program", "no/such/program"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, testing::HasSubstr("--target daedalus_peers"));
  EXPECT_EQ(call({"bench", "hirse", "--peers"}).code, 2);
}

}  // namespace
}  // namespace daedalus::cli::peers_test
