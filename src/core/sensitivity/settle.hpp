// SPDX-License-Identifier: BSD-3-Clause
// Derivatives through consistent initialisation: the start-value solver itself, for states and
// parameters nearby. Whatever it does (completing multipliers, least change, hidden constraints),
// the quotient is the derivative of that.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sensitivity/column_equations.hpp"
#include "start/consistent.hpp"

namespace daedalus {

class Settle {
 public:
  Settle(ColumnEquations& equations, const Asked& asked, const Options& options, double t0);

  // Consistent state of the column equations at model values y; empty: done, else the reason.
  // near: 0 the problem itself, else 2 k + 1 and 2 k + 2 for the upper and lower value of parameter
  // k. begin: initial equations and the user's strategy hold.
  std::string state(int near, double t, const Eigen::VectorXd& y, bool begin, State& out);
  void set_modes(const std::vector<double>& modes);

  // Columns of consistent start values, combined as asked; not empty: why there are none.
  std::string at_start(double t0, const State& here, Eigen::MatrixXd& columns);

  // The start values the user gives for a problem, in model coordinates.
  Eigen::VectorXd given(int near, double t0);
  bool keeps_differentiated() const { return strategy_ == StartStrategy::automatic; }

 private:
  // Where differentiated variables start as given and the equations determine the rest (index 0
  // and 1, nothing else asked): one linear system. False: not so.
  bool by_linear_equations(const State& here, Eigen::MatrixXd& base);
  System& system(int near);
  std::shared_ptr<const Problem> problem(int near) const;
  std::string quotient(double t0, const State& here, int near_upper, int near_lower,
                       const Eigen::VectorXd& y_upper, const Eigen::VectorXd& y_lower, double width,
                       const std::string& name, Eigen::Ref<Eigen::VectorXd> out);
  std::string moved(const State& here, const State& upper, const State& lower,
                    const Eigen::VectorXd& y_upper, const Eigen::VectorXd& y_lower, double width,
                    const std::string& name) const;

  ColumnEquations& equations_;
  const Asked& asked_;
  const Options& options_;
  double t0_;
  StartStrategy strategy_;
  bool mechanical_;
  std::shared_ptr<const Problem> owned_;
  std::vector<std::unique_ptr<System>> near_;  // made when they are needed
  std::vector<double> modes_;
};

// [w(here, upper) - w(here, lower)] / width in tangent coordinates.
void difference(const Layout& layout, const State& here, const State& upper, const State& lower,
                double width, Eigen::Ref<Eigen::VectorXd> out);

}  // namespace daedalus
