// SPDX-License-Identifier: BSD-3-Clause
// SUNDIALS IDA with KLU as its users have it: column ordering of its interface (COLAMD), exact
// sparse matrix, residual and derivatives through the same code as ours.
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>

#include "formulation/lower.hpp"
#include "growth.hpp"
#include "start/consistent.hpp"

namespace daedalus::scaling {
namespace {

struct Model {
  std::unique_ptr<System> system;
  std::vector<int> of_e, of_j;
  SparsePattern pattern;
};

int residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void* data) {
  ResidualView& view = *static_cast<Model*>(data)->system->residual_view();
  return view.residual(t, NV_DATA_S(y), NV_DATA_S(yp), NV_DATA_S(r)) == Outcome::ok ? 0 : 1;
}

int matrix(realtype t, realtype alpha, N_Vector y, N_Vector yp, N_Vector, SUNMatrix J, void* data,
           N_Vector, N_Vector, N_Vector) {
  Model& m = *static_cast<Model*>(data);
  ResidualView& view = *m.system->residual_view();
  if (view.linearise(t, NV_DATA_S(y), NV_DATA_S(yp)) != Outcome::ok) return 1;
  const Pencil& pencil = view.residual_pencil();
  std::copy(m.pattern.start.begin(), m.pattern.start.end(), SM_INDEXPTRS_S(J));
  std::copy(m.pattern.row.begin(), m.pattern.row.end(), SM_INDEXVALS_S(J));
  double* values = SM_DATA_S(J);
  std::fill_n(values, m.pattern.nonzeros(), 0.0);
  for (std::size_t k = 0; k < m.of_j.size(); ++k) values[m.of_j[k]] += pencil.j()[k];
  for (std::size_t k = 0; k < m.of_e.size(); ++k) values[m.of_e[k]] += alpha * pencil.e()[k];
  return 0;
}

}  // namespace

bool have_ida() { return true; }

Measured measure_ida(const Meter& meter, const Problem& problem, double tol, double t_end,
                     bool suppress, Eigen::VectorXd* end) {
  Measured result;
  result.problem = name_of(problem);
  result.solver = suppress ? "IDA, KLU, algebraic variables untested" : "IDA, KLU";
  Model m;
  LoweringOptions lowering;
  lowering.linear_algebra = LinearSolverKind::sparse;
  const Cost begin = meter.now();
  m.system = lower(std::make_shared<const Problem>(problem), "", View::residual, lowering, 0.0);
  State state = model_start(*m.system, problem, 0.0);
  m.system->prepare(state);
  const int n = m.system->layout.tangents();
  StartRequest request;
  request.weight = Eigen::VectorXd::Constant(n, tol);
  if (make_consistent(*m.system, state, request).status != Status::success) {
    result.failure = "no consistent start values";
    return result;
  }
  const Pencil& pencil = m.system->residual_view()->residual_pencil();
  m.pattern = unite(pencil.pattern_e(), pencil.pattern_j(), &m.of_e, &m.of_j);

  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(n, context), yp = N_VNew_Serial(n, context),
           id = N_VNew_Serial(n, context);
  std::copy_n(state.x.data(), n, NV_DATA_S(y));
  std::copy_n(state.xd.data(), n, NV_DATA_S(yp));
  for (const LayoutBlock& b : m.system->layout.blocks())
    std::fill_n(NV_DATA_S(id) + b.tangent, b.space.tangents(),
                b.cls == VariableClass::z ? 0.0 : 1.0);
  SUNMatrix J = SUNSparseMatrix(n, n, m.pattern.nonzeros(), CSC_MAT, context);
  SUNLinearSolver solver = SUNLinSol_KLU(y, J, context);
  void* ida = IDACreate(context);
  IDAInit(ida, residual, 0.0, y, yp);
  IDASStolerances(ida, tol, tol);
  IDASetUserData(ida, &m);
  IDASetLinearSolver(ida, solver, J);
  IDASetJacFn(ida, matrix);
  IDASetMaxNumSteps(ida, 1000000);
  IDASetStopTime(ida, t_end);
  IDASetId(ida, id);
  IDASetSuppressAlg(ida, suppress ? SUNTRUE : SUNFALSE);
  double t = 0.0;
  int flag = IDASolve(ida, t_end, &t, y, yp, IDA_ONE_STEP);
  const Cost started = meter.now();
  result.start = started - begin;
  while (flag >= 0 && t < t_end) flag = IDASolve(ida, t_end, &t, y, yp, IDA_ONE_STEP);
  result.step = meter.now() - started;
  long steps = 0, jacobians = 0;
  IDAGetNumSteps(ida, &steps);
  IDAGetNumJacEvals(ida, &jacobians);
  result.steps = steps - 1;
  result.counts.factorisations = jacobians;
  result.size = n;
  if (result.steps > 0) {
    result.step.seconds /= static_cast<double>(result.steps);
    result.step.instructions /= static_cast<double>(result.steps);
  }
  if (flag < 0) result.failure = "IDA returns " + std::to_string(flag);
  if (end) *end = Eigen::Map<const Eigen::VectorXd>(NV_DATA_S(y), n);
  IDAFree(&ida);
  SUNLinSolFree(solver);
  SUNMatDestroy(J);
  for (N_Vector v : {y, yp, id}) N_VDestroy(v);
  SUNContext_Free(&context);
  return result;
}

}  // namespace daedalus::scaling
