// SPDX-License-Identifier: BSD-3-Clause
// Classical Fortran codes as peers: adapters for their well-known calling sequences. The codes are
// the user's own shared objects, loaded at run time; nothing of them is built or shipped here.
#pragma once

#include <csetjmp>
#include <string>
#include <vector>

#include "peers/peer.hpp"

namespace daedalus::peers {

// `NAME=PATH` with a name of classical_names(). Throws std::runtime_error that says what is wrong:
// the name, the file, or the routine that is not in it.
void add_classical(Peers& list, const std::string& specification);
std::vector<std::string> classical_names();

// Codes for M x' = f(t, x): RADAU5, RADAU, RODAS, SEULEX, BIMD, GAMD, DOP853.
std::unique_ptr<Peer> linear_code(const std::string& name, void* routine);
// Codes for F(t, x, x') = 0: DASKR, MEBDFI; with algebraic variables tested or not.
std::vector<std::unique_ptr<Peer>> residual_codes(const std::string& name, void* routine);
// Codes for mechanisms: HEM5, PHEM56.
std::unique_ptr<Peer> mechanical_code(const std::string& name, void* routine);

// These codes cannot be told to give up: an evaluation after the deadline leaves them by a jump to
// where they were called. Their frames own nothing that would have to be released.
struct FortranCall {
  Model* model = nullptr;
  std::jmp_buf out;
  [[noreturn]] void leave() { std::longjmp(out, 1); }
};
// The call in progress, for codes whose callbacks carry no argument of the user's.
extern FortranCall* call_in_progress;

}  // namespace daedalus::peers
