// SPDX-License-Identifier: BSD-3-Clause
// The states of a run at any time, with their rates, from its dense output.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <daedalus/integrator.hpp>
#include <daedalus/solution.hpp>
#include <daedalus/stepper/layout.hpp>

namespace daedalus {

class StateHistory {
 public:
  // Of the whole run.
  struct Ends {
    double start_time = 0.0, end_time = 0.0, last_step = 0.0;
    Eigen::VectorXd start, end;  // model coordinates
  };
  virtual ~StateHistory() = default;
  const Ends& ends() const { return ends_; }
  // Model coordinates; rates in tangent coordinates. t within the window.
  void at(double t, Eigen::VectorXd& y, Eigen::VectorXd& rates);
  // At its ends the states are those inside of it: on one side of a jump.
  void window(double from, double to);
  void whole() { window(ends_.start_time, ends_.end_time); }
  // Where integrals over [from, to], in either direction, are cut so that each part follows what
  // the run resolved: so many of its steps, or a share of a long one. The last one is `to`.
  std::vector<double> parts(double from, double to, int steps);
  virtual const Layout& layout() = 0;
  virtual void each_piece(const std::function<void(const Interpolant&)>& visit) = 0;

 protected:
  virtual const Interpolant& piece(double inside) = 0;  // that ends there or contains it
  double sign() const { return ends_.end_time >= ends_.start_time ? 1.0 : -1.0; }
  Ends ends_;

 private:
  double from_ = 0.0, to_ = 0.0;
  Eigen::VectorXd w_, slope_;
};

// All of it in memory.
class KeptHistory final : public StateHistory {
 public:
  explicit KeptHistory(const Solution& solution);
  const Layout& layout() override;
  void each_piece(const std::function<void(const Interpolant&)>& visit) override;

 private:
  const Interpolant& piece(double inside) override;
  Solution solution_;
};

// The piece of `all`, in the order of a run in the direction of `sign`, that ends at `inside` or
// contains it.
const Interpolant& piece_of(const std::vector<Interpolant>& all, double inside, double sign);

void evaluate(const Layout& layout, const Interpolant& piece, double t, Eigen::VectorXd& w,
              Eigen::VectorXd& slope, Eigen::VectorXd& y, Eigen::VectorXd& rates);

// Nodes and weights on [0, 1], exact for polynomials of degree 2 n - 1.
struct GaussRule {
  const double* nodes;
  const double* weights;
  int count;
};
GaussRule gauss_rule(int points);  // 2, 3, 4 or 5

}  // namespace daedalus
