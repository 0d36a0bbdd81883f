// SPDX-License-Identifier: BSD-3-Clause
// Eigen 3.4 frees the memory of a matrix before it asks for that of its new size. Where there is
// none, the matrix still points at what was freed, and its destructor frees it again. What
// daedalus_guard_eigen (cmake/DaedalusCompile.cmake) links calls these functions in the place of
// free and malloc: the block that a thread gave back last is freed when its next request was met,
// and stays with the matrix where it was not. (If it was of something else, it is lost: one block
// for each request that fails.) operator new and shared libraries of others do not come by here.
#include <cstddef>
#include <utility>

extern "C" {

void* __real_malloc(std::size_t size);  // NOLINT: the linker's names, here and below
void __real_free(void* block);

static thread_local void* given_back = nullptr;

void __wrap_free(void* block) {  // NOLINT
  if (block) __real_free(std::exchange(given_back, block));
}

void* __wrap_malloc(std::size_t size) {  // NOLINT
  void* const block = __real_malloc(size);
  void* const before = std::exchange(given_back, nullptr);
  if (block) __real_free(before);
  return block;
}

}  // extern "C"
