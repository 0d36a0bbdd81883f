// SPDX-License-Identifier: BSD-3-Clause
// The own part of a distributed problem as a System: the loop, the methods and Newton's iteration
// see own unknowns and rows alone. Every evaluation exchanges ghosts first, and a failure of it is
// postponed to the next reduction, which all ranks take part in.
#pragma once

#include <array>
#include <memory>

#include <daedalus/distributed_problem.hpp>

#include "distributed/cut_map.hpp"
#include "distributed/ghosts.hpp"
#include "distributed/mpi_communicator.hpp"
#include "system/jacobian.hpp"
#include "system/system.hpp"

namespace daedalus::distributed {

// alpha E + beta J over ranks: values of the own rows in the order of their patterns.
class CutSolver : public IterativeSolver {
 public:
  // Collective: other structures.
  virtual void lay(const SparsePattern& e, const SparsePattern& j) = 0;
  virtual void set_e(std::span<const double> values) = 0;
  virtual void set_j(std::span<const double> values) = 0;
  virtual std::string_view name() const = 0;
  virtual long setups() const = 0;
};

// What a solver has to know of the cut.
struct Cut {
  MpiCommunicator* ranks = nullptr;
  Ghosts* ghosts = nullptr;
  std::vector<std::int64_t> firsts{};   // first global number of each rank, and the number of all
  std::vector<std::int64_t> columns{};  // global numbers of own unknowns and ghosts
  const Layout* layout = nullptr;       // of the own unknowns
  Counter* counter = nullptr;
  Failure* failure = nullptr;
  int index = 1;
  std::vector<int> field{};
  bool e_has_ghosts = false;  // F depends on rates of ghosts
  KrylovOptions krylov{};
  std::int64_t unknowns() const { return firsts.back(); }
};
using MakeSolver = std::function<std::unique_ptr<CutSolver>(const Cut&)>;

class CutSystem final : public System, public ResidualView, public LinearView {
 public:
  // Collective.
  CutSystem(std::shared_ptr<const DistributedProblem> problem, MpiCommunicator& ranks,
            std::vector<std::int64_t> firsts, View view, const Options& options, MakeSolver make);

  ResidualView* residual_view() override { return linear_ ? nullptr : this; }
  LinearView* linear_view() override { return linear_ ? this : nullptr; }
  std::string_view linear_solver() const override { return solver_ ? solver_->name() : "none"; }
  void prepare(const State& at) override;

  Outcome residual(double t, const double* x, const double* dd, double* r) override;
  int differentiated_count() const override { return layout.tangents(); }
  bool states_leading_term() const override { return false; }
  Outcome leading(double, const double*, double*) override { return Outcome::ok; }
  Outcome difference(const State& from, double t, const double* x, double h, double* dd) override;
  Outcome linearise(double t, const double* x, const double* dd) override;
  Pencil& residual_pencil() override { return *pencil_; }

  Outcome rhs(double t, const double* x, double* r) override;
  void add_mass_times(double factor, const double* x, double* r) const override;
  Outcome linearise(double t, const double* x) override { return linearise(t, x, nullptr); }
  const Eigen::VectorXd& time_derivative() const override { return jacobian_->dt; }
  Pencil& linear_pencil() override { return *pencil_; }

  void archive(Archive& a) override;
  void doubt_structure(const State&) override {
    if (jacobian_) jacobian_->doubt();
  }

  MpiCommunicator& ranks() { return ranks_; }
  Ghosts& ghosts() { return ghosts_; }
  const SparseValues& e() const { return linear_ || constant_e_ ? mass_ : jacobian_->dxd; }
  const SparseValues& j() const { return jacobian_->dx; }
  const DistributedProblem& problem() const { return *problem_; }
  CutSolver& solver() { return *solver_; }
  const Cut& cut() const { return cut_; }

 private:
  void gather(const double* x, const double* xd);
  Outcome evaluated(Outcome o, double t, const double* r, int count);
  void follow_structure();

  std::shared_ptr<const DistributedProblem> problem_;
  MpiCommunicator& ranks_;
  Ghosts ghosts_;
  bool linear_, constant_e_;
  bool differences_;
  double increment_;
  CutMap map_;
  SparseValues mass_;
  Layout local_;  // own unknowns and ghosts
  Cut cut_;
  MakeSolver make_;
  std::unique_ptr<JacobianEvaluator> jacobian_;
  std::unique_ptr<Pencil> pencil_;
  CutSolver* solver_ = nullptr;
  State near_;  // own and ghosts
  int growths_ = 0;
};

}  // namespace daedalus::distributed
