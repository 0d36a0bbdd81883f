// SPDX-License-Identifier: BSD-3-Clause
// A library that may crash, in a process of its own: what was computed so far stays.
#pragma once

#include <functional>

#include <daedalus/trajectory_file.hpp>

namespace daedalus::files {

// What `read` returns in a copy of this process; its FileError is thrown here. FileError names the
// signal if it is killed, and the time if it takes longer than a minute of computing.
FileTrajectory isolated(const std::filesystem::path& path,
                        const std::function<FileTrajectory()>& read);

// The same for what writes a file, however long that takes.
void isolated_write(const std::filesystem::path& path, const std::function<void()>& write);

}  // namespace daedalus::files
