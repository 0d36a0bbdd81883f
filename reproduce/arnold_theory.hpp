// SPDX-License-Identifier: BSD-3-Clause
// Claims of Arnold (1998): Zur Theorie und zur numerischen Loesung von Anfangswertproblemen fuer
// differentiell-algebraische Systeme von hoeherem Index, habilitation thesis, Rostock; chapters 1
// and 2 and section 3.1: index, perturbations, index reduction, overdetermined systems.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <daedalus/solve.hpp>

#include "reproduce/experiment.hpp"
#include "reproduce/support.hpp"

namespace daedalus::experiments {

std::span<const Experiment> arnold_theory_experiments();

namespace theory {

using Json = nlohmann::ordered_json;

// By topic.
std::vector<Experiment> noise_experiments();        // 1 to 5: Example 8
std::vector<Experiment> sharpness_experiments();    // 6 to 9: Examples 9 to 12
std::vector<Experiment> parabola_experiments();     // 10 to 13: Example 13
std::vector<Experiment> stabilised_experiments();   // 14 to 18: Newton's method, drift, Table 3.1
std::vector<Experiment> extension_experiments();    // 19 to 21: Examples 18, 19, contact
std::vector<Experiment> uniform_experiments();      // 22, 23: Examples 14 and 16
std::vector<Experiment> consequence_experiments();  // 24 to 27

Experiment experiment(int number, const char* title, double seconds,
                      std::vector<Claim> (*run)(Context&), Basis basis, Parts parts = {});

// theta_n of the n-th step (1, 2, ...), which ends at t.
using Residual = std::function<double(long n, double t)>;

// A run with constant steps whose nonlinear equations are solved nearly to rounding errors.
struct Study {
  std::string problem{};  // of the catalogue; empty: `model`
  problems::Values values{};
  Problem model{};
  std::string method = "implicit-euler";
  std::string formulation = "auto";
  double h = 0.0;
  int order = 0;  // of method bdf
  // By the name of the equation: y' = f + delta, g = theta.
  std::vector<std::pair<std::string, Residual>> residuals{};
  std::optional<double> t0{}, t_end{};     // those of the catalogue
  std::function<void(Problem&)> change{};  // of the problem, for instance its start values
  Options further{};                       // all else
  double accuracy = 1e-12;  // of the nonlinear equations; more where that cannot be reached
};
// Throws std::runtime_error with the run's message if it does not reach the end.
Solution run(const Study& study);

// 6 (sin t - sin t in single precision) and the like: theta(t) with |theta| <= factor 2^-25.
double single_precision(double factor, double value);

// p of |error| ~ h^p between neighbours, and over the whole list by least squares.
double slope(double h1, double e1, double h2, double e2);
double slope(const std::vector<double>& h, const std::vector<double>& e);

// Numbers beside expected ones within a factor.
Claim table_claim(const std::string& id, const std::string& claim,
                  const std::vector<double>& expected, const std::vector<double>& measured,
                  double factor, std::string remark = {});
Claim slope_claim(const std::string& id, const std::string& claim, double expected,
                  double measured);

}  // namespace theory
}  // namespace daedalus::experiments
