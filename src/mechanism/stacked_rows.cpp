// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism/stacked_rows.hpp"

#include "mechanism/linearise.hpp"
#include "mechanism/nonholonomic.hpp"

namespace daedalus::mechanism {
namespace {

int holonomic_rows(const Plan& plan) { return static_cast<int>(plan.rows.size()); }
const Row& position_row(const Plan& plan, int row) {
  return plan.rows[static_cast<std::size_t>(row)];
}
const NonholonomicRow& velocity_row(const Plan& plan, int row) {
  return plan.nonholonomic[static_cast<std::size_t>(row - holonomic_rows(plan))];
}

}  // namespace

SparseMatrix stacked_rows(const Plan& plan, double t, const Eigen::VectorXd& q,
                          const std::vector<double>& near) {
  Linearisation rows(plan, plan.groups, plan.rows);
  rows.evaluate(t, q, near);
  std::vector<Eigen::Triplet<double>> entries;
  for (const RowEntry& e : rows.entries()) entries.emplace_back(e.row, e.column, e.value);
  View<double> x;
  x.plan = &plan;
  x.q = q.data();
  x.near = near.data();
  int number = holonomic_rows(plan);
  for (const NonholonomicRow& row : plan.nonholonomic) {
    const Pair<double> p(x, row.A, row.B);
    add_gradient<double>(x, p, nonholonomic_gradient<double>(x, row, p), row.scale,
                         [&](int column, double value) {
                           if (value != 0.0) entries.emplace_back(number, column, value);
                         });
    ++number;
  }
  SparseMatrix C(number, plan.velocities);
  C.setFromTriplets(entries.begin(), entries.end());
  return C;
}

int joint_of_row(const Plan& plan, int row) {
  return row < holonomic_rows(plan) ? position_row(plan, row).joint : velocity_row(plan, row).joint;
}

std::string row_name(const Plan& plan, int row) {
  const std::string& name =
      row < holonomic_rows(plan) ? position_row(plan, row).name : velocity_row(plan, row).name;
  return plan.joints[static_cast<std::size_t>(joint_of_row(plan, row))].name + "." + name;
}

bool follows_time(const Plan& plan, int row) {
  if (row >= holonomic_rows(plan)) return velocity_row(plan, row).profile >= 0;
  const Row& r = position_row(plan, row);
  return r.profile >= 0 && r.kind != RowKind::surface;
}

}  // namespace daedalus::mechanism
