// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/state_space_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
// Corrections shrink by at least this factor, or the matrix is evaluated anew.
constexpr double slow = 0.2;
// Below this share of q slow corrections are the round-off of g.
constexpr double stagnation = 1e-12;
// The first ratio of corrections may be small by accident.
constexpr double min_rate = 0.02;
// A chart that is worth keeping takes three or four; more means a new chart.
constexpr int max_iterations = 25;

}  // namespace

StateSpaceMap::StateSpaceMap(MultibodySystem& bodies, Mechanics& mechanics, bool residual)
    : bodies_(bodies),
      mechanics_(mechanics),
      sizes_(mechanics.sizes()),
      residual_(residual),
      d_q_(sizes_.tangents - sizes_.holonomic),
      d_v_(sizes_.velocities - sizes_.multipliers()),
      first_lu_(sizes_.holonomic),
      position_lu_(sizes_.holonomic),
      velocity_lu_(sizes_.nonholonomic > 0 ? sizes_.multipliers() : 0),
      contact_lu_(sizes_.contact) {
  const int nl = sizes_.multipliers(), nv = sizes_.velocities;
  at_.x.setZero(rows());
  at_.rates.setZero(rows());
  at_.q.setZero(sizes_.positions);
  at_.v.setZero(nv);
  at_.a.setZero(nv);
  at_.s.setZero(sizes_.contact);
  at_.lambda.setZero(nl);
  mu_.setZero(sizes_.holonomic);
  first_.at.setZero(d_q_);
  shift_.setZero(d_q_);
  first_.normal = first_.drift = mu_;
  first_.contact = at_.s;
  first_.lambda = at_.lambda;
  first_.matrix.setZero(sizes_.holonomic, sizes_.holonomic);
  first_.slope.setZero(sizes_.holonomic, d_q_);
  w_.setZero(nl);
  g_.setZero(sizes_.holonomic);
  lower_.setZero(nl);
  rows_.setZero(nl, nv);
  work_.setZero(nv, nl);
  position_.tangent.setZero(nv, d_q_);
  position_.normal.setZero(nv, sizes_.holonomic);
  if (sizes_.nonholonomic > 0) {
    velocity_.tangent.setZero(nv, d_v_);
    velocity_.normal.setZero(nv, nl);
  }
  tilt_.setZero(nl, d_v_);
  holonomic_.setZero(sizes_.holonomic, nv);
  holonomic_tilt_.setZero(sizes_.holonomic, d_q_);
  column_.setZero(std::max(nv + nl, sizes_.contact));
}

bool StateSpaceMap::differentiable() const {
  // g itself, G v + g_t and the second derivative all take part.
  return mechanics_.differentiable(3) && mechanics_.differentiable(2) &&
         mechanics_.differentiable(1);
}

MechanicalPoint StateSpaceMap::here() const {
  return {at_.t,        at_.q.data(),     at_.v.data(), at_.x.data() + d_q_ + d_v_,
          at_.s.data(), at_.lambda.data()};
}

// What the pieces counted belongs to the phase of the run.
Outcome StateSpaceMap::finished(Outcome outcome) {
  Counts& counts = bodies_.counter.now();
  if (residual_) counts.function_evaluations = 0;
  if (counter_) counter_->now() += counts;
  counts = {};
  at_.valid = outcome == Outcome::ok;
  return outcome;
}

// rows^T = Q R by Householder reflections (Golub, Van Loan 2013, section 5.2.2), without work space
// from the heap. False: a row depends on those before it.
bool StateSpaceMap::make_basis(int count, Basis& basis) {
  constexpr double least = 1e-12;  // of what is left of a row
  const int n = sizes_.velocities;
  work_.leftCols(count) = rows_.topRows(count).transpose();
  const auto reflect = [n](const auto& v, auto&& column, int k) {
    const double length = v.tail(n - k).squaredNorm();
    if (length > 0.0)
      column.tail(n - k) -= (2.0 * v.tail(n - k).dot(column.tail(n - k)) / length) * v.tail(n - k);
  };
  bool regular = true;
  for (int k = 0; k < count; ++k) {
    auto v = work_.col(k);
    const double length = v.tail(n - k).norm();
    regular = regular && length > least * v.norm();
    v[k] += v[k] < 0.0 ? -length : length;
    for (int j = k + 1; j < count; ++j) reflect(v, work_.col(j), k);
  }
  for (int j = 0; j < n; ++j) {
    auto column = j < count ? basis.normal.col(j) : basis.tangent.col(j - count);
    column.setZero();
    column[j] = 1.0;
    for (int k = count - 1; k >= 0; --k) reflect(work_.col(k), column, k);
  }
  return regular;
}

Outcome StateSpaceMap::lay(const MechanicalPoint& p) {
  laid_ = false;
  at_.valid = false;
  if (G_.cols() == 0) G_ = bodies_.make_constraint_matrix();
  at_.t = p.t;
  at_.q = In(p.q, sizes_.positions);
  at_.s = In(p.s, sizes_.contact);
  at_.lambda = In(p.lambda, sizes_.multipliers());
  if (sizes_.multipliers() > 0) {
    if (const Outcome o = bodies_.constraint_matrix(p, G_); o != Outcome::ok) return finished(o);
    G_.copy_to(rows_);
  }
  bool regular = make_basis(sizes_.holonomic, position_);
  if (sizes_.nonholonomic > 0) regular = make_basis(sizes_.multipliers(), velocity_) && regular;
  if (!regular) return finished(Outcome::matrix_singular);
  mu_.noalias() = position_.normal.transpose() * at_.q;
  if (const Outcome o = factorise_normal(here()); o != Outcome::ok) return finished(o);
  at_.x.head(d_q_).noalias() = position_.tangent.transpose() * at_.q;
  at_.v.setZero();
  at_.rates.setZero();
  tilt_.setZero();
  holonomic_tilt_.setZero();
  start_from_here();
  finished(Outcome::ok);
  at_.valid = false;
  laid_ = true;
  return Outcome::ok;
}

void StateSpaceMap::to_chart(const double* q, const double* v, double* xi, double* u) const {
  Out(xi, d_q_).noalias() = position_.tangent.transpose() * In(q, sizes_.positions);
  Out(u, d_v_).noalias() = moving().tangent.transpose() * In(v, sizes_.velocities);
}

void StateSpaceMap::start_from_here() {
  first_.time = at_.t;
  first_.at = at_.x.head(d_q_);
  // {V y + N slope y} is the tangent space here, and N^T v the rate of mu along the motion.
  first_.slope = sizes_.nonholonomic > 0 ? -holonomic_tilt_ : -tilt_;
  first_.drift.noalias() = position_.normal.transpose() * at_.v;
  first_.drift.noalias() -= first_.slope * at_.rates.head(d_q_);
  first_.normal = mu_;
  first_.contact = at_.s;
  first_.lambda = at_.lambda;
  if (sizes_.holonomic == 0) return;
  first_.matrix.noalias() = rows_.topRows(sizes_.holonomic) * position_.normal;
  std::copy(first_.matrix.data(), first_.matrix.data() + first_.matrix.size(), first_lu_.data());
  first_lu_.factorise();
}

void StateSpaceMap::archive(Archive& a) {
  a(laid_, position_.tangent, position_.normal, velocity_.tangent, velocity_.normal, first_.time,
    first_.at, first_.normal, first_.drift, first_.contact, first_.lambda, first_.matrix,
    first_.slope);
  Point at = at_;
  a(at.valid, at.t, at.x, at.q, at.v, at.s, at.a, at.lambda, at.rates, mu_);
  bool used = accelerations_ != nullptr;
  a(used);
  if (used && !accelerations_)
    accelerations_ = std::make_unique<Accelerations>(bodies_, bodies_.counter);
  if (used) accelerations_->archive(a);
  if (a.saving()) return;
  std::copy(first_.matrix.data(), first_.matrix.data() + first_.matrix.size(), first_lu_.data());
  if (sizes_.holonomic > 0) first_lu_.factorise();
  at_ = at;
  if (!laid_ || !at.valid) return;
  // The matrices of the point that was solved last; it was found from another start.
  const Counts before = bodies_.counter.now();
  if (G_.cols() == 0) G_ = bodies_.make_constraint_matrix();
  if (solve_velocities(at_.x.data() + d_q_) == Outcome::ok)
    (void)solve_accelerations(at_.x.data() + d_q_ + d_v_);
  at_ = at;
  bodies_.counter.now() = before;
}

Outcome StateSpaceMap::solve(double t, const double* xi, const double* u, const double* c) {
  if (!laid_) return Outcome::newton_failed;
  const auto same = [](const double* a, const double* b, int n) { return std::equal(a, a + n, b); };
  const double* x = at_.x.data();
  if (at_.valid && at_.t == t && same(xi, x, d_q_) && same(u, x + d_q_, d_v_) &&
      same(c, x + d_q_ + d_v_, sizes_.dynamic))
    return Outcome::ok;
  at_.valid = false;
  at_.t = t;
  at_.x.head(d_q_) = In(xi, d_q_);
  at_.x.segment(d_q_, d_v_) = In(u, d_v_);
  at_.x.tail(sizes_.dynamic) = In(c, sizes_.dynamic);
  if (const Outcome o = solve_positions(t, at_.x.data()); o != Outcome::ok) return finished(o);
  if (const Outcome o = solve_velocities(at_.x.data() + d_q_); o != Outcome::ok) return finished(o);
  return finished(solve_accelerations(at_.x.data() + d_q_ + d_v_));
}

// Simplified Newton from the last accepted point; every matrix after the first is exact.
Outcome StateSpaceMap::solve_positions(double t, const double* xi) {
  const Basis& b = position_;
  mu_ = first_.normal + (t - first_.time) * first_.drift;
  shift_ = In(xi, d_q_) - first_.at;
  mu_.noalias() += first_.slope * shift_;
  at_.s = first_.contact;
  const auto place = [&] {
    at_.q.noalias() = b.tangent * In(xi, d_q_);
    at_.q.noalias() += b.normal * mu_;
    return bodies_.solve_contact(t, at_.q.data(), at_.s.data());
  };
  if (const Outcome o = place(); o != Outcome::ok) return o;
  if (sizes_.holonomic == 0) return Outcome::ok;
  DenseLu* lu = &first_lu_;
  double before = 0.0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const MechanicalPoint p = here();
    if (const Outcome o = bodies_.constraint(p, g_.data()); o != Outcome::ok) return o;
    bodies_.counter.now().newton_iterations += 1;
    bodies_.counter.now().solves += 1;
    lu->solve(g_.data());
    mu_ -= g_;
    const double size = g_.cwiseAbs().maxCoeff(), scale = at_.q.cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) break;
    if (const Outcome o = place(); o != Outcome::ok) return o;
    const double rate = before > 0.0 ? size / before : 1.0;
    const double bound = std::max(rate, min_rate);
    if (size <= 4.0 * epsilon * scale ||
        (bound < 1.0 && size * bound / (1.0 - bound) <= epsilon * scale))
      return Outcome::ok;
    if (iteration > 0 && rate > slow) {
      if (size <= stagnation * scale) return Outcome::ok;
      if (const Outcome o = factorise_normal(here()); o != Outcome::ok) return o;
      lu = &position_lu_;
    }
    before = size;
  }
  bodies_.counter.now().newton_failures += 1;
  return Outcome::newton_failed;
}

Outcome StateSpaceMap::factorise_normal(const MechanicalPoint& p) {
  const int ng = sizes_.holonomic;
  if (sizes_.multipliers() > 0) {
    if (const Outcome o = bodies_.constraint_matrix(p, G_); o != Outcome::ok) return o;
    G_.copy_to(rows_);
  }
  if (ng == 0) return Outcome::ok;
  Eigen::Map<Eigen::MatrixXd>(position_lu_.data(), ng, ng).noalias() =
      rows_.topRows(ng) * position_.normal;
  bodies_.counter.now().factorisations += 1;
  return position_lu_.factorise() ? Outcome::ok : Outcome::matrix_singular;
}

Outcome StateSpaceMap::solve_velocities(const double* u) {
  const Basis& b = moving();
  at_.v.noalias() = b.tangent * In(u, d_v_);
  const int nl = sizes_.multipliers();
  if (nl == 0) return Outcome::ok;
  if (const Outcome o = factorise_normal(here()); o != Outcome::ok) return o;
  if (sizes_.nonholonomic > 0) {
    Eigen::Map<Eigen::MatrixXd>(velocity_lu_.data(), nl, nl).noalias() = rows_ * b.normal;
    bodies_.counter.now().factorisations += 1;
    if (!velocity_lu_.factorise()) return Outcome::matrix_singular;
  }
  if (const Outcome o = bodies_.velocity_offset(here(), w_.data()); o != Outcome::ok) return o;
  w_.noalias() += rows_ * at_.v;
  w_ = -w_;
  velocity_lu().solve(w_.data());
  at_.v.noalias() += b.normal * w_;
  return Outcome::ok;
}

Outcome StateSpaceMap::solve_accelerations(const double* c) {
  if (!accelerations_) accelerations_ = std::make_unique<Accelerations>(bodies_, bodies_.counter);
  at_.lambda = first_.lambda;
  MechanicalPoint p = here();
  p.c = c;
  if (sizes_.multipliers() > 0) {
    if (const Outcome o = bodies_.acceleration_term(p, lower_.data()); o != Outcome::ok) return o;
    lower_ = -lower_;
  }
  if (const Outcome o = accelerations_->solve(p, G_, G_, lower_); o != Outcome::ok) return o;
  at_.a = accelerations_->a();
  at_.lambda = accelerations_->lambda();
  if (sizes_.nonholonomic > 0)
    at_.rates.head(d_q_).noalias() = position_.tangent.transpose() * at_.v;
  else
    at_.rates.head(d_q_) = at_.x.segment(d_q_, d_v_);
  at_.rates.segment(d_q_, d_v_).noalias() = moving().tangent.transpose() * at_.a;
  return bodies_.dynamics(p, at_.rates.data() + d_q_ + d_v_);
}

// With B = G N and the part A = G V of the motion along V, the tangent space at the point is
// {V y - N B^-1 A y}: |B^-1 A| is the tan of its largest angle with V. |E|^2 <= |E|_1 |E|_inf.
double StateSpaceMap::tilt(const Eigen::MatrixXd& rows, const Basis& basis, DenseLu& normal,
                           Eigen::MatrixXd& work) {
  const int m = static_cast<int>(rows.rows()), d = static_cast<int>(basis.tangent.cols());
  if (m == 0 || d == 0) return 0.0;
  work.noalias() = rows * basis.tangent;
  for (int j = 0; j < d; ++j) normal.solve(work.col(j).data());
  return std::sqrt(work.cwiseAbs().colwise().sum().maxCoeff() *
                   work.cwiseAbs().rowwise().sum().maxCoeff());
}

double StateSpaceMap::tilt() {
  if (sizes_.multipliers() == 0) return 0.0;
  if (sizes_.nonholonomic == 0) return tilt(rows_, position_, position_lu_, tilt_);
  holonomic_ = rows_.topRows(sizes_.holonomic);
  return std::max(tilt(holonomic_, position_, position_lu_, holonomic_tilt_),
                  tilt(rows_, velocity_, velocity_lu_, tilt_));
}

Eval StateSpaceMap::value(double t, const double* x, const double* xd, double* r) {
  if (solve(t, x, x + d_q_, x + d_q_ + d_v_) != Outcome::ok) return Eval::reject;
  for (int i = 0; i < rows(); ++i) r[i] = residual_ ? xd[i] - at_.rates[i] : at_.rates[i];
  return Eval::ok;
}

}  // namespace daedalus
