// CRC-32 as in ZIP and Ethernet (polynomial 0xEDB88320, reflected), which finds every burst of up
// to 32 wrong bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace daedalus {

class Crc32 {
 public:
  void add(const void* data, std::size_t size) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i)
      state_ = table[(state_ ^ byte[i]) & 0xffu] ^ (state_ >> 8);
  }
  std::uint32_t value() const { return ~state_; }
  static std::uint32_t of(const void* data, std::size_t size) {
    Crc32 crc;
    crc.add(data, size);
    return crc.value();
  }

 private:
  static constexpr std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1u) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
      t[i] = c;
    }
    return t;
  }();
  std::uint32_t state_ = ~0u;
};

}  // namespace daedalus
