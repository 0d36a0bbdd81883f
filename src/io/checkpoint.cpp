// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/checkpoint_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include <daedalus/types.hpp>

#include "io/atomic_file.hpp"
#include "io/content_hash.hpp"
#include "io/trajectory_formats.hpp"
#include "kernel/crc32.hpp"

namespace daedalus {
namespace {

constexpr char checkpoint_mark[] = "daedalus checkpoint 4\n";
constexpr std::size_t checkpoint_mark_size = sizeof checkpoint_mark - 1;

struct SectionHead {
  char name[16];
  std::uint64_t size;
  std::uint32_t crc, head_crc;  // of the bytes; of name, size and crc
};

void add_section(std::string& out, const char* name, const char* data, std::size_t size) {
  SectionHead head{};
  std::strncpy(head.name, name, sizeof head.name - 1);
  head.size = size;
  head.crc = Crc32::of(data, size);
  head.head_crc = Crc32::of(&head, offsetof(SectionHead, head_crc));
  out.append(reinterpret_cast<const char*>(&head), sizeof head);
  if (size > 0) out.append(data, size);
}

// The next section, which has to have this name.
std::string read_section(const std::string& file, const std::string& bytes, std::size_t& at,
                         const std::string& name) {
  SectionHead head{};
  if (bytes.size() - at < sizeof head)
    files::damaged(file, fmt::format("byte {}: it is cut off before section '{}'", at, name));
  std::memcpy(&head, bytes.data() + at, sizeof head);
  if (head.head_crc != Crc32::of(&head, offsetof(SectionHead, head_crc)) ||
      std::string_view(head.name, strnlen(head.name, sizeof head.name)) != name)
    files::damaged(file, fmt::format("byte {}: the head of section '{}' is damaged", at, name));
  const std::size_t begin = at + sizeof head;
  if (head.size > bytes.size() - begin)
    files::damaged(file, fmt::format("section '{}', bytes {} to {}: it is cut off at byte {}", name,
                                     begin, begin + head.size, bytes.size()));
  if (Crc32::of(bytes.data() + begin, head.size) != head.crc)
    files::damaged(file, fmt::format("section '{}', bytes {} to {}: the check sum differs", name,
                                     begin, begin + head.size));
  at = begin + head.size;
  return bytes.substr(begin, head.size);
}

void put_text(std::string& out, const std::string& text) {
  const std::uint64_t size = text.size();
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += text;
}

std::string get_text(const std::string& file, const std::string& in, std::size_t& at) {
  std::uint64_t size = 0;
  if (in.size() - at < sizeof size) files::damaged(file, "section 'identity': a text is cut off");
  std::memcpy(&size, in.data() + at, sizeof size);
  at += sizeof size;
  if (size > in.size() - at)
    files::damaged(file, "section 'identity': a text is longer than what is left");
  at += size;
  return in.substr(at - size, size);
}

}  // namespace

void write_checkpoint(const std::filesystem::path& target, const Checkpoint& c) {
  std::string identity;
  for (const auto& [name, value] : c.identity) put_text(identity, name), put_text(identity, value);
  std::string all = checkpoint_mark;
  add_section(all, "identity", identity.data(), identity.size());
  add_section(all, "state", c.state.data(), c.state.size());
  add_section(all, "outside", c.outside.data(), c.outside.size());
  const std::string hash = files::ContentHash::of(all);
  add_section(all, "hash", hash.data(), hash.size());
  add_section(all, "end", nullptr, 0);
  // Always under one name, so that what a killed run leaves is replaced by the next. Whatever lies
  // there is removed, never opened: it may be a link to something else.
  const std::string file = target.string(), beside = file + ".part";
  const auto fail = [&] {
    const int error = errno;
    unlink(beside.c_str());
    throw FileError("'" + file + "' could not be written: " + std::strerror(error));
  };
  if (unlink(beside.c_str()) != 0 && errno != ENOENT) fail();
  const int out = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (out < 0) fail();
  for (std::size_t at = 0; at < all.size();) {
    const ssize_t n = ::write(out, all.data() + at, all.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      close(out);
      errno = error;
      fail();
    }
    at += static_cast<std::size_t>(n);
  }
  if (close(out) != 0) fail();
  try {
    replace(beside, file);
  } catch (const FileError&) {
    unlink(beside.c_str());
    throw;
  }
}

Checkpoint read_checkpoint(const std::filesystem::path& source) {
  const std::string file = source.string();
  const std::string bytes = files::contents(file);
  if (bytes.compare(0, checkpoint_mark_size, checkpoint_mark) != 0) {
    const bool ours = bytes.compare(0, 20, checkpoint_mark, 20) == 0;
    files::damaged(file, ours ? "byte 20: it was written by another version of the library"
                              : "byte 0: not a checkpoint of Daedalus");
  }
  std::size_t at = checkpoint_mark_size;
  Checkpoint c;
  const std::string identity = read_section(file, bytes, at, "identity");
  for (std::size_t i = 0; i < identity.size();) {
    const std::string name = get_text(file, identity, i);
    c.identity.emplace_back(name, get_text(file, identity, i));
  }
  const std::string state = read_section(file, bytes, at, "state");
  c.state.assign(state.begin(), state.end());
  c.outside = read_section(file, bytes, at, "outside");
  const std::size_t hashed = at;
  if (read_section(file, bytes, at, "hash") !=
      files::ContentHash::of(std::string_view(bytes).substr(0, hashed)))
    files::damaged(
        file, fmt::format("bytes 0 to {}: the hash of the whole differs; it was changed", hashed));
  read_section(file, bytes, at, "end");
  if (at != bytes.size())
    files::damaged(file, fmt::format("byte {}: something follows the end", at));
  return c;
}

}  // namespace daedalus
