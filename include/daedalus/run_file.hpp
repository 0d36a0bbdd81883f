// SPDX-License-Identifier: BSD-3-Clause
// The file of a run: everything the report of the tool shows, as JSON. `daedalus report run.json`
// makes the page; docs/reports.md lists the fields. The tool writes the same file for catalogue
// problems (`daedalus solve --out run.json`).
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/scene.hpp>
#include <daedalus/solution.hpp>

namespace daedalus {

// Every attempted step, column by column; filled by Options::trace.
struct StepTable {
  std::vector<double> t{}, h{}, error{};
  std::vector<int> order{}, newton_iterations{};
  std::vector<std::string> outcome{};
  std::map<std::string, long> worst{};  // how often a variable had the largest error
  void add(const StepRecord& record);
};

// States at given times, in model variables.
struct Samples {
  std::vector<double> t{};
  std::vector<Eigen::VectorXd> y{};
};
// All reported states; with dense output and fewer steps than `smooth`, so many points between them
// that there are that many in all.
Samples sample_steps(const Solution& solution, std::size_t smooth = 1000);
// For an animation: `frames` equidistant times with dense output, else at most so many of the
// reported states.
Samples sample_frames(const Solution& solution, std::size_t frames = 2000);

struct RunFile {
  std::string title{}, source{}, equations{};
  StepTable steps{};
  Scene scene{};          // without bodies: no animation
  std::string command{};  // how to run it again; empty: not shown
};
// The whole document. Invariants are evaluated along the samples, the scene along the frames.
void write_run(std::ostream& out, const Problem& problem, const Solution& solution,
               const RunFile& file);
// The same with the tolerances that the run had.
void write_run(std::ostream& out, const Problem& problem, const Solution& solution,
               const RunFile& file, const Options& options);

}  // namespace daedalus
