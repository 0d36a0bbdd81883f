// SPDX-License-Identifier: BSD-3-Clause
#include "system/invariants.hpp"

namespace daedalus {

Invariants::Invariants(std::unique_ptr<VectorMap> values, const Layout& layout, bool differences)
    : map_(std::move(values)), jacobian_(*map_, layout, {}, differences) {
  jacobian_.assume_dense();
  held_.setZero(count());
  defect_.setZero(count());
  gradient_.setZero(count(), layout.tangents());
}

Outcome Invariants::mark(const State& at, Failure& failure) {
  return guarded(failure, at.t,
                 [&] { return map_->value(at.t, at.x.data(), nullptr, held_.data()); });
}

Outcome Invariants::evaluate(const State& at, Counter& counter, Failure& failure) {
  Outcome o = guarded(failure, at.t,
                      [&] { return map_->value(at.t, at.x.data(), nullptr, defect_.data()); });
  if (o == Outcome::ok) o = jacobian_.evaluate(at.t, at.x.data(), nullptr, counter, failure);
  if (o != Outcome::ok) {
    failure.function = map_->running();
    return o;
  }
  defect_ -= held_;
  gradient_ = Eigen::Map<const Eigen::MatrixXd>(jacobian_.dx.values.data(), gradient_.rows(),
                                                gradient_.cols());
  if (defect_.allFinite() && gradient_.allFinite()) return Outcome::ok;
  failure = {"invariants", -1, at.t, {}};
  return Outcome::not_finite;
}

}  // namespace daedalus
