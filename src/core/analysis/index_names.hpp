// SPDX-License-Identifier: BSD-3-Clause
// Words for what the derivative array found.
#pragma once

#include <string>
#include <vector>

#include "linalg/index_reduction.hpp"

namespace daedalus {

// An equation, differentiated so often, that takes part in a constraint.
struct OriginTerm {
  int equation, derivative;
};
// Each equation once, with its highest derivative; the most differentiated first.
std::vector<OriginTerm> origin_terms(const IndexReduction::Constraint& constraint);

std::string times_text(int times);                                          // once, twice, 3 times
std::string derivative_text(const std::string& equation, int derivatives);  // d/dt 'constraint 1'
// "d/dt 'constraint 1' with 'kinematics of x', 'kinematics of y'".
std::string origin_text(const IndexReduction::Constraint& constraint,
                        const std::vector<std::string>& equations);
std::string short_list(const std::vector<std::string>& names, std::size_t most);

}  // namespace daedalus
