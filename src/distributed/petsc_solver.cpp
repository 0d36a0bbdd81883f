// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/petsc_solver.hpp"

#include <petscmat.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "distributed/petsc.hpp"
#include "distributed/petsc_session.hpp"
#include "system/krylov_target.hpp"

namespace daedalus::distributed {
namespace {

using Kind = DistributedPreconditioner;

// Up to here every rank factorises everything: simple, and of the same bits on all ranks. Where
// MUMPS would be faster has not been measured.
constexpr std::int64_t max_for_redundant = 20000;
constexpr int max_ranks_for_redundant = 8;  // each of them holds all factors
// Rows of the graph that blocks overlap in: saddle points need more.
constexpr int overlap_of_index_1 = 2, overlap_of_index_2 = 6;
// Per cent of extra room for MUMPS: saddle-point matrices fill in beyond what it expects, and it
// is doubled so often where that is too little.
constexpr int room = 50, room_of_index_2 = 200, max_doubled = 3;
// A preconditioner is kept while solves take at most so many times the products it took when new,
// and some, and while alpha stays within this factor.
constexpr double max_products = 1.5, more_products = 3.0, max_alpha_ratio = 2.0;

Kind kind_of(const Distribution& d, const Cut& cut) {
  if (d.preconditioner != Kind::automatic) return d.preconditioner;
  const bool small =
      cut.unknowns() <= max_for_redundant && cut.ranks->size() <= max_ranks_for_redundant;
  return small || cut.ranks->size() == 1 ? Kind::redundant : Kind::asm_lu;
}

std::string name_of(Kind kind, bool own) {
  switch (kind) {
    case Kind::redundant:
      return own ? "sparse" : "redundant";
    case Kind::lu:
      return own ? "sparse" : "mumps";
    case Kind::asm_lu:
      return "gmres asm";
    case Kind::hypre:
      return "gmres hypre";
    case Kind::gamg:
      return "gmres gamg";
    default:
      return "gmres user";
  }
}

}  // namespace

PetscSolver::PetscSolver(const Cut& cut, const Distribution& distribution)
    : cut_(cut),
      kind_(kind_of(distribution, cut)),
      overlap_(distribution.overlap >= 0 ? distribution.overlap
               : cut.index > 1           ? overlap_of_index_2
                                         : overlap_of_index_1),
      name_(name_of(kind_, cut.ranks->size() == 1)),
      n_(cut.layout->tangents()),
      near_(cut.columns.size()),
      gmres_(n_, {cut.krylov.dimension, cut.krylov.iterations, [this](std::span<double> sums) {
                    cut_.ranks->reduce(sums, {});
                    return !cut_.ranks->failed();
                  }}) {
  product_ = [this](const double* in, double* out) {
    apply([](PetscSolver& s) { return MatMult(s.matrix_, s.in_, s.out_); }, in, out);
    return true;
  };
  precondition_ = [this](const double* in, double* out) {
    apply([](PetscSolver& s) { return PCApply(s.pc_, s.in_, s.out_); }, in, out);
    return true;
  };
}

PetscSolver::~PetscSolver() { release(); }

void PetscSolver::release() {
  if (pc_) PCDestroy(&pc_);
  if (matrix_) MatDestroy(&matrix_);
  if (in_) VecDestroy(&in_);
  if (out_) VecDestroy(&out_);
  have_pc_ = false;
}

void PetscSolver::lay(const SparsePattern& e, const SparsePattern& j) {
  release();
  pattern_e_ = e;
  map_e_.clear();
  map_j_.clear();
  pattern_ = unite(e, j, &map_e_, &map_j_);
  e_.assign(static_cast<std::size_t>(e.nonzeros()), 0.0);
  j_.assign(static_cast<std::size_t>(j.nonzeros()), 0.0);
  values_.assign(static_cast<std::size_t>(pattern_.nonzeros()), 0.0);
  if (direct() && cut_.ranks->size() == 1) {
    direct_ = make_linear_solver(pattern_, LinearSolverKind::automatic);
    return;
  }
  const auto first =
      static_cast<PetscInt>(cut_.firsts[static_cast<std::size_t>(cut_.ranks->rank())]);
  std::vector<PetscInt> rows, columns;
  for (int c = 0; c < pattern_.cols; ++c)
    for (int k = pattern_.start[static_cast<std::size_t>(c)];
         k < pattern_.start[static_cast<std::size_t>(c) + 1]; ++k) {
      rows.push_back(first + pattern_.row[static_cast<std::size_t>(k)]);
      columns.push_back(static_cast<PetscInt>(cut_.columns[static_cast<std::size_t>(c)]));
    }
  const MPI_Comm world = cut_.ranks->world();
  MatCreate(world, &matrix_);
  MatSetSizes(matrix_, n_, n_, PETSC_DETERMINE, PETSC_DETERMINE);
  MatSetType(matrix_, MATAIJ);
  MatSetPreallocationCOO(matrix_, static_cast<PetscCount>(rows.size()), rows.data(),
                         columns.data());
  VecCreateMPIWithArray(world, 1, n_, PETSC_DECIDE, nullptr, &in_);
  VecCreateMPIWithArray(world, 1, n_, PETSC_DECIDE, nullptr, &out_);
  PCCreate(world, &pc_);
  PCSetOptionsPrefix(pc_, "dae_");
  configure();
}

void PetscSolver::configure() {
  forget_defaults();
  switch (kind_) {
    case Kind::redundant:
      default_option("-dae_pc_type", "redundant");
      default_option("-dae_redundant_ksp_type", "preonly");
      default_option("-dae_redundant_pc_type", "lu");
      default_option("-dae_redundant_pc_factor_mat_solver_type",
                     cut_.index > 1 ? "umfpack" : "klu");
      break;
    case Kind::lu:
      default_option("-dae_pc_type", "lu");
      default_option("-dae_pc_factor_mat_solver_type", "mumps");
      default_option("-dae_mat_mumps_icntl_14",
                     std::to_string(cut_.index > 1 ? room_of_index_2 : room));
      break;
    case Kind::asm_lu:
      default_option("-dae_pc_type", "asm");
      default_option("-dae_pc_asm_overlap", std::to_string(overlap_));
      default_option("-dae_sub_ksp_type", "preonly");
      default_option("-dae_sub_pc_type", "lu");
      default_option("-dae_sub_pc_factor_mat_solver_type", cut_.index > 1 ? "umfpack" : "klu");
      break;
    case Kind::hypre:
      default_option("-dae_pc_type", "hypre");
      break;
    case Kind::gamg:
      default_option("-dae_pc_type", "gamg");
      break;
    default:
      break;
  }
}

bool PetscSolver::keeps_preconditioner(double alpha) const {
  if (!have_pc_ || direct()) return false;
  const double ratio = std::abs(alpha / alpha_of_pc_);
  return last_products_ <= max_products * products_when_new_ + more_products &&
         ratio < max_alpha_ratio && ratio > 1.0 / max_alpha_ratio;
}

Outcome PetscSolver::update(double alpha, double beta) {
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::size_t k = 0; k < j_.size(); ++k)
    values_[static_cast<std::size_t>(map_j_[k])] = beta * j_[k];
  for (std::size_t k = 0; k < e_.size(); ++k)
    values_[static_cast<std::size_t>(map_e_[k])] += alpha * e_[k];
  alpha_ = alpha;
  beta_ = beta;
  cut_.counter->now().factorisations += 1;
  Outcome own = Outcome::ok;
  if (direct_) {
    ++setups_;
    own = direct_->factorise(values_) ? Outcome::ok : Outcome::matrix_singular;
  } else {
    MatSetValuesCOO(matrix_, values_.data(), INSERT_VALUES);
    PCSetOperators(pc_, matrix_, matrix_);
    if (keeps_preconditioner(alpha)) {
      PCSetReusePreconditioner(pc_, PETSC_TRUE);
      PCSetUp(pc_);
    } else {
      own = set_up();
    }
  }
  // Blocks of one rank may be singular where those of others are not.
  Failure where;
  where.function = "factorisation";
  cut_.ranks->postpone(own, where);
  cut_.ranks->reduce({}, {});
  const Outcome agreed = cut_.ranks->settle(Outcome::ok);
  have_pc_ = agreed == Outcome::ok;
  return agreed;
}

Outcome PetscSolver::set_up() {
  ++setups_;
  alpha_of_pc_ = alpha_;
  fresh_pc_ = true;
  PCSetReusePreconditioner(pc_, PETSC_FALSE);
  if (!have_pc_) PCSetFromOptions(pc_);
  for (int doubled = 0;; ++doubled) {
    if (PCSetUp(pc_) != 0) return Outcome::matrix_singular;
    PCFailedReason why = PC_NOERROR;
    PCGetFailedReason(pc_, &why);
    if (why == PC_NOERROR) return Outcome::ok;
    if (why != PC_FACTOR_OUTMEMORY || kind_ != Kind::lu || doubled == max_doubled)
      return Outcome::matrix_singular;
    Mat factors = nullptr;
    PetscInt extra = 0;
    PCFactorGetMatrix(pc_, &factors);
    MatMumpsGetIcntl(factors, 14, &extra);
    MatMumpsSetIcntl(factors, 14, 2 * extra);
    MatSetValuesCOO(matrix_, values_.data(), INSERT_VALUES);
    PCSetOperators(pc_, matrix_, matrix_);
  }
}

void PetscSolver::measure_in(const double* scale, double negligible) {
  scale_ = scale;
  negligible_ = negligible;
}

void PetscSolver::apply(PetscErrorCode (*call)(PetscSolver&), const double* in, double* out) {
  VecPlaceArray(in_, in);
  VecPlaceArray(out_, out);
  const PetscErrorCode e = call(*this);
  VecResetArray(in_);
  VecResetArray(out_);
  if (e == 0) return;
  std::fill_n(out, n_, 0.0);
  cut_.ranks->postpone(Outcome::krylov_failed, {});
}

bool PetscSolver::solve(double* x) {
  if (direct_) {
    direct_->solve(x);
    return true;
  }
  if (direct()) {
    std::copy_n(x, n_, near_.data());
    precondition_(near_.data(), x);
    return true;
  }
  const KrylovTarget target =
      krylov_target(*cut_.layout, scale_ != nullptr, true, cut_.krylov.tolerance, negligible_);
  const Gmres::Result r =
      gmres_.solve(product_, precondition_, scale_, target.relative, target.absolute, x);
  cut_.counter->now().krylov_iterations += r.products;
  last_products_ = r.products;
  if (fresh_pc_) products_when_new_ = r.products;
  fresh_pc_ = false;
  if (r.converged) return true;
  cut_.counter->now().krylov_failures += 1;
  last_products_ = std::numeric_limits<int>::max();
  cut_.failure->reduction = r.reduction;
  return false;
}

Outcome PetscSolver::sensitivity(const Eigen::VectorXd&, Eigen::VectorXd& out) {
  out.setOnes(n_);  // start values over ranks have a way of their own
  return Outcome::ok;
}

bool PetscSolver::add_e_times(double factor, const double* x, double* out) {
  std::copy_n(x, n_, near_.data());
  double* const vector = near_.data();
  // M has no columns of ghosts; F_x' may have some.
  if (cut_.e_has_ghosts) cut_.ghosts->exchange({&vector, 1});
  for (int c = 0; c < pattern_e_.cols; ++c)
    for (int k = pattern_e_.start[static_cast<std::size_t>(c)];
         k < pattern_e_.start[static_cast<std::size_t>(c) + 1]; ++k)
      out[pattern_e_.row[static_cast<std::size_t>(k)]] +=
          factor * e_[static_cast<std::size_t>(k)] * near_[static_cast<std::size_t>(c)];
  return true;
}

// The preconditioner is made anew after a checkpoint, in the run that goes on and in one resumed.
void PetscSolver::archive(Archive& a) {
  a(e_, j_);
  have_pc_ = false;
}

MakeSolver make_solvers(const Distribution& distribution) {
  begin_petsc();
  set_options(distribution.petsc_options);
  return [distribution](const Cut& cut) -> std::unique_ptr<CutSolver> {
    if (cut.unknowns() > std::numeric_limits<PetscInt>::max())
      throw InvalidArgument(fmt::format(
          "{} unknowns need libpetsc64-real-dev; this build has 32-bit indices", cut.unknowns()));
    return std::make_unique<PetscSolver>(cut, distribution);
  };
}

}  // namespace daedalus::distributed
