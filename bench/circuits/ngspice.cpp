// SPDX-License-Identifier: BSD-3-Clause
// ngspice as a program: a netlist with control lines goes in, a raw file comes out. Its own clock
// counts elapsed milliseconds, so that CPU time is taken from the process, and what it needs for
// reading and writing is taken off by a call that does everything but further analyses.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <daedalus/raw_file.hpp>
#include <daedalus/trajectory_file.hpp>

#include "bench/circuits/solvers.hpp"

extern char** environ;

namespace daedalus::bench {
namespace {

namespace fs = std::filesystem;

// CPU seconds of the process; negative: it did not end well.
double call(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return -1.0;
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) < 0 || !WIFEXITED(status)) return -1.0;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Lines that print, and the end, go; control lines come. Comments stay.
std::string with_control(const CircuitRow& row, const PeerSetting& setting, int runs,
                         const fs::path& raw) {
  std::string text, line;
  for (const char c : row.netlist) {
    line += c;
    if (c != '\n') continue;
    std::string small = line;
    std::transform(small.begin(), small.end(), small.begin(), ::tolower);
    const bool tran = small.rfind(".tran", 0) == 0;
    if (small.rfind(".print", 0) != 0 && small.rfind(".end\n", 0) != 0 &&
        small.rfind(".ac", 0) != 0 && small.rfind(".dc", 0) != 0 && small.rfind(".op", 0) != 0) {
      if (tran && setting.max_step_share > 0.0)
        line = line.substr(0, line.find_last_not_of(" \r\n") + 1) +
               fmt::format(" 0 {:g}\n", setting.max_step_share * row.t_end);
      text += line;
    }
    line.clear();
  }
  text += setting.options + "\n.control\nset filetype=binary\n";
  text += fmt::format("save {}\n", row.variable);
  if (runs > 1) text += fmt::format("repeat {}\nrun\ndestroy all\nend\n", runs - 1);
  if (runs > 0) text += fmt::format("run\nwrite {} {}\n", raw.string(), row.variable);
  return text + "quit\n.endc\n.end\n";
}

// Between the points: by a line and by a cubic, and what is nearer counts for the peer.
double nearest_value(const RawVectors& w, double t, double expected) {
  const std::size_t n = w.points();
  const auto time = [&](std::size_t k) { return w.values[2 * k]; };
  const auto value = [&](std::size_t k) { return w.values[2 * k + 1]; };
  std::size_t k = 1;
  while (k + 1 < n && time(k) < t) ++k;
  const double part = (t - time(k - 1)) / (time(k) - time(k - 1));
  const double straight = value(k - 1) + part * (value(k) - value(k - 1));
  double cubic = 0.0;
  const std::size_t first = std::min(k < 2 ? 0 : k - 2, n - 4);
  for (std::size_t i = first; i < first + 4; ++i) {
    double factor = value(i);
    for (std::size_t j = first; j < first + 4; ++j)
      if (j != i) factor *= (t - time(j)) / (time(i) - time(j));
    cubic += factor;
  }
  return std::fabs(straight - expected) < std::fabs(cubic - expected) ? straight : cubic;
}

}  // namespace

bool have_ngspice() { return call({"ngspice", "--version"}) >= 0.0; }

Measured run_ngspice(const CircuitRow& row, const PeerSetting& setting, double longest_seconds) {
  Measured m;
  m.setting = setting.name;
  const fs::path folder = fs::temp_directory_path() / fmt::format("daedalus-circuits-{}", getpid());
  fs::create_directories(folder);
  const fs::path netlist = folder / "peer.cir", raw = folder / "peer.raw";
  const auto cpu = [&](int runs) {
    std::ofstream(netlist) << with_control(row, setting, runs, raw);
    return call({"ngspice", "-b", netlist.string()});
  };
  fs::remove(raw);
  // Of a large circuit everything counts, reading too.
  const double nothing = row.large ? 0.0 : cpu(0), once = cpu(1) - nothing;
  m.seconds = once;
  if (!row.large && once > 0.0 && once < longest_seconds) {
    const int runs = static_cast<int>(std::clamp(0.3 / std::max(once, 1e-4), 1.0, 200.0));
    if (runs > 1) m.seconds = (cpu(runs) - nothing) / runs;
  }
  if (!fs::exists(raw)) {
    m.message = "stops";
  } else {
    const RawVectors w = read_raw(raw).front();
    const double reached = w.points() < 4 ? 0.0 : w.values[2 * (w.points() - 1)];
    m.ok = reached >= row.t_end * (1.0 - 1e-9);
    m.message = m.ok ? "" : "stops: timestep too small";
    m.steps = static_cast<long>(w.points());
    for (std::size_t k = 0; k < row.times.size() && m.ok; ++k)
      m.error = std::max(
          m.error,
          std::fabs(nearest_value(w, row.times[k], row.values[k]) - row.values[k]) / row.scale);
  }
  fs::remove_all(folder);
  return m;
}

}  // namespace daedalus::bench
