// SPDX-License-Identifier: BSD-3-Clause
// What a DAE is made of, before and besides solving it: structural analysis (signature matrix,
// offsets, blocks), the index by numbers with all hidden constraints, linear pencils A x' + B x = q
// (Weierstrass form, closed solution), steady states and the finite eigenvalues of the linearised
// equations.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <string>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>

namespace daedalus {

// What `daedalus check` reports about a problem at its start values.
struct Check {
  struct Residual {
    std::string equation;
    double value;
  };
  int structural_index = -1;  // -1: not computed
  int numerical_index = -1;
  double gap = 0.0;  // of the rank decision behind the numerical index; 0: not computed
  // Sentences: which equations are differentiated how often, what they determine, whether the two
  // indices agree.
  std::vector<std::string> why;
  int degrees_of_freedom = -1;
  std::vector<std::string> redundant;  // equations that depend on each other, in sentences
  bool consistent = false;
  std::vector<Residual> residuals;  // every equation at the start values, largest first
  double jacobian_error = 0.0;      // exact or given derivatives against differences, relative
  std::string worst_entry;          // "d(equation)/d(variable)"
  double stiffness = 0.0;           // |largest| / |smallest non-zero| eigenvalue estimate; NaN
  std::vector<std::string> advice;  // on scaling and tolerances
  std::vector<std::string> warnings;
};
Check check(const Problem& problem, double t0, const Options& options = {});

// The Sigma method for F(t, x, x') = 0: sigma_ij = 1 where x_j' occurs in F_i, 0 where only x_j
// does, -infinity elsewhere. A transversal of largest sum gives the smallest offsets c, d with
// d_j - c_i >= sigma_ij, equality on the transversal: F_i has to be differentiated c_i times, and
// those derivatives determine x_j up to its derivative of order d_j (Pryce 2001; Pantelides 1988).
struct StructuralAnalysis {
  struct Entry {
    int equation, variable, order;  // sigma
  };
  struct Block {
    std::vector<int> equations, variables;
  };

  std::string formulation;  // of multibody problems; empty: none
  std::vector<std::string> equations, variables;
  std::vector<Entry> signature;  // the finite entries, by equations
  std::vector<int> transversal;  // variable of each equation; -1: none is left for it

  bool singular = false;  // no transversal: some variables are determined twice, others not at all
  // Where singular: equations with too few variables among them and these variables, and variables
  // that too few equations determine with these equations (Dulmage, Mendelsohn 1958).
  Block overdetermined, underdetermined;

  // Everything below only without structural singularity.
  std::vector<int> equation_offsets, variable_offsets;  // c, d
  int index = -1;               // largest c, and one more if some d is zero; -1: singular
  int degrees_of_freedom = -1;  // sum of d - sum of c
  // Sets that have to be solved together for the highest derivatives, each from those before it:
  // strongly connected parts of the entries with d_j - c_i = sigma_ij.
  std::vector<Block> blocks;

  // The system Jacobian dF_i/dx_j^(d_j - c_i), whose regularity the method needs for its success:
  // only then the offsets, index and degrees of freedom above are to be trusted.
  Eigen::MatrixXd jacobian;           // at the start values
  bool regular = false;               // at the start values
  bool regular_nearby = false;        // at a point without special values near them
  double gap = 0.0;                   // of the rank decision at the start values
  std::vector<std::string> warnings;  // sentences

  // -1: the variable does not occur.
  int sigma(int equation, int variable) const;
  std::string text() const;  // for people: index and why, blocks, what is not determined
};

// Of the system that the problem becomes; of multibody problems in the form that
// options.formulation names ("auto": index3). The entries are found at generic points near the
// start values, so that a derivative that happens to vanish there is not taken for absent.
StructuralAnalysis structural_analysis(const Problem& problem, double t0,
                                       const Options& options = {});

// The differentiation index by numbers, from exact derivatives of the equations with respect to
// time along the solution (derivative array; Campbell 1987, Gear 1988): rows that are free of
// derivatives are found by rank decisions, differentiated and put back until the equations give x'
// as a function of x. So often the equations have to be differentiated, and the rows found are all
// constraints that x has to satisfy, hidden ones included. Multibody problems are taken as they are
// written (index3).
struct IndexAnalysis {
  struct Constraint {
    int differentiations = 0;    // how often its equations are differentiated
    std::string text;            // "constraint 1", "d/dt constraint 1 + balance of v1", ...
    std::vector<int> equations;  // that take part
    std::vector<int> variables;  // that it relates
    double residual = 0.0;       // at the given start values
  };
  std::vector<std::string> equations, variables;
  int index = -1;               // differentiation index; -1: not found, a warning says why
  int degrees_of_freedom = -1;  // values of x that may be chosen
  double gap = 0.0;             // smallest of the rank decisions; below 1e3 there is a warning
  std::vector<Constraint> constraints;
  std::vector<int> differentiated;  // per equation
  // Per variable: after so many differentiations its derivative is known. 0: the equations contain
  // it; k > 0: the variable itself follows from equations differentiated k - 1 times; -1: never.
  std::vector<int> determined_after;
  // Equations that depend on each other, in sentences, and variables that are not determined.
  std::vector<std::string> redundant;
  // Consistent values nearest to the start values, with x'; empty: not found.
  Eigen::VectorXd x, rates;
  std::vector<std::string> warnings;
  std::string text() const;  // for people: index and why
};
// At the start values, made consistent first; multipliers and algebraic variables of the forms that
// tell them apart are taken as guesses. Needs generic callables (daedalus::autodiff) and at
// most `max_size` unknowns; otherwise the index is -1 and a warning says so. Singular values
// below `tolerance` of the largest count as zero. The decisions are repeated at a point nearby.
IndexAnalysis index_analysis(const Problem& problem, double t0, double tolerance = 1e-11,
                             int max_size = 60);

// The index along a solution. Where it changes, solutions end, turn back or split (impasse and
// critical points; Rabier, Rheinboldt 1994), and the index of the start says nothing.
struct IndexAlong {
  struct Point {
    double t = 0.0;
    int index = -1, degrees_of_freedom = -1;  // -1: not found
    double gap = 0.0;                         // 0: not computed
  };
  std::vector<Point> points;  // by time, the start first
  // Sentences: where, to one step, index or degrees of freedom change, the matrix that determines
  // the rates becomes singular, or its rank decisions become weak. Empty: nothing of the kind.
  std::vector<std::string> changes;
  double reached = 0.0;  // how far the solution was followed
  std::string ended;     // why not to the end; empty: it was
  std::string text() const;
};
// A solution from t0 to t1 is computed with a relative tolerance of 1e-4 (or that of the options,
// if looser) and 2000 steps at most, and analysed at the start and at `points` steps of it; between
// two that differ the place of the change is searched. Derivative arrays where index_analysis() has
// them, otherwise linearised equations: up to index 2, and for multibody problems.
IndexAlong index_along(const Problem& problem, double t0, double t1, const Options& options = {},
                       int points = 5);

// The structural beside the numerical index. They differ where the system Jacobian is singular
// (the structure does not see that terms cancel), or where the structure demands more
// differentiations than the numbers need (Reissig, Martinson, Barton 2000).
struct IndexComparison {
  int structural = -1, numerical = -1;  // -1: none
  bool agree = false;
  std::string text;  // one sentence
};
IndexComparison compare_index(const StructuralAnalysis& structure, int numerical_index);

// A x' + B x = q with square matrices. If det(s A + B) does not vanish for all s there are regular
// P and Q with
//   P A Q = diag(I, N),   P B Q = diag(C, I),   N^index = 0, N^(index-1) != 0
// (Weierstrass; Kronecker; Gantmacher 1959, chapter XII), so that with x = Q (y, z), P q = (f, g)
//   y' + C y = f,   z = g - N g' + N^2 g'' - ...
// N and C come from the staircase of rank decisions of orthogonally transformed matrices (Van
// Dooren 1979), on balanced rows, columns and time.
struct WeierstrassForm {
  bool regular = false;
  int index = -1;               // Kronecker index; -1: singular
  int finite = 0;               // size of C: free initial values, number of finite eigenvalues
  Eigen::MatrixXd left, right;  // P and Q
  Eigen::MatrixXd C, N;
  std::vector<int> nilpotent_blocks;  // sizes of the Jordan blocks of N, largest first
  // The ranks behind it, in the order of the staircase: that of A, then of what is left of it.
  std::vector<int> ranks;
  double gap = 0.0;  // smallest ratio of the singular values on both sides of a cut
  std::vector<std::string> warnings;  // sentences: singular and where, doubtful ranks

  // Finite s with det(s A + B) = 0, those of exp(s t), by falling real part.
  std::vector<std::complex<double>> eigenvalues() const;
  // q(t) = column 0 + column 1 t + ...: the part of x that is fixed by q, at t; x = consistent(x0).
  // Throws InvalidArgument for a singular pencil.
  Eigen::VectorXd consistent(const Eigen::VectorXd& guess, const Eigen::MatrixXd& q,
                             double t = 0.0) const;
  // The solution at t through the consistent value nearest to x0 (in y alone) at t0, in closed
  // form.
  Eigen::VectorXd solution(const Eigen::VectorXd& x0, double t0, const Eigen::MatrixXd& q,
                           double t) const;
};
// Singular values below `tolerance` times the largest count as zero.
WeierstrassForm weierstrass_form(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                                 double tolerance = 1e-11);

// x with F(t, x, 0) = 0, t fixed. Multibody: v = 0, forces balanced by constraint forces.
struct SteadyState {
  bool found = false;
  std::string message;  // how it was found; or why not, with the equation or variable to blame
  double t = 0.0;
  std::vector<std::string> names;
  Eigen::VectorXd x;      // model variables in point coordinates; the last iterate if not found
  double residual = 0.0;  // largest |F_i(t, x, 0)|
  std::string worst_equation;
  // Directions in which F(t, x, 0) does not change: 0 for an isolated equilibrium.
  int family = 0;
  int newton_iterations = 0, transient_steps = 0;
};
// From the start values by pseudo-transient continuation, which follows x' with steps of implicit
// Euler that grow without bound (Kelley, Keyes 1998), and so ends, as a rule, where the system
// comes to rest; where that fails by Newton's method with damping, which also finds unstable
// equilibria.
SteadyState steady_state(const Problem& problem, double t0, const Options& options = {});

// Finite s for which the equations linearised at a state have solutions exp(s t); algebraic
// variables give none. Frozen coefficients: away from equilibria they describe short times only.
struct Eigenvalues {
  bool found = false;
  std::string message;  // why not
  double t = 0.0;
  bool equilibrium = false;
  std::vector<std::string> names;
  Eigen::VectorXd state;                     // model variables, point coordinates
  std::vector<std::complex<double>> values;  // by falling real part
  // Of multibody problems: a column per value, how positions move in it (tangent coordinates, of
  // any length).
  Eigen::MatrixXcd modes;
  int degrees_of_freedom = -1;  // their number
  int index = -1;               // of the linearised equations; multibody: 1
  double gap = 0.0;             // of the rank decisions
  std::vector<std::string> warnings;
  bool stable(double tolerance = 1e-8) const;  // no real part above it, in parts of the largest |s|
};
// At time t >= t0, reached from the start values by the automatic choice (or as options say).
Eigenvalues eigenvalues(const Problem& problem, double t0, double t, const Options& options = {});
Eigenvalues eigenvalues(const Problem& problem, const SteadyState& at, const Options& options = {});

}  // namespace daedalus
