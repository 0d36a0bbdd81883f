// SPDX-License-Identifier: BSD-3-Clause
// The tool in one call, so that tests run it in-process. Exit codes: 0 success or stopped by an
// event, 1 the run failed, 2 wrong usage, 3 a file could not be read or written.
#pragma once

#include <iosfwd>
#include <span>

#include "reproduce/experiment.hpp"

namespace daedalus {
class Ranks;
}

namespace daedalus::cli {

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

// The same with other experiments than the registered ones.
int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
        std::span<const experiments::Experiment> experiments);

// On one of many ranks.
int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err, Ranks& ranks);

}  // namespace daedalus::cli
