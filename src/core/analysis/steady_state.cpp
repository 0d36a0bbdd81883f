// SPDX-License-Identifier: BSD-3-Clause
// F(t, x, 0) = 0 by pseudo-transient continuation (Kelley, Keyes 1998) and Newton's method.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/analysis.hpp>

#include "analysis/structure_start.hpp"
#include "kernel/want_of_memory.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/matrix_chain.hpp"

namespace daedalus {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of growing length towards the steady state; corrections of Newton's method.
constexpr int max_steps = 1000, max_iterations = 60;
constexpr double round_off = 1e-13;  // relative size of a Newton correction that counts as none

class Search {
 public:
  Search(AnalysedSystem& system, const Options& options)
      : a_(system),
        n_(system.size()),
        rest_(VectorXd::Zero(std::max(n_, system.view().differentiated_count()))),
        rates_(rest_),
        r_(static_cast<Index>(system.system->equations.size())),
        size_(n_),
        typical_(n_) {
    a_.system->layout.magnitude(a_.state.x.data(), typical_.data());
    // A variable that is zero has the size of its neighbours, or what the tolerances call small.
    for (const LayoutBlock& block : a_.system->layout.blocks()) {
      auto part = typical_.segment(block.tangent, block.space.tangents());
      if (part.size() == 0) continue;
      const double most = part.maxCoeff();
      part = part.cwiseMax(most > 0.0 ? 1e-3 * most : options.atol[0] / options.rtol);
    }
  }

  SteadyState run() {
    // Mechanical systems rest with v = 0, whatever they start with: a fast spin would only delay
    // it. x' stays: it is the time scale of the first step, and too long a one ends at a saddle.
    if (const LayoutBlock* v = a_.system->layout.find(VariableClass::v);
        v != nullptr && a_.system->mechanical_view() != nullptr) {
      a_.state.x.segment(v->point, v->space.points()).setZero();
    }
    const State start = a_.state;
    State s = start;
    result_.t = s.t;
    std::string first;
    bool found = transient(s);
    if (found) {
      result_.message =
          fmt::format("Reached after {} pseudo-transient steps.", result_.transient_steps);
    } else {
      first = why_;
      s = start;
      found = newton(s, 1e300);
      if (found)
        result_.message = fmt::format(
            "Found by Newton's method in {} iterations, which may be an unstable equilibrium; the "
            "way the system moves by itself did not lead to rest. {}",
            result_.newton_iterations, first);
      else
        result_.message =
            fmt::format("No steady state was found. {} Newton's method: {}", first, why_);
    }
    result_.found = found;
    report(found ? s : last_);
    return result_;
  }

 private:
  bool residual(const State& s, const VectorXd& dd) {
    if (a_.view().residual(s.t, s.x.data(), dd.data(), r_.data()) == Outcome::ok) return true;
    hand_on_want_of_memory(a_.system->failure);
    return false;
  }

  void sizes(const State& s) {
    a_.system->layout.magnitude(s.x.data(), size_.data());
    size_ = size_.cwiseMax(typical_);
  }

  // (alpha E + J) dx = -r with the shortest dx, measured in the sizes of the variables, where the
  // matrix is singular.
  bool solve(double alpha, VectorXd& dx) {
    Pencil& pencil = a_.view().residual_pencil();
    dx = -r_;
    const bool factorised = pencil.factorise(alpha, 1.0) == Outcome::ok;
    if (factorised && (alpha > 0.0 || !(pencil.reciprocal_condition() <= 1e-14))) {
      pencil.solve(dx.data());
      if (dx.allFinite()) return true;
    }
    if (n_ > 400 || alpha > 0.0) return false;
    MatrixXd J;
    pencil.dense_j(J);
    J = (J * size_.asDiagonal()).eval();
    VectorXd rhs = -r_;
    for (Index i = 0; i < J.rows(); ++i) {
      const double row = J.row(i).lpNorm<Eigen::Infinity>();
      if (row == 0.0) continue;
      J.row(i) /= row;
      rhs[i] /= row;
    }
    dx = size_.cwiseProduct(least_squares(J, rhs));
    return dx.allFinite();
  }

  double change(const VectorXd& dx) const {
    return dx.cwiseQuotient(size_).lpNorm<Eigen::Infinity>();
  }
  // Without multipliers: in short steps of index-3 equations they are round-off over tau^2.
  double change_in_step(const VectorXd& dx) const {
    double most = 0.0;
    for (const LayoutBlock& b : a_.system->layout.blocks())
      if (b.cls != VariableClass::lambda)
        for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i)
          most = std::max(most, std::abs(dx[i]) / size_[i]);
    return most;
  }

  void move(const State& from, const VectorXd& dx, State& to) {
    to.t = from.t;
    a_.system->layout.plus(from.x.data(), dx.data(), to.x.data());
  }

  // One step of implicit Euler from `from` with size tau, solved by Newton's method.
  int euler(const State& from, double tau, State& to) {
    VectorXd dx(n_);
    to = from;
    double before = 0.0;
    for (int k = 1; k <= 8; ++k) {
      if (a_.view().difference(from, from.t, to.x.data(), tau, rates_.data()) != Outcome::ok ||
          !residual(to, rates_) ||
          a_.view().linearise(to.t, to.x.data(), rates_.data()) != Outcome::ok)
        return 0;
      sizes(to);
      if (!solve(1.0 / tau, dx)) return 0;
      const State old = to;
      move(old, dx, to);
      const double now = change_in_step(dx);
      if (!std::isfinite(now) || now > 1e8 || (k > 2 && now > 2.0 * before)) return 0;
      if (now < 1e-8) return k;
      before = now;
    }
    return 0;
  }

  bool transient(State& s) {
    last_ = s;
    // The first step: the time in which nothing changes by more than a hundredth.
    double tau = 1e-2, fastest = 0.0;
    sizes(s);
    for (int i = 0; i < n_ && i < s.xd.size(); ++i)
      fastest = std::max(fastest, std::abs(s.xd[i]) / size_[i]);
    if (fastest > 0.0) tau = std::min(1.0, 1e-2 / fastest);
    const double first = tau;
    State next = s;
    VectorXd moved(n_);
    int failures = 0, refused = 0;
    for (int step = 0; step < max_steps; ++step) {
      const int iterations = euler(s, tau, next);
      if (iterations == 0) {
        tau *= 0.25;
        if (++failures > 60 || tau < 1e-14 * first) {
          why_ = fmt::format("The equations could not be solved near '{}'{}.", worst_rate(),
                             a_.system->failure.function
                                 ? fmt::format(" (last failure: {})", a_.system->failure.function)
                                 : "");
          return false;
        }
        continue;
      }
      a_.system->layout.minus(s.x.data(), next.x.data(), moved.data());
      moved_ = moved.cwiseQuotient(size_);
      const double relative = change_in_step(moved);
      // Long steps over large changes would end on another branch of the equations. Oscillations of
      // mechanical systems, on the other hand, are to be damped by them.
      if (relative > 0.5 && a_.system->mechanical_view() == nullptr && refused < 10 * max_steps) {
        tau *= 0.5;
        ++refused;
        --step;
        continue;
      }
      s = next;
      last_ = s;
      ++result_.transient_steps;
      tau *= relative > 0.25 ? 1.0 : iterations <= 4 ? 2.0 : 1.2;
      tau = std::min(tau, 1e30);
      if (!(size_.maxCoeff() < 1e12 * std::max(1.0, typical_.maxCoeff()))) {
        why_ = fmt::format("'{}' grows without bound.", worst_rate());
        return false;
      }
      // At rest: steps that no longer move x, although they are long.
      if (relative < 1e-7) {
        State polished = s;
        const int spent = result_.newton_iterations;
        if (newton(polished, 1e-5)) {
          s = polished;
          return true;
        }
        result_.newton_iterations = spent;
      }
    }
    why_ = fmt::format("After {} pseudo-transient steps '{}' still moves.", result_.transient_steps,
                       worst_rate());
    return false;
  }

  // Newton's method with damping for F(t, x, 0) = 0; gives up when x has moved further than `reach`
  // of its size.
  bool newton(State& s, double reach) {
    const State origin = s;
    State trial = s;
    VectorXd dx(n_), total(n_);
    double before = 1e300;
    for (int k = 0; k < max_iterations; ++k) {
      ++result_.newton_iterations;
      if (!residual(s, rest_) ||
          a_.view().linearise(s.t, s.x.data(), rest_.data()) != Outcome::ok) {
        why_ =
            fmt::format("{} could not be evaluated.",
                        a_.system->failure.function ? a_.system->failure.function : "A callable");
        return false;
      }
      sizes(s);
      if (!solve(0.0, dx)) {
        why_ = fmt::format("the matrix is singular{}.", undetermined());
        return false;
      }
      const double full = change(dx);
      const double merit = r_.norm();
      if (full < round_off || (full < 1e-9 && full > 0.5 * before)) {
        move(s, dx, trial);
        s = trial;
        return settled(s);
      }
      // The simplified correction at the trial point tells whether it came nearer (Deuflhard 1974);
      // singular matrices fall back to the residual.
      double factor = std::min(1.0, 2.0 / full);
      bool good = false;
      VectorXd next(n_);
      for (int cuts = 0; cuts < 30 && !good; ++cuts, factor *= 0.5) {
        move(s, factor * dx, trial);
        if (!residual(trial, rest_)) continue;
        const double there = r_.norm();
        if (!std::isfinite(there)) continue;
        good = there <= (1.0 - 0.25 * factor) * merit || full < 1e-6;
        if (!good && solve(0.0, next)) good = change(next) <= (1.0 - 0.25 * factor) * full;
        if (good) break;
      }
      if (!good) {
        last_ = s;
        residual(s, rest_);
        why_ = fmt::format("equation '{}' keeps a residual of {:.2g}.", worst_equation(),
                           r_[worst_row()]);
        return false;
      }
      s = trial;
      last_ = s;
      before = full;
      a_.system->layout.minus(origin.x.data(), s.x.data(), total.data());
      if (change(total) > reach) return false;
    }
    residual(s, rest_);
    why_ = fmt::format(
        "no convergence within {} iterations, equation '{}' keeps a residual of "
        "{:.2g}.",
        max_iterations, worst_equation(), r_[worst_row()]);
    return false;
  }

  // With a singular matrix small corrections do not mean small residuals.
  bool settled(const State& s) {
    last_ = s;
    if (!residual(s, rest_)) return false;
    if (a_.view().linearise(s.t, s.x.data(), rest_.data()) != Outcome::ok) return false;
    const int row = unmet();
    if (row < 0) return true;
    why_ =
        fmt::format("equation '{}' cannot be met, {:.2g} is left of it{}.",
                    a_.system->equations[static_cast<std::size_t>(row)], r_[row], undetermined());
    return false;
  }

  // A row whose residual is not what rounding or a negligible change of x would leave.
  int unmet() {
    const Pencil& pencil = a_.view().residual_pencil();
    VectorXd scale = VectorXd::Zero(r_.size());
    const SparsePattern& p = pencil.pattern_j();
    for (int j = 0; j < p.cols; ++j)
      for (int e = p.start[static_cast<std::size_t>(j)];
           e < p.start[static_cast<std::size_t>(j) + 1]; ++e)
        scale[p.row[static_cast<std::size_t>(e)]] +=
            std::abs(pencil.j()[static_cast<std::size_t>(e)]) * size_[j];
    int worst = -1;
    double most = 1e-8;
    for (Index i = 0; i < r_.size(); ++i) {
      const double part =
          scale[i] > 0.0 ? std::abs(r_[i]) / scale[i] : (r_[i] == 0.0 ? 0.0 : 1e300);
      if (part > most) {
        most = part;
        worst = static_cast<int>(i);
      }
    }
    return worst;
  }

  // Directions of the kernel of J, named.
  std::string undetermined() {
    if (n_ > 400) return "";
    MatrixXd J;
    a_.view().residual_pencil().dense_j(J);
    const Kernels k = kernels_of(J);
    if (k.right.cols() == 0) return "";
    const VectorXd size = k.right.rowwise().lpNorm<Eigen::Infinity>();
    std::string names;
    int shown = 0;
    for (Index i = 0; i < size.size() && shown < 6; ++i)
      if (size[i] > 1e-6 * size.maxCoeff()) {
        names +=
            fmt::format("{}'{}'", shown++ ? ", " : "", a_.system->layout.name(static_cast<int>(i)));
      }
    return fmt::format("; it does not determine {}", names);
  }

  int worst_row() const {
    Index row = 0;
    r_.cwiseAbs().maxCoeff(&row);
    return static_cast<int>(row);
  }
  const std::string& worst_equation() const {
    return a_.system->equations[static_cast<std::size_t>(worst_row())];
  }
  std::string worst_rate() const {
    if (moved_.size() == 0) return n_ > 0 ? a_.system->layout.name(0) : "";
    Index i = 0;
    moved_.cwiseAbs().maxCoeff(&i);
    return a_.system->layout.name(static_cast<int>(i));
  }

  void report(const State& s) {
    result_.names = a_.system->variables->names;
    result_.x.resize(a_.system->variables->size());
    a_.system->to_model(s, result_.x.data());
    if (!residual(s, rest_)) return;
    result_.residual = r_.cwiseAbs().maxCoeff();
    result_.worst_equation = worst_equation();
    if (!result_.found || n_ > 400 ||
        a_.view().linearise(s.t, s.x.data(), rest_.data()) != Outcome::ok)
      return;
    MatrixXd J;
    a_.view().residual_pencil().dense_j(J);
    result_.family = static_cast<int>(kernels_of(J).right.cols());
    if (result_.family > 0)
      result_.message += fmt::format(
          " F(t, x, 0) does not change in {} direction{} there, to first order{}: others nearby "
          "may "
          "be steady as well, and this one belongs to the start values.",
          result_.family, result_.family == 1 ? "" : "s", undetermined());
  }

  AnalysedSystem& a_;
  int n_;
  VectorXd rest_, rates_, r_, size_, typical_, moved_;
  State last_;
  SteadyState result_;
  std::string why_;
};

}  // namespace

SteadyState steady_state(const Problem& problem, double t0, const Options& options) {
  const std::string formulation = natural_formulation(problem);
  AnalysedSystem a = analysed_at_start(problem, formulation, t0, options);
  if (a.system->equations.size() != static_cast<std::size_t>(a.size())) {
    SteadyState none;
    none.t = t0;
    none.message = "There are more equations than variables.";
    return none;
  }
  return Search(a, options).run();
}

}  // namespace daedalus
