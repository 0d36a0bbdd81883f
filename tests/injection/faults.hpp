// SPDX-License-Identifier: BSD-3-Clause
// Failure injection: the n-th allocation, or the n-th call that reads or writes, fails as if memory
// or disk were exhausted. The calls of libc that programs use are defined in this program, so that
// they come by here first, from all libraries.
#pragma once

namespace daedalus::faults {

enum class Kind { none, memory, files };

// From now on calls of this kind are counted, and the n-th fails; n = 0: none does. `lasting`:
// files: all that follow fail as well, as on a disk that stays full; memory: from there on there is
// no more than what was in use then.
void arm(Kind kind, long n, bool lasting = false);
long disarm();  // how many there were

}  // namespace daedalus::faults
