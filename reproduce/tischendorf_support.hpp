// SPDX-License-Identifier: BSD-3-Clause
// What the experiments on Tischendorf (1992) share: catalogue problems with their exact solutions,
// runs with constant steps, slopes, and claims whose numbers are lists or known up to a factor.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include <catalogue/catalogue.hpp>
#include <daedalus/solve.hpp>

#include "reproduce/experiment.hpp"
#include "reproduce/support.hpp"
#include "system/system.hpp"

namespace daedalus::experiments::tischendorf {

using Json = nlohmann::ordered_json;

inline constexpr const char* source =
    "Tischendorf (1992), diploma thesis, Humboldt-Universitaet zu Berlin";

// In the order of the variables.
Eigen::VectorXd exact_at(const std::string& problem, double t, const problems::Values& values = {});

// Noise in [0, 1) that depends on the number of the step alone, the same everywhere.
double uniform(long step);

// Least squares through (log h, log e).
double slope(const std::vector<double>& h, const std::vector<double>& e);

// BDF of order k with constant steps, tight Newton iteration; the first k values from `exact`.
Options constant_steps(int k, double h, std::function<void(double t, Out y)> exact);

// The example of Gear and Petzold solved by BDF of order k with constant steps: growth per step of
// the error that one defect leaves behind, and the largest |z| with z^k + eta (z - 1)^k = 0, which
// it should be. Stable for -2^-k < eta < (2 cos(pi/k))^-k.
double error_growth(int k, double eta);
double max_root(int k, double eta);

// A problem as a system that is ready to be evaluated.
struct Lowered {
  std::shared_ptr<const Problem> problem;
  std::unique_ptr<System> system;
};
Lowered lowered(Problem problem, double t0);

}  // namespace daedalus::experiments::tischendorf
