// SPDX-License-Identifier: BSD-3-Clause
// The distribution's libasmjit.a is not made for shared objects: its one reference that a module
// cannot resolve is stderr, for failed assertions of its own. It gets one here, seen by nobody
// else.
extern "C" {
void* fdopen(int file, const char* mode);
__attribute__((visibility("hidden"))) void* daedalus_stderr __asm__("stderr") = nullptr;
}

namespace {
[[maybe_unused]] const bool opened = (daedalus_stderr = fdopen(2, "w"), true);
}
