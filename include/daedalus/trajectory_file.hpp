// SPDX-License-Identifier: BSD-3-Clause
// Trajectories in files: written while a run goes on, in memory that does not grow, and read again.
//   .csv   a line of names t,..., then one line per state, 17 digits
//   .json  {"...", "trajectory": {"t": [...], "y": {variable: [...]}}}
//   .npz   NumPy: t (n), y (n x m), names (m), run (a text)
//   .raw   raw file of SPICE for waveform viewers, binary; .ascii.raw: as text
//   .h5    HDF5: the same as data sets with check sums, where the library was built with HDF5
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <daedalus/long_run.hpp>

namespace daedalus {

// A file could not be read or written; the message names it, the place in it and the reason.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// States go to a file beside the target, which appears at `commit` as a whole or not at all. The
// constructor throws InvalidArgument for an unknown ending and FileError where nothing can be
// written.
class TrajectoryFile {
 public:
  // checkpointed: what was written so far is found again by a run that resumes.
  explicit TrajectoryFile(std::filesystem::path target, bool checkpointed = false);
  ~TrajectoryFile();
  TrajectoryFile(const TrajectoryFile&) = delete;
  TrajectoryFile& operator=(const TrajectoryFile&) = delete;

  // Makes it the sink of a run, and lets checkpoints know how far it was written. The file must
  // outlive the run.
  void attach(Options& options, LongRun& run);
  void add(const StateView& state);
  long states() const;
  double last_time() const;  // of the last state added; NaN: none

  // How far it is written, on the disk; and back to such a place. Attached files do this
  // themselves.
  std::string mark();
  void go_back(const std::string& mark);

  // Writes the target. `run` is a text about the run that goes with the states (for .json it has to
  // be an object). Of a failed run (`good` false) nothing existing is replaced, and what was
  // computed goes to NAME.failed.ENDING beside it. Returns the name of the file.
  std::filesystem::path commit(const std::string& run = {}, bool good = true);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct FileTrajectory {
  std::vector<std::string> names;
  std::vector<double> t;
  std::vector<double> y;  // row by row, names.size() numbers per time
  std::string run;        // empty in .csv
  double at(std::size_t state, std::size_t variable) const {
    return y[state * names.size() + variable];
  }
};

// Throws FileError that says where the file is truncated, damaged or of another kind. HDF5 files
// carry a hash of all bytes; those of other programs, which do not, are read only where `foreign`.
FileTrajectory read_trajectory(const std::filesystem::path& file, bool foreign = false);

// What a killed run left beside its target, NAME.part...; and the whole states of one of them as a
// trajectory. Throws FileError where it is in use, damaged or empty.
std::vector<std::filesystem::path> leftovers(const std::filesystem::path& target);
struct Recovered {
  long states = 0;
  std::size_t lost_bytes = 0;  // at the end: a state that was being written, or damaged ones
};
Recovered recover_trajectory(const std::filesystem::path& leftover,
                             const std::filesystem::path& target);

bool hdf5_enabled();  // whether enable_hdf5() of <daedalus/hdf5.hpp> was called

}  // namespace daedalus
