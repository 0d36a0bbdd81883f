#include "cli/files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace daedalus::cli {

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
  std::error_code ignored;
  if (std::filesystem::is_directory(target_, ignored))
    throw FileError("'" + target_.string() + "' cannot be written: it is a folder");
  temporary_ = target_;
  temporary_ += ".part" + std::to_string(getpid());
  stream_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!stream_)
    throw FileError("'" + target_.string() + "' cannot be written: " + std::strerror(errno));
}

AtomicFile::~AtomicFile() {
  if (done_) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::commit() {
  stream_.close();
  if (!stream_)
    throw FileError("'" + target_.string() + "' could not be written: " + std::strerror(errno));
  std::error_code error;
  std::filesystem::rename(temporary_, target_, error);
  if (error) throw FileError("'" + target_.string() + "' could not be written: " + error.message());
  done_ = true;
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) throw FileError("there is no folder for temporary files: " + error.message());
  std::string pattern = (base / "daedalus-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw FileError("no temporary folder in '" + base.string() + "': " + std::strerror(errno));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace daedalus::cli
