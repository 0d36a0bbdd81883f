// SPDX-License-Identifier: BSD-3-Clause
// Work-precision runs of the tool: lines of methods on problems, and what is said about them.
#pragma once

#include <string>
#include <vector>

#include "tool/json.hpp"
#include "tool/paper_plot.hpp"
#include "tool/progress.hpp"
#include "tool/work_run.hpp"

namespace daedalus::cli {

// The runs of one method on one problem, loosest tolerance first.
struct BenchLine {
  const problems::Entry* entry;
  std::string method;  // as asked for: "auto" stays auto
  std::vector<bench::Run> runs;
};

struct BenchSettings {
  std::vector<std::string> problems;
  std::string methods, rtol = "1e-3:1e-9", formulation = "auto", longest = "1";
  std::string csv, plot;
  int repetitions = 3;
  long max_steps = 300000;
  bool json = false, summary = false;
  bool regret = false;  // the automatic choice against all others, see regret.hpp
  bool peers = false;   // other libraries as well, see peers.hpp
  std::string peers_program;
  std::vector<std::string> classical;  // NAME=PATH of classical codes, handed on to that program
};

// Tolerances FROM:TO, a factor 10 apart, or a list; loosest first.
std::vector<double> bench_tolerances(const std::string& text);
// Every line that `settings` asks for; methods that do not fit a problem are left out, unless they
// were named.
std::vector<BenchLine> bench_lines(const BenchSettings& settings, RunsLine& progress);

// CPU time at so many digits, see bench::time_at; NaN where the line does not reach.
double seconds_at(const BenchLine& line, double mescd);

Json describe(const BenchLine& line, const bench::Run& run);
Json describe_summary(const std::vector<BenchLine>& lines);
void print_lines(const std::vector<BenchLine>& lines, std::ostream& out);
void print_summary(const std::vector<BenchLine>& lines, std::ostream& out);
void write_csv(const std::vector<BenchLine>& lines, std::ostream& out);
// One panel per problem: CPU time and, beside it, evaluations over the error.
std::vector<Figure> work_precision_figures(const std::vector<BenchLine>& lines);

}  // namespace daedalus::cli
