#include "integrate/checkpoint.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include <daedalus/types.hpp>

#include "files/atomic_file.hpp"
#include "files/crc32.hpp"
#include "files/trajectory_formats.hpp"

namespace daedalus {
namespace {

constexpr char checkpoint_mark[] = "daedalus checkpoint 1\n";
constexpr std::size_t checkpoint_mark_size = sizeof checkpoint_mark - 1;

struct SectionHead {
  char name[16];
  std::uint64_t size;
  std::uint32_t crc, head_crc;  // of the bytes; of name, size and crc
};

void write_section(std::ostream& out, const char* name, const char* data, std::size_t size) {
  SectionHead head{};
  std::strncpy(head.name, name, sizeof head.name - 1);
  head.size = size;
  head.crc = Crc32::of(data, size);
  head.head_crc = Crc32::of(&head, offsetof(SectionHead, head_crc));
  out.write(reinterpret_cast<const char*>(&head), sizeof head);
  out.write(data, static_cast<std::streamsize>(size));
}

// The next section, which has to have this name.
std::string read_section(const std::string& file, const std::string& bytes, std::size_t& at,
                         const std::string& name) {
  SectionHead head{};
  if (bytes.size() - at < sizeof head)
    files::damaged(file, fmt::format("byte {}: it is cut off before section '{}'", at, name));
  std::memcpy(&head, bytes.data() + at, sizeof head);
  if (head.head_crc != Crc32::of(&head, offsetof(SectionHead, head_crc)) || head.name != name)
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

std::string get_text(const std::string& in, std::size_t& at) {
  std::uint64_t size = 0;
  std::memcpy(&size, in.data() + at, sizeof size);
  at += sizeof size + size;
  return in.substr(at - size, size);
}

}  // namespace

void write_checkpoint(const std::string& file, const Checkpoint& c) {
  AtomicFile out(file);
  std::string identity;
  for (const auto& [name, value] : c.identity) put_text(identity, name), put_text(identity, value);
  out.stream().write(checkpoint_mark, checkpoint_mark_size);
  write_section(out.stream(), "identity", identity.data(), identity.size());
  write_section(out.stream(), "state", c.state.data(), c.state.size());
  write_section(out.stream(), "outside", c.outside.data(), c.outside.size());
  write_section(out.stream(), "end", nullptr, 0);
  out.commit();
}

Checkpoint read_checkpoint(const std::string& file) {
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
    const std::string name = get_text(identity, i);
    c.identity.emplace_back(name, get_text(identity, i));
  }
  const std::string state = read_section(file, bytes, at, "state");
  c.state.assign(state.begin(), state.end());
  c.outside = read_section(file, bytes, at, "outside");
  read_section(file, bytes, at, "end");
  if (at != bytes.size())
    files::damaged(file, fmt::format("byte {}: something follows the end", at));
  return c;
}

void require_same(const std::string& file, const Identity& there, const Identity& here) {
  const auto value = [](const Identity& list, const std::string& name) {
    for (const auto& [key, text] : list)
      if (key == name) return "'" + text + "'";
    return std::string("not set");
  };
  std::string differences;
  int count = 0;
  const auto compare = [&](const Identity& list, bool new_only) {
    for (const auto& [name, text] : list) {
      const std::string a = value(there, name), b = value(here, name);
      if (a == b || (new_only && a != "not set")) continue;
      if (++count <= 3)
        differences +=
            fmt::format("{}{} is {} there and {} here", count > 1 ? "; " : "", name, a, b);
    }
  };
  compare(there, false);
  compare(here, true);
  if (count == 0) return;
  if (count > 3) differences += fmt::format("; and {} more", count - 3);
  throw InvalidArgument(
      fmt::format("resume: the checkpoint '{}' belongs to another run: {}", file, differences));
}

}  // namespace daedalus
