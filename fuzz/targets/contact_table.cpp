// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/contact_table.hpp>

#include "fuzz/target.hpp"

namespace {

// The last line is a sum over the lines before.
void repair(std::string& s) {
  const std::size_t end = s.rfind("end ");
  if (end == std::string::npos || (end > 0 && s[end - 1] != '\n')) return;
  std::uint64_t sum = 14695981039346656037ULL;
  for (std::size_t i = 0; i < end; ++i)
    sum = (sum ^ static_cast<unsigned char>(s[i])) * 1099511628211ULL;
  char digits[20];
  std::snprintf(digits, sizeof digits, "%016lx\n", static_cast<unsigned long>(sum));
  s = s.substr(0, end) + "end " + digits;
}

}  // namespace

namespace daedalus::fuzz {

static void contact_table_read(const std::uint8_t* data, std::size_t size) {
  const std::string path = file("contact.table", data, size);
  reads([&] { ContactTable::load(path); });
}

extern const Target contact_table_target{"contact_table", contact_table_read, repair, true};

}  // namespace daedalus::fuzz
