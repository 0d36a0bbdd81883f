// SPDX-License-Identifier: BSD-3-Clause
// The perturbation laboratory: what residuals that a solver leaves in its equations do to each
// component of the result. Residuals theta_n are put into chosen equations of every step, theta and
// the step h vary, and error ~ C theta^a h^b is fitted per component and set beside the bounds of
// Arnold (1998): Table 2.1, Theorems 5 and 8, Table 3.1, Remark 15a. The error is the difference of
// the perturbed and the unperturbed run with the same steps, largest over all steps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solution.hpp>
#include <daedalus/solve.hpp>

namespace daedalus {

// theta_n in step n that ends at t_n, of size at most theta. smooth: theta cos of one period over
// the interval; alternating: (-1)^n theta; rotating: a quarter of a turn per step and per row (for
// several constraints, Examples 9 and 12); random: uniform, the same for the same seed;
// single_precision: theta 2^25 (sin t - sin t rounded to single precision), cos t in rows at
// velocity level, sin 2t at acceleration level (Examples 8 and 13).
enum class PerturbationKind { smooth, alternating, rotating, random, single_precision };

// automatic: every algebraic equation of the formulation (all equations of an implicit problem);
// position, velocity, acceleration: constraints of multibody systems at that level; differential:
// differential equations, of multibody systems the balance of forces; named: those listed.
enum class PerturbedRows { automatic, position, velocity, acceleration, differential, named };

struct PerturbationStudy {
  Problem problem{};
  Interval interval{};
  // Method, formulation and their options. Tolerances are those of the run that is judged
  // (ConstraintBudget). Automatic projection counts as none.
  Options options{};
  // Tolerance of the runs with fixed steps, for the solution of their nonlinear equations: for
  // variables of index k divided by h^(k-1), which is how rounding errors reach them. Made ten
  // times larger, up to 1e-6, where Newton's method cannot attain it.
  double accuracy = 1e-11;
  PerturbedRows rows = PerturbedRows::automatic;
  std::vector<std::string> row_names{};  // for PerturbedRows::named
  PerturbationKind kind = PerturbationKind::alternating;
  unsigned long seed = 1;
  std::vector<double> thetas{1e-4, 1e-5, 1e-6};
  std::vector<double> steps{1e-2, 1e-3, 1e-4};
  // Empty: y, z or q, v, Sv, Gv, lambda, eta, s, c as the problem has them; also single variables.
  std::vector<std::string> components{};
  bool at_end = false;  // errors at the end of the interval instead of the largest ones
};

// factor theta^theta_exponent h^h_exponent; h_exponent = -2 for theta/h^2.
struct PerturbationTerm {
  double theta_exponent = 1.0, h_exponent = 0.0, factor = 1.0;
  double at(double theta, double h) const;
};

// How f depends on what it determines algebraically, along a trajectory: z of y' = f(y, z),
// 0 = g(y), or lambda of a multibody system (then y is v). Frobenius norms of second derivatives.
struct PerturbationSensitivity {
  double mu = 0.0;  // largest |f_zz|
  double nu = 0.0;  // largest |f_yz|
  bool linear = false;
  bool constant = false;  // f_z is the same everywhere on the trajectory, nu = 0 and linear
  int algebraic_count = 0;
  bool exact = true;   // by automatic differentiation; false: second differences
  std::string reason;  // why nothing can be said; then the rest means nothing
};
PerturbationSensitivity analyse_sensitivity(const Problem& problem, const Solution& trajectory);

struct PerturbedComponent {
  std::string name;
  // Of the fit; NaN where there is none, and why.
  double theta_exponent = 0.0, h_exponent = 0.0, constant = 0.0;
  std::string reason;
  int points = 0;       // runs that the fit uses
  double misfit = 0.0;  // largest deviation of one of them, in powers of ten
  // Bound of the theory; empty where none is known.
  std::vector<PerturbationTerm> terms;
  bool smallest = false;  // the smallest of the terms counts instead of their sum
  std::string theory;     // "theta + theta^2/h^2"
  std::string source;
  PerturbationTerm dominating;  // where residuals are largest and steps shortest
  std::string verdict;          // as predicted, between two terms, below or above the bound
  int index = 0;  // empirical perturbation index: 1 - h_exponent if theta_exponent is 1; 0: none
  // errors(i, j): theta i, step j. NaN: the run failed. round_off(j): reaction to residuals of the
  // size of rounding errors.
  Eigen::MatrixXd errors;
  Eigen::VectorXd round_off;
};

// Steps above `rising` (region A): all errors fall with h. Below (B): those of algebraic variables
// rise. Below `smallest` (C): all rise; no step control works there (section 2.2.3). 0: no such h.
struct StepRegions {
  double theta = 0.0;
  int order = 1;
  double rising = 0.0, smallest = 0.0;
  char region(double h) const { return h >= rising ? 'A' : h >= smallest ? 'B' : 'C'; }
  std::string text;
};

// How accurately the constraints must be solved so that residuals do not spoil the tolerance.
struct ConstraintBudget {
  struct Limit {
    std::string component;
    double theta;  // the largest residual with an effect of at most the tolerance
  };
  double tolerance = 0.0, h = 0.0;  // h: the median step of the run
  std::vector<Limit> limits;
  double kappa = 0.0;               // smallest limit / tolerance
  double kappa_differential = 0.0;  // the same without algebraic variables
  double theta = 0.0;      // largest residual of the constraints the run held; NaN: unknown
  double too_loose = 0.0;  // theta / smallest limit; above 1 the residuals dominate somewhere
  double too_loose_differential = 0.0;
  std::string verdict;
};

struct PerturbationReport {
  std::string method, formulation;
  std::vector<std::string> rows;  // equations that were perturbed
  std::vector<double> thetas, steps;
  std::vector<PerturbedComponent> components;
  int index = 0;  // largest of the components'
  PerturbationSensitivity sensitivity;
  StepRegions regions;  // for the residuals that the judged run left (not known: as `imposed`)
  StepRegions imposed;  // for the largest theta of the study
  ConstraintBudget budget;
  std::vector<std::string> warnings;
  std::string failure;  // non-empty: an unperturbed run did not succeed
  const PerturbedComponent* find(const std::string& name) const;
};

// Throws InvalidArgument for rows, components or lists that do not fit.
PerturbationReport perturb(const PerturbationStudy& study);

// The bound of the theory for one component: empty terms when there is none.
struct PerturbationBound {
  std::vector<PerturbationTerm> terms;
  bool smallest = false, differential = false;  // differential: y, or q and S v
  std::string text, source;
};
PerturbationBound perturbation_bound(const PerturbationStudy& study, const std::string& formulation,
                                     const std::string& component,
                                     const PerturbationSensitivity& sensitivity);

// Step sizes and residuals that suit each other, from the bounds with unit constants: for a
// measured theta and a method of order p.
StepRegions step_regions(const std::vector<PerturbationBound>& bounds, double theta, int order);

// The study of a class of problems: the same for every value of a parameter. C_m is the largest
// error h^(m-1) / theta; the uniform perturbation index is the smallest m whose C_m stays bounded
// as the values grow, and not below that of a member (Arnold 1998, Definition 5, section 2.4).
struct UniformIndex {
  struct Growth {
    int m;
    std::vector<double> constants;  // C_m per value
    double exponent;                // of C_m ~ value^exponent, over the larger values
    std::string text;               // bounded, value^1.0, exponential
  };
  std::string parameter;
  std::vector<double> values;
  std::vector<Growth> growth;  // m = 1, 2, 3, 4
  int index = 0;               // 0: none
  std::string worst;           // the component with the largest C_1 at the last value
  std::vector<std::string> warnings;
};
using ParameterSetting = std::function<void(double value, PerturbationStudy& study)>;
UniformIndex uniform_index(const PerturbationStudy& study, const std::string& parameter,
                           const std::vector<double>& values, const ParameterSetting& set);

}  // namespace daedalus
