// SPDX-License-Identifier: BSD-3-Clause
// The parts that catalogue/cut.hpp chooses from.
#pragma once

#include <catalogue/cut.hpp>
#include <catalogue/stokes_strip.hpp>

namespace daedalus::problems {

DistributedProblem cut_pde_2d(const Values& values, int rank, int size);
DistributedProblem cut_line(const Values& values, int rank, int size);
DistributedProblem cut_line_index2(const Values& values, int rank, int size);
// A flow on a staggered grid without its equations.
DistributedProblem staggered(const stokes::Strip& strip);

}  // namespace daedalus::problems
