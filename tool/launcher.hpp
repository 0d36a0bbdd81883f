// SPDX-License-Identifier: BSD-3-Clause
// The tool as a launcher of parallel programs starts it: mpirun, srun. MPI is loaded only then, and
// with --distributed: a plain `daedalus` knows nothing of it.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include <daedalus/distributed.hpp>

namespace daedalus::cli {

struct Launch {
  int rank = 0;
  int size = 0;  // 0: the environment does not say
};
using Environment = std::function<const char*(const char* name)>;
// What the environment says about a launcher; empty: there is none.
std::optional<Launch> find_launch(const Environment& environment);

// libdaedalus_distributed.so, beside the tool or where it was installed. Throws InvalidArgument
// that says what is missing.
std::unique_ptr<Ranks> load_ranks(int started);

// The whole program: `run`, on one rank or on each of many. One of them speaks.
int run_as_started(int argc, const char* const* argv);

}  // namespace daedalus::cli
