// Files of results: complete or not there at all.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace daedalus::cli {

// A file could not be read or written; the tool ends with exit code 3.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Writes beside the target and takes its name at `commit`. The constructor finds out whether the
// place can be written, so that no run is lost for a misspelled folder.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ofstream& stream() { return stream_; }
  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& temporary() const { return temporary_; }
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  std::ofstream stream_;
  bool done_ = false;
};

// A folder of its own under the system's place for temporary files, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace daedalus::cli
