// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include "tool/launcher.hpp"

namespace {

// Where a standard stream is closed, the next file that is opened takes its number, and what is
// printed goes into results. Held open in the wrong direction, it fails as a closed one does.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0)
      (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  return daedalus::cli::run_as_started(argc, argv);
}
