// SPDX-License-Identifier: BSD-3-Clause
// Finished work of a command in a file, one JSON a line, so that an interrupted sweep or fit goes
// on where it was. The first line says which one it is, and who began it. Each line ends with
// "check": the hash of the line without it and of the check before, so that none can be changed,
// exchanged or left out. A last line without end is one that was being written when the program was
// killed; it is left out and done again.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/heartbeat_lock.hpp"
#include "io/json.hpp"

namespace daedalus {

// What a journal is of, the key of its first line, and the key of a number that all others have.
struct JournalKind {
  const char* name;
  const char* number;
};

struct JournalContents {
  json::Json identity{}, by{};
  std::vector<json::Json> lines{};
  std::string check{};    // of the last line
  std::size_t whole = 0;  // bytes of whole lines
};
// Throws FileError that names file and line.
JournalContents read_journal(const std::filesystem::path& path, JournalKind kind);
// The first key in which two identities differ, with both values.
std::string identity_difference(const json::Json& there, const json::Json& here);

struct JournalSettings {
  json::Json by{};  // who writes it, for people who compare files
  // On a file system that other machines write as well: a lock file beside it keeps them off.
  bool shared = false;
  std::function<void(const std::string&)> warn{};
};

class Journal {
 public:
  // identity: what has to be the same for the lines of a file to belong to this call. Throws
  // FileError that names file, line and difference.
  Journal(std::filesystem::path path, const json::Json& identity, JournalKind kind,
          const JournalSettings& settings = {});
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  const std::vector<json::Json>& finished() const { return contents_.lines; }
  void add(const json::Json& line);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void open(bool shared);
  void write(const json::Json& line);

  std::filesystem::path path_;
  JournalKind kind_;
  std::unique_ptr<HeartbeatLock> lock_;
  JournalContents contents_;
  std::unique_ptr<std::FILE, Close> file_;
  std::chrono::steady_clock::time_point synchronised_{};
};

}  // namespace daedalus
