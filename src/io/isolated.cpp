// SPDX-License-Identifier: BSD-3-Clause
#include "io/isolated.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "io/trajectory_formats.hpp"

namespace daedalus::files {
namespace {

constexpr rlim_t most_seconds = 60;
enum class Use { read, write };

bool put(int to, const void* data, std::size_t size) {
  for (const char* p = static_cast<const char*>(data); size > 0;) {
    const ssize_t n = ::write(to, p, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}
template <class List>
bool put_list(int to, const List& list) {
  const std::uint64_t n = list.size();
  return put(to, &n, sizeof n) && put(to, list.data(), n * sizeof(*list.data()));
}

// What came through the pipe; sizes are checked, since the sender may have lost its mind.
class Received {
 public:
  explicit Received(std::string bytes) : bytes_(std::move(bytes)) {}
  template <class List>
  bool get(List& list) {
    std::uint64_t n = 0;
    if (!take(&n, sizeof n) || n > (bytes_.size() - at_) / sizeof(*list.data())) return false;
    list.resize(n);
    return take(list.data(), n * sizeof(*list.data()));
  }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  bool take(void* to, std::size_t size) {
    if (size > left()) return false;
    if (size > 0) std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
    return true;
  }
  std::string bytes_;
  std::size_t at_ = 0;
};

// Never returns: no destructor and no handler of the parent runs a second time.
[[noreturn]] void child(int to, Use use, const std::function<FileTrajectory()>& read) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGHUP, SIGINT})
    std::signal(signal, SIG_DFL);
  // A killed run leaves nobody behind who holds its locks.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit time{most_seconds, most_seconds}, no_core{0, 0};
  if (use == Use::read) setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_CORE, &no_core);
  // Nor is anything printed: neither what the library says of itself, nor what the parent has not
  // yet written.
  if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
    dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
  std::string error;
  try {
    const FileTrajectory f = read();
    bool good =
        put_list(to, error) && put_list(to, f.t) && put_list(to, f.y) && put_list(to, f.run);
    for (const std::string& name : f.names) good = good && put_list(to, name);
    _exit(good ? 0 : 1);
  } catch (const FileError& e) {
    error = e.what();
  } catch (const std::bad_alloc&) {
    error = "there is not enough memory for it";
  } catch (...) {
    error = "it could not be read";
  }
  _exit(put_list(to, error) ? 0 : 1);
}

// False: it could not be read to its end.
bool all_from(int file, std::string& bytes) {
  char part[65536];
  for (ssize_t n = 0; (n = ::read(file, part, sizeof part)) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.append(part, static_cast<std::size_t>(n));
  }
  return true;
}

FileTrajectory isolated(const std::filesystem::path& path, Use use,
                        const std::function<FileTrajectory()>& read) {
  const auto impossible = [&](int error) {
    throw FileError(fmt::format("'{}' cannot be {}: {}", path.string(),
                                use == Use::read ? "read" : "written", std::strerror(error)));
  };
  const auto fail = [&](const std::string& how) {
    if (use == Use::read) damaged(path, "the library that reads it " + how + " on it");
    throw FileError("'" + path.string() + "' could not be written: the library for it " + how);
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) impossible(errno);
  const pid_t pid = fork();
  if (pid == 0) child(ends[1], use, read);
  const int failed = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    impossible(failed);
  }
  // Whatever happens here, the child is waited for.
  std::string bytes;
  std::exception_ptr thrown;
  bool whole = false;
  try {
    whole = all_from(ends[0], bytes);
  } catch (...) {
    thrown = std::current_exception();
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (thrown) std::rethrow_exception(thrown);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    damaged(path, fmt::format("reading it took more than {} seconds", most_seconds));
  if (WIFSIGNALED(status)) fail(fmt::format("crashed (signal {})", WTERMSIG(status)));
  // Half of what was sent may look like a trajectory with fewer names.
  if (!whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) fail("failed");
  Received in(std::move(bytes));
  std::string error;
  FileTrajectory f;
  if (!in.get(error)) fail("failed");
  if (!error.empty())
    throw FileError(error.starts_with("'") ? error : "'" + path.string() + "': " + error);
  bool good = in.get(f.t) && in.get(f.y) && in.get(f.run);
  while (good && in.left() > 0) good = in.get(f.names.emplace_back());
  if (!good) fail("failed");
  return f;
}

}  // namespace

FileTrajectory isolated(const std::filesystem::path& path,
                        const std::function<FileTrajectory()>& read) {
  return isolated(path, Use::read, read);
}

void isolated_write(const std::filesystem::path& path, const std::function<void()>& write) {
  isolated(path, Use::write, [&write] {
    write();
    return FileTrajectory{};
  });
}

}  // namespace daedalus::files
