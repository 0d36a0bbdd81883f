// SPDX-License-Identifier: BSD-3-Clause
#include "io/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "io/content_hash.hpp"
#include "io/trajectory_formats.hpp"

namespace daedalus {
namespace {

using json::Json;
using json::line;

constexpr std::string_view check_key = ",\"check\":\"", check_end = "\"}";
constexpr std::size_t check_size = check_key.size() + files::hash_digits + check_end.size();

std::string check_of(const std::string& before, std::string_view body) {
  files::ContentHash hash;
  hash.add(before.data(), before.size());
  hash.add(body.data(), body.size());
  return hash.hex();
}

}  // namespace

std::string identity_difference(const Json& a, const Json& b) {
  for (const auto& [key, value] : b.items())
    if (!a.is_object() || !a.contains(key) || a[key] != value)
      return fmt::format(
          "{}: {} there, {} here", key,
          a.is_object() && a.contains(key) ? files::printable(line(a[key])) : "nothing",
          files::printable(line(value)));
  return "it says more than this version knows";
}

JournalContents read_journal(const std::filesystem::path& path, JournalKind kind) {
  const std::string text = files::contents(path);
  const auto refuse = [&](std::size_t number, const std::string& why) {
    throw FileError(fmt::format("'{}', line {}: {}", path.string(), number, why));
  };
  JournalContents found;
  std::size_t number = 0;
  for (std::size_t end; (end = text.find('\n', found.whole)) != std::string::npos;
       found.whole = end + 1) {
    ++number;
    const std::string_view whole = std::string_view(text).substr(found.whole, end - found.whole);
    const bool marked = whole.size() > check_size && whole.ends_with(check_end) &&
                        whole.substr(whole.size() - check_size, check_key.size()) == check_key;
    if (!marked)
      refuse(number, number == 1
                         ? fmt::format("this is no journal of a {}, or an older version wrote it",
                                       kind.name)
                         : fmt::format("this is no line of a {}'s journal", kind.name));
    const std::string body = std::string(whole.substr(0, whole.size() - check_size)) + "}";
    const std::string check(
        whole.substr(whole.size() - check_end.size() - files::hash_digits, files::hash_digits));
    if (check != check_of(found.check, body))
      refuse(number, "the check sum differs: this line or one before it was changed");
    found.check = check;
    Json entry = json::parse_json(body, path.string());
    if (number == 1) {
      if (!entry.is_object() || !entry.contains(kind.name))
        refuse(1, fmt::format("this is no journal of a {}", kind.name));
      found.identity = std::move(entry[kind.name]);
      found.by = entry.value("by", Json::object());
      if (!found.by.is_object()) refuse(1, "what it says of who wrote it is no object");
      continue;
    }
    if (!entry.is_object() || !entry.contains(kind.number) ||
        !entry[kind.number].is_number_unsigned())
      refuse(number, fmt::format("there is no number of a {}", kind.number));
    found.lines.push_back(std::move(entry));
  }
  // One line that was cut off is what a killed program leaves; of any other file not even one is
  // whole.
  if (number == 0 && !text.empty() && !text.starts_with(fmt::format("{{\"{}\":", kind.name)))
    refuse(1, fmt::format("this is no journal of a {}", kind.name));
  return found;
}

// It stays open, locked, from the first look at it to the last line: nobody else writes into it.
void Journal::open(bool shared) {
  const int fd = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0)
    throw FileError(
        fmt::format("'{}' cannot be written: {}", path_.string(), std::strerror(errno)));
  file_.reset(fdopen(fd, "a+b"));
  if (!file_) {
    close(fd);
    throw FileError(fmt::format("'{}' cannot be written", path_.string()));
  }
  if (!shared && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw FileError(fmt::format("'{}' is in use by another {}; wait for it, or name another file",
                                path_.string(), kind_.name));
}

Journal::Journal(std::filesystem::path path, const Json& identity, JournalKind kind,
                 const JournalSettings& settings)
    : path_(std::move(path)), kind_(kind) {
  using Type = std::filesystem::file_type;
  std::error_code ignored;
  const Type type = std::filesystem::status(path_, ignored).type();
  if (type != Type::regular && type != Type::not_found && type != Type::none)
    throw FileError(fmt::format("'{}' cannot be written: it is a {}", path_.string(),
                                type == Type::directory ? "folder" : "device or a pipe"));
  if (settings.shared) {
    std::filesystem::path lock = path_;
    lock_ = std::make_unique<HeartbeatLock>(lock.replace_extension(".lock"), path_, settings.warn);
  }
  open(settings.shared);
  contents_ = read_journal(path_, kind_);
  if (contents_.whole > 0 && contents_.identity != identity)
    throw FileError(fmt::format("'{}' belongs to another {} ({}); name another file",
                                path_.string(), kind_.name,
                                identity_difference(contents_.identity, identity)));
  if (ftruncate(fileno(file_.get()), static_cast<off_t>(contents_.whole)) != 0)
    throw FileError(
        fmt::format("'{}' cannot be written: {}", path_.string(), std::strerror(errno)));
  if (contents_.whole > 0) return;
  Json first{{kind_.name, identity}};
  if (!settings.by.is_null()) first["by"] = settings.by;
  write(first);
}

// What is in the file stays there if the program is killed; synchronised now and then it also
// survives a power cut.
Journal::~Journal() { (void)!fdatasync(fileno(file_.get())); }

void Journal::add(const Json& entry) {
  try {
    write(entry);
  } catch (const FileError& error) {
    throw FileError(fmt::format("{} ({} {}, after {} bytes; what was written is whole)",
                                error.what(), kind_.number, line(entry[kind_.number]),
                                contents_.whole));
  }
}

void Journal::write(const Json& entry) {
  const std::string body = line(entry);
  const std::string check = check_of(contents_.check, body);
  std::string whole = body.substr(0, body.size() - 1);
  whole.append(check_key).append(check).append(check_end).append("\n");
  // In one piece: what others see, and what a killed program leaves, are whole lines.
  bool good = std::fwrite(whole.data(), 1, whole.size(), file_.get()) == whole.size() &&
              std::fflush(file_.get()) == 0;
  const auto now = std::chrono::steady_clock::now();
  if (good && now - synchronised_ > std::chrono::seconds(1)) {
    good = fdatasync(fileno(file_.get())) == 0 || errno == EINVAL;
    synchronised_ = now;
  }
  if (!good) {
    const int error = errno;
    // Runs that end after this one must not follow half a line.
    clearerr(file_.get());
    (void)!ftruncate(fileno(file_.get()), static_cast<off_t>(contents_.whole));
    throw FileError(
        fmt::format("'{}' could not be written: {}", path_.string(), std::strerror(error)));
  }
  contents_.check = check;
  contents_.whole += whole.size();
}

}  // namespace daedalus
