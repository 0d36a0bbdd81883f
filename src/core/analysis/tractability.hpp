// SPDX-License-Identifier: BSD-3-Clause
// What the tractability chain says about a problem: index, degrees of freedom, kinds of components,
// and whether the assumptions hold under which BDF are proven to converge for index 2 (constant
// ranks, constant kernel, structural condition, algebraic components entering linearly).
// Tischendorf 1992, chapters 2 and 3; Maerz 1992.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/problem.hpp>
#include <daedalus/solution.hpp>

#include "linalg/matrix_chain.hpp"
#include "system/system.hpp"

namespace daedalus {

struct TractabilitySettings {
  ChainSettings chain{};
  // Relative size of the displacements at which neighbouring states are looked at.
  double displacement = 1e-2;
  int neighbours = 3;  // displaced states per point
};

// A state on a trajectory with its derivatives, tangent coordinates.
struct TrajectoryPoint {
  double t = 0.0;
  Eigen::VectorXd x, xd;
  Eigen::VectorXd dd{};  // d' of a stated leading term; empty: from xd
};

struct Tractability {
  // Of the DAE: with B - A P' where P depends on t, and the stated leading term where there is one.
  // -1: not square, or not evaluable.
  int index = -1;
  MatrixChain chain;  // at the first point; what error tests use
  MatrixChain plain;  // the same with B instead of B - A P': what a BDF step sees

  struct Ranks {
    double t;
    int index, plain_index;
    RankDecision a, a1, a2;
  };
  std::vector<Ranks> along;    // one per point
  bool constant_rank = false;  // index and ranks are the same at all points and neighbours
  double min_gap = 0.0;        // over all decisions

  bool stated_leading_term = false;  // d = d(t, x) is differentiated instead of x
  bool kernel_constant = false;      // in t and x
  // Largest |Q - Q(first point)| over points and neighbours, and tau |P'|.
  double kernel_turn = 0.0;
  bool chains_differ = false;  // chain and plain disagree in index or ranks somewhere

  // V W g_x Q = 0 at neighbouring states, W along im A and V along im W g_x Q (Lemma 2.3): the
  // equations that are differentiated contain only P x. Index 2 only; otherwise true.
  bool structural_condition = false;
  double structural_defect = 0.0;  // largest entry of V W g_x Q over that of |V W| |g_x Q|
  // A and g_x Q depend on t only (Theorem 3.5): errors of Q x do not reach P x.
  bool linear_in_algebraic = false;
  double linearity_defect = 0.0;  // largest relative change of an entry

  std::vector<std::string> warnings;  // sentences
};

// Along given points; they should lie on a solution. Counts its evaluations into the system's
// current phase. system.prepare must have been called.
Tractability analyse_tractability(System& system, std::span<const TrajectoryPoint> points,
                                  const TractabilitySettings& settings = {});

// At the start values of a problem after making them consistent. An empty formulation means the
// one closest to the problem as given (multibody: "index3", or "index2" without position
// constraints).
Tractability analyse_tractability(const Problem& problem, double t0,
                                  std::string_view formulation = "",
                                  const TractabilitySettings& settings = {});

// Up to `count` reported states of a run, evenly spread, the first and the last among them; x' by
// differences of the nearest reported state before (the first: after). A system with variables of
// its own cannot be filled from what is reported: empty.
std::vector<TrajectoryPoint> trajectory_points(const Solution& solution, const System& system,
                                               int count);

// A few lines for people; names of variables per kind.
std::string describe(const Tractability& result, const Layout& layout);

}  // namespace daedalus
