// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/checkpoint_file.hpp>

#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"

namespace daedalus::fuzz {

extern const Target checkpoint_file_target;

static void checkpoint_file_read(const std::uint8_t* data, std::size_t size) {
  const std::string path = file("run.check", data, size);
  if (reads([&] { read_checkpoint(path); })) only_with_its_hash(data, size, checkpoint_file_target);
}

const Target checkpoint_file_target{"checkpoint_file", checkpoint_file_read, repair_checkpoint};

}  // namespace daedalus::fuzz
