// SPDX-License-Identifier: BSD-3-Clause
// The catalogue: published test problems with parameters, sources and reference values. Used by
// tests, benchmarks, examples and the tool.
#pragma once

#include <span>
#include <string>

#include <daedalus/entry.hpp>

namespace daedalus::problems {

using daedalus::Entry;
using daedalus::Reference;
using daedalus::Values;

std::span<const Entry* const> all_problems();
// nullptr when there is no such entry.
const Entry* find_problem(const std::string& name);

}  // namespace daedalus::problems
