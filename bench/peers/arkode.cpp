// SPDX-License-Identifier: BSD-3-Clause
// SUNDIALS ARKODE: diagonally implicit Runge-Kutta methods of order 3, 4 and 5 for M x' = f(t, x)
// with a regular M (a singular one is not allowed there), dense solver, exact Jacobian.
#include <arkode/arkode_arkstep.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "peers/deadline.hpp"
#include "peers/peer.hpp"
#include "peers/sundials.hpp"

namespace daedalus::peers {
namespace {

int rates(realtype t, N_Vector x, N_Vector f, void* data) {
  return static_cast<Model*>(data)->rates(t, NV_DATA_S(x), NV_DATA_S(f));
}

int matrix(realtype t, N_Vector x, N_Vector, SUNMatrix out, void* data, N_Vector, N_Vector,
           N_Vector) {
  return static_cast<Model*>(data)->dense_rates_matrix(t, NV_DATA_S(x), SM_DATA_D(out));
}

int mass(realtype, SUNMatrix out, void* data, N_Vector, N_Vector, N_Vector) {
  const Model& model = *static_cast<Model*>(data);
  std::copy_n(model.mass.data(), model.mass.size(), SM_DATA_D(out));
  return 0;
}

class Arkode final : public Peer {
 public:
  explicit Arkode(int order) : order_(order) {
    library = sundials_name("ARKODE");
    solver = "arkode-dirk" + std::to_string(order);
  }
  bool takes(const Model& model) const override { return model.ode; }

  PeerRun run(Model& model, const Task& task) const override {
    PeerRun run;
    const double begin = cpu_seconds();
    SundialsMemory m(model, false, task.atol);
    void* ark = ARKStepCreate(nullptr, peers::rates, task.t0, m.x, m.context);
    int flag = ARKStepSetErrHandlerFn(ark, silent, nullptr);
    const auto next = [&](int result) {
      if (flag >= 0) flag = result;
    };
    next(ARKStepSetUserData(ark, &model));
    next(ARKStepSetOrder(ark, order_));
    next(ARKStepSVtolerances(ark, task.rtol, m.atol));
    next(ARKStepSetLinearSolver(ark, m.solver, m.matrix));
    next(ARKStepSetJacFn(ark, peers::matrix));
    if (model.mass.size() > 0) {
      SUNMatrix of = m.dense_matrix();
      next(ARKStepSetMassLinearSolver(ark, m.dense_solver(of), of, SUNFALSE));
      next(ARKStepSetMassFn(ark, peers::mass));
    }
    next(ARKStepSetMaxNumSteps(ark, -1));
    next(ARKStepSetStopTime(ark, task.t1));
    double t = task.t0;
    if (flag >= 0) flag = ARKStepEvolve(ark, task.t1, m.x, &t, ARK_NORMAL);
    run.seconds = cpu_seconds() - begin;
    run.ok = flag >= 0 && t == task.t1;
    std::unique_ptr<char, decltype(&std::free)> name(ARKStepGetReturnFlagName(flag), &std::free);
    run.message = name.get();
    long attempts = 0, explicit_evaluations = 0, of_linear_solver = 0;
    ARKStepGetNumSteps(ark, &run.steps);
    ARKStepGetNumStepAttempts(ark, &attempts);
    ARKStepGetNumRhsEvals(ark, &explicit_evaluations, &run.evaluations);
    ARKStepGetNumJacEvals(ark, &run.jacobians);
    ARKStepGetNumLinSolvSetups(ark, &of_linear_solver);
    run.rejected = attempts - run.steps;
    run.factorisations = of_linear_solver;
    run.end = Eigen::Map<const Eigen::VectorXd>(NV_DATA_S(m.x), model.size());
    ARKStepFree(&ark);
    return run;
  }

 private:
  int order_;
};

}  // namespace

void add_arkode(Peers& list) {
  for (const int order : {3, 4, 5}) list.push_back(std::make_unique<Arkode>(order));
}

}  // namespace daedalus::peers
