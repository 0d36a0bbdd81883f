// SPDX-License-Identifier: BSD-3-Clause
// Problems with known solutions on which the declared orders are measured. A model that a method
// does not fit is left out for that method by asking the library, never by naming it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <daedalus/method.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solve.hpp>
#include <daedalus/testing/order.hpp>

namespace daedalus::methods_test {

struct Model {
  std::string name;
  Problem problem;
  Interval interval;
  testing::ExactState exact;
  int coarsest;  // number of steps with which a fourth-order method begins to show its order
};

// y' = f, 0 = g with nonlinear g:  y1' = y2 z, y2' = -y1 z, z^3 + z (y1^2 + y2^2) = w^3 + w,
// w = 1 + sin(t) / 2;  y = (sin phi, cos phi), z = w, phi = t + (1 - cos t) / 2.
Model index_one();
// The shortest problem that sees the trees with a fat vertex: y1' = y2 z, y2' = -y2, 0 = z - y2^2;
// y = (1 - exp(-3t) / 3, exp(-t)), z = exp(-2t). Methods for ordinary differential equations lose
// their order here in z by g[f,f], and in y by f[f,g[f,f]].
Model product();
// Nonlinear in everything, without structure, autonomous; compared with rodas5p on a fine grid,
// which tests/rosenbrock compares with another method:
//   y1' = y2 z1 - y1 z2 / 2,  y2' = -y1 z1 + sin(z2) y2 / 2,
//   0 = z1 + sin(z1 + z2) / 4 - y1 y2,  0 = z2 + z1^2 / 4 - cos(y1) + y2^2;  y(0) = (1, 1/2).
Model generic();
// Entry of the catalogue with exact solution, on a shorter interval.
Model from_catalogue(const std::string& name, Interval interval, int coarsest);
// Without a formula: compared with the classical Runge-Kutta method on a grid so fine that its
// error is below 1e-12 (budget_test.cpp checks that against another method and invariants).
Model pendulum();
Model car_axis();     // time-dependent constraints
Model rigid_body();   // free, on SO(3), three different moments of inertia
Model guided_body();  // on SO(3) with one holonomic constraint

const std::vector<Model>& all_models();

// One method on one model in one formulation ("" for first-order problems).
struct Case {
  const Method* method;
  const Model* model;
  std::string formulation;
  Options options() const;  // method, formulation, tight tolerance for the Newton iteration
};
void PrintTo(const Case& c, std::ostream* out);
std::string label(const Case& c);  // as gtest wants names: letters, digits, underscores
std::string label(std::string text);
struct ByLabel {
  template <class Info>
  std::string operator()(const Info& test) const {
    return label(test.param);
  }
};

// Every combination that the library accepts with fixed steps.
std::vector<Case> fixed_step_cases();

// Steps interval / (n, 2 n, 4 n, ...): at least five halvings; low orders start finer, high ones
// coarser. Finer than the order needs would only show round-off.
std::vector<double> ladder(const Case& c);

// Methods that need more than one value to start from get exact ones.
bool multistep(const Method& method);
std::function<bool(double t, Out y)> start_values(const Model& model, Options options);

// Standard value of an option; not a number when the method does not offer it.
double standard_of(const Method& method, const std::string& option);

// The formulations a method may use for the problem; {""} for first-order problems, {} if unfit.
std::vector<std::string> fitting_formulations(const Problem& problem, const Method& method,
                                              Options options);

}  // namespace daedalus::methods_test
