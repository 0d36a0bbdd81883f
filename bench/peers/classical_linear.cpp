// SPDX-License-Identifier: BSD-3-Clause
// Codes for M x' = f(t, x) with a constant M in the calling sequence of Hairer and Wanner: RADAU5,
// RADAU, RODAS, SEULEX (Hairer, Wanner II, appendix), DOP853 (Hairer, Noersett, Wanner I), and
// BIMD and GAMD, whose callbacks differ in the order of the arguments of JAC. Full Jacobians, given
// exactly; M in its band.
#include <algorithm>
#include <cmath>
#include <limits>

#include "peers/classical.hpp"
#include "peers/deadline.hpp"

namespace daedalus::peers {
namespace {

using Fcn = void (*)(const int* n, const double* t, const double* x, double* f, double* rpar,
                     int* ipar);
using Jac = void (*)(const int* n, const double* t, const double* x, double* J, const int* ld,
                     double* rpar, int* ipar);
using BandJac = void (*)(const int* n, const double* t, const double* x, const int* ml,
                         const int* mu, double* J, const int* ld, double* rpar, int* ipar);
using Mas = void (*)(const int* n, double* M, const int* ld, double* rpar, int* ipar);
using Dfx = void (*)(const int* n, const double* t, const double* x, double* f, double* rpar,
                     int* ipar);
using Silent = void (*)();

FortranCall& call_of(double* rpar) { return *reinterpret_cast<FortranCall*>(rpar); }

// An evaluation outside the domain gives NaN, which these codes answer by smaller steps.
void spoil(double* values, int n) {
  std::fill_n(values, n, std::numeric_limits<double>::quiet_NaN());
}

void fcn(const int* n, const double* t, const double* x, double* f, double* rpar, int*) {
  FortranCall& call = call_of(rpar);
  if (call.model->plain_rates && !expired) return call.model->plain_rates(*t, x, f);
  const Answer answer = call.model->rates(*t, x, f);
  if (answer == fatal) call.leave();
  if (answer != fine) spoil(f, *n);
}

void fill_jacobian(FortranCall& call, int n, double t, const double* x, double* J) {
  if (call.model->plain_jacobian && !expired) return call.model->plain_jacobian(t, x, J);
  const Answer answer = call.model->dense_rates_matrix(t, x, J);
  if (answer == fatal) call.leave();
  if (answer != fine) spoil(J, n * n);
}

void jac(const int* n, const double* t, const double* x, double* J, const int*, double* rpar,
         int*) {
  fill_jacobian(call_of(rpar), *n, *t, x, J);
}

void band_jac(const int* n, const double* t, const double* x, const int*, const int*, double* J,
              const int*, double* rpar, int*) {
  fill_jacobian(call_of(rpar), *n, *t, x, J);
}

struct Band {
  int lower = 0, upper = 0;
};

Band band_of(const Eigen::MatrixXd& M) {
  Band band;
  for (int c = 0; c < M.cols(); ++c)
    for (int r = 0; r < M.rows(); ++r)
      if (M(r, c) != 0.0) {
        band.lower = std::max(band.lower, r - c);
        band.upper = std::max(band.upper, c - r);
      }
  return band;
}

void mas(const int* n, double* out, const int* ld, double* rpar, int*) {
  const Eigen::MatrixXd& M = call_of(rpar).model->mass;
  const int upper = band_of(M).upper;
  std::fill_n(out, *ld * *n, 0.0);
  for (int c = 0; c < *n; ++c)
    for (int r = 0; r < *n; ++r)
      if (M(r, c) != 0.0) out[c * *ld + r - c + upper] = M(r, c);
}

void never() {}

constexpr int no = 0, yes = 1, step_limit = 10'000'000;

class LinearCode final : public Peer {
 public:
  LinearCode(const std::string& name, void* routine) : name_(name), routine_(routine) {
    library = "classical";
    solver = name;
  }
  bool takes(const Model& model) const override {
    if (name_ == "dop853") return model.ode && model.mass.size() == 0;
    return model.linear && !model.rates_only;
  }

  PeerRun run(Model& model, const Task& task) const override {
    PeerRun run;
    FortranCall call;
    call.model = &model;
    const double begin = cpu_seconds();
    const int n = model.size();
    x_ = model.x0;
    rtol_.setConstant(n, task.rtol);
    t_ = task.t0;
    h_ = first_step(model, task);
    // Enough for every one of them: SEULEX with twelve columns and RADAU with seven stages.
    work_.assign(static_cast<std::size_t>(n * (10 * n + 80) + 500), 0.0);
    iwork_.assign(static_cast<std::size_t>(10 * n + 200), 0);
    idid_ = 0;
    if (setjmp(call.out) == 0) invoke(model, task, reinterpret_cast<double*>(&call));
    run.seconds = cpu_seconds() - begin;
    run.ok = !expired && (name_ == "bimd" || name_ == "gamd" ? idid_ >= 0 : idid_ > 0);
    run.message = "idid " + std::to_string(idid_);
    count(run);
    run.end = x_;
    return run;
  }

 private:
  // What all of these codes are handed, by address.
  struct Given {
    int n, imas, lower, upper, lwork, liwork, ifcn;
    double end;
    const double *rtol, *atol;
    double *x, *work, *rpar;
    int* iwork;
    int ipar = 0;
  };

  void invoke(const Model& model, const Task& task, double* rpar) const {
    const bool weighted = model.mass.size() > 0;
    const Band band = weighted ? band_of(model.mass) : Band{};
    Given g{model.size(),
            weighted ? 1 : 0,
            band.lower,
            band.upper,
            static_cast<int>(work_.size()),
            static_cast<int>(iwork_.size()),
            model.autonomous ? 0 : 1,
            task.t1,
            rtol_.data(),
            task.atol.data(),
            x_.data(),
            work_.data(),
            rpar,
            iwork_.data()};
    const bool first_is_limit = name_ == "dop853" || name_ == "bimd" || name_ == "rodas";
    g.iwork[first_is_limit ? 0 : 1] = step_limit;
    if (name_ == "dop853")
      call_dop853(g);
    else if (name_ == "bimd")
      call_bimd(g);
    else if (name_ == "gamd")
      call_gamd(g);
    else if (name_ == "rodas")
      call_rodas(g);
    else if (name_ == "seulex")
      call_seulex(g);
    else
      call_radau(g);
  }

  void call_dop853(Given& g) const {
    using Routine = void (*)(const int*, Fcn, double*, double*, const double*, const double*,
                             const double*, const int*, Silent, const int*, double*, const int*,
                             int*, const int*, double*, int*, int*);
    g.work[6] = h_;
    reinterpret_cast<Routine>(routine_)(&g.n, fcn, &t_, g.x, &g.end, g.rtol, g.atol, &yes, never,
                                        &no, g.work, &g.lwork, g.iwork, &g.liwork, g.rpar, &g.ipar,
                                        &idid_);
  }

  void call_bimd(Given& g) const {
    using Routine = void (*)(
        const int*, Fcn, double*, const double*, double*, double*, const double*, const double*,
        const int*, BandJac, const int*, const int*, const int*, Mas, const int*, const int*,
        const int*, Silent, const int*, double*, const int*, int*, const int*, double*, int*, int*);
    reinterpret_cast<Routine>(routine_)(&g.n, fcn, &t_, &g.end, g.x, &h_, g.rtol, g.atol, &yes,
                                        band_jac, &yes, &g.n, &g.n, mas, &g.imas, &g.lower,
                                        &g.upper, never, &no, g.work, &g.lwork, g.iwork, &g.liwork,
                                        g.rpar, &g.ipar, &idid_);
  }

  void call_gamd(Given& g) const {
    using Routine = void (*)(
        const int*, Fcn, double*, double*, const double*, double*, const double*, const double*,
        const int*, BandJac, const int*, const int*, const int*, Mas, const int*, const int*,
        const int*, Silent, const int*, double*, const int*, int*, const int*, double*, int*, int*);
    g.iwork[24] = g.n;
    reinterpret_cast<Routine>(routine_)(&g.n, fcn, &t_, g.x, &g.end, &h_, g.rtol, g.atol, &yes,
                                        band_jac, &yes, &g.n, &g.n, mas, &g.imas, &g.lower,
                                        &g.upper, never, &no, g.work, &g.lwork, g.iwork, &g.liwork,
                                        g.rpar, &g.ipar, &idid_);
  }

  void call_rodas(Given& g) const {
    using Routine =
        void (*)(const int*, Fcn, const int*, double*, double*, const double*, double*,
                 const double*, const double*, const int*, Jac, const int*, const int*, const int*,
                 Dfx, const int*, Mas, const int*, const int*, const int*, Silent, const int*,
                 double*, const int*, int*, const int*, double*, int*, int*);
    reinterpret_cast<Routine>(routine_)(&g.n, fcn, &g.ifcn, &t_, g.x, &g.end, &h_, g.rtol, g.atol,
                                        &yes, jac, &yes, &g.n, &g.n, fcn, &no, mas, &g.imas,
                                        &g.lower, &g.upper, never, &no, g.work, &g.lwork, g.iwork,
                                        &g.liwork, g.rpar, &g.ipar, &idid_);
  }

  void call_seulex(Given& g) const {
    using Routine =
        void (*)(const int*, Fcn, const int*, double*, double*, const double*, double*,
                 const double*, const double*, const int*, Jac, const int*, const int*, const int*,
                 Mas, const int*, const int*, const int*, Silent, const int*, double*, const int*,
                 int*, const int*, double*, int*, int*);
    reinterpret_cast<Routine>(routine_)(&g.n, fcn, &g.ifcn, &t_, g.x, &g.end, &h_, g.rtol, g.atol,
                                        &yes, jac, &yes, &g.n, &g.n, mas, &g.imas, &g.lower,
                                        &g.upper, never, &no, g.work, &g.lwork, g.iwork, &g.liwork,
                                        g.rpar, &g.ipar, &idid_);
  }

  void call_radau(Given& g) const {
    using Routine = void (*)(
        const int*, Fcn, double*, double*, const double*, double*, const double*, const double*,
        const int*, Jac, const int*, const int*, const int*, Mas, const int*, const int*,
        const int*, Silent, const int*, double*, const int*, int*, const int*, double*, int*, int*);
    reinterpret_cast<Routine>(routine_)(&g.n, fcn, &t_, g.x, &g.end, &h_, g.rtol, g.atol, &yes, jac,
                                        &yes, &g.n, &g.n, mas, &g.imas, &g.lower, &g.upper, never,
                                        &no, g.work, &g.lwork, g.iwork, &g.liwork, g.rpar, &g.ipar,
                                        &idid_);
  }

  // Where each code leaves its counts.
  void count(PeerRun& run) const {
    const auto at = [&](int i) {
      return static_cast<long>(iwork_[static_cast<std::size_t>(i - 1)]);
    };
    const auto sum = [&](int first, int last) {
      long s = 0;
      for (int i = first; i <= last; ++i) s += at(i);
      return s;
    };
    if (name_ == "bimd") {
      run.evaluations = at(12);
      run.jacobians = at(13);
      run.factorisations = at(14);
      run.steps = sum(26, 30);
      run.rejected = sum(21, 25) - run.steps;
    } else if (name_ == "gamd") {
      run.evaluations = at(10);
      run.jacobians = at(11);
      run.steps = sum(12, 15);
      run.factorisations = at(24);
    } else {
      const int first = name_ == "dop853" ? 17 : 14;
      run.evaluations = at(first);
      const bool implicit = name_ != "dop853";
      run.jacobians = implicit ? at(15) : 0;
      run.steps = implicit ? at(17) : at(19);
      run.rejected = implicit ? at(18) : at(20);
      run.factorisations = implicit ? at(19) : 0;
    }
  }

  std::string name_;
  void* routine_;
  // What a jump out of the code must not leave in doubt.
  mutable Eigen::VectorXd x_, rtol_;
  mutable std::vector<double> work_;
  mutable std::vector<int> iwork_;
  mutable double t_ = 0.0, h_ = 0.0;
  mutable int idid_ = 0;
};

}  // namespace

std::unique_ptr<Peer> linear_code(const std::string& name, void* routine) {
  return std::make_unique<LinearCode>(name, routine);
}

}  // namespace daedalus::peers
