// SPDX-License-Identifier: BSD-3-Clause
// How far GMRES reduces P^-1 (r - A x) where nothing is asked for.
//
// Newton's method corrects what a solve leaves: a hundredth keeps its rate of convergence out of
// the way. That holds for errors, which P^-1 (r - A x) estimates. Without a preconditioner it is a
// residual, in which rows with 1/h outweigh the algebraic ones: a hundredth of it may be all of an
// algebraic variable, with index 2 another factor 1/h less, and what is small in it is no small
// correction. Stages of linearly implicit methods are final, and their order needs all of the
// digits that a step can use.
#pragma once

#include <algorithm>

#include <daedalus/stepper/layout.hpp>

namespace daedalus {

struct KrylovTarget {
  double relative, absolute;
};

// `negligible`: of a correction of Newton's method; in_newton false: a stage.
inline KrylovTarget krylov_target(const Layout& layout, bool in_newton, bool preconditioned,
                                  double asked, double negligible) {
  // See above: of a correction, of a plain residual, of a stage.
  constexpr double for_newton = 0.01, for_newton_plain = 1e-6, for_stages = 1e-10;
  const bool higher_index = std::any_of(layout.blocks().begin(), layout.blocks().end(),
                                        [](const LayoutBlock& b) { return b.index > 1; });
  const double plain = higher_index ? for_stages : for_newton_plain;
  const double of_newton = preconditioned ? for_newton : plain;
  const double standard = in_newton ? of_newton : for_stages;
  return {asked > 0.0 ? asked : standard, in_newton && preconditioned ? negligible : 0.0};
}

}  // namespace daedalus
