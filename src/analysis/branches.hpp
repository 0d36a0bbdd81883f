// Branches of callables: which equations depend on more variables elsewhere than at the start.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <daedalus/problem.hpp>

#include "system/system.hpp"

namespace daedalus {

// Looks at points on both sides of every comparison that recorded numbers show, in turn from each
// point found, and at points around the start values for plain callables; adds a sentence that
// names the equations and variables that only another branch brings together.
void warn_of_branches(const std::shared_ptr<const Problem>& problem, System& system,
                      const State& start, std::vector<std::string>& warnings);

}  // namespace daedalus
