// SPDX-License-Identifier: BSD-3-Clause
// Files of `daedalus solve`: trajectory, report, trace and checkpoint. A failed run replaces
// nothing.
#pragma once

#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include <daedalus/run_file.hpp>
#include <daedalus/trajectory_file.hpp>

#include "tool/files.hpp"

#include "tool/solve_report.hpp"

namespace daedalus::cli {

struct OutputSettings {
  std::string out, report, trace, checkpoint, resume;
  std::string checkpoint_interval = "60";
  int points = 0;
};
void add_output_options(CLI::App& command, OutputSettings& settings);

// Written as the run goes, so that it can be watched and survives a killed run. Where the file
// exists already, beside it until the run has succeeded.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  void add(const std::string& line) { stream_ << line << '\n'; }
  void finish(bool good, Session& io);

 private:
  std::string path_, written_;
  FileLock lock_;
  std::ofstream stream_;
};

class RunOutput {
 public:
  // Checks names and places before the run. Throws InvalidArgument or FileError.
  RunOutput(const OutputSettings& settings, bool keep_states);
  // Makes the options of the run fit; `picture` when one needs the whole run in memory.
  void attach(PreparedRun& run, bool picture);
  const LongRun& long_run() const { return long_run_; }
  void finish(const RunReport& report, Session& io);

 private:
  void write_states(const std::string& run, bool good, Session& io);
  void identify(const PreparedRun& run);
  bool documented() const;  // the file is one that `daedalus report` reads
  std::string run_text(const RunReport& report, const Session& io) const;

  OutputSettings settings_;
  LongRun long_run_;
  std::optional<TrajectoryFile> file_;
  std::optional<TraceFile> trace_;
  std::unique_ptr<AtomicFile> page_;
  StepTable steps_;
  bool streamed_ = false;
};

}  // namespace daedalus::cli
