// SPDX-License-Identifier: BSD-3-Clause
// Counts allocations of the whole program at malloc, since KLU and Eigen do not go through operator
// new. For one file of a program. A sanitizer brings its own malloc: there DAEDALUS_COUNTS_MALLOC
// is 0, and builds with sanitizers leave files named allocation_test.cpp out.
#pragma once

#include <cstddef>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define DAEDALUS_COUNTS_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define DAEDALUS_COUNTS_MALLOC 0
#else
#define DAEDALUS_COUNTS_MALLOC 1
#endif
#else
#define DAEDALUS_COUNTS_MALLOC 1
#endif

#if DAEDALUS_COUNTS_MALLOC
namespace {
// Volatile: compilers know malloc and believe that it changes no variable of the program.
volatile long allocations = 0;
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* malloc(std::size_t size) {
  allocations = allocations + 1;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  allocations = allocations + 1;
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  allocations = allocations + 1;
  return __libc_realloc(block, size);
}
}
#endif
