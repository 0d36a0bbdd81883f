// SPDX-License-Identifier: BSD-3-Clause
// Velocities nearest to the given ones, in the norm of the masses, that all joints allow.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "mechanism/assembly.hpp"
#include "mechanism/description.hpp"
#include "mechanism/row_derivatives.hpp"
#include "mechanism/stacked_rows.hpp"

namespace daedalus::mechanism {
namespace {

// Lower triangular factor of the masses of a body's velocities.
Eigen::MatrixXd factor_of(const Plan& plan, const PlanBody& b) {
  if (plan.planar())
    return Eigen::Vector3d(std::sqrt(b.mass), std::sqrt(b.mass), std::sqrt(b.J(2, 2))).asDiagonal();
  if (b.point) return std::sqrt(b.mass) * Eigen::Matrix3d::Identity();
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(6, 6);
  L.topLeftCorner<3, 3>().diagonal().setConstant(std::sqrt(b.mass));
  L.bottomRightCorner<3, 3>() = Eigen::Matrix3d(b.J.llt().matrixL());
  return L;
}

struct AskedRates {
  std::vector<Eigen::Triplet<double>> entries{};
  std::vector<double> target{};
  std::vector<std::string> names{};
};

// Rows of the rates that joints ask for, counted from `first`.
AskedRates asked_rates(const Description& d, const View<double>& x, int first) {
  const Plan& plan = *x.plan;
  AskedRates rows;
  for (std::size_t k = 0; k < d.joints.size(); ++k) {
    if (!d.joints[k].options.rate) continue;
    const int number = coordinate_of(plan, {static_cast<int>(k)}, CoordinateOf::automatic,
                                     "rate of '" + d.joints[k].name + "'");
    const PlanCoordinate& c = plan.coordinate(number);
    const Pair<double> p(x, c.A, c.B);
    const int row = first + static_cast<int>(rows.target.size());
    add_gradient<double>(x, p, coordinate_gradient<double>(x, number, p), 1.0,
                         [&](int column, double value) {
                           if (value != 0.0) rows.entries.emplace_back(row, column, value);
                         });
    rows.target.push_back(*d.joints[k].options.rate);
    rows.names.push_back(d.joints[k].name);
  }
  return rows;
}

// What the rows of positions and of velocities make of the velocities at t0: -g_t and -a.
Eigen::VectorXd prescribed_rates(const View<double>& x, double t0) {
  const Plan& plan = *x.plan;
  const auto holonomic = static_cast<int>(plan.rows.size());
  Eigen::VectorXd target =
      Eigen::VectorXd::Zero(holonomic + static_cast<int>(plan.nonholonomic.size()));
  for_each_row<double>(x, plan.groups, plan.rows,
                       [&](int k, const Row& row, const Pair<double>& p) {
                         if (follows_time(plan, k))
                           target[k] = -row.scale * row_time_derivative<double>(plan, row, p, t0);
                       });
  for (std::size_t k = 0; k < plan.nonholonomic.size(); ++k) {
    const NonholonomicRow& row = plan.nonholonomic[k];
    if (row.profile >= 0)
      target[holonomic + static_cast<int>(k)] =
          row.scale * plan.profiles[static_cast<std::size_t>(row.profile)](t0);
  }
  return target;
}

std::string contradiction(const std::vector<std::string>& names) {
  switch (names.size()) {
    case 0:
      return "rates of drives cannot all hold";
    case 1:
      return "the rate of " + names[0] + " cannot hold";
    case 2:
      return "rates of " + names[0] + " and " + names[1] + " cannot both hold";
    default:
      return fmt::format("rates of {} cannot all hold", fmt::join(names, ", "));
  }
}

}  // namespace

SparseMatrix mass_matrix(const Plan& plan) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const PlanBody& b : plan.bodies) {
    const Eigen::MatrixXd L = factor_of(plan, b);
    for (int i = 0; i < (plan.planar() ? 2 : 3); ++i)
      entries.emplace_back(b.v + i, b.v + i, b.mass);
    if (plan.planar()) entries.emplace_back(b.v + 2, b.v + 2, b.J(2, 2));
    if (plan.planar() || b.point) continue;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (i == j || b.J(i, j) != 0.0) entries.emplace_back(b.v + 3 + i, b.v + 3 + j, b.J(i, j));
  }
  // Followed angles have no mass.
  const int n = plan.velocities + plan.followed_count();
  SparseMatrix M(n, n);
  M.setFromTriplets(entries.begin(), entries.end());
  return M;
}

void follow_rates(const Plan& plan, const double* q, double* v) {
  View<double> x;
  x.plan = &plan;
  x.q = q;
  x.v = v;
  x.followed = q + plan.positions;
  for (int k = 0; k < plan.followed_count(); ++k)
    v[plan.velocities + k] = coordinate_rate<double>(x, plan.followed[static_cast<std::size_t>(k)]);
}

SparseMatrix by_mass(const Plan& plan, const SparseMatrix& G) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const PlanBody& b : plan.bodies) {
    const Eigen::MatrixXd L = factor_of(plan, b);
    const auto n = static_cast<int>(L.rows());
    const Eigen::MatrixXd inverse = L.inverse().transpose();  // L^-T
    for (int c = 0; c < n; ++c)
      for (SparseMatrix::InnerIterator it(G, b.v + c); it; ++it)
        for (int k = 0; k < n; ++k)
          if (inverse(c, k) != 0.0)
            entries.emplace_back(static_cast<int>(it.row()), b.v + k, it.value() * inverse(c, k));
  }
  SparseMatrix scaled(G.rows(), G.cols());
  scaled.setFromTriplets(entries.begin(), entries.end());
  return scaled;
}

Eigen::VectorXd solve_factor(const Plan& plan, const Eigen::VectorXd& y) {
  Eigen::VectorXd x(y.size());
  for (const PlanBody& b : plan.bodies) {
    const Eigen::MatrixXd L = factor_of(plan, b);
    x.segment(b.v, L.rows()) =
        L.transpose().triangularView<Eigen::Upper>().solve(y.segment(b.v, L.rows()));
  }
  return x;
}

Eigen::VectorXd guessed_velocities(const Plan& plan, const Eigen::VectorXd& q) {
  Eigen::VectorXd v = Eigen::VectorXd::Zero(plan.velocities);
  View<double> x;
  x.plan = &plan;
  x.q = q.data();
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody& b = plan.bodies[i];
    v.segment<3>(b.v) = b.u;
    if (plan.planar()) {
      v[b.v + 2] = b.omega[2];
      continue;
    }
    if (b.point) continue;
    if (plan.body_velocities())
      v.segment<3>(b.v) = x.rotation(static_cast<int>(i)).transpose() * b.u;
    v.segment<3>(b.v + 3) = b.omega;
  }
  return v;
}

Eigen::VectorXd assemble_velocities(const Description& d, const Plan& plan, const Positions& at,
                                    double t0) {
  const Eigen::VectorXd guess = guessed_velocities(plan, at.q);
  View<double> x;
  x.plan = &plan;
  x.q = at.q.data();
  x.near = at.coordinates.data();
  SparseMatrix C = stacked_rows(plan, t0, at.q, at.coordinates);
  const auto held = static_cast<int>(C.rows());
  const AskedRates asked = asked_rates(d, x, held);
  const int all = held + static_cast<int>(asked.target.size());
  if (all == 0) return guess;
  std::vector<Eigen::Triplet<double>> entries = asked.entries;
  for (int c = 0; c < C.outerSize(); ++c)
    for (SparseMatrix::InnerIterator it(C, c); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), c, it.value());
  C.resize(all, plan.velocities);
  C.setFromTriplets(entries.begin(), entries.end());
  Eigen::VectorXd target(all);
  target.head(held) = prescribed_rates(x, t0);
  for (int k = held; k < all; ++k) target[k] = asked.target[static_cast<std::size_t>(k - held)];
  Eigen::VectorXd norms, v = guess;
  const SparseMatrix B = with_unit_rows(by_mass(plan, C), norms);
  // As for positions: redundant rows lie far below, independent ones far above.
  constexpr double threshold = 1e-9;
  const SmallestSolution nearest(B, threshold);
  // The second solution takes the rounding of the first away.
  for (int pass = 0; pass < 2; ++pass) {
    Eigen::VectorXd open = target - C * v;
    for (int k = 0; k < all; ++k) open[k] = norms[k] > 0.0 ? open[k] / norms[k] : 0.0;
    v += solve_factor(plan, nearest(open));
  }
  const double speed =
      std::max({v.cwiseAbs().maxCoeff(), target.cwiseAbs().maxCoeff(), plan.length});
  const Eigen::VectorXd left = target - C * v;
  if (left.cwiseAbs().maxCoeff() > 1e-9 * speed)
    throw InvalidArgument(
        fmt::format("{}: a velocity of {:.3g} is left open; give one rate per degree of freedom",
                    contradiction(asked.names), left.cwiseAbs().maxCoeff()));
  return v;
}

}  // namespace daedalus::mechanism
