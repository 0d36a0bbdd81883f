// SPDX-License-Identifier: BSD-3-Clause
// One DAE cut over ranks: each rank has its own unknowns and as many equations, and reads some
// unknowns of others, its ghosts. The library exchanges ghosts; callables only compute. Needs no
// MPI: Ranks::solve (daedalus/distributed.hpp) runs it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solution.hpp>

namespace daedalus {

// Sizes and callables are those of one rank. F(t, x, x') = 0 by `residual`, or M x' = f(t, x) by
// `rhs`. x and x' hold the own values, then those of the ghosts; rows are the own ones.
struct DistributedProblem {
  std::string name{};
  int rows = 0;  // own unknowns and own equations; global numbers are contiguous by rank
  // Global numbers of foreign unknowns that own rows read, ascending, none twice.
  std::vector<std::int64_t> ghosts{};
  Function<slot::Residual> residual{};
  Function<slot::StateVector> rhs{};
  SparseMatrix mass{};  // own rows x own columns, constant; may be singular; empty: the identity
  std::vector<int> variable_index{};  // own; 1, 2 or 3; empty: all 1
  // Number of the field (velocity, pressure) of each own unknown, for preconditioners and names.
  std::vector<int> field{};
  std::vector<std::string> field_names{};
  Eigen::VectorXd y0{}, yp0{};  // own; yp0 may be left empty with `rhs`
  int index = 1;                // the same on every rank
  // Names of an unknown and of its equation from the global number; else "field[number]".
  std::function<std::string(std::int64_t)> name_of{}, equation_of{};
  std::vector<Parameter> parameters{};  // the same on every rank
};

enum class DistributedPreconditioner {
  automatic,  // redundant up to 2e4 unknowns on at most 8 ranks, else asm
  redundant,  // direct: every rank factorises all of the matrix, small as it is
  lu,         // direct: MUMPS; on one rank, as redundant, the library's own sparse solver
  asm_lu,     // overlapping blocks, one per rank, each solved directly; GMRES around them
  hypre,      // algebraic multigrid (BoomerAMG), for one parabolic field
  gamg,       // algebraic multigrid of PETSc itself
  user        // what PETSc's options with the prefix dae_ say
};

struct Distribution {
  DistributedPreconditioner preconditioner = DistributedPreconditioner::automatic;
  int overlap = -1;  // of asm_lu, in rows of the matrix's graph; -1: 2, with index >= 2: 6
  std::vector<std::string> petsc_options{};  // "-dae_pc_type", "asm", ...
};

// What a run over ranks counted besides Statistics: our own calls, not those inside PETSc.
struct DistributedCounts {
  long reductions = 0;  // in steps; the start is not among them
  long messages = 0;    // sent by this rank for ghosts
  double bytes = 0.0;   // in these messages
  long preconditioner_setups = 0;
};

struct DistributedSolution {
  Solution own;  // states of the own unknowns; status, message and counts are those of all ranks
  DistributedCounts counts{};
  std::int64_t first = 0, unknowns = 0;  // global number of the first own unknown, and of all
};

}  // namespace daedalus
