// SPDX-License-Identifier: BSD-3-Clause
// Problems of `core` as an expert would write them by hand for a classical code: plain functions
// with hand-written Jacobians, mechanisms also as ordinary differential equations that are reduced
// by hand and as the functions that half-explicit codes ask for.
#pragma once

#include <memory>
#include <string>

#include "peers/model.hpp"

namespace daedalus::peers {

// M v' = f - G^T lambda, 0 = g(t, q); matrices column-major with a leading dimension.
struct PlainMechanics {
  int coordinates, constraints;
  void (*mass)(double t, const double* q, double* M, int ld);
  void (*force)(double t, const double* q, const double* v, double* f);
  void (*constraint)(double t, const double* q, double* g);
  void (*constraint_jacobian)(double t, const double* q, double* G, int ld);
  void (*time_derivative)(double t, const double* q, double* g_t);
  // d^2 g/dt^2 for v' = 0.
  void (*acceleration_term)(double t, const double* q, const double* v, double* k);
};

struct PlainProblem {
  const char* name;  // in the catalogue
  int size;
  PlainRates rates;
  PlainJacobian jacobian;  // null: rates alone (explicit codes)
  // Diagonal of M, or null: the identity; `full_mass` where it is not diagonal.
  const double* mass = nullptr;
  const double* full_mass = nullptr;
  bool ode = true, autonomous = true;
  // Model variables of x; null: they are the same.
  void (*to_model)(double t, const double* x, double* y) = nullptr;
  // x of the model variables; null: the leading ones.
  void (*from_model)(double t, const double* y, double* x) = nullptr;
  const PlainMechanics* mechanics = nullptr;
};

const PlainProblem* plain_first_order(const std::string& name);
const PlainProblem* plain_mechanism(const std::string& name);

// Null: not written by hand. `like` has the names and consistent start values.
std::unique_ptr<Model> plain_model(const problems::Entry& entry, Model& like);

}  // namespace daedalus::peers
