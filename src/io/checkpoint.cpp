// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/checkpoint_file.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

#include <daedalus/types.hpp>

#include "io/atomic_file.hpp"
#include "io/trajectory_formats.hpp"
#include "kernel/crc32.hpp"

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

void write_checkpoint(const std::filesystem::path& target, const Checkpoint& c) {
  const std::string file = target.string();
  // Always under the same name: what a killed run leaves is overwritten by the next.
  const std::string beside = file + ".part";
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  std::string identity;
  for (const auto& [name, value] : c.identity) put_text(identity, name), put_text(identity, value);
  out.write(checkpoint_mark, checkpoint_mark_size);
  write_section(out, "identity", identity.data(), identity.size());
  write_section(out, "state", c.state.data(), c.state.size());
  write_section(out, "outside", c.outside.data(), c.outside.size());
  write_section(out, "end", nullptr, 0);
  out.close();
  if (!out) throw FileError("'" + file + "' could not be written: " + std::strerror(errno));
  replace(beside, file);
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

}  // namespace daedalus
