// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism/linearise.hpp"

#include <algorithm>

#include "mechanism/assembly.hpp"

namespace daedalus::mechanism {
namespace {

// Bodies that the rows of a group depend on.
std::vector<int> bodies_of(const Plan& plan, const Group& group, const std::vector<Row>& rows) {
  std::vector<int> bodies{group.A.body, group.B.body};
  for (int k = group.first; k < group.first + group.count; ++k)
    for (const Term& term : rows[static_cast<std::size_t>(k)].terms) {
      bodies.push_back(plan.coordinate(term.coordinate).A.body);
      bodies.push_back(plan.coordinate(term.coordinate).B.body);
    }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  bodies.erase(std::remove(bodies.begin(), bodies.end(), -1), bodies.end());
  return bodies;
}

}  // namespace

void Linearisation::restore(int body, const Eigen::VectorXd& q) {
  const PlanBody& b = plan_.body(body);
  const int count = static_cast<std::size_t>(body) + 1 < plan_.bodies.size()
                        ? plan_.body(body + 1).q - b.q
                        : plan_.positions - b.q;
  for (int k = 0; k < count; ++k) q4_[static_cast<std::size_t>(b.q + k)] = Dual4(q[b.q + k]);
}

// Lane k is the derivative along tangent coordinate k, of the rotation 3 + k.
void Linearisation::seed(int body, bool rotation, const Eigen::VectorXd& q) {
  const PlanBody& b = plan_.body(body);
  Dual4* at = q4_.data() + b.q;
  View<double> x;
  x.plan = &plan_;
  x.q = q.data();
  const Eigen::Matrix3d R = x.rotation(body);
  const auto lane = [](int k) { return static_cast<std::size_t>(k); };
  if (plan_.planar() || b.point || !rotation) {
    const bool own_axes = plan_.body_velocities() && !b.point;
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) at[i].d[lane(k)] = own_axes ? R(i, k) : (i == k ? 1.0 : 0.0);
    return;
  }
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d e = Eigen::Vector3d::Unit(k);
    if (plan_.space == MechanismSpace::r3xs3 || plan_.space == MechanismSpace::s3_semidirect) {
      const double* p = q.data() + b.q + 3;
      const s3::Quaternion<double> rate =
          0.5 * s3::compose<double>(s3::Quaternion<double>(p[0], p[1], p[2], p[3]),
                                    s3::Quaternion<double>(0.0, e[0], e[1], e[2]));
      for (int i = 0; i < 4; ++i) at[3 + i].d[lane(k)] = rate[i];
    } else {
      const Eigen::Matrix3d rate = R * so3::skew<double>(e);
      for (int i = 0; i < 9; ++i) at[3 + i].d[lane(k)] = rate(i % 3, i / 3);
    }
  }
}

void Linearisation::differentiate(const Group& group, int body, double t, const Eigen::VectorXd& q,
                                  const View<Dual4>& x) {
  const PlanBody& b = plan_.body(body);
  const int passes = plan_.planar() || b.point ? 1 : 2;
  for (int pass = 0; pass < passes; ++pass) {
    seed(body, pass == 1, q);
    const Pair<Dual4> p(x, group.A, group.B);
    for (int k = group.first; k < group.first + group.count; ++k) {
      const Row& row = rows_[static_cast<std::size_t>(k)];
      const Dual4 value = row.scale * row_value<Dual4>(x, row, p, Dual4(t));
      for (int lane = 0; lane < 3; ++lane)
        if (const double slope = value.d[static_cast<std::size_t>(lane)]; slope != 0.0)
          entries_.push_back({k, b.v + 3 * pass + lane, slope});
    }
    restore(body, q);
  }
}

void Linearisation::evaluate(double t, const Eigen::VectorXd& q, const std::vector<double>& near) {
  g_.setZero(static_cast<int>(rows_.size()));
  entries_.clear();
  q4_.assign(q.data(), q.data() + q.size());
  View<double> plain;
  plain.plan = &plan_;
  plain.q = q.data();
  plain.near = near.data();
  for_each_row<double>(plain, groups_, rows_, [&](int k, const Row& row, const Pair<double>& p) {
    g_[k] = row.scale * row_value<double>(plain, row, p, t);
  });
  View<Dual4> x;
  x.plan = &plan_;
  x.q = q4_.data();
  x.near = near.data();
  for (const Group& group : groups_) {
    if (group.count == 0) continue;
    for (const int body : bodies_of(plan_, group, rows_)) differentiate(group, body, t, q, x);
  }
}

SparseMatrix Linearisation::matrix() const {
  std::vector<Eigen::Triplet<double>> list;
  list.reserve(entries_.size());
  for (const RowEntry& e : entries_) list.emplace_back(e.row, e.column, e.value);
  SparseMatrix G(static_cast<int>(rows_.size()), plan_.velocities);
  G.setFromTriplets(list.begin(), list.end());
  return G;
}

std::vector<double> coordinate_values(const Plan& plan, const Eigen::VectorXd& q,
                                      const std::vector<double>& near) {
  View<double> x;
  x.plan = &plan;
  x.q = q.data();
  x.near = near.data();
  std::vector<double> all(plan.coordinates.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = coordinate_value<double>(x, static_cast<int>(k));
  return all;
}

std::vector<double> start_coordinates(const Plan& plan) {
  std::vector<double> all;
  for (const PlanCoordinate& c : plan.coordinates) all.push_back(c.start);
  return all;
}

std::vector<double> coordinates_at(const Plan& plan, const double* q, double t) {
  std::vector<double> all = start_coordinates(plan);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (const int drive = plan.coordinates[k].drive; drive >= 0)
      all[k] = plan.profiles[static_cast<std::size_t>(drive)](t);
  for (int k = 0; k < plan.followed_count(); ++k)
    all[static_cast<std::size_t>(plan.followed[static_cast<std::size_t>(k)])] =
        q[plan.positions + k];
  return all;
}

}  // namespace daedalus::mechanism
