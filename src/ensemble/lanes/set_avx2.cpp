// SPDX-License-Identifier: BSD-3-Clause
// Lanes with AVX2, four numbers at a time; compiled with -mavx2 where that is known.
#include "ensemble/lanes/sets.hpp"
#ifdef __AVX2__
#define DAEDALUS_LANES_SET avx2
#include "ensemble/lanes/interpret_set.hpp"
#endif

namespace daedalus::lanes {

InstructionSet avx2_set() {
#ifdef __AVX2__
  return {"avx2",
          [] { return __builtin_cpu_supports("avx2") != 0; },
          16,
          {avx2::functions_of<4>(), avx2::functions_of<8>(), avx2::functions_of<16>()}};
#else
  return {"avx2", [] { return false; }, 0, {}};
#endif
}

}  // namespace daedalus::lanes
