// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "soak/case.hpp"

namespace daedalus::soak {

std::span<const ProblemClass> all_classes() {
  static const std::array<ProblemClass, 17> classes{{
      {"linear-0", "M y' = A y + q(t), M regular", draw_linear_index0},
      {"linear-1", "linear, Weierstrass form of index 1", draw_linear_index1},
      {"linear-2", "linear, Weierstrass form of index 2", draw_linear_index2},
      {"linear-3", "linear, Weierstrass form of index 3", draw_linear_index3},
      {"nonlinear-1", "manufactured nonlinear systems of index 1", draw_nonlinear_index1},
      {"hessenberg-2", "manufactured nonlinear Hessenberg systems of index 2", draw_hessenberg2},
      {"linkage-plane", "bars and pins in the plane", draw_plane_linkage},
      {"linkage-space", "point masses and rods in space", draw_space_linkage},
      {"multipliers", "driven bodies with known multipliers", draw_multipliers},
      {"branches", "branches that depend on further variables", draw_branches},
      {"break-times", "kinks and jumps in time", draw_break_times},
      {"crossings", "events: simple, flat, double, touching, simultaneous", draw_crossings},
      {"impacts", "handlers that jump; accumulating impacts", draw_impacts},
      {"switches", "handlers that change modes of systems of index 1 and 2", draw_switches},
      {"stiffness-jump", "stiffness that comes and goes, sharp and smooth", draw_stiffness_jump},
      {"fast-signal", "fast algebraic signals beside slow states", draw_fast_signal},
      {"quadrature", "y' = z, 0 = z - s(t)", draw_quadrature},
  }};
  return classes;
}

Case draw(const ProblemClass& problem_class, Random& random) {
  for (;;) {
    Case c = problem_class.make(random);
    if (c.amplification <= max_amplification) return c;
  }
}

const ProblemClass* find_class(std::string_view name) {
  const auto all = all_classes();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ProblemClass& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace daedalus::soak
