// SPDX-License-Identifier: BSD-3-Clause
// Memory for the way out. Destructors of JSON documents allocate (nlohmann/json flattens them on a
// heap of its own) and cannot fail. While a reserve exists, allocations that fail throw
// std::bad_alloc as ever, and the destructors that run on the way to its handler get the reserve. A
// document that is destroyed while no exception is on its way, and finds no memory, ends the
// program with a message and exit code 1: all files appear whole or not at all, so that this is
// safe at any time.
#pragma once

namespace daedalus::cli {

class MemoryReserve {
 public:
  MemoryReserve();
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

 private:
  void (*before_)();
};

}  // namespace daedalus::cli
