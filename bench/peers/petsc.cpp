// SPDX-License-Identifier: BSD-3-Clause
// PETSc TS (Abhyankar et al. 2018) on F(t, x, x') = 0 with the exact matrix, dense LU: additive
// Runge-Kutta methods in their implicit part (arkimex), BDF of fixed order (bdf), Rosenbrock-W
// methods (rosw). Algebraic variables in the error test or left out of it.
#include <petscts.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "peers/deadline.hpp"
#include "peers/peer.hpp"

namespace daedalus::peers {
namespace {

static_assert(std::is_same_v<PetscScalar, double>);

struct Context {
  Model& model;
  long evaluations = 0, matrices = 0;
};

// Returns PETSc's error code; an evaluation outside the domain rejects the step instead.
PetscErrorCode residual(TS ts, PetscReal t, Vec x, Vec xd, Vec r, void* data) {
  Context& c = *static_cast<Context*>(data);
  ++c.evaluations;
  const PetscScalar *values = nullptr, *rates = nullptr;
  PetscScalar* out = nullptr;
  VecGetArrayRead(x, &values);
  VecGetArrayRead(xd, &rates);
  VecGetArray(r, &out);
  const Answer answer = c.model.residual(t, values, rates, out);
  VecRestoreArray(r, &out);
  VecRestoreArrayRead(xd, &rates);
  VecRestoreArrayRead(x, &values);
  if (answer == fatal) return PETSC_ERR_USER;
  if (answer == recoverable) {
    SNES snes = nullptr;
    TSGetSNES(ts, &snes);
    SNESSetFunctionDomainError(snes);
    VecSet(r, std::numeric_limits<double>::infinity());
  }
  return 0;
}

PetscErrorCode matrix(TS, PetscReal t, Vec x, Vec xd, PetscReal alpha, Mat, Mat out, void* data) {
  Context& c = *static_cast<Context*>(data);
  ++c.matrices;
  const PetscScalar *values = nullptr, *rates = nullptr;
  PetscScalar* entries = nullptr;
  VecGetArrayRead(x, &values);
  VecGetArrayRead(xd, &rates);
  MatDenseGetArrayWrite(out, &entries);
  const Answer answer = c.model.dense_matrix(t, alpha, values, rates, entries);
  MatDenseRestoreArrayWrite(out, &entries);
  VecRestoreArrayRead(xd, &rates);
  VecRestoreArrayRead(x, &values);
  MatAssemblyBegin(out, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(out, MAT_FINAL_ASSEMBLY);
  return answer == fatal ? PETSC_ERR_USER : 0;
}

// PETSc is initialised once and for the whole program.
struct Library {
  Library() {
    static char name[] = "daedalus_peers", quiet[] = "-no_signal_handler";
    static char* arguments[] = {name, quiet, nullptr};
    int count = 2;
    char** list = arguments;
    PetscInitialize(&count, &list, nullptr, nullptr);
    PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  }
  ~Library() { PetscFinalize(); }
};

struct Kind {
  const char *type, *scheme;
  int order;  // of bdf
};
constexpr Kind kinds[] = {{TSROSW, TSROSWRA34PW2, 0},
                          {TSROSW, TSROSW4L, 0},
                          {TSROSW, TSROSWRODAS3, 0},
                          {TSROSW, TSROSWVELDD4, 0},
                          {TSARKIMEX, TSARKIMEX3, 0},
                          {TSARKIMEX, TSARKIMEX4, 0},
                          {TSARKIMEX, TSARKIMEX5, 0},
                          {TSBDF, "", 2},
                          {TSBDF, "", 3},
                          {TSBDF, "", 4},
                          {TSBDF, "", 5}};

class Petsc final : public Peer {
 public:
  Petsc(const Kind& kind, bool suppress) : kind_(kind), suppress_(suppress) {
    char version[256] = "";
    PetscInt major = 0, minor = 0, patch = 0;
    PetscGetVersionNumber(&major, &minor, &patch, nullptr);
    PetscGetVersion(version, sizeof version);
    library = "PETSc TS " + std::to_string(major) + "." + std::to_string(minor) + "." +
              std::to_string(patch);
    solver = std::string("petsc-") + kind.type;
    solver += kind.order > 0 ? std::to_string(kind.order) : "-" + std::string(kind.scheme);
    if (suppress) solver += "-suppressed";
  }
  bool takes(const Model& model) const override {
    return model.size() <= max_dense && (!suppress_ || model.has_algebraic());
  }

  PeerRun run(Model& model, const Task& task) const override {
    PeerRun run;
    const PetscInt n = model.size();
    Context context{model};
    const double begin = cpu_seconds();
    TS ts = nullptr;
    Vec x = nullptr, r = nullptr, atol = nullptr, rtol = nullptr;
    Mat J = nullptr;
    PetscErrorCode error = 0;
    const auto next = [&](PetscErrorCode code) {
      if (!error) error = code;
    };
    next(VecCreateSeq(PETSC_COMM_SELF, n, &x));
    next(VecDuplicate(x, &r));
    next(VecDuplicate(x, &atol));
    next(VecDuplicate(x, &rtol));
    next(MatCreateSeqDense(PETSC_COMM_SELF, n, n, nullptr, &J));
    fill(x, model.x0);
    Eigen::VectorXd absolute = task.atol, relative = Eigen::VectorXd::Constant(n, task.rtol);
    if (suppress_)
      for (int i = 0; i < model.size(); ++i)
        if (model.algebraic[static_cast<std::size_t>(i)]) absolute[i] = 1e100;
    fill(atol, absolute);
    fill(rtol, relative);
    next(TSCreate(PETSC_COMM_SELF, &ts));
    next(TSSetProblemType(ts, TS_NONLINEAR));
    next(TSSetType(ts, kind_.type));
    const std::string type = kind_.type;
    if (type == TSROSW) next(TSRosWSetType(ts, kind_.scheme));
    if (type == TSARKIMEX) {
      next(TSARKIMEXSetType(ts, kind_.scheme));
      next(TSARKIMEXSetFullyImplicit(ts, PETSC_TRUE));
    }
    if (type == TSBDF) next(TSBDFSetOrder(ts, kind_.order));
    next(TSSetIFunction(ts, r, peers::residual, &context));
    next(TSSetIJacobian(ts, J, J, peers::matrix, &context));
    next(TSSetTolerances(ts, task.rtol, atol, task.rtol, rtol));
    next(TSSetTime(ts, task.t0));
    next(TSSetTimeStep(ts, first_step(model, task)));
    next(TSSetMaxTime(ts, task.t1));
    next(TSSetMaxSteps(ts, std::numeric_limits<PetscInt>::max()));
    next(TSSetMaxSNESFailures(ts, -1));
    next(TSSetMaxStepRejections(ts, 50));
    next(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
    SNES snes = nullptr;
    KSP ksp = nullptr;
    PC pc = nullptr;
    next(TSGetSNES(ts, &snes));
    next(SNESGetKSP(snes, &ksp));
    next(KSPSetType(ksp, KSPPREONLY));
    next(KSPGetPC(ksp, &pc));
    next(PCSetType(pc, PCLU));
    if (!error) next(TSSolve(ts, x));
    run.seconds = cpu_seconds() - begin;
    TSConvergedReason reason = TS_CONVERGED_ITERATING;
    PetscInt steps = 0, rejected = 0, iterations = 0;
    PetscReal t = task.t0;
    if (ts) {
      TSGetConvergedReason(ts, &reason);
      TSGetStepNumber(ts, &steps);
      TSGetStepRejections(ts, &rejected);
      TSGetKSPIterations(ts, &iterations);
      TSGetTime(ts, &t);
    }
    run.ok = !error && reason > 0 && t >= task.t1 * (1.0 - 1e-12);
    run.message = error ? "error " + std::to_string(error)
                        : std::string("TSConvergedReason ") + TSConvergedReasons[reason];
    run.steps = steps;
    run.rejected = rejected;
    run.evaluations = context.evaluations;
    run.jacobians = run.factorisations = context.matrices;
    run.end.resize(n);
    const PetscScalar* values = nullptr;
    VecGetArrayRead(x, &values);
    std::copy_n(values, n, run.end.data());
    VecRestoreArrayRead(x, &values);
    TSDestroy(&ts);
    MatDestroy(&J);
    for (Vec* v : {&x, &r, &atol, &rtol}) VecDestroy(v);
    return run;
  }

 private:
  static constexpr int max_dense = 200;
  static void fill(Vec v, const Eigen::VectorXd& values) {
    PetscScalar* out = nullptr;
    VecGetArray(v, &out);
    std::copy_n(values.data(), values.size(), out);
    VecRestoreArray(v, &out);
  }
  Kind kind_;
  bool suppress_;
};

}  // namespace

void add_petsc(Peers& list) {
  static const Library library;
  for (const Kind& kind : kinds)
    for (const bool suppress : {false, true})
      list.push_back(std::make_unique<Petsc>(kind, suppress));
}

}  // namespace daedalus::peers
