// SPDX-License-Identifier: BSD-3-Clause
// What is left of machine code where asmjit is not there.
#if !defined(DAEDALUS_HAVE_ASMJIT)
#include "graph/machine_code.hpp"

namespace daedalus::graph {

bool MachineCode::available() { return false; }
std::string MachineCode::reason() { return "the library was built without asmjit"; }
std::shared_ptr<const MachineCode> MachineCode::compile(const Program&) { return nullptr; }

}  // namespace daedalus::graph
#endif
