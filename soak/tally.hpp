// SPDX-License-Identifier: BSD-3-Clause
// Sums over the runs of a class.
#pragma once

#include <array>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "soak/run.hpp"

namespace daedalus::soak {

struct Tally {
  struct Words {
    long count = 0;
    std::uint64_t seed = 0;  // the first one
    std::string example{};
  };
  std::string name{};
  long runs = 0;
  std::array<long, verdict_count> verdicts{};
  long index_checked = 0, index_wrong = 0;
  std::uint64_t index_seed = 0;
  double worst = 0.0;  // of the runs that ended well
  std::uint64_t worst_seed = 0;
  double seconds = 0.0;
  std::map<std::string, Words> messages{};  // of failures, by their beginnings
  std::vector<RunResult> bad{};             // everything but good, by seeds
  long of(Verdict v) const { return verdicts[static_cast<std::size_t>(v)]; }
  void add(const RunResult& r);
};

// Numbers replaced by #, and no more than the beginning: messages that differ in numbers are one.
std::string beginning(const std::string& message);

void print_table(std::ostream& out, const std::vector<Tally>& tallies);
void print_messages(std::ostream& out, const std::vector<Tally>& tallies);
void print_bad(std::ostream& out, const std::vector<Tally>& tallies, std::size_t limit);
void print_run(std::ostream& out, const std::string& name, const RunResult& r);
void print_json(std::ostream& out, const std::vector<Tally>& tallies, std::uint64_t seed);

}  // namespace daedalus::soak
