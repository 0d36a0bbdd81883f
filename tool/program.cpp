// SPDX-License-Identifier: BSD-3-Clause
#include "tool/program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tool/files.hpp"
#include "tool/numbers.hpp"

extern char** environ;

namespace daedalus::cli {

std::filesystem::path find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    const std::filesystem::path program = std::filesystem::path(folder) / name;
    if (!folder.empty() && access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

int run_program(const ProgramRun& run) {
  std::vector<std::string> words{run.program.string()};
  words.insert(words.end(), run.arguments.begin(), run.arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!run.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, run.folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, run.output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  if (run.messages) posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw FileError("'" + words.front() + "' could not be started: " + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace daedalus::cli
