// SPDX-License-Identifier: BSD-3-Clause
// Programs as machine code, for plain numbers on x86-64 with AVX, made by asmjit where the library
// was built with it (CMake option DAEDALUS_JIT). The same functions of the mathematical library
// are called as by the interpreter and nothing is contracted or reordered: the bits are the same.
// The sign and payload of a NaN may differ.
#pragma once

#include <memory>
#include <string>

#include "graph/interpreter.hpp"

namespace daedalus::graph {

class MachineCode {
 public:
  // Built in, and this processor can run it, and the environment variable DAEDALUS_JIT is not
  // "off" or "0".
  static bool available();
  static std::string reason();  // why it is not available; empty: it is

  // Program made with ProgramOptions{.reuse_slots = false, .fuse = false}. Null where machine code
  // is not available. Keeps what it needs of the program.
  static std::shared_ptr<const MachineCode> compile(const Program& program);
  static constexpr ProgramOptions program_options() { return {false, false}; }

  virtual ~MachineCode() = default;
  // The same as Workspace::run.
  virtual int run(const Program& program, Workspace<double>& workspace, const Point<double>& point,
                  double* out) const = 0;
  virtual std::size_t bytes() const = 0;
};

}  // namespace daedalus::graph
