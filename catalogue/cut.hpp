// SPDX-License-Identifier: BSD-3-Clause
// Problems of the catalogue that know how to be cut: the part of one rank of many. No rank has
// anything of the size of the whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <catalogue/catalogue.hpp>
#include <daedalus/distributed_problem.hpp>

namespace daedalus::problems {

std::vector<std::string> cut_problems();
// Empty: this one cannot be cut. Throws InvalidArgument for parameters that are not allowed, on all
// ranks alike.
std::optional<DistributedProblem> cut(const std::string& name, const Values& values, int rank,
                                      int size);

// First of `count` things that belong to `rank` of `size`, in blocks of about one length.
inline int first_of(int count, int rank, int size) {
  return static_cast<int>(static_cast<long long>(count) * rank / size);
}

}  // namespace daedalus::problems
