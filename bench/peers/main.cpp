// SPDX-License-Identifier: BSD-3-Clause
// daedalus_peers PROBLEM --rtol=a,b,... [--methods=a,b,...] [--repetitions=N] [--longest=SECONDS]
//                [--only=BEGINNING of the names or of the library] [--formulations=a,b,... for
//                peers]
//                [--peer NAME=PATH, a classical code in a shared object of yours, again and again]
// daedalus_peers --list
// Our methods and other libraries on one problem, measured in turns; `daedalus bench --peers` calls
// it. One line per run (cli/run_line.hpp) on standard output.
#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "peers/contest.hpp"
#include "peers/peer.hpp"
#include "tool/run_line.hpp"

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

int list() {
  std::string last;
  for (const auto& peer : daedalus::peers::all_peers()) {
    if (peer->library != last) fmt::print("{}\n", peer->library);
    last = peer->library;
    fmt::print("  {}\n", peer->solver);
  }
  for (const std::string& name : daedalus::peers::missing_peers())
    fmt::print("missing: {}\n", name);
  return 0;
}

int usage(std::string_view what) {
  fmt::print(stderr,
             "daedalus_peers: '{}' is not understood. Allowed: PROBLEM, --rtol=a,b,..., "
             "--methods=a,b,..., --repetitions=N, --longest=SECONDS, --only=BEGINNING, "
             "--formulations=a,b,..., --peer NAME=PATH, --list\n",
             what);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace daedalus;
  const problems::Entry* entry = nullptr;
  peers::ContestSettings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string value = argument.substr(std::min(argument.size(), argument.find('=') + 1));
    if (argument == "--list") return list();
    if (argument == "--peer" && i + 1 < argc) {
      settings.classical.push_back(argv[++i]);
    } else if (argument.starts_with("--peer=")) {
      settings.classical.push_back(value);
    } else if (argument.starts_with("--rtol=")) {
      for (const std::string& tol : split(value))
        settings.tolerances.push_back(std::strtod(tol.c_str(), nullptr));
    } else if (argument.starts_with("--methods=")) {
      settings.methods = split(value);
    } else if (argument.starts_with("--repetitions=")) {
      settings.repetitions = std::atoi(value.c_str());
    } else if (argument.starts_with("--only=")) {
      settings.only = value;
    } else if (argument.starts_with("--formulations=")) {
      settings.formulations = split(value);
    } else if (argument.starts_with("--longest=")) {
      settings.longest_seconds = std::strtod(value.c_str(), nullptr);
    } else if (!(entry = problems::find_problem(argument))) {
      return usage(argument);
    }
  }
  if (!entry) return usage("no problem");
  if (settings.tolerances.empty()) settings.tolerances = {1e-4, 1e-7, 1e-10};
  try {
    for (const bench::Run& run : peers::contest(*entry, settings))
      fmt::print("{}\n", bench::to_line(run));
  } catch (const std::exception& e) {
    fmt::print(stderr, "daedalus_peers: {}\n", e.what());
    return 3;
  }
  return 0;
}
