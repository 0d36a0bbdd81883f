// SPDX-License-Identifier: BSD-3-Clause
// Machine code that brings the inputs of a program up to date and tells which stages have to run:
// for small models the general way (Workspace::load) takes longer than their formulas. Only where
// asmjit is there.
#pragma once

#if defined(DAEDALUS_HAVE_ASMJIT)
#include <asmjit/x86.h>

#include "graph/interpreter.hpp"

namespace daedalus::graph {

// Bits of the stages that have to run. Bit 0: an input of the first stage has changed, and nothing
// is up to date.
using CheckFunction = int (*)(double* w, const double* const* vectors, const double* modes,
                              const double* previous);

// Writes it for a workspace whose inputs are known; inputs of the last stage of the kinds in
// `direct` (bits) stay where they are. False where the program has so many inputs that a loop over
// them is as good.
bool emit_check(asmjit::CodeHolder& holder, const Program& program, std::uint32_t direct);

}  // namespace daedalus::graph
#endif
