// SPDX-License-Identifier: BSD-3-Clause
// The questions behind diagnose_failure(), one file each.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diagnosis.hpp"
#include "system/system.hpp"

namespace daedalus::diagnosis {

// F(t, x, d') = 0 at a state, with E = F_d' d_x and J = F_x; multibody problems with their
// constraints at the level of accelerations, where [M G^T; G 0] decides.
struct Place {
  State s;
  Eigen::VectorXd rates;  // d'
  Eigen::VectorXd residual;
  Eigen::MatrixXd E, J;
  std::vector<double> modes{};  // in force there
  int size() const { return static_cast<int>(E.cols()); }
};

struct Site {
  std::shared_ptr<const Problem> problem;
  std::unique_ptr<System> system;
  const Options* options = nullptr;
  const RunTrace* run = nullptr;
  bool exact = true;  // derivatives are not by differences
  std::optional<Place> start, end;

  int size() const { return system->layout.tangents(); }
  const std::string& equation(int i) const {
    return system->equations[static_cast<std::size_t>(i)];
  }
  const std::string& variable(int i) const { return system->layout.name(i); }
  void use_modes(const Place& p) const { *system->modes = p.modes; }
  double length() const;                         // of the interval of the run
  Eigen::VectorXd weight(const Place& p) const;  // error scale, tangent coordinates
  // Rows of F at t + dt, x (+) move; false: not finite or refused, then `row` is the first such
  // one, -1 if unknown.
  bool rows(const Place& p, double dt, const Eigen::VectorXd& move, Eigen::VectorXd& r,
            int& row) const;
};

// E and J at a state given in model variables; x' completed by least squares from `rates`.
// Evaluations with the system of the site follow in the modes of the place asked for last.
std::optional<Place> place_at(const Site& site, double t, const Eigen::VectorXd& model,
                              const Eigen::VectorXd& rates, const std::vector<double>& modes);

// "'a', 'b' and 'c'": the entries of v above a tenth of the largest, at most five.
std::string listed(const Eigen::VectorXd& v, const std::vector<std::string>& names);

std::string wrong_derivative(const Problem& problem, double t0);
std::string dependent_equations(const Site& site, const Place& at);
std::string higher_index(const Site& site);
std::string lost_rank(const Site& site);
std::string jump(const Site& site, const Place& at, double reach);
std::string branch(const Site& site, const Place& at, double reach);
std::string growth(const Site& site);
std::string driven_bodies(const Site& site);
std::string below_round_off(const Site& site);
// The equation that Newton's method for one step from the end leaves unmet, by most.
std::string unmet_equation(const Site& site);

}  // namespace daedalus::diagnosis
