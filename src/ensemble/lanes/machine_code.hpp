// SPDX-License-Identifier: BSD-3-Clause
// Programs over lanes as machine code, four lanes with AVX2 or eight with AVX-512, made by asmjit
// where the library was built with it. The operations are those of the interpreter one by one, so
// that the bits are the same.
#pragma once

#include <memory>
#include <string>

#include "ensemble/lanes/interpret.hpp"

namespace daedalus::lanes {

class MachineCode {
 public:
  // Lanes at a time on this processor; 0: there is no machine code, for this reason.
  static int width();
  static std::string reason();
  // `width` 4 or 8; null: not to be had. `wanted` are the functions that it calls.
  static std::shared_ptr<const MachineCode> compile(const Program& program,
                                                    const Functions& wanted);

  virtual ~MachineCode() = default;
  virtual void prologue(double* w) const = 0;
  virtual void body(double* w) const = 0;
};

}  // namespace daedalus::lanes
