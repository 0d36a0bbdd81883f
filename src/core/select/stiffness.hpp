// SPDX-License-Identifier: BSD-3-Clause
// How fast the fastest mode of a system is, from its Jacobian, for the choice between explicit and
// implicit methods.
#pragma once

#include <daedalus/method.hpp>
#include <daedalus/options.hpp>

#include "system/system.hpp"

namespace daedalus {

// Steps h of explicit methods of order 4 and 5 are stable up to about h |lambda| = 3.
inline constexpr double explicit_boundary = 3.0;

// Whether stability can limit the steps of a method so that another one pays.
bool explicit_method(const Method& method);

// Of the Jacobian of (q, v)' = (v, a(t, q, v)), a the accelerations that obey the constraints, by
// power iteration with differences of a. 0: not known. Costs seven evaluations.
double spectral_radius(System& system, const State& at);
// The same of y' = f(t, y, z), 0 = g(t, y) (index 2): of P f_y P with P = I - f_z (g_y f_z)^-1 g_y,
// what f_y does along the constraints.
double hessenberg_radius(System& system, const State& at);

// Steps that stability may demand of an explicit method in a run before an implicit one is tried.
// With 600 the slider crank (757) is solved as a stiff problem, as its costs say at every
// tolerance, and a truck on a rough road (508) as a vibrating one.
inline constexpr double bearable_steps = 600.0;
// Of index 2 without mechanics: steps of radau cost about as much as those of half-explicit
// methods.
inline constexpr double bearable_steps_of_index_2 = 60.0;

}  // namespace daedalus
