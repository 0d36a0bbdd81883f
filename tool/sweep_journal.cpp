// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_journal.hpp"

#include <cerrno>
#include <cstring>
#include <sstream>

#include <fmt/format.h>

#include "tool/files.hpp"

namespace daedalus::cli {
namespace {

Json parsed(const std::filesystem::path& path, std::size_t number, const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception&) {
    throw FileError(
        fmt::format("'{}', line {}: this is no line of a sweep's journal", path.string(), number));
  }
}

// The first key in which two objects differ.
std::string difference(const Json& a, const Json& b) {
  for (const auto& [key, value] : b.items())
    if (!a.contains(key) || a[key] != value)
      return fmt::format("{}: {} there, {} here", key, a.contains(key) ? a[key].dump() : "nothing",
                         value.dump());
  return "it says more than this version knows";
}

}  // namespace

SweepJournal::SweepJournal(std::filesystem::path path, Json identity) : path_(std::move(path)) {
  std::string text;
  if (std::filesystem::exists(path_)) {
    std::ifstream in(path_, std::ios::binary);
    if (!in)
      throw FileError(fmt::format("'{}' cannot be read: {}", path_.string(), std::strerror(errno)));
    std::ostringstream all;
    all << in.rdbuf();
    text = all.str();
  }
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  std::istringstream lines(text.substr(0, whole));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    Json json = parsed(path_, ++number, line);
    if (number == 1) {
      if (!json.is_object() || !json.contains("sweep"))
        throw FileError(fmt::format("'{}', line 1: this is no journal of a sweep", path_.string()));
      if (json["sweep"] != identity)
        throw FileError(fmt::format("'{}' belongs to another sweep ({}); name another file",
                                    path_.string(), difference(json["sweep"], identity)));
      continue;
    }
    if (!json.is_object() || !json.contains("run") || !json["run"].is_number_unsigned())
      throw FileError(
          fmt::format("'{}', line {}: there is no number of a run", path_.string(), number));
    finished_.push_back(std::move(json));
  }
  if (number == 0 && whole == 0 && !text.empty())
    throw FileError(fmt::format("'{}', line 1: this is no journal of a sweep", path_.string()));
  if (whole < text.size()) std::filesystem::resize_file(path_, whole);
  stream_.open(path_, std::ios::binary | std::ios::app);
  if (!stream_)
    throw FileError(
        fmt::format("'{}' cannot be written: {}", path_.string(), std::strerror(errno)));
  if (number == 0) add(Json{{"sweep", std::move(identity)}});
}

void SweepJournal::add(const Json& run) {
  stream_ << line(run) << '\n' << std::flush;
  if (!stream_)
    throw FileError(
        fmt::format("'{}' could not be written: {}", path_.string(), std::strerror(errno)));
}

}  // namespace daedalus::cli
