#include "peers/ida.hpp"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cstdlib>
#include <ctime>
#include <memory>
#include <type_traits>

namespace daedalus::peers {
namespace {

static_assert(std::is_same_v<realtype, double>);

// Positive: IDA tries a smaller step, as our methods do after a rejection.
constexpr int recoverable = 1, fatal = -1;

template <class Call>
int flag_of(Call&& call) {
  try {
    return call() == Eval::ok ? 0 : recoverable;
  } catch (const Reject&) {
    return recoverable;
  } catch (...) {
    return fatal;
  }
}

int residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void* data) {
  const auto& problem = *static_cast<const PeerResidual*>(data);
  return flag_of([&] { return problem.residual(t, NV_DATA_S(y), NV_DATA_S(yp), NV_DATA_S(r)); });
}

int jacobian(realtype t, realtype alpha, N_Vector y, N_Vector yp, N_Vector, SUNMatrix matrix,
             void* data, N_Vector, N_Vector, N_Vector) {
  const auto& problem = *static_cast<const PeerResidual*>(data);
  return flag_of(
      [&] { return problem.matrix(t, alpha, NV_DATA_S(y), NV_DATA_S(yp), SM_DATA_D(matrix)); });
}

void silent(int, const char*, const char*, char*, void*) {}

// Everything IDA allocates, in the order it has to be released.
struct Memory {
  SUNContext context = nullptr;
  N_Vector y = nullptr, yp = nullptr, atol = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;
  void* ida = nullptr;

  explicit Memory(int n) {
    SUNContext_Create(nullptr, &context);
    y = N_VNew_Serial(n, context);
    yp = N_VNew_Serial(n, context);
    atol = N_VNew_Serial(n, context);
    matrix = SUNDenseMatrix(n, n, context);
    solver = SUNLinSol_Dense(y, matrix, context);
    ida = IDACreate(context);
  }
  ~Memory() {
    IDAFree(&ida);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(atol);
    N_VDestroy(yp);
    N_VDestroy(y);
    SUNContext_Free(&context);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

IdaRun run_ida(const PeerResidual& problem, double t0, double t1, double rtol,
               const Tolerance& atol, double newton_constant) {
  const int n = problem.size();
  const Eigen::VectorXd rates = problem.consistent_rates(t0);
  IdaRun run;
  const double begin = seconds();
  Memory m(n);
  for (int i = 0; i < n; ++i) {
    NV_Ith_S(m.y, i) = problem.y0()[i];
    NV_Ith_S(m.yp, i) = rates[i];
    NV_Ith_S(m.atol, i) = atol[i];
  }
  int flag = IDASetErrHandlerFn(m.ida, silent, nullptr);
  const auto next = [&](int result) {
    if (flag >= 0) flag = result;
  };
  next(IDAInit(m.ida, residual, t0, m.y, m.yp));
  next(IDASVtolerances(m.ida, rtol, m.atol));
  next(IDASetUserData(m.ida, const_cast<PeerResidual*>(&problem)));
  next(IDASetLinearSolver(m.ida, m.solver, m.matrix));
  next(IDASetJacFn(m.ida, jacobian));
  next(IDASetNonlinConvCoef(m.ida, newton_constant));
  next(IDASetMaxNumSteps(m.ida, 10000000));
  next(IDASetStopTime(m.ida, t1));
  double t = t0;
  if (flag >= 0) flag = IDASolve(m.ida, t1, &t, m.y, m.yp, IDA_NORMAL);
  run.seconds = seconds() - begin;
  run.ok = flag >= 0 && t == t1;
  std::unique_ptr<char, decltype(&std::free)> name(IDAGetReturnFlagName(flag), &std::free);
  run.message = name.get();
  long error_failures = 0, nonlinear_failures = 0;
  IDAGetNumSteps(m.ida, &run.steps);
  IDAGetNumResEvals(m.ida, &run.residuals);
  IDAGetNumJacEvals(m.ida, &run.jacobians);
  IDAGetNumErrTestFails(m.ida, &error_failures);
  IDAGetNumStepSolveFails(m.ida, &nonlinear_failures);
  run.rejected = error_failures + nonlinear_failures;
  run.end = Eigen::Map<const Eigen::VectorXd>(NV_DATA_S(m.y), n);
  return run;
}

std::string ida_version() {
  char text[64] = "";
  SUNDIALSGetVersion(text, sizeof text);
  return text;
}

}  // namespace daedalus::peers
