// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/iteration_weights.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {
// Tests of convergence compare with a small part of the weight; at this share of a variable that
// part is still above the rounding errors of a residual.
constexpr double min_share_of_variable = 1e-11;
}  // namespace

IterationWeights::IterationWeights(const Layout& layout) {
  for (const LayoutBlock& b : layout.blocks()) {
    const auto count = static_cast<std::size_t>(b.space.tangents());
    max_index_ = std::max(max_index_, b.index);
    index_.insert(index_.end(), count, b.index);
    // lambda of index 1 takes no part in the constraints of index 2; eta and a enter positions and
    // velocities times h and nothing else.
    const Role role = b.cls == VariableClass::eta || b.cls == VariableClass::a ? Role::auxiliary
                      : b.cls == VariableClass::lambda                         ? Role::lambda
                                                                               : Role::other;
    role_.insert(role_.end(), count, role);
  }
}

void IterationWeights::set_index(std::vector<int> index) {
  index_ = std::move(index);
  max_index_ = index_.empty() ? 1 : *std::max_element(index_.begin(), index_.end());
}

void IterationWeights::apply(double h, const Eigen::VectorXd& magnitude,
                             Eigen::VectorXd& weight) const {
  if (max_index_ < 2) return;
  const double size = std::min(1.0, std::abs(h));
  for (Eigen::Index i = 0; i < weight.size(); ++i) {
    const int index = index_[static_cast<std::size_t>(i)];
    const Role role = role_[static_cast<std::size_t>(i)];
    if (max_index_ > 2)
      weight[i] /= std::pow(size, index - 1);
    else if (role == Role::auxiliary)
      weight[i] /= size;
    else if (index == 1 && role != Role::lambda)
      weight[i] = std::min(
          weight[i], std::max(size * weight[i], min_share_of_variable * (1.0 + magnitude[i])));
  }
}

}  // namespace daedalus
