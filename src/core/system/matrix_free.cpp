// SPDX-License-Identifier: BSD-3-Clause
#include "system/matrix_free.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "system/krylov_target.hpp"

namespace daedalus {
MatrixFree::MatrixFree(VectorMap& map, const Layout& layout, const std::vector<MassEntry>* mass,
                       const KrylovOptions& options, bool differences, Counter& counter,
                       Failure& failure)
    : map_(map),
      layout_(layout),
      mass_(mass),
      options_(options),
      differences_(differences || !map.differentiable()),
      counter_(counter),
      failure_(failure),
      n_(layout.tangents()),
      gmres_(n_, {options.dimension, options.iterations}) {
  at_.x.setZero(layout.points());
  at_.xd.setZero(n_);
  const auto n = static_cast<std::size_t>(n_);
  if (differences_) {
    for (Eigen::VectorXd* v : {&base_, &moved_}) v->setZero(map.rows());
    point_.setZero(layout.points());
    shift_.setZero(n_);
  } else {
    x_.resize(static_cast<std::size_t>(layout.points()));
    if (!layout.euclidean()) w_.resize(n);
    xd_.resize(n);
    r_.resize(static_cast<std::size_t>(map.rows()));
  }
  matrix_ = [this](const double* v, double* out) { return product(v, out); };
  precondition_ = [this](const double* r, double* out) {
    if (!options_.preconditioner.apply) {
      std::copy_n(r, n_, out);
      return true;
    }
    return guarded(failure_, at_.t, [&] {
             options_.preconditioner.apply(In(r, n_), Out(out, n_));
             return Eval::ok;
           }) == Outcome::ok;
  };
}

void MatrixFree::move(double t, const double* x, const double* xd) {
  at_.t = t;
  std::copy_n(x, at_.x.size(), at_.x.data());
  with_rates_ = xd != nullptr;
  if (xd) std::copy_n(xd, n_, at_.xd.data());
}

Outcome MatrixFree::update(double alpha, double beta) {
  alpha_ = alpha;
  beta_ = beta;
  if (differences_ && guarded(failure_, at_.t, [&] {
                        return map_.value(at_.t, at_.x.data(),
                                          with_rates_ ? at_.xd.data() : nullptr, base_.data());
                      }) != Outcome::ok)
    return Outcome::callback_rejected;
  if (!options_.preconditioner.update) return Outcome::ok;
  const PreconditionerSite site{at_.t, In(at_.x.data(), at_.x.size()), In(at_.xd.data(), n_),
                                std::abs(alpha / beta)};
  const Outcome o = guarded(failure_, at_.t, [&] {
    return options_.preconditioner.update(site) ? Eval::ok : Eval::reject;
  });
  if (o == Outcome::ok) return o;
  failure_.function = "preconditioner";
  return Outcome::callback_rejected;
}

void MatrixFree::measure_in(const double* scale, double negligible) {
  scale_ = scale;
  negligible_ = negligible;
}

bool MatrixFree::solve(double* x) {
  const KrylovTarget target =
      krylov_target(layout_, scale_ != nullptr, static_cast<bool>(options_.preconditioner.apply),
                    options_.tolerance, negligible_);
  const Gmres::Result r =
      gmres_.solve(matrix_, precondition_, scale_, target.relative, target.absolute, x);
  counter_.now().krylov_iterations += r.products;
  if (r.converged) return true;
  counter_.now().krylov_failures += 1;
  failure_.reduction = r.reduction;
  return false;
}

Outcome MatrixFree::by_duals(const double* const* v, int count, double alpha, double beta) {
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = Dual4(at_.x[static_cast<Eigen::Index>(i)]);
  for (int j = 0; j < n_; ++j)
    xd_[static_cast<std::size_t>(j)] = Dual4(with_rates_ ? at_.xd[j] : 0.0);
  std::vector<Dual4>& moved = layout_.euclidean() ? x_ : w_;
  if (!layout_.euclidean()) std::fill(w_.begin(), w_.end(), Dual4(0.0));
  for (int lane = 0; lane < count; ++lane)
    for (int j = 0; j < n_; ++j) {
      const auto k = static_cast<std::size_t>(j), l = static_cast<std::size_t>(lane);
      moved[k].d[l] = beta * v[lane][j];
      if (!mass_) xd_[k].d[l] = alpha * v[lane][j];
    }
  if (!layout_.euclidean()) layout_.plus(x_.data(), w_.data(), x_.data());
  const Outcome o = guarded(
      failure_, at_.t, [&] { return map_.dual(Dual4(at_.t), x_.data(), xd_.data(), r_.data()); });
  if (o != Outcome::ok) failure_.function = map_.running();
  return o;
}

bool MatrixFree::by_difference(const double* v, double* out) {
  // The shift is a share of the point in the norm of the whole vector.
  const Eigen::Map<const Eigen::VectorXd> direction(v, n_);
  const double length = direction.norm();
  if (length == 0.0) {
    std::fill_n(out, n_, 0.0);
    return true;
  }
  const double share = std::sqrt(map_.noise()) * (1.0 + at_.x.norm()) / length;
  shift_ = share * beta_ * direction;
  layout_.plus(at_.x.data(), shift_.data(), point_.data());
  if (!mass_) shift_ = at_.xd + share * alpha_ * direction;
  const double* rates = mass_ ? nullptr : shift_.data();
  if (guarded(failure_, at_.t, [&] {
        return map_.value(at_.t, point_.data(), rates, moved_.data());
      }) != Outcome::ok)
    return false;
  for (int i = 0; i < n_; ++i) out[i] = (moved_[i] - base_[i]) / share;
  return true;
}

bool MatrixFree::product(const double* v, double* out) {
  if (differences_) {
    if (!by_difference(v, out)) return false;
  } else {
    if (by_duals(&v, 1, alpha_, beta_) != Outcome::ok) return false;
    for (int i = 0; i < n_; ++i) out[i] = r_[static_cast<std::size_t>(i)].d[0];
  }
  if (mass_)
    for (const MassEntry& e : *mass_) out[e.row] += alpha_ * e.value * v[e.column];
  return true;
}

Outcome MatrixFree::sensitivity(const Eigen::VectorXd& size, Eigen::VectorXd& out) {
  std::array<Eigen::VectorXd, 4> change;
  std::array<const double*, 4> lanes{};
  unsigned state = 1;
  for (std::size_t k = 0; k < 4; ++k) {
    change[k] = size;
    for (double& c : change[k]) {
      state = state * 1664525u + 1013904223u;
      // Not signs alone: the equal entries of a difference quotient would cancel in some row.
      c *= 2.0 * (state / 4294967296.0) - 1.0;
    }
    lanes[k] = change[k].data();
  }
  out.setZero(map_.rows());
  if (!differences_) {
    if (const Outcome o = by_duals(lanes.data(), 4, 0.0, 1.0); o != Outcome::ok) return o;
    for (int i = 0; i < out.size(); ++i)
      for (const double d : r_[static_cast<std::size_t>(i)].d)
        out[i] = std::max(out[i], 2.0 * std::abs(d));
    return Outcome::ok;
  }
  if (const Outcome o = update(0.0, 1.0); o != Outcome::ok) return o;
  Eigen::VectorXd row(map_.rows());
  for (const double* lane : lanes) {
    if (!by_difference(lane, row.data())) return Outcome::callback_rejected;
    out = out.cwiseMax(2.0 * row.cwiseAbs());
  }
  return Outcome::ok;
}

void MatrixFree::archive(Archive& a) { a(at_.t, at_.x, at_.xd, with_rates_); }

}  // namespace daedalus
