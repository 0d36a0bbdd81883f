// SPDX-License-Identifier: BSD-3-Clause
// Rows and their gradients at a point, by dual numbers: exact for every kind of row. Used outside
// of steps: assembly, rank, velocities, reactions.
#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "mechanism/rows.hpp"

namespace daedalus::mechanism {

// The gradient of a row by the tangent coordinates of one body: six, of points and in the plane
// three.
struct RowEntry {
  int row = 0, column = 0;
  double value = 0.0;
};

class Linearisation {
 public:
  Linearisation(const Plan& plan, const std::vector<Group>& groups, const std::vector<Row>& rows)
      : plan_(plan), groups_(groups), rows_(rows) {}

  // g and G (rows x velocities), scaled as the rows are. near: unwrapped coordinates nearby.
  void evaluate(double t, const Eigen::VectorXd& q, const std::vector<double>& near);
  const Eigen::VectorXd& values() const { return g_; }
  const std::vector<RowEntry>& entries() const { return entries_; }
  SparseMatrix matrix() const;

 private:
  void seed(int body, bool rotation, const Eigen::VectorXd& q);
  void restore(int body, const Eigen::VectorXd& q);
  void differentiate(const Group& group, int body, double t, const Eigen::VectorXd& q,
                     const View<Dual4>& x);

  const Plan& plan_;
  const std::vector<Group>& groups_;
  const std::vector<Row>& rows_;
  Eigen::VectorXd g_;
  std::vector<Dual4> q4_;
  std::vector<RowEntry> entries_;
};

// Values of all coordinates, unwrapped next to `near`.
std::vector<double> coordinate_values(const Plan& plan, const Eigen::VectorXd& q,
                                      const std::vector<double>& near);
std::vector<double> start_coordinates(const Plan& plan);

}  // namespace daedalus::mechanism
