// SPDX-License-Identifier: BSD-3-Clause
#include "methods/lie/engine.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/at.hpp"
#include "kernel/plmsm.hpp"

namespace daedalus::lie_methods {
namespace {
// Values that a first guess is extrapolated over; more amplify round-off.
constexpr int guessed_over = 4;
}  // namespace

Engine::Engine(System& system, const Common& common)
    : system_(system),
      bodies_(*system.mechanical_view()),
      space_(bodies_.space()),
      common_(common),
      nq_(bodies_.sizes().tangents),
      nv_(bodies_.sizes().velocities),
      nr_(nv_ + bodies_.sizes().dynamic),
      positions_(bodies_.sizes().positions),
      index3_(bodies_.sizes().holonomic > 0 &&
              system.layout.find(VariableClass::lambda)->index == 3),
      newton_(system, common.newton),
      flow_(system),
      normal_(system) {
  const Layout& l = system.layout;
  for (State* s : {&trial_, &scratch_}) {
    s->x.setZero(l.points());
    s->xd.setZero(l.tangents());
  }
  increment_.setZero(nq_);
  velocity_.setZero(nv_);
  known_rate_.setZero(nr_);
  past_.resize(at(std::max(common.kept, common.interpolated + 1)));
  for (Entry& e : past_) {
    e.x.setZero(l.points());
    e.velocity.setZero(nv_);
    e.rate.setZero(nr_);
    e.increment.setZero(nq_);
  }
  block_.assign(at(std::max(common.values, common.interpolated + 1) + 1), trial_);
}

Outcome Engine::start(const Start& s) {
  known_ = s.known;
  newton_.begin(s.prescribed);
  count_ = 1;
  block_count_ = 0;
  Entry& first = past(0);
  first.t = s.at.t;
  first.x = s.at.x;
  first.velocity = s.at.x.segment(positions_, nv_);
  first.increment.setZero();
  scratch_.t = s.at.t;
  scratch_.x = s.at.x;
  if (const Outcome o = flow_.complete(scratch_); o != Outcome::ok) return o;
  first.rate = scratch_.xd.segment(nq_, nr_);
  begun();
  return Outcome::ok;
}

// Values on the grid t_n + i h, i = 1 .. what the method and its dense output need.
Outcome Engine::lay_block(const StepRequest& r) {
  State* from = &block_[0];
  from->t = past(0).t;
  from->x = past(0).x;
  block_count_ = block_at_ = 0;
  block_h_ = r.h;
  const int ahead = std::max(values_needed(r), common_.interpolated + 1) - values_usable(r);
  for (int i = 1; i <= ahead; ++i) {
    State& to = block_[at(i)];
    const double t = i == 1 ? r.t_new : r.t + i * r.h;
    if (known_ && (*known_)(t, to)) {
      scratch_.t = to.t = t;
      scratch_.x = to.x;
      if (const Outcome o = flow_.complete(scratch_); o != Outcome::ok) return o;
      to.xd = scratch_.xd;
    } else if (const Outcome o = flow_.advance(*from, t, r.weight, to); o != Outcome::ok) {
      // What lies further ahead is of use to dense output only, and may be beyond the end.
      return i > 1 ? Outcome::ok : o;
    }
    from = &to;
    block_count_ = i;
  }
  return Outcome::ok;
}

Outcome Engine::start_step(const StepRequest& r, Attempt& a) {
  const bool laid = block_at_ < block_count_ && std::abs(block_[at(block_at_)].t - r.t) == 0.0 &&
                    std::abs(r.h - block_h_) <= 1e-9 * std::abs(r.h);
  if (!laid)
    if (const Outcome o = lay_block(r); o != Outcome::ok) {
      block_count_ = 0;
      return o;
    }
  const State& to = block_[at(block_at_ + 1)];
  trial_.x = to.x;
  trial_.xd = to.xd;
  space_.minus(past(0).x.data(), trial_.x.data(), increment_.data());
  velocity_ = trial_.x.segment(positions_, nv_);
  a.advice.min_ratio = a.advice.max_ratio = 1.0;
  a.newton_iterations = 1;  // by which they meet the constraints
  return Outcome::ok;
}

bool Engine::finite() {
  return first_not_finite(trial_.x.data(), static_cast<int>(trial_.x.size())) < 0;
}

Attempt Engine::attempt(const StepRequest& r) {
  Attempt a;
  starting_ = values_usable(r) < values_needed(r);
  a.outcome = starting_ ? start_step(r, a) : step(r, a);
  if (a.outcome != Outcome::ok) return a;
  trial_.t = r.t_new;
  if (!finite()) {
    a.outcome = Outcome::not_finite;
    return a;
  }
  if (common_.renormalise) space_.renormalise(trial_.x.data());
  trial_.xd.head(nq_) = trial_.x.segment(positions_, nv_);
  const Layout& l = system_.layout;
  const int points = positions_ + nr_, tangents = nq_ + nr_;
  for (int i = 0; i < l.tangents() - tangents; ++i)
    trial_.xd[tangents + i] = (trial_.x[points + i] - past(0).x[points + i]) / r.h;
  return a;
}

void Engine::commit(bool amended) {
  if (starting_) ++block_at_;
  std::rotate(past_.begin(), past_.end() - 1, past_.end());
  count_ = std::min(count_ + 1, static_cast<int>(past_.size()));
  Entry& e = past(0);
  e.t = trial_.t;
  e.x = trial_.x;
  e.rate = trial_.xd.segment(nq_, nr_);
  if (amended) {
    e.velocity = trial_.x.segment(positions_, nv_);
    space_.minus(past(1).x.data(), e.x.data(), e.increment.data());
  } else {
    e.velocity = velocity_;
    e.increment = increment_;
  }
  committed();
}

void Engine::lay_nodes(const StepRequest& r, int values, double* nodes) const {
  nodes[0] = 1.0;
  nodes[1] = 0.0;
  for (int j = 1; j < values; ++j) nodes[j + 1] = (past(j).t - r.t) / r.h;
}

void Engine::predict(const StepRequest& r, int values) {
  const int n = std::min({values, count_, guessed_over});
  plmsm::Row<double> theta{}, middle{};
  lay_nodes(r, n, theta.data());
  const plmsm::Row<double> weight = plmsm::extrapolation(theta.data() + 1, n, 1.0);
  velocity_.setZero();
  trial_.x = past(0).x;
  const int first = positions_ + nv_, rest = static_cast<int>(trial_.x.size()) - first;
  trial_.x.tail(rest).setZero();
  for (int j = 0; j < n; ++j) {
    velocity_ += weight[at(j)] * past(j).velocity;
    trial_.x.tail(rest) += weight[at(j)] * past(j).x.tail(rest);
  }
  trial_.x.segment(positions_, nv_) = velocity_;
  // Mean velocities of the past steps belong to their midpoints.
  const int steps = std::min(n, count_ - 1);
  if (steps < 1) {
    increment_ = r.h * velocity_;
    return;
  }
  for (int j = 0; j < steps; ++j) middle[at(j)] = (0.5 * (past(j).t + past(j + 1).t) - r.t) / r.h;
  const plmsm::Row<double> mean = plmsm::extrapolation(middle.data(), steps, 0.5);
  increment_.setZero();
  for (int j = 0; j < steps; ++j)
    increment_ += (mean[at(j)] * r.h / (past(j).t - past(j + 1).t)) * past(j).increment;
}

GroupNewton::Result Engine::solve(const StepRequest& r, KinematicRelation& relation,
                                  const double* base, double sigma) {
  GroupNewton::Step s;
  s.t_new = r.t_new;
  s.h = r.h;
  s.base = base;
  s.relation = &relation;
  s.sigma = sigma;
  s.known = known_rate_.data();
  s.weight = &r.weight;
  s.scale = r.scale ? r.scale : &r.weight;
  const GroupNewton::Result result = newton_.solve(s, increment_, trial_);
  if (result.outcome == Outcome::ok) velocity_ = trial_.x.segment(positions_, nv_);
  return result;
}

// The polynomial through the ends of the step and the values next to them, in the chart at its
// beginning. In the first steps values ahead of the step take the place of those before it.
Outcome Engine::interpolant(Interpolant& out) {
  const double h = trial_.t - past(0).t;
  struct Node {
    double theta;
    const double* x;
  };
  std::array<Node, max_steps + 2> nodes{};
  const int wanted = common_.interpolated + 1;
  int n = 0;
  nodes[at(n++)] = {0.0, past(0).x.data()};
  nodes[at(n++)] = {1.0, trial_.x.data()};
  for (int j = 1; j < count_ && n < wanted; ++j)
    nodes[at(n++)] = {(past(j).t - past(0).t) / h, past(j).x.data()};
  if (starting_)
    for (int i = block_at_ + 2; i <= block_count_ && n < wanted; ++i)
      nodes[at(n++)] = {(block_[at(i)].t - past(0).t) / h, block_[at(i)].x.data()};
  const Layout& l = system_.layout;
  out.t0 = past(0).t;
  out.h = h;
  out.degree = n - 1;
  out.base = past(0).x;
  for (int p = 1; p < n; ++p) out.c.col(p).setZero();
  // Monomial coefficients of each Lagrange polynomial; the one at theta = 0 belongs to the origin.
  for (int j = 1; j < n; ++j) {
    std::array<double, max_steps + 3> m{};
    m[0] = 1.0;
    int degree = 0;
    for (int i = 0; i < n; ++i) {
      if (i == j) continue;
      const double over = 1.0 / (nodes[at(j)].theta - nodes[at(i)].theta);
      ++degree;
      for (int p = degree; p >= 0; --p)
        m[at(p)] = ((p > 0 ? m[at(p - 1)] : 0.0) - nodes[at(i)].theta * m[at(p)]) * over;
    }
    l.minus(out.base.data(), nodes[at(j)].x, scratch_.xd.data());
    for (int p = 1; p < n; ++p) out.c.col(p) += m[at(p)] * scratch_.xd;
  }
  return Outcome::ok;
}

void Engine::archive(Archive& a) {
  a.within(count_, 0, static_cast<int>(past_.size()));
  a.within(block_count_, 0, static_cast<int>(block_.size()));
  a.within(block_at_, 0, static_cast<int>(block_.size()));
  a(block_h_);
  for (Entry& e : past_) a(e.t, e.x, e.velocity, e.rate, e.increment);
  for (State& s : block_) a(s.t, s.x, s.xd);
  newton_.archive(a);
  normal_.archive(a);
}

}  // namespace daedalus::lie_methods
