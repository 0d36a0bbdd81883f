// SPDX-License-Identifier: BSD-3-Clause
#include "io/heartbeat_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include <daedalus/trajectory_file.hpp>

#include "io/json.hpp"
#include "io/trajectory_formats.hpp"

namespace daedalus {
namespace {

using json::Json;
using json::line;

constexpr std::chrono::seconds beat_every{30};
constexpr double dead_after = 600.0;  // seconds without a heartbeat: twenty of them were missed

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// When a process began, in the kernel's count: numbers of processes are used again. Empty: it is
// gone.
std::string beginning_of(long process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(in, text);
  // The name, in brackets, may hold anything; the time is the twentieth field after it.
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string field;
  for (int i = 0; i < 20 && fields >> field; ++i) {
  }
  return field;
}

double seconds_since(const timespec& then) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec - then.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec - then.tv_nsec);
}

}  // namespace

bool HeartbeatLock::create() {
  // Before the file: one without its text would keep others out.
  const std::string text = line(Json{{"host", host_name()},
                                     {"process", static_cast<long>(getpid())},
                                     {"began", beginning_of(getpid())}}) +
                           "\n";
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) {
    if (errno == EEXIST) return false;
    throw FileError(
        fmt::format("'{}' cannot be written: {}", path_.string(), std::strerror(errno)));
  }
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (close(fd) != 0 || !written) {
    unlink(path_.c_str());
    throw FileError(
        fmt::format("'{}' cannot be written: {}", path_.string(), std::strerror(error)));
  }
  return true;
}

void HeartbeatLock::take_over_or_refuse(const std::filesystem::path& guarded,
                                        const std::function<void(const std::string&)>& warn) {
  struct stat facts {};
  if (stat(path_.c_str(), &facts) != 0) return;  // given back meanwhile
  std::ifstream in(path_);
  std::string text;
  std::getline(in, text);
  const Json holder = Json::parse(text, nullptr, false);
  const bool told = holder.is_object() && holder.contains("host") && holder["host"].is_string() &&
                    holder.contains("process") && holder["process"].is_number_integer();
  const std::string host = told ? holder["host"].get<std::string>() : "an unknown machine";
  const long process = told ? holder["process"].get<long>() : 0;
  const double age = std::max(0.0, seconds_since(facts.st_mtim));
  const bool gone = told && host == host_name() &&
                    (beginning_of(process).empty() ||
                     (holder.contains("began") && holder["began"] != beginning_of(process)));
  if (!gone && age < dead_after)
    throw FileError(fmt::format("'{}' is being written by process {} on {} ({:.0f} s ago)",
                                guarded.string(), process, files::printable(host), age));
  // Of several that find it dead one can rename it.
  const std::string aside = fmt::format("{}.dead-{}-{}", path_.string(), host_name(), getpid());
  if (rename(path_.c_str(), aside.c_str()) != 0) return;
  unlink(aside.c_str());
  if (warn)
    warn(fmt::format("the lock of '{}' was left by process {} on {}, which {}; it is taken over",
                     guarded.string(), process, files::printable(host),
                     gone ? "is gone" : fmt::format("gave no sign for {:.0f} s", age)));
}

HeartbeatLock::HeartbeatLock(std::filesystem::path lock, const std::filesystem::path& guarded,
                             const std::function<void(const std::string&)>& warn)
    : path_(std::move(lock)) {
  constexpr int tries = 100;  // others may take and give it back in between
  for (int i = 0; !create(); ++i) {
    take_over_or_refuse(guarded, warn);
    if (i == tries) throw FileError(fmt::format("'{}' cannot be locked", guarded.string()));
  }
  heart_ = std::thread([this] { beat(); });
}

HeartbeatLock::~HeartbeatLock() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  heart_.join();
  unlink(path_.c_str());
}

void HeartbeatLock::beat() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, beat_every, [this] { return end_; }))
    (void)!utimensat(AT_FDCWD, path_.c_str(), nullptr, 0);
}

}  // namespace daedalus
