// SPDX-License-Identifier: BSD-3-Clause
// Statistics as a dictionary, by the names of C++.
#include "bindings.hpp"

namespace daedalus::python {
namespace {

py::dict counts_of(const Counts& c) {
  py::dict d;
#define DAEDALUS_COUNT(name) d[#name] = c.name
  DAEDALUS_COUNT(residual_evaluations);
  DAEDALUS_COUNT(function_evaluations);
  DAEDALUS_COUNT(jacobian_evaluations);
  DAEDALUS_COUNT(jacobian_columns);
  DAEDALUS_COUNT(mass_evaluations);
  DAEDALUS_COUNT(constraint_evaluations);
  DAEDALUS_COUNT(constraint_jacobian_evaluations);
  DAEDALUS_COUNT(curvature_evaluations);
  DAEDALUS_COUNT(factorisations);
  DAEDALUS_COUNT(solves);
  DAEDALUS_COUNT(newton_iterations);
  DAEDALUS_COUNT(newton_failures);
  DAEDALUS_COUNT(krylov_iterations);
  DAEDALUS_COUNT(krylov_failures);
#undef DAEDALUS_COUNT
  return d;
}

}  // namespace

py::dict dictionary_of(const Statistics& s) {
  py::dict d;
#define DAEDALUS_NUMBER(name) d[#name] = s.name
  DAEDALUS_NUMBER(accepted);
  DAEDALUS_NUMBER(rejected);
  DAEDALUS_NUMBER(projections);
  DAEDALUS_NUMBER(chart_changes);
  DAEDALUS_NUMBER(restarts);
  DAEDALUS_NUMBER(events);
  DAEDALUS_NUMBER(order_histogram);
  DAEDALUS_NUMBER(h_min);
  DAEDALUS_NUMBER(h_max);
  DAEDALUS_NUMBER(proposed_step);
  DAEDALUS_NUMBER(last_step);
  DAEDALUS_NUMBER(last_error);
  DAEDALUS_NUMBER(error_test_failures);
  DAEDALUS_NUMBER(projection_failures);
  DAEDALUS_NUMBER(seconds);
  DAEDALUS_NUMBER(position_residual);
  DAEDALUS_NUMBER(velocity_residual);
  DAEDALUS_NUMBER(acceleration_residual);
  DAEDALUS_NUMBER(position_growth);
  DAEDALUS_NUMBER(velocity_growth);
  DAEDALUS_NUMBER(acceleration_growth);
#undef DAEDALUS_NUMBER
  d["steps"] = s.steps();
  d["total"] = counts_of(s.total());
  static constexpr const char* names[] = {"start", "step", "projection", "events", "output"};
  static_assert(sizeof names / sizeof names[0] == phase_count);
  py::dict phases;
  for (std::size_t k = 0; k < phase_count; ++k) phases[names[k]] = counts_of(s.phases[k]);
  d["phases"] = phases;
  return d;
}

}  // namespace daedalus::python
