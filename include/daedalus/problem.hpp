// SPDX-License-Identifier: BSD-3-Clause
// Problem forms: aggregates of callables and start values. All are values; `validate` checks them
// before the first step and throws InvalidArgument naming the field.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <daedalus/function.hpp>
#include <daedalus/space.hpp>
#include <daedalus/types.hpp>

namespace daedalus {

struct Parameter {
  std::string name;
  double value = 0.0;
  std::string unit{};
  double typical = 0.0;  // size of a meaningful value; 0: |value|, or 1 where that is 0
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

// A quantity that stays constant along exact solutions (energy, mass), with its name.
template <class Slot>
struct Invariant {
  std::string name;
  Function<Slot> value;
};

// F(t, y, y') = 0, or F(t, y, d') = 0 with d = d(t, y) when `leading` is given (a properly stated
// leading term: only d is differentiated).
struct ImplicitProblem {
  std::string name{};
  Function<slot::Residual> residual{};
  int leading_count = 0;  // length of d(t, y); 0: d = y
  Function<slot::StateVector> leading{};
  Function<slot::ResidualMatrix> jacobian_y{};   // dF/dy; else by differentiation
  Function<slot::ResidualMatrix> jacobian_yp{};  // dF/dy'
  std::vector<int> variable_index{};             // 1, 2 or 3 per variable; empty: all 1
  Eigen::VectorXd y0{};
  Eigen::VectorXd yp0{};
  int index = 1;  // as known to the author; 0: an implicit ODE
  int initial_equation_count = 0;
  Function<slot::Residual> initial_equations{};  // extra rows that hold at t0 only
  std::vector<Invariant<slot::StateVector>> invariants{};
  // The overdetermined formulations hold, besides F = 0, further constraints gamma(t, y) = 0 that
  // follow from it; the `side_equations` of F, numbered from 0, determine the `side_variables` and
  // take no part in the stabilisation (Arnold 1998, (3.10), (3.18)).
  int extra_count = 0;
  Function<slot::StateVector> extra_constraints{};
  std::vector<int> side_equations{}, side_variables{};
  std::vector<std::string> variables{};
  std::vector<std::string> equations{};
  std::vector<Parameter> parameters{};
  std::vector<double> modes{};
  std::vector<double> break_times{};  // see Options::break_times
  // Start values as a function of parameters, (x, out) with x.p and x.modes: out is (y0 | yp0), as
  // long as these two vectors are, which give the sizes. Where present it wins over the numbers.
  Function<slot::Start> start{};
};

// M(t, y) y' = f(t, y), M possibly singular. A constant M is given as `mass_matrix` (sparse); a
// callable `mass` may depend on t and y. Without either M is the identity.
struct MassMatrixProblem {
  std::string name{};
  SparseMatrix mass_matrix{};
  Function<slot::StateMatrix> mass{};
  Function<slot::RightHandSide> rhs{};
  Function<slot::StateJacobian> jacobian{};  // df/dy; else by differentiation
  std::vector<int> variable_index{};
  Eigen::VectorXd y0{};
  int index = 1;  // 0: M regular
  int initial_equation_count = 0;
  Function<slot::StateVector> initial_equations{};
  std::vector<Invariant<slot::StateVector>> invariants{};
  std::vector<std::string> variables{};
  std::vector<std::string> equations{};
  std::vector<Parameter> parameters{};
  std::vector<double> modes{};
  std::vector<double> break_times{};  // see Options::break_times
  Function<slot::Start> start{};      // out is (y0); see ImplicitProblem
};

// y' = f(t, y, z), 0 = g(t, y, z). With `hessenberg_blocks` = {n_1, ..., n_{m-1}} it is a
// Hessenberg system of size m (index m): y = (x_1, ..., x_{m-1}), z = x_m,
//   x_1' = f_1(t, x_1, ..., x_m),  x_i' = f_i(t, x_{i-1}, ..., x_{m-1}),  0 = f_m(t, x_{m-1}).
// m = 2 is y' = f(t, y, z), 0 = g(t, y). Empty: of the `index` given, 1 meaning that g_z is
// regular; then `variable_index` may say which variables of (y, z) have which index.
struct SemiExplicitProblem {
  std::string name{};
  Function<slot::Coupled> f{};
  Function<slot::CoupledConstraint> g{};
  Function<slot::CoupledMatrix> f_y{}, f_z{}, g_y{}, g_z{};  // else by differentiation
  std::vector<int> hessenberg_blocks{};
  std::vector<int> variable_index{};  // 1, 2 or 3 per variable of (y, z); empty: y 1, z `index`
  Eigen::VectorXd y0{};
  Eigen::VectorXd z0{};
  int index = 1;  // as known to the author; without meaning where hessenberg_blocks tell it
  int initial_equation_count = 0;
  Function<slot::Coupled> initial_equations{};
  std::vector<Invariant<slot::Coupled>> invariants{};
  std::vector<std::string> y_names{}, z_names{};
  std::vector<std::string> equations{};
  std::vector<Parameter> parameters{};
  std::vector<double> modes{};
  std::vector<double> break_times{};  // see Options::break_times
  Function<slot::Start> start{};      // out is (y0, z0); see ImplicitProblem
};

// q' = v (q on a Space, v in its tangent space) or q' = T(t, q) v,
// M(t, q) v' = f(t, q, v, lambda, c, s) - G^T lambda,
//          0 = g(t, q, s)                       holonomic rows, G = dg/dq T - g_s h_s^{-1} h_q T
//          0 = A(t, q) v + a(t, q)              nonholonomic rows, multipliers follow the others'
//         c' = d(t, q, v, c, lambda)            dynamic variables
//          0 = h(t, q, s)                       contact coordinates, h_s regular
// M may be singular as long as [M G^T; G 0] is regular (Arnold 1998, (3.14), (3.82), (3.83)).
struct MultibodyProblem {
  std::string name{};
  Space space{};
  int velocity_count = 0;      // 0: the dimension of the space; needed with `kinematics`
  int constraint_count = 0;    // holonomic rows g
  int nonholonomic_count = 0;  // rows A v + a
  int dynamic_count = 0;       // c
  int contact_count = 0;       // s
  Function<slot::PositionMatrix> mass{};
  SparseMatrix mass_matrix{};  // constant M in place of the callable
  // M is block diagonal with these sizes (all 1: diagonal), and `mass` writes the blocks one after
  // another, each column by column, into a column of as many rows as the blocks have entries.
  std::vector<int> mass_blocks{};
  Function<slot::Force> force{};
  Function<slot::Position> constraint{};
  // Partial derivative dg/dq in tangent coordinates (before multiplication by T; without the
  // contact term, which the library adds). Else by differentiation.
  Function<slot::PositionMatrix> constraint_jacobian{};
  Function<slot::PositionRate> constraint_time_derivative{};  // g_t at fixed q, s
  // d^2/dt^2 g with v' = 0: g_qq(v, v) + 2 g_qt v + g_tt (all holonomic rows).
  Function<slot::VelocityTerm> acceleration_term{};
  Function<slot::KinematicMatrix> kinematics{};  // T(t, q), rows q, columns v; Euclidean spaces
  Function<slot::KinematicMatrix> nonholonomic_matrix{};
  Function<slot::Position> nonholonomic_offset{};
  Function<slot::Dynamics> dynamics{};
  Function<slot::Position> contact{};
  Eigen::VectorXd q0{};
  Eigen::VectorXd v0{};
  Eigen::VectorXd c0{};
  Eigen::VectorXd s0{};
  Eigen::VectorXd lambda0{};  // a first guess; the start-value solver computes lambda and v'
  int initial_equation_count = 0;
  Function<slot::VelocityTerm> initial_equations{};
  std::vector<Invariant<slot::VelocityTerm>> invariants{};
  std::vector<std::string> q_names{}, v_names{}, lambda_names{}, c_names{}, s_names{};
  std::vector<Parameter> parameters{};
  std::vector<double> modes{};
  std::vector<double> break_times{};  // see Options::break_times
  Function<slot::Start> start{};      // out is (q0, v0, c0, s0); see ImplicitProblem

  int velocities() const { return velocity_count > 0 ? velocity_count : space.tangents(); }
  int multipliers() const { return constraint_count + nonholonomic_count; }
};

using Problem =
    std::variant<ImplicitProblem, MassMatrixProblem, SemiExplicitProblem, MultibodyProblem>;

// Throws InvalidArgument naming the field, its value and what is allowed. Every callable is called
// at the start values with guards around its arguments and its output, over doubles and, if it is
// differentiable, over dual numbers: one that leaves entries unwritten, or reads or writes outside
// of what it was given, is found and named here.
void validate(const Problem& problem, double t0);

const std::string& name_of(const Problem& problem);
std::string_view form_of(const Problem& problem);  // "implicit", "mass-matrix", ...
int index_of(const Problem& problem);              // as declared by its form (multibody: 3 or 2)

// Replaces the value of a named parameter, and start values where `start` gives them; throws
// InvalidArgument listing the names there are.
void set_parameter(Problem& problem, const std::string& name, double value);

// Writes what `start` gives for the present parameters into y0, q0, ...; without it nothing.
void apply_start(Problem& problem);

}  // namespace daedalus
