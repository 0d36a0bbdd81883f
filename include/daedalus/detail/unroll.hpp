// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// At -O2 GCC leaves the short triangular loops rolled, which doubles the time of a product for
// K = 2; Clang unrolls them by itself.
#if defined(__GNUC__) && !defined(__clang__)
#define DAEDALUS_UNROLL _Pragma("GCC unroll 4")
#else
#define DAEDALUS_UNROLL
#endif
