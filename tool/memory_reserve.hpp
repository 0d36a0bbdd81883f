// SPDX-License-Identifier: BSD-3-Clause
// Memory for the way out. Destructors of JSON documents allocate (nlohmann/json flattens them on a
// heap of its own), and an allocation that fails there would end the program before finished work
// is told. While a reserve exists, the first allocation that fails gives it back and is tried
// again; those after it throw std::bad_alloc as usual.
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
