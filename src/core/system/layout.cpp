// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/stepper/layout.hpp>

#include "system/communicator.hpp"

namespace daedalus {

Communicator& Layout::communicator() const {
  static Communicator serial;
  return communicator_ ? *communicator_ : serial;
}

void Layout::add(VariableClass cls, int index, Space space, std::vector<std::string> tangent_names,
                 bool tested) {
  if (space.tangents() == 0) return;
  LayoutBlock b{cls, index, std::move(space), tested, points_, tangents_};
  points_ += b.space.points();
  tangents_ += b.space.tangents();
  euclidean_ = euclidean_ && b.space.is_euclidean();
  for (int i = 0; i < b.space.tangents(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    names_.push_back(k < tangent_names.size()
                         ? std::move(tangent_names[k])
                         : std::string(to_string(cls)) + std::to_string(i + 1));
  }
  blocks_.push_back(std::move(b));
}

const LayoutBlock* Layout::find(VariableClass cls) const {
  for (const LayoutBlock& b : blocks_)
    if (b.cls == cls) return &b;
  return nullptr;
}

void Interpolant::reserve(const Layout& layout, int max_degree) {
  base.setZero(layout.points());
  c.setZero(layout.tangents(), max_degree + 1);
}

void Interpolant::make_linear(const Layout& layout, const State& from, const State& to) {
  t0 = from.t;
  h = to.t - from.t;
  base = from.x;
  degree = 1;
  layout.minus(from.x.data(), to.x.data(), c.col(1).data());
}

void Interpolant::evaluate(const Layout& layout, double t, Eigen::VectorXd& w, double* x) const {
  const double theta = (t - t0) / h;
  w = c.col(degree);
  for (int j = degree - 1; j >= 1; --j) w = w * theta + c.col(j);
  w *= theta;
  layout.plus(base.data(), w.data(), x);
}

}  // namespace daedalus
