// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/tractability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "start/consistent.hpp"

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Jacobians by differences carry errors of 1e-8; what is smaller than this does not count.
constexpr double negligible = 1e-6;

struct Matrices {
  MatrixXd A, B;
};

double max_entry(const MatrixXd& M) { return M.size() > 0 ? M.cwiseAbs().maxCoeff() : 0.0; }

// Largest |change| of an entry in parts of its size; entries without weight in their row are not
// looked at.
double relative_change(const MatrixXd& before, const MatrixXd& after) {
  double worst = 0.0;
  if (before.size() == 0) return worst;
  for (Eigen::Index i = 0; i < before.rows(); ++i) {
    const double row = std::max(max_entry(before.row(i)), max_entry(after.row(i)));
    for (Eigen::Index j = 0; j < before.cols(); ++j) {
      const double size = std::max(std::abs(before(i, j)), std::abs(after(i, j)));
      if (size > 1e-12 * row) worst = std::max(worst, std::abs(after(i, j) - before(i, j)) / size);
    }
  }
  return worst;
}

bool same_ranks(const MatrixChain& a, const MatrixChain& b) {
  return a.index == b.index && a.a.rank == b.a.rank && a.a1.rank == b.a1.rank;
}

class Analysis {
 public:
  Analysis(System& system, std::span<const TrajectoryPoint> points,
           const TractabilitySettings& settings)
      : system_(system),
        view_(*system.residual_view()),
        points_(points),
        settings_(settings),
        n_(system.layout.tangents()),
        moved_(system.layout.points()),
        increment_(n_) {}

  Tractability run() {
    result_.stated_leading_term = view_.states_leading_term();
    result_.constant_rank = result_.structural_condition = result_.linear_in_algebraic = true;
    result_.min_gap = 1e16;
    magnitudes();
    for (const TrajectoryPoint& p : points_)
      if (!visit(p)) return result_;
    result_.kernel_constant = result_.kernel_turn < negligible;
    result_.index = result_.chain.index;
    warn();
    return result_;
  }

 private:
  void magnitudes() {
    VectorXd here(n_);
    size_.setZero(n_);
    for (const TrajectoryPoint& p : points_) {
      system_.layout.magnitude(p.x.data(), here.data());
      size_ = size_.cwiseMax(here);
    }
    const double most = size_.size() > 0 ? size_.maxCoeff() : 0.0;
    for (double& s : size_)
      if (s == 0.0) s = most > 0.0 ? std::min(most, 1.0) : 1.0;
  }

  // Directions without symmetry, the same in every run.
  void displace(const VectorXd& x, const VectorXd& size, int number) {
    for (int i = 0; i < n_; ++i)
      increment_[i] = size[i] * std::sin(1.7 * (i + 1) * (number + 1) + 0.3 * (number + 1));
    system_.layout.plus(x.data(), increment_.data(), moved_.data());
  }

  bool evaluate(double t, const VectorXd& x, const VectorXd& dd, Matrices& m) {
    if (view_.linearise(t, x.data(), dd.data()) != Outcome::ok) return false;
    view_.residual_pencil().dense_e(m.A);
    view_.residual_pencil().dense_j(m.B);
    return m.A.allFinite() && m.B.allFinite();
  }

  // d' = d/ds d(t + s, x + s x').
  bool derivative(const TrajectoryPoint& p, VectorXd& dd) {
    dd.setZero(std::max(n_, view_.differentiated_count()));
    if (p.dd.size() > 0) {
      dd.head(p.dd.size()) = p.dd;
    } else if (!result_.stated_leading_term) {
      dd.head(n_) = p.xd;
    } else {
      const double s = 1e-5 * (1.0 + std::abs(p.t));
      State from{p.t - s, p.x, p.xd};
      increment_ = -s * p.xd;
      system_.layout.plus(p.x.data(), increment_.data(), from.x.data());
      increment_ = s * p.xd;
      system_.layout.plus(p.x.data(), increment_.data(), moved_.data());
      return view_.difference(from, p.t + s, moved_.data(), 2.0 * s, dd.data()) == Outcome::ok;
    }
    return true;
  }

  // P' along the trajectory by differences of order 4; zero where P does not change.
  MatrixXd projector_rate(const TrajectoryPoint& p, const VectorXd& dd, const MatrixChain& plain) {
    const MatrixXd zero = MatrixXd::Zero(n_, n_);
    if (result_.stated_leading_term || plain.kernel.cols() == 0 || p.xd.size() != n_) return zero;
    const double s = std::max(1e-3 * plain.typical_step, 1e-8 * std::abs(p.t));
    MatrixXd rate = zero;
    double turn = 0.0;
    Matrices m;
    for (const auto& [step, weight] :
         {std::pair{-2.0, 1.0}, {-1.0, -8.0}, {1.0, 8.0}, {2.0, -1.0}}) {
      increment_ = step * s * p.xd;
      system_.layout.plus(p.x.data(), increment_.data(), moved_.data());
      if (!evaluate(p.t + step * s, moved_, dd, m)) return zero;
      const Kernels k = kernels_of(m.A, settings_.chain);
      if (k.decision.rank != plain.a.rank) return zero;
      const MatrixXd P = MatrixXd::Identity(n_, n_) - k.right * k.right.transpose();
      rate += weight / (12.0 * s) * P;
      turn = std::max(turn, max_entry(P - orthogonal_));
    }
    return turn > 0.1 * negligible ? rate : zero;
  }

  bool visit(const TrajectoryPoint& p) {
    VectorXd dd;
    Matrices m;
    if (!derivative(p, dd) || !evaluate(p.t, p.x, dd, m)) {
      result_.index = -1;
      result_.warnings.push_back(
          fmt::format("The chain could not be evaluated at t = {:.6g}: {} failed.", p.t,
                      system_.failure.function ? system_.failure.function : "an evaluation"));
      return false;
    }
    const MatrixChain plain = matrix_chain(m.A, m.B, settings_.chain);
    orthogonal_ = MatrixXd::Identity(n_, n_) - plain.kernel * plain.kernel.transpose();
    const MatrixXd rate = projector_rate(p, dd, plain);
    const bool turns = max_entry(rate) > 0.0;
    const MatrixChain chain = turns ? matrix_chain(m.A, m.B - m.A * rate, settings_.chain) : plain;
    if (result_.along.empty()) {
      result_.chain = chain;
      result_.plain = plain;
      first_ = orthogonal_;
    }
    result_.along.push_back({p.t, chain.index, plain.index, chain.a, chain.a1, chain.a2});
    result_.chains_differ = result_.chains_differ || !same_ranks(chain, plain);
    // Two points may be too close to show a turn that P' tells of: what it makes of a typical step.
    if (turns)
      result_.kernel_turn =
          std::max({result_.kernel_turn, negligible, plain.typical_step * max_entry(rate)});
    compare(chain);
    result_.kernel_turn = std::max(result_.kernel_turn, max_entry(orthogonal_ - first_));
    look_around(p, dd, m, plain);
    return true;
  }

  void compare(const MatrixChain& chain) {
    if (!same_ranks(chain, result_.chain)) result_.constant_rank = false;
    for (const RankDecision* d : {&chain.a, &chain.a1, &chain.a2})
      if (d->size > 0) result_.min_gap = std::min(result_.min_gap, doubt(*d));
  }

  // A gap needs two sides; a regular matrix is as clear as its smallest singular value stands
  // above the tolerance.
  double doubt(const RankDecision& d) const {
    return d.full() ? d.kept / settings_.chain.tolerance : d.gap();
  }

  void look_around(const TrajectoryPoint& p, const VectorXd& dd, const Matrices& m,
                   const MatrixChain& here) {
    const MatrixXd BN = m.B * here.kernel;
    MatrixXd VW;
    if (here.index == 2) {
      const MatrixXd W = kernels_of(m.A, settings_.chain).left.transpose();
      VW = kernels_of(W * BN, settings_.chain).left.transpose() * W;
    }
    Matrices there;
    for (int k = 0; k < settings_.neighbours; ++k) {
      double size = settings_.displacement;
      bool good = false;
      // A displacement may leave the domain of a callable; a smaller one need not.
      for (int attempt = 0; attempt < 6 && !good; ++attempt, size *= 0.1) {
        displace(p.x, size * size_, k);
        good = evaluate(p.t, moved_, dd, there);
      }
      if (!good) continue;
      const MatrixChain other = matrix_chain(there.A, there.B, settings_.chain);
      if (!same_ranks(other, here)) result_.constant_rank = false;
      const MatrixXd P = MatrixXd::Identity(n_, n_) - other.kernel * other.kernel.transpose();
      result_.kernel_turn = std::max(result_.kernel_turn, max_entry(P - first_));
      const MatrixXd moved_BN = there.B * here.kernel;
      result_.linearity_defect = std::max(
          {result_.linearity_defect, relative_change(BN, moved_BN), relative_change(m.A, there.A)});
      if (VW.size() == 0) continue;
      const MatrixXd defect = VW * moved_BN, terms = VW.cwiseAbs() * moved_BN.cwiseAbs();
      for (Eigen::Index e = 0; e < defect.size(); ++e)
        if (terms.data()[e] > 0.0)
          result_.structural_defect =
              std::max(result_.structural_defect, std::abs(defect.data()[e]) / terms.data()[e]);
    }
    result_.linear_in_algebraic = result_.linearity_defect < negligible;
    result_.structural_condition = result_.structural_defect < negligible;
  }

  void warn() {
    auto& w = result_.warnings;
    const MatrixChain& c = result_.chain;
    if (c.index >= 3 && c.regular_pencil)
      w.push_back(
          "The index is three or more; a formulation with differentiated constraints is safer.");
    if (c.index >= 3 && !c.regular_pencil)
      w.push_back(
          "The linearised equations are singular for every step size: some variables are not "
          "determined, or some equations depend on each other.");
    if (!result_.constant_rank)
      w.push_back("Ranks or index change along the trajectory or near it.");
    if (c.index >= 2 && !result_.kernel_constant && !result_.stated_leading_term)
      w.push_back(
          "The variables that are not differentiated change with time or state (the kernel of the "
          "leading matrix turns). BDF may diverge with any step size; state the leading term, "
          "d = d(t, x), instead.");
    if (result_.chains_differ)
      w.push_back(
          "The equations with frozen coefficients, which a BDF step solves, have another index or "
          "are singular.");
    if (c.index == 2 && !result_.structural_condition)
      w.push_back(
          "Equations that have to be differentiated contain variables that are not differentiated "
          "elsewhere; index 2 may hold on the solution only.");
    if (result_.min_gap < 1e3)
      w.push_back(
          fmt::format("A rank decision is doubtful: its gap is only {:.2g}.", result_.min_gap));
  }

  System& system_;
  ResidualView& view_;
  std::span<const TrajectoryPoint> points_;
  const TractabilitySettings& settings_;
  int n_;
  Tractability result_;
  VectorXd size_, moved_, increment_;
  MatrixXd orthogonal_, first_;
};

std::string default_formulation(const Problem& problem) {
  const auto* b = std::get_if<MultibodyProblem>(&problem);
  if (b == nullptr) return "";
  return b->constraint_count > 0 || b->nonholonomic_count == 0 ? "index3" : "index2";
}

}  // namespace

Tractability analyse_tractability(System& system, std::span<const TrajectoryPoint> points,
                                  const TractabilitySettings& settings) {
  const int n = system.layout.tangents();
  if (system.residual_view() == nullptr)
    throw InvalidArgument("the tractability chain needs the residual view of a system");
  if (points.empty()) throw InvalidArgument("the tractability chain needs at least one point");
  for (const TrajectoryPoint& p : points)
    if (p.x.size() != system.layout.points() || (p.xd.size() != n && p.dd.size() == 0))
      throw InvalidArgument(fmt::format(
          "a point of the trajectory has {} coordinates and {} derivatives instead of {} and {}",
          p.x.size(), p.xd.size(), system.layout.points(), n));
  if (static_cast<int>(system.equations.size()) != n) {
    Tractability none;
    none.warnings.push_back("There are more equations than variables: no chain.");
    return none;
  }
  return Analysis(system, points, settings).run();
}

Tractability analyse_tractability(const Problem& problem, double t0, std::string_view formulation,
                                  const TractabilitySettings& settings) {
  validate(problem, t0);
  auto owned = std::make_shared<const Problem>(problem);
  const std::unique_ptr<System> system =
      lower(owned, formulation.empty() ? default_formulation(problem) : std::string(formulation),
            View::residual, {}, t0);
  State state = model_start(*system, problem, t0);
  StartRequest request = initial_equations(owned, *system);
  Eigen::VectorXd size(system->layout.tangents());
  system->layout.magnitude(state.x.data(), size.data());
  request.weight = (1e-6 * size).array() + 1e-6;
  system->prepare(state);
  const StartReport report = make_consistent(*system, state, request);
  TrajectoryPoint point{t0, state.x, state.xd, {}};
  if (const ResidualView& view = *system->residual_view(); view.states_leading_term()) {
    // The start values of a stated leading term are those of d', not of x'.
    point.dd = state.xd.head(view.differentiated_count());
    point.xd.resize(0);
  }
  Tractability result = analyse_tractability(*system, {&point, 1}, settings);
  if (report.status != Status::success) result.warnings.push_back(report.message);
  return result;
}

std::vector<TrajectoryPoint> trajectory_points(const Solution& solution, const System& system,
                                               int count) {
  std::vector<TrajectoryPoint> points;
  const std::size_t reported = solution.times().size();
  const int n = system.layout.tangents();
  if (reported < 2 || count < 1 || solution.variables().size() != system.layout.points())
    return points;
  const auto at = [&](std::size_t i) {
    State s{solution.times()[i], Eigen::VectorXd::Zero(system.layout.points()),
            Eigen::VectorXd::Zero(n)};
    const ModelState model = solution.state(i);
    system.from_model(s.t, model.y().data(), s);
    return s;
  };
  const auto wanted = std::min<std::size_t>(static_cast<std::size_t>(count), reported);
  for (std::size_t k = 0; k < wanted; ++k) {
    const std::size_t i = wanted > 1 ? k * (reported - 1) / (wanted - 1) : 0;
    const State here = at(i), other = at(i > 0 ? i - 1 : 1);
    TrajectoryPoint p{here.t, here.x, Eigen::VectorXd::Zero(n), {}};
    system.layout.minus(other.x.data(), here.x.data(), p.xd.data());
    if (here.t == other.t)  // both sides of an event
      p.xd.setZero();
    else
      p.xd /= here.t - other.t;
    points.push_back(std::move(p));
  }
  return points;
}

std::string describe(const Tractability& r, const Layout& layout) {
  const MatrixChain& c = r.chain;
  if (r.index < 0) return "index: not computed\n";
  std::string text = fmt::format(
      "index: {}\nranks of {}:", r.index < 3 ? std::to_string(r.index) : "3 or more", c.a.size);
  const auto rank = [&](const char* name, const RankDecision& d) {
    if (d.size == 0) return;
    text += d.full() ? fmt::format(" {} {} (smallest singular value {:.1e})", name, d.rank, d.kept)
                     : fmt::format(" {} {} (gap {:.1e})", name, d.rank, d.gap());
  };
  rank("A", c.a);
  rank("A1", c.a1);
  rank("A2", c.a2);
  if (c.degrees_of_freedom >= 0)
    text += fmt::format("\ndegrees of freedom: {}", c.degrees_of_freedom);
  const auto list = [&](ComponentKind kind, const char* title) {
    std::string names;
    for (std::size_t i = 0; i < c.kinds.size(); ++i)
      if (c.kinds[i] == kind) names += " " + layout.name(static_cast<int>(i));
    if (!names.empty()) text += fmt::format("\n{}:{}", title, names);
  };
  list(ComponentKind::differential, "differential");
  list(ComponentKind::algebraic_index1, "algebraic, index 1");
  list(ComponentKind::algebraic_index2, "algebraic, index 2");
  if (!c.aligned) text += "\n(combinations of these variables, not single ones, are of one kind)";
  const auto say = [](bool yes) { return yes ? "yes" : "no"; };
  text += fmt::format(
      "\nconstant ranks: {}\nconstant kernel: {}\nstated leading term: {}\nstructural condition: "
      "{}\nlinear in the algebraic variables: {}\n",
      say(r.constant_rank), say(r.kernel_constant), say(r.stated_leading_term),
      say(r.structural_condition), say(r.linear_in_algebraic));
  return text;
}

}  // namespace daedalus
