// SPDX-License-Identifier: BSD-3-Clause
// CRC-32 as in ZIP and Ethernet, which finds every burst of up to 32 wrong bits.
#pragma once

#include <boost/crc.hpp>
#include <cstddef>
#include <cstdint>

namespace daedalus {

class Crc32 {
 public:
  void add(const void* data, std::size_t size) { crc_.process_bytes(data, size); }
  std::uint32_t value() const { return crc_.checksum(); }
  static std::uint32_t of(const void* data, std::size_t size) {
    Crc32 crc;
    crc.add(data, size);
    return crc.value();
  }

 private:
  boost::crc_32_type crc_;
};

}  // namespace daedalus
