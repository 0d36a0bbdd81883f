// SPDX-License-Identifier: BSD-3-Clause
// Numbers in general position for columns of a matrix, the same in every run.
#pragma once

#include <cstdint>

namespace daedalus {

// In [0, 1): the finalizer of SplitMix64 (Steele, Lea, Flood, 2014). Multiples of the golden
// section would not do: their second differences are integers, so that rows like 1, -2, 1 map them
// to zero.
inline double scattered(std::uint64_t number) {
  std::uint64_t z = (number + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

}  // namespace daedalus
