// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/carried_error.hpp"

namespace daedalus {

CarriedError::CarriedError(System& system) : system_(system) {
  for (const LayoutBlock& b : system.layout.blocks()) needed_ = needed_ || b.index == 3;
  selected_.setZero(needed_ ? system.layout.tangents() : 0);
}

void CarriedError::find(const Eigen::VectorXd& error, Eigen::VectorXd& part) {
  Pencil& pencil = system_.residual_view()->residual_pencil();
  for (const LayoutBlock& b : system_.layout.blocks())
    if (b.index == 2)
      selected_.segment(b.tangent, b.space.tangents()) =
          error.segment(b.tangent, b.space.tangents());
  part.setZero();
  pencil.add_e_times(pencil.alpha(), selected_.data(), part.data());
  pencil.solve(part.data());
  for (const LayoutBlock& b : system_.layout.blocks())
    if (b.index != 2) part.segment(b.tangent, b.space.tangents()).setZero();
}

}  // namespace daedalus
