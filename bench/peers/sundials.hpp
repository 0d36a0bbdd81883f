// SPDX-License-Identifier: BSD-3-Clause
// What the adapters of SUNDIALS share: vectors, matrices and linear solvers of one run.
#pragma once

#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <string>
#include <type_traits>
#include <vector>

#include "peers/model.hpp"

namespace daedalus::peers {

static_assert(std::is_same_v<realtype, double>);

inline void silent(int, const char*, const char*, char*, void*) {}
std::string sundials_name(const char* package);  // "SUNDIALS IDA 6.4.1"
void copy_pattern(const SparsePattern& pattern, SUNMatrix out);

// Everything but the integrator's own memory, which is to be freed before this.
class SundialsMemory {
 public:
  SundialsMemory(const Model& model, bool klu, const Eigen::VectorXd& tolerances);
  ~SundialsMemory();
  SundialsMemory(const SundialsMemory&) = delete;
  SundialsMemory& operator=(const SundialsMemory&) = delete;

  N_Vector vector(const Eigen::VectorXd& values);  // a copy
  SUNMatrix dense_matrix();
  SUNLinearSolver dense_solver(SUNMatrix of);

  SUNContext context = nullptr;
  N_Vector x = nullptr, atol = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;

 private:
  std::vector<N_Vector> vectors_;
  std::vector<SUNMatrix> matrices_;
  std::vector<SUNLinearSolver> solvers_;
  int n_;
};

}  // namespace daedalus::peers
