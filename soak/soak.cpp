// SPDX-License-Identifier: BSD-3-Clause
#include "soak/soak.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

namespace daedalus::soak {
namespace {

constexpr int exit_crashed = 3, exit_hung = 4;
// Of wall time, against that of the processor: other programs run as well.
constexpr double patience = 20.0;

// What a thread is at, for messages when there is no other way to tell.
struct Place {
  std::atomic<const char*> name{nullptr};
  std::atomic<std::uint64_t> seed{0};
  std::atomic<long> since{0};  // milliseconds
};
thread_local Place* place = nullptr;

long milliseconds() {
  using namespace std::chrono;
  return static_cast<long>(
      duration_cast<std::chrono::milliseconds>(steady_clock::now().time_since_epoch()).count());
}

void tell(const char* what, const char* name, std::uint64_t seed) {
  char text[200];
  const int n = std::snprintf(text, sizeof text, "%s: class %s, seed %llu\n", what, name,
                              static_cast<unsigned long long>(seed));
  if (write(STDERR_FILENO, text, static_cast<std::size_t>(n)) < 0) std::_Exit(exit_crashed);
}

extern "C" void crashed(int signal) {
  tell(strsignal(signal), place && place->name ? place->name.load() : "none",
       place ? place->seed.load() : 0);
  std::_Exit(exit_crashed);
}

}  // namespace

std::vector<Tally> soak(const SoakSettings& settings) {
  const auto classes = static_cast<long>(settings.classes.size());
  std::vector<RunResult> results(static_cast<std::size_t>(settings.runs));
  std::atomic<long> next{0};
  std::atomic<bool> done{false};
  std::vector<Place> places(static_cast<std::size_t>(settings.threads));
  for (const int s : {SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL}) std::signal(s, crashed);

  const auto work = [&](Place* here) {
    place = here;
    for (long i = next++; i < settings.runs; i = next++) {
      RunRequest request;
      request.problem_class = settings.classes[static_cast<std::size_t>(i % classes)];
      request.seed = settings.seed + static_cast<std::uint64_t>(i / classes);
      request.method = settings.method;
      request.tolerance = settings.tolerance;
      request.max_seconds = settings.max_seconds;
      request.find_index = settings.find_index && (i / classes) % 2 == 0;
      here->seed = request.seed;
      here->name = request.problem_class->name.c_str();
      here->since = milliseconds();
      results[static_cast<std::size_t>(i)] = run_one(request);
      here->since = 0;
    }
  };
  // A run that does not even come to its next step cannot be ended: the program says which and
  // ends.
  std::thread watch([&] {
    while (!done) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      for (Place& p : places)
        if (const long since = p.since; since > 0 && static_cast<double>(milliseconds() - since) >
                                                         1e3 * patience * settings.max_seconds) {
          tell("does not end", p.name.load(), p.seed.load());
          std::_Exit(exit_hung);
        }
    }
  });
  std::vector<std::thread> others;
  for (int k = 1; k < settings.threads; ++k)
    others.emplace_back(work, &places[static_cast<std::size_t>(k)]);
  work(&places[0]);
  for (std::thread& t : others) t.join();
  done = true;
  watch.join();
  for (const int s : {SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL}) std::signal(s, SIG_DFL);

  std::vector<Tally> tallies(static_cast<std::size_t>(classes));
  for (long k = 0; k < classes; ++k)
    tallies[static_cast<std::size_t>(k)].name = settings.classes[static_cast<std::size_t>(k)]->name;
  for (long i = 0; i < settings.runs; ++i)
    tallies[static_cast<std::size_t>(i % classes)].add(results[static_cast<std::size_t>(i)]);
  return tallies;
}

}  // namespace daedalus::soak
