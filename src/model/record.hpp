// SPDX-License-Identifier: BSD-3-Clause
// Formulas written down once more as recorded numbers, for analyses that take callables apart.
#pragma once

#include <span>

#include "model/formulas.hpp"

namespace daedalus {

void record(const graph::Graph& graph, const graph::Outputs& outputs, const Arguments<Recorded>& a,
            const FormulaSettings& settings, std::span<Recorded> out);

}  // namespace daedalus
