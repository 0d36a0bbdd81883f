// SPDX-License-Identifier: BSD-3-Clause
// Check sums and hashes made right again after a mutation, so that inputs reach the code behind
// them.
#pragma once

#include <cstring>
#include <string>

#include "io/content_hash.hpp"
#include "kernel/crc32.hpp"

namespace daedalus::fuzz {

inline std::uint64_t number_at(const std::string& s, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  if (at + bytes <= s.size()) std::memcpy(&value, s.data() + at, bytes);
  return value;
}
inline void put_at(std::string& s, std::size_t at, std::uint64_t value, std::size_t bytes) {
  if (at + bytes <= s.size()) std::memcpy(s.data() + at, &value, bytes);
}

// Sections: name 16, size 8, crc 4, crc of the head 4; the one named hash holds that of all before.
inline void repair_checkpoint(std::string& s) {
  constexpr std::string_view mark = "daedalus checkpoint 4\n";
  if (s.size() < mark.size()) return;
  s.replace(0, mark.size(), mark);
  const char* const names[] = {"identity", "state", "outside", "hash", "end"};
  std::size_t at = mark.size();
  for (std::size_t k = 0; k < 5 && at + 32 <= s.size(); ++k) {
    std::string name = names[k];
    name.resize(16, '\0');
    s.replace(at, 16, name);
    std::uint64_t size = number_at(s, at + 16, 8);
    if (k == 3) size = 32;
    if (k == 4) size = 0;
    size = std::min<std::uint64_t>(size, s.size() - at - 32);
    put_at(s, at + 16, size, 8);
    if (k == 3 && size == 32)
      s.replace(at + 32, 32, files::ContentHash::of(std::string_view(s).substr(0, at)));
    put_at(s, at + 24, Crc32::of(s.data() + at + 32, size), 4);
    put_at(s, at + 28, Crc32::of(s.data() + at, 28), 4);
    at += 32 + size;
  }
  if (at < s.size()) s.resize(at);
}

// Members of a ZIP archive: their sizes stay, their sums become right.
inline void repair_zip(std::string& s) {
  for (std::size_t at = 0; at + 30 <= s.size() && number_at(s, at, 4) == 0x04034b50;) {
    const std::size_t name = number_at(s, at + 26, 2), extra = number_at(s, at + 28, 2);
    const std::size_t begin = at + 30 + name + extra;
    std::uint64_t size = number_at(s, at + 18, 4);
    if (size == 0xffffffff && extra >= 20) size = number_at(s, at + 30 + name + 12, 8);
    if (begin > s.size() || size > s.size() - begin) return;
    put_at(s, at + 14, Crc32::of(s.data() + begin, size), 4);
    const std::string member = s.substr(at + 30, name);
    // The directory repeats the sum.
    const std::size_t entry = s.rfind(std::string("PK\x01\x02", 4));
    for (std::size_t d = s.find(std::string("PK\x01\x02", 4)); d != std::string::npos && d <= entry;
         d = s.find(std::string("PK\x01\x02", 4), d + 4))
      if (d + 46 + name <= s.size() && s.compare(d + 46, name, member) == 0)
        put_at(s, d + 16, Crc32::of(s.data() + begin, size), 4);
    at = begin + size;
  }
}

// Of an HDF5 file, in the user block; Jenkins' sums of its metadata are beyond this.
inline void repair_hdf5(std::string& s) {
  constexpr std::string_view mark = "daedalus trajectory\nhash ";
  if (s.size() < 512) return;
  std::string block =
      std::string(mark) + files::ContentHash::of(std::string_view(s).substr(512)) + "\n";
  block.resize(512, '\0');
  s.replace(0, 512, block);
}

// Lines of a journal, each with the hash of itself and of the one before.
inline void repair_journal(std::string& s) {
  std::string result, before;
  for (std::size_t begin = 0; begin < s.size();) {
    const std::size_t end = std::min(s.find('\n', begin), s.size());
    std::string body = s.substr(begin, end - begin);
    begin = end + 1;
    if (const std::size_t key = body.rfind(",\"check\":"); key != std::string::npos)
      body = body.substr(0, key) + "}";
    if (body.empty()) continue;
    before = files::ContentHash::of(before + body);
    result += body.substr(0, body.size() - 1) + ",\"check\":\"" + before + "\"}\n";
  }
  s = result;
}

// Rows of states: the sum of each row and its number.
inline void repair_spool(std::string& s) {
  constexpr std::string_view mark = "daedalus states 2\n";
  if (s.size() < mark.size() + 8) return;
  s.replace(0, mark.size(), mark);
  const std::uint64_t names =
      std::min<std::uint64_t>(number_at(s, mark.size(), 8), s.size() - mark.size() - 8);
  put_at(s, mark.size(), names, 8);
  const std::size_t head = mark.size() + 8 + names;
  const auto columns = static_cast<std::size_t>(std::count(
      s.begin() + static_cast<long>(mark.size()) + 8, s.begin() + static_cast<long>(head), '\n'));
  const std::size_t row = 8 * (columns + 1);
  std::int64_t k = 0;
  for (std::size_t at = head; at + row + 8 <= s.size(); at += row + 8, ++k) {
    Crc32 crc;
    crc.add(&k, sizeof k);
    crc.add(s.data() + at, row);
    put_at(s, at + row, crc.value(), 8);
  }
}

}  // namespace daedalus::fuzz
