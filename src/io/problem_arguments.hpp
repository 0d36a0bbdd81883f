// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a problem's callables at a state of its model.
#pragma once

#include <daedalus/event.hpp>
#include <daedalus/problem.hpp>

namespace daedalus {

// The vectors of a problem form, in the order of its slots (function.hpp).
inline void fill_arguments(Arguments<double>& a, const MultibodyProblem&, const StateView& state) {
  std::size_t i = 0;
  for (const VariableClass c : {VariableClass::q, VariableClass::v, VariableClass::lambda,
                                VariableClass::c, VariableClass::s}) {
    const In part = state.of(c);
    a.x[i] = part.data();
    a.n[i++] = static_cast<int>(part.size());
  }
}
inline void fill_arguments(Arguments<double>& a, const SemiExplicitProblem& p,
                           const StateView& state) {
  a.x[0] = state.y().data();
  a.n[0] = static_cast<int>(p.y0.size());
  a.x[1] = a.x[0] + a.n[0];
  a.n[1] = static_cast<int>(p.z0.size());
}
template <class FirstOrder>
void fill_arguments(Arguments<double>& a, const FirstOrder& p, const StateView& state) {
  a.x[0] = state.y().data();
  a.n[0] = static_cast<int>(p.y0.size());
}

}  // namespace daedalus
