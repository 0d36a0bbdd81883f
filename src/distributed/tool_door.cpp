// SPDX-License-Identifier: BSD-3-Clause
// What the tool looks up in libdaedalus_distributed.so, which it loads under a launcher alone.
#include <daedalus/distributed.hpp>
#include <daedalus/version.hpp>

extern "C" {
// The tool refuses a library of another version before it calls anything else.
const char* daedalus_distributed_version() { return daedalus::version.data(); }
daedalus::Ranks* daedalus_start_ranks() { return daedalus::start_ranks().release(); }
}
