// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of v at the last of the start values from their velocities and the acceleration
// there: v^(j) is that of the polynomial of degree j with these slopes and values, j! times the
// divided difference [t_0, t_0, t_1, ..., t_{j-1}] v, newest first. On equal steps it is h^j v^(j)
// = sum_i delta_i^(j) v_{k-1-i} + j h v' (Wieloch 2022, (3.59)).
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "methods/lie/engine.hpp"

namespace daedalus::lie_methods {

class StartDerivatives {
 public:
  StartDerivatives(int k, int velocities)
      : k_(k), nodes_(static_cast<std::size_t>(k)), derivatives_(static_cast<std::size_t>(k) + 1) {
    for (Eigen::VectorXd& d : derivatives_) d.setZero(velocities);
  }
  void value(int i, double t, const Eigen::VectorXd& v) {
    nodes_[static_cast<std::size_t>(i)] = {t, v};
  }
  void evaluate(const Eigen::VectorXd& rate) {
    derivatives_[0] = nodes_[0].v;
    derivatives_[1] = rate;
    // column[i] = [t_i, ...] of the nodes t_0, t_0, t_1, ..., one more of them in each round.
    std::vector<Eigen::VectorXd> column;
    std::vector<double> t{nodes_[0].t};
    for (const Node& n : nodes_) t.push_back(n.t), column.push_back(n.v);
    column.insert(column.begin(), nodes_[0].v);
    double factorial = 1.0;
    for (int j = 1; j <= k_; ++j) {
      for (int i = 0; i + j <= k_; ++i) {
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(i + j);
        if (i == 0 && j == 1)
          column[a] = rate;
        else
          column[a] = (column[a + 1] - column[a]) / (t[b] - t[a]);
      }
      factorial *= j;
      if (j > 1) derivatives_[static_cast<std::size_t>(j)] = factorial * column[0];
    }
    for (std::size_t j = 0; j < derivatives_.size(); ++j) pointers_[j] = derivatives_[j].data();
  }
  const double* const* pointers() const { return pointers_.data(); }

 private:
  struct Node {
    double t = 0.0;
    Eigen::VectorXd v{};
  };
  int k_;
  std::vector<Node> nodes_;
  std::vector<Eigen::VectorXd> derivatives_;
  std::array<const double*, max_steps + 1> pointers_{};
};

}  // namespace daedalus::lie_methods
