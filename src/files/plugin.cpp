// SPDX-License-Identifier: BSD-3-Clause
#include "files/plugin.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include <daedalus/plugin.hpp>
#include <daedalus/trajectory_file.hpp>

namespace daedalus {
namespace {

namespace fs = std::filesystem;

constexpr const char* rebuild_hint = "'daedalus build FILE.cpp' compiles it for this tool";

// "file: undefined symbol: name" and the like, without the name of the file in front.
std::string loader_words(const std::string& path) {
  const char* said = dlerror();
  std::string text = said == nullptr ? "unknown reason" : said;
  if (text.rfind(path + ": ", 0) == 0) text.erase(0, path.size() + 2);
  return text;
}

template <class Function>
Function plugin_symbol(void* plugin, const std::string& name, const char* wanted) {
  void* found = dlsym(plugin, wanted);
  if (found == nullptr)
    throw FileError(fmt::format(
        "'{}' has no symbol '{}': a plug-in ends with DAEDALUS_PLUGIN(function), where the "
        "function returns a daedalus::Entry; 'daedalus new NAME' writes one",
        name, wanted));
  return reinterpret_cast<Function>(found);
}

void require_same_build(void* plugin, const std::string& name) {
  const char* const said =
      plugin_symbol<const char* (*)()>(plugin, name, "daedalus_plugin_version")();
  const std::string_view made_for = said == nullptr ? "(no version)" : said;
  if (made_for != version)
    throw FileError(fmt::format("'{}' was compiled for daedalus {}, and this is {}; {}", name,
                                made_for, version, rebuild_hint));
  if (plugin_symbol<unsigned long (*)()>(plugin, name, "daedalus_plugin_layout")() !=
      detail::plugin_layout)
    throw FileError(
        fmt::format("'{}' was compiled with other headers of daedalus {} than this tool; {}", name,
                    version, rebuild_hint));
}

void fill(void* plugin, const std::string& name, Entry& entry) {
  const auto function = plugin_symbol<void (*)(Entry*)>(plugin, name, "daedalus_plugin_entry");
  try {
    function(&entry);
  } catch (const std::exception& error) {
    throw InvalidArgument(fmt::format("plug-in '{}': its function failed: {}", name, error.what()));
  } catch (...) {
    throw InvalidArgument(
        fmt::format("plug-in '{}': its function failed with what is no std::exception", name));
  }
}

// A file that was cut off, or code that aborts as it is loaded, ends the process that loads it.
// That is tried in another one first; what it prints there is not wanted twice.
void require_survival(const std::string& path, const std::string& name) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGHUP, SIGINT})
      std::signal(signal, SIG_DFL);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
    try {
      Entry entry;
      if (void* plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        require_same_build(plugin, name);
        fill(plugin, name, entry);
      }
    } catch (...) {  // said by the process that goes on
    }
    _exit(0);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child > 0 && WIFSIGNALED(status))
    throw FileError(fmt::format("'{}' cannot be loaded: it crashes (signal {}); {}", name,
                                WTERMSIG(status), rebuild_hint));
}

// What the tool needs to know is there; the rest is checked with the problem.
void require_complete(const Entry& entry, const std::string& name) {
  const auto missing = [&](const char* what) {
    return InvalidArgument(fmt::format("plug-in '{}': its entry has no {}", name, what));
  };
  if (entry.name.empty()) throw missing("name");
  if (!entry.build) throw missing("build, the function that makes the problem");
}

}  // namespace

bool names_plugin(const std::string& name) { return fs::path(name).extension() == ".so"; }

ProblemFile load_plugin(const std::string& name) {
  std::error_code failed;
  const std::string path = fs::absolute(name, failed).string();
  if (fs::exists(path, failed) && !fs::is_regular_file(path, failed))
    throw FileError(fmt::format("'{}' cannot be loaded: it is no file", name));
  require_survival(path, name);
  void* plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr)
    throw FileError(
        fmt::format("'{}' cannot be loaded: {}; {}", name, loader_words(path), rebuild_hint));
  require_same_build(plugin, name);
  ProblemFile file;
  file.kind = plugin_kind;
  file.file = name;
  fill(plugin, name, file.entry);
  require_complete(file.entry, name);
  if (file.entry.title.empty()) file.entry.title = file.entry.name;
  if (file.entry.source.empty()) file.entry.source = name;
  return file;
}

}  // namespace daedalus
