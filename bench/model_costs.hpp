// SPDX-License-Identifier: BSD-3-Clause
// Whole solves of models from `.json` files, by interpreter and by machine code, against the same
// problems of the catalogue in C++; and what it takes to read and start large models.
#pragma once

#include <filesystem>

#include "runs.hpp"

namespace daedalus::bench {

// `models`: the folder of the example models. `only`: 'start' (large models) or part of the name of
// a row; empty: all.
void model_costs(const std::filesystem::path& folder, const std::filesystem::path& models,
                 const Provenance& from, int rounds, const std::string& only);

}  // namespace daedalus::bench
