// SPDX-License-Identifier: BSD-3-Clause
// The steps of the assembly: positions, rank, velocities.
#pragma once

#include <string>
#include <vector>

#include <daedalus/mechanism.hpp>

#include "mechanism/least_squares.hpp"
#include "mechanism/plan.hpp"

namespace daedalus::mechanism {

struct Description;

Eigen::VectorXd guessed_positions(const Plan& plan);
Eigen::VectorXd guessed_velocities(const Plan& plan, const Eigen::VectorXd& q);

struct Positions {
  Eigen::VectorXd q;
  std::vector<double> coordinates;  // unwrapped
  int iterations = 0;
  double residual = 0.0;
  bool converged = false;
};
// Rows of the joint `last` give way to all others where not all can close.
Positions assemble_positions(const Plan& plan, const AssemblyOptions& options, Eigen::VectorXd q,
                             std::vector<double> coordinates, int last = -1);
// Throws, naming the joint, where rows are left open or joints closed on a wrong branch.
void check_assembled(const Plan& plan, const Positions& at, const AssemblyOptions& options);
// A drive that asks for a place far from the guess.
void check_drives(const Plan& plan, const Positions& guess, double t0);

// Drops dependent rows of the plan; fills the report; throws where the mechanism cannot start here.
void drop_dependent_rows(Plan& plan, const Positions& at, const AssemblyOptions& options,
                         AssemblyReport& report);

Eigen::VectorXd assemble_velocities(const Description& d, const Plan& plan, const Positions& at,
                                    double t0);

// G scaled by the masses, rows of norm 1: M = L L^T, G L^-T.
SparseMatrix by_mass(const Plan& plan, const SparseMatrix& G);
SparseMatrix mass_matrix(const Plan& plan);
Eigen::VectorXd solve_factor(const Plan& plan, const Eigen::VectorXd& y);  // L^-T y
// What looks like another unit, each as a sentence.
std::vector<std::string> unit_slips(const Description& d, const Plan& plan);
// Writes the rates of followed angles behind the velocities of the bodies.
void follow_rates(const Plan& plan, const double* q, double* v);
// Coordinates next to which angles are unwrapped at positions of the problem: what is followed,
// what drives say, and where the others started.
std::vector<double> coordinates_at(const Plan& plan, const double* q, double t);
// Names of the joints whose rows make up a dependent row.
std::vector<std::string> joints_in(const Plan& plan, const DependentRow& d);

void warn_of_passed_limits(const Description& d, const Plan& plan, AssemblyReport& report);
std::vector<Event> limit_events(const Description& d, const std::shared_ptr<const Plan>& plan);
Scene make_scene(const Description& d, const std::shared_ptr<const Plan>& plan,
                 const Eigen::VectorXd& q0);

}  // namespace daedalus::mechanism
