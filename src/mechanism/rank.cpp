// SPDX-License-Identifier: BSD-3-Clause
// Which rows follow from others, whether they do so everywhere or only here, and what to say.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "mechanism/assembly.hpp"
#include "mechanism/linearise.hpp"

namespace daedalus::mechanism {

std::vector<std::string> joints_in(const Plan& plan, const DependentRow& d) {
  std::set<int> numbers{plan.rows[static_cast<std::size_t>(d.row)].joint};
  for (const auto& [row, factor] : d.of)
    numbers.insert(plan.rows[static_cast<std::size_t>(row)].joint);
  std::vector<std::string> names;
  for (const int k : numbers) names.push_back(plan.joints[static_cast<std::size_t>(k)].name);
  return names;
}

namespace {

constexpr double nearly_redundant = 1e-4;  // pivots below come of rounded or misaligned axes
constexpr double nearby = 1e-3;            // of the characteristic length, and rad

RowRank rank_at(const Plan& plan, const Positions& at, double t0, double tolerance,
                SparseMatrix* scaled = nullptr) {
  Linearisation rows(plan, plan.groups, plan.rows);
  rows.evaluate(t0, at.q, at.coordinates);
  Eigen::VectorXd norms;
  const SparseMatrix B = with_unit_rows(by_mass(plan, rows.matrix()), norms);
  if (scaled) *scaled = B;
  return rank_in_order(B, tolerance);
}

// A motion that the joints allow, of a size that changes the geometry but not the branch.
Positions moved_nearby(const Plan& plan, const Positions& at, const SparseMatrix& B,
                       const AssemblyOptions& options, std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  Eigen::VectorXd y(plan.velocities);
  for (Eigen::Index k = 0; k < y.size(); ++k) y[k] = any(random);
  y -= SmallestSolution(B, options.rank_tolerance)(B * y);
  Eigen::VectorXd step = solve_factor(plan, y);
  double largest = 0.0;
  for (const PlanBody& b : plan.bodies) {
    largest = std::max(largest, step.segment<3>(b.v).cwiseAbs().maxCoeff() / plan.length);
    if (!plan.planar() && !b.point)
      largest = std::max(largest, step.segment<3>(b.v + 3).cwiseAbs().maxCoeff());
  }
  if (largest > 0.0) step *= nearby / largest;
  Eigen::VectorXd q(plan.positions);
  plan.configuration.plus<double>(at.q.data(), step.data(), q.data());
  return assemble_positions(plan, options, std::move(q), at.coordinates);
}

void list_loops(const Plan& plan, const RowRank& rank, AssemblyReport& report) {
  for (const DependentRow& d : rank.dependent) {
    const Row& row = plan.rows[static_cast<std::size_t>(d.row)];
    const RedundantRow named{plan.joints[static_cast<std::size_t>(row.joint)].name, row.name};
    report.redundant.push_back(named);
    const std::vector<std::string> joints = joints_in(plan, d);
    // Loops that share a joint with rows already in one are one loop.
    auto same = std::find_if(report.loops.begin(), report.loops.end(), [&](const RedundantLoop& l) {
      return std::any_of(l.rows.begin(), l.rows.end(),
                         [&](const RedundantRow& r) { return r.joint == named.joint; });
    });
    if (same == report.loops.end()) same = report.loops.insert(report.loops.end(), RedundantLoop{});
    same->rows.push_back(named);
    for (const std::string& joint : joints)
      if (std::find(same->joints.begin(), same->joints.end(), joint) == same->joints.end())
        same->joints.push_back(joint);
  }
}

std::string listed_names(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}
std::string rows_text(const std::vector<RedundantRow>& rows) {
  std::vector<std::string> names;
  for (const RedundantRow& r : rows) names.push_back(r.joint + "." + r.row);
  return listed_names(names);
}

std::string redundancy_text(const AssemblyReport& report, int rows) {
  std::string text;
  for (const RedundantLoop& loop : report.loops)
    text += fmt::format(
        "{}{} of the {} rows {} redundant: the loop {} fixes the row{} {} already; {} left out, "
        "and how these joints share forces along {} cannot be known.",
        text.empty() ? "" : "\n", loop.rows.size(), rows, loop.rows.size() == 1 ? "is" : "are",
        listed_names(loop.joints), loop.rows.size() == 1 ? "" : "s", rows_text(loop.rows),
        loop.rows.size() == 1 ? "it is" : "they are", loop.rows.size() == 1 ? "it" : "them");
  return text;
}

void refuse_singular(const Plan& plan, const RowRank& rank) {
  std::vector<std::string> names;
  for (const DependentRow& d : rank.dependent)
    for (const std::string& name : joints_in(plan, d))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  throw InvalidArgument(fmt::format(
      "mechanism '{}' starts in a dead position: the joints {} lose hold of each other here and "
      "only here; start elsewhere, or add a drive, or allow a singular start",
      plan.name, listed_names(names)));
}

void drop(Plan& plan, const RowRank& rank) {
  plan.all_rows = plan.rows;
  plan.all_groups = plan.groups;
  plan.unknown.assign(plan.joints.size(), false);
  plan.kept = rank.kept;
  if (rank.dependent.empty()) return;
  std::vector<bool> kept(plan.rows.size(), false);
  for (const int k : rank.kept) kept[static_cast<std::size_t>(k)] = true;
  for (const DependentRow& d : rank.dependent) {
    plan.unknown[static_cast<std::size_t>(plan.rows[static_cast<std::size_t>(d.row)].joint)] = true;
    for (const auto& [row, factor] : d.of)
      plan.unknown[static_cast<std::size_t>(plan.rows[static_cast<std::size_t>(row)].joint)] = true;
  }
  std::vector<Row> rows;
  for (Group& group : plan.groups) {
    const int first = static_cast<int>(rows.size());
    for (int k = group.first; k < group.first + group.count; ++k)
      if (kept[static_cast<std::size_t>(k)]) rows.push_back(plan.rows[static_cast<std::size_t>(k)]);
    group.first = first;
    group.count = static_cast<int>(rows.size()) - first;
  }
  plan.rows = std::move(rows);
}

}  // namespace

void drop_dependent_rows(Plan& plan, const Positions& at, const AssemblyOptions& options,
                         AssemblyReport& report) {
  const int all = static_cast<int>(plan.rows.size());
  report.rows = all;
  report.nonholonomic_rows = static_cast<int>(plan.nonholonomic.size());
  report.grubler = plan.velocities - all - report.nonholonomic_rows;
  SparseMatrix B;
  RowRank rank = rank_at(plan, at, options.t0, options.rank_tolerance, &B);
  if (!rank.dependent.empty()) {
    std::mt19937 random(1);
    RowRank elsewhere = rank;
    for (int k = 0; k < 2; ++k) {
      const Positions other = moved_nearby(plan, at, B, options, random);
      if (!other.converged) continue;
      RowRank there = rank_at(plan, other, options.t0, options.rank_tolerance);
      if (there.rank > elsewhere.rank) elsewhere = std::move(there);
    }
    if (elsewhere.rank > rank.rank) {
      if (options.singular_start == SingularStart::refuse) refuse_singular(plan, rank);
      report.singular_start = true;
      rank = std::move(elsewhere);
    }
  }
  report.degrees_of_freedom = plan.velocities - rank.rank - report.nonholonomic_rows;
  report.smallest_pivot = rank.smallest_pivot;
  list_loops(plan, rank, report);
  if (!rank.dependent.empty()) {
    const std::string text = redundancy_text(report, all);
    if (options.redundant == Redundant::refuse)
      throw InvalidArgument(fmt::format("mechanism '{}': {}", plan.name, text));
    report.warnings.push_back(text);
  }
  if (rank.smallest_pivot < nearly_redundant) {
    const Row& row = plan.rows[static_cast<std::size_t>(rank.weakest.row)];
    report.warnings.push_back(fmt::format(
        "the loop {} is nearly redundant and cannot move: row {}, pivot {:.2g}, {} degrees of "
        "freedom are left; align the axes, or set rank_tolerance to 1e-4",
        listed_names(joints_in(plan, rank.weakest)), row_name(plan, row), rank.smallest_pivot,
        report.degrees_of_freedom));
  }
  if (report.degrees_of_freedom <= 0 && plan.drives.empty() &&
      rank.smallest_pivot >= nearly_redundant)
    report.warnings.push_back(fmt::format(
        "it cannot move: no degree of freedom is left, and nothing drives it{}",
        rank.weakest.row < 0 || rank.dependent.empty()
            ? std::string()
            : fmt::format(" (row {} holds it by the pivot {:.2g}: are axes misaligned?)",
                          row_name(plan, plan.rows[static_cast<std::size_t>(rank.weakest.row)]),
                          rank.smallest_pivot)));
  drop(plan, rank);
}

}  // namespace daedalus::mechanism
