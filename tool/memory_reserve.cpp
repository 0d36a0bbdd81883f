// SPDX-License-Identifier: BSD-3-Clause
#include "tool/memory_reserve.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace daedalus::cli {
namespace {

// Documents of results hold some ten thousand values; flattening one takes 16 bytes for each.
constexpr std::size_t reserve_bytes = 1 << 20;

std::atomic<void*> reserve{nullptr};

void give_reserve() {
  void* const held = reserve.exchange(nullptr);
  if (!held) throw std::bad_alloc();
  std::free(held);
}

}  // namespace

MemoryReserve::MemoryReserve() : before_(std::get_new_handler()) {
  std::free(reserve.exchange(std::malloc(reserve_bytes)));
  std::set_new_handler(give_reserve);
}

MemoryReserve::~MemoryReserve() {
  std::set_new_handler(before_);
  std::free(reserve.exchange(nullptr));
}

}  // namespace daedalus::cli
