// SPDX-License-Identifier: BSD-3-Clause
// All fields of the problem forms, by the names of C++. tests/test_tables.py compares them with the
// public header, so that a new field is not forgotten.
#pragma once

#include <daedalus/distributed_problem.hpp>
#include <daedalus/problem.hpp>

namespace daedalus::python {

#define DAEDALUS_FIELD(name) visit(#name, p.name)

template <class Visit, class P>
void visit_common(Visit& visit, P& p) {
  DAEDALUS_FIELD(name);
  DAEDALUS_FIELD(initial_equation_count);
  DAEDALUS_FIELD(initial_equations);
  DAEDALUS_FIELD(invariants);
  DAEDALUS_FIELD(parameters);
  DAEDALUS_FIELD(modes);
  DAEDALUS_FIELD(break_times);
  DAEDALUS_FIELD(start);
}

template <class Visit>
void visit_fields(Visit& visit, ImplicitProblem& p) {
  DAEDALUS_FIELD(residual);
  DAEDALUS_FIELD(leading_count);
  DAEDALUS_FIELD(leading);
  DAEDALUS_FIELD(jacobian_y);
  DAEDALUS_FIELD(jacobian_yp);
  DAEDALUS_FIELD(variable_index);
  DAEDALUS_FIELD(y0);
  DAEDALUS_FIELD(yp0);
  DAEDALUS_FIELD(index);
  DAEDALUS_FIELD(extra_count);
  DAEDALUS_FIELD(extra_constraints);
  DAEDALUS_FIELD(side_equations);
  DAEDALUS_FIELD(side_variables);
  DAEDALUS_FIELD(variables);
  DAEDALUS_FIELD(equations);
  visit_common(visit, p);
}

template <class Visit>
void visit_fields(Visit& visit, MassMatrixProblem& p) {
  DAEDALUS_FIELD(mass_matrix);
  DAEDALUS_FIELD(mass);
  DAEDALUS_FIELD(rhs);
  DAEDALUS_FIELD(jacobian);
  DAEDALUS_FIELD(variable_index);
  DAEDALUS_FIELD(y0);
  DAEDALUS_FIELD(index);
  DAEDALUS_FIELD(variables);
  DAEDALUS_FIELD(equations);
  visit_common(visit, p);
}

template <class Visit>
void visit_fields(Visit& visit, SemiExplicitProblem& p) {
  DAEDALUS_FIELD(f);
  DAEDALUS_FIELD(g);
  DAEDALUS_FIELD(f_y);
  DAEDALUS_FIELD(f_z);
  DAEDALUS_FIELD(g_y);
  DAEDALUS_FIELD(g_z);
  DAEDALUS_FIELD(hessenberg_blocks);
  DAEDALUS_FIELD(variable_index);
  DAEDALUS_FIELD(y0);
  DAEDALUS_FIELD(z0);
  DAEDALUS_FIELD(index);
  DAEDALUS_FIELD(y_names);
  DAEDALUS_FIELD(z_names);
  DAEDALUS_FIELD(equations);
  visit_common(visit, p);
}

template <class Visit>
void visit_fields(Visit& visit, MultibodyProblem& p) {
  DAEDALUS_FIELD(space);
  DAEDALUS_FIELD(velocity_count);
  DAEDALUS_FIELD(constraint_count);
  DAEDALUS_FIELD(nonholonomic_count);
  DAEDALUS_FIELD(dynamic_count);
  DAEDALUS_FIELD(contact_count);
  DAEDALUS_FIELD(mass);
  DAEDALUS_FIELD(mass_matrix);
  DAEDALUS_FIELD(mass_blocks);
  DAEDALUS_FIELD(force);
  DAEDALUS_FIELD(constraint);
  DAEDALUS_FIELD(constraint_jacobian);
  DAEDALUS_FIELD(constraint_time_derivative);
  DAEDALUS_FIELD(acceleration_term);
  DAEDALUS_FIELD(kinematics);
  DAEDALUS_FIELD(nonholonomic_matrix);
  DAEDALUS_FIELD(nonholonomic_offset);
  DAEDALUS_FIELD(dynamics);
  DAEDALUS_FIELD(contact);
  DAEDALUS_FIELD(q0);
  DAEDALUS_FIELD(v0);
  DAEDALUS_FIELD(c0);
  DAEDALUS_FIELD(s0);
  DAEDALUS_FIELD(lambda0);
  DAEDALUS_FIELD(q_names);
  DAEDALUS_FIELD(v_names);
  DAEDALUS_FIELD(lambda_names);
  DAEDALUS_FIELD(c_names);
  DAEDALUS_FIELD(s_names);
  visit_common(visit, p);
}

template <class Visit>
void visit_fields(Visit& visit, DistributedProblem& p) {
  DAEDALUS_FIELD(name);
  DAEDALUS_FIELD(rows);
  DAEDALUS_FIELD(ghosts);
  DAEDALUS_FIELD(residual);
  DAEDALUS_FIELD(rhs);
  DAEDALUS_FIELD(mass);
  DAEDALUS_FIELD(variable_index);
  DAEDALUS_FIELD(field);
  DAEDALUS_FIELD(field_names);
  DAEDALUS_FIELD(y0);
  DAEDALUS_FIELD(yp0);
  DAEDALUS_FIELD(index);
  DAEDALUS_FIELD(name_of);
  DAEDALUS_FIELD(equation_of);
  DAEDALUS_FIELD(parameters);
}

#undef DAEDALUS_FIELD

}  // namespace daedalus::python
