// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "io/content_hash.hpp"
#include "io/trajectory_formats.hpp"
#include "tool/files.hpp"

namespace daedalus::cli {
namespace {

constexpr std::string_view check_key = ",\"check\":\"", check_end = "\"}";
constexpr std::size_t check_size = check_key.size() + files::hash_digits + check_end.size();

std::string check_of(const std::string& before, std::string_view body) {
  files::ContentHash hash;
  hash.add(before.data(), before.size());
  hash.add(body.data(), body.size());
  return hash.hex();
}

// The first key in which two objects differ.
std::string difference(const Json& a, const Json& b) {
  for (const auto& [key, value] : b.items())
    if (!a.is_object() || !a.contains(key) || a[key] != value)
      return fmt::format(
          "{}: {} there, {} here", key,
          a.is_object() && a.contains(key) ? files::printable(line(a[key])) : "nothing",
          files::printable(line(value)));
  return "it says more than this version knows";
}

}  // namespace

// It stays open, locked, from the first look at it to the last line: nobody else writes into it.
void SweepJournal::open() {
  const int fd = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0)
    throw FileError(
        fmt::format("'{}' cannot be written: {}", path_.string(), std::strerror(errno)));
  file_.reset(fdopen(fd, "a+b"));
  if (!file_) {
    close(fd);
    throw FileError(fmt::format("'{}' cannot be written", path_.string()));
  }
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw FileError(fmt::format(
        "'{}' is in use by another sweep; wait for it, or name another file", path_.string()));
}

std::size_t SweepJournal::read(const std::string& text, const Json& identity) {
  const auto refuse = [&](std::size_t number, const std::string& why) {
    throw FileError(fmt::format("'{}', line {}: {}", path_.string(), number, why));
  };
  std::size_t number = 0, begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    ++number;
    const std::string_view whole = std::string_view(text).substr(begin, end - begin);
    const bool marked = whole.size() > check_size && whole.ends_with(check_end) &&
                        whole.substr(whole.size() - check_size, check_key.size()) == check_key;
    if (!marked)
      refuse(number, number == 1 ? "this is no journal of a sweep, or an older version wrote it"
                                 : "this is no line of a sweep's journal");
    const std::string body = std::string(whole.substr(0, whole.size() - check_size)) + "}";
    const std::string check(
        whole.substr(whole.size() - check_end.size() - files::hash_digits, files::hash_digits));
    if (check != check_of(check_, body))
      refuse(number, "the check sum differs: this line or one before it was changed");
    check_ = check;
    Json json = parse_json(body, path_.string());
    if (number == 1) {
      if (!json.is_object() || !json.contains("sweep")) refuse(1, "this is no journal of a sweep");
      if (json["sweep"] != identity)
        throw FileError(fmt::format("'{}' belongs to another sweep ({}); name another file",
                                    path_.string(), difference(json["sweep"], identity)));
      continue;
    }
    if (!json.is_object() || !json.contains("run") || !json["run"].is_number_unsigned())
      refuse(number, "there is no number of a run");
    finished_.push_back(std::move(json));
  }
  // One line that was cut off is what a killed sweep leaves; of any other file not even one is
  // whole.
  if (number == 0 && !text.empty() && !text.starts_with("{\"sweep\":"))
    refuse(1, "this is no journal of a sweep");
  return begin;
}

SweepJournal::SweepJournal(std::filesystem::path path, Json identity) : path_(std::move(path)) {
  using Type = std::filesystem::file_type;
  std::error_code ignored;
  const Type kind = std::filesystem::status(path_, ignored).type();
  if (kind != Type::regular && kind != Type::not_found && kind != Type::none)
    throw FileError(fmt::format("'{}' cannot be written: it is a {}", path_.string(),
                                kind == Type::directory ? "folder" : "device or a pipe"));
  open();
  const std::string text = files::contents(path_);
  const std::size_t whole = read(text, identity);
  if (whole < text.size() && ftruncate(fileno(file_.get()), static_cast<off_t>(whole)) != 0)
    throw FileError(
        fmt::format("'{}' cannot be written: {}", path_.string(), std::strerror(errno)));
  size_ = whole;
  if (whole == 0) add(Json{{"sweep", std::move(identity)}});
}

void SweepJournal::add(const Json& run) {
  const std::string body = line(run);
  const std::string check = check_of(check_, body);
  std::string whole = body.substr(0, body.size() - 1);
  whole.append(check_key).append(check).append(check_end).append("\n");
  const auto fail = [&] {
    const int error = errno;
    // Runs that end after this one must not follow half a line.
    clearerr(file_.get());
    (void)!ftruncate(fileno(file_.get()), static_cast<off_t>(size_));
    throw FileError(
        fmt::format("'{}' could not be written: {}", path_.string(), std::strerror(error)));
  };
  // In one piece: what others see, and what a killed program leaves, are whole lines.
  if (std::fwrite(whole.data(), 1, whole.size(), file_.get()) != whole.size() ||
      std::fflush(file_.get()) != 0 || (fdatasync(fileno(file_.get())) != 0 && errno != EINVAL))
    fail();
  check_ = check;
  size_ += whole.size();
}

}  // namespace daedalus::cli
