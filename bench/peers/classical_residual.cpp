// SPDX-License-Identifier: BSD-3-Clause
// Codes for F(t, x, x') = 0: DASKR (Brown, Hindmarsh, Petzold) with dense matrices, algebraic
// variables in the error test or left out of it, and MEBDFI (Abdulla, Cash) with the callbacks of
// DASKR. The iteration matrix F_x + c F_x' is given exactly.
#include <algorithm>
#include <array>

#include "peers/classical.hpp"
#include "peers/deadline.hpp"

namespace daedalus::peers {
namespace {

using Res = void (*)(const double* t, const double* x, const double* xd, const double* cj,
                     double* r, int* flag, double* rpar, int* ipar);
using Jac = void (*)(const double* t, const double* x, const double* xd, double* out,
                     const double* cj, double* rpar, int* ipar);
using Silent = void (*)();

FortranCall& call_of(double* rpar) { return *reinterpret_cast<FortranCall*>(rpar); }

void res(const double* t, const double* x, const double* xd, const double*, double* r, int* flag,
         double* rpar, int*) {
  FortranCall& call = call_of(rpar);
  const Answer answer = call.model->residual(*t, x, xd, r);
  if (answer == fatal) call.leave();
  if (answer != fine) *flag = -1;
}

void jac(const double* t, const double* x, const double* xd, double* out, const double* cj,
         double* rpar, int*) {
  FortranCall& call = call_of(rpar);
  if (call.model->dense_matrix(*t, *cj, x, xd, out) == fatal) call.leave();
}

// MEBDFI hands over 1/c.
void inverse_jac(const double* t, const double* x, const double* xd, double* out, const double* con,
                 double* rpar, int* ipar) {
  const double cj = 1.0 / *con;
  jac(t, x, xd, out, &cj, rpar, ipar);
}

void never() {}

class ResidualCode : public Peer {
 public:
  ResidualCode(const std::string& name, void* routine) : routine_(routine) {
    library = "classical";
    solver = name;
  }
  bool takes(const Model& model) const override { return !model.rates_only; }
  PeerRun run(Model& model, const Task& task) const override {
    PeerRun run;
    FortranCall call;
    call.model = &model;
    const double begin = cpu_seconds();
    x_ = model.x0;
    xd_ = model.xd0;
    rtol_.setConstant(model.size(), task.rtol);
    t_ = task.t0;
    idid_ = 0;
    done_ = false;
    if (setjmp(call.out) == 0) invoke(model, task, reinterpret_cast<double*>(&call));
    run.seconds = cpu_seconds() - begin;
    run.ok = !expired && done_;
    run.message = "idid " + std::to_string(idid_);
    count(run);
    run.end = x_;
    return run;
  }

 protected:
  virtual void invoke(const Model& model, const Task& task, double* rpar) const = 0;
  virtual void count(PeerRun& run) const = 0;

  void* routine_;
  mutable Eigen::VectorXd x_, xd_, rtol_;
  mutable std::vector<double> work_;
  mutable std::vector<int> iwork_;
  mutable double t_ = 0.0;
  mutable int idid_ = 0;
  mutable bool done_ = false;
};

class Daskr final : public ResidualCode {
 public:
  Daskr(void* routine, bool suppress) : ResidualCode("daskr", routine), suppress_(suppress) {
    if (suppress) solver += "-suppressed";
  }
  bool takes(const Model& model) const override {
    return !model.rates_only && (!suppress_ || model.has_algebraic());
  }

 private:
  void invoke(const Model& model, const Task& task, double* rpar) const override {
    using Routine = void (*)(Res, const int*, double*, double*, double*, const double*, int*,
                             const double*, const double*, int*, double*, const int*, int*,
                             const int*, double*, int*, Jac, Silent, Silent, const int*, int*);
    const int n = model.size(), none = 0;
    work_.assign(static_cast<std::size_t>(60 + 10 * n + n * n + n), 0.0);
    iwork_.assign(static_cast<std::size_t>(40 + 2 * n), 0);
    std::array<int, 20> info{};
    info[1] = 1;  // tolerances per unknown
    info[3] = 1;  // not beyond the end
    info[4] = 1;  // the matrix is given
    work_[0] = task.t1;
    if (suppress_) {
      info[15] = 1;
      for (int i = 0; i < n; ++i)
        iwork_[static_cast<std::size_t>(40 + i)] =
            model.algebraic[static_cast<std::size_t>(i)] ? -1 : 1;
    }
    const int lrw = static_cast<int>(work_.size()), liw = static_cast<int>(iwork_.size());
    int ipar = 0, root = 0;
    constexpr int more_steps = -1;  // it stops every 500 steps to ask
    do {
      reinterpret_cast<Routine>(routine_)(res, &n, &t_, x_.data(), xd_.data(), &task.t1,
                                          info.data(), rtol_.data(), task.atol.data(), &idid_,
                                          work_.data(), &lrw, iwork_.data(), &liw, rpar, &ipar, jac,
                                          never, never, &none, &root);
      info[0] = 1;
    } while (idid_ == more_steps || (idid_ > 0 && t_ < task.t1));
    done_ = idid_ > 0;
  }
  void count(PeerRun& run) const override {
    run.steps = iwork_[10];
    run.evaluations = iwork_[11];
    run.jacobians = run.factorisations = iwork_[12];
    run.rejected = iwork_[13] + iwork_[14];
  }

  bool suppress_;
};

class Mebdfi final : public ResidualCode {
 public:
  explicit Mebdfi(void* routine) : ResidualCode("mebdfi", routine) {}

 private:
  void invoke(const Model& model, const Task& task, double* rpar) const override {
    using Routine =
        void (*)(const int*, double*, double*, double*, double*, const double*, const double*,
                 const int*, int*, const int*, double*, const int*, int*, int*, const int*,
                 const int*, const double*, const double*, double*, int*, Jac, Res, int*);
    const int n = model.size(), exact_full = 21, max_order = 7, arrays = 5;
    work_.assign(static_cast<std::size_t>(40 * n + 3 * n * n + 100), 0.0);
    iwork_.assign(static_cast<std::size_t>(n + 30), 0);
    iwork_[0] = n;
    constexpr int step_limit = 10'000'000;
    iwork_[13] = step_limit;
    std::array<int, 4> band{n, n, n, n};
    const int lrw = static_cast<int>(work_.size()), liw = static_cast<int>(iwork_.size());
    double h = first_step(model, task);
    int ipar = 0, error = 0;
    const auto call = [&] {
      reinterpret_cast<Routine>(routine_)(
          &n, &t_, &h, x_.data(), xd_.data(), &task.t1, &task.t1, &exact_full, &idid_, &lrw,
          work_.data(), &liw, iwork_.data(), band.data(), &max_order, &arrays, rtol_.data(),
          task.atol.data(), rpar, &ipar, inverse_jac, res, &error);
    };
    idid_ = 1;  // initialises, then integrates
    call();
    if (idid_ == 1) {
      idid_ = 0;
      call();
    }
    done_ = idid_ == 0;
  }
  void count(PeerRun& run) const override {
    run.steps = iwork_[4];
    run.rejected = iwork_[5];
    run.evaluations = iwork_[6];
    run.jacobians = iwork_[7];
    run.factorisations = iwork_[8];
  }
};

}  // namespace

std::vector<std::unique_ptr<Peer>> residual_codes(const std::string& name, void* routine) {
  std::vector<std::unique_ptr<Peer>> list;
  if (name == "mebdfi") {
    list.push_back(std::make_unique<Mebdfi>(routine));
  } else {
    for (const bool suppress : {false, true})
      list.push_back(std::make_unique<Daskr>(routine, suppress));
  }
  return list;
}

}  // namespace daedalus::peers
