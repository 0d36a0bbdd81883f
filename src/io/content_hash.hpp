// SPDX-License-Identifier: BSD-3-Clause
// A strong check sum over whole files: XXH3 with 128 bits. It finds every careless change; it is no
// signature, since whoever can write a file can compute it as well (docs/reliability.md).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace daedalus::files {

class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;
  void add(const void* data, std::size_t size);
  std::string hex() const;  // 32 digits
  static std::string of(std::string_view bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 128 bits as hexadecimal digits.
inline constexpr std::size_t hash_digits = 32;

}  // namespace daedalus::files
