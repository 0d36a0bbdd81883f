// SPDX-License-Identifier: BSD-3-Clause
// The variables of a system in blocks. States live in point coordinates; errors, increments and
// derivatives in tangent coordinates. The two differ only for blocks on a group.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include <daedalus/event.hpp>
#include <daedalus/space.hpp>

namespace daedalus {

class Communicator;

struct LayoutBlock {
  VariableClass cls = VariableClass::y;
  int index = 1;  // differentiation index of these variables
  Space space{};
  bool tested = true;  // takes part in the error test
  int point = 0, tangent = 0;
};

class Layout {
 public:
  void add(VariableClass cls, int index, Space space, std::vector<std::string> tangent_names,
           bool tested = true);

  const std::vector<LayoutBlock>& blocks() const { return blocks_; }
  std::vector<LayoutBlock>& blocks() { return blocks_; }
  const LayoutBlock* find(VariableClass cls) const;
  int points() const { return points_; }
  int tangents() const { return tangents_; }
  bool euclidean() const { return euclidean_; }
  const std::string& name(int tangent) const { return names()[static_cast<std::size_t>(tangent)]; }
  const std::vector<std::string>& names() const;
  // The blocks that begin within the first points, of a run in one process.
  Layout head(int points) const;

  // Norms over all variables reduce their sums with it; that of a run in one process does nothing.
  Communicator& communicator() const;
  void cut_over(Communicator& ranks) { communicator_ = &ranks; }

  template <class S>
  void plus(const S* x, const S* w, S* out) const {
    for (const LayoutBlock& b : blocks_) b.space.plus(x + b.point, w + b.tangent, out + b.point);
  }
  void minus(const double* from, const double* to, double* w) const {
    for (const LayoutBlock& b : blocks_) b.space.minus(from + b.point, to + b.point, w + b.tangent);
  }
  void magnitude(const double* x, double* out) const {
    for (const LayoutBlock& b : blocks_) b.space.magnitude(x + b.point, out + b.tangent);
  }

 private:
  std::vector<LayoutBlock> blocks_;
  std::shared_ptr<std::vector<std::string>> names_;  // shared by copies until one adds more
  int points_ = 0, tangents_ = 0;
  bool euclidean_ = true;
  Communicator* communicator_ = nullptr;  // null: all variables are here
};

// Point coordinates and, where the method or the start-value solver knows it, the derivative in
// tangent coordinates.
struct State {
  double t = 0.0;
  Eigen::VectorXd x, xd;
};

// x(theta) = base (+) sum_j c_j theta^j, theta = (t - t0) / h: data, stored and plotted as it is.
struct Interpolant {
  double t0 = 0.0, h = 0.0;
  int degree = 0;
  Eigen::VectorXd base;
  Eigen::MatrixXd c;  // one column per power up to the degree; column 0 unused

  void reserve(const Layout& layout, int max_degree);
  void clear_unused();  // coefficients beyond the degree, which hold anything
  // Straight from one state to another in the tangent space at the first.
  void make_linear(const Layout& layout, const State& from, const State& to);
  // w is scratch of tangent size; x receives the point.
  void evaluate(const Layout& layout, double t, Eigen::VectorXd& w, double* x) const;
};

}  // namespace daedalus
