// SPDX-License-Identifier: BSD-3-Clause
// With the hash of the contents repaired, libhdf5 sees the input, in a process of its own: it may
// crash there, and here that is a refusal.
#include <daedalus/hdf5.hpp>

#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"

namespace daedalus::fuzz {

extern const Target hdf5_target;

static void hdf5_read(const std::uint8_t* data, std::size_t size) {
  enable_hdf5();
  const std::string path = file("run.h5", data, size);
  if (reads([&] { read_trajectory(path); })) only_with_its_hash(data, size, hdf5_target);
}

const Target hdf5_target{"hdf5", hdf5_read, repair_hdf5};

}  // namespace daedalus::fuzz
