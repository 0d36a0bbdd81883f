// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints as files: sections with names, lengths and check sums, replaced as a whole.
#pragma once

#include <filesystem>

#include <daedalus/checkpoint.hpp>

namespace daedalus {

// Throws FileError if the file cannot be written; an existing one then stays as it was.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
// Throws FileError that names the place where the file is damaged, cut off or of another kind.
Checkpoint read_checkpoint(const std::filesystem::path& file);

}  // namespace daedalus
