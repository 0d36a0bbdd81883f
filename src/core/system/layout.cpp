// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/stepper/layout.hpp>

#include <algorithm>

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
  if (!names_ || names_.use_count() > 1)
    names_ = std::make_shared<std::vector<std::string>>(names());
  if (names_->empty()) names_->reserve(static_cast<std::size_t>(tangents_));
  for (int i = 0; i < b.space.tangents(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    names_->push_back(k < tangent_names.size()
                          ? std::move(tangent_names[k])
                          : std::string(to_string(cls)) + std::to_string(i + 1));
  }
  blocks_.push_back(std::move(b));
}

const std::vector<std::string>& Layout::names() const {
  static const std::vector<std::string> none;
  return names_ ? *names_ : none;
}

Layout Layout::head(int points) const {
  Layout first = *this;
  first.communicator_ = nullptr;
  if (blocks_.empty() || (points >= points_ && blocks_.back().point < points)) return first;
  first = Layout{};
  for (const LayoutBlock& b : blocks_) {
    if (b.point >= points) break;
    const auto name = names().begin() + b.tangent;
    first.add(b.cls, b.index, b.space, {name, name + b.space.tangents()}, b.tested);
  }
  return first;
}

const LayoutBlock* Layout::find(VariableClass cls) const {
  for (const LayoutBlock& b : blocks_)
    if (b.cls == cls) return &b;
  return nullptr;
}

void Interpolant::reserve(const Layout& layout, int max_degree) {
  base.setZero(layout.points());
  // Columns beyond the degree are nobody's: of large systems memory that nobody writes to costs
  // nothing.
  c.resize(layout.tangents(), max_degree + 1);
  c.col(0).setZero();
}

void Interpolant::clear_unused() {
  c.rightCols(c.cols() - std::min<long>(degree + 1, c.cols())).setZero();
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
