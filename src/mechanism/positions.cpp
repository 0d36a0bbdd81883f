// SPDX-License-Identifier: BSD-3-Clause
// Positions near the guess that close all joints, moving heavy bodies least.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "mechanism/assembly.hpp"
#include "mechanism/description.hpp"
#include "mechanism/linearise.hpp"

namespace daedalus::mechanism {
namespace {

constexpr double max_turn = 0.5;   // rad in one iteration
constexpr double max_shift = 0.5;  // of the characteristic length
constexpr double closed = 1e-12;   // rows, of the characteristic length
// Rows of length one: redundant ones fall to rounding, 1e-12, others stay above 1e-6.
constexpr double rank_threshold = 1e-9;
// Shorter parts of a correction are below the accuracy of the rows.
constexpr int max_halvings = 12;

// One over the square root of the weights of tangent coordinates; zero: held.
Eigen::VectorXd mobility(const Plan& plan) {
  Eigen::VectorXd w(plan.velocities);
  for (const PlanBody& b : plan.bodies) {
    const double move = b.hold ? 0.0 : 1.0 / std::sqrt(b.weight * b.mass);
    const bool flat = plan.planar() || b.point;
    for (int k = 0; k < (flat ? 3 : 6); ++k)
      w[b.v + k] = (plan.planar() ? k == 2 : k >= 3) ? move / plan.length : move;
  }
  return w;
}

// No body moves too far at once.
double allowed(const Plan& plan, const Eigen::VectorXd& delta) {
  double factor = 1.0;
  for (const PlanBody& b : plan.bodies) {
    const bool flat = plan.planar() || b.point;
    const double shift =
        plan.planar() ? delta.segment<2>(b.v).norm() : delta.segment<3>(b.v).norm();
    const double turn = plan.planar() ? std::abs(delta[b.v + 2])
                        : flat        ? 0.0
                                      : delta.segment<3>(b.v + 3).norm();
    if (shift > max_shift * plan.length) factor = std::min(factor, max_shift * plan.length / shift);
    if (turn > max_turn) factor = std::min(factor, max_turn / turn);
  }
  return factor;
}

// Of rows: those of the joint `last` give way to all others, which they pull open by the square of
// their weight.
Eigen::VectorXd weights_of_rows(const Plan& plan, int last) {
  // Squared, 1e-8 of the gap: not seen in the four digits that the message prints.
  constexpr double giving_way = 1e-4;
  Eigen::VectorXd w = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(plan.rows.size()));
  for (Eigen::Index k = 0; k < w.size(); ++k)
    if (plan.rows[static_cast<std::size_t>(k)].joint == last) w[k] = giving_way;
  return w;
}

Eigen::VectorXd correction(const Linearisation& at, const Eigen::VectorXd& free,
                           const Eigen::VectorXd& weights) {
  SparseMatrix G = at.matrix();
  for (int c = 0; c < G.outerSize(); ++c)
    for (SparseMatrix::InnerIterator it(G, c); it; ++it) it.valueRef() *= free[c];
  Eigen::VectorXd norms;
  SparseMatrix A = with_unit_rows(G, norms);
  for (int c = 0; c < A.outerSize(); ++c)
    for (SparseMatrix::InnerIterator it(A, c); it; ++it) it.valueRef() *= weights[it.row()];
  Eigen::VectorXd rhs = -at.values();
  for (Eigen::Index k = 0; k < rhs.size(); ++k)
    rhs[k] = norms[k] > 0.0 ? weights[k] * rhs[k] / norms[k] : 0.0;
  return free.cwiseProduct(SmallestSolution(A, rank_threshold)(rhs));
}

std::string bodies_of_joint(const Plan& plan, const PlanJoint& j) {
  const auto name = [&](int b) { return b < 0 ? std::string("ground") : plan.body(b).name; };
  return fmt::format("'{}' and '{}'", name(j.A.body), name(j.B.body));
}

// How far a row is open, in metres or degrees.
std::string gap_text(const Plan& plan, const Positions& at, const Row& row, double value,
                     double t0) {
  // In one radian.
  constexpr double degrees = 57.29577951308232;
  if (row.angular) return fmt::format("{:.4g} degrees", value / plan.length * degrees);
  if (row.kind != RowKind::distance) return fmt::format("{:.4g} m", value);
  View<double> x;
  x.plan = &plan;
  x.q = at.q.data();
  const PlanJoint& j = plan.joints[static_cast<std::size_t>(row.joint)];
  const double length = drive_value<double>(plan, row, t0);
  return fmt::format("{:.4g} m", std::abs(Pair<double>(x, j.A, j.B).d.norm() - length));
}

}  // namespace

Eigen::VectorXd guessed_positions(const Plan& plan) {
  Eigen::VectorXd q(plan.positions);
  for (const PlanBody& b : plan.bodies) {
    q.segment<3>(b.q) = b.x;
    if (plan.planar()) {
      q[b.q + 2] = std::atan2(b.R(1, 0), b.R(0, 0));
      continue;
    }
    if (b.point) continue;
    if (plan.space == MechanismSpace::r3xs3 || plan.space == MechanismSpace::s3_semidirect)
      q.segment<4>(b.q + 3) = s3::from_rotation(b.R);
    else
      Eigen::Map<Eigen::Matrix3d>(q.data() + b.q + 3) = b.R;
  }
  return q;
}

Positions assemble_positions(const Plan& plan, const AssemblyOptions& options, Eigen::VectorXd q,
                             std::vector<double> coordinates, int last) {
  Positions at{std::move(q), std::move(coordinates), 0, 0.0, false};
  Linearisation rows(plan, plan.groups, plan.rows);
  const Eigen::VectorXd free = mobility(plan), weights = weights_of_rows(plan, last);
  const auto openness = [&] { return rows.values().cwiseProduct(weights).norm(); };
  rows.evaluate(options.t0, at.q, at.coordinates);
  const auto largest = [&] {
    return rows.values().size() > 0 ? rows.values().cwiseAbs().maxCoeff() : 0.0;
  };
  while (!(at.converged = (at.residual = largest()) <= closed * plan.length) &&
         at.iterations < options.max_iterations) {
    ++at.iterations;
    const Eigen::VectorXd delta = correction(rows, free, weights);
    const double before = openness();
    double factor = allowed(plan, delta);
    Eigen::VectorXd moved(plan.positions), step(plan.velocities);
    for (int halving = 0; halving <= max_halvings; ++halving, factor *= 0.5) {
      step = factor * delta;
      plan.configuration.plus<double>(at.q.data(), step.data(), moved.data());
      plan.configuration.renormalise(moved.data());
      rows.evaluate(options.t0, moved, at.coordinates);
      if (openness() < before) break;
    }
    at.coordinates = coordinate_values(plan, moved, at.coordinates);
    const bool stuck = !(step.norm() > 1e-15 * (1.0 + at.q.norm()));
    at.q = moved;
    if (stuck) {
      at.residual = largest();
      at.converged = at.residual <= closed * plan.length;
      break;
    }
  }
  return at;
}

void check_drives(const Plan& plan, const Positions& guess, double t0) {
  constexpr double quarter = 0.5 * std::numbers::pi;
  for (const Row& row : plan.rows) {
    if (row.kind != RowKind::angle_drive) continue;
    const TimeFunction& f = plan.profiles[static_cast<std::size_t>(row.profile)];
    const PlanJoint& drive = plan.joints[static_cast<std::size_t>(row.joint)];
    View<double> x;
    x.plan = &plan;
    x.q = guess.q.data();
    const AngleParts<double> angle(Pair<double>(x, drive.A, drive.B));
    const double theta = unwrapped(std::atan2(angle.sine, angle.cosine), f(t0));
    if (std::abs(theta - f(t0)) >= quarter)
      throw InvalidArgument(fmt::format(
          "drive '{}' asks for {:.6g} rad at t = {:.6g}, the mechanism starts at {:.6g}; turn the "
          "bodies in the guess, or change the drive",
          drive.name, f(t0), t0, theta));
  }
}

namespace {

// The joint with the largest gap, and how far it stays open where all others close.
[[noreturn]] void refuse_open(const Plan& plan, const Positions& at,
                              const AssemblyOptions& options) {
  Linearisation rows(plan, plan.groups, plan.rows);
  const auto worst_row = [&](const Positions& there, int joint) {
    rows.evaluate(options.t0, there.q, there.coordinates);
    Eigen::Index worst = -1;
    for (Eigen::Index k = 0; k < rows.values().size(); ++k) {
      const bool asked = joint < 0 || plan.rows[static_cast<std::size_t>(k)].joint == joint;
      if (asked && (worst < 0 || std::abs(rows.values()[k]) > std::abs(rows.values()[worst])))
        worst = k;
    }
    return worst;
  };
  const int number = plan.rows[static_cast<std::size_t>(worst_row(at, -1))].joint;
  const Positions nearest = assemble_positions(plan, options, at.q, at.coordinates, number);
  const Eigen::Index worst = worst_row(nearest, number);
  const Row& row = plan.rows[static_cast<std::size_t>(worst)];
  const PlanJoint& joint = plan.joints[static_cast<std::size_t>(number)];
  const std::string gap = gap_text(plan, nearest, row, std::abs(rows.values()[worst]), options.t0);
  if (joint.kind == JointClass::drive)
    throw InvalidArgument(fmt::format(
        "drive '{}' asks for {:.6g} at t = {:.6g}, the mechanism comes no nearer than {}; change "
        "the drive or the guess",
        joint.name, drive_value<double>(plan, row, options.t0), options.t0, gap));
  throw InvalidArgument(fmt::format(
      "mechanism '{}' cannot be assembled: joint '{}' between {} stays open in row {}, {} apart at "
      "the nearest; change lengths or the guess",
      plan.name, joint.name, bodies_of_joint(plan, joint), row.name, gap));
}

}  // namespace

void check_assembled(const Plan& plan, const Positions& at, const AssemblyOptions& options) {
  if (!at.converged) refuse_open(plan, at, options);
  View<double> x;
  x.plan = &plan;
  x.q = at.q.data();
  for (const PlanJoint& j : plan.joints) {
    if (plan.planar() || j.kind != JointClass::joint) continue;
    const Pair<double> p(x, j.A, j.B);
    const double along = p.a(2).dot(p.b(2));
    const bool axes = j.type == JointType::revolute || j.type == JointType::cylindrical ||
                      j.type == JointType::screw || j.type == JointType::planar;
    const bool whole = j.type == JointType::fixed || j.type == JointType::prismatic ||
                       j.type == JointType::orientation;
    const double trace = p.a(0).dot(p.b(0)) + p.a(1).dot(p.b(1)) + along;
    if ((axes && along <= 0.0) || (whole && trace <= 2.0))
      throw InvalidArgument(fmt::format(
          "joint '{}' closes only with its axis reversed: a flipped branch; turn body '{}' in the "
          "guess",
          j.name, j.B.body < 0 ? plan.body(j.A.body).name : plan.body(j.B.body).name));
  }
}

}  // namespace daedalus::mechanism
