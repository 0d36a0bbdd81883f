// SPDX-License-Identifier: BSD-3-Clause
// Jacobians of maps that know their derivatives: nothing is probed, coloured or compared.
#include <cmath>

#include "system/jacobian.hpp"

namespace daedalus {

void JacobianEvaluator::prepare_formulas() {
  known_ = true;
  structured_ = false;  // complete as it is
  lanes_.clear();
  const SparsePattern none{m_, n_, std::vector<int>(static_cast<std::size_t>(n_) + 1), {}};
  dx.pattern = wanted_.x ? map_.known_pattern(false) : none;
  dx.values.assign(static_cast<std::size_t>(dx.pattern.nonzeros()), 0.0);
  if (!wanted_.xd) return;
  if (std::optional<SparseValues> constant = map_.constant_rates()) {
    dxd = std::move(*constant);
    wanted_.xd = false;
    rates_known_ = true;
    return;
  }
  dxd.pattern = map_.known_pattern(true);
  dxd.values.assign(static_cast<std::size_t>(dxd.pattern.nonzeros()), 0.0);
}

Outcome JacobianEvaluator::by_formulas(double t, const double* x, const double* xd,
                                       Failure& failure) {
  double* const of_x = wanted_.x ? dx.values.data() : nullptr;
  double* const of_xd = wanted_.xd ? dxd.values.data() : nullptr;
  double* const of_t = wanted_.t ? dt.data() : nullptr;
  const Outcome outcome =
      guarded(failure, t, [&] { return map_.known_derivatives(t, x, xd, of_x, of_xd, of_t); });
  if (outcome != Outcome::ok) {
    failure.function = map_.running();
    return outcome;
  }
  return first_not_finite() ? Outcome::not_finite : Outcome::ok;
}

}  // namespace daedalus
