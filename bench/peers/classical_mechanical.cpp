// SPDX-License-Identifier: BSD-3-Clause
// HEM5 (Brasey 1994) and PHEM56 (Murua 1995) for q' = v, M v' = f - G^T lambda, 0 = G v + g_t, with
// full matrices. Their one callback is told by a number what to fill.
#include <algorithm>

#include "peers/classical.hpp"
#include "peers/deadline.hpp"
#include "peers/plain.hpp"

namespace daedalus::peers {
namespace {

using Problem = void (*)(const int* what, const int* nq, const int* nv, const int* nu,
                         const int* nl, const int* ldg, const int* ldf, const int* lda,
                         const int* blocks, const int* block_size, int* pattern_g, int* pattern_f,
                         int* row_g, int* column_g, int* row_f, int* column_f, const double* t,
                         const double* q, const double* v, const double* u, const double* lambda,
                         double* g, double* G, double* f, double* second, double* g_t, double* F,
                         double* qd, double* ud, double* M);
using Silent = void (*)();

// PHEM56 wants G with the number that asks HEM5 for forces and masses alone.
bool jacobian_with_forces = false;

// Tables of what each number asks for, as both user's guides have them.
bool one_of(int what, std::initializer_list<int> list) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

void problem(const int* what, const int*, const int*, const int*, const int*, const int* ldg,
             const int*, const int* lda, const int*, const int*, int*, int*, int*, int*, int*, int*,
             const double* t, const double* q, const double* v, const double*, const double*,
             double* g, double* G, double* f, double* second, double* g_t, double*, double* qd,
             double*, double* M) {
  FortranCall& call = *call_in_progress;
  if (expired) call.leave();
  const PlainMechanics& m = *call.model->mechanics;
  if (*what == 1 && jacobian_with_forces) m.constraint_jacobian(*t, q, G, *ldg);
  if (one_of(*what, {1, 7, 8, 9, 10, 11})) m.mass(*t, q, M, *lda);
  if (one_of(*what, {1, 5, 7, 8})) m.force(*t, q, v, f);
  if (*what == 4) m.constraint(*t, q, g);
  if (one_of(*what, {6, 10, 11})) m.constraint_jacobian(*t, q, G, *ldg);
  if (one_of(*what, {3, 6, 10, 11})) m.time_derivative(*t, q, g_t);
  if (one_of(*what, {5, 7})) {
    m.acceleration_term(*t, q, v, second);
    for (int i = 0; i < m.constraints; ++i) second[i] = -second[i];
  }
  if (one_of(*what, {1, 2, 10})) std::copy_n(v, m.coordinates, qd);
}

void never() {}

class MechanicalCode final : public Peer {
 public:
  MechanicalCode(const std::string& name, void* routine) : routine_(routine) {
    library = "classical";
    solver = name;
  }
  bool takes(const Model& model) const override { return model.mechanics != nullptr; }

  PeerRun run(Model& model, const Task& task) const override {
    using Routine =
        void (*)(const int*, const int*, const int*, const int*, Problem, double*, double*, double*,
                 double*, double*, double*, const double*, double*, const double*, const double*,
                 const int*, Silent, const int*, double*, const int*, int*, const int*, int*);
    PeerRun run;
    FortranCall call;
    call.model = &model;
    call_in_progress = &call;
    jacobian_with_forces = solver == "phem56";
    const int n = model.mechanics->coordinates, nl = model.mechanics->constraints, none = 0,
              scalar = 0;
    const double begin = cpu_seconds();
    x_ = model.x0;
    a_.setZero(n);
    lambda_.setZero(nl);
    t_ = task.t0;
    h_ = first_step(model, task);
    const int size = n + nl;
    work_.assign(static_cast<std::size_t>(60 * size + 10 * size * size + 500), 0.0);
    iwork_.assign(static_cast<std::size_t>(60 * size + 500), 0);
    constexpr int step_limit = 10'000'000;
    iwork_[10] = step_limit;
    const int lwork = static_cast<int>(work_.size()), liwork = static_cast<int>(iwork_.size());
    // Both read only the first absolute tolerance.
    const double atol = task.atol[0];
    idid_ = 0;
    if (setjmp(call.out) == 0)
      reinterpret_cast<Routine>(routine_)(&n, &n, &none, &nl, problem, &t_, x_.data(),
                                          x_.data() + n, &unused_, a_.data(), lambda_.data(),
                                          &task.t1, &h_, &task.rtol, &atol, &scalar, never, &none,
                                          work_.data(), &lwork, iwork_.data(), &liwork, &idid_);
    run.seconds = cpu_seconds() - begin;
    call_in_progress = nullptr;
    // HEM5 leaves idid alone when all is well.
    run.ok = !expired && idid_ >= 0 && t_ == task.t1;
    run.message = "idid " + std::to_string(idid_);
    run.steps = iwork_[31];
    run.rejected = iwork_[32];
    run.evaluations = iwork_[33];
    run.factorisations = iwork_[36];
    run.end = x_;
    return run;
  }

 private:
  void* routine_;
  mutable Eigen::VectorXd x_, a_, lambda_;
  mutable std::vector<double> work_;
  mutable std::vector<int> iwork_;
  mutable double t_ = 0.0, h_ = 0.0, unused_ = 0.0;
  mutable int idid_ = 0;
};

}  // namespace

std::unique_ptr<Peer> mechanical_code(const std::string& name, void* routine) {
  return std::make_unique<MechanicalCode>(name, routine);
}

}  // namespace daedalus::peers
