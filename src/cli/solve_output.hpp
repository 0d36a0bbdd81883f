// Files of `daedalus solve`: trajectory, trace and checkpoint. A failed run replaces nothing.
#pragma once

#include <fstream>
#include <optional>
#include <string>

#include <daedalus/trajectory_file.hpp>

#include "cli/solve_report.hpp"

namespace daedalus::cli {

struct OutputSettings {
  std::string out, trace, checkpoint, resume;
  std::string checkpoint_interval = "60";
  int points = 0;
};
void add_output_options(CLI::App& command, OutputSettings& settings);

// Written as the run goes, so that it can be watched and survives a killed run. Where the file
// exists already, beside it until the run has succeeded.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path);
  void add(const std::string& line) { stream_ << line << '\n'; }
  void finish(bool good, Session& io);

 private:
  std::string path_, written_;
  std::ofstream stream_;
};

class RunOutput {
 public:
  // Checks names and places before the run. Throws InvalidArgument or FileError.
  RunOutput(const OutputSettings& settings, bool keep_states);
  // Makes the options of the run fit; `dense` when a picture needs the whole run in memory.
  void attach(PreparedRun& run, bool dense);
  const LongRun& long_run() const { return long_run_; }
  void finish(const RunReport& report, Session& io);

 private:
  OutputSettings settings_;
  LongRun long_run_;
  std::optional<TrajectoryFile> file_;
  std::optional<TraceFile> trace_;
  bool streamed_ = false;
};

}  // namespace daedalus::cli
