// SPDX-License-Identifier: BSD-3-Clause
// alpha E + beta J as one MPIAIJ matrix of PETSc. GMRES is the library's own, in the error scale of
// the integration; PETSc gives products and the preconditioner. Direct factors need no GMRES. On
// one rank `lu` is the library's own sparse solver, without PETSc.
#pragma once

#include <petscpc.h>

#include "distributed/cut_system.hpp"
#include "linalg/gmres.hpp"
#include "linalg/linear_solver.hpp"

namespace daedalus::distributed {

class PetscSolver final : public CutSolver {
 public:
  PetscSolver(const Cut& cut, const Distribution& distribution);
  ~PetscSolver() override;
  PetscSolver(const PetscSolver&) = delete;
  PetscSolver& operator=(const PetscSolver&) = delete;

  void lay(const SparsePattern& e, const SparsePattern& j) override;
  void set_e(std::span<const double> values) override { e_.assign(values.begin(), values.end()); }
  void set_j(std::span<const double> values) override { j_.assign(values.begin(), values.end()); }
  std::string_view name() const override { return name_; }
  long setups() const override { return setups_; }

  void move(double, const double*, const double*) override {}
  Outcome update(double alpha, double beta) override;
  void measure_in(const double* scale, double negligible) override;
  bool solve(double* x) override;
  Outcome sensitivity(const Eigen::VectorXd& size, Eigen::VectorXd& out) override;
  bool add_e_times(double factor, const double* x, double* out) override;
  void archive(Archive& a) override;

 private:
  using Kind = DistributedPreconditioner;
  bool direct() const { return kind_ == Kind::lu || kind_ == Kind::redundant; }
  void release();
  void configure();
  bool keeps_preconditioner(double alpha) const;
  Outcome set_up();
  void apply(PetscErrorCode (*call)(PetscSolver&), const double* in, double* out);

  Cut cut_;
  Kind kind_;
  int overlap_;
  std::string name_;
  int n_;
  SparsePattern pattern_e_, pattern_;
  std::vector<int> map_e_, map_j_;
  std::vector<double> e_, j_, values_, near_;
  Mat matrix_ = nullptr;
  PC pc_ = nullptr;
  Vec in_ = nullptr, out_ = nullptr;
  std::unique_ptr<LinearSolver> direct_;  // on one rank
  Gmres gmres_;
  Gmres::Map product_, precondition_;
  const double* scale_ = nullptr;
  double negligible_ = 0.0;
  double alpha_ = 0.0, beta_ = 0.0, alpha_of_pc_ = 0.0;
  bool fresh_pc_ = false, have_pc_ = false;
  int products_when_new_ = 0, last_products_ = 0;
  long setups_ = 0;
};

}  // namespace daedalus::distributed
