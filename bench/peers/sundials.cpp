// SPDX-License-Identifier: BSD-3-Clause
#include "peers/sundials.hpp"

#include <sundials/sundials_version.h>

#include <algorithm>

namespace daedalus::peers {

std::string sundials_name(const char* package) {
  char text[64] = "";
  SUNDIALSGetVersion(text, sizeof text);
  return std::string("SUNDIALS ") + package + " " + text;
}

void copy_pattern(const SparsePattern& pattern, SUNMatrix out) {
  std::copy(pattern.start.begin(), pattern.start.end(), SM_INDEXPTRS_S(out));
  std::copy(pattern.row.begin(), pattern.row.end(), SM_INDEXVALS_S(out));
}

SundialsMemory::SundialsMemory(const Model& model, bool klu, const Eigen::VectorXd& tolerances)
    : n_(model.size()) {
  SUNContext_Create(nullptr, &context);
  x = vector(model.x0);
  atol = vector(tolerances);
  if (klu) {
    matrices_.push_back(SUNSparseMatrix(n_, n_, model.pattern.nonzeros(), CSC_MAT, context));
    matrix = matrices_.back();
    copy_pattern(model.pattern, matrix);
    solvers_.push_back(SUNLinSol_KLU(x, matrix, context));
    solver = solvers_.back();
  } else {
    matrix = dense_matrix();
    solver = dense_solver(matrix);
  }
}

SundialsMemory::~SundialsMemory() {
  for (SUNLinearSolver s : solvers_) SUNLinSolFree(s);
  for (SUNMatrix m : matrices_) SUNMatDestroy(m);
  for (N_Vector v : vectors_) N_VDestroy(v);
  SUNContext_Free(&context);
}

N_Vector SundialsMemory::vector(const Eigen::VectorXd& values) {
  N_Vector v = N_VNew_Serial(n_, context);
  std::copy_n(values.data(), n_, NV_DATA_S(v));
  vectors_.push_back(v);
  return v;
}

SUNMatrix SundialsMemory::dense_matrix() {
  matrices_.push_back(SUNDenseMatrix(n_, n_, context));
  return matrices_.back();
}

SUNLinearSolver SundialsMemory::dense_solver(SUNMatrix of) {
  solvers_.push_back(SUNLinSol_Dense(x, of, context));
  return solvers_.back();
}

}  // namespace daedalus::peers
