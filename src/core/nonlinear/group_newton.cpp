// SPDX-License-Identifier: BSD-3-Clause
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
// A slower step asks for a new matrix next time.
constexpr double slow_group_rate = 0.3;
// Slow convergence is no matter where what remains is below this share of what may remain.
constexpr double far_below = 0.1;
// Multipliers are solved to a hundred times the share of the tolerance that velocities are.
constexpr double share_of_lambda = 1e-2;

StepIterationSettings iteration_settings_of(const GroupNewtonSettings& s) {
  StepIterationSettings i;
  ConvergenceSettings& c = i.convergence;
  c.kappa = s.kappa;
  c.max_iterations = 12;  // exact Newton from a prediction, four times what it usually takes
  // An exact Newton iteration that stops falling after so much is at rounding level.
  c.stuck = 1e-5;
  c.max_stuck = std::numeric_limits<double>::infinity();
  c.floor_needs_fresh = true;
  // A slow iteration with an old matrix is no reason to go on with it; a fresh one is quadratic
  // after three corrections.
  c.max_old_rate = c.max_rate = slow_group_rate;
  c.max_early_rate = 2.0;
  c.early = 3;
  c.kept_rate = c.min_second_rate = 0.0;
  i.reuse.slow_rate = slow_group_rate;
  i.reuse.alpha_range = s.range;
  i.reuse.whole = true;
  i.max_renewed = 1;
  return i;
}

}  // namespace

GroupNewton::GroupNewton(System& system, GroupNewtonSettings settings, bool full)
    : system_(system),
      view_(*system.residual_view()),
      bodies_(*system.mechanical_view()),
      space_(bodies_.space()),
      settings_(settings),
      iteration_(system.counter, iteration_settings_of(settings)),
      full_(full),
      nq_(bodies_.sizes().tangents),
      nv_(bodies_.sizes().velocities),
      rates_(nv_ + bodies_.sizes().dynamic),
      by_w_(space_),
      by_v_(space_) {
  const int n = system.layout.tangents();
  for (Eigen::VectorXd* v : {&residual_, &move_, &column_}) v->setZero(n);
  relation_.setZero(nv_);
  guess_w_.setZero(nq_);
  for (const LayoutBlock& b : system.layout.blocks()) index3_ = index3_ || b.index > 2;
  if (const LayoutBlock* b = system.layout.find(VariableClass::lambda))
    lambda_ = b->tangent, lambda_count_ = b->space.tangents();
  reach_.setZero(nq_);
  guess_.x.setZero(system.layout.points());
}

void GroupNewton::begin(bool prescribed) {
  prescribed_ = prescribed;
  const double harmless = prescribed ? 0.0 : far_below * settings_.kappa;
  iteration_.monitor().settings().harmless = iteration_.reuse().settings().harmless = harmless;
  iteration_.reuse().forget();
  lay_structure();
  factorised_ = false;
}

// Blocks of the kinematic rows, ordered by columns.
SparsePattern GroupNewton::kinematic_pattern() {
  const int n = system_.layout.tangents();
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
  return blocks;
}

void GroupNewton::lay_structure() {
  const Pencil& pencil = view_.residual_pencil();
  SparsePattern pattern = unite(unite(pencil.pattern_e(), pencil.pattern_j()), kinematic_pattern());
  e_.assign(pencil.e().size(), 0.0);
  structure_ = pencil.structure();
  if (!solver_ || pattern.start != pattern_.start || pattern.row != pattern_.row) {
    pattern_ = std::move(pattern);
    values_.assign(at(pattern_.nonzeros()), 0.0);
    solver_ = make_linear_solver(pattern_, pencil.kind());
  }
  lay_places();
}

void GroupNewton::lay_places() {
  const Pencil& pencil = view_.residual_pencil();
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

void GroupNewton::set_rates() {
  const double* v = trial_->x.data() + bodies_.sizes().positions;
  for (int i = 0; i < rates_; ++i) trial_->xd[nq_ + i] = step_.sigma * v[i] + step_.known[i];
  if (step_.full_rate)
    trial_->xd.segment(nq_, nv_).noalias() +=
        *step_.full_rate * Eigen::Map<const Eigen::VectorXd>(v, nv_);
}

bool GroupNewton::serves() const {
  const auto close = [&](double a, double b) {
    return std::abs(a - b) <= settings_.range * std::abs(b);
  };
  return factorised_ && !of_full_ && !step_.full_rate && close(sigma_, step_.sigma) &&
         close(h_, step_.h);
}

// r_v and F_v' S where a velocity reaches all rows.
void GroupNewton::add_full() {
  const int rows = nq_ + nv_;
  const auto place = [&](int r, int c) -> double& {
    return values_[at(place_full_[at(r + c * rows)])];
  };
  if (const Eigen::MatrixXd* all = step_.relation->full_by_v())
    for (int c = 0; c < nv_; ++c)
      for (int r = 0; r < nq_; ++r) place(r, c) -= (*all)(r, c);
  if (!step_.full_rate) return;
  const Pencil& pencil = view_.residual_pencil();
  const SparsePattern& p = pencil.pattern_e();
  for (int j = 0; j < nv_; ++j)
    for (int k = p.start[at(nq_ + j)]; k < p.start[at(nq_ + j) + 1]; ++k)
      if (const int r = p.row[at(k)]; r >= nq_ && r < rows)
        for (int c = 0; c < nv_; ++c) place(r, c) += pencil.e()[at(k)] * (*step_.full_rate)(j, c);
}

// The residual at w and the variables of the trial, which gets q and the rates.
Outcome GroupNewton::evaluate() {
  State& trial = *trial_;
  space_.plus(step_.base, w_->data(), trial.x.data());
  const double* v = trial.x.data() + bodies_.sizes().positions;
  step_.relation->residual(w_->data(), v, relation_.data());
  for (int i = 0; i < nq_; ++i) trial.xd[i] = relation_[i] + v[i];
  set_rates();
  trial.xd.tail(trial.xd.size() - nq_ - rates_).setZero();
  return view_.residual(step_.t_new, trial.x.data(), trial.xd.data(), residual_.data());
}

Outcome GroupNewton::linearise(bool) {
  if (const Outcome o = evaluate(); o != Outcome::ok) return o;
  evaluated_ = true;
  const Outcome o = view_.linearise(step_.t_new, trial_->x.data(), trial_->xd.data());
  if (o == Outcome::ok) form();
  return o;
}

// Columns of q times h and of lambda over h.
void GroupNewton::set_columns(double h) {
  column_.setOnes();
  column_.head(nq_).setConstant(h);
  for (const LayoutBlock& b : system_.layout.blocks()) {
    auto part = column_.segment(b.tangent, b.space.tangents());
    if (b.cls == VariableClass::lambda) part.setConstant(1.0 / h);
    if (b.cls == VariableClass::s) part.setConstant(h);
  }
}

void GroupNewton::form() {
  set_columns(std::abs(step_.h));
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
  add(pencil.pattern_e(), pencil.e(), place_e_, step_.sigma);
  std::copy(pencil.e().begin(), pencil.e().end(), e_.begin());
  add_kinematic();
  if (full_) add_full();
  of_full_ = step_.full_rate != nullptr;
  sigma_ = step_.sigma;
  h_ = step_.h;
}

// r_w T^{-1} and r_v.
void GroupNewton::add_kinematic() {
  const double* v = trial_->x.data() + bodies_.sizes().positions;
  step_.relation->derivatives(w_->data(), v, by_w_, by_v_);
  lie::Matrix inverse, product;
  for (const ElementMatrices::Element& e : by_w_.elements()) {
    if (e.diagonal()) continue;
    lie::tangent_inverse(e.kind, w_->data() + e.tangent, inverse);
    product.noalias() = by_w_.block(e) * inverse;
    by_w_.block(e) = product;
  }
  const double size = std::abs(step_.h);
  std::size_t k = 0;
  by_w_.for_each([&](int, int, double x) { values_[at(place_qq_[k++])] += size * x; });
  k = 0;
  by_v_.for_each([&](int, int, double x) { values_[at(place_qv_[k++])] += x; });
}

Outcome GroupNewton::factorise(double) {
  system_.counter.now().factorisations += 1;
  factorised_ = solver_->factorise(values_);
  return factorised_ ? Outcome::ok : Outcome::matrix_singular;
}

GroupNewton::Result GroupNewton::solve(const Step& step, Eigen::VectorXd& w, State& trial) {
  step_ = step;
  if (index3_) step_.weight = step.scale;
  w_ = &w;
  trial_ = &trial;
  evaluated_ = false;
  guess_w_ = w;
  guess_.x = trial.x;
  trial.t = step.t_new;
  space_.magnitude(step.base, reach_.data());
  // The matrix holds sigma, h and the relation: one that does not serve is formed, not only
  // factorised.
  if (!serves()) iteration_.reuse().refresh();
  return iteration_.solve(*this, step.sigma);
}

Outcome GroupNewton::correct() {
  if (!evaluated_)
    if (const Outcome o = evaluate(); o != Outcome::ok) return o;
  evaluated_ = false;
  move_ = -residual_;
  system_.counter.now().solves += 1;
  solver_->solve(move_.data());
  move_ = move_.cwiseProduct(column_);
  return Outcome::ok;
}

// Corrections of v, and of q over h, which are velocities too, in units of the scale of v.
Correction GroupNewton::measure(bool fresh, bool) {
  const double size_h = std::abs(step_.h);
  const double max_noise = fresh || !prescribed_ ? many_roundings : few_roundings;
  const Eigen::VectorXd& scale = *step_.weight;
  Correction c;
  c.negligible = c.noise = true;
  const double* v = trial_->x.data() + bodies_.sizes().positions;
  for (int i = 0; i < nv_; ++i) {
    const double q = std::abs(move_[i]), u = std::abs(move_[nq_ + i]);
    const double here = std::max(q / size_h, u) / scale[nq_ + i];
    if (here > c.size) c.size = here, c.worst = nq_ + i;
    const double reach = std::max(1.0, reach_[i]);
    const double noise =
        std::max(q / (rounding * reach), u / (rounding * (std::abs(v[i]) + reach / size_h)));
    c.negligible = c.negligible && noise <= 1.0;
    c.noise = c.noise && noise <= max_noise;
  }
  for (int i = 0; i < lambda_count_; ++i)
    c.size = std::max(c.size, share_of_lambda * std::abs(move_[lambda_ + i]) / scale[lambda_ + i]);
  if (!move_.allFinite()) c.size = std::numeric_limits<double>::quiet_NaN();
  return c;
}

void GroupNewton::apply() {
  space_.tangent_inverse(w_->data(), move_.data(), relation_.data());
  *w_ += relation_;
  const int count = static_cast<int>(move_.size()) - nq_, first = bodies_.sizes().positions;
  for (int i = 0; i < count; ++i) trial_->x[first + i] += move_[nq_ + i];
}

// The rates of the result, without another evaluation of the equations.
Outcome GroupNewton::finish() {
  space_.plus(step_.base, w_->data(), trial_->x.data());
  set_rates();
  return Outcome::ok;
}

void GroupNewton::restart() {
  *w_ = guess_w_;
  trial_->x = guess_.x;
  evaluated_ = false;
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
  iteration_.archive(a);
  a(sigma_, h_, factorised_, of_full_, values_, e_, column_);
  const PivotState pivots = archive_pivots(a, *solver_);
  if (a.saving() || !factorised_ || (!pivots.values.empty() && pivots.fresh)) return;
  const Counts before = system_.counter.now();
  factorise(sigma_);
  system_.counter.now() = before;
}

}  // namespace daedalus
