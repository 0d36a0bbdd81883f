#include "nonlinear/group_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/at.hpp"
#include "system/archive_pivots.hpp"
#include "system/mechanical_view.hpp"

namespace daedalus {
namespace {

// Corrections of w and v that are rounding errors of q, seen through one division by h. Larger ones
// that an old matrix leaves have the same sign in many steps, and their sum shows in the result.
constexpr double rounding = 0.5 * std::numeric_limits<double>::epsilon();
// In larger systems they add up; corrections of this size that do not fall are nothing else.
constexpr double many_roundings = 1024.0;
// With given steps and an old matrix a new one is formed first: errors below a tolerance that
// nobody asked for are what such runs study.
constexpr double few_roundings = 64.0;
// An exact Newton iteration that stops falling after so much is at rounding level.
constexpr double stagnated = 1e-5;
// Slow convergence is no matter where what remains is below this share of what may remain.
constexpr double far_below = 0.1;
// Multipliers are solved to a hundred times the share of the tolerance that velocities are.
constexpr double share_of_lambda = 1e-2;

}  // namespace

GroupNewton::GroupNewton(System& system, GroupNewtonSettings settings, bool full)
    : system_(system),
      view_(*system.residual_view()),
      bodies_(*system.mechanical_view()),
      space_(bodies_.space()),
      settings_(settings),
      full_(full),
      nq_(bodies_.sizes().tangents),
      nv_(bodies_.sizes().velocities),
      rates_(nv_ + bodies_.sizes().dynamic),
      by_w_(space_),
      by_v_(space_) {
  const int n = system.layout.tangents();
  for (Eigen::VectorXd* v : {&residual_, &move_, &column_, &scale_}) v->setZero(n);
  relation_.setZero(nv_);
  guess_w_.setZero(nq_);
  for (const LayoutBlock& b : system.layout.blocks()) index3_ = index3_ || b.index > 2;
  if (const LayoutBlock* b = system.layout.find(VariableClass::lambda))
    lambda_ = b->tangent, lambda_count_ = b->space.tangents();
  reach_.setZero(nq_);
  guess_.x.setZero(system.layout.points());
}

void GroupNewton::begin(bool prescribed) {
  negligible_remainder_ = prescribed ? 0.0 : far_below * settings_.kappa;
  lay_structure();
  factorised_ = false;
  stale_ = true;
}

void GroupNewton::lay_structure() {
  const Pencil& pencil = view_.residual_pencil();
  const int n = system_.layout.tangents();
  // Blocks of the kinematic rows, ordered by columns.
  std::vector<std::vector<int>> columns(at(n));
  by_w_.set_multiple_of_identity(1.0);
  by_w_.for_each([&](int r, int c, double) {
    columns[at(c)].push_back(r);
    columns[at(nq_ + c)].push_back(r);
  });
  if (full_)
    for (int c = 0; c < nv_; ++c) {
      columns[at(nq_ + c)].resize(at(nq_ + nv_));
      for (int r = 0; r < nq_ + nv_; ++r) columns[at(nq_ + c)][at(r)] = r;
    }
  SparsePattern blocks;
  blocks.rows = blocks.cols = n;
  blocks.start.push_back(0);
  for (std::vector<int>& rows : columns) {
    std::sort(rows.begin(), rows.end());
    blocks.row.insert(blocks.row.end(), rows.begin(), rows.end());
    blocks.start.push_back(static_cast<int>(blocks.row.size()));
  }
  SparsePattern pattern = unite(unite(pencil.pattern_e(), pencil.pattern_j()), blocks);
  e_.assign(pencil.e().size(), 0.0);
  structure_ = pencil.structure();
  if (!solver_ || pattern.start != pattern_.start || pattern.row != pattern_.row) {
    pattern_ = std::move(pattern);
    values_.assign(at(pattern_.nonzeros()), 0.0);
    solver_ = make_linear_solver(pattern_, pencil.kind());
  }
  const auto places = [&](const SparsePattern& p, std::vector<int>& place, auto&& wanted) {
    place.clear();
    for (int c = 0; c < p.cols; ++c)
      for (int k = p.start[at(c)]; k < p.start[at(c) + 1]; ++k)
        place.push_back(wanted(p.row[at(k)], c) ? pattern_.find(p.row[at(k)], c) : -1);
  };
  const auto velocity = [&](int c) { return c >= nq_ && c < nq_ + nv_; };
  places(pencil.pattern_j(), place_j_, [&](int r, int c) { return r >= nq_ || !velocity(c); });
  places(pencil.pattern_e(), place_e_,
         [&](int r, int c) { return r >= nq_ && c >= nq_ && c < nq_ + rates_; });
  place_qq_.clear(), place_qv_.clear(), place_full_.clear();
  by_w_.for_each([&](int r, int c, double) {
    place_qq_.push_back(pattern_.find(r, c));
    place_qv_.push_back(pattern_.find(r, nq_ + c));
  });
  if (full_)
    for (int c = 0; c < nv_; ++c)
      for (int r = 0; r < nq_ + nv_; ++r) place_full_.push_back(pattern_.find(r, nq_ + c));
}

void GroupNewton::set_rates(const Step& step, State& trial) const {
  const double* v = trial.x.data() + bodies_.sizes().positions;
  for (int i = 0; i < rates_; ++i) trial.xd[nq_ + i] = step.sigma * v[i] + step.known[i];
  if (step.full_rate)
    trial.xd.segment(nq_, nv_).noalias() +=
        *step.full_rate * Eigen::Map<const Eigen::VectorXd>(v, nv_);
}

bool GroupNewton::serves(const Step& step) const {
  const auto close = [&](double a, double b) {
    return std::abs(a - b) <= settings_.range * std::abs(b);
  };
  return factorised_ && !stale_ && !of_full_ && !step.full_rate && close(sigma_, step.sigma) &&
         close(h_, step.h);
}

// r_v and F_v' S where a velocity reaches all rows.
void GroupNewton::add_full(const Step& step) {
  const int rows = nq_ + nv_;
  const auto place = [&](int r, int c) -> double& {
    return values_[at(place_full_[at(r + c * rows)])];
  };
  if (const Eigen::MatrixXd* all = step.relation->full_by_v())
    for (int c = 0; c < nv_; ++c)
      for (int r = 0; r < nq_; ++r) place(r, c) -= (*all)(r, c);
  if (!step.full_rate) return;
  const Pencil& pencil = view_.residual_pencil();
  const SparsePattern& p = pencil.pattern_e();
  for (int j = 0; j < nv_; ++j)
    for (int k = p.start[at(nq_ + j)]; k < p.start[at(nq_ + j) + 1]; ++k)
      if (const int r = p.row[at(k)]; r >= nq_ && r < rows)
        for (int c = 0; c < nv_; ++c) place(r, c) += pencil.e()[at(k)] * (*step.full_rate)(j, c);
}

// The residual at w and the variables of the trial, which gets q and the rates.
Outcome GroupNewton::evaluate(const Step& step, const Eigen::VectorXd& w, State& trial) {
  space_.plus(step.base, w.data(), trial.x.data());
  const double* v = trial.x.data() + bodies_.sizes().positions;
  step.relation->residual(w.data(), v, relation_.data());
  for (int i = 0; i < nq_; ++i) trial.xd[i] = relation_[i] + v[i];
  set_rates(step, trial);
  trial.xd.tail(trial.xd.size() - nq_ - rates_).setZero();
  return view_.residual(step.t_new, trial.x.data(), trial.xd.data(), residual_.data());
}

Outcome GroupNewton::form(const Step& step, const Eigen::VectorXd& w, State& trial) {
  if (const Outcome o = evaluate(step, w, trial); o != Outcome::ok) return o;
  if (const Outcome o = view_.linearise(step.t_new, trial.x.data(), trial.xd.data());
      o != Outcome::ok)
    return o;
  const double size = std::abs(step.h);
  column_.setOnes();
  column_.head(nq_).setConstant(size);
  for (const LayoutBlock& b : system_.layout.blocks()) {
    auto part = column_.segment(b.tangent, b.space.tangents());
    if (b.cls == VariableClass::lambda) part.setConstant(1.0 / size);
    if (b.cls == VariableClass::s) part.setConstant(size);
  }
  const Pencil& pencil = view_.residual_pencil();
  if (structure_ != pencil.structure()) lay_structure();
  std::fill(values_.begin(), values_.end(), 0.0);
  const auto add = [&](const SparsePattern& p, std::span<const double> x,
                       const std::vector<int>& place, double factor) {
    for (int c = 0; c < p.cols; ++c)
      for (int k = p.start[at(c)]; k < p.start[at(c) + 1]; ++k)
        if (place[at(k)] >= 0) values_[at(place[at(k)])] += factor * column_[c] * x[at(k)];
  };
  add(pencil.pattern_j(), pencil.j(), place_j_, 1.0);
  add(pencil.pattern_e(), pencil.e(), place_e_, step.sigma);
  std::copy(pencil.e().begin(), pencil.e().end(), e_.begin());
  const double* v = trial.x.data() + bodies_.sizes().positions;
  step.relation->derivatives(w.data(), v, by_w_, by_v_);
  lie::Matrix inverse, product;
  for (const ElementMatrices::Element& e : by_w_.elements()) {
    if (e.diagonal()) continue;
    lie::tangent_inverse(e.kind, w.data() + e.tangent, inverse);
    product.noalias() = by_w_.block(e) * inverse;
    by_w_.block(e) = product;
  }
  std::size_t k = 0;
  by_w_.for_each([&](int, int, double x) { values_[at(place_qq_[k++])] += size * x; });
  k = 0;
  by_v_.for_each([&](int, int, double x) { values_[at(place_qv_[k++])] += x; });
  if (full_) add_full(step);
  of_full_ = step.full_rate != nullptr;
  sigma_ = step.sigma;
  h_ = step.h;
  return factorise();
}

Outcome GroupNewton::factorise() {
  system_.counter.now().factorisations += 1;
  factorised_ = solver_->factorise(values_);
  return factorised_ ? Outcome::ok : Outcome::matrix_singular;
}

GroupNewton::Result GroupNewton::solve(const Step& step, Eigen::VectorXd& w, State& trial) {
  guess_w_ = w;
  guess_.x = trial.x;
  trial.t = step.t_new;
  scale_ = *step.weight;
  space_.magnitude(step.base, reach_.data());
  // Weights of index 3 relax velocities by 1 / h and multipliers by 1 / h^2; here all are compared
  // as they are.
  for (const LayoutBlock& b : system_.layout.blocks())
    if (b.index > 1 && index3_)
      scale_.segment(b.tangent, b.space.tangents()) *=
          std::pow(std::min(1.0, std::abs(step.h)), b.index - 1);
  for (;;) {
    const bool old = serves(step);
    Result result;
    if (!old) {
      stale_ = false;
      if (const Outcome o = form(step, w, trial); o != Outcome::ok) {
        stale_ = true;
        result.outcome = o;
        if (o == Outcome::matrix_singular)
          result.culprit = {Culprit::Kind::variable, solver_->singular_column()};
        return result;
      }
    }
    result = iterate(step, !old, w, trial);
    stale_ = result.outcome != Outcome::ok ||
             (result.rate > settings_.slow_rate && result.remaining > negligible_remainder_);
    if (result.outcome != Outcome::newton_failed || !old) {
      if (result.outcome == Outcome::newton_failed) system_.counter.now().newton_failures += 1;
      return result;
    }
    w = guess_w_;
    trial.x = guess_.x;
  }
}

GroupNewton::Result GroupNewton::iterate(const Step& step, bool fresh, Eigen::VectorXd& w,
                                         State& trial) {
  Result result;
  const MechanicalSizes& n = bodies_.sizes();
  const double size_h = std::abs(step.h);
  const double most_noise = fresh || negligible_remainder_ > 0.0 ? many_roundings : few_roundings;
  double last = 0.0, first = 0.0;
  for (int k = 0; k < settings_.most_iterations; ++k) {
    // form() has evaluated the equations at the first guess.
    if (k > 0 || !fresh)
      if (const Outcome o = evaluate(step, w, trial); o != Outcome::ok) return {o, k};
    move_ = -residual_;
    system_.counter.now().solves += 1;
    solver_->solve(move_.data());
    move_ = move_.cwiseProduct(column_);
    system_.counter.now().newton_iterations += 1;
    result.iterations = k + 1;
    // Corrections of v, and of q over h, which are velocities too, in units of the scale of v.
    double size = 0.0;
    bool negligible = true, noisy = true;
    const double* v = trial.x.data() + n.positions;
    for (int i = 0; i < nv_; ++i) {
      const double scale = scale_[nq_ + i];
      const double q = std::abs(move_[i]), u = std::abs(move_[nq_ + i]);
      const double here = std::max(q / size_h, u) / scale;
      if (here > size) size = here, result.culprit = {Culprit::Kind::variable, nq_ + i};
      const double reach = std::max(1.0, reach_[i]);
      const double noise =
          std::max(q / (rounding * reach), u / (rounding * (std::abs(v[i]) + reach / size_h)));
      negligible = negligible && noise <= 1.0;
      noisy = noisy && noise <= most_noise;
    }
    for (int i = 0; i < lambda_count_; ++i)
      size = std::max(size, share_of_lambda * std::abs(move_[lambda_ + i]) / scale_[lambda_ + i]);
    if (!move_.allFinite()) {
      result.outcome = Outcome::newton_failed;
      return result;
    }
    space_.tangent_inverse(w.data(), move_.data(), relation_.data());
    w += relation_;
    const int from = nq_, count = static_cast<int>(move_.size()) - nq_;
    for (int i = 0; i < count; ++i) trial.x[n.positions + i] += move_[from + i];
    if (k > 0) {
      result.rate = size / last;
      const double rate = std::min(result.rate, 0.9);
      result.remaining = rate / (1.0 - rate) * size;
      if (!negligible && result.rate >= 0.3 && result.remaining > negligible_remainder_) {
        if (noisy || (fresh && size <= stagnated * first)) negligible = true;
        // A slow iteration with an old matrix is no reason to go on with it.
        else if (!fresh || result.rate >= 2.0 || k > 3) {
          result.outcome = Outcome::newton_failed;
          return result;
        }
      }
    } else {
      first = size;
    }
    const bool done = negligible || (k > 0 && result.remaining <= settings_.kappa);
    last = size;
    if (!done) continue;
    // The rates of the result, without another evaluation of the equations.
    space_.plus(step.base, w.data(), trial.x.data());
    set_rates(step, trial);
    return result;
  }
  result.outcome = Outcome::newton_failed;
  return result;
}

void GroupNewton::carry(const double* e, double* out) {
  move_.setZero();
  const SparsePattern& p = view_.residual_pencil().pattern_e();
  for (int j = 0; j < nv_; ++j)
    for (int k = p.start[at(nq_ + j)]; k < p.start[at(nq_ + j) + 1]; ++k)
      if (const int r = p.row[at(k)]; r >= nq_ && r < nq_ + nv_)
        move_[r] += sigma_ * e_[at(k)] * e[j];
  system_.counter.now().solves += 1;
  solver_->solve(move_.data());
  for (int i = 0; i < nv_; ++i) out[i] = move_[nq_ + i] * column_[nq_ + i];
}

void GroupNewton::archive(Archive& a) {
  if (structure_ != view_.residual_pencil().structure()) lay_structure();
  a(sigma_, h_, factorised_, stale_, of_full_, values_, e_, column_);
  const PivotState pivots = archive_pivots(a, *solver_);
  if (a.saving() || !factorised_ || (!pivots.values.empty() && pivots.fresh)) return;
  const Counts before = system_.counter.now();
  factorise();
  system_.counter.now() = before;
}

}  // namespace daedalus
