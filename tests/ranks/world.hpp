// SPDX-License-Identifier: BSD-3-Clause
// The ranks that mpirun started, for all tests of this program.
#pragma once

#include <catalogue/cut.hpp>
#include <daedalus/distributed.hpp>

namespace daedalus::test {

Ranks& world();

inline DistributedProblem part_of(const std::string& name, const problems::Values& values) {
  return *problems::cut(name, values, world().rank(), world().size());
}

}  // namespace daedalus::test
