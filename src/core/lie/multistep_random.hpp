// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood 2014).
#pragma once

#include <cstdint>

namespace daedalus::lie {

class PortableRandom {
 public:
  explicit PortableRandom(std::uint64_t state) : state_(state) {}
  double uniform(double low, double high) {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return low + (high - low) * (static_cast<double>(x >> 11) * 0x1p-53);
  }

 private:
  std::uint64_t state_;
};

}  // namespace daedalus::lie
