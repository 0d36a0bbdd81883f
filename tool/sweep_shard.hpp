// SPDX-License-Identifier: BSD-3-Clause
// One part of a sweep, for batch systems that start many processes: shard I of N does the runs k
// with k mod N = I - 1. Neighbours cost alike, so that all shards cost alike.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tool/launcher.hpp"

namespace daedalus::cli {

struct Shard {
  std::size_t index = 1, count = 1;  // 1 <= index <= count
  bool whole() const { return count == 1; }
  bool has(std::size_t run) const { return run % count == index - 1; }
  std::string text() const;  // 3/16
};

// I/N, or auto: what the batch system says. Throws InvalidArgument.
Shard parse_shard(const std::string& text, const Environment& environment);

// sweep.jsonl.d/shard-003-of-016.jsonl
std::filesystem::path shard_folder(const std::string& journal);
std::filesystem::path shard_file(const std::string& journal, const Shard& shard);

}  // namespace daedalus::cli
