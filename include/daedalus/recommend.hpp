// SPDX-License-Identifier: BSD-3-Clause
// Which method suits a problem, and why.
#pragma once

#include <string>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>

namespace daedalus {

struct Alternative {
  std::string method, formulation, reason;
};
struct Recommendation {
  std::string method, formulation, reason;
  std::vector<Alternative> alternatives;  // the runners-up, in order
};
// The method, formulation and reason that `solve` would start with; honours what options fix. Where
// a run finds that stability limits its steps it goes on with another method, and says so.
Recommendation recommend(const Problem& problem, const Options& options = {});

}  // namespace daedalus
