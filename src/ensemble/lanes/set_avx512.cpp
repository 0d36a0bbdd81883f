// SPDX-License-Identifier: BSD-3-Clause
// Lanes with AVX-512, eight numbers at a time; compiled with -mavx512f and so on where known.
#include "ensemble/lanes/sets.hpp"
#ifdef __AVX512DQ__
#define DAEDALUS_LANES_SET avx512
#include "ensemble/lanes/interpret_set.hpp"
#endif

namespace daedalus::lanes {

InstructionSet avx512_set() {
#ifdef __AVX512DQ__
  return {"avx512",
          [] {
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl");
          },
          16,
          {avx512::functions_of<8>(), avx512::functions_of<16>()}};
#else
  return {"avx512", [] { return false; }, 0, {}};
#endif
}

}  // namespace daedalus::lanes
