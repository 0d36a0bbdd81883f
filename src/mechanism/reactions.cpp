// SPDX-License-Identifier: BSD-3-Clause
// Forces and moments of joints from the multipliers of their rows.
#include <fmt/format.h>

#include <Eigen/QR>

#include "mechanism/assembly.hpp"
#include "mechanism/linearise.hpp"
#include "mechanism/nonholonomic.hpp"

namespace daedalus {

using namespace mechanism;

namespace {

// What the rows of a joint do to one body: the second, or the first where the second is ground. Of
// couplers the bodies are those of the last joint that they couple.
struct Side {
  int body = -1;
  double sign = 1.0;
  const Place* at = nullptr;
};
Side side_of(const PlanJoint& j) {
  if (j.B.body >= 0) return {j.B.body, 1.0, &j.B};
  return {j.A.body, -1.0, &j.A};
}

int width_of(const Plan& plan, int body) { return plan.planar() || plan.body(body).point ? 3 : 6; }

// Generalised forces of every joint on its body.
class Sums {
 public:
  explicit Sums(const Plan& plan) : plan_(plan), of_(plan.joints.size(), Vector6::Zero()) {}
  void add(int joint, int column, double value) {
    const int body = side_of(plan_.joints[static_cast<std::size_t>(joint)]).body;
    if (body < 0) return;
    const int k = column - plan_.body(body).v;
    if (k >= 0 && k < width_of(plan_, body)) of_[static_cast<std::size_t>(joint)][k] += value;
  }
  Wrench wrench(const View<double>& x, int joint) const {
    Wrench w;
    const Side side = side_of(plan_.joints[static_cast<std::size_t>(joint)]);
    if (side.body < 0) return w;
    const Vector6& f = of_[static_cast<std::size_t>(joint)];
    const Eigen::Matrix3d R = x.rotation(side.body);
    Eigen::Vector3d F = f.head<3>(), M = Eigen::Vector3d::Zero();
    if (plan_.planar()) {
      F[2] = 0.0;
      M[2] = f[2];
    } else if (!plan_.body(side.body).point) {
      if (plan_.body_velocities()) F = R * F;
      M = R * f.tail<3>();
    }
    w.force = side.sign * F;
    w.moment = side.sign * (M - (R * side.at->s).cross(F));
    return w;
  }

 private:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  const Plan& plan_;
  std::vector<Vector6> of_;
};

// The smallest multipliers of all rows that do what those of the kept rows do: what the relations
// between dependent rows allow is taken away. Empty where the rows relate otherwise than at the
// start.
Eigen::VectorXd shared_multipliers(const Plan& plan, const Linearisation& all, const In& lambda) {
  Eigen::VectorXd norms;
  const SparseMatrix B = with_unit_rows(by_mass(plan, all.matrix()), norms);
  constexpr double open = 1e-6;  // rows of a run are met to its tolerance only
  const RowRank rank = rank_in_order(B, open);
  if (rank.dependent.size() != plan.all_rows.size() - plan.rows.size()) return {};
  Eigen::VectorXd shared = Eigen::VectorXd::Zero(static_cast<int>(plan.all_rows.size()));
  for (std::size_t k = 0; k < plan.kept.size(); ++k)
    shared[plan.kept[k]] = lambda[static_cast<int>(k)];
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(shared.size(), static_cast<int>(rank.dependent.size()));
  for (std::size_t k = 0; k < rank.dependent.size(); ++k) {
    const DependentRow& d = rank.dependent[k];
    const auto column = static_cast<int>(k);
    Y(d.row, column) = 1.0 / norms[d.row];
    for (const auto& [row, factor] : d.of) Y(row, column) = -factor / norms[row];
  }
  return shared - Y * Y.householderQr().solve(shared);
}

}  // namespace

std::vector<Wrench> Assembled::reactions(const StateView& state) const {
  const Plan& plan = *plan_;
  View<double> x;
  x.plan = &plan;
  x.q = state.q().data();
  x.v = state.v().data();
  x.followed = x.q + plan.positions;
  const In lambda = state.lambda();
  const bool redundant = plan.all_rows.size() > plan.rows.size();
  const bool sharing = redundant && plan.shared_reactions;
  const std::vector<Row>& rows = sharing ? plan.all_rows : plan.rows;
  Linearisation at(plan, sharing ? plan.all_groups : plan.groups, rows);
  at.evaluate(state.t(), state.q(), coordinates_at(plan, state.q().data(), state.t()));
  Eigen::VectorXd multipliers =
      sharing ? shared_multipliers(plan, at, lambda)
              : Eigen::VectorXd(lambda.head(static_cast<int>(plan.rows.size())));
  const bool known = multipliers.size() == static_cast<int>(rows.size());
  Sums sums(plan);
  if (known)
    for (const RowEntry& e : at.entries())
      sums.add(rows[static_cast<std::size_t>(e.row)].joint, e.column,
               -multipliers[e.row] * e.value);
  for (std::size_t k = 0; k < plan.nonholonomic.size(); ++k) {
    const NonholonomicRow& row = plan.nonholonomic[k];
    const Pair<double> p(x, row.A, row.B);
    const double factor = -row.scale * lambda[plan.holonomic() + static_cast<int>(k)];
    add_gradient<double>(x, p, nonholonomic_gradient<double>(x, row, p), factor,
                         [&](int column, double value) { sums.add(row.joint, column, value); });
  }
  std::vector<Wrench> all(plan.joints.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool in_loop = !plan.unknown.empty() && plan.unknown[k];
    const bool in_rates = in_loop && plan.unknown_rates[k];
    if (known && (!in_loop || (sharing && !in_rates))) {
      all[k] = sums.wrench(x, static_cast<int>(k));
      all[k].shared = in_loop;
    } else {
      all[k].known = false;
    }
  }
  return all;
}

Wrench Assembled::reaction(const StateView& state, JointId joint) const {
  return reactions(state).at(static_cast<std::size_t>(joint.number));
}

}  // namespace daedalus
