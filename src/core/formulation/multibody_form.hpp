// SPDX-License-Identifier: BSD-3-Clause
// The formulations of a multibody system as data: at which level the rows of lambda stand, which
// further constraints are held and how their multipliers eta enter (Arnold 1998, section 3.1).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <daedalus/formulation.hpp>
#include <daedalus/problem.hpp>

namespace daedalus {

struct MultibodyForm {
  std::string name{};
  int index = 3;
  int level = 3;  // of the rows of lambda: 3 positions, 2 velocities, 1 accelerations
  // Level 1: r_B + 2 alpha r_G + beta r_L = 0 (Baumgarte 1972; (3.5)).
  bool damped = false;
  double alpha = 0.0, beta = 0.0;
  // Level 2: epsilon lambda' = r_G in place of 0 = r_G; 0: none.
  double epsilon = 0.0;
  // Further rows r_L = 0 and r_G = 0, with multipliers eta in the other equations: (3.6), (3.7).
  bool holds_positions = false, holds_velocities = false;
  // eta enters through the partial derivatives by q and s, (3.13), instead of those along
  // h(q, s) = 0, (3.18). They differ only with contact coordinates.
  bool plain_coupling = false;
  // The coupling of r_G is that of g_q v + g_t, without the part of s that follows q.
  bool short_coupling = false;

  bool stabilised() const { return holds_positions || holds_velocities; }
  // With r_B and held velocities eta is part of v'; r_B needs M^{-1}(f - G^T lambda) by itself.
  bool separate_accelerations() const { return level == 1 && holds_velocities; }
  // Constraints that the equations do not hold, and that a projection can restore.
  bool drifts() const { return level < 3 && !damped && epsilon == 0.0 && !holds_positions; }
  // Those that the equations hold as far as Newton's method is taken: a projection of every step
  // takes them to round-off.
  bool holds() const { return !damped && epsilon == 0.0 && (level == 3 || holds_positions); }
  int eta_count(int holonomic, int multipliers) const {
    return (holds_positions ? holonomic : 0) + (holds_velocities ? multipliers : 0);
  }
};

// nullptr: there is none of this name.
const Formulation* find_formulation(std::string_view name);
// The given value, or the standard one.
double formulation_option(std::string_view formulation,
                          const std::map<std::string, double>& options, std::string_view key);
// Throws InvalidArgument for options the formulation does not have, or values it does not take.
void check_formulation_options(std::string_view formulation,
                               const std::map<std::string, double>& options);

// That nobody chose these parameters.
std::string baumgarte_warning(std::string_view parameters);

// nullopt: no formulation of multibody systems has this name.
std::optional<MultibodyForm> multibody_form(std::string_view name,
                                            const std::map<std::string, double>& options = {});

}  // namespace daedalus
