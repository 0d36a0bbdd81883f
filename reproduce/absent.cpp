// SPDX-License-Identifier: BSD-3-Clause
// Stands for the experiments and figures in a build without them (DAEDALUS_BUILD_EXPERIMENTS).
#include "reproduce/experiment.hpp"
#include "reproduce/figures/figure.hpp"

namespace daedalus::experiments {

std::span<const Experiment> all_experiments() { return {}; }
std::span<const SourceFigure> all_figures() { return {}; }

}  // namespace daedalus::experiments
