// SPDX-License-Identifier: BSD-3-Clause
// What callables of a run remember, as a checkpoint brings it: the first byte tells how many times
// and values follow, which are asked for and written; the rest is the memory.
#include <daedalus/stepper/archive.hpp>

#include "fuzz/target.hpp"
#include "kernel/run_memory.hpp"
#include "modelica/past.hpp"

namespace daedalus::fuzz {

static void past_read(const std::uint8_t* data, std::size_t size) {
  static const auto write = modelica::write_history(1, 0.5), now = modelica::read_history(1, 0.5);
  constexpr std::size_t most = 8, pair = 2 * sizeof(double);
  const std::size_t count = size > 0 ? data[0] % (most + 1) : 0, head = 1 + pair * count;
  if (size < head) return;
  RunMemory memory;
  const RunMemory::Scope scope(memory);
  try {
    Archive archive(std::vector<char>(data + head, data + size));
    memory.archive(archive);
  } catch (const DamagedArchive&) {
  }
  for (std::size_t k = 0; k < count; ++k) {
    double x[] = {1.0, 0.0, 0.0};
    std::memcpy(x + 1, data + 1 + pair * k, pair);
    (void)now->value(x);
    for (const auto& slope : now->partial) (void)slope->value(x);
    (void)write->value(x);
    (void)now->value(x);
  }
}

extern const Target past_target{"past", past_read, nullptr};

}  // namespace daedalus::fuzz
